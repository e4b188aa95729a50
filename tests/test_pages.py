"""Blogs in small, one folder each: a feed, its pages, two pages that the feed does not know.

`expected.json` holds the address of every page and what the unknown ones must give. A new case is
a new folder.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everlog import Post, learn

CASES = sorted(folder for folder in (Path(__file__).parent / "pages").iterdir() if folder.is_dir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_posts_outside_the_feed_are_read_as_expected(case):
    expected = json.loads((case / "expected.json").read_text("utf-8"))
    known = {name: url for name, url in expected["urls"].items() if name not in expected["posts"]}
    pages = {url: (case / "pages" / name).read_bytes() for name, url in known.items()}
    template = learn((case / "feed.xml").read_bytes(), pages)
    for name, post in expected["posts"].items():
        outcome = template.read((case / "pages" / name).read_bytes(), expected["urls"][name])
        assert isinstance(outcome, Post)
        assert {
            "title": outcome.title,
            "authors": list(outcome.authors),
            "published": outcome.published and outcome.published.date().isoformat(),
            "tags": list(outcome.tags),
            "text": outcome.text,
        } == post
