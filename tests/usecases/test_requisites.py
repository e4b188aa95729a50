"""Requisites of pages: each is kept once, with what it needs in turn, and asked for again when it may differ."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.archive.db import schema
from everlog.archive.verify import verify
from everlog.core.urls import canonical
from everlog.records import Failure
from everlog.replay import requisites
from everlog.usecases.page import page_reading, requisite_links, stored_requisites
from everlog.usecases.page.requisite_links import LOOKED_AT_AGAIN
from everlog.usecases.page.stored_requisites import check_requisites
from everlog.usecases.reread import reread_blog
from everlog.usecases.update.fetch_requisites import fetch_requisites
from usecases.a_site import FEED, POSTS, a_site, crawl, put_feed, work

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.replay.requisites import Requisites
    from everlog.usecases.crawl.report import Report
    from usecases.a_web import MemoryWeb

HOME = a_blog.HOME
FONTS = "https://fonts.example/"
HEAD = (
    "<link rel=stylesheet href=/style.css?ver=1><link rel=icon href=/icon.svg><link rel=manifest href=/app.webmanifest>"
    f"<script src={FONTS}site.js></script><style>body {{ background: url(/paper.png) }}</style>"
)
BODY = (
    "<img src=/banner.jpg srcset='/banner-s.jpg 300w, /banner-m.jpg 1300w, /banner-l.jpg 3000w'>"
    "<svg><use href=/sprite.svg#owl></use></svg>"
)
NEEDED = {
    "style.css?ver=1": ("@import 'deep/more.css'; @font-face { src: url(https://fonts.example/f.woff2) }", "text/css"),
    "deep/more.css": ("@import '../style.css?ver=1'; h1 { background: url('dot.png') }", "text/css"),
    "deep/dot.png": ("dot", "image/png"), "icon.svg": ("<svg/>", "image/svg+xml"),
    "app.webmanifest": ('{"icons": [{"src": "/large.png"}]}', "application/manifest+json"),
    "large.png": ("large", "image/png"), "paper.png": ("paper", "image/png"), "banner.jpg": ("banner", "image/jpeg"),
    "banner-m.jpg": ("wide", "image/jpeg"), "sprite.svg": ("<svg id=owl />", "image/svg+xml"),
}
OTHERS = {FONTS + "site.js": ("alert(1)", "text/javascript"), FONTS + "f.woff2": ("font", "font/woff2")}
ALL = sorted([*(HOME + name for name in NEEDED), *OTHERS])


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


def designed(fetcher: MemoryWeb, head: str = HEAD, body: str = BODY) -> None:
    """Give all pages of a site a design."""
    for key, answer in fetcher.answers.items():
        if not isinstance(answer, Failure) and answer.type.startswith("text/html"):
            text = answer.body.decode()
            text = text.replace("<head>", f"<head>{head}", 1) if "<head>" in text else f"<head>{head}</head>{text}"
            fetcher.put(f"https://{key}", re.sub("<body>", f"<body>{body}", text, count=1))


def a_designed_site() -> MemoryWeb:
    fetcher = a_site()
    designed(fetcher)
    for name, (text, kind) in NEEDED.items():
        fetcher.put(HOME + name, text, type=kind)
    for url, (text, kind) in OTHERS.items():
        fetcher.put(url, text, type=kind)
    return fetcher


def held(archive: Archive) -> list[str]:
    blog = archive.blogs()[0]
    return sorted(capture.url for capture in archive.captures(blog.id, purpose="requisite"))


def asked(fetcher: MemoryWeb, urls: Any = ALL) -> list[str]:
    keys = set(map(canonical, urls))
    return sorted(url for url in fetcher.asked if canonical(url) in keys)


def test_what_pages_need_is_kept_once_with_what_it_needs_in_turn(archive):
    fetcher = a_designed_site()
    report = crawl(fetcher, archive)
    assert report.ending == "complete"
    assert held(archive) == ALL
    assert asked(fetcher) == ALL
    now = report.tally.now
    assert (now.requisites, now.requisites_missing, now.waiting_requisites) == (len(ALL), 0, 0)
    assert (now.posts, now.media, now.missing) == (POSTS, 0, 0)


def test_a_crawl_without_requisites_asks_for_none(archive):
    fetcher = a_designed_site()
    report = crawl(fetcher, archive, requisites=False)
    assert (report.ending, asked(fetcher), report.tally.now.requisites) == ("complete", [], 0)


def months_later() -> datetime:
    """A time at which a look of now is long ago: the archive has its own clock for when it looked."""
    return datetime.now(UTC) + 2 * LOOKED_AT_AGAIN


def new_post(fetcher: MemoryWeb, number: int = POSTS + 1) -> None:
    """A post that the feed tells, with the design of the others."""
    fetcher.put(a_blog.url(number), a_blog.page(number))
    answer = fetcher.answers[canonical(a_blog.url(number))]
    text = answer.body.decode()
    fetcher.put(a_blog.url(number), f"<head>{HEAD}</head>" + text.replace("<body>", f"<body>{BODY}", 1))
    put_feed(fetcher, range(number, number - 5, -1))


def test_a_new_page_makes_an_update_look_again_at_what_was_looked_at_long_ago_and_asks_if_it_changed(archive):
    fetcher = a_designed_site()
    crawl(fetcher, archive)
    new_post(fetcher)
    fetcher.asked.clear()
    fetcher.now += timedelta(days=1)
    assert crawl(fetcher, archive, recheck_days=0).tally.new_posts == 1
    assert asked(fetcher) == []
    new_post(fetcher, POSTS + 2)
    fetcher.put(HOME + "style.css?ver=1", "@import 'new.css'", type="text/css")
    fetcher.put(HOME + "new.css", "p { color: red }", type="text/css")
    fetcher.now = months_later()
    report = crawl(fetcher, archive, recheck_days=0)
    unnamed = {"deep/more.css", "deep/dot.png", "large.png"}
    named = [*(HOME + name for name in NEEDED if name not in unnamed), FONTS + "site.js"]
    # A style sheet that did not change names nothing new; one that did is read.
    assert asked(fetcher) == sorted(named)
    assert fetcher.count(HOME + "new.css") == 1
    assert report.tally.now.requisites == len(ALL) + 1
    blog = archive.blogs()[0]
    icon = archive.captures.find(blog.id, HOME + "icon.svg")
    assert (icon.status, icon.own_place is None) == (304, False)
    assert archive.captures.find(blog.id, HOME + "style.css?ver=1").status == 200


def test_a_requisite_that_is_held_and_gone_now_stays_held(archive):
    fetcher = a_designed_site()
    crawl(fetcher, archive)
    new_post(fetcher)
    del fetcher.answers[canonical(HOME + "paper.png")]
    fetcher.now = months_later()
    report = crawl(fetcher, archive, recheck_days=0)
    assert fetcher.count(HOME + "paper.png") == 2
    assert (report.tally.now.requisites, report.tally.now.requisites_missing) == (len(ALL), 0)
    assert held(archive) == ALL


def test_a_design_with_new_addresses_is_fetched_at_once(archive):
    fetcher = a_designed_site()
    crawl(fetcher, archive)
    fetcher.put(HOME + "style.css?ver=2", "p { color: red }", type="text/css")
    new_post(fetcher)
    page = fetcher.answers[canonical(a_blog.url(POSTS + 1))]
    fetcher.put(a_blog.url(POSTS + 1), page.body.replace(b"ver=1", b"ver=2"))
    fetcher.asked.clear()
    crawl(fetcher, archive, recheck_days=0)
    assert fetcher.count(HOME + "style.css?ver=2") == 1
    assert asked(fetcher) == []


def test_what_could_not_be_had_is_listed_with_its_reason_and_leaves_the_exit_code_as_it_is(archive):
    fetcher = a_designed_site()
    del fetcher.answers[canonical(HOME + "banner.jpg")]
    forbidden = Failure(url=FONTS + "site.js", trouble="robots", reason="robots.txt disallows it")
    fetcher.answers[canonical(FONTS + "site.js")] = forbidden
    slow = Failure(url=FONTS + "f.woff2", trouble="timeout", reason="timed out")
    fetcher.answers[canonical(FONTS + "f.woff2")] = slow
    report = crawl(fetcher, archive)
    assert (report.ending, report.exit_code) == ("complete", 0)
    now = report.tally.now
    assert (now.requisites, now.requisites_missing, now.missing) == (len(ALL) - 3, 3, 0)
    problems = {each.url: each for each in archive.urls.problems(archive.blogs()[0].id)}
    assert {url: each.reason for url, each in problems.items()} == {
        HOME + "banner.jpg": "answers 404", FONTS + "site.js": "robots.txt disallows it",
        FONTS + "f.woff2": "timed out",
    }
    assert {each.lane for each in problems.values()} == {"requisite"}
    assert problems[FONTS + "f.woff2"].again_at is not None
    assert findings(archive) == ([], [])
    # What failed in passing is asked for again by the schedule of media, what is not there is not.
    fetcher.put(FONTS + "f.woff2", "font", type="font/woff2")
    fetcher.now += timedelta(days=2)
    fetcher.asked.clear()
    crawl(fetcher, archive, recheck_days=0)
    assert asked(fetcher) == [FONTS + "f.woff2"]


def test_a_picture_of_an_article_that_lists_show_too_is_media_and_fetched_once(archive):
    fetcher = a_site()
    shown = "https://pictures.example/owl.jpg"
    designed(fetcher, head="", body=f"<img src={shown}>")
    fetcher.put(a_blog.url(3), a_blog.page(3, a_blog.article(3) + f"<img src={shown}>"))
    fetcher.put(shown, b"owl", type="image/jpeg")
    report = crawl(fetcher, archive)
    assert fetcher.count(shown) == 1
    assert (report.tally.now.media, report.tally.now.requisites, report.tally.now.waiting) == (1, 0, 0)
    assert [each.path is not None for each in archive.posts.find(a_blog.url(3)).media] == [True]


def test_a_requisite_that_an_update_finds_in_an_article_becomes_media_without_a_request(archive):
    fetcher = a_designed_site()
    crawl(fetcher, archive)
    fetcher.put(a_blog.url(POSTS + 1), a_blog.page(POSTS + 1, a_blog.article(POSTS + 1) + "<img src=/banner.jpg>"))
    put_feed(fetcher, range(POSTS + 1, POSTS - 4, -1))
    fetcher.asked.clear()
    report = crawl(fetcher, archive, recheck_days=0)
    assert fetcher.count(HOME + "banner.jpg") == 0
    assert (report.tally.now.media, report.tally.now.requisites) == (1, len(ALL) - 1)
    assert [each.path is not None for each in archive.posts.find(a_blog.url(POSTS + 1)).media] == [True]
    assert list(verify(archive)) == []


def test_frames_of_the_own_host_are_kept_with_what_they_need_three_in_each_other(archive):
    fetcher = a_site()
    designed(fetcher, head="", body="<iframe src=/frame-1.html></iframe><iframe src=https://films.example/1></iframe>")
    for number in (1, 2, 3):
        inside = f"<img src=/in-{number}.png><iframe src=/frame-{number + 1}.html></iframe>"
        fetcher.put(f"{HOME}frame-{number}.html", f"{inside}<iframe src=https://films.example/2></iframe>")
        fetcher.put(f"{HOME}in-{number}.png", b"png", type="image/png")
    crawl(fetcher, archive)
    assert held(archive) == [f"{HOME}{name}-{number}.{kind}" for name, kind in (("frame", "html"), ("in", "png"))
                             for number in (1, 2, 3)]
    assert asked(fetcher, [f"{HOME}frame-4.html", "https://films.example/1", "https://films.example/2"]) == []
    assert findings(archive) == ([], [])


def test_a_drawing_that_is_shown_as_a_document_is_kept_with_what_it_needs(archive):
    fetcher = a_site()
    designed(fetcher, head="", body="<img src=/drawing.svg><object data=/drawing.svg></object><img src=/plain.svg>")
    drawing = "<?xml-stylesheet href='/d.css'?><svg xmlns='http://www.w3.org/2000/svg'><image href='/{}.png'/></svg>"
    for name in ("drawing", "plain"):
        fetcher.put(f"{HOME}{name}.svg", drawing.format(f"in-{name}"), type="image/svg+xml")
    fetcher.put(HOME + "d.css", "h1 { background: url(/in-css.png) }", type="text/css")
    for name in ("in-drawing", "in-css"):
        fetcher.put(f"{HOME}{name}.png", b"png", type="image/png")
    crawl(fetcher, archive)
    # Browsers ask for nothing that a picture in an `img` names.
    assert held(archive) == [HOME + name for name in (
        "d.css", "drawing.svg", "in-css.png", "in-drawing.png", "plain.svg",
    )]
    assert findings(archive) == ([], [])


def test_a_drawing_of_an_article_is_media_and_kept_with_what_it_needs(archive):
    fetcher = a_site()
    drawing = "<svg xmlns='http://www.w3.org/2000/svg'><image href='/in-drawing.png'/></svg>"
    shown = a_blog.article(3) + "<object type=image/svg+xml data=/drawing.svg></object>"
    fetcher.put(a_blog.url(3), a_blog.page(3, shown))
    fetcher.put(HOME + "drawing.svg", drawing, type="image/svg+xml")
    fetcher.put(HOME + "in-drawing.png", b"png", type="image/png")
    report = crawl(fetcher, archive)
    assert (report.tally.now.media, report.tally.now.requisites) == (1, 1)
    assert held(archive) == [HOME + "in-drawing.png"]
    assert findings(archive) == ([], [])


def test_pictures_of_other_hosts_in_objects_are_kept(archive):
    fetcher = a_site()
    designed(fetcher, head="", body=f"<object type=image/png data={FONTS}a></object><embed src={FONTS}b.svg></embed>")
    fetcher.put(FONTS + "a", b"png", type="image/png")
    fetcher.put(FONTS + "b.svg", "<svg/>", type="image/svg+xml")
    crawl(fetcher, archive)
    assert held(archive) == [FONTS + "a", FONTS + "b.svg"]


def test_a_page_asks_in_its_own_encoding(archive):
    fetcher = a_site()
    designed(fetcher, head="", body="<iframe src=/frame></iframe>")
    fetcher.put(HOME + "frame", "<img src='/q?n=мир'>".encode("cp1251"), type="text/html; charset=windows-1251")
    fetcher.put(HOME + "q?n=%EC%E8%F0", b"png", type="image/png")
    crawl(fetcher, archive)
    assert held(archive) == [HOME + "frame", HOME + "q?n=%EC%E8%F0"]
    assert findings(archive) == ([], [])


def test_a_page_that_another_shows_in_a_frame_is_a_page_all_the_same(archive):
    fetcher = a_site()
    designed(fetcher, head="", body=f"<iframe src=/{POSTS - 7}></iframe>")
    report = crawl(fetcher, archive)
    assert (report.tally.now.posts, report.tally.now.requisites, report.tally.now.waiting) == (POSTS, 0, 0)


@pytest.mark.parametrize("is_there", [True, False])
def test_the_icon_of_the_host_is_asked_for_once_where_the_front_page_names_none(archive, is_there):
    fetcher = a_site()
    if is_there:
        fetcher.put(HOME + "favicon.ico", b"icon", type="image/x-icon")
    report = crawl(fetcher, archive)
    assert fetcher.count(HOME + "favicon.ico") == 1
    now = report.tally.now
    assert (now.requisites, now.requisites_missing, now.waiting) == (int(is_there), 0, 0)
    crawl(fetcher, archive, recheck_days=0)
    assert fetcher.count(HOME + "favicon.ico") == 1


def test_no_media_leaves_out_the_pictures_of_pages_but_not_of_the_design(archive):
    fetcher = a_designed_site()
    crawl(fetcher, archive, media=False)
    shown = {HOME + "banner.jpg", HOME + "banner-m.jpg", HOME + "sprite.svg", HOME + "paper.png"}
    assert held(archive) == sorted(set(ALL) - shown)
    assert findings(archive) == ([], [])


def test_a_blog_has_no_more_requisites_than_the_limit(archive, monkeypatch):
    monkeypatch.setattr(requisite_links, "MOST_PER_BLOG", 4)
    monkeypatch.setattr(stored_requisites, "MOST_PER_BLOG", 4)
    fetcher = a_designed_site()
    report = crawl(fetcher, archive)
    assert (report.ending, report.tally.now.requisites) == ("complete", 4)
    [said] = [each for each in report.tally.remarks if "beyond the limits" in each]
    assert re.match(r"[\d,]+ more files were beyond", said)
    found, [remark] = findings(archive)
    assert found == []
    assert re.match(rf"{HOME}: [\d,]+ more files were beyond the limits", remark)


def test_what_pages_name_beyond_the_limits_is_said_wherever_it_is_asked_for(archive, monkeypatch):
    monkeypatch.setattr(requisites, "MOST_PER_PAGE", 3)
    monkeypatch.setattr(requisites, "MOST_PER_SHEET", 2)
    fetcher = a_site()
    many = "".join(f"<img src=/{number}.png>" for number in range(4))
    fetcher.put(HOME + "many", f"<link rel=stylesheet href=/a.css>{many}")
    designed(fetcher, head="", body="<iframe src=/many></iframe>")
    sheet = "".join(f"h{number} {{ background: url(/c{number}.png) }}" for number in range(1, 6))
    fetcher.put(HOME + "a.css", sheet, type="text/css")
    for name in ("0", "1", "c1", "c2"):
        fetcher.put(f"{HOME}{name}.png", b"png", type="image/png")
    report = crawl(fetcher, archive)
    said = "5 more files were beyond the limits of one page, one style sheet or one blog: pages are shown without them"
    assert said in report.tally.remarks
    assert report.tally.requisites_beyond == 5
    assert findings(archive) == ([], [f"{HOME}: {said}"])
    blog = archive.blogs()[0]
    assert archive.blogs.state(blog.id).requisites_beyond == {HOME + "many": 2, HOME + "a.css": 3}
    # What is asked for once is said once; the archive remembers it, also of a style sheet that did not change.
    report = crawl(fetcher, archive)
    assert said not in report.tally.remarks
    assert sum(archive.blogs.state(blog.id).requisites_beyond.values()) == 5


def test_what_a_style_sheet_names_beyond_the_limit_is_remembered_when_it_did_not_change(archive, monkeypatch):
    monkeypatch.setattr(requisites, "MOST_PER_SHEET", 2)
    fetcher = a_designed_site()
    sheet = "".join(f"h{number} {{ background: url(/c{number}.png) }}" for number in range(1, 6))
    fetcher.put(HOME + "style.css?ver=1", sheet, type="text/css")
    crawl(fetcher, archive)
    blog = archive.blogs()[0]
    beyond = archive.blogs.state(blog.id).requisites_beyond
    assert beyond[HOME + "style.css?ver=1"] == 3
    new_post(fetcher)
    fetcher.now = months_later()
    crawl(fetcher, archive, recheck_days=0)
    assert archive.captures.find(blog.id, HOME + "style.css?ver=1").status == 304
    assert archive.blogs.state(blog.id).requisites_beyond == beyond


def test_files_that_replay_would_show_and_the_finder_overlooks_are_a_remark(archive, monkeypatch):
    def without_pictures(*about: Any, **more: Any) -> Requisites:
        found = requisites.requisites_of(*about, **more)
        return replace(found, kept=tuple(each for each in found if each.kind != "image"))

    for module in (page_reading, stored_requisites):
        monkeypatch.setattr(module, "requisites_of", without_pictures)
    fetcher = a_site()
    designed(fetcher, head="", body="<img src=/banner.jpg>")
    crawl(fetcher, archive)
    found, [remark] = findings(archive)
    assert found == []
    assert re.match(rf"{HOME}: 1 file that replay would show .* a\.blog/banner\.jpg of {HOME}", remark)


def test_a_crawl_that_stops_at_a_limit_leaves_them_in_the_queue_for_the_next(archive):
    fetcher = a_designed_site()
    report = crawl(fetcher, archive, max_pages=8)
    assert report.ending == "limit"
    assert report.tally.now.waiting_requisites > 0
    assert findings(archive) == ([], [])
    report = crawl(fetcher, archive)
    assert (report.tally.now.requisites, report.tally.now.waiting_requisites) == (len(ALL), 0)
    assert asked(fetcher) == ALL


def fetch(fetcher: MemoryWeb, archive: Archive, **settings: Any) -> Report:
    return asyncio.run(fetch_requisites(archive.blogs()[0], work(fetcher, archive, **settings)))


def findings(archive: Archive) -> tuple[list[str], list[str]]:
    remarks: list[str] = []
    return [str(each) for each in (*verify(archive), *check_requisites(archive, remarks))], remarks


def test_what_an_older_archive_lacks_is_fetched_without_asking_for_a_page(archive):
    fetcher = a_designed_site()
    crawl(fetcher, archive, requisites=False)
    wrong, remarks = findings(archive)
    assert wrong == []
    assert [f"everlog update --requisites {HOME}" in line for line in remarks] == [True]
    fetcher.asked.clear()
    report = fetch(fetcher, archive)
    assert (report.ending, report.exit_code) == ("complete", 0)
    assert report.reason.endswith(f": {len(ALL)} new requisites")
    assert (sorted(fetcher.asked), held(archive)) == (ALL, ALL)
    assert (report.tally.requests, report.tally.file_requests) == (0, len(ALL))
    assert findings(archive) == ([], [])
    fetcher.asked.clear()
    assert fetch(fetcher, archive).reason.endswith(": 0 new requisites")
    assert fetcher.asked == []


def test_fetching_what_is_lacking_can_be_interrupted_and_goes_on(archive):
    fetcher = a_designed_site()
    crawl(fetcher, archive, requisites=False)
    fetcher.asked.clear()
    run = work(fetcher, archive)
    plain = fetcher.fetch

    async def interrupting(url, **how):
        answer = await plain(url, **how)
        if len(fetcher.asked) == 3:
            run.stop.interrupt()
            await asyncio.sleep(0)
        return answer

    fetcher.fetch = interrupting
    assert asyncio.run(fetch_requisites(archive.blogs()[0], run)).ending == "interrupted"
    assert len(held(archive)) < len(ALL)
    fetcher.fetch = plain
    assert fetch(fetcher, archive).ending == "complete"
    assert held(archive) == ALL


def test_a_requisite_that_should_be_held_and_is_not_is_a_finding(archive):
    fetcher = a_designed_site()
    crawl(fetcher, archive)
    assert findings(archive) == ([], [])
    blog, captures, urls = archive.blogs()[0], schema.captures, schema.urls
    with archive.backend.database.writing() as connection:
        lost = connection.execute(select(urls.c.id).where(urls.c.key == canonical(HOME + "paper.png"))).scalar_one()
        connection.execute(captures.update().where(captures.c.url_id == lost).values(status=500))
    wrong = [str(each) for each in check_requisites(archive, [])]
    assert wrong
    assert all("needs https://a.blog/paper.png, which is neither held" in each for each in wrong)
    assert blog.home in wrong[0]


def test_an_update_of_an_unchanged_blog_asks_for_no_requisite(archive):
    fetcher = a_designed_site()
    crawl(fetcher, archive)
    fetcher.asked.clear()
    fetcher.now = months_later()
    assert crawl(fetcher, archive, recheck_days=0).exit_code == 0
    assert asked(fetcher) == []


def test_files_that_the_feed_attaches_are_media_of_their_post_also_when_its_entry_is_gone(archive):
    fetcher = a_site()
    episode, film = "https://sounds.example/20.mp3", HOME + "19.mp4"
    for url, kind in ((episode, "audio/mpeg"), (film, "video/mp4")):
        fetcher.put(url, url, type=kind)
    fetcher.put(a_blog.url(19), a_blog.page(19, a_blog.article(19) + "<video src=/19.mp4></video>"))
    items = [a_blog.item(number) for number in range(POSTS, POSTS - 5, -1)]
    items[0] = items[0].replace("</item>", f'<enclosure url="{episode}" type="audio/mpeg" length="9"/></item>')
    fetcher.put(FEED, a_blog.rss(items), type="application/rss+xml")
    report = crawl(fetcher, archive)
    assert [each.url for each in archive.posts.find(a_blog.url(POSTS)).media if each.path] == [episode]
    assert [each.url for each in archive.posts.find(a_blog.url(19)).media if each.path] == [film]
    assert (report.tally.now.media, report.tally.now.requisites) == (2, 0)
    put_feed(fetcher, range(POSTS - 1, POSTS - 6, -1))
    fetcher.put(a_blog.url(POSTS), a_blog.page(POSTS, a_blog.article(POSTS) + "<p>An afterthought about the rain.</p>"))
    blog = archive.blogs()[0]
    archive.urls.requeue(blog.id, [canonical(a_blog.url(POSTS))])
    crawl(fetcher, archive)
    post = archive.posts.find(a_blog.url(POSTS))
    assert (post.version, [each.url for each in post.media]) == (2, [episode])
    reread_blog(blog, archive)
    assert [each.url for each in archive.posts.find(a_blog.url(POSTS)).media] == [episode]
