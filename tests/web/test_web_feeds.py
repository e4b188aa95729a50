"""Feeds of the archive: what feed readers find in them, and what they do not have to fetch again."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import feedparser
import pytest
from lxml import etree

from everlog.archive import open_archive
from everlog.feeds.parse import parse_feed
from web.atom_rules import broken_rules
from web.conftest import PICTURE, POST, filled, stamp
from web.served_archive import Served, serving
from web.some_blogs import HOSTILE, add_hostile, add_posts

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = "http://long.example/"
FEEDS = [
    "/feed/posts.atom", "/feed/changes.atom", "/feed/posts/a.example", "/feed/changes/a.example",
    "/feed/posts/long.example", "/feed/posts/hostile.example", "/feed/changes/hostile.example",
    "/feed/posts/new.example", "/feed/changes/new.example",
]


@pytest.fixture(scope="module")
def fed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("fed") / "archive"
    with open_archive(place, create=True) as archive:
        filled(archive)
        add_posts(archive, LONG, 70, title="A long life")
        add_hostile(archive)
        archive.blogs.add("http://new.example/", scope="path")
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


@pytest.mark.parametrize("path", FEEDS)
def test_a_feed_is_valid_atom(fed: Served, path):
    answer = fed.page(path)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert broken_rules(answer.body) == []
    read = feedparser.parse(answer.body)
    assert (read.bozo, read.version) == (False, "atom10")
    assert {link.href for link in read.feed.links if link.rel == "self"} == {fed.interface + path}


@pytest.mark.parametrize("path", ["/feed/posts.atom", "/feed/posts/long.example"])
def test_our_own_reader_finds_the_posts(fed: Served, path):
    found = parse_feed(fed.page(path).body, fed.interface + path)
    assert len(found.entries) == 20
    assert all(entry.link and entry.title for entry in found.entries)


def test_the_newest_posts_of_a_blog_stand_first_with_what_is_known_of_them(fed: Served):
    read = feedparser.parse(fed.page("/feed/posts/long.example").body)
    assert read.feed.title == "A long life"
    assert [entry.title for entry in read.entries] == [f"Post {number}" for number in range(69, 49, -1)]
    [first, *_] = read.entries
    assert first.id == LONG + "69"
    assert first.link == f"{fed.interface}/read/{LONG}69"
    assert [link.href for link in first.links if link.rel == "via"] == [LONG + "69"]
    assert first.published == "2021-09-27T12:00:00Z"
    assert ([author.name for author in first.authors], [tag.term for tag in first.tags]) == (["Bob"], ["odd", "Maps"])


def test_an_article_has_its_pictures_and_links_from_the_archive(fed: Served):
    read = feedparser.parse(fed.page("/feed/posts/a.example").body, sanitize_html=False)
    [content] = read.entries[0].content
    assert (content.type, content.language) == ("text/html", "en")
    assert re.search(rf'src="{re.escape(fed.replay)}/web/\d+/{re.escape(PICTURE)}"', content.value)
    assert f"{fed.interface}/web/" in content.value


def test_changes_lead_to_what_changed(fed: Served):
    read = feedparser.parse(fed.page("/feed/changes/a.example").body)
    assert [entry.title for entry in read.entries] == ["Edited: A <b>post</b>"] * 2
    assert [entry.link for entry in read.entries] == [
        f"{fed.interface}/diff/{before}/{before + 1}/{POST}" for before in (2, 1)
    ]
    assert all(fed.page(urlsplit(entry.link).path).status == 200 for entry in read.entries)


def test_ids_are_the_same_under_every_name_of_the_server(fed: Served):
    ids = [
        [entry.id for entry in feedparser.parse(fed.page(path, Host=host).body).entries]
        for path in ("/feed/posts.atom", "/feed/changes.atom") for host in ("localhost", "127.0.0.1")
    ]
    assert ids[0] == ids[1]
    assert ids[2] == ids[3]
    assert all(len(set(each)) == len(each) for each in ids)


@pytest.mark.parametrize("path", FEEDS)
def test_a_feed_that_is_known_is_not_sent_again(fed: Served, path):
    first = fed.page(path)
    for known in (first.headers["ETag"], f'"other", W/{first.headers["ETag"]}'):
        again = fed.page(path, If_None_Match=known)
        assert (again.status, again.body) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"]
    assert fed.page(path, If_None_Match='"other"').status == 200


def test_an_edit_makes_a_feed_a_new_one(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, LONG, 3)
        with serving(archive) as served:
            before = served.page("/feed/posts/long.example").headers["ETag"]
            add_posts(archive, LONG, 4)
            assert served.page("/feed/posts/long.example", If_None_Match=before).status == 200


def test_what_strangers_wrote_is_text_or_cleaned(fed: Served):
    for path in ("/feed/posts/hostile.example", "/feed/changes/hostile.example"):
        body = fed.page(path).body
        names = {etree.QName(each).localname for each in etree.fromstring(body).iter()}
        assert names <= {
            "feed", "id", "title", "updated", "published", "link", "author", "name", "icon", "generator", "entry",
            "category", "summary", "content",
        }
        for entry in feedparser.parse(body, sanitize_html=False).entries:
            for content in entry.get("content", ()):
                assert not re.search(r"<script|<iframe|<svg|<[^>]*(onerror|onload|javascript:)", content.value.lower())


def test_in_public_nothing_hidden_is_in_a_feed(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        filled(archive)
        other = add_posts(archive, LONG, 5, title="Another")
        archive.hidden.set_post(archive.listing.find(POST).id, hidden=True)
        archive.hidden.set_blog(other, hidden=True)
        with serving(archive, public=True) as public, serving(archive) as private:
            for path in ("/feed/posts.atom", "/feed/changes.atom", "/feed/posts/a.example", "/feed/changes/a.example"):
                assert len(feedparser.parse(private.page(path).body).entries) > 0
                assert feedparser.parse(public.page(path).body).entries == []
            assert public.page("/feed/posts/long.example").status == 404
            assert private.page("/feed/posts/long.example").status == 200


def test_browsers_find_feeds_and_the_search(fed: Served):
    text = fed.page("/blog/long.example").text
    for path in ("/feed/posts.atom", "/feed/changes.atom", "/feed/posts/long.example", "/feed/changes/long.example"):
        assert re.search(rf'<link rel="alternate" type="application/atom\+xml" title="[^"]+" href="{path}">', text)
    assert 'rel="search" type="application/opensearchdescription+xml"' in text
    described = etree.fromstring(fed.page("/opensearch.xml").body)
    [template] = described.xpath("//*[local-name()='Url'][@type='text/html']/@template")
    assert template == fed.interface + "/search?q={searchTerms}"


def test_behind_a_proxy_feeds_name_addresses_outside(tmp_path):
    proxy = {"base_url": "https://archive.example/blogs", "replay_base_url": "https://pages.example"}
    with open_archive(tmp_path / "archive", create=True) as archive:
        filled(archive)
        with serving(archive, **proxy) as served:
            body = served.page("/feed/posts/a.example", Host="archive.example").text
            described = served.page("/opensearch.xml", Host="archive.example").text
    assert "https://archive.example/blogs/feed/posts/a.example" in body
    assert f"https://pages.example/web/{stamp(20)}" in body or "https://pages.example/web/" in body
    assert "127.0.0.1" not in body
    assert 'template="https://archive.example/blogs/search?q={searchTerms}"' in described


def test_dates_of_feeds_are_moments(fed: Served):
    for entry in feedparser.parse(fed.page("/feed/posts/hostile.example").body).entries:
        assert datetime.fromisoformat(entry.updated).tzinfo is not None


def test_the_id_of_a_hostile_address_is_an_address(fed: Served):
    ids = {entry.id for entry in feedparser.parse(fed.page("/feed/posts/hostile.example").body).entries}
    assert {each for each in ids if not each.startswith(HOSTILE)} == set()
