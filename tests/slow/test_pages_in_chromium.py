"""Every page of the interface in a real browser: telephones and wide screens, light and dark, by mouse and by keys.

Nothing on the console, nobody else asked, nothing beside the edge, and no rule of accessibility broken (axe-core,
levels A and AA). With EVERLOG_SCREENSHOTS, a folder, pictures of all pages are kept there for looking at.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cli.program import everlog
from everlog.archive import open_archive
from web.conftest import HOME, POST, filled, stamp
from web.served_archive import Served, serving
from web.some_blogs import HOSTILE, add_events, add_hostile, add_posts
from web.test_accessibility import violations
from web.test_in_chromium import browser, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

__all__ = ["browser"]

LONG = "http://long.example/"
LOOKS = [(width, scheme) for width in (360, 768, 1440) for scheme in ("light", "dark")]
# Elements that the Tab key goes through on one page: more are those of long lists, which are like the others.
MOST_STOPS = 60
# What is focused is seen, and shows that it is focused.
FOCUSED = """() => {
  const each = document.activeElement;
  if (!each || each === document.body) return null;
  const box = each.getBoundingClientRect(), look = getComputedStyle(each);
  const isSeen = box.width > 0 && box.height > 0 && look.visibility !== "hidden";
  const isMarked = look.outlineStyle !== "none" || look.boxShadow !== "none" || each.matches("iframe, main, svg a");
  return [isSeen, isMarked, each.outerHTML.slice(0, 120)];
}"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, dict[str, str]]]:
    """The demo's archive with more blogs in it, and the address of every page by its name."""
    folder = tmp_path_factory.mktemp("pages")
    done = everlog("demo", "--quiet", folder=folder)
    assert done.code == 0, done.err
    place = folder / "everlog-demo"
    with open_archive(place) as archive:
        [demo] = archive.blogs()
        filled(archive)
        add_posts(archive, LONG, 100, title="A long life")
        add_events(archive, LONG)
        add_hostile(archive)
        home = demo.home.partition("://")[2].rstrip("/")
        newest = max((post for post in archive.posts(blog_id=demo.id)), key=lambda post: len(post.comments))
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running, {
            "start": "/", "start-sorted": "/?order=name&name=long", "start-nothing": "/?name=nothing", "keys": "/keys",
            "fleet": "/fleet",
            **{f"{name}-demo": f"/{name}/{home}" for name in (
                "blog", "timeline", "calendar", "complete", "captures", "rules", "requests",
            )},
            **{f"{name}-long": f"/{name}/long.example" for name in ("blog", "timeline", "calendar", "complete")},
            **{f"{name}-made": f"/{name}/a.example" for name in ("rules", "requests")},
            "timeline-comments": "/timeline/long.example?kind=comments",
            "blog-filtered": "/blog/long.example?tag=even&month=2020", "blog-hostile": "/blog/hostile.example",
            "blog-day": "/blog/long.example?month=2020-05&tag=maps", "blog-nothing": "/blog/long.example?tag=nothing",
            "post-demo": f"/read/{newest.url}", "post": f"/read/{POST}", "post-hostile": f"/read/{HOSTILE}1",
            "post-empty": f"/read/{HOSTILE}empty", "post-long": f"/read/{LONG}0", "diff": f"/diff/1/2/{POST}",
            "diff-long": f"/diff/2/4/{LONG}0", "search": "/search?q=word3", "search-year": "/search?q=word3&year=2020",
            "search-help": "/search", "search-nothing": "/search?q=neverwritten", "search-wrong": "/search?q=before:x",
            "captures": "/captures/a.example", "moments": f"/web/*/{POST}", "memento": f"/web/{stamp(10)}/{POST}",
            "memento-demo": f"/web/{newest.url}", "memento-file": f"/web/{stamp(0)}/{HOME}paper.pdf",
            "memento-gone": f"/web/{HOME}gone", "missing": f"/web/{HOME}2024/nothing", "nowhere": "/nowhere",
            "failed": "/blog/long.example?month=x", "blog-nowhere": "/blog/long.example/elsewhere",
        }


