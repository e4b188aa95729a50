"""`everlog hide`, and exports that leave out what is hidden or not chosen."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from test_cli_archive import OLDEST, refused, run
from warcio.archiveiterator import ArchiveIterator

from everlog.cli import main
from everlog.demo.site import truth


def exported(capsys, *words):
    return [json.loads(line) for line in run(capsys, "export", *words).splitlines()]


def test_a_hidden_post_is_exported_only_if_asked_for_and_status_says_so(kept, capsys):
    post = kept.rstrip("/") + OLDEST.path
    run(capsys, "hide", post)
    urls = {each["url"] for each in exported(capsys)}
    assert len(urls) == 39
    assert post not in urls
    assert len(exported(capsys, "--hidden")) == 40
    [row] = json.loads(run(capsys, "status", "--json"))
    assert (row["posts"], row["hidden_posts"], row["hidden"]) == (40, 1, False)
    assert "hidden, and not exported: 1 single post" in run(capsys, "status")
    assert json.loads(run(capsys, "status", kept, "--json"))["hidden"] == "1 post"
    run(capsys, "hide", "--undo", post)
    assert len(exported(capsys)) == 40
    assert "hidden" not in run(capsys, "status")


def test_a_hidden_blog_is_not_exported_and_goes_on_being_kept(kept, capsys):
    run(capsys, "hide", kept)
    assert exported(capsys) == []
    assert len(exported(capsys, "--hidden")) == 40
    assert f"hidden, and not exported: 1 of 1 blog\n  {kept}" in run(capsys, "status")
    assert "hide --undo" in run(capsys, "status", kept)
    run(capsys, "search", "evening")
    run(capsys, "hide", kept, "--undo")
    assert len(exported(capsys)) == 40


def test_hiding_says_what_it_did_and_that_it_was_done_before(kept, capsys):
    assert main_err(capsys, "hide", kept) == f"{kept} with its 40 posts is hidden\n"
    assert main_err(capsys, "hide", kept) == f"{kept} with its 40 posts was already hidden\n"
    assert main_err(capsys, "hide", kept, "--undo") == f"{kept} with its 40 posts is shown again\n"
    assert main_err(capsys, "hide", kept, "-q") == ""


def main_err(capsys, *words):
    capsys.readouterr()
    assert main(list(words)) == 0
    return capsys.readouterr().err


def test_what_is_neither_a_blog_nor_a_post_is_refused_and_nothing_is_hidden(kept, capsys):
    assert "is neither a blog nor a post" in refused(capsys, "hide", kept, kept + "no-such-page")
    assert len(exported(capsys)) == 40


def test_the_captures_of_a_hidden_post_are_in_no_package(kept, capsys):
    post = kept.rstrip("/") + OLDEST.path
    run(capsys, "export", "-o", "whole.wacz")
    run(capsys, "hide", post)
    run(capsys, "export", "-o", "public.wacz")
    assert in_package("whole.wacz", OLDEST.path) > 0
    assert in_package("public.wacz", OLDEST.path) == 0
    lines = run(capsys, "export", "--format", "cdxj").splitlines()
    assert lines
    assert not any(f'"url": "{post}"' in line for line in lines)


def in_package(file, path):
    """How many records of a package are of an address that ends so."""
    found = 0
    with zipfile.ZipFile(Path(file)) as package:
        for name in package.namelist():
            if name.endswith(".warc.gz"):
                with package.open(name) as warc:
                    for record in ArchiveIterator(warc):
                        url = record.rec_headers.get_header("WARC-Target-URI") or ""
                        found += record.rec_type == "response" and url.endswith(path)
    return found


def test_posts_are_exported_by_tag_author_language_and_date(kept, capsys):
    post = truth()[5]
    by_author = exported(capsys, "--author", post.author.upper())
    assert {tuple(each["authors"]) for each in by_author} == {(post.author,)}
    assert len(by_author) == sum(each.author == post.author for each in truth())
    tag = next(tag for each in truth() for tag in each.tags)
    assert len(exported(capsys, "--tag", tag)) == sum(tag in each.tags for each in truth())
    day = post.published.date().isoformat()
    on_day = exported(capsys, "--since", day, "--until", day)
    assert post.title in {each["title"] for each in on_day}
    assert all(each["published"].startswith(day) for each in on_day)
    assert exported(capsys, "--language", "xx") == []
    assert refused(capsys, "export", "--until", "never")
