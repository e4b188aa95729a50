"""Repair: posts that the verdict calls missing, had by other addresses, patience, or a web archive."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.repos.inventory import InventoryPost
from everlog.core.urls import canonical
from everlog.records import Exchange, Failure
from everlog.render import Browser, RenderOptions
from everlog.usecases.completeness import missing_posts
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.repair.repair_blog import patient, repair_blog
from usecases.a_site import POSTS, a_site, crawl, work
from usecases.a_told_site import LONG, Broken, SiteWeb, ToldBlog
from usecases.a_web import MemoryWeb
from usecases.a_web_archive import WebArchive
from usecases.conftest import OPTIONS

STAMP = "20240302030405"
NUMBER = 18
LOST = a_blog.url(NUMBER)


def repaired(web, archive, there=None, *, home=a_blog.HOME, **settings):
    endpoint = {"from_wayback": there.endpoint} if there is not None else {}
    run = replace(work(web, archive, **endpoint, **settings), web_archive=there)
    return asyncio.run(repair_blog(archive.blogs.find(home), run))


class Fussy(MemoryWeb):
    """A web that tells spellings of an address apart."""

    only: tuple[str, ...] = ()
    error_headers: tuple[tuple[str, str], ...] = ()
    error_body: bytes = b""

    async def fetch(self, url, *, purpose="page", etag=None, last_modified=None):
        if canonical(url) == canonical(LOST) and url not in self.only:
            self.asked.append(url)
            headers = (("Content-Type", "text/html"), *self.error_headers)
            said = Exchange(url=url, status=500, headers=headers, body=self.error_body, fetched_at=self.now)
            return Failure(url=url, trouble="http", reason=f"HTTP 500 at {url}", status=500, exchanges=(said,))
        return await super().fetch(url, purpose=purpose, etag=etag, last_modified=last_modified)


@pytest.fixture
def broken(tmp_path):
    """A blog one post of which answered with an error while it was crawled."""
    web = Fussy(answers=a_site().answers)
    with open_archive(tmp_path / "archive", create=True, options=OPTIONS) as archive:
        crawl(web, archive)
        assert [gap.url for gap in missing_posts(archive.blogs.find(a_blog.HOME), archive)] == [LOST]
        yield web, archive


def test_a_post_that_answers_now_is_won_with_another_try(broken):
    web, archive = broken
    web.only = (LOST,)
    report = repaired(web, archive)
    assert report.won == ((LOST, "with another try"),)
    assert (report.left, report.ending, report.held) == ((), "complete", POSTS)
    assert archive.posts.find(LOST).origin == "live"


@pytest.mark.parametrize("address", [LOST + "/", LOST.replace("https", "http"), LOST.replace("//", "//www.")])
def test_a_post_at_another_address_is_won_and_held_under_both(broken, address):
    web, archive = broken
    web.only = (address,)
    report = repaired(web, archive)
    assert report.won == ((LOST, f"at {address}"),)
    assert archive.posts.find(LOST).text == a_blog.text(NUMBER)


@pytest.mark.parametrize(
    ("source", "name", "address"),
    [
        ("WordPress REST", "180", f"{a_blog.HOME}?p=180"),
        ("WordPress feed", f"{a_blog.HOME}?p=180", f"{a_blog.HOME}?p=180"),
        ("archived feed", f"{a_blog.HOME}node/180", f"{a_blog.HOME}node/180"),
    ],
)
def test_a_post_is_won_at_the_short_address_that_a_list_gave_it(broken, source, name, address):
    web, archive = broken
    blog = archive.blogs.find(a_blog.HOME)
    archive.blogs.inventory.add(blog.id, source, [InventoryPost(native_id=name, key=canonical(LOST), url=LOST)])
    web.put(address, a_blog.page(NUMBER))
    report = repaired(web, archive)
    assert report.won == ((LOST, f"at {address}"),)
    assert archive.posts.find(LOST).text == a_blog.text(NUMBER)


def test_an_address_that_a_list_gave_on_a_strangers_host_is_not_asked(broken):
    web, archive = broken
    blog, elsewhere = archive.blogs.find(a_blog.HOME), "https://elsewhere.example/?p=180"
    named = InventoryPost(native_id=elsewhere, key=canonical(LOST), url=LOST)
    archive.blogs.inventory.add(blog.id, "WordPress feed", [named])
    repaired(web, archive)
    assert elsewhere not in web.asked


@pytest.mark.parametrize("says", ["its header", "its page"])
def test_a_post_is_won_at_the_short_address_that_its_answer_states(broken, says):
    web, archive = broken
    short = f"{a_blog.HOME}?p=180"
    web.error_headers = (("Link", f"<{short}>; rel=shortlink"),) if says == "its header" else ()
    web.error_body = b"" if says == "its header" else f"<head><link rel=shortlink href='{short}'></head>Oh.".encode()
    web.put(short, a_blog.page(NUMBER))
    report = repaired(web, archive)
    assert report.won == ((LOST, f"at {short}"),)
    assert archive.posts.find(LOST).text == a_blog.text(NUMBER)
    # It is asked before spellings that nobody has named.
    assert web.asked[-2:] == [LOST, short]


def test_a_short_address_on_a_strangers_host_is_not_asked(broken):
    web, archive = broken
    web.error_headers = (("Link", "<https://sho.rt/180>; rel=shortlink"),)
    repaired(web, archive)
    assert "https://sho.rt/180" not in web.asked


def test_a_post_whose_text_alone_is_held_is_won_with_its_page_only(tmp_path):
    site = ToldBlog.of(30)
    lost = site.link(site.posts[5])
    with open_archive(tmp_path / "archive", create=True, options=OPTIONS) as archive:
        broken = Broken(site, [lost], 500)
        asyncio.run(archive_blog(site.home, work(broken, archive)))
        [blog] = archive.blogs()
        assert archive.posts.find(lost) is not None
        report = asyncio.run(repair_blog(blog, work(broken, archive)))
        assert (report.won, [gap.url for gap in report.left], report.verdict) == ((), [lost], "no")
        # It was looked for elsewhere, too.
        assert f"{site.home}?p={site.posts[5].number}" in broken.asked
        report = asyncio.run(repair_blog(blog, work(SiteWeb(site), archive)))
        assert (report.won, report.left, report.verdict) == (((lost, "with another try"),), (), "yes")


@pytest.mark.parametrize("kind", ["wayback", "pywb", "timemap"])
def test_posts_whose_text_alone_is_held_are_won_with_their_pages_from_a_web_archive(tmp_path, kind):
    site = ToldBlog.of(40)
    lost = [site.link(site.posts[number]) for number in range(3, 15)]
    there = WebArchive(kind=kind)
    for url in lost:
        there.capture(url, STAMP, site.answer(url, {})[2])
    with open_archive(tmp_path / "archive", create=True, options=OPTIONS) as archive:
        broken = Broken(site, lost)
        asyncio.run(archive_blog(site.home, work(broken, archive)))
        [blog] = archive.blogs()
        report = repaired(broken, archive, there, home=blog.home)
        assert sorted(url for url, _ in report.won) == sorted(lost)
        assert {how for _, how in report.won} == {"in archive.example, captured 2024-03-02"}
        assert (report.left, report.verdict, report.ending) == ((), "yes", "complete")
        assert any("12 earlier versions" in remark for remark in report.tally.remarks)
        # What the interface told stays the post; the page stands below it.
        versions = archive.posts.history(lost[0])
        assert [(each.post.version, each.post.origin) for each in versions] == [(0, "memento"), (1, "live")]
        there.asked.clear()
        assert repaired(broken, archive, there, home=blog.home).won == ()
        assert [url for url in there.asked if "id_/" in url] == []


def test_a_capture_that_shows_less_than_what_was_told_wins_no_post(tmp_path):
    site = ToldBlog.of(30)
    lost = site.link(site.posts[5])
    there = WebArchive()
    there.capture(lost, STAMP, site.answer(lost, {})[2].replace(LONG.encode(), b""))
    with open_archive(tmp_path / "archive", create=True, options=OPTIONS) as archive:
        broken = Broken(site, [lost])
        asyncio.run(archive_blog(site.home, work(broken, archive)))
        [blog] = archive.blogs()
        report = repaired(broken, archive, there, home=blog.home)
        won, left = {url for url, _ in report.won}, {gap.url for gap in report.left}
        assert (won | left, won & left) == ({lost}, set())


class Shut(SiteWeb):
    """A site whose robots.txt disallows some pages, for those who ask it."""

    def __init__(self, site, urls):
        super().__init__(site)
        self.urls = set(urls)

    async def fetch(self, url, **how):
        if url in self.urls:
            self.asked.append(url)
            return Failure(url=url, trouble="robots", reason=f"robots.txt disallows {url}")
        return await super().fetch(url, **how)


@pytest.fixture
def shut(tmp_path):
    """A blog whose interface tells all, and whose robots.txt disallowed the page of one post while it was crawled."""
    site = ToldBlog.of(30)
    lost = site.link(site.posts[5])
    with open_archive(tmp_path / "archive", create=True, options=OPTIONS) as archive:
        asyncio.run(archive_blog(site.home, work(Shut(site, [lost]), archive)))
        [blog] = archive.blogs()
        assert [(gap.url, gap.reason) for gap in missing_posts(blog, archive)] == [
            (lost, "robots.txt disallows it, only its text is held"),
        ]
        yield site, lost, archive


def test_a_told_post_whose_page_robots_txt_allows_by_now_is_won(shut):
    site, lost, archive = shut
    report = repaired(SiteWeb(site), archive, home=site.home)
    assert (report.won, report.left, report.verdict) == (((lost, "with another try"),), (), "yes")


def test_a_told_post_whose_page_robots_txt_disallows_is_not_had_by_way_of_others(shut):
    site, lost, archive = shut
    web, there = Shut(site, [lost]), WebArchive()
    there.capture(lost, STAMP, site.answer(lost, {})[2])
    report = repaired(web, archive, there, home=site.home)
    assert (report.won, [gap.reason for gap in report.left]) == ((), ["robots.txt disallows it, only its text is held"])
    assert f"{site.home}?p={site.posts[5].number}" not in web.asked
    assert [url for url in there.asked if "id_/" in url] == []


def test_what_robots_txt_disallows_is_no_request(shut):
    site, lost, archive = shut
    web = Shut(site, [lost])
    report = repaired(web, archive, home=site.home)
    assert (lost in web.asked, report.tally.requests) == (True, 0)


def test_who_ignores_robots_txt_gets_the_pages_of_told_posts_too(shut):
    site, lost, archive = shut
    web = SiteWeb(site)
    asyncio.run(archive_blog(site.home, work(web, archive, robots=False)))
    assert web.asked.count(lost) == 1
    assert missing_posts(archive.blogs()[0], archive) == ()


def scripted(number):
    """The page of a post of which nothing is there before its script ran."""
    page = a_blog.page(number).decode()
    start, end = page.index("<body>") + len("<body>"), page.index("</body>")
    shown = json.dumps(page[start:end]).replace("</", "<\\/")
    return f"{page[:start]}<div id=app></div><script>app.innerHTML = {shown}</script>{page[end:]}"


def test_a_post_that_only_its_script_shows_is_won_in_the_browser(tmp_path):
    """Most posts of the blog need none, so that its crawl draws none; a list of its posts names this one."""
    web, number = a_site(), 4
    lost = a_blog.url(number)
    web.put(lost, scripted(number))
    with open_archive(tmp_path / "archive", create=True, options=OPTIONS) as archive:
        crawl(web, archive)
        blog = archive.blogs.find(a_blog.HOME)
        listed = InventoryPost(native_id=lost, key=canonical(lost), url=lost)
        archive.blogs.inventory.add(blog.id, "archived feed", [listed])
        assert [(gap.url, gap.reason) for gap in missing_posts(blog, archive)] == [
            (lost, "its page was not recognised as a post"),
        ]

        async def drawn():
            async with Browser(RenderOptions(tabs=1, page_seconds=60.0)) as browser:
                return await repair_blog(blog, replace(work(web, archive, render="auto"), browser=browser))

        report = asyncio.run(drawn())
        assert report.won == ((lost, "in the browser"),)
        assert (report.left, report.ending, report.tally.rendered) == ((), "complete", 1)
        held = archive.posts.find(lost)
        assert (held.text, held.origin) == (a_blog.text(number), "live")


def test_another_page_at_another_address_is_not_taken_for_the_post(broken):
    web, archive = broken
    web.only = (LOST.replace("https", "http"),)
    web.put(LOST, "<html><body><h1>Welcome</h1><p>It works!</p></body></html>")
    report = repaired(web, archive)
    assert report.won == ()
    assert archive.posts.find(LOST) is None


def test_what_stays_missing_is_named_with_its_reason_and_what_may_have_it(broken):
    web, archive = broken
    report = repaired(web, archive)
    assert report.ending == "incomplete"
    assert report.exit_code == 3
    assert [gap.url for gap in report.left] == [LOST]
    assert "500" in report.left[0].reason
    assert "a web archive may have what is missing (--from-wayback)" in report.tally.remarks


@pytest.mark.parametrize("kind", ["wayback", "pywb", "timemap"])
def test_a_web_archive_has_the_last_word(broken, kind):
    web, archive = broken
    there = WebArchive(kind=kind)
    there.capture(LOST, STAMP, a_blog.page(NUMBER))
    there.capture(a_blog.url(77), STAMP, a_blog.page(77))
    report = repaired(web, archive, there)
    assert report.won == ((LOST, "in archive.example, captured 2024-03-02"),)
    assert (report.ending, report.left) == ("complete", ())
    assert archive.posts.find(LOST).origin == "memento"
    # Only what is missing is asked for.
    assert archive.posts.find(a_blog.url(77)) is None


def test_the_verdict_is_renewed(broken):
    web, archive = broken
    web.only = (LOST,)
    repaired(web, archive)
    blog = archive.blogs.find(a_blog.HOME)
    assert archive.blogs.inventory.last_verdict(blog.id)["missing"] == 0


def test_a_blog_that_is_whole_is_not_asked(crawled):
    web, archive = crawled
    web.asked.clear()
    report = repaired(web, archive)
    assert (report.won, report.left, web.asked) == ((), (), [])
    assert report.ending == "complete"


def test_a_repair_waits_longer_than_a_crawl(crawled):
    web, archive = crawled
    settings = work(web, archive).settings
    more = patient(settings)
    assert more.retries > settings.retries
    assert more.timeout > settings.timeout
    assert more.longest_wait > settings.longest_wait
