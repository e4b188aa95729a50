from __future__ import annotations

from datetime import UTC, datetime

import pytest

import a_blog
from everlog import Post, Skip, learn

URL = a_blog.url(9)


def test_a_post_has_every_field_that_the_page_shows(template):
    post = template.read(a_blog.page(9), URL)
    assert isinstance(post, Post)
    assert (post.url, post.blog) == (URL, a_blog.HOME)
    assert post.title == "Post 9 of ours"
    assert post.authors == ("Ann Lee",)
    assert post.published is not None
    assert post.published.date().isoformat() == "2024-01-09"
    assert post.text == a_blog.text(9)
    assert post.html == a_blog.article(9)
    assert post.language == "en"


def test_every_field_says_where_it_came_from(template):
    post = template.read(a_blog.page(9), URL)
    assert {"title", "authors", "published", "text", "language"} <= set(post.provenance)
    assert post.provenance["text"].method == "feed-text"
    assert post.provenance["text"].rule
    for field in ("title", "authors", "published"):
        assert post.provenance[field].confidence == 1.0
    # Right on all pages of the feed is not right on all others.
    assert 0.95 < post.provenance["text"].confidence < 1.0


def test_fields_without_a_value_have_no_provenance(template):
    post = template.read(a_blog.page(9).replace(b"<h1", b"<p").replace(b"<title>", b"<x>"), URL)
    for field in post.provenance:
        assert getattr(post, field)


def test_provenance_cannot_be_changed(template):
    with pytest.raises(TypeError):
        template.read(a_blog.page(9), URL).provenance["text"] = None


def test_the_time_of_fetching_is_kept(template):
    fetched = datetime(2024, 5, 1, tzinfo=UTC)
    assert template.read(a_blog.page(9), URL, fetched=fetched).fetched == fetched


@pytest.mark.parametrize("body", [b"", b" \n"])
def test_an_empty_page_is_skipped(template, body):
    assert template.read(body, URL) == Skip(url=URL, reason="the page is empty")


def test_a_page_without_a_document_is_skipped(template):
    outcome = template.read(b"<!-- gone -->", URL)
    assert isinstance(outcome, Skip)
    assert outcome.reason.startswith("the page cannot be parsed")


def test_an_article_of_pictures_alone_is_a_post(template):
    post = template.read(a_blog.page(9, "<img src=/a.png alt='A tree'>"), URL)
    assert isinstance(post, Post)
    assert '<img src="https://a.blog/a.png" alt="A tree">' in post.html


def test_links_and_pictures_of_an_article_are_relative_to_what_its_page_says(template):
    bases = "<base target=_top><base href='/files/x'><base href='/other/'>"
    page = a_blog.page(9, "<img src=a.png alt='A tree'><a href='b'>b</a><a href='#note'>c</a>", head=bases)
    post = template.read(page, URL)
    assert isinstance(post, Post)
    assert '<img src="https://a.blog/files/a.png" alt="A tree">' in post.html
    assert '<a href="https://a.blog/files/b">' in post.html
    assert '<a href="#note">' in post.html


def test_noise_inside_the_article_is_in_neither_text_nor_html():
    noise = "<div class=share>Share this post with all your friends</div>"
    template = learn(a_blog.feed(), a_blog.pages(noise=noise))
    post = template.read(a_blog.page(9, noise=noise), URL)
    assert post.text == a_blog.text(9)
    assert "Share" not in post.html


def test_a_page_that_lost_the_articles_name_is_read_by_a_fall_back(template):
    post = template.read(a_blog.page(9).replace(b"class=entry", b"class=renewed"), URL)
    assert a_blog.text(9) in post.text
    assert post.provenance["text"].rule != template.read(a_blog.page(9), URL).provenance["text"].rule


def test_the_charset_of_the_server_is_used(template):
    body = a_blog.page(9, "<p>Привет, мир</p>").decode().encode("koi8-r")
    assert template.read(body, URL, "text/html; charset=koi8-r").text == "Привет, мир"
