"""Whether another address is the same blog under another name, as a table of what was met."""

from __future__ import annotations

from typing import Any

import pytest

from everlog.schedule.blog_names import NameEvidence, is_telling, same_blog

# What other blogs of the same owner have in common with this one.
SISTER: dict[str, Any] = {"known_by": ("name", "people", "design", "links to each other", "a shared footer")}

SAME: dict[str, dict[str, Any]] = {
    "a former host that redirects its home and its posts": {"home_redirects": True, "posts_redirect": 1},
    "a former host that sends all to the new home, and old links to it": {"home_redirects": True, "own_links": 5},
    "a former host that is silent now, named by the feed's ids and by old links": {"ids": 10, "own_links": 3},
    "a former host in old links whose posts redirect": {"own_links": 3, "posts_redirect": 1},
    "a mirror that names these pages as canonical": {"canonicals": 2, "equal_posts": 2},
    "a mirror in whose pages this blog's canonical links are": {"canonicals": 1, "equal_posts": 1},
    "a name of the platform beside the blog's own domain": {"ids": 10, "posts_redirect": 1},
    "a name that old posts link to, with the same posts": {"own_links": 4, "equal_posts": 1},
    "a feed that says so, and the same posts": {"feed_home": True, "equal_posts": 2},
    "a name of the same blog in another country": {"is_platform_name": True},
    "a mirror that lacks one of the posts": {"canonicals": 2, "equal_posts": 2, "missing_posts": 1},
    "a mirror with one post edited": {"canonicals": 2, "equal_posts": 2, "other_posts": 1},
    "an address that was left long ago: old posts are there, newer ones are not": {
        "own_links": 9, "equal_posts": 1, "missing_posts": 1, "listed_posts": 5, "listed_others": 1,
    },
    "a former path of a blog": {"own_links": 3, "home_redirects": True},
}

OTHERS: dict[str, dict[str, Any]] = {
    "a blog that nothing is known of": {},
    "a sister blog: same theme, same author, links, a shared footer": SISTER,
    "a sister blog that is linked from a post or two": {**SISTER, "own_links": 2},
    "a sister blog with some posts of the same address and other words": {**SISTER, "own_links": 5, "other_posts": 2},
    "a twin in another language: the same addresses, other words": {
        "own_links": 9, "feed_home": True, "other_posts": 2,
    },
    "two blogs of one platform, below /a/ and /b/": {**SISTER, "missing_posts": 2, "canonicals": 0},
    "an old home that redirects to a new, different blog": {**SISTER, "home_redirects": True},
    "an old home that redirects to a different blog with none of the posts": {
        **SISTER, "home_redirects": True, "missing_posts": 2,
    },
    "an old home that redirects, with other posts at the same addresses": {
        "home_redirects": True, "own_links": 5, "other_posts": 2,
    },
    "a configuration copied from the other blog: canonical links and feed": {
        **SISTER, "canonicals": 6, "feed_home": True,
    },
    "the same with a home that redirects": {"canonicals": 1, "feed_home": True, "home_redirects": True},
    "a guest post in another blog, with a canonical link": {"canonicals": 1, "equal_posts": 1, "missing_posts": 1},
    "guest posts that this blog links to": {"own_links": 3, "canonicals": 1, "equal_posts": 1, "missing_posts": 1},
    "the same, in a blog whose front page quotes some": {
        "own_links": 3, "canonicals": 1, "equal_posts": 1, "missing_posts": 1, "listed_posts": 3, "listed_others": 9,
    },
    "a front page of the owner's that lists posts of all blogs": {"listed_posts": 5, "listed_others": 5, "ids": 1},
    "a magazine that prints some posts": {"equal_posts": 1, "missing_posts": 2, "own_links": 2},
    "a planet that shows the same posts and no more": {"equal_posts": 2},
    "canonical links that all lead elsewhere": {"canonicals": 6},
    "ids of entries that lie at an importer's host": {"ids": 10},
    "links to addresses that are here, at a host that is silent": {"own_links": 8},
    "a domain sold: canonical links of old pages, and a stranger's posts": {"canonicals": 3, "other_posts": 1},
    "as many equal posts as others": {"canonicals": 2, "equal_posts": 2, "other_posts": 2},
}


@pytest.mark.parametrize("case", SAME)
def test_a_name_of_the_same_blog_is_told_by_its_signs(case):
    found = same_blog(NameEvidence(home="http://other.example/", **SAME[case]))
    assert found.is_same
    assert found.signs
    assert found.reason == ""


@pytest.mark.parametrize("case", OTHERS)
def test_a_different_blog_is_never_taken_for_the_same(case):
    found = same_blog(NameEvidence(home="http://other.example/", **OTHERS[case]))
    assert not found.is_same
    assert found.reason


@pytest.mark.parametrize("case", SAME)
def test_what_owners_share_between_blogs_changes_nothing(case):
    plain = same_blog(NameEvidence(home="http://other.example/", **SAME[case]))
    assert same_blog(NameEvidence(home="http://other.example/", **SAME[case], **SISTER)) == plain


@pytest.mark.parametrize(("address", "told"), [
    ("https://a.org/2009/05/rain-and-stones/", True),
    ("https://a.org/rain-stones.html", True),
    ("https://a.org/2009/05/12/rain/", False),
    ("https://a.org/archives/000123.html", False),
    ("https://a.org/tag/blog/", False),
    ("https://a.org/", False),
])
def test_only_words_of_its_own_tell_a_post_from_those_of_other_blogs(address, told):
    assert is_telling(address) is told
