"""What an archive keeps, and what it gives back."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
import some_visits as some
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import Place
from some_visits import HOME, LONG

from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.archive.blog_state import BlogState, KnownFingerprint, LeftOut, ListWalk, LookedAt, Places
from everlog.archive.verify import verify
from everlog.core.scope import Alias
from everlog.errors import ArchiveBusy, DamagedArchive, DiskFull, UsageError
from everlog.extract.extractors.diffpost import RepeatCounts
from everlog.frontier.priority_queue import Progress
from everlog.records import Comment, Media, Provenance
from everlog.records.figures import Figures
from everlog.schedule.liveness import Failing
from everlog.schedule.ownership import BlogFingerprint

NOW = datetime(2030, 1, 1, tzinfo=UTC)
URL = HOME + "a"


@pytest.fixture
def archive(place):
    with place.open() as opened:
        yield opened


@pytest.fixture
def in_folder(tmp_path):
    """An archive that has its database beside its files."""
    with open_archive(tmp_path / "in-folder", create=True) as opened:
        yield opened


@pytest.fixture
def blog(archive):
    """A blog that may be written to."""
    added = archive.blogs.add(HOME, scope="path")
    with archive.lock(added.id):
        yield added.id


def kept(archive, *visits):
    return [word.kept for word in archive.commit(visits)]


def assert_sound(archive):
    assert list(verify(archive)) == []


# Posts and their versions


def test_a_post_comes_back_with_all_its_fields(archive, blog):
    offset = timezone(timedelta(hours=-3))
    post = replace(
        some.post(URL), authors=("Ada", "Bob"), published=datetime(2020, 2, 3, 4, 5, tzinfo=offset),
        updated=datetime(2021, 1, 1, tzinfo=UTC), tags=("sea", "land"), language="en", summary="Short.",
        comments=(Comment(id="1", author="C", text="Hi", published=datetime(2020, 3, 1, tzinfo=UTC), source="page"),),
        comments_state="complete", comment_count_claimed=3, fetched=NOW,
        provenance={"title": Provenance(method="selector", rule="h1", confidence=0.9)},
    )
    archive.commit([replace(some.post_visit(blog, URL), post=post)])
    found = archive.posts.find("https://www.a.example/a/?utm_source=x")
    assert found.warc is not None
    assert found == replace(post, blog=HOME, warc=found.warc)
    assert found.to_dict()["published"] == "2020-02-03T04:05:00-03:00"
    assert archive.blogs.counts(blog).comments == 1


def test_the_same_post_again_is_no_new_version(archive, blog):
    assert kept(archive, some.post_visit(blog, URL)) == ["new"]
    assert kept(archive, some.post_visit(blog, URL, at=60)) == ["same"]
    assert len(archive.posts.versions(URL)) == 1


def test_what_the_way_of_reading_alone_changed_is_no_new_version(archive, blog):
    visit = some.post_visit(blog, URL)
    archive.commit([visit])
    by_other_rule = replace(visit.post, provenance={"title": Provenance(method="meta")}, fetched=NOW)
    assert kept(archive, replace(visit, post=by_other_rule)) == ["same"]


def test_an_edited_post_is_a_new_version_and_the_old_one_stays(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    word = archive.commit([some.post_visit(blog, URL, LONG + " edited", at=60)])[0]
    assert (word.kept, word.version) == ("changed", 2)
    assert [version.text for version in archive.posts.versions(URL)] == [LONG, LONG + " edited"]
    assert archive.posts.find(URL).version == 2
    assert_sound(archive)


def test_versions_of_one_batch_are_numbered_in_its_order(archive, blog):
    texts = [LONG, LONG + " b", LONG + " b", LONG + " c"]
    words = archive.commit([some.post_visit(blog, URL, text, at=number) for number, text in enumerate(texts)])
    assert [(word.kept, word.version) for word in words] == [("new", 1), ("changed", 2), ("same", 2), ("changed", 3)]
    assert_sound(archive)


def test_the_same_long_text_elsewhere_is_another_address_of_the_post(archive, blog):
    assert kept(archive, some.post_visit(blog, URL), some.post_visit(blog, HOME + "b")) == ["new", "alias"]
    assert kept(archive, some.post_visit(blog, HOME + "c")) == ["alias"]
    assert archive.posts.find(HOME + "c").url == URL
    assert archive.posts.find(URL).aliases == (HOME + "b", HOME + "c")
    assert_sound(archive)


@pytest.mark.parametrize(("published", "outcome"), [(NOW, "alias"), (NOW + timedelta(days=1), "new"), (None, "new")])
def test_the_same_short_text_is_the_same_post_only_with_the_same_date(archive, blog, published, outcome):
    archive.commit([some.post_visit(blog, URL, "Happy new year!", published=NOW)])
    assert kept(archive, some.post_visit(blog, HOME + "b", "Happy new year!", published=published)) == [outcome]


def test_an_address_that_later_has_a_text_of_its_own_becomes_a_post(archive, blog):
    archive.commit([some.post_visit(blog, URL), some.post_visit(blog, HOME + "b")])
    assert kept(archive, some.post_visit(blog, HOME + "b", LONG + " else", at=9)) == ["new"]
    assert archive.posts.find(HOME + "b").text == LONG + " else"
    assert archive.posts.find(URL).aliases == ()
    assert_sound(archive)


def test_posts_of_two_blogs_are_never_mixed(archive, blog):
    other = archive.blogs.add("http://b.example/", scope="path")
    with archive.lock(other.id):
        visits = [some.post_visit(blog, URL), some.post_visit(other.id, "http://b.example/a")]
        assert kept(archive, *visits) == ["new", "new"]
    assert [post.blog for post in archive.posts(blog_id=other.id)] == ["http://b.example/"]
    assert_sound(archive)


def test_redirects_and_canonical_links_are_aliases(archive, blog):
    hops = (some.exchange(HOME + "old", b"", status=301), some.exchange(HOME + "older", b"", status=302))
    answer = some.exchange(URL, LONG.encode())
    visit = some.post_visit(blog, HOME + "old", exchanges=(*hops, answer), post_key="a.example/a")
    archive.commit([replace(visit, post=some.post(URL))])
    found = archive.posts.find(URL)
    assert (found.url, found.aliases) == (URL, (HOME + "old", HOME + "older"))
    assert archive.posts.find(HOME + "older") == found
    assert_sound(archive)


def test_a_page_that_is_gone_leaves_its_copy(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    gone = some.page(
        blog, URL, outcome="failed", reason="not there (410)", exchanges=(some.exchange(URL, b"no", status=410),),
    )
    archive.commit([gone])
    assert (archive.posts.find(URL).gone, archive.posts.find(URL).text) == ("its page returned HTTP 410 Gone", LONG)
    archive.commit([some.post_visit(blog, URL, at=60)])
    assert archive.posts.find(URL).gone is None
    assert_sound(archive)


def test_a_failure_in_passing_changes_nothing_about_a_post(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    before = archive.posts.find(URL)
    archive.commit([
        some.page(blog, URL, outcome="failed", reason="timeout", exchanges=()),
        some.page(blog, URL, outcome="failed", reason="503", exchanges=(some.exchange(URL, b"later", status=503),)),
    ])
    assert archive.posts.find(URL) == before


def test_a_post_read_again_from_the_archive_keeps_its_capture(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    archive.commit([some.post_visit(blog, URL, LONG + " better read", exchanges=())])
    first, second = archive.posts.versions(URL)
    assert first.warc == second.warc is not None


def test_a_post_behind_a_redirect_keeps_its_capture_too_when_it_is_read_again(archive, blog):
    hops = (some.exchange(HOME + "old", b"", status=301), some.exchange(URL, LONG.encode()))
    archive.commit([some.post_visit(blog, HOME + "old", exchanges=hops, post_key="a.example/a")])
    capture = next(archive.captures(blog))
    assert archive.files.exchange(capture).body == LONG.encode()
    again = [some.post_visit(blog, capture.url, f"{LONG} {number}", exchanges=()) for number in range(2)]
    archive.commit(again)
    assert len({version.warc for version in archive.posts.versions(URL)}) == 1
    assert archive.posts.find(URL).warc is not None
    assert_sound(archive)


def test_reading_again_says_nothing_about_the_web(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    archive.commit([
        some.page(blog, URL, outcome="failed", reason="gone", exchanges=(some.exchange(URL, b"", status=410),)),
    ])
    archive.commit([some.post_visit(blog, URL, LONG + " better read", exchanges=())])
    assert archive.posts.find(URL).gone == "its page returned HTTP 410 Gone"
    assert archive.urls.state(blog, URL.removeprefix("http://")) == ("failed", 1)


def test_a_good_visit_is_no_failed_try_whether_its_address_was_queued_before_or_not(archive, blog):
    archive.commit([some.post_visit(blog, URL)])
    assert archive.urls.state(blog, URL.removeprefix("http://")) == ("done", 0)
    archive.commit([some.post_visit(blog, URL)])
    assert archive.urls.state(blog, URL.removeprefix("http://")) == ("done", 0)


@pytest.mark.parametrize("text", ["中文和 emoji 🎉", "a\0b", "half \ud83c of one", "\u202eright to left"])
def test_texts_of_all_kinds_survive_in_every_field(archive, blog, text):
    comment = Comment(author=text, text=text)
    archive.commit([
        some.post_visit(blog, URL, text, title=text, tags=(text,), comments=(comment,), note=text, reason=text),
    ])
    found = archive.posts.find(URL)
    safe = text.replace("\0", "\ufffd").replace("\ud83c", "\ufffd")
    assert (found.title, found.text, found.tags, found.comments[0].author) == (safe, safe, (safe,), safe)
    assert list(archive.urls.notes(blog)) == [(URL, safe)]
    assert_sound(archive)


def test_posts_are_found_by_the_moment_they_were_published(archive, blog):
    east = timezone(timedelta(hours=10))
    archive.commit([
        some.post_visit(blog, HOME + "1", "one", published=datetime(2020, 1, 2, 5, tzinfo=east)),
        some.post_visit(blog, HOME + "2", "two", published=datetime(2020, 1, 2, 0, tzinfo=UTC)),
        some.post_visit(blog, HOME + "3", "three"),
    ])
    since = datetime(2020, 1, 2, tzinfo=UTC)
    assert [post.text for post in archive.posts(since=since)] == ["two"]
    first = archive.commit([some.post_visit(blog, HOME + "4", "four")])[0].post_id
    assert [post.text for post in archive.posts(ids=[first, 10_000])] == ["four"]


@pytest.mark.slow
def test_many_posts_stream_without_filling_the_memory(place):
    with place.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            for start in range(0, 5_000, 500):
                archive.commit([
                    some.post_visit(blog, f"{HOME}{number}", f"{number} {LONG}", exchanges=())
                    for number in range(start, start + 500)
                ])
        next(archive.posts())
        tracemalloc.start()
        try:
            assert sum(1 for _ in archive.posts()) == 5_000
            # All of them at once would take more than twice as much.
            assert tracemalloc.get_traced_memory()[1] < 3_000_000
        finally:
            tracemalloc.stop()


# Media


def test_a_picture_is_tied_to_all_posts_that_show_it_whichever_came_first(archive, blog):
    address = HOME + "p.png"
    html = f'<p><img src="{address}"></p>'
    visit = some.post_visit(blog, URL, media=(Media(url=address),))
    archive.commit([replace(visit, post=replace(visit.post, html=html))])
    assert archive.posts.find(URL).media == (Media(url=address),)
    archive.commit([some.media_visit(blog, address)])
    archive.commit([some.post_visit(blog, HOME + "b", LONG + " b", media=(Media(url=address),))])
    found, later = archive.posts.find(URL), archive.posts.find(HOME + "b")
    assert found.media == later.media
    assert found.media[0].path.endswith(".png")
    assert (archive.files.folder / found.media[0].path).read_bytes() == b"\x89PNG picture"
    assert found.html == f'<p><img src="{found.media[0].path}"></p>'
    assert_sound(archive)


def test_the_same_content_is_one_file(archive, blog):
    archive.commit([some.media_visit(blog, HOME + "1.png"), some.media_visit(blog, HOME + "2.gif")])
    archive.commit([some.media_visit(blog, HOME + "3.png")])
    assert len(list(archive.files.folder.glob("media/*/*"))) == 1
    assert archive.blogs.counts(blog).media == 3
    assert_sound(archive)


def test_media_that_could_not_be_had_keep_their_reason(archive, blog):
    failed = some.page(blog, HOME + "p.png", outcome="failed", reason="too large", exchanges=())
    archive.urls.enqueue(blog, [some.link(HOME + "p.png", lane="media")])
    archive.commit([some.post_visit(blog, URL, media=(Media(url=HOME + "p.png"),)), failed])
    assert archive.posts.find(URL).media == (Media(url=HOME + "p.png"),)
    assert [(problem.lane, problem.reason) for problem in archive.urls.problems(blog)] == [("media", "too large")]


# Figures


def test_each_figure_counts_what_is_held_waits_or_is_missing_and_no_address_twice(archive, blog):
    def talked(url, said, claimed, state):
        visit = some.post_visit(blog, url, f"{LONG} {url}")
        comments = tuple(Comment(id=str(number), text=f"Comment {number}") for number in range(said))
        post = replace(visit.post, comments=comments, comments_state=state, comment_count_claimed=claimed)
        return replace(visit, post=post)

    archive.urls.enqueue(blog, [some.link(HOME + "gone-post", lane="post"), some.link(HOME + "lost.png", lane="media"),
                           some.link(HOME + "refused.png", lane="media"), some.link(HOME + "later", lane="post")])
    archive.commit([
        talked(HOME + "1", 2, 5, "partial"), talked(HOME + "2", 0, 4, "none"), talked(HOME + "3", 3, 2, "complete"),
        talked(HOME + "4", 0, None, "none"), some.post_visit(blog, HOME + "copy-of-1", f"{LONG} {HOME}1"),
        some.media_visit(blog, HOME + "held.png"), some.page(blog, HOME + "list", outcome="listing"),
        some.page(blog, HOME + "gone-post", outcome="failed", reason="404"),
        some.page(blog, HOME + "gone-page", outcome="failed", reason="404"),
        some.page(blog, HOME + "lost.png", lane="media", outcome="failed", reason="404"),
        some.page(blog, HOME + "refused.png", lane="media", outcome="skip", reason="robots.txt", exchanges=()),
        some.page(blog, HOME + "left-out", outcome="skip", reason="noarchive"),
    ])
    # A post that is held is not missing, though it is gone from the web; nor does it wait, though it is asked again.
    archive.commit([some.page(blog, HOME + "2", outcome="failed", reason="gone")])
    archive.urls.requeue(blog, ["a.example/3"])
    figures = Figures(
        posts=4, comments=5, media=1, aliases=1, pages=1, missing_posts=1, missing_pages=1, media_missing=2,
        waiting_posts=1,
    )
    assert archive.blogs.figures(blog) == figures
    assert [replace(outline.figures, pages=1) for outline in archive.blogs.outlines()] == [figures]
    assert archive.comments.count_missing(blog) == 3 + 4
    assert sum(problem.is_missing for problem in archive.urls.problems(blog)) == figures.missing + figures.media_missing
    assert [problem.url for problem in archive.urls.problems(blog) if not problem.is_missing] == [HOME + "left-out"]


# Queue


def test_a_url_is_queued_once_and_done_with_its_visit(archive, blog):
    assert archive.urls.enqueue(blog, [some.link(URL), some.link(URL), some.link(HOME + "b", lane="post")]) == 2
    archive.commit([some.page(blog, URL, links=(some.link(URL), some.link(HOME + "c")))])
    assert [link.url for _, link in archive.urls.queued(blog, "page", limit=9, now=NOW)] == [HOME + "c"]
    assert sorted(archive.urls.known_keys(blog)) == ["a.example/a", "a.example/b", "a.example/c"]
    assert archive.blogs.counts(blog).queued == {"page": 1, "post": 1}


def test_a_url_to_be_tried_later_waits_until_then(archive, blog):
    archive.commit([some.page(blog, URL, outcome="retry", reason="503", again_at=NOW, exchanges=())])
    assert archive.urls.queued(blog, "page", limit=9, now=NOW - timedelta(seconds=1)) == ()
    assert len(archive.urls.queued(blog, "page", limit=9, now=NOW)) == 1


def test_urls_that_wait_for_other_pages_are_told_apart_from_those_to_be_visited(archive, blog):
    urls = [HOME + name for name in "abcd"]
    archive.urls.enqueue(blog, [some.link(url) for url in urls])
    archive.commit([
        some.page(blog, urls[0], outcome="retry", reason="waits for another"),
        some.page(blog, urls[2], outcome="retry", reason="503", again_at=NOW, exchanges=()),
    ])
    assert [link.url for _, link in archive.urls.queued(blog, "page", limit=9, now=NOW)] == urls[1:]
    assert [link.url for _, link in archive.urls.queued(blog, "page", limit=9, now=NOW, put_off=True)] == urls[:1]
    assert archive.urls.has_waiting(blog, lanes=("page",), now=NOW)


def test_a_picture_that_waits_for_its_host_is_no_page_though_its_post_is_stored_in_the_same_breath(archive, blog):
    picture = some.link(HOME + "p.png", lane="media")
    waits = some.page(
        blog, picture.url, lane="media", outcome="retry", reason="429", again_at=NOW + timedelta(days=1), exchanges=(),
    )
    archive.commit([some.post_visit(blog, URL, links=(picture,)), waits])
    assert archive.blogs.counts(blog).queued == {"media": 1}
    assert archive.urls.waits_until(blog) is None
    assert archive.urls.media_held_off(blog, now=NOW) == (1, NOW + timedelta(days=1))
    assert archive.urls.media_held_off(blog, now=NOW + timedelta(days=1)) == (0, None)
    queued = archive.urls.queued(blog, "media", limit=9, now=NOW + timedelta(days=1))
    assert [link.lane for _, link in queued] == ["media"]


def test_a_wait_before_anything_was_asked_is_no_try(archive, blog):
    waits = some.page(blog, URL, outcome="retry", tried=False, reason="429", again_at=NOW, exchanges=())
    refused = replace(waits, tried=True, exchanges=(some.exchange(URL, status=429),))
    tries = []
    for visit in (waits, waits, refused, waits, replace(refused, outcome="failed", again_at=None)):
        archive.commit([visit])
        tries.append(archive.urls.state(blog, "a.example/a")[1])
    assert tries == [0, 0, 1, 1, 2]


def test_what_failed_in_passing_gets_another_chance_and_what_is_gone_does_not(archive, blog):
    archive.commit([
        some.page(blog, HOME + "1", outcome="failed", reason="timeout", exchanges=()),
        some.page(blog, HOME + "2", outcome="failed", reason="502", exchanges=(some.exchange(HOME, status=502),)),
        some.page(blog, HOME + "3", outcome="failed", reason="404", exchanges=(some.exchange(HOME, status=404),)),
    ])
    assert archive.urls.requeue_failed(blog, now=NOW) == 2
    assert [problem.url for problem in archive.urls.problems(blog)] == [HOME + "3"]


def test_pages_teach_in_the_order_they_were_visited(archive, blog):
    archive.commit([some.page(blog, f"{HOME}{number}", new_posts=number) for number in range(5)])
    assert archive.urls.seen_pages(blog, limit=2) == ((HOME + "3", 3), (HOME + "4", 4))


# Blogs and what is remembered


def test_a_blog_is_known_by_any_spelling_of_its_home_and_by_its_pages(archive, blog):
    assert archive.blogs.add("https://www.A.example", scope="host").id == blog
    archive.commit([some.page(blog, HOME + "about")])
    assert archive.blogs.find(HOME + "about/").id == blog
    assert archive.blogs.find("http://c.example/") is None


def test_a_blog_changes_and_can_be_forgotten(archive, blog):
    changed = archive.blogs.update(blog, title="A\0", state="finished", crawled_at=NOW)
    assert (changed.title, changed.state, changed.crawled_at) == ("A\ufffd", "finished", NOW)
    archive.blogs.update(blog, forgotten_at=NOW)
    assert archive.blogs() == ()
    assert len(archive.blogs(forgotten=True)) == 1
    with pytest.raises(ValueError, match="no changeable home"):
        archive.blogs.update(blog, home="x")


def test_runs_and_what_is_known_of_hosts_are_kept(archive, blog):
    run = archive.blogs.begin_run(blog, "crawl")
    assert archive.blogs.runs(blog)[0].ended_at is None
    archive.blogs.end_run(run, reason="complete", counts={"posts": 3})
    assert (archive.blogs.runs(blog)[0].reason, archive.blogs.runs(blog)[0].counts) == ("complete", {"posts": 3})
    archive.hosts.cache({"robots http://a.example": "1", "wait a.example": "2"})
    archive.hosts.cache({"robots http://a.example": "3", "wait a.example": None})
    assert (archive.hosts.cached("robots http://a.example"), archive.hosts.cached("wait a.example")) == ("3", None)


def test_the_state_of_a_blog_is_what_was_left_for_it(archive, blog):
    assert archive.blogs.state(blog) == BlogState()
    walk = ListWalk(newest=("a",), waiting=(HOME,))
    failing = Failing(since=NOW, last=NOW, looks=1, answers=("not-found",))
    fingerprint = KnownFingerprint(fingerprint=BlogFingerprint(names=("Ann",)), capture=7, has_feed=True)
    left = BlogState(
        entries={"b": "1", "a": "2"}, walk=walk, failing=failing, places=Places(aliases=(Alias(home=URL),)),
        progress=Progress(latest=(0, 1), visited=5, brought=3), fingerprint=fingerprint, comments_missing=0,
        update=LookedAt(until=NOW), split_posts=(), front_pages=(), left_out=LeftOut(links={"x": URL}, said="so"),
    )
    assert archive.blogs.change_state(blog, lambda _: left) == archive.blogs.state(blog) == left
    assert list(archive.blogs.state(blog).entries) == ["b", "a"]
    archive.blogs.change_state(blog, lambda state: replace(state, entries={"a": "2", "b": "1"}, walk=None))
    after = archive.blogs.state(blog)
    assert (list(after.entries), after.walk, after.failing) == (["a", "b"], None, failing)


def test_nothing_is_written_where_the_state_of_a_blog_stays_as_it_is(archive, blog):
    archive.backend.database.fence = 7
    assert archive.blogs.change_state(blog, lambda state: replace(state, walk=None)) == BlogState()


def test_what_repeats_on_the_pages_of_a_blog_stands_beside_its_state(archive, blog):
    archive.blogs.keep_repeats(blog, None)
    assert archive.blogs.repeats(blog) is None
    archive.blogs.keep_repeats(blog, RepeatCounts(pages=(5,)))
    archive.blogs.change_state(blog, lambda state: replace(state, start_page=URL))
    assert (archive.blogs.repeats(blog), archive.blogs.state(blog).start_page) == (RepeatCounts(pages=(5,)), URL)
    archive.blogs.keep_repeats(blog, None)
    assert (archive.blogs.repeats(blog), archive.blogs.state(blog).start_page) == (None, URL)


def test_an_address_leads_to_the_blog_that_it_led_to_last(archive):
    assert archive.blogs.home_at(HOME) is None
    for home in (URL, HOME):
        archive.blogs.keep_address("https://WWW.a.example/old/", home)
    assert archive.blogs.home_at("http://a.example/old") == HOME


def test_an_archive_that_is_only_read_has_no_writer_and_no_locks(tmp_path):
    folder = tmp_path / "archive"
    with open_archive(folder, create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.post_visit(blog, URL)])
    shutil.rmtree(folder / "locks")
    with open_archive(folder) as archive:
        assert [post.url for post in archive.posts()] == [URL]
        assert archive.search.count("word7") == len(list(archive.events())) + 1
        assert archive.files.exchange(archive.captures.find(blog, URL)).url == URL
        assert not (folder / "locks").exists()
        assert "writers" not in vars(archive)
        with archive.lock(blog):
            archive.commit([some.post_visit(blog, HOME + "b")])


# The folder


def test_all_editions_of_an_address_are_told_once_each_the_one_seen_last_behind_the_others(archive, blog):
    bodies = (b"<rss>one</rss>", b"<rss>two</rss>", b"<rss>one</rss>")
    for at, body in enumerate(bodies):
        answer = some.exchange(HOME + "feed", body, at=at, purpose="feed")
        archive.commit([some.page(blog, HOME + "feed", outcome="feed", exchanges=(answer,))])
    editions = archive.captures.bodies(blog, HOME + "feed")
    assert [archive.files.exchange(capture).body for capture in editions] == [b"<rss>two</rss>", b"<rss>one</rss>"]
    assert archive.captures.bodies(blog, HOME + "elsewhere") == ()


def test_an_archive_that_was_moved_reads_as_before(tmp_path):
    with open_archive(tmp_path / "here", create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.post_visit(blog, URL, media=(Media(url=HOME + "p.png"),))])
            archive.commit([some.media_visit(blog, HOME + "p.png")])
        before = archive.posts.find(URL)
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    shutil.rmtree(tmp_path / "here")
    with open_archive(tmp_path / "there", create=False) as archive:
        assert archive.posts.find(URL) == before
        assert archive.files.exchange(archive.captures.find(blog, URL)).body == LONG.encode()
        assert_sound(archive)


def test_an_archive_that_is_not_there_is_not_made_by_looking(tmp_path):
    with pytest.raises(UsageError, match="create=True"):
        open_archive(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def test_a_folder_that_leads_elsewhere_is_refused(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "media").symlink_to(tmp_path / "outside")
    with pytest.raises(UsageError, match="symbolic link"):
        open_archive(tmp_path / "archive", create=True)


def test_a_file_that_is_no_database_is_said_so(tmp_path):
    (tmp_path / "everlog.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(DamagedArchive, match="is a damaged database"):
        open_archive(tmp_path, create=True)


def test_a_lock_is_for_one_and_names_its_holder(in_folder):
    archive = in_folder
    blog = archive.blogs.add(HOME, scope="path").id
    script = """
