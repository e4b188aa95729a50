"""Deletions, deaths, moves and strangers: told apart by what the web answers, over days."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import a_blog
from everlog.archive.verify import verify
from everlog.core.scope import keys_elsewhere
from everlog.core.urls import canonical
from everlog.feeds import parse_feed
from everlog.records import Blog, Entry, Exchange, Failure, Feed, Link
from everlog.usecases.learn.blog_fingerprint import POSTS_ASKED, keep_fingerprint
from everlog.usecases.update.blog_liveness import (
    FEEDS_ASKED,
    all_is_well,
    due_rechecks,
    feed_lost,
    has_due_rechecks,
    is_other_owner,
    plan_rechecks,
)
from everlog.usecases.update.feed_diff import dropped_early, merged_marks, note_dropped
from everlog.usecases.update.moved_blog import follow_feed
from everlog.usecases.update.update_blog import refresh_blog
from usecases.a_site import FEED, POSTS, a_site, crawl, listing, put_feed, work

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from usecases.a_web import MemoryWeb
    from usecases.conftest import FirstCrawls

NEW = "https://b.blog/"
A_HANDFUL = 1 + FEEDS_ASKED + POSTS_ASKED
NOT_FOUND_PAGE = (
    "<!doctype html><html lang=en><head><title>Not found - A Blog</title></head><body>"
    "<nav><a href=/>Home</a> <a href=/about>About the blog</a></nav><p>There is nothing here, or not any more.</p>"
)


@pytest.fixture
def crawled(first_crawls: FirstCrawls, tmp_path: Path) -> Iterator[tuple[MemoryWeb, Archive]]:
    def make(archive: Archive) -> MemoryWeb:
        fetcher = a_site()
        for answer in fetcher.answers.values():
            answer.body = named(answer.body)
        crawl(fetcher, archive)
        plan_rechecks(archive.blogs()[0], work(fetcher, archive))
        keep_fingerprint(archive.blogs()[0], archive)
        fetcher.asked.clear()
        return fetcher

    with first_crawls.copy("named", make, tmp_path / "archive") as found:
        yield found


@pytest.fixture
def archive(crawled: tuple[MemoryWeb, Archive]) -> Archive:
    return crawled[1]


@pytest.fixture
def fetcher(crawled: tuple[MemoryWeb, Archive]) -> MemoryWeb:
    """A blog that was crawled to its end."""
    return crawled[0]


def named(body: bytes) -> bytes:
    """The same under a name that not every blog has."""
    return body.replace(b"A Blog", b"Slow Kitchen")


def fails(fetcher, url, *, status=None, trouble="http"):
    """From now on an address answers so."""
    exchange = Exchange(url=url, status=status, fetched_at=fetcher.now) if status else None
    fetcher.answers[canonical(url)] = Failure(
        url=url, trouble=trouble, reason=f"answers {status or trouble}", status=status,
        exchanges=(exchange,) if exchange else (),
    )


def the_failure(fetcher, url=FEED) -> Failure:
    answer = asyncio.run(fetcher.fetch(url, purpose="feed"))
    assert isinstance(answer, Failure)
    fetcher.asked.clear()
    return answer


def ask_about(fetcher, archive, **how):
    """What the loss of the feed means today."""
    blog = archive.blogs()[0]
    return asyncio.run(feed_lost(blog, the_failure(fetcher, blog.feed_url), work(fetcher, archive), **how))


def look_again(fetcher, archive, **settings):
    """Today's looks at posts that are due."""
    blog, given = archive.blogs()[0], work(fetcher, archive, **settings)
    keys = due_rechecks(blog, given)
    archive.urls.requeue(blog.id, keys)
    asyncio.run(refresh_blog(blog, given))
    plan_rechecks(blog, given)
    return keys


def every_day(fetcher, archive, days):
    for _ in range(days):
        fetcher.now += timedelta(days=1, minutes=5)
        look_again(fetcher, archive)


def told(archive, *kinds):
    return [(event.kind, event.url) for event in archive.events(kinds=kinds or None)]


