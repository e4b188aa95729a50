"""Import of WARC and WACZ files: which blogs are in them, and what of them is in the archive then."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.verify import verify
from everlog.errors import NothingToLearn, UsageError
from everlog.settings import make_settings
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.foreign.import_files import import_files
from everlog.usecases.reread import reread_blog
from importing.a_warc import Warc, wacz
from usecases.a_site import a_site, crawl, work
from usecases.a_told_site import Broken, ToldBlog
from usecases.conftest import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.usecases.foreign.import_files import Imported
    from usecases.a_web import MemoryWeb
    from usecases.conftest import Crawled

LATER = "2024-06-01T10:00:00Z"
# What is another where a page was not fetched but captured.
LABELS = {"origin": "live", "captured": None, "fetched": None, "warc": None}


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "imported", create=True, options=OPTIONS) as opened:
        yield opened


def captured(web: MemoryWeb, *, at: str = LATER, home: str = "https://a.blog/") -> Warc:
    """A site as somebody else captured it."""
    warc = Warc()
    for key, answer in sorted(web.answers.items()):
        url = home + key.partition("/")[2]
        body = answer.body.replace(b"https://a.blog/", home.encode())
        warc.request(url)
        warc.answer(url, body, at, type=answer.type)
    return warc


def imported(archive: Archive, *files: Path, blog: str | None = None) -> Imported:
    return import_files([str(file) for file in files], archive, make_settings({"min_free_bytes": 0}), blog=blog)


def posts(archive: Archive) -> dict[str, object]:
    return {post.url: replace(post, **LABELS) for post in archive.posts()}


@pytest.mark.parametrize("without_feed", [False, True], ids=["feed", "no feed"])
def test_a_captured_site_gives_the_posts_of_a_crawl(crawled: Crawled, archive: Archive, tmp_path, without_feed):
    web, live = crawled
    if without_feed:
        del web.answers["a.blog/feed.xml"]
    done = imported(archive, wacz(tmp_path / "site.wacz", captured(web).data))
    blog, = done.blogs
    assert (blog.home, blog.is_new, blog.won.posts, done.exit_code) == (a_blog.HOME, True, 20, 0)
    found, wanted = posts(archive), posts(live)
    assert found.keys() == wanted.keys()
    if not without_feed:
        assert found == wanted
    assert {post.origin for post in archive.posts()} == {"import"}
    assert {post.captured for post in archive.posts()} == {datetime(2024, 6, 1, 10, tzinfo=UTC)}
    assert not list(verify(archive))


def test_importing_again_adds_nothing(archive: Archive, tmp_path):
    file = captured(a_site(6)).write(tmp_path / "site.warc.gz")
    imported(archive, file)
    before = posts(archive), archive.blogs.counts(1)
    done = imported(archive, file, wacz(tmp_path / "same.wacz", file.read_bytes()))
    assert (done.blogs[0].won.captures, done.blogs[0].won.is_empty, done.exit_code) == (0, True, 0)
    assert (posts(archive), archive.blogs.counts(1)) == before


def test_an_import_that_was_broken_off_is_finished_by_the_next(archive: Archive, tmp_path):
    file = captured(a_site(12)).write(tmp_path / "site.warc.gz")

    class Ended(Exception):
        pass

    class Breaking:
        def __init__(self, total: int, what: str) -> None:
            self.left = 7 if "pages" in what else total

        def __enter__(self):
            return self

        def __call__(self, _note: str) -> None:
            self.left -= 1
            if self.left < 0:
                raise Ended

        def __exit__(self, *_: object) -> None:
            pass

    with pytest.raises(Ended):
        import_files([str(file)], archive, make_settings({"min_free_bytes": 0}), progress=Breaking)
    assert 0 < archive.posts.count(1) < 12
    imported(archive, file)
    with open_archive(tmp_path / "at once", create=True, options=OPTIONS) as other:
        imported(other, file)
        assert posts(archive) == posts(other)
        assert archive.blogs.counts(1).versions == other.blogs.counts(1).versions


def test_files_of_a_blog_that_is_held_live_leave_its_posts_as_they_are(crawled: Crawled, tmp_path):
    web, live = crawled
    before = {post.url: post for post in live.posts()}
    web.put(a_blog.url(3), a_blog.page(3, f"{a_blog.article(3)}<p>A line that was taken out.</p>"))
    web.put(a_blog.url(28), a_blog.page(28))
    done = imported(live, captured(web, at="2024-03-01T00:00:00Z").write(tmp_path / "site.warc.gz"))
    won = done.blogs[0].won
    assert (won.posts, won.earlier, won.changed) == (1, 1, 0)
    assert {post.url: post for post in live.posts() if post.url != a_blog.url(28)} == before
    assert [post.version for post in live.versions(a_blog.url(3))] == [0, 1]
    assert not list(verify(live))


def test_a_blog_that_was_imported_is_crawled_as_a_new_one(archive: Archive, tmp_path):
    web = a_site()
    imported(archive, captured(a_site(10), at="2020-01-01T00:00:00Z").write(tmp_path / "old.warc.gz"))
    report = crawl(web, archive)
    assert (report.ending, archive.posts.count(1)) == ("complete", 20)
    assert {post.origin for post in archive.posts()} == {"live"}
    assert [post.origin for post in archive.versions(a_blog.url(4))] == ["import", "live"]
    assert not list(verify(archive))


def test_several_blogs_in_several_files_come_apart(archive: Archive, tmp_path):
    files = [
        captured(a_site(6)).write(tmp_path / "one.warc.gz"),
        captured(a_site(8), home="https://b.example/").write(tmp_path / "two.warc.gz"),
    ]
    done = imported(archive, *files)
    assert {blog.home: blog.won.posts for blog in done.blogs} == {"https://a.blog/": 6, "https://b.example/": 8}


def test_one_blog_of_several_can_be_named(archive: Archive, tmp_path):
    warc = captured(a_site(6))
    warc.data += captured(a_site(8), home="https://b.example/").data
    done = imported(archive, warc.write(tmp_path / "both.warc.gz"), blog="https://b.example/")
    assert [blog.home for blog in done.blogs] == ["https://b.example/"]
    assert done.pages_left > 0
    with pytest.raises(NothingToLearn, match="hold no page"):
        imported(archive, tmp_path / "both.warc.gz", blog="https://c.example/")


def test_what_is_no_blog_is_left_with_the_reason(archive: Archive, tmp_path):
    warc = Warc()
    for name in ("", "about", "terms"):
        warc.answer(f"https://shop.example/{name}", b"<html><body><p>Buy this, and that as well.</p></body></html>")
    done = imported(archive, warc.write(tmp_path / "shop.warc.gz"))
    assert (done.blogs, done.pages_left, done.exit_code) == ([], 3, 4)
    assert done.remarks[0].startswith("shop.example: no blog recognised")
    assert not list(archive.blogs())


def test_pictures_in_the_files_become_media_of_the_posts(archive: Archive, tmp_path):
    web = a_site(6)
    picture = '<img src="https://pictures.example/boat.png" alt="">'
    web.put(a_blog.url(2), a_blog.page(2, a_blog.article(2) + picture))
    warc = captured(web)
    warc.answer("https://pictures.example/boat.png", b"\x89PNG a boat", LATER, type="image/png")
    imported(archive, warc.write(tmp_path / "site.warc.gz"))
    media, = archive.posts.find(a_blog.url(2)).media
    assert (media.type, media.bytes) == ("image/png", 11)
    assert not list(verify(archive))


def test_what_pages_need_to_be_shown_comes_along_where_the_files_have_it(archive: Archive, tmp_path):
    web = a_site(6)
    for number in range(1, 7):
        head = b"<head><link rel=stylesheet href=/a.css><script src=/a.js></script>"
        web.put(a_blog.url(number), a_blog.page(number).replace(b"<head>", head))
    web.put("https://a.blog/a.css", "p { background: url(dot.png) }", type="text/css")
    web.put("https://a.blog/dot.png", b"dot", type="image/png")
    file = captured(web).write(tmp_path / "site.warc.gz")
    blog, = imported(archive, file).blogs
    assert (blog.won.posts, blog.won.requisites) == (6, 2)
    figures = archive.blogs.figures(1)
    assert (figures.requisites, figures.requisites_missing, figures.waiting_requisites) == (2, 0, 0)
    held = archive.captures.find(1, "https://a.blog/dot.png")
    assert (held.purpose, held.origin) == ("requisite", "import")
    assert held.captured_at == datetime(2024, 6, 1, 10, tzinfo=UTC)
    assert imported(archive, file).blogs[0].won.is_empty
    assert not list(verify(archive))


def test_some_files_that_cannot_be_read_do_not_keep_the_others_out(archive: Archive, tmp_path):
    good = captured(a_site(6)).write(tmp_path / "good.warc.gz")
    bad = tmp_path / "bad.warc"
    bad.write_bytes(b"hello")
    done = imported(archive, bad, good)
    assert (done.exit_code, done.blogs[0].won.posts) == (3, 6)
    assert "is not a WARC" in done.files[0].problem
    with pytest.raises(UsageError, match="is not a WARC"):
        imported(archive, bad)


def test_what_everlog_wrote_itself_can_be_imported(crawled: Crawled, archive: Archive):
    _, live = crawled
    files = sorted((live.folder / "warc").iterdir())
    done = imported(archive, *files)
    assert (done.blogs[0].won.posts, done.exit_code) == (20, 0)
    assert posts(archive) == posts(live)
    again = imported(live, *files)
    assert (again.blogs[0].won.captures, again.blogs[0].won.is_empty) == (0, True)


def test_pages_that_a_browser_made_are_read_where_the_files_have_them(archive: Archive, tmp_path):
    shell = b"<html><head><title>A Blog</title></head><body><div id=app></div><script src=/app.js></script></body>"
    warc = Warc()
    for key, answer in sorted(a_site(8).answers.items()):
        url = a_blog.HOME + key.partition("/")[2]
        is_page = answer.type.startswith("text/html")
        warc.answer(url, shell if is_page else answer.body, LATER, type=answer.type)
        if is_page:
            warc.record("conversion", "text/html; charset=utf-8", answer.body, LATER, WARC_Target_URI=url)
    done = imported(archive, warc.write(tmp_path / "site.warc.gz"))
    assert [(blog.home, blog.won.posts) for blog in done.blogs] == [(a_blog.HOME, 8)]
    assert archive.posts.find(a_blog.url(2)).text == a_blog.text(2)
    assert not list(verify(archive))


def test_a_told_post_that_is_imported_is_held_and_the_verdict_is_renewed(archive: Archive, tmp_path):
    site = ToldBlog.of(30)
    lost = site.link(site.posts[5])
    asyncio.run(archive_blog(site.home, work(Broken(site, [lost]), archive)))
    [blog] = archive.blogs()
    before = archive.blogs.inventory.last_verdict(blog.id)
    warc = Warc()
    warc.answer(lost, site.answer(lost, {})[2], LATER, type="text/html")
    imported(archive, warc.write(tmp_path / "page.warc.gz"))
    after = archive.blogs.inventory.last_verdict(blog.id)
    assert (before["posts"], before["missing"], after["posts"], after["missing"]) == ("no", 1, "yes", 0)
    assert after["checked_at"] > before["checked_at"]
    events = [event for event in archive.events() if event.kind == "completeness"]
    assert [(event.detail["of"], event.detail["answer"]) for event in events][:1] == [("posts", "yes")]


def test_a_blog_from_files_alone_has_a_verdict_that_no_event_follows(archive: Archive, tmp_path):
    file = captured(a_site(6)).write(tmp_path / "site.warc.gz")
    imported(archive, file)
    assert archive.blogs.inventory.last_verdict(1)["posts"] == "unknown"
    crawl(a_site(6), archive)
    assert [event.kind for event in archive.events() if event.kind == "completeness"] == []


def test_reading_pages_again_renews_the_verdict(crawled: Crawled):
    _, live = crawled
    [blog] = live.blogs()
    live.blogs.inventory.keep_verdict(blog.id, live.blogs.inventory.last_verdict(blog.id) | {"missing": 7})
    reread_blog(blog, live)
    assert live.blogs.inventory.last_verdict(blog.id)["missing"] == 0
