"""The ledger: what happened to posts is stored with the visit that showed it, once, and nothing is ever taken out."""

from __future__ import annotations

from datetime import timedelta

import pytest
import some_visits as some
from some_visits import HOME, LONG, START

from everlog.archive.archive import ArchiveOptions
from everlog.archive.verify import verify
from everlog.core.urls import canonical
from everlog.records import Comment, Event

URL = HOME + "a"
DAY = 24 * 60 * 60
MOST = timedelta(days=90)


@pytest.fixture
def archive(place):
    with place.open(options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


@pytest.fixture
def blog(archive):
    added = archive.blogs.add(HOME, scope="path")
    with archive.lock(added.id):
        yield added.id


def failed(blog, url, status, *, day=0):
    answer = some.exchange(url, b"no", status=status, at=day * DAY)
    return some.page(blog, url, outcome="failed", reason=f"answers {status}", exchanges=(answer,))


def lost(blog, url, sight, *, day=0):
    return some.page(blog, url, outcome="listing", sight=sight, exchanges=(some.exchange(url, at=day * DAY),))


def unchanged(blog, url, *, day=0):
    return some.page(blog, url, outcome="unchanged", exchanges=(some.exchange(url, b"", status=304, at=day * DAY),))


def told(archive, **wanted):
    return [event.kind for event in archive.events(**wanted)]


def test_events_come_back_as_they_were_noted_newest_last(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    first = Event(blog_id=blog, kind="moved", at=START, reason="it moved\0", detail={"to": "http://b.example/"})
    second = Event(blog_id=blog, kind="dropped", at=START + timedelta(days=1), reason="left", post_id=1)
    archive.events.add([first])
    archive.events.add([second])
    archive.events.add([])
    moved, dropped = archive.events()
    assert (moved.kind, moved.reason, dict(moved.detail), moved.url) == (
        "moved", "it moved\ufffd", {"to": "http://b.example/"}, None,
    )
    assert (dropped.url, dropped.at, dropped.post_id) == (URL, second.at, 1)
    assert told(archive, limit=1) == told(archive, post_url=URL) == ["dropped"]
    assert told(archive, kinds=["moved"]) == ["moved"]
    assert told(archive, since=second.at) == ["dropped"]
    assert told(archive, blog_id=blog + 1) == told(archive, post_url=HOME + "other") == []


def test_a_page_that_answers_410_is_deleted_at_once_and_its_post_stays(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    archive.commit([failed(blog, URL, 410, day=3)])
    (event,) = archive.events()
    state = archive.posts.state(blog, canonical(URL))
    assert (event.kind, event.at, event.url) == ("deleted", START + timedelta(days=3), URL)
    assert (state.gone, state.gone_at) == (event.reason, event.at)
    assert archive.posts.find(URL).text == LONG
    assert list(verify(archive)) == []


def test_a_404_has_to_repeat_itself_over_days(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    for day in (1, 1.2, 2, 2.5):
        archive.commit([failed(blog, URL, 404, day=day)])
    state = archive.posts.state(blog, canonical(URL))
    assert (state.gone, state.missing_since, state.missing_tries) == (None, START + timedelta(days=1), 2)
    archive.commit([failed(blog, URL, 404, day=3)])
    archive.commit([failed(blog, URL, 404, day=9)])
    assert told(archive) == ["missing", "missing", "deleted"]
    assert "3 checks over 2 days" in archive.posts.find(URL).gone


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
def test_trouble_of_the_server_is_no_event(archive, blog, status):
    archive.commit([some.post_visit(blog, URL)])
    for day in range(10):
        archive.commit([failed(blog, URL, status, day=day)])
    assert told(archive) == []
    assert not archive.posts.state(blog, canonical(URL)).is_missing


def test_a_post_that_leads_to_the_home_page_is_gone_the_second_time(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    archive.commit([lost(blog, URL, "led-away", day=1)])
    archive.commit([lost(blog, URL, "led-away", day=2)])
    assert told(archive) == ["missing", "deleted"]
    assert archive.posts.find(URL).aliases == ()


def test_a_page_that_is_no_post_any_more_is_gone_the_third_time(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    for day in (1, 2, 3):
        archive.commit([lost(blog, URL, "no-post", day=day)])
    assert told(archive) == ["missing", "missing", "deleted"]


@pytest.mark.parametrize("again", [unchanged, lambda blog, url, day: some.post_visit(blog, url, at=day * DAY)])
@pytest.mark.parametrize("status", [404, 410])
def test_what_was_missing_or_deleted_may_be_back(archive, blog, again, status):
    archive.commit([some.post_visit(blog, URL)])
    archive.commit([failed(blog, URL, status, day=1)])
    archive.commit([again(blog, URL, day=2)])
    archive.commit([again(blog, URL, day=3)])
    assert told(archive)[1:] == ["back"]
    assert not archive.posts.state(blog, canonical(URL)).is_missing
    assert archive.posts.find(URL).gone is None


def test_a_page_read_again_from_the_archive_is_neither_edited_nor_back(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    archive.commit([failed(blog, URL, 410, day=1)])
    archive.commit([some.post_visit(blog, URL, LONG + " and more words", exchanges=())])
    assert told(archive) == ["deleted"]
    assert archive.posts.find(URL).version == 2


def test_an_edit_is_told_with_its_version_and_what_changed(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    archive.commit([some.post_visit(blog, URL, LONG + " three words more", at=DAY)])
    archive.commit([some.post_visit(blog, URL, LONG + " three words more", at=2 * DAY)])
    (event,) = archive.events(post_url=URL)
    assert (event.kind, event.at, event.detail["version"]) == ("edited", START + timedelta(days=1), 2)
    assert "3 words added" in event.reason


def test_new_comments_alone_are_told_as_such(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    said = Comment(id="1", author="Bob", text="I do not think so.")
    archive.commit([some.post_visit(blog, URL, comments=(said,), at=DAY)])
    archive.commit([some.post_visit(blog, URL, LONG + " edited too now", comments=(said,), at=2 * DAY)])
    assert told(archive) == ["comments", "edited"]


def test_a_page_that_lost_its_article_is_told_once(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    for day in (1, 2, 3):
        archive.commit([some.post_visit(blog, URL, "no more", at=day * DAY)])
    assert told(archive) == ["emptied"]
    assert (archive.posts.find(URL).text, archive.posts.find(URL).version) == (LONG, 1)


def test_a_page_that_lost_its_article_twice_in_one_batch_is_told_once(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    archive.commit([some.post_visit(blog, URL, "no more", at=day * DAY) for day in (1, 2)])
    assert told(archive) == ["emptied"]


@pytest.mark.parametrize("again", [some.post_visit, unchanged], ids=["read", "not-modified"])
def test_a_page_that_shows_its_article_again_is_back_once_and_may_lose_it_anew(archive, blog, again):
    archive.commit([some.post_visit(blog, URL)])
    archive.commit([some.post_visit(blog, URL, "no more", at=DAY)])
    for _ in range(2):
        archive.commit([again(blog, URL)])
    assert told(archive) == ["emptied", "back"]
    archive.commit([some.post_visit(blog, URL, "no more", at=5 * DAY)])
    assert told(archive) == ["emptied", "back", "emptied"]


def test_an_edit_after_a_truncated_reading_is_told_as_an_edit_only(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    archive.commit([some.post_visit(blog, URL, "no more", at=DAY)])
    archive.commit([some.post_visit(blog, URL, LONG + " edited now", at=2 * DAY)])
    archive.commit([some.post_visit(blog, URL, LONG + " edited now", at=3 * DAY)])
    assert told(archive) == ["emptied", "edited"]


def test_posts_that_vanish_together_are_held_back(archive, blog):
    urls = [f"{HOME}{number}" for number in range(8)]
    archive.commit([some.post_visit(blog, url, f"{LONG} {url}") for url in urls])
    for day in (10, 11, 12, 13):
        archive.commit([failed(blog, url, 404, day=day) for url in urls])
    assert set(told(archive)) == {"missing"}
    archive.commit([unchanged(blog, url, day=14) for url in urls[:2]])
    archive.commit([failed(blog, url, 404, day=25) for url in urls[2:]])
    assert [post.gone is not None for post in archive.posts()] == [False] * 2 + [True] * 6


def test_a_few_deletions_among_many_posts_that_are_well_are_believed(archive, blog):
    urls = [f"{HOME}{number}" for number in range(20)]
    archive.commit([some.post_visit(blog, url, f"{LONG} {url}") for url in urls])
    for day in (10, 11, 12):
        archive.commit([failed(blog, url, 404, day=day) for url in urls[:6]])
        archive.commit([unchanged(blog, url, day=day) for url in urls[6:]])
    assert sum(post.gone is not None for post in archive.posts()) == 6


def test_an_alias_that_is_gone_says_nothing_about_its_post(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    archive.commit([some.post_visit(blog, HOME + "b", at=1)])
    archive.commit([failed(blog, HOME + "b", 410, day=1)])
    assert told(archive) == []


def test_events_are_stored_with_the_change_of_the_blog_they_tell(archive, blog):
    event = Event(blog_id=blog, kind="dead", at=START, reason="gone")
    assert archive.blogs.update(blog, gone="gone", gone_at=START, events=[event]).gone == "gone"
    moved = archive.blogs.move(blog, "http://b.example/", events=[event])
    assert (moved.former_homes, told(archive)) == ((HOME,), ["dead", "dead"])


# Rechecks


def planned(archive, blog, day, *, limit=100):
    return [
        key for key, _ in archive.posts.rechecks.take(blog, now=START + timedelta(days=day), most=MOST, limit=limit)
    ]


def test_a_new_post_is_looked_at_after_a_day_and_then_less_and_less_often(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    archive.posts.rechecks.plan(blog, now=START, most=MOST)
    looked = [day for day in range(400) if planned(archive, blog, day)]
    assert looked[0] == 1
    assert len(looked) <= 12
    assert looked[-1] - looked[-2] <= 99


def test_a_whole_blog_comes_due_a_few_posts_a_day_the_newest_first(archive, blog):
    urls = [f"{HOME}{number}" for number in range(200)]
    archive.commit([some.post_visit(blog, url, f"{LONG} {url}", published=START - timedelta(days=number))
                    for number, url in enumerate(urls)])
    archive.posts.rechecks.plan(blog, now=START, most=MOST)
    archive.posts.rechecks.plan(blog, now=START, most=MOST)
    assert planned(archive, blog, 0.5) == []
    assert sorted(planned(archive, blog, 1.001)) == sorted(map(canonical, urls[:20]))
    assert max(len(planned(archive, blog, day)) for day in range(2, 60)) <= 25


def test_a_missing_post_is_due_after_a_day_and_an_edited_one_too(archive, blog):
    other = HOME + "b"
    archive.commit([some.post_visit(blog, URL), some.post_visit(blog, other, LONG + " b")])
    archive.posts.rechecks.plan(blog, now=START, most=MOST)
    assert len(planned(archive, blog, 40)) == 2
    archive.commit([failed(blog, URL, 404, day=40), some.post_visit(blog, other, LONG + " b edited", at=40 * DAY)])
    assert not archive.posts.rechecks.has_due(blog, now=START + timedelta(days=41))
    archive.posts.rechecks.plan(blog, now=START + timedelta(days=40), most=MOST)
    assert archive.posts.rechecks.has_due(blog, now=START + timedelta(days=41))
    assert sorted(planned(archive, blog, 41)) == sorted(map(canonical, (URL, other)))


def test_a_post_can_be_made_due(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    archive.posts.rechecks.plan(blog, now=START, most=MOST)
    archive.posts.rechecks.make_due(blog, [canonical(URL)], at=START)
    assert archive.posts.rechecks.take(blog, now=START, most=MOST, limit=9) == ((canonical(URL), URL),)
    assert planned(archive, blog, 0) == []


def test_a_post_is_found_by_its_own_key_before_its_aliases(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    archive.commit([some.post_visit(blog, HOME + "b", at=1)])
    assert archive.posts.key(blog, "a.example/none", "a.example/b") == "a.example/a"
    assert archive.posts.key(blog, "a.example/none") is archive.posts.state(blog, "a.example/none") is None
