"""Commands on an archive that is there: they ask nothing of the web and run in this process."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

from everlog.archive import open_archive
from everlog.cli import main
from everlog.demo.site import truth
from everlog.records import Post

FIELDS = list(Post(url="u").to_dict())
OLDEST = truth()[-1]


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What a command prints on stdout; what it says on stderr has no traceback."""
    capsys.readouterr()
    assert main(list(words)) == code, capsys.readouterr().err
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out


def refused(capsys: pytest.CaptureFixture[str], *words: str, code: int = 2) -> str:
    """What a command that ends badly says on stderr; its last line tells what to do."""
    capsys.readouterr()
    assert main(list(words)) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("  ")
    return err


def test_jsonl_has_one_post_a_line_with_exactly_the_fields_that_were_promised(kept, capsys):
    lines = run(capsys, "export").splitlines()
    posts = [json.loads(line) for line in lines]
    assert len(posts) == 40
    assert all(list(post) == FIELDS for post in posts)
    post = next(post for post in posts if post["url"].endswith(OLDEST.path))
    assert (post["title"], post["authors"], post["blog"]) == (OLDEST.title, [OLDEST.author], kept)
    assert post["published"].startswith(OLDEST.published.date().isoformat())
    assert set(post["provenance"]["title"]) == {"method", "rule", "confidence"}
    assert set(post["warc"]) == {"file", "offset"}
    assert Path("everlog-archive", post["warc"]["file"]).is_file()


def test_pictures_of_posts_are_files_of_the_archive_and_the_html_points_to_them(kept, capsys):
    posts = [json.loads(line) for line in run(capsys, "export").splitlines()]
    held = [(post, item) for post in posts for item in post["media"] if item["path"]]
    assert held
    for post, item in held:
        assert list(item) == ["url", "path", "sha256", "type", "bytes"]
        assert Path("everlog-archive", item["path"]).stat().st_size == item["bytes"]
        assert item["path"] in post["html"]


def test_files_that_articles_link_to_are_held_too(kept, capsys):
    posts = [json.loads(line) for line in run(capsys, "export").splitlines()]
    assert [item["url"] for post in posts for item in post["media"] if not item["path"]] == []


def test_csv_has_a_header_and_a_row_a_post(kept, capsys):
    rows = list(csv.DictReader(io.StringIO(run(capsys, "export", "--format", "csv"), newline="")))
    assert {row["title"] for row in rows} == {piece.title for piece in truth()}
    assert set(rows[0]) <= set(FIELDS)


def test_markdown_is_a_folder_with_a_file_a_post(kept, capsys):
    refused(capsys, "export", "--format", "markdown")
    run(capsys, "export", "--format", "markdown", "-o", "notes")
    files = list(Path("notes").glob("*.md"))
    assert len(files) == 40
    [oldest] = [file for file in files if file.name.startswith(OLDEST.published.date().isoformat())]
    text = oldest.read_text("utf-8")
    assert text.startswith("---\n")
    assert f'title: "{OLDEST.title}"' in text
    targets = [found for file in files for found in re.findall(r"\]\((media/[^)]+)\)", file.read_text("utf-8"))]
    assert targets
    assert all(Path("notes", unquote(target)).is_file() for target in targets)


