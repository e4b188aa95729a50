"""What one look at a page tells."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import a_blog
import everlog
from everlog.core.links import Scope
from everlog.extract.classify import PostClassifier
from everlog.records import Page, Post
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.template_history import TemplateHistory
from everlog.usecases.page.page_reading import PageInput, ReadContext, look
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
def test_a_page_that_is_read_again_tells_the_same(name, read_context):
    assert look(PAGES[name], read_context) == look(PAGES[name], read_context)


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
