"""Whether the blog at an address is still the one that was there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everlog.core.tree import parse
from everlog.feeds import parse_feed
from everlog.records.codec import decode, encode
from everlog.schedule.ownership import BlogFingerprint, is_known_by, same_owner, traits_of

ANN = BlogFingerprint(
    platform="wordpress", languages=("en",), names=("Ann's kitchen | Bread and salt", "Ann's kitchen"),
    people=("ann lee",), design=tuple(f"{n:02}" for n in range(40)), ways=("w1", "w2", "w3", "w4"),
)
PARKED = BlogFingerprint(languages=("en",), names=("annskitchen.example is for sale",))


def changed(**other):
    return replace(ANN, **other)


@pytest.mark.parametrize(
    "now",
    [
        ANN,
        changed(design=("x1", "x2", "x3")),
        changed(platform="hugo", design=("x1", "x2"), ways=()),
        changed(names=("Bread and salt",), people=(), platform="ghost", design=(), ways=()),
        changed(names=("A new name",), design=("x1", "x2"), platform="hugo", ways=()),
        changed(names=("Something else",), people=(), languages=("de",), platform="hugo"),
        BlogFingerprint(languages=("id",), names=("Lucky slots",), platform="drupal", kept=True),
        BlogFingerprint(),
    ],
    ids=["itself", "redesigned", "moved to hugo", "renamed in part", "renamed by its author", "its links are the same",
         "its posts are there", "an empty page"],
)
def test_a_blog_that_changed_is_the_same_blog(now):
    assert same_owner(ANN, now).is_same


@pytest.mark.parametrize(
    "now",
    [
        PARKED,
        BlogFingerprint(platform="wordpress", languages=("id",), names=("Lucky slots",), people=("admin",)),
        BlogFingerprint(
            platform="wordpress", languages=("en",), names=("Best loans",), people=("bob",), design=ANN.design,
        ),
    ],
    ids=["a parked domain", "a casino", "another blog in the same theme"],
)
def test_a_stranger_is_told(now):
    found = same_owner(ANN, now)
    assert not found.is_same
    assert len(found.differences) >= 2


def test_a_change_of_platform_alone_or_of_language_alone_is_nobody_else():
    named = BlogFingerprint(platform="wordpress", languages=("en",))
    assert same_owner(named, BlogFingerprint(platform="hugo")).is_same
    assert same_owner(named, BlogFingerprint(languages=("de",))).is_same


def test_an_administrator_is_nobody():
    one = BlogFingerprint(people=("admin",), names=("One",), languages=("en",))
    assert not is_known_by(one, BlogFingerprint(people=("admin",), names=("Two",)))
    assert is_known_by(ANN, BlogFingerprint(people=("ann lee",)))


def test_names_that_all_blogs_have_are_no_names():
    assert not is_known_by(BlogFingerprint(names=("Blog", "Home - Ada")), BlogFingerprint(names=("My blog", "Home")))


def test_traits_are_read_from_the_home_page_and_the_feed_and_survive_the_archive():
    page = parse(
        b"<html lang=en-GB><head><title>Ann's kitchen</title><meta name=generator content='WordPress 6.1'></head><body>"
        b"<div class=post-12><a href=/2020/bread>Bread</a><a href=/2020/05/>May</a><a href=//b.example/x>x</a></div>",
    )
    feed = parse_feed(
        b"<rss version='2.0'><channel><title>Ann</title><language>en</language><item><link>http://a.example/1</link>"
        b"<author>Ann Lee</author></item></channel></rss>",
        "http://a.example/feed",
    )
    traits = traits_of(page, "http://a.example/", feed)
    assert (traits.platform, traits.languages, traits.names) == ("wordpress", ("en",), ("Ann's kitchen", "Ann"))
    assert (traits.people, len(traits.ways)) == (("ann lee",), 1)
    assert decode(BlogFingerprint, encode(traits)) == traits


def test_a_platform_that_does_not_say_its_name_is_told_by_its_files():
    page = parse(b"<script src=/own.js></script><link rel=stylesheet href=/wp-content/themes/x.css>")
    assert traits_of(page, "http://a.example/", None).platform == "wordpress"
    assert traits_of(None, "http://a.example/", None) == BlogFingerprint()
