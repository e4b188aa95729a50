"""Requisites of pages: each is kept once, with what it needs in turn, and asked for again when it may differ."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.core.urls import canonical
from everlog.records import Failure
from everlog.usecases.page.requisite_links import LOOKED_AT_AGAIN
from usecases.a_site import POSTS, a_site, crawl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from usecases.a_web import MemoryWeb

HOME = a_blog.HOME
FONTS = "https://fonts.example/"
HEAD = (
    "<link rel=stylesheet href=/style.css?ver=1><link rel=icon href=/icon.svg><link rel=manifest href=/app.webmanifest>"
    f"<script src={FONTS}site.js></script><style>body {{ background: url(/paper.png) }}</style>"
)
BODY = "<img src=/banner.jpg srcset='/banner-2x.jpg 2x, /banner-3x.jpg 3x'><svg><use href=/sprite.svg#owl></use></svg>"
NEEDED = {
    "style.css?ver=1": ("@import 'deep/more.css'; @font-face { src: url(https://fonts.example/f.woff2) }", "text/css"),
    "deep/more.css": ("@import '../style.css?ver=1'; h1 { background: url('dot.png') }", "text/css"),
    "deep/dot.png": ("dot", "image/png"), "icon.svg": ("<svg/>", "image/svg+xml"),
    "app.webmanifest": ('{"icons": [{"src": "/large.png"}]}', "application/manifest+json"),
    "large.png": ("large", "image/png"), "paper.png": ("paper", "image/png"), "banner.jpg": ("banner", "image/jpeg"),
    "banner-3x.jpg": ("wide", "image/jpeg"), "sprite.svg": ("<svg id=owl />", "image/svg+xml"),
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


def test_an_update_of_an_unchanged_blog_asks_for_no_requisite(archive):
    fetcher = a_designed_site()
    crawl(fetcher, archive)
    fetcher.asked.clear()
    fetcher.now += 2 * LOOKED_AT_AGAIN
    assert crawl(fetcher, archive, recheck_days=0).exit_code == 0
    assert asked(fetcher) == []
