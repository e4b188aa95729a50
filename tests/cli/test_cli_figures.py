"""One word, one number: every figure is the same wherever the program says it (docs/internals/figures.md)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import a_blog
from cli.program import Done, everlog
from cli.sites import POSTS, put_post, serve_small
from everlog.cli import main
from everlog.cli.terminal.crawl_summary import print_summary
from everlog.records.figures import Figures
from everlog.usecases.crawl.report import Report, Tally
from fetch.servers import Server, reply
from usecases.a_conversation import said, thread_html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The site counts five comments below this post and shows three.
TALKED_ABOUT, SHOWN, CLAIMED = 3, 3, 5
COMMENTS = {1: 2, TALKED_ABOUT: SHOWN, 5: 4}
DEAD_PICTURES = (4, 5, 6)
# Addresses of posts that the sitemap names and nobody has.
NEVER_WRITTEN = 2
# What each figure of the made blog is.
TRUTH = {
    "posts": POSTS, "comments": sum(COMMENTS.values()), "media": 1, "media_failed": len(DEAD_PICTURES),
    "missing_posts": NEVER_WRITTEN, "missing_pages": 2, "failed": 4, "waiting": 0, "aliases": 1, "comments_failed": 0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The made blog after a crawl whose summary was printed, and after one that printed JSON."""

    server: Server
    url: str
    folder: Path
    summary: Done
    report: dict[str, Any]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """A blog with what makes figures differ: aliases, comments counted otherwise, dead pictures and pages, a map."""
    folder = tmp_path_factory.mktemp("figures")
    with Server() as server:
        url = serve_odd(server)
        asked = ("crawl", url, "--delay", "0")
        summary = everlog(*asked, "--archive", "kept", folder=folder)
        [report] = everlog(*asked, "--json", "--archive", "other", folder=folder).json
        yield Kept(server=server, url=url, folder=folder / "kept", summary=summary, report=report)


def serve_odd(server: Server) -> str:
    url = serve_small(server)
    front = server.routes["/"]
    assert isinstance(front, bytes)
    more = b"<a href=/copy/of/the-second>Again</a> <a href=/9>A post that is gone</a> <a href=/old/list>Old</a></body>"
    body = front.partition(b"\r\n\r\n")[2].replace(b"</body>", more)
    server.routes["/"] = reply(200, body)
    for number in DEAD_PICTURES:
        put_post(server, number, inside=a_blog.article(number) + f"<img src=/pictures/{number}.png>")
    put_post(server, 7, inside=a_blog.article(7) + "<img src=/pictures/7.png>")
    server.routes["/pictures/7.png"] = reply(200, b"\x89PNG picture", Content_Type="image/png")
    for number, count in COMMENTS.items():
        stated = CLAIMED if number == TALKED_ABOUT else None
        inside = a_blog.article(number)
        inside += "<img src=/pictures/5.png>" if number in DEAD_PICTURES else ""
        page = a_blog.page(number, inside, after=thread_html(said(number, count), stated=stated))
        server.routes[f"/{number}"] = reply(200, page)
    server.routes["/copy/of/the-second"] = server.routes["/2"]
    listed = "".join(f"<url><loc>{url}{number}</loc></url>" for number in range(1, POSTS + NEVER_WRITTEN + 1))
    server.routes["/sitemap.xml"] = reply(200, f"<urlset>{listed}</urlset>", Content_Type="application/xml")
    return url


