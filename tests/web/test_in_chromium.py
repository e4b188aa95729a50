"""The interface and captured pages in a real browser: what a reader sees, and what a captured page cannot reach."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from archive import some_visits as some
from everlog.archive import open_archive
from everlog.errors import NoBrowser
from everlog.render.find_chromium import find_chromium
from web.conftest import HOME, POST, STYLE, answer, stamp
from web.served_archive import Served, serving
from web.some_blogs import HOSTILE, PAYLOADS, add_hostile, add_posts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

# Everything that a page could try to get at what is shown beside it.
ATTACK = (
    "<!doctype html><title>attack</title><h1 id=h>Hello</h1>"
    "<script>parent.postMessage('ran', '*'); document.cookie = 'a=1'; localStorage.a = 1</script>"
    "<img src=x onerror=\"fetch('INTERFACE/?ran')\"><svg onload=\"fetch('INTERFACE/?ran')\"></svg>"
    "<iframe src=\"INTERFACE/\"></iframe><form action=\"INTERFACE/go\"><button id=b>Go</button></form>"
    "<meta http-equiv=refresh content=\"0;url=INTERFACE/?ran\"><object data=\"INTERFACE/\"></object>"
    "<link rel=stylesheet href=\"INTERFACE/static/everlog.css?ran\">"
)

SCROLLED = """() => new Promise((seen) => {
  const look = () => scrollY > 4000 ? seen() : requestAnimationFrame(look);
  look();
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        program = find_chromium(None)
    except NoBrowser as error:
        pytest.skip(str(error))
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


@contextmanager
def opened(browser: Browser, served: Served, **options) -> Iterator[tuple[Page, list[str], list[str]]]:
    """A page, what it asked for beside both ports, and what it said on its console."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(120_000)
    strange: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: strange.append(request.url)
            if not request.url.startswith((served.interface, served.replay, "data:", "about:")) else None)
    page.on("console", lambda message: said.append(message.text))
    try:
        yield page, strange, said
    finally:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_every_page_fits_and_asks_nobody_else(browser: Browser, served: Served, width, scheme):
    paths = [
        "/", "/blog/a.example", "/captures/a.example", "/complete/a.example", "/search?q=hello", "/search",
        f"/web/{stamp(10)}/{POST}", f"/web/*/{POST}", f"/read/{POST}", f"/diff/1/2/{POST}",
    ]
    with opened(
        browser, served, viewport={"width": width, "height": 800}, color_scheme=scheme,  # type: ignore[arg-type]
        java_script_enabled=True,
    ) as (page, strange, said):
        for path in paths:
            page.goto(served.interface + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert strange == []
        assert said == []


def test_a_click_in_a_captured_page_leads_the_whole_window(browser: Browser, served: Served):
    with opened(browser, served) as (page, strange, _):
        page.goto(f"{served.interface}/web/{stamp(10)}/{POST}")
        frame = page.frame_locator("iframe")
        assert frame.locator("h1").inner_text() == "Day 10"
        assert frame.locator("img").evaluate("picture => picture.naturalWidth") == 1
        page.get_by_text("later").click()
        page.wait_for_url(f"{served.interface}/web/{stamp(20)}/{POST}")
        page.frame_locator("iframe").locator("#on").click()
        page.wait_for_url(f"{served.interface}/web/*/{HOME}about")
        assert page.frame_locator("iframe").locator("h1").inner_text() == "About"
        assert strange == []


def test_a_link_to_a_place_in_a_captured_page_leads_there(browser: Browser, tmp_path):
    long = "<!doctype html><a href='/there#deep'>on</a><p style='margin:4000px 0'>far<p id=deep>deep<p>end"
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.page(blog, url, exchanges=(answer(url, long.encode(), "text/html"),))
                            for url in (HOME, HOME + "there")])
    with open_archive(tmp_path / "archive", read_only=True) as archive, serving(archive) as served, opened(
        browser, served,
    ) as (page, _, __):
        begin = f"{served.interface}/web/{stamp(0)}/{HOME}"
        page.goto(begin)
        assert page.frame_locator("iframe").locator("#deep").evaluate("() => scrollY") == 0
        page.frame_locator("iframe").locator("a").click()
        page.wait_for_url(f"{begin}there#deep")
        there = page.frame_locator(f'iframe[src="{served.replay}/web/{stamp(0)}mp_/{HOME}there#deep"]')
        there.locator("#deep").evaluate(SCROLLED)
        # One step back is the page before.
        page.go_back()
        page.wait_for_url(begin)


def test_the_pages_work_by_keyboard_and_show_where_they_are(browser: Browser, served: Served):
    with opened(browser, served) as (page, _, __):
        page.goto(served.interface)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"
        page.locator("#address").fill("a.example/about")
        page.keyboard.press("Enter")
        page.wait_for_url("**/web/*/http://a.example/about")


def test_fonts_and_pictures_of_a_style_sheet_load_in_a_sandboxed_page(browser: Browser, served: Served):
    with opened(browser, served) as (page, _, said):
        answers: dict[str, int] = {}
        page.on("response", lambda response: answers.__setitem__(response.url, response.status))
        page.goto(f"{served.replay}/web/{stamp(0)}/{POST}")
        sheet = f"{served.replay}/web/{stamp(0)}/{STYLE}"
        assert answers[sheet] == 200
        picture = page.evaluate("getComputedStyle(document.body).backgroundImage")
        assert picture == f'url("{served.replay}/web/{stamp(0)}/{HOME}cat.png")'
        assert not [text for text in said if "CORS" in text or "Content Security Policy" in text]


def test_what_is_not_held_of_a_page_is_missing_without_a_word(browser: Browser, tmp_path):
    page_of = (
        '<!doctype html><style>@import "/lost.css"; p { background: url(/lost.gif) }</style>'
        '<link rel="stylesheet" href="/lost.css"><img id="i" src="/lost.png" alt="A cat"><p>Words</p>'
    )
    with open_archive(tmp_path / "archive", create=True) as archive, serving(archive) as served:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.page(blog, HOME, exchanges=(answer(HOME, page_of.encode(), "text/html"),))])
        with opened(browser, served) as (page, strange, said):
            page.goto(f"{served.interface}/web/{stamp(0)}/{HOME}")
            picture = page.frame_locator("iframe").locator("#i")
            # Its words stand in its place.
            assert picture.evaluate("each => each.complete && each.naturalWidth === 0 && each.offsetWidth > 10")
            assert (strange, said) == ([], [])


def test_a_captured_page_reaches_neither_the_interface_nor_cookies_nor_storage(browser: Browser, tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive, serving(archive) as served:
        blog = archive.blogs.add(HOME, scope="path").id
        body = ATTACK.replace("INTERFACE", served.interface).encode()
        with archive.lock(blog):
            archive.commit([some.page(blog, POST, exchanges=(answer(POST, body, "text/html"),))])
        with opened(browser, served) as (page, strange, _):
            asked: list[str] = []
            page.on("request", lambda request: asked.append(request.url))
            page.add_init_script("window.addEventListener('message', event => { window.heard = event.data })")
            page.goto(f"{served.interface}/web/{stamp(0)}/{POST}")
            frame = page.frames[1]
            frame.wait_for_selector("#h")
            page.wait_for_load_state("networkidle")
            assert strange == []
            assert not [url for url in asked if "ran" in url.partition("?")[2]]
            assert page.evaluate("window.heard") is None
            assert page.url == f"{served.interface}/web/{stamp(0)}/{POST}"
            assert page.context.cookies() == []
            # With a script of the test's own the page finds that it has no origin.
            assert frame.evaluate("window.origin") == "null"
            for reach in ("document.cookie", "localStorage.length", "parent.document.title", "indexedDB.open('a')"):
                with pytest.raises(Exception, match=r"SecurityError|denied|Blocked|cross-origin"):
                    frame.evaluate(reach)


def test_the_check_sees_what_a_page_without_a_sandbox_does(browser: Browser, served: Served):
    # The control: the same kinds of scripts, where nothing forbids them.
    with opened(browser, served) as (page, strange, _):
        page.route("http://control.example/", lambda route: route.fulfill(
            body="<script>window.heard = 'ran'; fetch('http://stranger.example/')</script>", content_type="text/html",
        ))
        page.goto("http://control.example/")
        page.wait_for_function("window.heard === 'ran'")
        assert "http://stranger.example/" in strange


@pytest.mark.parametrize("width", [360, 1280])
def test_hostile_and_empty_posts_run_nothing_and_fit(browser: Browser, tmp_path, width):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_hostile(archive)
        add_posts(archive, "http://long.example/", 200, title="W" * 300)
        paths = ["/", "/blog/hostile.example", "/complete/hostile.example", "/blog/long.example?tag=" + "W" * 150,
                 "/search?q=hostile", "/search?q=%3Cscript%3Ealert(1)%3C/script%3E", f"/read/{HOSTILE}empty"]
        for number in range(len(PAYLOADS)):
            paths += [f"/read/{HOSTILE}{number}", f"/diff/1/2/{HOSTILE}{number}"]
        with serving(archive) as served, opened(browser, served, viewport={"width": width, "height": 800}) as (
            page, strange, said,
        ):
            dialogs: list[str] = []
            page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
            for path in paths:
                page.goto(served.interface + path)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path
                assert page.evaluate("document.querySelectorAll('main script, main iframe, main [style]').length") == 0
            assert (strange, dialogs, said) == ([], [], [])


def test_a_month_of_the_chart_is_chosen_by_keyboard(browser: Browser, tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, "http://long.example/", 40, title="A long life")
        with serving(archive) as served, opened(browser, served, java_script_enabled=False) as (page, _, __):
            page.goto(served.interface + "/blog/long.example")
            page.locator('.months a[title="May 2020: 4 posts"]').focus()
            page.keyboard.press("Enter")
            page.wait_for_url(served.interface + "/blog/long.example?month=2020-05")
            assert page.locator("ol.posts > li").count() == 4
            page.locator("ol.posts h3 a").first.click()
            assert page.locator("article h1").inner_text().startswith("Post ")
