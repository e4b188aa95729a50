"""Pages beside the posts, as the command line counts and writes them."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from everlog.archive import open_archive
from everlog.cli import main
from everlog.records import Comment, Post, Visit

HOME = "https://a.blog.example/"
AT = datetime(2024, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def archived(here):
    """Two posts and a page, as an interface told them."""
    posts = [
        Post(url=HOME + "one", title="One", text="On the first day the sea was calm.", comments=(Comment(text="Oh."),)),
        Post(url=HOME + "two", title="Two", text="On the second day it was not."),
        Post(url=HOME + "about", title="About", text="We are three.", kind="page", comments=(Comment(text="Hello."),)),
    ]
    with open_archive("everlog-archive", create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([
                Visit(blog_id=blog, url=post.url, key=post.url[8:], outcome="post", post=post, told_at=AT)
                for post in posts
            ])


def run(capsys, *words) -> tuple[str, str]:
    capsys.readouterr()
    assert main(list(words)) == 0, capsys.readouterr().err
    return capsys.readouterr()


def test_the_export_says_how_many_posts_and_pages_it_wrote(archived, capsys):
    _, err = run(capsys, "export", "-o", "all.jsonl")
    assert err.splitlines()[-1] == "2 posts and 1 page with 2 comments in all.jsonl"
    lines = Path("all.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["post", "post", "page"]


def test_a_table_and_a_note_say_what_is_a_page(archived, capsys):
    run(capsys, "export", "-o", "all.csv")
    table = io.StringIO(Path("all.csv").read_text(encoding="utf-8"))
    assert [row["kind"] for row in csv.DictReader(table)] == ["post", "post", "page"]
    run(capsys, "export", "--format", "markdown", "-o", "all.md")
    out, _ = run(capsys, "export", "--format", "markdown", "-o", "-")
    assert out.count('original_kind: "page"') == 1


def test_posts_are_counted_without_pages_everywhere(archived, capsys):
    out, _ = run(capsys, "status", HOME, "--json")
    said = json.loads(out)
    assert (said["posts"], said["comments"], said["pages"]) == (2, 2, 1)
    out, _ = run(capsys, "status", "--json")
    assert '"posts": 2' in out


def test_a_page_is_shown_and_found_like_a_post(archived, capsys):
    assert "We are three." in run(capsys, "show", HOME + "about")[0]
    out, _ = run(capsys, "search", "three", "--json")
    assert HOME + "about" in out
