"""What users type in place of a blog's home: no scheme, a post, a tag, a page about the author, a feed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.core.tree import parse
from everlog.errors import NoFeed, NothingToLearn, Unreachable, UsageError
from everlog.records import Entry, Failure, Feed, Fetched
from everlog.settings import make_settings
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.discover.find_home import home_of
from everlog.usecases.discover.held_blog import blog_named
from everlog.usecases.discover.typed_address import other_spellings, spellings
from usecases.a_site import POSTS, a_site, work
from usecases.a_web import MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.records import Purpose, Trouble
    from everlog.usecases.crawl.report import Report

BARE = a_blog.HOME.removeprefix("https://")


@dataclass
class OneScheme(MemoryWeb):
    """A web that has a trouble in https."""

    trouble: Trouble = "connection"

    async def fetch(
        self, url: str, *, purpose: Purpose = "page", etag: str | None = None, last_modified: str | None = None,
    ) -> Fetched | Failure:
        if url.startswith("https:"):
            self.asked.append(url)
            return Failure(url=url, trouble=self.trouble, reason=f"no {self.trouble} for {url}")
        return await super().fetch(url, purpose=purpose, etag=etag, last_modified=last_modified)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


def crawl(typed: str, fetcher: MemoryWeb, archive: Archive, **settings: object) -> Report:
    return asyncio.run(archive_blog(typed, work(fetcher, archive, **settings)))


def in_http(trouble: Trouble) -> OneScheme:
    """The site, which calls itself by http, on a web without https."""
    whole = a_site()
    fetcher = OneScheme(trouble=trouble)
    for key, answer in whole.answers.items():
        answer.body = answer.body.replace(b"https://a.blog/", b"http://a.blog/")
        fetcher.answers[key] = answer
    return fetcher


def test_an_address_without_a_scheme_is_asked_for_in_https(archive):
    fetcher = a_site()
    report = crawl(BARE, fetcher, archive)
    assert (report.blog, report.held) == (a_blog.HOME, POSTS)
    assert fetcher.asked[0] == a_blog.HOME


@pytest.mark.parametrize("trouble", ["connection", "dns", "timeout", "proxy"])
def test_where_nobody_answers_in_https_it_is_asked_for_in_http(archive, trouble):
    fetcher = in_http(trouble)
    report = crawl("a.blog", fetcher, archive)
    assert (report.blog, report.held, report.tally.remarks) == ("http://a.blog/", POSTS, [])
    assert fetcher.asked[:2] == ["https://a.blog/", "http://a.blog/"]


def test_after_a_certificate_error_the_summary_says_that_http_was_used(archive):
    report = crawl("a.blog", in_http("tls"), archive)
    assert report.held == POSTS
    assert report.tally.remarks == [
        "no tls for https://a.blog/: http://a.blog/ was crawled in its place, without encryption",
    ]


def test_what_is_typed_with_https_is_never_asked_for_in_http(archive):
    fetcher = in_http("connection")
    with pytest.raises(Unreachable):
        crawl("https://a.blog/", fetcher, archive)
    assert not any(url.startswith("http:") for url in fetcher.asked)


def test_a_password_does_not_go_out_in_the_clear_because_https_fails(archive):
    fetcher = in_http("connection")
    with pytest.raises(Unreachable):
        crawl("a.blog", fetcher, archive, header=("Authorization: Basic x",))
    assert not any(url.startswith("http:") for url in fetcher.asked)
    assert other_spellings("a.blog", make_settings({"header": ("A: b",)})) == ()


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("localhost:8000", "http://localhost:8000/"), ("127.0.0.1:8000/blog", "http://127.0.0.1:8000/blog"),
        ("[::1]:8000", "http://[::1]:8000/"), ("a.blog.example/path", "https://a.blog.example/path"),
        ("a.blog.example:443", "https://a.blog.example:443/"), ("www.a.blog.example", "https://www.a.blog.example/"),
    ],
)
def test_without_a_scheme_ports_and_numbers_are_tried_in_http_first(typed, first):
    found = spellings(typed)
    assert (found[0], len(found)) == (first, 2)


@pytest.mark.parametrize(
    ("path", "what"),
    [("20", "a post"), ("3", "a post"), ("about", "a page"), ("page/2", "a list of posts"), ("feed.xml", "the feed")],
)
def test_any_page_of_a_blog_leads_to_all_of_it(archive, path, what):
    # The feed is named by the front page alone; it is found from the others at its usual address.
    typed = a_blog.HOME + path
    report = crawl(typed, a_site(), archive)
    assert (report.blog, report.held) == (a_blog.HOME, POSTS)
    assert f"{typed} is {what} of {a_blog.HOME}: archiving that blog" in report.tally.remarks
    assert [blog.home for blog in archive.blogs()] == [a_blog.HOME]


@pytest.mark.parametrize("typed", [a_blog.url(2), "a.blog/2", a_blog.HOME + "about"])
def test_a_page_of_a_blog_that_is_held_updates_it(crawled, typed):
    fetcher, archive = crawled
    report = crawl(typed, fetcher, archive)
    assert (report.blog, report.held, report.tally.new_posts) == (a_blog.HOME, POSTS, 0)
    assert len(archive.blogs()) == 1


def test_who_asks_for_the_path_alone_is_not_led_away(archive):
    with pytest.raises(NothingToLearn, match="--scope host"):
        crawl(a_blog.HOME + "about", a_site(), archive, scope="path")


@pytest.mark.parametrize(
    "typed", ["a.blog", "www.a.blog/", "http://a.blog", "a.blog/3", "https://a.blog/not/known/yet", "A.BLOG/about"],
)
def test_a_held_blog_is_found_by_any_of_its_addresses(crawled, typed):
    _, archive = crawled
    assert blog_named(typed, archive).home == a_blog.HOME


def test_of_blogs_inside_each_other_the_innermost_is_meant(archive):
    archive.blogs.add("https://a.blog/", scope="path")
    inner = archive.blogs.add("https://a.blog/notes/", scope="path")
    assert blog_named("a.blog/notes/unknown", archive) == inner
    with pytest.raises(UsageError, match="not in this archive"):
        blog_named("b.blog/notes/", archive)


def test_who_names_a_held_blog_by_no_address_is_told_of_those_that_are_held(crawled):
    _, archive = crawled
    with pytest.raises(UsageError, match="'notes' is not a valid blog address") as raised:
        blog_named("notes", archive)
    assert raised.value.advice == f"blogs in this archive:\n    {a_blog.HOME}"


def feed(home: str | None, *links: str) -> Feed:
    return Feed(url=None, home=home, entries=tuple(Entry(link=link) for link in links))


ANN = [f"https://host.example/~ann/blog/{name}/" for name in ("ice", "oak", "owl")]
PLATFORM = ["https://p.example/bob/ice", "https://p.example/carl/oak", "https://p.example/dora/owl"]
DATED = [f"https://a.example/2024/05/{name}/" for name in ("ice", "oak", "owl")]
LISTED = "".join(f"<h2><a href='{link}'>x</a></h2>" for link in DATED)


@pytest.mark.parametrize(
    ("typed", "told", "home"),
    [
        # A blog behind a path stays within it, whatever its feed calls home.
        (ANN[1], ("https://host.example/", ANN, "https://host.example/~ann/blog/feed.xml"), "~ann/blog/"),
        (ANN[1], (None, ANN, "https://host.example/~ann/blog/feed/"), "~ann/blog/"),
        (ANN[1], ("https://host.example/~ann/blog/", ANN, "https://feeds.example/ann"), "~ann/blog/"),
        # A person's pages are not widened to the host, even by a feed that is all the host's.
        ("https://p.example/@ann/oak", ("https://p.example/", PLATFORM, "https://p.example/feed"), None),
        # On a platform the feed's own home decides.
        ("https://p.example/ann/oak", (
            "https://p.example/ann", ["https://p.example/ann/oak", "https://p.example/ann/ice"],
            "https://p.example/feed/ann",
        ), "ann"),
        # Older posts and lists lie outside the feed.
        ("https://a.example/2011/01/first/", ("https://a.example/", DATED, "https://a.example/feed/"), ""),
        ("https://a.example/tag/birds/", ("https://a.example/", DATED, "https://a.example/feed/"), ""),
        ("https://a.example/2024/", ("https://a.example/", DATED, "https://a.example/feed/"), ""),
        ("https://a.example/2024/05/", ("https://a.example/", DATED, "https://a.example/feed/"), ""),
        ("https://a.example/about.html", ("https://a.example/", DATED, "https://a.example/feed/"), ""),
        # Files, and pages beside what the feed calls its home.
        ("https://a.example/oak.html", (
            "https://a.example/", ["https://a.example/ice.html", "https://a.example/owl.html"],
            "https://a.example/feed.xml",
        ), ""),
        ("https://a.example/about/", (
            "https://a.example/post/", ["https://a.example/post/ice/"], "https://a.example/post/index.xml",
        ), "post/"),
        ("https://a.example/b/2019/oak/", (
            "https://a.example/b/posts/", ["https://a.example/b/2019/oak/", "https://a.example/b/2018/ice/"],
            "https://a.example/b/posts/index.xml",
        ), "b/"),
        # A home that was typed stays: the root, a folder of posts, one that shows them, one with its own feed.
        ("https://a.example/", ("https://b.example/", DATED, "https://a.example/feed/"), None),
        (ANN[0][:-4], ("https://host.example/", ANN, "https://host.example/feed/"), None),
        ("https://a.example/blog/", ("https://a.example/", DATED, "https://a.example/feed/"), None),
        ("https://a.example/notes/", ("https://a.example/", DATED, "https://a.example/notes/feed/"), None),
    ],
)
def test_the_home_is_what_feed_and_entries_agree_on_and_never_wider(typed, told, home):
    stated, links, feed_url = told
    page = parse(f"<body><a href='/x'>x</a>{LISTED if '/blog/' in typed else ''}</body>".encode())
    found = home_of(typed, page, feed(stated, *links), feed_url)
    expected = None if home is None else "/".join([*typed.split("/")[:3], home])
    assert (found.url if found is not None else None) == expected


def test_a_page_on_a_host_of_many_blogs_says_what_to_type(archive):
    fetcher = MemoryWeb()
    fetcher.put("https://p.example/ann/oak", "<link rel=alternate type=application/rss+xml href=/feed><a href=/x>x</a>")
    items = "".join(f"<item><title>t</title><link>{link}</link></item>" for link in PLATFORM)
    rss = f"<rss version='2.0'><channel><link>https://p.example/</link>{items}</channel></rss>"
    fetcher.put("https://p.example/feed", rss, type="application/rss+xml")
    with pytest.raises(UsageError) as raised:
        crawl("https://p.example/ann/oak", fetcher, archive)
    assert "everlog crawl https://p.example/\n" in str(raised.value)
    assert "everlog crawl https://p.example/ann/\n" in str(raised.value)
    assert archive.blogs() == ()


def test_the_list_of_a_tag_that_has_a_feed_of_its_own_leads_to_the_blog(archive):
    fetcher = a_site()
    tagged = fetcher.answers["a.blog/feed.xml"].body.replace(b"<link>https://a.blog/</link>", b"<link>https://a.blog/tag/b/</link>")
    fetcher.put("https://a.blog/tag/b/index.xml", tagged, type="application/rss+xml")
    head = "<head><link rel=alternate type=application/rss+xml href=/tag/b/index.xml></head>"
    fetcher.put("https://a.blog/tag/b/", f"<html>{head}<body><h2><a href=/20>Post 20</a></h2></body></html>")
    report = crawl("https://a.blog/tag/b/", fetcher, archive)
    assert (report.blog, report.held) == (a_blog.HOME, POSTS)


@pytest.mark.parametrize("settings", [{}, {"no_feed": True}])
def test_a_page_of_a_blog_without_a_feed_leads_to_the_home_it_names(archive, settings):
    fetcher = a_site()
    del fetcher.answers["a.blog/feed.xml"]
    for number in range(1, POSTS + 1):
        fetcher.put(a_blog.url(number), a_blog.page(number, after="<a rel=home href=/>A Blog</a>"))
    report = crawl(a_blog.url(3), fetcher, archive, **settings)
    assert (report.blog, report.held) == (a_blog.HOME, POSTS)
    assert f"{a_blog.url(3)} is a page of {a_blog.HOME}: archiving that blog" in report.tally.remarks


def test_where_nothing_tells_of_a_blog_the_error_says_what_to_type(archive):
    fetcher = MemoryWeb()
    fetcher.put("https://a.blog/about", "<html><body><p>All about us.</p></body></html>")
    with pytest.raises(NoFeed, match=r"everlog crawl https://a\.blog/\n"):
        crawl("https://a.blog/about", fetcher, archive)
