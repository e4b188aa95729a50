"""What one look at a page tells."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import a_blog
import everlog
from everlog.flow.eras import Eras
from everlog.flow.glimpse import Lens, Sheet, look
from everlog.flow.known import Known
from everlog.links import Scope
from everlog.posts import PostJudge
from everlog.records import Page, Post
from flow.a_conversation import said, thread_html
from flow.a_site import listing

if TYPE_CHECKING:
    from everlog.template import Template

AT = datetime(2024, 6, 1, 12, 30, 1, 5, tzinfo=UTC)


def known_by(template: Template) -> Known:
    judge = PostJudge.learn(template, a_blog.pages(), home=a_blog.HOME, others={a_blog.HOME: listing([5, 4]).encode()})
    return Known(template=template, judge=judge, learned_at=AT)


@pytest.fixture
def lens(template: Template) -> Lens:
    return Lens(scope=Scope(a_blog.HOME), present=known_by(template), eras=Eras())


def sheet(body: bytes | str, url: str = a_blog.url(7), **more: Any) -> Sheet:
    data = body.encode() if isinstance(body, str) else body
    return Sheet(page=Page(url=url, body=data, content_type="text/html", fetched_at=AT), **more)


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
def test_a_page_that_is_read_again_tells_the_same(name, lens):
    assert look(PAGES[name], lens) == look(PAGES[name], lens)


def test_a_post_is_read_with_its_links_its_claim_and_its_comments(lens):
    glimpse = look(PAGES["a post with comments"], lens)
    assert glimpse.kind == "post"
    assert isinstance(glimpse.found, Post)
    assert glimpse.found.text == a_blog.text(7)
    assert len(glimpse.found.comments) == 5
    assert ("https://a.blog/about", "a.blog/about") in glimpse.links
    assert glimpse.claim == "a.blog/7"


def test_of_a_page_that_is_not_to_be_kept_only_the_links_are_told(lens):
    for name in ("not to be kept", "not to be kept, by a header"):
        glimpse = look(PAGES[name], lens)
        assert not glimpse.may_be_kept
        assert glimpse.links
        assert glimpse.found is None
        assert glimpse.kind is None


def test_a_page_in_a_former_dress_is_read_by_what_was_known_then(template):
    former = known_by(template)
    redressed = {
        url: page.replace(b"class=entry", b"class=words").replace(b"class=post", b"class=leaf")
        for url, page in a_blog.pages().items()
    }
    present = known_by(everlog.learn(a_blog.feed(), redressed))
    lens = Lens(
        scope=Scope(a_blog.HOME), present=present, eras=Eras(((AT + timedelta(days=30), former),)),
    )
    at = AT + timedelta(days=60)
    old = Page(url=a_blog.url(7), body=a_blog.page(7), fetched_at=at)
    new = replace(old, body=redressed[a_blog.url(3)])
    assert not look(Sheet(page=old), lens).is_present
    assert look(Sheet(page=new), lens).is_present
