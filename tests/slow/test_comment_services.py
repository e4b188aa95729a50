"""What the pages of whole blogs embed, beside what is known of them."""

from __future__ import annotations

import json
import os
from collections import Counter

import pytest

from everlog.comments.services import embedded
from everlog.core.tree import parse

pytestmark = pytest.mark.skipif(not os.environ.get("EVERLOG_CORPUS"), reason="EVERLOG_CORPUS names no corpus")

# What blog.json says was found by looking for words: a service that is only mentioned, or switched off in a
# comment, is named there too.
RIGHT_ABOUT = 0.9


@pytest.fixture(scope="module")
def said_and_found(blogs):
    """The service that blog.json names, if it says so, and the pages that embed each."""
    pairs = {}
    for blog in blogs:
        known = json.loads((blog.folder / "blog.json").read_text("utf-8"))
        if "comment_service" in known:
            pages = filter(None, map(blog.truth_page, blog.truth()))
            found = Counter(service.name for page in pages for service in embedded(parse(page)))
            pairs[blog.id] = (known["comment_service"], found)
    return pairs


def test_blogs_without_a_comment_service_embed_none(said_and_found):
    assert {name: found for name, (said, found) in said_and_found.items() if said is None and found} == {}


def test_blogs_with_a_comment_service_embed_that_one(said_and_found):
    named = [(said, found) for said, found in said_and_found.values() if said is not None]
    right = [said for said, found in named if set(found) == {said}]
    assert len(right) >= RIGHT_ABOUT * len(named)


def test_no_blog_embeds_two_services(said_and_found):
    assert all(len(found) <= 1 for _, found in said_and_found.values())
