"""What one look at a page tells, and that nothing of it is lost on the way through JSON."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import a_blog
import everlog
from everlog.comments.comment_markup import Thread
from everlog.comments.services import SERVICES
from everlog.core.links import Scope
from everlog.extract.classify import PostClassifier
from everlog.extract.classify.post_paging import Paging
from everlog.records import Comment, Media, Page, Post, Provenance, Skip
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.template_history import TemplateHistory
from everlog.usecases.page.page_reading import _POST, Evidence, PageInput, PageReading, ReadContext, look
from usecases.a_conversation import said, thread_html
from usecases.a_site import listing

if TYPE_CHECKING:
    from everlog.extract.template import Template

AT = datetime(2024, 6, 1, 12, 30, 1, 5, tzinfo=UTC)


def known_by(template: Template) -> LearnedBlog:
    classifier = PostClassifier.learn(
        template, a_blog.pages(), home=a_blog.HOME, others={a_blog.HOME: listing([5, 4]).encode()},
    )
    return LearnedBlog(template=template, classifier=classifier, learned_at=AT)


@pytest.fixture
def read_context(template: Template) -> ReadContext:
    return ReadContext(scope=Scope(a_blog.HOME), present=known_by(template), template_history=TemplateHistory())


def sheet(body: bytes | str, url: str = a_blog.url(7), **more: Any) -> PageInput:
    data = body.encode() if isinstance(body, str) else body
    return PageInput(page=Page(url=url, body=data, content_type="text/html", fetched_at=AT), **more)


def there_and_back(reading: PageReading) -> PageReading:
    return PageReading.from_json(reading.to_json())


PAGES = {
    "a post": sheet(a_blog.page(7)),
    "a post with comments": sheet(a_blog.page(7, after=thread_html(said(7, 5)))),
    "a post of many tongues": sheet(a_blog.page(7, "<p>日本語のテキスト &amp; Ελληνικά \U0001f33b</p>" * 9)),
    "a post with a service": sheet(a_blog.page(7, after="<script src=//x.disqus.com/embed.js></script>")),
    "a post whose feed is known": sheet(a_blog.page(7), comments_feed="/7/comments.xml"),
    "an empty post": sheet(a_blog.page(7, "")),
    "a list": sheet(listing([9, 8, 7, 6]), a_blog.HOME + "page/2"),
    "another page": sheet("<html><body><p>All about us.</p></body></html>", a_blog.HOME + "about"),
    "not to be kept": sheet(a_blog.page(7, head="<meta name=robots content=noarchive>")),
    "not to be kept, by a header": sheet(a_blog.page(7), may_be_kept=False),
    "nothing": sheet(b""),
}


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_tells_is_the_same_after_a_journey(name, read_context):
    reading = look(PAGES[name], read_context)
    back = there_and_back(reading)
    assert back == reading
    if isinstance(reading.found, Post) and isinstance(back.found, Post):
        # Equal moments may be written with different offsets, and these are kept too.
        assert str(back.found.published) == str(reading.found.published)
        assert {name: type(getattr(back.found, name)) for name in FIELDS} == {
            name: type(getattr(reading.found, name)) for name in FIELDS
        }


FIELDS = [field.name for field in fields(Post)]


def test_a_post_is_read_with_its_links_its_claim_and_its_comments(read_context):
    reading = look(PAGES["a post with comments"], read_context)
    assert reading.kind == "post"
    assert isinstance(reading.found, Post)
    assert reading.found.text == a_blog.text(7)
    assert len(reading.found.comments) == 5
    assert ("https://a.blog/about", "a.blog/about") in reading.links
    assert reading.claim == "a.blog/7"


def test_of_a_page_that_is_not_to_be_kept_only_the_links_are_told(read_context):
    for name in ("not to be kept", "not to be kept, by a header"):
        reading = look(PAGES[name], read_context)
        assert not reading.may_be_kept
        assert reading.links
        assert reading.found is None
        assert reading.kind is None


def test_a_page_in_a_former_dress_is_read_by_what_was_known_then(template):
    former = known_by(template)
    redressed = {
        url: page.replace(b"class=entry", b"class=words").replace(b"class=post", b"class=leaf")
        for url, page in a_blog.pages().items()
    }
    present = known_by(everlog.learn(a_blog.feed(), redressed))
    read_context = ReadContext(
        scope=Scope(a_blog.HOME), present=present,
        template_history=TemplateHistory(((AT + timedelta(days=30), former),)),
    )
    at = AT + timedelta(days=60)
    old = Page(url=a_blog.url(7), body=a_blog.page(7), fetched_at=at)
    new = replace(old, body=redressed[a_blog.url(3)])
    assert not look(PageInput(page=old), read_context).is_present
    assert look(PageInput(page=new), read_context).is_present


TEXT = st.text(max_size=20)
ODD_ZONES = (timezone(timedelta(hours=-9, minutes=-30)), timezone(timedelta(hours=5, seconds=1)))
ZONES = st.sampled_from([None, UTC, *ODD_ZONES])
MOMENTS = st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2100, 1, 1), timezones=ZONES)  # noqa: DTZ001
COMMENTS = st.builds(Comment, id=st.none() | TEXT, author=st.none() | TEXT, published=st.none() | MOMENTS, text=TEXT)
POSTS = st.builds(
    Post, url=TEXT, title=st.none() | TEXT, authors=st.lists(TEXT, max_size=2).map(tuple),
    published=st.none() | MOMENTS, updated=st.none() | MOMENTS, tags=st.lists(TEXT, max_size=2).map(tuple), text=TEXT,
    comments=st.lists(COMMENTS, max_size=3).map(tuple), comment_count_claimed=st.none() | st.integers(0, 9),
    media=st.lists(st.builds(Media, url=TEXT, bytes=st.none() | st.integers(0, 9)), max_size=2).map(tuple),
    provenance=st.dictionaries(
        TEXT, st.builds(Provenance, method=TEXT, rule=st.none() | TEXT, confidence=st.none() | st.floats(0, 1)),
        max_size=3,
    ),
    fetched=st.none() | MOMENTS, warc=st.none() | st.tuples(TEXT, st.integers(0, 9)),
)
THREADS = st.builds(
    Thread, source=TEXT, comments=st.lists(COMMENTS, max_size=2).map(tuple), claimed=st.none() | st.integers(0, 9),
)
EVIDENCE = st.builds(
    Evidence, services=st.lists(st.sampled_from(SERVICES), max_size=2).map(tuple), feed=st.none() | TEXT,
    threads=st.lists(THREADS, max_size=2).map(tuple),
)
NUMBERED = st.lists(st.tuples(st.integers(1, 99), TEXT), max_size=2).map(tuple)
GLIMPSES = st.builds(
    PageReading, links=st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple), kind=st.just("post"),
    note=st.none() | TEXT, by_url=st.booleans(), is_present=st.booleans(), claim=st.none() | TEXT, evidence=EVIDENCE,
    found=POSTS | st.builds(Skip, url=TEXT, reason=TEXT), part_of=st.none() | TEXT,
    paging=st.builds(Paging, text=NUMBERED, comments=NUMBERED, shown=st.none() | st.integers(1, 9), told_by=TEXT),
)


@given(GLIMPSES)
def test_any_glimpse_survives_its_journey(reading):
    assert there_and_back(reading) == reading


def test_every_field_of_a_post_that_is_no_text_has_a_way_back():
    """A new field of another kind fails here: it is one line in the table of `reading`."""
    texts = {"url", "blog", "title", "language", "text", "html", "summary", "comments_state", "gone"}
    assert {field.name for field in fields(Post)} == texts | set(_POST)


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": "poem"}, {"kind": "post"}, {"links": [["one"]]}, {"by_url": "yes"}, {"note": 7},
        {"evidence": {"services": ["nobody"], "feed": None, "threads": []}}, {"found": {"post": {"url": 7}}},
        {"found": {"post": {"url": "x", "published": "yesterday"}}}, {"found": {"post": {"url": "x", "unknown": "x"}}},
        {"found": 7}, {"evidence": None}, {"paging": 7}, {"paging": [[], []]}, {"part_of": 7},
    ],
    ids=str,
)
def test_what_is_no_glimpse_is_told_so(changed):
    text = json.dumps(json.loads(PageReading(kind="page").to_json()) | changed)
    with pytest.raises(ValueError, match=r".+"):
        PageReading.from_json(text)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "[" * 100_000])
def test_what_is_no_json_object_is_no_glimpse_either(text):
    with pytest.raises(ValueError, match=r".+"):
        PageReading.from_json(text)