import sys
from everlog.archive import open_archive
from everlog.errors import ArchiveBusy
with open_archive(sys.argv[1], create=True) as archive:
    try:
        with archive.lock(int(sys.argv[2])):
            pass
    except ArchiveBusy as error:
        print(error)
"""
    with archive.lock(blog):
        said = subprocess.run(
            [sys.executable, "-c", script, str(archive.files.folder), str(blog)],
            capture_output=True, text=True, check=True,
        )
        assert f"pid {os.getpid()}" in said.stdout
        assert "wait for it to finish, or stop it" in said.stdout
        with pytest.raises(ArchiveBusy), archive.lock(blog):
            pass


def test_a_lock_is_for_one_on_a_server_too(shared):
    with shared.open() as archive, shared.open() as other:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            for each in (archive, other):
                with pytest.raises(ArchiveBusy, match="wait for it to finish, or stop it"), each.lock(blog):
                    pass
        with other.lock(blog):
            other.commit([some.page(blog, URL)])


def test_who_does_not_hold_the_lock_cannot_write(archive):
    blog = archive.blogs.add(HOME, scope="path").id
    with pytest.raises(ValueError, match="hold the lock"):
        archive.commit([some.page(blog, URL)])


def test_two_blogs_are_written_by_two_programs_at_once(archive, blog, place):
    with place.open() as other:
        second = other.blogs.add("http://b.example/", scope="path").id
        with other.lock(second):
            for number in range(5):
                archive.commit([some.page(blog, f"{HOME}{number}")])
                other.commit([some.page(second, f"http://b.example/{number}")])
    assert_sound(archive)


# The disk


def test_a_crawl_pauses_before_the_disk_is_full(tmp_path):
    with open_archive(tmp_path, create=True, options=ArchiveOptions(min_free_bytes=1 << 60)) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog), pytest.raises(DiskFull, match="continues where it stopped"):
            archive.commit([some.page(blog, URL)])
        assert list(tmp_path.glob("warc/*")) == []
        assert archive.backend.file_store.scratch == tmp_path


FILLS_UP = """
import resource, signal, sys
sys.path[:0] = sys.argv[3:]
import some_visits as some
from everlog.archive import open_archive
from everlog.errors import DiskFull, EverlogError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open_archive(sys.argv[1], create=True) as archive:
    blog = archive.blogs.add(some.HOME, scope="path").id
    with archive.lock(blog):
        archive.commit([some.page(blog, some.HOME + "before")])
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
        noise = bytes(range(256)) * 4000
        big = some.exchange(some.HOME + "big", noise, headers=(("Content-Type", "image/png"),))
        for _ in range(2):
            try:
                archive.commit([some.page(blog, some.HOME + "big", exchanges=(big,))])
            except DiskFull as error:
                print("DiskFull", error.exit_code)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""