@pytest.fixture
def asked(kept: Kept, here: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """What a command of the archive prints: stdout, or both."""
    def ask(*words: str) -> tuple[str, str]:
        capsys.readouterr()
        assert main([*words, "--archive", str(kept.folder)]) == 0, capsys.readouterr().err
        printed = capsys.readouterr()
        return printed.out, printed.err

    return ask


def of(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: figures[name] for name in TRUTH}


def test_a_crawl_says_what_is_held_and_what_is_missing(kept):
    assert of(kept.report) == TRUTH
    assert (kept.report["held"], kept.report["new_posts"], kept.report["comments_missing"]) == (POSTS, POSTS, 2)


def test_the_list_and_the_blog_have_the_figures_of_the_crawl(kept, asked):
    [row] = json.loads(asked("status", "--json")[0])
    detail = json.loads(asked("status", kept.url, "--json")[0])
    assert of(row) == of(detail) == of(kept.report)
    for name in ("pages", "expected", "comments_missing"):
        assert detail[name] == kept.report[name]


def test_the_list_for_people_has_them_too(asked):
    head, row, *_ = asked("status")[0].splitlines()
    assert head.split()[:6] == ["blog", "posts", "complete", "comments", "media", "missing"]
    assert re.split(r" {2,}", row)[1:6] == [f"{POSTS}", "no", "9", "1 of 4", "2"]
    # Posts alone, as the verdict beside it counts them: two other pages are missing too.


def test_the_summary_has_them_in_words(kept):
    lines = [line.strip() for line in kept.summary.err.splitlines()]
    assert f"posts       {POSTS} held, of about {POSTS + NEVER_WRITTEN} expected ({POSTS} new, 0 changed)" in lines
    assert "comments    9" in lines
    assert "media       1 of 4 pictures and files" in lines
    assert "missing     2 posts, 2 other pages" in lines
    # The icon of the host, which no page names, is not there, and nobody misses it.
    assert "design      none" in lines
    pages, files = kept.report["requests"], kept.report["file_requests"]
    assert any(re.fullmatch(rf"this run    {pages} requests for pages and feeds, {files} for files in [\d.]+ s", line)
               for line in lines)
    # The pictures that are not there, the one that is, and the icon of the host.
    assert files == len(DEAD_PICTURES) + 2
    assert "the site counts 2 comments more than were found" in lines
    assert lines[-2:] == [
        f"what is missing:  everlog status {kept.url} --archive kept",
        f"to go after it:   everlog repair {kept.url} --archive kept",
    ]


def test_the_blog_for_people_has_them_in_the_same_words(kept, asked):
    text = asked("status", kept.url)[0]
    said = dict(re.findall(r"^(\w+) {2,}(\S.*)$", text, re.MULTILINE))
    assert said["posts"].startswith(f"{POSTS} held, of about {POSTS + NEVER_WRITTEN} expected")
    assert (said["comments"], said["media"]) == ("9", "1 of 4 pictures and files")
    assert "the site counts 2 comments more than were found" in text


def test_an_export_writes_as_many_posts_and_comments(asked):
    out, err = asked("export")
    posts = [json.loads(line) for line in out.splitlines()]
    assert (len(posts), sum(len(post["comments"]) for post in posts)) == (POSTS, 9)
    assert err.strip() == f"{POSTS} posts with 9 comments"


def test_missing_posts_pictures_and_other_pages_are_listed_apart_each_address_once(kept, asked):
    detail = json.loads(asked("status", kept.url, "--json")[0])
    found = {what: sorted(each["url"] for each in detail["missing"] if each["what"] == what)
             for what in ("post", "media", "page")}
    assert found == {
        "post": [f"{kept.url}10", f"{kept.url}9"],
        "media": [f"{kept.url}pictures/{number}.png" for number in DEAD_PICTURES],
        "page": [f"{kept.url}about", f"{kept.url}old/list"],
    }
    text = asked("status", kept.url)[0]
    starts = [text.index(f"missing {label}") for label in ("posts: 2", "pictures and files: 3", "other pages: 2")]
    assert starts == sorted(starts)
    assert all(text.count(each["url"] + " ") == 1 for each in detail["missing"])


def test_inspect_expects_as_many_posts_as_the_crawl(kept):
    done = everlog("inspect", kept.url, "--delay", "0", "--json", folder=kept.folder.parent)
    assert done.json["estimated_posts"] == kept.report["expected"] == POSTS + NEVER_WRITTEN


def test_an_update_says_what_it_did_and_the_figures_stay(kept):
    kept.server.seen.clear()
    [report] = everlog(
        "update", "--delay", "0", "--json", "--no-media", "--archive", "other", folder=kept.folder.parent,
    ).json
    assert of(report) == TRUTH
    assert (report["new_posts"], report["comments_missing"], report["expected"]) == (0, 2, POSTS + NEVER_WRITTEN)
    assert report["reason"] == "up to date: the feed has not changed; 2 posts are missing"
    assert [seen.path for seen in kept.server.seen if not seen.path.endswith("robots.txt")] == ["/feed.xml"]


def test_a_summary_of_several_blogs_is_a_table_that_fits_a_screen(capsys):
    tallies = [
        Tally(
            blog=f"http://{name}.blog.example/",
            now=Figures(posts=262, comments=6897, media_missing=1131, missing_posts=183),
        )
        for name in ("a", "b")
    ]
    print_summary([Report(blog=each.blog, ending="complete", reason="done", tally=each) for each in tallies])
    head, row, *_ = capsys.readouterr().err.splitlines()
    assert head.split() == ["posts", "complete", "new", "changed", "comments", "media", "missing", "blog"]
    figures = ["262", "-", "0", "0", "6,897", "0 of 1,131", "183", "http://a.blog.example/"]
    assert re.split(r" {2,}", row.strip()) == figures
    assert len(row.partition("http://")[0]) < 65