# Posts


def test_a_deleted_post_is_noticed_by_looking_again_and_only_that(fetcher, archive):
    del fetcher.answers[canonical(a_blog.url(20))]
    every_day(fetcher, archive, 4)
    url = a_blog.url(20)
    assert told(archive) == [("missing", url), ("missing", url), ("deleted", url)]
    assert archive.posts.find(url).text == a_blog.text(20)
    assert len(list(archive.posts())) == POSTS
    assert list(verify(archive)) == []


def test_a_post_that_comes_back_is_told(fetcher, archive):
    page = fetcher.answers.pop(canonical(a_blog.url(20)))
    every_day(fetcher, archive, 4)
    fetcher.answers[canonical(a_blog.url(20))] = page
    every_day(fetcher, archive, 12)
    assert told(archive)[-1] == ("back", a_blog.url(20))
    assert archive.posts.find(a_blog.url(20)).gone is None


def test_a_post_that_redirects_to_the_home_page_is_deleted(fetcher, archive):
    fetcher.put(a_blog.url(19), b"", redirect=a_blog.HOME)
    every_day(fetcher, archive, 3)
    assert told(archive) == [("missing", a_blog.url(19)), ("deleted", a_blog.url(19))]
    assert "redirects to the home page" in archive.posts.find(a_blog.url(19)).gone


def test_a_page_not_found_that_answers_200_is_noticed(fetcher, archive):
    fetcher.put(a_blog.url(18), NOT_FOUND_PAGE)
    every_day(fetcher, archive, 4)
    assert [kind for kind, _ in told(archive)] == ["missing", "missing", "deleted"]
    assert archive.posts.find(a_blog.url(18)).text == a_blog.text(18)


def test_a_page_that_is_rebuilt_but_has_its_text_is_no_loss(fetcher, archive):
    rebuilt = f"<html><body><main><section><h3>Post 18</h3>{a_blog.article(18)}</section></main></body></html>"
    fetcher.put(a_blog.url(18), rebuilt)
    every_day(fetcher, archive, 4)
    assert told(archive, "missing", "deleted", "emptied") == []


def test_trouble_of_the_server_deletes_nothing(fetcher, archive):
    for number, (status, trouble) in enumerate([(503, "http"), (403, "http"), (None, "timeout")], 18):
        fails(fetcher, a_blog.url(number), status=status, trouble=trouble)
    every_day(fetcher, archive, 5)
    assert told(archive) == []


def test_a_site_that_lost_all_its_posts_at_once_has_not_deleted_them(fetcher, archive):
    pages = {key: fetcher.answers.pop(key) for key in map(canonical, map(a_blog.url, range(1, POSTS + 1)))}
    every_day(fetcher, archive, 6)
    assert {kind for kind, _ in told(archive)} == {"missing"}
    fetcher.answers.update(pages)
    every_day(fetcher, archive, 20)
    assert {kind for kind, _ in told(archive, "deleted", "back")} == {"back"}
    assert all(post.gone is None for post in archive.posts())


def test_nobody_looks_again_who_does_not_want_to(fetcher, archive):
    fetcher.now += timedelta(days=400)
    assert has_due_rechecks(archive.blogs()[0], work(fetcher, archive))
    assert not has_due_rechecks(archive.blogs()[0], work(fetcher, archive, recheck_days=0))
    assert look_again(fetcher, archive, recheck_days=0) == ()


# Blogs


def test_a_blog_whose_feed_and_home_say_410_is_dead_and_may_be_back(fetcher, archive):
    fails(fetcher, FEED, status=410, trouble="gone")
    fails(fetcher, a_blog.HOME, status=410, trouble="gone")
    lost = ask_about(fetcher, archive)
    blog = archive.blogs()[0]
    assert (lost.kind, lost.is_final, blog.gone, blog.gone_at) == ("dead", True, lost.reason, fetcher.now)
    assert ask_about(fetcher, archive).kind == "dead"
    assert all_is_well(blog, work(fetcher, archive)).gone is None
    assert [event.kind for event in archive.events()] == ["dead", "back"]


