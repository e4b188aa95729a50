"""A page of which nothing is known."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import a_blog
from everlog import Post, Skip, read_page

SEA = "The sea was calm, and nobody spoke. We rowed on, past the rocks, until it was dark. "


def test_a_page_is_read_without_a_feed_and_without_a_blog() -> None:
    post = read_page(a_blog.page(3), a_blog.url(3))
    assert isinstance(post, Post)
    assert post.title == "Post 3 of ours"
    assert post.text == a_blog.text(3)
    assert post.published is not None
    assert post.published.date().isoformat() == "2024-01-03"
    assert post.language == "en"
    assert 0 < post.provenance["text"].confidence < 1


@pytest.mark.parametrize(("body", "reason"), [
    (b"", "the page is empty"),
    (b"  \n ", "the page is empty"),
    (b"<img src=a.png>", "the page shows no text"),
    (b"<script>var words = 'only code';</script>", "the page shows no text"),
    (b"<ul><li><a href=/a>One</a><li><a href=/b>Two</a></ul>", "the page consists of links only"),
])
def test_a_page_without_an_article_says_why(body: bytes, reason: str) -> None:
    assert read_page(body, "https://a.blog/x") == Skip(url="https://a.blog/x", reason=reason)


@pytest.mark.parametrize(("body", "content_type", "what"), [
    (b"%PDF-1.4 The sea was calm", None, "a PDF file"),
    (b'{"text": "The sea was calm, and nobody spoke."}', None, "JSON"),
    (SEA.encode(), "application/json; charset=utf-8", "application/json"),
    (b"<?xml version='1.0'?><rss><channel><item>The sea was calm</item></channel></rss>", "text/xml", "a feed"),
])
def test_what_is_no_page_is_named(body: bytes, content_type: str | None, what: str) -> None:
    outcome = read_page(body, "https://a.blog/x", content_type)
    assert outcome == Skip(url="https://a.blog/x", reason=f"not a page but {what}")


def test_an_address_that_is_none_does_no_harm() -> None:
    assert isinstance(read_page(a_blog.page(3), "http://[::1"), Post)


def test_a_page_in_one_line_is_read_like_the_same_page_in_many() -> None:
    head = "<title>Sea</title>\n<ul>\n<li><a href=/>Home</a>\n</ul>\n<div>\n"
    many = (head + f"<p>{SEA}</p>\n" * 5 + "</div>").encode()
    texts = [read_page(body, "https://a.blog/x") for body in (many, many.replace(b"\n", b""))]
    assert isinstance(texts[0], Post)
    assert isinstance(texts[1], Post)
    assert texts[0].text == texts[1].text


def test_scripts_may_be_mixed() -> None:
    mixed = [
        "海は静かだった。誰も話さなかった。岩を過ぎて、暗くなるまで漕いだ。",
        "Море было спокойно, и никто не говорил ни слова, пока не стемнело.", SEA,
    ]
    body = ("<nav><a href=/>家</a></nav><div>" + "".join(f"<p>{text * 3}</p>" for text in mixed) + "</div>").encode()
    post = read_page(body, "https://a.blog/x")
    assert isinstance(post, Post)
    assert all(text.strip() in post.text for text in mixed)


def test_twenty_megabytes_are_refused_with_their_size() -> None:
    outcome = read_page(b"<div>" + f"<p>{SEA}</p>".encode() * 220_000, "https://a.blog/x")
    assert isinstance(outcome, Skip)
    assert outcome.reason == "page too large: 20,020,005 bytes"


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_give_a_post_or_a_reason(body: bytes) -> None:
    outcome = read_page(b"<body>" + body, "https://a.blog/x")
    assert isinstance(outcome, Post) or outcome.reason
