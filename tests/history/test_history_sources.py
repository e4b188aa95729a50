"""History sources: which requests they plan, what they read, and how they are walked."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from everlog.history import SOURCES, BlogClues, comment_history, sitemap_history
from everlog.records import Exchange, Failure, Fetched, Page
from everlog.usecases.discover.walk_history import walk_history

HOME = "https://a.example/"
AT = datetime(2026, 5, 1, tzinfo=UTC)
INDEX = b"<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap><sitemap><loc>/2.xml</loc></sitemap>"
COMMENTS = b"""<rss><channel><title>Comments for A</title>
<item><title>By: Ada</title><link>https://a.example/sea/#comment-7</link><description>So calm.</description></item>
<item><title>By: Bea</title><link>https://a.example/rain/#comment-8</link><description>So wet.</description></item>
</channel></rss>"""


def map_of(*paths: str) -> bytes:
    urls = "".join(f"<url><loc>https://a.example{path}</loc><lastmod>2026-01-02</lastmod></url>" for path in paths)
    return f"<urlset>{urls}</urlset>".encode()


class Pages:
    """A web of a few pages in memory, which notes what it is asked."""

    def __init__(self, pages: dict[str, bytes]) -> None:
        self.pages = pages
        self.asked: list[tuple[str, str]] = []

    async def fetch(self, url, *, purpose="page"):
        self.asked.append((url, purpose))
        if url not in self.pages:
            return Failure(url=url, trouble="http", reason="404", status=404)
        answer = Exchange(url=url, status=200, body=self.pages[url], fetched_at=AT, purpose=purpose)
        return Fetched(url=url, exchanges=(answer,))


def walked(source, clues, pages):
    return asyncio.run(walk_history(source, clues, pages))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_every_source_has_a_name_an_end_and_takes_nonsense_for_nothing(source):
    assert source.name
    assert source.most_requests >= 1
    page = source.read(b"<!doctype html><p>Not found</p>", HOME)
    assert page is None or (page.posts, page.comments, page.more) == ((), (), ())


def test_sitemaps_are_those_that_robots_txt_names():
    clues = BlogClues(home=HOME, robots=b"Sitemap: https://a.example/map.xml\nSitemap: https://a.example/news.xml\n")
    requests = sitemap_history.SOURCE.first_requests(clues)
    assert [(request.url, request.purpose) for request in requests] == [
        ("https://a.example/map.xml", "sitemap"), ("https://a.example/news.xml", "sitemap"),
    ]


def test_a_sitemap_tells_addresses_and_when_they_changed():
    [post] = sitemap_history.SOURCE.read(map_of("/sea/"), HOME).posts
    assert (post.url, post.changed.date().isoformat()) == ("https://a.example/sea/", "2026-01-02")


def test_an_index_is_walked_and_every_address_is_named_once():
    pages = Pages({
        "https://a.example/sitemap.xml": INDEX,
        "https://a.example/1.xml": map_of("/sea/", "/rain/"), "https://a.example/2.xml": map_of("/rain/", "/snow/"),
    })
    walk = walked(sitemap_history.SOURCE, BlogClues(home=HOME), pages)
    assert walk.addresses == [f"https://a.example/{name}/" for name in ("sea", "rain", "snow")]
    assert len(walk.answers) == 3


def test_a_map_that_cannot_be_had_is_left_out():
    pages = Pages({"https://a.example/sitemap.xml": INDEX, "https://a.example/2.xml": map_of("/snow/")})
    assert walked(sitemap_history.SOURCE, BlogClues(home=HOME), pages).addresses == ["https://a.example/snow/"]


def test_maps_that_name_each_other_are_asked_once_and_endless_ones_end():
    loop = b"<sitemapindex><sitemap><loc>https://a.example/sitemap.xml</loc></sitemap></sitemapindex>"
    pages = Pages({"https://a.example/sitemap.xml": loop})
    walked(sitemap_history.SOURCE, BlogClues(home=HOME), pages)
    assert pages.asked == [("https://a.example/sitemap.xml", "sitemap")]

    named = "".join(f"<sitemap><loc>https://a.example/{number}.xml</loc></sitemap>" for number in range(100))
    endless = Pages({"https://a.example/sitemap.xml": f"<sitemapindex>{named}</sitemapindex>".encode()})
    walked(sitemap_history.SOURCE, BlogClues(home=HOME), endless)
    assert len(endless.asked) == sitemap_history.SOURCE.most_requests


def test_the_comment_feed_is_the_one_that_the_front_page_names():
    body = b'<link rel="alternate" type="application/rss+xml" title="Comments Feed" href="/comments/feed/">'
    clues = BlogClues(home=HOME, home_page=Page(url=HOME, body=body, fetched_at=AT))
    [request] = comment_history.SOURCE.first_requests(clues)
    assert (request.url, request.purpose) == ("https://a.example/comments/feed/", "feed")


def test_a_blog_that_names_no_comment_feed_is_not_asked_for_one():
    clues = BlogClues(home=HOME, home_page=Page(url=HOME, body=b"<p>Hello", fetched_at=AT), feed_url=HOME + "feed/")
    pages = Pages({})
    assert walked(comment_history.SOURCE, clues, pages).pages == ()
    assert pages.asked == []


def test_a_comment_feed_tells_comments_and_whose_posts_they_are_on():
    told = comment_history.SOURCE.read(COMMENTS, HOME + "comments/feed/")
    assert [(each.comment.author, each.comment.text) for each in told.comments] == [
        ("Ada", "So calm."), ("Bea", "So wet."),
    ]
    assert "https://a.example/sea/" in told.comments[0].posts