def test_a_blog_that_answers_404_for_a_week_is_dead(fetcher, archive):
    fetcher.answers.clear()
    kinds = []
    for _ in range(9):
        kinds.append(ask_about(fetcher, archive).kind)
        assert len(fetcher.asked) <= A_HANDFUL
        fetcher.now += timedelta(days=1)
        if kinds[-1] == "dead":
            break
    assert kinds == ["passing"] * 7 + ["dead"]


def test_a_week_of_404_that_ends_is_forgotten(fetcher, archive):
    held = dict(fetcher.answers)
    for _ in range(3):
        fetcher.answers.clear()
        for _ in range(6):
            assert ask_about(fetcher, archive).kind == "passing"
            fetcher.now += timedelta(days=1)
        fetcher.answers.update(held)
        all_is_well(archive.blogs()[0], work(fetcher, archive))
    assert told(archive) == []


def test_a_name_that_is_gone_is_not_asked_twice_and_never_when_this_machine_is_offline(fetcher, archive):
    fails(fetcher, FEED, trouble="dns")
    for _ in range(20):
        assert ask_about(fetcher, archive, is_online=False).kind == "passing"
        fetcher.now += timedelta(days=1)
    kinds = []
    for _ in range(5):
        kinds.append(ask_about(fetcher, archive).kind)
        assert fetcher.asked == []
        fetcher.now += timedelta(days=2)
    assert kinds == ["passing"] * 4 + ["dead"]


@pytest.mark.parametrize(
    ("status", "trouble"), [(503, "http"), (403, "http"), (None, "timeout"), (429, "rate-limited")],
)
def test_trouble_in_passing_asks_nothing_more(fetcher, archive, status, trouble):
    fails(fetcher, FEED, status=status, trouble=trouble)
    assert ask_about(fetcher, archive).kind == "passing"
    assert fetcher.asked == []


def test_a_feed_that_is_gone_while_the_blog_lives_says_how_to_go_on(fetcher, archive):
    fails(fetcher, FEED, status=410, trouble="gone")
    fetcher.put(a_blog.HOME, listing(range(20, 15, -1), older=2).replace(FEED, "/nowhere"))
    lost = ask_about(fetcher, archive)
    assert lost.kind == "feed-gone"
    assert f"everlog crawl {a_blog.HOME} --no-feed" in archive.blogs()[0].gone
    assert len(fetcher.asked) <= A_HANDFUL


def test_trouble_that_ended_with_another_feed_is_forgotten(fetcher, archive):
    held = dict(fetcher.answers)
    fetcher.answers.clear()
    for _ in range(6):
        ask_about(fetcher, archive)
        fetcher.now += timedelta(days=1)
    fetcher.answers.update(held)
    fetcher.answers[canonical(a_blog.HOME + "atom.xml")] = fetcher.answers.pop(canonical(FEED))
    fetcher.put(a_blog.HOME, named(listing(range(20, 15, -1), older=2).replace(FEED, "/atom.xml").encode()))
    assert ask_about(fetcher, archive).kind == "feed-moved"
    fetcher.answers.clear()
    fetcher.now += timedelta(days=9)
    assert ask_about(fetcher, archive).kind == "passing"


def test_a_feed_at_another_address_is_found(fetcher, archive):
    feed = fetcher.answers.pop(canonical(FEED))
    fetcher.answers[canonical(a_blog.HOME + "atom.xml")] = feed
    fetcher.put(a_blog.HOME, listing(range(20, 15, -1), older=2).replace(FEED, "/atom.xml"))
    lost = ask_about(fetcher, archive)
    assert (lost.kind, lost.feed.feed_url) == ("feed-moved", a_blog.HOME + "atom.xml")
    assert archive.blogs()[0].feed_url == a_blog.HOME + "atom.xml"
    assert [event.kind for event in archive.events()] == ["feed-moved"]


# Moves


