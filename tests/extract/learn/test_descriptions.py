"""Feeds that carry what the author says about a post, not the post: the article is read all the same."""

from __future__ import annotations

from collections import Counter

import pytest

from described_blogs import BLOGS, HOME, IN_FEED
from everlog import Post, learn
from everlog.core.words import words
from everlog.extract.calibration import STRICT

BY_NAME = {blog.name: blog for blog in BLOGS}


def likeness(read: str, written: str) -> float:
    """The F1 of two texts' words."""
    a, b = Counter(words(read)), Counter(words(written))
    return 2 * (a & b).total() / max(a.total() + b.total(), 1)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_articles_of_a_blog_with_descriptions_are_read_word_for_word(name):
    blog = BY_NAME[name]
    template = learn(blog.feed(), blog.taught(), feed_url=f"{HOME}feed.xml")
    wrong = []
    for note in blog.notes()[IN_FEED:]:
        post = template.read(blog.page(note), f"{HOME.rstrip('/')}{note.path}")
        if not isinstance(post, Post) or likeness(post.text, note.text) < STRICT:
            wrong.append(note.number)
    assert wrong == []


def test_a_description_that_the_page_prints_is_its_summary_and_not_its_article():
    blog = BY_NAME["div below the title"]
    template = learn(blog.feed(), blog.taught())
    note = blog.notes()[-1]
    post = template.read(blog.page(note), HOME)
    assert post.summary == note.description
    assert note.description not in post.text
    assert post.provenance["text"].method == "pages"


def test_a_feed_that_is_full_teaches_by_its_text_beside_a_description():
    blog = BY_NAME["full text and description, short posts"]
    template = learn(blog.feed(), blog.taught())
    assert template.designs[0].method == "feed-text"