def test_a_write_that_finds_no_room_is_never_taken_for_done(tmp_path):
    folder = tmp_path / "archive"
    said = subprocess.run(
        [sys.executable, "-c", FILLS_UP, str(folder), "500000", str(Path(__file__).parent)],
        capture_output=True, text=True, check=True,
    )
    assert said.stdout.splitlines() == ["DiskFull 6", "DiskFull 6"]
    with open_archive(folder, create=True) as archive:
        blog = archive.blogs.find(HOME).id
        long_file = next(folder.glob("warc/*")).stat().st_size
        with archive.lock(blog):
            assert next(folder.glob("warc/*")).stat().st_size < long_file
            archive.commit([some.page(blog, HOME + "after")])
        assert sorted(archive.urls.known_keys(blog)) == ["a.example/after", "a.example/before"]
        assert_sound(archive)


@pytest.mark.parametrize("lose", [lambda file: os.truncate(file, file.stat().st_size - 10), Path.unlink])
def test_a_warc_file_that_is_lost_is_not_written_to_and_what_stood_in_it_is_stored_anew(in_folder, lose):
    archive = in_folder
    blog = archive.blogs.add(HOME, scope="path").id
    with archive.lock(blog):
        archive.commit([some.page(blog, URL)])
        first = archive.captures.find(blog, URL)
    file = next(archive.files.folder.glob("warc/*"))
    kept = file.read_bytes()
    lose(file)
    left = file.read_bytes() if file.exists() else None
    with archive.lock(blog):
        assert archive.backend.file_store.lost == {f"warc/{file.name}"}
        # Asked for without a condition, and stored whole though the same body was stored once.
        assert archive.captures.find(blog, URL) is None
        archive.commit([some.page(blog, URL)])
    second = archive.captures.find(blog, URL)
    assert second.digest == first.digest
    assert second.place.file != first.place.file
    assert archive.files.exchange(second).body == some.page(blog, URL).exchanges[-1].body
    assert (file.read_bytes() if file.exists() else None) == left
    # Brought back from a copy, all is as if it had never been away.
    file.write_bytes(kept)
    with archive.lock(blog):
        assert archive.backend.file_store.lost == set()
    assert_sound(archive)