def move_site(fetcher, *, hop=301, posts=range(POSTS, 0, -1)):
    """The same blog at another host; the old addresses lead there."""
    for key in list(fetcher.answers):
        answer = fetcher.answers.pop(key)
        below = key.removeprefix(canonical(a_blog.HOME)).lstrip("/")
        answer.body = answer.body.replace(a_blog.HOME.encode(), NEW.encode())
        fetcher.answers[canonical(NEW + below)] = answer
        fetcher.put(a_blog.HOME + below, b"", redirect=NEW + below, hop=hop)


def poll(fetcher, archive):
    """The feed as it answers now, and where its blog is from now on."""
    blog = archive.blogs()[0]
    answer = asyncio.run(fetcher.fetch(blog.feed_url, purpose="feed"))
    feed = parse_feed(answer.answer.body, answer.answer.url)
    return asyncio.run(follow_feed(blog, answer, work(fetcher, archive))).blog, feed


def test_a_blog_that_moved_for_good_is_followed_and_its_posts_stay_one(fetcher, archive):
    move_site(fetcher)
    blog, _ = poll(fetcher, archive)
    assert (blog.home, blog.feed_url, blog.former_homes) == (NEW, NEW + "feed.xml", (a_blog.HOME,))
    assert [event.kind for event in archive.events()] == ["feed-moved", "moved"]
    assert archive.blogs.home_at(a_blog.HOME) == NEW
    fetcher.put(NEW + "21", a_blog.page(21))
    put_feed(fetcher, [])
    items = [a_blog.item(number, link=f"{NEW}{number}") for number in (21, 20, 19)]
    fetcher.put(NEW + "feed.xml", a_blog.rss(items), type="application/rss+xml")
    fetcher.put(NEW + "20", a_blog.page(20, a_blog.article(20) + "<p>And one line that is new here.</p>"))
    asyncio.run(refresh_blog(blog, work(fetcher, archive)))
    posts = {post.url: post for post in archive.posts()}
    assert len(posts) == POSTS + 1
    assert archive.posts.find(NEW + "20").version == 2
    assert archive.posts.find(NEW + "20").aliases
    assert archive.posts.find(a_blog.url(20)).text == archive.posts.find(NEW + "20").text
    assert list(verify(archive)) == []


def test_posts_of_a_blog_that_moved_are_looked_at_where_they_are_now(fetcher, archive):
    move_site(fetcher)
    poll(fetcher, archive)
    del fetcher.answers[canonical(NEW + "20")]
    for key in [key for key in fetcher.answers if key.startswith("a.blog")]:
        del fetcher.answers[key]
    every_day(fetcher, archive, 4)
    assert [kind for kind, _ in told(archive, "missing", "deleted", "back")] == ["missing", "missing", "deleted"]
    assert archive.posts.state(1, canonical(a_blog.url(20))).gone is not None


def test_a_redirect_that_may_be_taken_back_is_not_remembered(fetcher, archive):
    move_site(fetcher, hop=302)
    blog, _ = poll(fetcher, archive)
    assert (blog.home, blog.feed_url) == (a_blog.HOME, FEED)
    assert told(archive) == []


def test_a_blog_that_moved_to_another_blog_of_the_archive_ends_there(fetcher, archive):
    archive.blogs.add(NEW, scope="path")
    move_site(fetcher)
    blog, _ = poll(fetcher, archive)
    assert blog.home == a_blog.HOME
    assert "another blog in this archive" in blog.gone


def test_a_feed_that_is_gone_from_a_blog_that_moved_is_found_there(fetcher, archive):
    move_site(fetcher)
    fails(fetcher, FEED, status=404)
    lost = ask_about(fetcher, archive)
    assert (lost.kind, lost.blog.home, lost.blog.feed_url) == ("moved", NEW, NEW + "feed.xml")


def test_keys_of_all_homes_are_known_of_each_other(archive):
    blog = archive.blogs.add("https://a.blog/notes/", scope="path")
    blog = archive.blogs.move(blog.id, "https://b.blog/")
    assert keys_elsewhere("a.blog/notes/x", blog) == ("b.blog/x",)
    assert keys_elsewhere("b.blog/x?p=1", blog) == ("a.blog/notes/x?p=1",)
    assert keys_elsewhere("a.blog/other", blog) == ()