@contextmanager
def quiet(browser: Browser, served: Served, width: int, scheme: str) -> Iterator[Page]:
    options: dict[str, Any] = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with opened(browser, served, **options) as (page, strange, said):
        yield page
        # A page about what is not there is sent as one.
        assert (strange, [text for text in said if "status of 40" not in text]) == ([], [])


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_page_is_accessible_and_fits(browser: Browser, pages, width, scheme):
    served, paths = pages
    folder = os.environ.get("EVERLOG_SCREENSHOTS")
    broken: list[str] = []
    with quiet(browser, served, width, scheme) as page:
        for name, path in paths.items():
            page.goto(served.interface + path, wait_until="load")
            if folder:
                page.screenshot(path=Path(folder, f"{name}-{width}-{scheme}.png"), full_page="memento" not in name)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                broken.append(f"{name}: wider than the screen")
            page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
            broken += [f"{name}: {rule}: {element[:200]}" for rule, element in violations(page)]
    assert "\n".join(broken) == ""


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1440, "light")])
def test_every_page_is_gone_through_by_keys(browser: Browser, pages, width, scheme):
    served, paths = pages
    lost: list[str] = []
    with quiet(browser, served, width, scheme) as page:
        for name, path in paths.items():
            page.goto(served.interface + path, wait_until="load")
            # A field may have the focus already: the first stop is the link that skips what is on every page.
            page.evaluate("document.activeElement.blur()")
            stops = 0
            for _ in range(MOST_STOPS):
                page.keyboard.press("Tab")
                at = page.evaluate(FOCUSED)
                if at is None:
                    break
                stops += 1
                if not (at[0] and at[1]):
                    lost.append(f"{name}: {at}")
            if stops < 3:
                lost.append(f"{name}: {stops} stops")
    assert "\n".join(lost) == ""


def test_what_folds_and_opens_does_so_by_mouse_and_by_keys(browser: Browser, pages):
    served, paths = pages
    with quiet(browser, served, 1440, "light") as page:
        for name, path in paths.items():
            page.goto(served.interface + path, wait_until="load")
            for summary in page.locator("summary:visible").all()[:8]:
                is_open = "each => each.parentElement.open"
                before = summary.evaluate(is_open)
                summary.click()
                assert summary.evaluate(is_open) != before, name
                summary.focus()
                page.keyboard.press("Enter")
                assert summary.evaluate(is_open) == before, name


def test_all_ways_of_a_blog_are_gone_by_mouse(browser: Browser, pages):
    served, _ = pages
    with quiet(browser, served, 1440, "light") as page:
        page.goto(served.interface + "/")
        page.get_by_role("link", name="A long life").first.click()
        page.wait_for_url("**/blog/long.example")
        for name in page.locator("nav a:visible, p.ways a:visible").all_inner_texts():
            # The live blog is elsewhere, and a feed is no page.
            if "↗" in name or name.strip() in {"", "Feed"}:
                continue
            page.goto(served.interface + "/blog/long.example")
            link = page.locator("nav a:visible, p.ways a:visible").filter(has_text=name).first
            target = link.get_attribute("href") or ""
            link.click()
            page.wait_for_load_state("load")
            assert page.locator("h1, iframe").count() > 0, f"{name} {target}"


def test_words_are_found_from_the_field_on_top(browser: Browser, pages):
    served, _ = pages
    for width in (360, 1440):
        with quiet(browser, served, width, "light") as page:
            page.goto(served.interface + "/")
            page.locator("form.find input[type=search]").first.fill("heron")
            page.keyboard.press("Enter")
            page.wait_for_url("**/search?q=heron*")
            page.locator("ol.posts h3 a").first.click()
            page.wait_for_url("**/read/**")
            assert page.locator("article h1").count() == 1
