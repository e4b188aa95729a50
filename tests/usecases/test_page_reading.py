"""What one look at a page tells."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import a_blog
import everlog
from everlog.core.scope import Scope
from everlog.extract.classify import PostClassifier
from everlog.records import Page, Post
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.template_history import TemplateHistory
from everlog.usecases.page.page_reading import read_page
from usecases.a_conversation import said, thread_html
from usecases.a_site import listing

if TYPE_CHECKING:
    from everlog.extract.template import Template
    from everlog.usecases.page.page_reading import PageReading

AT = datetime(2024, 6, 1, 12, 30, 1, 5, tzinfo=UTC)


def learned_by(template: Template) -> LearnedBlog:
    classifier = PostClassifier.learn(
        template, a_blog.pages(), home=a_blog.HOME, others={a_blog.HOME: listing([5, 4]).encode()},
    )
    return LearnedBlog(template=template, classifier=classifier, learned_at=AT)


@pytest.fixture
def templates(template: Template) -> TemplateHistory:
    return TemplateHistory(learned_by(template))


def a_page(body: bytes | str, url: str = a_blog.url(7), **more: Any) -> tuple[Page, dict[str, Any]]:
    data = body.encode() if isinstance(body, str) else body
    return Page(url=url, body=data, content_type="text/html", fetched_at=AT), more


def read(name: str, templates: TemplateHistory) -> PageReading:
    page, more = PAGES[name]
    return read_page(page, templates, Scope(a_blog.HOME), **more)


PAGES = {
    "a post": a_page(a_blog.page(7)),
    "a post with comments": a_page(a_blog.page(7, after=thread_html(said(7, 5)))),
    "a post of many tongues": a_page(a_blog.page(7, "<p>日本語のテキスト &amp; Ελληνικά \U0001f33b</p>" * 9)),
    "a post with a service": a_page(a_blog.page(7, after="<script src=//x.disqus.com/embed.js></script>")),
    "a post whose feed is known": a_page(a_blog.page(7), comments_feed="/7/comments.xml"),
    "an empty post": a_page(a_blog.page(7, "")),
    "a list": a_page(listing([9, 8, 7, 6]), a_blog.HOME + "page/2"),
    "another page": a_page("<html><body><p>All about us.</p></body></html>", a_blog.HOME + "about"),
    "not to be kept": a_page(a_blog.page(7, head="<meta name=robots content=noarchive>")),
    "not to be kept, by a header": a_page(a_blog.page(7), says_noarchive=True),
    "nothing": a_page(b""),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_is_read_again_tells_the_same(name, templates):
    assert read(name, templates) == read(name, templates)


def test_a_post_is_read_with_its_links_its_claim_and_its_comments(templates):
    reading = read("a post with comments", templates)
    assert reading.kind == "post"
    assert isinstance(reading.found, Post)
    assert reading.found.text == a_blog.text(7)
    assert len(reading.found.comments) == 5
    assert ("https://a.blog/about", "a.blog/about") in reading.links
    assert reading.claim == "a.blog/7"


def test_of_a_page_that_is_not_to_be_kept_only_the_links_are_told(templates):
    for name in ("not to be kept", "not to be kept, by a header"):
        reading = read(name, templates)
        assert not reading.may_be_kept
        assert reading.links
        assert reading.found is None
        assert reading.kind is None


def test_a_page_in_a_former_dress_is_read_by_what_was_known_then(template):
    former = learned_by(template)
    redressed = {
        url: page.replace(b"class=entry", b"class=words").replace(b"class=post", b"class=leaf")
        for url, page in a_blog.pages().items()
    }
    present = learned_by(everlog.learn(a_blog.feed(), redressed))
    history = TemplateHistory(present, ((AT + timedelta(days=30), former),))
    at = AT + timedelta(days=60)
    old = Page(url=a_blog.url(7), body=a_blog.page(7), fetched_at=at)
    new = replace(old, body=redressed[a_blog.url(3)])
    assert not read_page(old, history, Scope(a_blog.HOME)).is_present
    assert read_page(new, history, Scope(a_blog.HOME)).is_present