# Strangers


CASINO = (
    "<html lang=id><head><title>Lucky Slots 77</title><meta name=generator content='Drupal 9'>{feed}</head><body>"
    "<div class=casino-main><ul class=game-grid><li class=game><a href=/slots/gold>Gold</a><a href=/slots/fox>Fox</a>"
    "</ul></div></body></html>"
)


def taken_over(fetcher, *, with_feed):
    fetcher.answers.clear()
    feed = f"<link rel=alternate type=application/rss+xml href={FEED}>" if with_feed else ""
    fetcher.put(a_blog.HOME, CASINO.format(feed=feed))
    if with_feed:
        rss = a_blog.rss(["<item><title>Bonus</title><link>https://a.blog/slots/fox</link></item>"])
        fetcher.put(
            FEED, rss.replace(b"A Blog", b"Lucky Slots 77").replace(b">en<", b">id<"), type="application/rss+xml",
        )


def test_a_parked_address_has_another_owner_when_it_was_seen_for_days(fetcher, archive):
    taken_over(fetcher, with_feed=False)
    kinds = []
    for _ in range(4):
        kinds.append(ask_about(fetcher, archive).kind)
        assert len(fetcher.asked) <= A_HANDFUL
        fetcher.now += timedelta(days=1)
    assert kinds == ["passing"] * 3 + ["other-owner"]
    (event,) = archive.events()
    assert "another name (Lucky Slots 77)" in event.reason
    assert len(list(archive.posts())) == POSTS


def test_a_stranger_with_a_feed_is_told_the_next_day_and_nothing_of_theirs_is_taken(fetcher, archive):
    taken_over(fetcher, with_feed=True)
    kinds = []
    for _ in range(2):
        blog, feed = poll(fetcher, archive)
        kinds.append(asyncio.run(is_other_owner(blog, feed, work(fetcher, archive))).kind)
        fetcher.now += timedelta(days=1)
    assert kinds == ["passing", "other-owner"]
    assert archive.blogs()[0].gone is not None


def test_a_feed_of_new_posts_only_under_the_same_name_asks_nothing(fetcher, archive):
    put_feed(fetcher, range(60, 55, -1))
    fetcher.answers[canonical(FEED)].body = named(fetcher.answers[canonical(FEED)].body)
    blog, feed = poll(fetcher, archive)
    fetcher.asked.clear()
    assert asyncio.run(is_other_owner(blog, feed, work(fetcher, archive))) is None
    assert fetcher.asked == []


def test_a_blog_that_was_renamed_and_redesigned_keeps_its_posts_and_its_owner(fetcher, archive):
    home = CASINO.format(feed="").replace("</ul>", "".join(f"<li><a href=/{n}>{n}</a>" for n in range(1, 9)))
    fetcher.put(a_blog.HOME, home)
    rss = a_blog.rss([a_blog.item(99)])
    fetcher.put(FEED, rss.replace(b"A Blog", b"Lucky").replace(b"Ann Lee", b"Bob"), type="application/rss+xml")
    blog, feed = poll(fetcher, archive)
    assert asyncio.run(is_other_owner(blog, feed, work(fetcher, archive))) is None


def test_posts_that_answer_with_their_text_are_their_owner_s(fetcher, archive):
    fails(fetcher, FEED, status=404)
    fetcher.put(a_blog.HOME, CASINO.format(feed=""))
    assert "somebody else" not in ask_about(fetcher, archive).reason


# What left the feed


def feed_of(*numbers) -> Feed:
    return Feed(url=FEED, entries=tuple(Entry(link=a_blog.url(number)) for number in numbers))


def marks(*numbers):
    return {canonical(a_blog.url(number)): "" for number in numbers}


