"""History sources: what all of them keep to, how they are walked, and the feed of all comments."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from everlog.history import SOURCES, BlogClues, HistoryAnswer, sitemap_history
from everlog.history.comment_history import comment_feed_of, read_comment_feed_page
from everlog.records import Exchange, Failure, Fetched, Page
from everlog.usecases.discover.walk_history import history_answer, walk_history

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

    async def fetch(self, url, *, purpose="page", etag=None, last_modified=None):  # noqa: ARG002
        self.asked.append((url, purpose))
        if url not in self.pages:
            return Failure(url=url, trouble="http", reason="404", status=404)
        answer = Exchange(url=url, status=200, body=self.pages[url], fetched_at=AT, purpose=purpose)
        return Fetched(url=url, exchanges=(answer,))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
@pytest.mark.parametrize("status", [0, 200, 304, 400, 401, 403, 404, 410, 429, 500])
def test_every_source_has_a_name_an_end_and_takes_nonsense_for_nothing(source, status):
    assert source.name
    assert source.grade in {"A", "B", "C"}
    walk = source.walk(HOME)
    asked = 0
    while (request := walk.next_request()) is not None:
        told = walk.take(HistoryAnswer(url=request.url, status=status, body=b"<!doctype html><p>Not found</p>"))
        assert (told.posts, told.comments) == ((), ())
        asked += 1
        assert asked <= source.most_requests
    assert not (walk.lists_all and walk.is_exhaustive)


def walked(home, pages):
    source = sitemap_history.SOURCE
    return asyncio.run(walk_history(source.walk(source.entrance(BlogClues(home=home)).url), pages))


def test_a_walk_is_driven_to_its_end_and_every_address_is_named_once():
    pages = Pages({
        "https://a.example/sitemap.xml": INDEX,
        "https://a.example/1.xml": map_of("/sea/", "/rain/"), "https://a.example/2.xml": map_of("/rain/", "/snow/"),
    })
    walk = walked(HOME, pages)
    assert walk.addresses == [f"https://a.example/{name}/" for name in ("sea", "rain", "snow")]
    assert len(walk.answers) == 3
    assert pages.asked[0] == ("https://a.example/sitemap.xml", "sitemap")


def test_an_answer_that_cannot_be_had_is_told_to_the_walk_and_not_kept():
    pages = Pages({"https://a.example/sitemap.xml": INDEX, "https://a.example/2.xml": map_of("/snow/")})
    walk = walked(HOME, pages)
    assert walk.addresses == ["https://a.example/snow/"]
    assert [answer.url for answer in walk.answers] == ["https://a.example/sitemap.xml", "https://a.example/2.xml"]


def test_the_body_of_an_error_is_told_to_the_walk():
    exchange = Exchange(url=HOME, status=400, body=b"{}", headers=(("X-Total", "3"),), fetched_at=AT)
    answer = history_answer(Failure(url=HOME, trouble="http", reason="400", status=400, exchanges=(exchange,)))
    assert (answer.status, answer.body, answer.header("x-total")) == (400, b"{}", "3")
    assert history_answer(Failure(url=HOME, trouble="timeout", reason="slow")).status == 0


def test_the_comment_feed_is_the_one_that_the_front_page_names():
    body = b'<link rel="alternate" type="application/rss+xml" title="Comments Feed" href="/comments/feed/">'
    clues = BlogClues(home=HOME, home_page=Page(url=HOME, body=body, fetched_at=AT))
    assert comment_feed_of(clues) == "https://a.example/comments/feed/"


def test_a_blog_that_names_no_comment_feed_is_not_asked_for_one():
    clues = BlogClues(home=HOME, home_page=Page(url=HOME, body=b"<p>Hello", fetched_at=AT), feed_url=HOME + "feed/")
    assert comment_feed_of(clues) is None


def test_a_comment_feed_tells_comments_and_whose_posts_they_are_on():
    told = read_comment_feed_page(COMMENTS, HOME + "comments/feed/")
    assert [(each.comment.author, each.comment.text) for each in told] == [("Ada", "So calm."), ("Bea", "So wet.")]
    assert "https://a.example/sea/" in told[0].posts
    assert read_comment_feed_page(b"<!doctype html><p>Not found</p>", HOME) is None
