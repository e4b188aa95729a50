"""Addresses that a blog's own pages name as if its posts were there."""

from __future__ import annotations

from everlog.core.scope import Alias, Scope
from everlog.core.urls import canonical
from everlog.records import Entry
from everlog.schedule.name_candidates import name_candidates

BLOG = Scope("https://ann.example/")
PATHS = [f"20{number}/05/{word}-and-stones/" for number, word in enumerate(("rain", "snow", "hail", "mist"), 10)]
HELD = {canonical(BLOG.home + path) for path in PATHS}


def named(urls: list[str], scope: Scope = BLOG, entries: tuple[Entry, ...] = ()) -> list[str]:
    links = {canonical(url): url for url in urls}
    return [each.home for each in name_candidates(links, entries, scope, HELD.__contains__)]


def test_a_host_that_most_links_share_the_paths_of_posts_with_is_one():
    assert named([f"http://old.example/{path}" for path in PATHS]) == ["http://old.example/"]


def test_a_folder_of_another_host_is_one():
    assert named([f"http://old.example/~ann/blog/{path}" for path in PATHS]) == ["http://old.example/~ann/blog/"]


def test_a_folder_of_the_same_host_is_one():
    assert named([f"https://ann.example/blog/{path}" for path in PATHS]) == ["https://ann.example/blog/"]


def test_what_only_such_links_tell_of_comes_with_its_address_here():
    links = [f"http://old.example/{path}" for path in (*PATHS, "2003/01/the-first-of-all/")]
    found = name_candidates({canonical(url): url for url in links}, (), BLOG, HELD.__contains__)[0]
    assert found.unmet == {
        "https://ann.example/2003/01/the-first-of-all/": "http://old.example/2003/01/the-first-of-all/",
    }


def test_two_links_are_a_mention():
    assert named([f"http://old.example/{path}" for path in PATHS[:2]]) == []


def test_a_host_with_many_other_pages_is_none():
    others = [f"http://news.example/2010/05/{number}-other-news-of-the-day-{number}/" for number in range(9)]
    assert named([*(f"http://news.example/{path}" for path in PATHS), *others]) == []


def test_addresses_that_any_blog_has_tell_nothing():
    scope = Scope("https://ann.example/")
    known = {canonical(f"https://ann.example/{path}") for path in ("about/", "2010/05/", "tag/news/", "contact/")}
    links = {canonical(url): url for url in (f"http://b.example/{key.partition('/')[2]}" for key in known)}
    assert name_candidates(links, (), scope, known.__contains__) == []


def test_a_name_that_is_known_is_not_looked_at_again():
    known = Scope("https://ann.example/", aliases=(Alias(home="http://old.example/", here=True),))
    assert named([f"http://old.example/{path}" for path in PATHS], known) == []


def test_ids_of_entries_are_addresses_at_which_the_blog_was():
    entries = tuple(
        Entry(link=BLOG.home + path, guid=f"http://ann.host.example/blog/?p={number}")
        for number, path in enumerate(PATHS)
    )
    assert named([], BLOG, entries) == ["http://ann.host.example/blog/"]
    assert named([], BLOG, entries[:1]) == []
    assert named([], BLOG, tuple(Entry(link=each.link, guid="tag:ann.example,2010:1") for each in entries)) == []
    assert named([], BLOG, tuple(Entry(link=each.link, guid=each.link) for each in entries)) == []


def test_links_and_ids_that_name_one_host_are_one_candidate():
    entries = tuple(Entry(link=BLOG.home + path, guid=f"http://old.example/?p={path}") for path in PATHS)
    links = {canonical(url): url for url in (f"http://old.example/{path}" for path in PATHS)}
    found = name_candidates(links, entries, BLOG, HELD.__contains__)
    assert [(each.home, len(each.posts), len(each.ids)) for each in found] == [("http://old.example/", 4, 4)]
