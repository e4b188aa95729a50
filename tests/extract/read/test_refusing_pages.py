"""When a page with an article is refused as no post of the blog."""

from __future__ import annotations

from dataclasses import replace

import pytest

import a_blog
from everlog import Post, Skip
from everlog.extract.extractors.keypath import KeyPath, KeyPaths


@pytest.mark.parametrize(("learned_from", "outcome"), [(2, Post), (3, Skip)])
def test_a_key_path_refuses_pages_only_if_three_pages_taught_it(template, learned_from, outcome):
    crowded = tuple(replace(design, most=0) for design in template.designs)
    elsewhere = KeyPaths(key=KeyPath.parse("|html|body|div[@id=nowhere]"))
    doubtful = replace(template, designs=crowded, key_paths=elsewhere, learned_from=learned_from)
    assert isinstance(doubtful.read(a_blog.page(9), a_blog.url(9)), outcome)