@pytest.mark.parametrize(
    ("before", "now", "dropped"),
    [
        ((5, 4, 3, 2, 1), (5, 4, 3, 2, 1), ()),
        ((5, 4, 3, 2, 1), (6, 5, 4, 3, 2), ()),
        ((5, 4, 3, 2, 1), (6, 4, 3, 2, 1), (5,)),
        ((5, 4, 3, 2, 1), (5, 3, 2, 1, 0), (4,)),
        ((5, 4, 3, 2, 1), (9, 8, 7, 6), ()),
        ((5, 4, 3, 2, 1), (6, 5, 4, 3, 1), ()),
        ((5, 4, 3, 2, 1), (1, 2, 3, 4), ()),
        ((), (3, 2, 1), ()),
        ((5, 4, 3), (), ()),
    ],
    ids=["the same", "one came, one fell off", "the newest", "an older one came in", "all others", "one is pinned",
         "sorted anew", "the first look", "an empty feed"],
)
def test_only_what_left_before_older_entries_left_early(before, now, dropped):
    assert dropped_early(marks(*before), feed_of(*now)) == tuple(marks(*dropped))


@given(st.integers(1, 12), st.lists(st.integers(0, 4), max_size=12))
def test_a_feed_that_only_grows_and_is_cut_at_its_end_drops_nothing(size, arrivals):
    newest, before = 10, marks(*range(10, max(10 - size, 0), -1))
    for count in arrivals:
        newest += count
        feed = feed_of(*range(newest, max(newest - size, 0), -1))
        assert dropped_early(before, feed) == ()
        before = merged_marks(before, marks(*range(newest, max(newest - size, 0), -1)))


def test_a_post_that_left_the_feed_early_is_told_once_if_its_page_is_there(fetcher, archive):
    blog, given = archive.blogs()[0], work(fetcher, archive)
    del fetcher.answers[canonical(a_blog.url(20))]
    every_day(fetcher, archive, 1)
    keys = [canonical(a_blog.url(number)) for number in (20, 19, 777)]
    for _ in range(2):
        note_dropped(blog, keys, given)
    assert told(archive, "dropped") == [("dropped", a_blog.url(19))]


def test_a_post_that_the_feed_names_by_another_address_did_not_leave_it(fetcher, archive):
    blog, given = archive.blogs()[0], work(fetcher, archive)
    fetcher.put("https://a.blog/post-19", b"", redirect=a_blog.url(19))
    archive.urls.enqueue(blog.id, [Link(url="https://a.blog/post-19", key="a.blog/post-19", lane="post")])
    asyncio.run(refresh_blog(blog, given))
    entries = [Entry(link="https://a.blog/post-19"), *feed_of(18, 17, 16).entries]
    note_dropped(blog, [canonical(a_blog.url(19))], given, entries=entries)
    assert told(archive, "dropped") == []


def test_a_feed_that_is_sorted_by_the_last_change_drops_no_old_post(fetcher, archive):
    blog, given = archive.blogs()[0], work(fetcher, archive)
    entries = [
        Entry(link=a_blog.url(number), published=datetime(2024, 1, number, tzinfo=UTC)) for number in (20, 19, 18)
    ]
    note_dropped(blog, [canonical(a_blog.url(3))], given, entries=entries)
    assert told(archive, "dropped") == []


def test_a_post_whose_page_was_not_looked_at_is_not_said_to_be_there(fetcher, archive):
    blog, given = archive.blogs()[0], work(fetcher, archive)
    key = canonical(a_blog.url(19))
    archive.urls.requeue(blog.id, [key])
    note_dropped(blog, [key], given)
    assert told(archive, "dropped") == []


def test_an_entry_that_is_dropped_while_its_blog_moves_is_still_told():
    added_at = datetime(2024, 6, 1, tzinfo=UTC)
    blog = Blog(id=1, home="https://new.example/", former_homes=("https://old.example/",), added_at=added_at)
    feed = Feed(url=None, entries=tuple(Entry(link=f"https://new.example/{number}") for number in (9, 7, 6)))
    before = dict.fromkeys((f"old.example/{number}" for number in (9, 8, 7, 6)), "")
    assert dropped_early(before, feed, blog) == ("old.example/8",)