def test_an_export_can_be_cut_by_blog_and_date_and_go_into_a_file(kept, capsys):
    recent = [piece for piece in truth() if piece.published.year >= 2024]
    run(capsys, "export", "--blog", kept, "--since", "2024-01-01", "-o", "posts.csv")
    with Path("posts.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(recent)
    assert "'yesterday' is not a date" in refused(capsys, "export", "--since", "yesterday")
    assert "no format is called" in refused(capsys, "export", "--format", "tiff")


def test_a_post_is_shown_as_text_html_and_json(kept, capsys):
    url = kept.rstrip("/") + OLDEST.path
    text = run(capsys, "show", url)
    assert text.startswith(OLDEST.title + "\n")
    assert OLDEST.author in text
    assert "<p>" in run(capsys, "show", url, "--html")
    shown = json.loads(run(capsys, "show", url, "--json"))
    assert list(shown) == FIELDS
    assert [post["version"] for post in json.loads(run(capsys, "show", url, "--json", "--versions"))] == [1]


def test_a_post_is_found_under_other_spellings_of_its_address(kept, capsys):
    url = kept.rstrip("/") + OLDEST.path.rstrip("/") + "?utm_source=x#top"
    assert run(capsys, "show", url).startswith(OLDEST.title)


def test_a_post_that_is_not_there_is_an_error_with_advice(kept, capsys):
    assert "everlog export" in refused(capsys, "show", f"{kept}nowhere/")


def test_status_lists_the_blogs(kept, capsys):
    [row] = json.loads(run(capsys, "status", "--json"))
    assert (row["blog"], row["posts"], row["waiting"], row["failed"]) == (kept, 40, 0, 0)
    assert {"comments", "last_crawl", "state"} <= set(row)
    assert kept in run(capsys, "status")


def test_status_of_a_blog_says_what_is_held_and_what_is_missing(kept, capsys):
    detail = json.loads(run(capsys, "status", kept, "--json"))
    assert (detail["posts"], detail["versions"], detail["missing"], detail["state"]) == (40, 40, [], "finished")
    assert detail["runs"][-1]["reason"]
    text = run(capsys, "status", kept)
    assert "Signal Box Notes" in text
    assert "missing" in text


def test_the_ledger_tells_what_was_asked_of_every_host(kept, capsys):
    [row] = json.loads(run(capsys, "status", "--politeness", "--json"))
    assert row["requests"] > 40
    assert {"host", "bytes", "waited_seconds", "slowed", "delay_seconds"} <= set(row)


def test_a_blog_that_is_not_in_the_archive_is_an_error_that_lists_those_there_are(kept, capsys):
    for command in ("status", "rules", "reread", "forget", "update"):
        assert kept in refused(capsys, command, "https://a.blog.example/")


def test_rules_show_what_was_learned_and_how_well_it_does(kept, capsys):
    text = run(capsys, "rules", kept)
    assert "h1.headline" in text
    assert "100.0%" in text
    learned = json.loads(run(capsys, "rules", kept, "--json"))
    assert {"blog", "feed", "url_pattern", "confidence", "template"} <= set(learned)
    assert learned["confidence"]["title"] == 1.0


def test_a_rule_that_cannot_be_is_refused(kept, capsys):
    assert "known are: text, title" in refused(capsys, "rules", kept, "--set", "colour", "h1")
    assert "no blog given" in refused(capsys, "rules", "--relearn")


def test_pages_are_read_again_without_a_single_request(crawled, kept, capsys):
    crawled.server.seen.clear()
    [result] = json.loads(run(capsys, "reread", "--json", "-q"))
    assert (result["same"], result["changed"], result["new"], result["no_longer"]) == (40, 0, 0, 0)
    assert crawled.server.seen == []


def test_a_forgotten_blog_is_no_longer_updated_and_keeps_its_posts(kept, capsys):
    run(capsys, "forget", kept)
    assert json.loads(run(capsys, "status", "--json"))[0]["state"] == "forgotten"
    assert len(run(capsys, "export").splitlines()) == 40
    assert "has no blogs yet" in refused(capsys, "update")


def test_a_sound_archive_is_verified(kept, capsys):
    assert run(capsys, "verify") == ""


@pytest.mark.parametrize("place", ["warc/*.warc.gz", "media/*/*"])
def test_one_damaged_byte_is_found_and_exits_8(kept, capsys, place):
    file = next(Path("everlog-archive").glob(place))
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(bytes(data))
    assert main(["verify"]) == 8
    out, err = capsys.readouterr()
    assert file.name in out
    assert err.splitlines()[-1].startswith("  ")
    assert main(["verify", "--json", "-q"]) == 8
    assert {"kind", "where"} <= set(json.loads(capsys.readouterr().out)["findings"][0])


def test_a_lost_file_is_found(kept, capsys):
    next(Path("everlog-archive").glob("media/*/*")).unlink()
    assert main(["verify"]) == 8


def test_the_archive_can_be_named_by_the_environment_and_moved(kept, here, monkeypatch, capsys):
    shutil.move("everlog-archive", "elsewhere")
    assert "there is no archive" in refused(capsys, "status")
    monkeypatch.setenv("EVERLOG_ARCHIVE", str(here / "elsewhere"))
    assert json.loads(run(capsys, "status", "--json"))[0]["posts"] == 40
    assert "there is no archive" in refused(capsys, "status", "--archive", "everlog-archive")


def test_the_archive_can_be_named_in_the_settings_file(kept, here, capsys):
    shutil.move("everlog-archive", "elsewhere")
    Path("everlog.toml").write_text('[crawl]\narchive = "elsewhere"\n')
    assert json.loads(run(capsys, "status", "--json"))[0]["posts"] == 40


@pytest.mark.parametrize("command", ["status", "export", "verify", "reread", "update"])
def test_an_archive_that_is_not_there_is_not_made_by_looking(here, capsys, command):
    assert "everlog crawl" in refused(capsys, command)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(("text", "said"), [
    ("[crawl]\ndeley = 2\n", "everlog.toml: unknown setting 'deley'; did you mean 'delay'?"),
    ("[crawl]\ndelay = -1\n", "everlog.toml: delay must be at least 0"),
    ('[blog."https://a.blog.example/"]\nscoop = "host"\n', "a.blog.example"),
    ("[crowl]\n", "[crawl]"),
    ("delay 2\n", "not TOML"),
])
def test_a_settings_file_that_does_not_fit_exits_2_and_says_what_would(here, capsys, text, said):
    Path("everlog.toml").write_text(text)
    assert main(["crawl", "https://a.blog.example/"]) == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in here.iterdir()] == ["everlog.toml"]


def test_an_unknown_setting_in_the_environment_exits_2_and_names_the_nearest_known_one(here, monkeypatch, capsys):
    monkeypatch.setenv("EVERLOG_DELEY", "2")
    assert main(["crawl", "https://a.blog.example/"]) == 2
    assert "'EVERLOG_DELEY'; did you mean 'EVERLOG_DELAY'?" in capsys.readouterr().err


@pytest.mark.parametrize("words", [
    ["crawl"], ["crawl", "-i", "nothing.txt"], ["crawl", "https://a.example/", "--scope", "planet"],
    ["crawl", "https://a.example/", "--no-feed", "--feed", "https://a.example/feed"],
    ["crawl", "https://a.example/", "--render", "sometimes"], ["crawl", "https://a.example/", "--header", "nonsense"],
    ["crawl", "https://a.example/", "--config", "nothing.toml"],
])
def test_wrong_words_after_crawl_exit_2_before_anything_is_made(here, capsys, words):
    refused(capsys, *words)
    assert list(here.iterdir()) == []


def test_an_archive_of_a_newer_version_is_refused(kept, capsys):
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect("everlog-archive/everlog.sqlite")) as database, database:
        database.execute("update alembic_version set version_num = '9999'")
    assert "newer version" in refused(capsys, "status")


def test_a_folder_that_is_copied_is_an_archive_of_its_own(kept, capsys):
    shutil.copytree("everlog-archive", "copy")
    run(capsys, "forget", kept, "--archive", "copy")
    with open_archive("everlog-archive", create=False) as archive:
        assert [blog.home for blog in archive.blogs()] == [kept]
