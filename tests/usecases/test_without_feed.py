"""Blogs without a feed, on a web in memory and a real archive: found, learned, crawled, updated, learned again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.archive.verify import verify
from everlog.core.rules import Rule
from everlog.core.urls import canonical
from everlog.errors import Blocked, NoFeed, Unreachable
from everlog.extract.article.article_read import Design
from everlog.extract.extractors.diffpost.comparison_posts import LEAST_COMPANY
from everlog.extract.feedless.explorer import MOST_PAGES
from everlog.extract.learn_blog import PAGES_USED
from everlog.records import Failure
from everlog.settings import make_settings
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.inspection import inspect_blog
from everlog.usecases.learn.explore import AT_ONCE
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.relearn import learn_again
from everlog.usecases.reread import reread_blog
from everlog.usecases.update.update_blog import refresh_blog
from usecases.a_site import FEED, POSTS, a_site, crawl, listing, work
from usecases.a_web import NOW, MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from usecases.conftest import FirstCrawls

ALL = list(range(1, POSTS + 1))


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


@pytest.fixture
def without(first_crawls: FirstCrawls, tmp_path: Path) -> Iterator[tuple[MemoryWeb, Archive]]:
    """The site without its feed, and its archive after one crawl."""

    def make(archive: Archive) -> MemoryWeb:
        web = a_site_without_feed()
        crawl(web, archive)
        return web

    with first_crawls.copy("without feed", make, tmp_path / "archive") as found:
        yield found


def a_site_without_feed(posts: int = POSTS) -> MemoryWeb:
    fetcher = a_site(posts)
    del fetcher.answers[canonical(FEED)]
    return fetcher


def numbers_held(archive: Archive) -> list[int]:
    return sorted(int(post.url.rpartition("/")[2]) for post in archive.posts())


def put_front(fetcher: MemoryWeb, newest: int, *, pages: int = 1) -> None:
    """New list pages on top of the old ones: the newest posts first, five a page."""
    for place in range(1, pages + 1):
        top = newest - 5 * (place - 1)
        address = a_blog.HOME if place == 1 else f"{a_blog.HOME}page/{place}"
        fetcher.put(address, listing(range(top, top - 5, -1), older=place + 1))


def test_a_blog_without_a_feed_is_crawled_without_one(archive):
    report = crawl(a_site_without_feed(), archive)
    assert (report.ending, report.exit_code) == ("complete", 0)
    assert numbers_held(archive) == ALL
    assert report.tally.remarks == ["no feed found: posts are recognised by their pages"]
    [blog] = archive.blogs()
    assert (blog.feed_url, blog.state, blog.title) == (None, "finished", "A Blog")
    assert LearnedBlog.of(blog).without_feed


def test_posts_are_read_as_with_a_feed(without):
    _, archive = without
    for number in ALL:
        post = archive.posts.find(a_blog.url(number))
        assert (post.title, post.text) == (f"Post {number} of ours", a_blog.text(number))
        assert f"{post.published:%Y-%m-%d}" == f"2024-01-{number:02}"


def test_a_feed_that_is_there_is_not_asked_for_when_none_is_wanted(archive):
    fetcher = a_site()
    report = crawl(fetcher, archive, no_feed=True)
    assert numbers_held(archive) == ALL
    assert fetcher.count(FEED) == 0
    assert report.tally.remarks == []
    assert archive.blogs()[0].feed_url is None


def test_the_address_of_a_feed_leads_to_the_blog_even_if_the_feed_is_not_wanted(archive):
    asyncio.run(archive_blog(FEED, work(a_site(), archive, no_feed=True)))
    assert archive.blogs()[0].home == a_blog.HOME
    assert numbers_held(archive) == ALL


def test_a_feed_that_is_html_is_no_feed(archive):
    fetcher = a_site()
    fetcher.put(FEED, "<html><body>Gone fishing</body></html>")
    crawl(fetcher, archive)
    assert numbers_held(archive) == ALL


@pytest.mark.parametrize(("failure", "said"), [
    ({"trouble": "http", "reason": "answers 503", "status": 503}, "answers 503"),
    ({"trouble": "timeout", "reason": "no answer in 30 s"}, "no answer"),
])
def test_a_feed_that_cannot_be_had_just_now_is_waited_for(archive, failure, said):
    fetcher = a_site()
    fetcher.answers[canonical(FEED)] = Failure(url=FEED, **failure)
    with pytest.raises(Unreachable, match=rf"{said}.*\n  try again later, or crawl without it:.* --no-feed"):
        crawl(fetcher, archive)
    assert archive.blogs() == ()


def test_list_pages_and_other_pages_are_stored_but_never_as_posts(without):
    _, archive = without
    blog = archive.blogs()[0]
    for page in ("page/2", "about"):
        assert archive.posts.find(a_blog.HOME + page) is None
        assert archive.captures.find(blog.id, a_blog.HOME + page) is not None


def test_what_was_looked_at_is_not_asked_for_again_missing_pages_neither(archive):
    fetcher = a_site_without_feed()
    front = listing(range(20, 15, -1), older=2).replace("</nav>", "<a href=/gone>Gone</a> <a href=/moved>M</a></nav>")
    fetcher.put(a_blog.HOME, front)
    fetcher.put(a_blog.HOME + "moved", b"", redirect=a_blog.url(3))
    report = crawl(fetcher, archive)
    asked = [canonical(url) for url in fetcher.asked if canonical(url) != canonical(a_blog.url(3))]
    assert len(asked) == len(set(asked))
    assert fetcher.count(a_blog.HOME + "gone") == 1
    assert report.tally.reasons["HTTP 404"] == 1
    assert a_blog.HOME + "moved" in archive.posts.find(a_blog.url(3)).aliases


def test_the_archive_of_such_a_crawl_is_sound(without):
    _, archive = without
    assert list(verify(archive)) == []
    assert sum(archive.blogs.counts(archive.blogs()[0].id).queued.values()) == 0


def test_the_order_in_which_answers_come_changes_nothing(archive, tmp_path):
    class LateWeb(MemoryWeb):
        async def fetch(self, url, **how):
            for _ in range(len(url) * 7 % 5):
                await asyncio.sleep(0)
            return await super().fetch(url, **how)

    fetcher = a_site_without_feed()
    crawl(fetcher, archive)
    with open_archive(tmp_path / "late", create=True, options=ArchiveOptions(min_free_bytes=0)) as late:
        crawl(LateWeb(answers=fetcher.answers), late)
        assert late.blogs()[0].template == archive.blogs()[0].template


@pytest.mark.parametrize("body", [
    "<html><body><p>Nothing here.</p></body></html>", "", "<html><body><a href=/about>About us</a></body></html>",
])
def test_a_site_without_posts_is_a_clear_error_that_says_what_was_looked_at(archive, body):
    fetcher = MemoryWeb()
    fetcher.put(a_blog.HOME, body)
    fetcher.put(a_blog.HOME + "about", "<html><body><p>We are a company and make things for you.</p></body></html>")
    with pytest.raises(NoFeed) as raised:
        crawl(fetcher, archive)
    text = str(raised.value)
    assert raised.value.exit_code == 4
    assert text.startswith("no feed found for https://a.blog/\n  declared by the page: none\n  also tried: /feed")
    assert "no posts recognised among" in text
    assert "everlog crawl https://a.blog/ --feed FEED_URL" in text
    assert archive.blogs() == ()


def test_a_site_without_posts_says_so_when_no_feed_is_wanted_too(archive):
    fetcher = MemoryWeb()
    fetcher.put(a_blog.HOME, "<html><body><p>Nothing here.</p></body></html>")
    with pytest.raises(NoFeed, match=r"^no posts found at https://a\.blog/\n  without a feed: (.|\n)*--feed FEED_URL"):
        crawl(fetcher, archive, no_feed=True)


def test_a_host_that_dies_while_posts_are_looked_for_is_an_error_and_nothing_is_stored(archive):
    fetcher = a_site_without_feed()
    links = "".join(f"<a href=/{word}-{number}>x</a>" for word in "ab" for number in range(30))
    fetcher.put(a_blog.HOME, f"<html><body>{links}</body></html>")
    for word in "ab":
        for number in range(30):
            url = f"{a_blog.HOME}{word}-{number}"
            fetcher.answers[canonical(url)] = Failure(url=url, trouble="timeout", reason="no answer")
    with pytest.raises(Unreachable, match="no answer"):
        crawl(fetcher, archive)
    assert len(fetcher.asked) < 40
    assert archive.blogs() == ()


def test_a_server_that_asks_to_be_left_alone_is(archive):
    fetcher = a_site_without_feed()
    url = a_blog.HOME + "page/2"
    until = NOW.replace(year=2090)
    fetcher.answers[canonical(url)] = Failure(url=url, trouble="rate-limited", reason="asks to wait", until=until)
    with pytest.raises(Blocked, match="asks to wait"):
        crawl(fetcher, archive)


def test_no_more_pages_are_looked_at_than_the_limit_allows(archive):
    fetcher = a_site_without_feed()
    first = crawl(fetcher, archive, max_pages=10, no_feed=True)
    assert first.ending == "limit"
    assert len(fetcher.asked) == PAGES_USED
    second = crawl(fetcher, archive)
    assert second.ending == "complete"
    assert numbers_held(archive) == ALL


def test_only_some_pages_of_a_large_blog_are_looked_at_before_the_crawl_begins(archive):
    fetcher = a_site_without_feed(100)

    class Watching(MemoryWeb):
        begun: int | None = None

        async def fetch(self, url, **how):
            if self.begun is None and archive.blogs():
                self.begun = len(self.asked)
            return await super().fetch(url, **how)

    watching = Watching(answers=fetcher.answers)
    crawl(watching, archive, no_feed=True)
    assert MOST_PAGES <= watching.begun < MOST_PAGES + AT_ONCE + 2
    assert numbers_held(archive) == list(range(1, 101))


def test_an_interrupt_while_posts_are_looked_for_stores_nothing_and_the_same_command_goes_on(archive):
    class Interrupting(MemoryWeb):
        async def fetch(self, url, **how):
            if len(self.asked) == 8:
                raise asyncio.CancelledError
            return await super().fetch(url, **how)

    fetcher = a_site_without_feed()
    with pytest.raises(asyncio.CancelledError):
        crawl(Interrupting(answers=fetcher.answers), archive, no_feed=True)
    assert archive.blogs() == ()
    assert crawl(fetcher, archive, no_feed=True).ending == "complete"
    assert numbers_held(archive) == ALL


def test_a_sitemap_is_asked_for_where_links_lead_nowhere(archive):
    fetcher = a_site_without_feed()
    fetcher.put(
        a_blog.HOME, "<html><head><title>A Blog</title></head><body><p>Type what you look for.</p></body></html>",
    )
    put_map(fetcher, ALL)
    report = crawl(fetcher, archive)
    assert report.ending == "complete"
    assert numbers_held(archive) == ALL
    fetcher.put(a_blog.url(21), a_blog.page(21))
    put_map(fetcher, [*ALL, 21])
    assert crawl(fetcher, archive).tally.new_posts == 1
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert set(fetcher.asked) == {a_blog.HOME, a_blog.HOME + "sitemap.xml"}


def put_map(fetcher: MemoryWeb, numbers: list[int]) -> None:
    rows = "".join(f"<url><loc>{a_blog.url(number)}</loc></url>" for number in numbers)
    fetcher.put(a_blog.HOME + "sitemap.xml", f"<urlset>{rows}</urlset>", type="application/xml")


def test_an_update_with_nothing_new_asks_for_the_front_page_alone(without):
    fetcher, archive = without
    blog = archive.blogs()[0]
    before = archive.blogs.counts(blog.id)
    fetcher.asked.clear()
    report = crawl(fetcher, archive)
    assert fetcher.asked == [a_blog.HOME]
    assert (report.exit_code, report.reason) == (0, "up to date: the front page links to no new post")
    after = archive.blogs.counts(blog.id)
    assert (after.posts, after.versions, after.pages) == (before.posts, before.versions, before.pages)


def test_an_update_finds_a_new_post_with_few_requests(without):
    fetcher, archive = without
    fetcher.put(a_blog.url(21), a_blog.page(21))
    put_front(fetcher, 21)
    fetcher.asked.clear()
    report = asyncio.run(refresh_blog(archive.blogs()[0], work(fetcher, archive)))
    assert report.tally.new_posts == 1
    assert fetcher.asked[:2] == [a_blog.HOME, a_blog.url(21)]
    # The others are older posts, for comparison.
    assert fetcher.asked[2:] == [a_blog.url(number) for number in range(20, 20 - LEAST_COMPANY, -1)]
    assert archive.posts.find(a_blog.url(21)).text == a_blog.text(21)


def test_an_update_walks_back_over_the_lists_until_it_meets_what_is_held(without):
    fetcher, archive = without
    for number in range(21, 33):
        fetcher.put(a_blog.url(number), a_blog.page(number))
    put_front(fetcher, 32, pages=6)
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert numbers_held(archive) == list(range(1, 33))
    lists = [url for url in fetcher.asked if "/page/" in url]
    assert lists == [f"{a_blog.HOME}page/{place}" for place in (2, 3)]


def test_where_the_front_page_shows_no_posts_an_update_looks_at_the_list_that_shows_the_newest(archive):
    fetcher = a_site_without_feed()
    blog_list = a_blog.HOME + "blog"
    welcome = "<html><body><nav><a href=/about>About the blog</a></nav><a href=/blog>All posts</a></body></html>"
    fetcher.put(a_blog.HOME, welcome)
    fetcher.put(blog_list, listing(range(20, 15, -1), older=2))
    crawl(fetcher, archive)
    assert numbers_held(archive) == ALL
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert fetcher.asked == [a_blog.HOME, blog_list]
    fetcher.put(a_blog.url(21), a_blog.page(21))
    fetcher.put(blog_list, listing(range(21, 16, -1), older=2))
    assert crawl(fetcher, archive).tally.new_posts == 1


def test_a_front_page_that_fails_leaves_the_archive_as_it_was(without):
    fetcher, archive = without
    fetcher.answers[canonical(a_blog.HOME)] = Failure(url=a_blog.HOME, trouble="timeout", reason="too slow")
    with pytest.raises(Unreachable):
        crawl(fetcher, archive)
    assert numbers_held(archive) == ALL


def test_learning_again_from_stored_pages_gives_the_same_without_a_request(without):
    fetcher, archive = without
    blog = archive.blogs()[0]
    fetcher.asked.clear()
    known = learn_again(blog, archive)
    assert known.without_feed
    assert known.template.to_json() == blog.template
    assert known == learn_again(blog, archive)
    assert fetcher.asked == []


def test_reading_again_changes_nothing_when_nothing_changed(without):
    _, archive = without
    for relearn in (False, True):
        result = reread_blog(archive.blogs()[0], archive, relearn=relearn)
        assert (result.same, result.new, result.changed, result.no_longer) == (POSTS, 0, 0, 0)
    assert LearnedBlog.of(archive.blogs()[0]).without_feed


def test_a_feed_that_is_given_later_teaches_the_blog_anew(archive):
    fetcher = a_site()
    crawl(fetcher, archive, no_feed=True)
    crawl(fetcher, archive, feed=FEED)
    [blog] = archive.blogs()
    assert blog.feed_url == FEED
    assert not LearnedBlog.of(blog).without_feed
    assert numbers_held(archive) == ALL
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert fetcher.asked == [FEED]


def test_a_blog_with_a_feed_can_go_without_it_later(crawled):
    fetcher, archive = crawled
    crawl(fetcher, archive, no_feed=True)
    [blog] = archive.blogs()
    assert (blog.feed_url, blog.state) == (None, "finished")
    assert LearnedBlog.of(blog).without_feed
    assert {post.version for post in archive.posts()} == {1}
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert fetcher.asked == [a_blog.HOME]


def test_a_blog_that_was_forgotten_is_taken_up_again(without):
    fetcher, archive = without
    archive.blogs.update(archive.blogs()[0].id, forgotten_at=NOW)
    crawl(fetcher, archive)
    assert archive.blogs()[0].forgotten_at is None


def test_a_look_tells_that_there_is_no_feed_and_reads_a_post(archive):
    found = asyncio.run(inspect_blog(a_blog.HOME, a_site_without_feed(), make_settings()))
    assert found.feed_url is None
    assert found.feed_entries == found.estimates[0].posts > 10
    assert found.sample.title.startswith("Post ")


def test_what_repeats_on_the_pages_is_counted_and_kept(without):
    fetcher, archive = without
    blog = archive.blogs()[0]
    assert len(archive.blogs.repeats(blog.id).pages) == POSTS
    fetcher.put(a_blog.url(21), a_blog.page(21))
    put_front(fetcher, 21)
    crawl(fetcher, archive)
    assert len(archive.blogs.repeats(blog.id).pages) == 1 + LEAST_COMPANY


def test_with_enough_new_posts_no_older_one_is_asked_for_to_compare(without):
    fetcher, archive = without
    for number in range(21, 27):
        fetcher.put(a_blog.url(number), a_blog.page(number))
    fetcher.put(a_blog.HOME, listing(range(26, 16, -1), older=2))
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert set(fetcher.asked) == {a_blog.HOME, *(a_blog.url(number) for number in range(21, 27))}


def test_a_new_post_is_compared_with_the_pages_of_the_last_crawl(without):
    fetcher, archive = without
    blog = archive.blogs()[0]
    template = LearnedBlog.of(blog).template
    by_repeats = Design(places=(Rule(method="repeats", where="repeats"),), method="repeats", confidence=1.0)
    assert template.repeats is not None
    archive.blogs.update(blog.id, template=replace(template, designs=(by_repeats,)).to_json())
    # Since the blog was learned, something was put below all its posts.
    banner = f"<p>{a_blog.sentence('banner', 40)}</p>"
    for newest in (range(21, 26), [26]):
        for number in newest:
            fetcher.put(a_blog.url(number), a_blog.page(number, noise=banner))
        put_front(fetcher, newest[-1])
        crawl(fetcher, archive)
    with_banner, without = (archive.posts.find(a_blog.url(number)).text for number in (25, 26))
    assert with_banner == f"{a_blog.text(25)}\n\n{a_blog.sentence('banner', 40)}"
    assert without == a_blog.text(26)


def test_addresses_that_posts_call_their_own_count_as_far_as_the_blogs_scope_goes(archive):
    home = a_blog.HOME + "blog/"
    fetcher = MemoryWeb()
    links = "".join(f"<h2><a href=/blog/?p={number}>Post {number} of ours</a></h2>" for number in ALL)
    fetcher.put(home, f"<html><head><title>A Blog</title></head><body>{links}</body></html>")
    for number in ALL:
        head = f"<link rel=canonical href=/writings/{number}>"
        fetcher.put(f"{home}?p={number}", a_blog.page(number, head=head))
    known = {}
    for scope in ("path", "host"):
        known[scope] = asyncio.run(inspect_blog(home, fetcher, make_settings({"scope": scope}))).learned
    assert not known["path"].classifier.likely_post(a_blog.HOME + "writings/77")
    assert known["host"].classifier.likely_post(a_blog.HOME + "writings/77")
