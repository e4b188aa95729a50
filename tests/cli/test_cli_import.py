"""`everlog import` as users type it: what it says, and how it ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.cli import main
from importing.a_warc import Warc, wacz
from usecases.a_site import a_site

if TYPE_CHECKING:
    from pathlib import Path


def captured(folder: Path, *, posts: int = 6, at: str = "2024-06-01T10:00:00Z", **texts: str) -> Path:
    """A WARC of the small blog; `texts` are what some posts say instead (`post_3`)."""
    warc = Warc()
    for key, answer in sorted(a_site(posts).answers.items()):
        said = texts.get(f"post_{key.rpartition('/')[2]}")
        body = answer.body if said is None else a_blog.page(int(key.rpartition("/")[2]), said)
        warc.answer(a_blog.HOME + key.partition("/")[2], body, at, type=answer.type)
    return warc.write(folder / f"site-{at[:10]}.warc.gz")


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    capsys.readouterr()
    assert main(list(words)) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out, err


def test_a_file_is_imported_and_says_what_came(here, capsys):
    out, _ = run(capsys, "import", str(captured(here)), "-q")
    assert out == "https://a.blog/ (new in this archive): 6 posts, from 9 captures\n"
    out, _ = run(capsys, "import", str(captured(here)), "-q")
    assert out == "https://a.blog/: nothing new, from 0 captures; 9 captures held before\n"


def test_programs_get_json(here, capsys):
    out, _ = run(capsys, "import", str(wacz(here / "a.wacz", captured(here).read_bytes())), "--json", "-q")
    said = json.loads(out)
    assert [(blog["blog"], blog["new"], blog["posts"]) for blog in said["blogs"]] == [("https://a.blog/", True, 6)]
    assert said["files"] == [{"file": str(here / "a.wacz"), "captures": 10, "skipped": {}, "problem": None}]


def test_versions_of_others_are_shown_compared_and_exported_with_who_captured_them(here, capsys):
    run(capsys, "import", str(captured(here)), "-q")
    older = captured(here, at="2024-02-01T10:00:00Z", post_3=a_blog.article(3) + "<p>Taken out later.</p>")
    run(capsys, "import", str(older), "-q")
    out, _ = run(capsys, "show", a_blog.url(3), "--versions", "-q")
    assert out.splitlines() == [
        "version 0  captured 2024-02-01 10:00:00 UTC by another program  as it was found",
        "version 1  captured 2024-06-01 10:00:00 UTC by another program  text: 3 words removed",
    ]
    out, _ = run(capsys, "diff", a_blog.url(3), "--from", "0", "--to", "1")
    assert "[-Taken out later.-]" in out
    out, _ = run(capsys, "diff", a_blog.url(3))
    assert "version 0, captured 2024-02-01" in out
    out, err = run(capsys, "diff", a_blog.url(3), "--from", "-1", code=2)
    assert "no version -1" in err
    out, _ = run(capsys, "show", a_blog.url(3))
    assert "captured 2024-06-01 by another program" in out
    out, _ = run(capsys, "export", "-q")
    posts = [json.loads(line) for line in out.splitlines()]
    assert {(post["origin"], post["captured"], post["version"]) for post in posts} == {
        ("import", "2024-06-01T10:00:00+00:00", 1),
    }
    run(capsys, "verify", "-q")
    run(capsys, "copy", "--to", "a-copy", "-q")
    run(capsys, "verify", "--archive", "a-copy", "-q")
    out, _ = run(capsys, "status", a_blog.HOME)
    assert "version 0 was taken from an imported file, captured 2024-02-01" in out


def test_files_that_cannot_be_read_are_named_and_the_others_imported(here, capsys):
    bad = here / "bad.warc"
    bad.write_bytes(b"hello")
    out, err = run(capsys, "import", str(bad), str(captured(here)), code=3)
    assert "6 posts" in out
    assert f"not imported: {bad} is not a WARC or WACZ file" in err


def test_a_file_that_is_cut_off_is_imported_as_far_as_it_goes(here, capsys):
    file = captured(here)
    file.write_bytes(file.read_bytes()[:-100])
    out, err = run(capsys, "import", str(file), code=3)
    assert "posts" in out
    assert "1 record could not be read (1 cut off)" in err


@pytest.mark.parametrize(("content", "said"), [
    (None, "there is no file"),
    (b"hello", "is not a WARC or WACZ file"),
    (b'<rss xmlns:wp="http://wordpress.org/export/1.2/">', "this kind of file is not read yet"),
])
def test_nothing_is_made_for_files_that_cannot_be_imported(here, capsys, content, said):
    file = here / "file"
    if content is not None:
        file.write_bytes(content)
    _, err = run(capsys, "import", str(file), code=2)
    assert said in err
    assert "reads WARC (.warc, .warc.gz) and WACZ files" in err
    assert not (here / "everlog-archive").exists()


def test_a_file_without_a_blog_exits_4_with_the_reason(here, capsys):
    warc = Warc()
    for name in ("", "about"):
        warc.answer(f"https://shop.example/{name}", b"<html><body><p>Buy this, and that.</p></body></html>")
    _, err = run(capsys, "import", str(warc.write(here / "shop.warc.gz")), code=4)
    assert "shop.example: no blog recognised" in err
    assert "no blog was found in these files" in err
