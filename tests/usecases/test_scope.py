"""What belongs to a blog: what was typed, what its feed spans, and the addresses that its own pages call theirs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.archive.verify import verify
from everlog.core.urls import canonical, host_of
from everlog.errors import NothingToLearn
from everlog.records import Failure
from everlog.settings import make_settings
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.inspection import inspect_blog
from everlog.usecases.learn.relearn import learn_again
from everlog.usecases.update.update_blog import refresh_blog
from usecases.a_mirror import POSTS, SAID, TALKED_OF, put_mirror, put_mirrored_feed
from usecases.a_site import a_site, listing, put_feed, work
from usecases.a_web import MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.usecases.crawl.report import Report

ALL = list(range(1, POSTS + 1))
HERE, THERE = "http://mirror.example/", "http://www.there.example/"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


def crawl(fetcher: MemoryWeb, archive: Archive, url: str, **settings: Any) -> Report:
    return asyncio.run(archive_blog(url, work(fetcher, archive, **settings)))


def numbers_held(archive: Archive) -> list[int]:
    """The posts that are held, one number for each time that one is."""
    return sorted(int((post.title or "").split()[1]) for post in archive.posts())


def hosts_held(archive: Archive) -> set[str]:
    return {host_of(post.url) for post in archive.posts()}


def silent(fetcher: MemoryWeb, home: str) -> None:
    """A host that gives no answer to anything it is asked for in these tests."""
    paths = ["", "feed.xml", "about/", *(f"page/{number}/" for number in range(2, 5))]
    for path in (*paths, *(f"{number}/" for number in ALL), *(f"{number}/feed/" for number in ALL)):
        fetcher.answers[canonical(home + path)] = Failure(url=home + path, trouble="dns", reason="DNS lookup failed")


def moved_home(fetcher: MemoryWeb, path: str, way: str, hop: int = 302) -> None:
    """The start page of `a_site` at another path, to which its home leads."""
    start = a_blog.HOME + path
    fetcher.answers[canonical(start)] = fetcher.answers.pop(canonical(a_blog.HOME))
    if way == "redirect":
        fetcher.put(a_blog.HOME, b"", redirect=start, hop=hop)
    else:
        fetcher.put(a_blog.HOME, f"<html><head><meta http-equiv=refresh content='0; url={start}'></head></html>")


@pytest.mark.parametrize("way", ["redirect", "refresh"])
@pytest.mark.parametrize("path", [
    "home", "blog/", *(pytest.param(each, marks=pytest.mark.slow) for each in ("home/", "en/", "start.php")),
])
def test_a_home_that_sends_its_readers_on_to_a_start_page_below_it_stays_the_blog(archive, way, path):
    fetcher = a_site()
    moved_home(fetcher, path, way)
    report = crawl(fetcher, archive, a_blog.HOME)
    assert (report.ending, report.blog) == ("complete", a_blog.HOME)
    assert numbers_held(archive) == ALL
    assert len(set(map(canonical, fetcher.asked))) == len(fetcher.asked)
    assert list(verify(archive)) == []


@pytest.mark.parametrize("way", ["redirect", "refresh"])
def test_a_blog_with_a_start_page_is_updated_and_has_not_moved(archive, way):
    fetcher = a_site()
    moved_home(fetcher, "home", way)
    crawl(fetcher, archive, a_blog.HOME)
    for number in range(21, 33):
        fetcher.put(a_blog.url(number), a_blog.page(number % 28 + 1, inside=a_blog.article(number)).replace(
            f"Post {number % 28 + 1} ".encode(), f"Post {number} ".encode(),
        ))
    fetcher.put(a_blog.HOME + "home", listing(range(32, 20, -1), older=2))
    put_feed(fetcher, [32, 31, 30])
    report = crawl(fetcher, archive, a_blog.HOME)
    assert (report.ending, report.blog) == ("complete", a_blog.HOME)
    assert numbers_held(archive) == list(range(1, 33))
    assert archive.blogs()[0].former_homes == ()


def test_a_start_page_that_was_there_from_the_first_is_no_move_when_the_feed_is_lost(archive):
    fetcher = a_site()
    moved_home(fetcher, "home", "redirect", hop=301)
    crawl(fetcher, archive, a_blog.HOME)
    feed = fetcher.answers.pop(canonical(a_blog.HOME + "feed.xml"))
    fetcher.answers[canonical(a_blog.HOME + "atom.xml")] = feed
    page = fetcher.answers[canonical(a_blog.HOME + "home")]
    page.body = page.body.replace(b"feed.xml", b"atom.xml")
    crawl(fetcher, archive, a_blog.HOME)
    blog = archive.blogs()[0]
    assert (blog.home, blog.former_homes, blog.feed_url) == (a_blog.HOME, (), a_blog.HOME + "atom.xml")


def test_a_blog_whose_home_leads_to_another_host_is_what_lies_below_the_page_there(archive):
    fetcher = a_site()
    moved_home(fetcher, "blog/", "redirect")
    fetcher.put("http://front.example/", b"", redirect=a_blog.HOME + "blog/")
    report = crawl(fetcher, archive, "http://front.example/")
    assert report.blog == a_blog.HOME + "blog/"
    # Its feed's entries stand above it, so they and their folder are the blog's as well.
    assert numbers_held(archive) == ALL


def test_entries_outside_what_was_typed_widen_the_scope_to_their_folder(archive):
    fetcher = a_site()
    moved_home(fetcher, "blog/", "redirect")
    fetcher.put(a_blog.HOME, "<html><body>a shop, <a href=/blog/>with a blog</a></body></html>")
    report = crawl(fetcher, archive, a_blog.HOME + "blog/")
    assert report.ending == "complete"
    assert numbers_held(archive) == ALL


def test_what_was_typed_stays_the_scope_where_the_entries_lie_within(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE + "blog/", HERE + "blog/")
    fetcher.put(HERE + "shop/", "<html><body>a shop</body></html>")
    page = fetcher.answers[canonical(HERE + "blog/")]
    fetcher.put(HERE + "blog/", page.body.replace(b"</body>", b"<a href=/shop/>the shop</a></body>"))
    crawl(fetcher, archive, HERE + "blog/")
    assert numbers_held(archive) == ALL
    assert fetcher.count(HERE + "shop/") == 0


def test_who_asks_for_the_path_alone_gets_the_path_alone(archive):
    fetcher = a_site()
    moved_home(fetcher, "blog/", "redirect")
    with pytest.raises(NothingToLearn, match="not part of"):
        crawl(fetcher, archive, a_blog.HOME + "blog/", scope="path")


def test_a_blog_that_was_archived_with_too_narrow_a_scope_is_completed_by_the_next_update(archive):
    fetcher = a_site()
    narrow = a_narrow_blog(fetcher, archive)
    asyncio.run(refresh_blog(narrow, work(fetcher, archive)))
    assert numbers_held(archive) == ALL
    assert list(verify(archive)) == []


def test_a_blog_that_was_archived_with_too_narrow_a_scope_is_completed_by_what_was_typed_then(archive):
    fetcher = a_site()
    a_narrow_blog(fetcher, archive)
    report = crawl(fetcher, archive, a_blog.HOME)
    assert report.ending == "complete"
    assert numbers_held(archive) == ALL


def a_narrow_blog(fetcher: MemoryWeb, archive: Archive):
    """What an older version made of a home that leads to /home: a blog of that page and its one entry below it."""
    moved_home(fetcher, "home/", "redirect")
    fetcher.put(a_blog.HOME + "home/20/", a_blog.page(20))
    whole = fetcher.answers.copy()
    put_feed(fetcher, [20])
    feed = fetcher.answers[canonical(a_blog.HOME + "feed.xml")]
    feed.body = feed.body.replace(a_blog.url(20).encode(), f"{a_blog.HOME}home/20/".encode())
    crawl(fetcher, archive, a_blog.HOME + "home/")
    archive.blogs.keep_address(a_blog.HOME, a_blog.HOME + "home/")
    fetcher.answers = whole
    fetcher.answers[canonical(a_blog.HOME + "home/20/")].redirect = a_blog.url(20)
    return archive.blogs()[0]


def test_a_mirror_whose_pages_all_name_a_dead_host_is_read_where_it_answers(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE)
    silent(fetcher, THERE)
    report = crawl(fetcher, archive, HERE)
    assert report.ending == "complete"
    assert numbers_held(archive) == ALL
    assert hosts_held(archive) == {"mirror.example"}
    assert {len(post.comments) for post in archive.posts() if post.comments} == {SAID}
    assert sum(bool(post.comments) for post in archive.posts()) == len(TALKED_OF)
    # The host that is dead was asked for one page, to see whether it is.
    assert len({url for url in fetcher.asked if host_of(url) == "there.example"}) <= 3
    assert list(verify(archive)) == []


def test_a_mirror_and_the_host_that_its_pages_name_are_one_blog_with_each_post_once(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE)
    put_mirror(fetcher, THERE, THERE)
    report = crawl(fetcher, archive, HERE)
    assert report.ending == "complete"
    assert numbers_held(archive) == ALL
    assert {len(post.comments) for post in archive.posts() if post.comments} == {SAID}


def test_what_a_mirror_lacks_is_brought_from_the_host_that_its_pages_name(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE, posts=range(13, 21))
    put_mirror(fetcher, THERE, THERE)
    report = crawl(fetcher, archive, HERE)
    assert report.ending == "complete"
    assert numbers_held(archive) == ALL
    assert hosts_held(archive) == {"mirror.example", "there.example"}
    assert list(verify(archive)) == []


def test_an_address_that_shows_a_blog_whose_posts_are_all_on_another_host_leads_there(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE, posts=[])
    put_mirror(fetcher, THERE, THERE)
    report = crawl(fetcher, archive, HERE)
    assert report.ending == "complete"
    assert numbers_held(archive) == ALL


def test_a_mirror_in_a_folder_is_the_blog_at_the_root_of_the_host_that_it_names(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE + "copy/", THERE)
    silent(fetcher, THERE)
    report = crawl(fetcher, archive, HERE + "copy/")
    assert report.ending == "complete"
    assert numbers_held(archive) == ALL


def test_a_feed_that_names_a_dead_host_as_its_blog_is_that_of_the_host_it_came_from(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE)
    silent(fetcher, THERE)
    report = crawl(fetcher, archive, HERE + "feed.xml")
    assert (report.ending, report.blog) == ("complete", HERE)
    assert numbers_held(archive) == ALL


def test_a_site_map_that_names_more_pages_outside_the_scope_is_told(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE + "new/", HERE + "new/", posts=range(16, 21))
    urls = "".join(f"<url><loc>{HERE}old/{number}/</loc></url>" for number in ALL)
    fetcher.put(HERE + "sitemap.xml", f"<urlset>{urls}</urlset>", type="application/xml")
    report = crawl(fetcher, archive, HERE + "new/", no_feed=True)
    assert any("list 20 pages outside" in line and "--scope host" in line for line in report.tally.remarks)


def test_a_mirror_without_a_feed_is_read_where_it_answers(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE)
    silent(fetcher, THERE)
    report = crawl(fetcher, archive, HERE, no_feed=True)
    assert report.ending == "complete"
    assert numbers_held(archive) == ALL
    known = learn_again(archive.blogs()[0], archive)
    assert known.classifier.likely_post(HERE + "3/")


def test_an_update_of_a_mirror_brings_its_new_posts(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE)
    silent(fetcher, THERE)
    crawl(fetcher, archive, HERE)
    fetcher.put(HERE + "21/", a_blog.page(21, head=f"<link rel=canonical href='{THERE}21/'>"))
    put_mirrored_feed(fetcher, HERE, THERE, [21, 20, 19, 18, 17])
    report = crawl(fetcher, archive, HERE)
    assert (report.ending, report.tally.new_posts) == ("complete", 1)
    assert numbers_held(archive) == [*ALL, 21]


def test_another_blog_at_the_host_that_the_pages_name_is_not_followed_and_the_summary_says_so(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE, posts=range(16, 21))
    for number in ALL:
        fetcher.put(f"{THERE}{number}/", a_blog.page(number, inside=a_blog.article(number + 100)))
    report = crawl(fetcher, archive, HERE)
    assert numbers_held(archive) == list(range(16, 21))
    assert report.exit_code == 3
    assert "there.example" in report.reason
    assert f"everlog crawl {HERE} --also www.there.example" in report.reason


def test_a_host_that_the_user_names_is_followed(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE, posts=range(16, 21))
    put_mirror(fetcher, THERE, THERE, posts=range(1, 16))
    first = crawl(fetcher, archive, HERE)
    assert first.exit_code == 3
    before = len(fetcher.asked)
    report = crawl(fetcher, archive, HERE, also=("there.example",))
    assert report.ending == "complete"
    assert numbers_held(archive) == ALL
    # What is here is not asked for there.
    assert not {
        canonical(f"{THERE}{number}/") for number in range(18, 21)
    } & set(map(canonical, fetcher.asked[before:]))


def test_a_blog_that_only_links_to_another_host_has_no_alias(archive):
    fetcher = a_site()
    for number in ALL:
        links = "".join(f"<a href='http://code.example/ann/{number}/{place}'>x</a>" for place in range(9))
        fetcher.put(a_blog.url(number), a_blog.page(number, after=links))
    report = crawl(fetcher, archive, a_blog.HOME)
    assert report.ending == "complete"
    assert numbers_held(archive) == ALL
    assert not [url for url in fetcher.asked if host_of(url) == "code.example"]


def test_posts_that_a_narrow_scope_leaves_out_are_said_with_what_includes_them(archive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE + "new/", HERE + "new/", posts=range(16, 21))
    for place in range(2, 5):
        page = fetcher.answers[canonical(f"{HERE}new/page/{place}/")]
        for number in range(1, 16):
            page.body = page.body.replace(f"'{HERE}new/{number}/'".encode(), f"'{HERE}old/{number}/'".encode())
    put_mirror(fetcher, HERE + "old/", HERE + "old/")
    report = crawl(fetcher, archive, HERE + "new/")
    assert numbers_held(archive) == list(range(16, 21))
    assert report.exit_code == 3
    assert "every page that was found" not in report.reason
    assert "15 " in report.reason
    assert f"everlog crawl {HERE}new/ --scope host" in report.reason
    again = crawl(fetcher, archive, HERE + "new/", scope="host")
    assert again.ending == "complete"
    assert set(numbers_held(archive)) == set(ALL)


def test_a_look_at_a_blog_tells_of_the_host_that_its_pages_name():
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE)
    silent(fetcher, THERE)
    found = asyncio.run(inspect_blog(HERE, fetcher, make_settings({}, {})))
    assert [(alias.home, alias.here, alias.followed) for alias in found.scope.aliases] == [(THERE, True, False)]