def test_opening_an_archive_leaves_no_file_open(tmp_path):
    open_archive(tmp_path, create=True).close()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        with open_archive(tmp_path, create=True) as archive:
            blog = archive.blogs.add(HOME, scope="path").id
            with archive.lock(blog):
                archive.commit([some.page(blog, URL)])
    assert len(list(Path("/proc/self/fd").iterdir())) == before


# Whatever comes


TEXTS = st.sampled_from([LONG, LONG + " b", "short", "", "🎉", "a\0\ud800"])
ADDRESSES = st.sampled_from([HOME + "a", HOME + "b?x=1", HOME + "c/", "https://www.a.example/a", HOME + "é"])


@st.composite
def any_visit(draw):  # noqa: PLR0911 - one for each kind
    url, text, at = draw(ADDRESSES), draw(TEXTS), draw(st.integers(0, 3))
    kind = draw(st.sampled_from(["post", "moved", "page", "media", "304", "failed", "retry", "reread"]))
    match kind:
        case "post":
            return some.post_visit(1, url, text, at=at, published=draw(st.sampled_from([None, NOW])))
        case "moved":
            to = draw(ADDRESSES)
            hops = (some.exchange(url, b"", status=301), some.exchange(to, text.encode("utf-8", "replace"), at=at))
            key = draw(st.sampled_from([None, "a.example/a", "a.example/other"]))
            return replace(some.post_visit(1, url, text, exchanges=hops, post_key=key), post=some.post(to, text))
        case "page" | "retry":
            return some.page(1, url, outcome=kind, links=(some.link(draw(ADDRESSES)),))
        case "media":
            return some.media_visit(1, url, text.encode("utf-8", "replace"), at=at)
        case "304":
            return some.page(1, url, outcome="unchanged", exchanges=(some.exchange(url, b"", status=304, at=at),))
        case "failed":
            answer = some.exchange(url, b"no", status=draw(st.sampled_from([404, 410, 500])))
            return some.page(1, url, outcome="failed", reason="no", exchanges=(answer,))
        case _:
            return some.post_visit(1, url, text, exchanges=())


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(any_visit(), min_size=1, max_size=6), max_size=6))
def test_any_sequence_of_visits_leaves_a_sound_archive(tmp_path_factory, batches):
    leaves_a_sound_archive(Place(folder=tmp_path_factory.mktemp("any")), batches)


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(any_visit(), min_size=1, max_size=6), max_size=6))
@pytest.mark.slow
def test_any_sequence_of_visits_leaves_a_sound_archive_on_a_server(emptied, tmp_path_factory, batches):
    leaves_a_sound_archive(emptied(tmp_path_factory.mktemp("any")), batches)


def leaves_a_sound_archive(place, batches):
    with place.open(options=ArchiveOptions(rotate_bytes=2000)) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        for batch in batches:
            with archive.lock(blog):
                archive.commit(batch)
        assert_sound(archive)
        for post in archive.posts():
            versions = archive.posts.versions(post.url)
            assert [version.version for version in versions] == list(range(1, len(versions) + 1))
