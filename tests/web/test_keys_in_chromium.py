"""Keys, lists that grow and filters that change a page in place, in a real browser; and the same without scripts."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from archive import some_visits as some
from everlog.archive import open_archive
from everlog.records import Comment
from web.conftest import filled
from web.served_archive import Served, serving
from web.some_blogs import add_events, add_posts
from web.test_in_chromium import browser, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from everlog.archive import Archive

pytestmark = pytest.mark.slow
__all__ = ["browser"]

# No machine is too slow; what never comes is told.
expect.set_options(timeout=120_000)
LONG = "http://long.example/"
TALK = "http://talk.example/post"
WHERE = "document.activeElement.textContent"


def talked_about(archive: Archive) -> None:
    """A post with two comments, of which one has no date."""
    blog = archive.blogs.add("http://talk.example/", scope="path").id
    with archive.lock(blog):
        archive.commit([some.page(blog, TALK, outcome="post", exchanges=(some.exchange(TALK),), post=some.post(
            TALK, comments_state="complete",
            comments=(Comment(id="1", text="Yes", published=some.START), Comment(id="2", text="No")),
        ))])


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("keys") / "archive"
    with open_archive(place, create=True) as archive:
        filled(archive)
        add_posts(archive, LONG, 100, title="A long life")
        add_events(archive, LONG)
        talked_about(archive)
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


@contextmanager
def quiet_page(browser: Browser, served: Served, **options) -> Iterator[Page]:
    """A page that asks nobody else, and says nothing on its console: no error, nothing that a policy forbade."""
    with opened(browser, served, **options) as (page, strange, said):
        yield page
        assert (strange, said) == ([], [])


def titles(page: Page) -> list[str]:
    return page.locator("#list > li h3").all_inner_texts()


def test_j_and_k_go_through_posts_and_enter_opens_one(browser: Browser, lists: Served):
    with quiet_page(browser, lists) as page:
        page.goto(lists.interface + "/blog/long.example")
        page.keyboard.press("j")
        assert page.evaluate(WHERE) == "Post 99"
        page.keyboard.press("j")
        page.keyboard.press("j")
        assert page.evaluate(WHERE) == "Post 97"
        page.keyboard.press("k")
        assert page.evaluate(WHERE) == "Post 98"
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        assert page.evaluate("getComputedStyle(document.activeElement.closest('li')).boxShadow") != "none"
        page.keyboard.press("Enter")
        page.wait_for_url(f"{lists.interface}/read/{LONG}98")


def test_behind_the_last_post_j_brings_further_ones_and_goes_on(browser: Browser, lists: Served):
    with quiet_page(browser, lists) as page:
        page.goto(lists.interface + "/blog/long.example")
        for _ in range(40):
            page.keyboard.press("j")
        assert page.evaluate(WHERE) == "Post 60"
        page.keyboard.press("j")
        expect(page.locator("#list a:focus")).to_have_text("Post 59")
        assert titles(page) == [f"Post {number}" for number in range(99, 19, -1)]
        assert page.url == lists.interface + "/blog/long.example"
        page.keyboard.press("j")
        assert page.evaluate(WHERE) == "Post 58"


def test_further_posts_are_added_until_there_are_none(browser: Browser, lists: Served):
    with quiet_page(browser, lists) as page:
        page.goto(lists.interface + "/blog/long.example?order=oldest")
        for count in (80, 100):
            page.get_by_role("link", name="Further posts").click()
            expect(page.locator("#list > li")).to_have_count(count)
        assert page.get_by_role("link", name="Back to the first").count() == 0
        assert titles(page)[1:] == [f"Post {number}" for number in range(1, 100)]
        assert page.get_by_role("link", name="Further posts").count() == 0


def test_a_slash_leads_to_the_field_and_keys_are_letters_there(browser: Browser, lists: Served):
    with quiet_page(browser, lists) as page:
        page.goto(lists.interface + "/blog/long.example")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "address"
        page.keyboard.type("j/k?")
        assert page.locator("#address").input_value() == "j/k?"
        assert not page.locator("dialog#keys").is_visible()
        page.locator("#address").fill("number7")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search?q=number7")
        page.keyboard.press("j")
        assert page.evaluate(WHERE) == "Post 7"


def test_with_control_alt_or_command_a_key_is_the_browsers(browser: Browser, lists: Served):
    with quiet_page(browser, lists) as page:
        page.goto(lists.interface + "/blog/long.example")
        for held in ("Control", "Alt", "Meta"):
            prevented = page.evaluate(
                """held => !document.body.dispatchEvent(new KeyboardEvent("keydown", {
                    key: "/", bubbles: true, cancelable: true, [held + "Key"]: true }))""",
                {"Control": "ctrl", "Alt": "alt", "Meta": "meta"}[held],
            )
            assert not prevented, held
        assert page.evaluate("document.activeElement.tagName") == "BODY"


@pytest.mark.parametrize("path", ["/", "/blog/long.example", "/search?q=number7", f"/read/{LONG}7", "/nowhere"])
def test_a_question_mark_tells_the_keys_and_escape_closes_them(browser: Browser, lists: Served, path):
    with opened(browser, lists) as (page, strange, _):
        page.goto(lists.interface + path)
        page.keyboard.press("?")
        assert page.get_by_role("dialog", name="Keys").is_visible()
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.closest('dialog') !== null")
        page.keyboard.press("Escape")
        assert not page.locator("dialog#keys").is_visible()
        page.get_by_role("link", name="Keys").click()
        page.get_by_role("button", name="Close").click()
        assert not page.locator("dialog#keys").is_visible()
        assert page.url == lists.interface + path
        assert strange == []


def test_j_goes_through_blogs_events_hits_and_comments(browser: Browser, lists: Served):
    with quiet_page(browser, lists) as page:
        for path, first in (
            ("/", "A blog & more"), ("/timeline/long.example?kind=edits", "Post 0 in its form 3"),
            ("/search?q=number8", "Post 8"),
        ):
            page.goto(lists.interface + path)
            page.keyboard.press("j")
            assert page.evaluate(WHERE) == first, path
        page.goto(f"{lists.interface}/read/http://a.example/2024/a-post")
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.closest('.thread') !== null")


def test_j_and_k_stop_at_events_that_lead_nowhere_and_go_on(browser: Browser, lists: Served):
    here = "document.activeElement.closest('li').className"
    with quiet_page(browser, lists) as page:
        page.goto(lists.interface + "/timeline/long.example")
        events = page.locator("#list > li").evaluate_all("items => items.map(item => item.className)")
        assert events[1:3] == ["event-redesigned", "event-moved"]
        for event in events:
            page.keyboard.press("j")
            assert page.evaluate(here) == event
            assert page.evaluate("getComputedStyle(document.activeElement.closest('li')).boxShadow") != "none", event
        page.keyboard.press("j")
        assert page.evaluate(here) == events[-1]
        for event in events[-2::-1]:
            page.keyboard.press("k")
            assert page.evaluate(here) == event


def test_the_time_of_an_event_stands_on_one_line(browser: Browser, lists: Served):
    with quiet_page(browser, lists, viewport={"width": 1280, "height": 800}) as page:
        page.goto(lists.interface + "/timeline/long.example")
        # Of all times this is the longest.
        page.locator("#list time").first.evaluate("time => time.textContent = '28 September 2024, 20:48 UTC'")
        for time in page.locator("#list time").all():
            assert time.evaluate("time => time.getClientRects().length") == 1, time.text_content()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_that_is_wider_than_the_screen_says_so_at_its_edge(browser: Browser, lists: Served, scheme):
    with quiet_page(browser, lists, viewport={"width": 360, "height": 800}, color_scheme=scheme) as page:
        page.goto(lists.interface + "/complete/long.example")
        table = page.locator(".wide").first
        assert table.evaluate("table => table.scrollWidth > table.clientWidth")
        layers = table.evaluate("table => getComputedStyle(table).backgroundAttachment")
        assert layers == "local, local, scroll, scroll"
        before = table.screenshot()
        table.evaluate("table => table.style.background = 'none'")
        assert table.screenshot() != before


def test_filters_change_the_page_in_place_and_back_leads_back(browser: Browser, lists: Served):
    with quiet_page(browser, lists) as page:
        page.goto(lists.interface + "/blog/long.example")
        page.evaluate("window.isTheSame = true")
        page.locator("#y-2020").click()
        page.locator('.months a[title="May 2020: 4 posts"]').focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/blog/long.example?month=2020-05")
        expect(page.locator("#list > li")).to_have_count(4)
        assert page.evaluate("document.activeElement.id") == "m-2020-05"
        page.locator(".terms a", has_text="Bob").click()
        page.wait_for_url("**?month=2020-05&author=bob")
        expect(page.locator("#list > li")).to_have_count(2)
        assert page.evaluate("window.isTheSame")
        # The focus follows when what came has settled.
        expect(page.locator("[data-landing]")).to_be_focused()
        for address, count in (("?month=2020-05", 4), ("?month=2020", 40), ("", 40)):
            page.evaluate("() => history.back()")
            page.wait_for_url(f"{lists.interface}/blog/long.example{address}", wait_until="load")
            expect(page.locator("#list > li")).to_have_count(count)
            expect(page.locator(".active li")).to_have_count(1 if address else 0)
            page.wait_for_load_state("load")
        assert page.url == lists.interface + "/blog/long.example"


def test_an_answer_that_fits_no_page_is_shown_as_one(browser: Browser, lists: Served):
    with opened(browser, lists) as (page, strange, _):
        page.route("**/blog/long.example?order=oldest", lambda route: route.fulfill(
            status=503, body="<h1>Busy</h1>", content_type="text/html",
        ))
        page.goto(lists.interface + "/blog/long.example")
        page.get_by_role("link", name="Oldest first").click()
        expect(page.locator("h1")).to_have_text("Busy")
        assert page.url.endswith("?order=oldest")
        assert strange == []


def test_facets_of_a_search_change_it_in_place(browser: Browser, lists: Served):
    with quiet_page(browser, lists) as page:
        page.goto(lists.interface + "/search?q=word3")
        page.evaluate("window.isTheSame = true")
        page.locator("aside .terms a", has_text="2021").click()
        page.wait_for_url("**/search?q=word3&year=2021")
        expect(page.locator("h1")).to_have_text("40 posts")
        page.get_by_role("link", name="Further results").click()
        expect(page.locator("#list > li")).to_have_count(40)
        assert page.get_by_role("link", name="Earlier results").count() == 0
        assert page.evaluate("window.isTheSame")
        assert page.title().startswith("word3")


def test_blogs_are_sorted_and_found_in_place(browser: Browser, tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        for name in ("zeta", "alpha", "beta", "gamma"):
            add_posts(archive, f"http://{name}.example/", 1, title=name)
        with serving(archive) as served, quiet_page(browser, served) as page:
            page.goto(served.interface)
            page.evaluate("window.isTheSame = true")
            page.get_by_role("link", name="By name").click()
            page.wait_for_url("**/?order=name")
            expect(page.locator("#list h2").first).to_have_text("alpha")
            page.locator("#filter").fill("eta")
            page.keyboard.press("Enter")
            page.wait_for_url("**/?order=name&name=eta")
            expect(page.locator("#list > li")).to_have_count(2)
            assert page.evaluate("window.isTheSame")
            assert page.locator("#filter").input_value() == "eta"


def test_the_open_tab_is_seen_on_a_telephone(browser: Browser, lists: Served):
    with quiet_page(browser, lists, viewport={"width": 360, "height": 800}) as page:
        for path in ("/blog/long.example", "/captures/a.example"):
            page.goto(lists.interface + path)
            box = page.locator(".tabs [aria-current]").bounding_box()
            assert box is not None
            assert box["x"] >= 0, path
            assert box["x"] + box["width"] <= 360, path


def test_without_scripts_everything_is_reached_by_links(browser: Browser, lists: Served):
    with quiet_page(browser, lists, java_script_enabled=False) as page:
        page.goto(lists.interface + "/blog/long.example")
        page.get_by_role("link", name="Further posts").click()
        page.wait_for_url("**/blog/long.example?after=*")
        assert page.locator("#list > li").count() == 40
        page.locator(".terms a", has_text="Bob").click()
        page.wait_for_url("**?author=bob")
        page.get_by_role("link", name="Time line", exact=True).click()
        page.get_by_role("link", name="Edits").click()
        page.wait_for_url("**/timeline/long.example?kind=edits")
        page.get_by_role("link", name="Calendar").click()
        page.locator(".grid td a").first.click()
        page.wait_for_url("**/blog/long.example?month=2022-*")
        page.get_by_role("link", name="Keys").click()
        page.wait_for_url("**/keys")
        assert page.get_by_role("heading", name="Keys").is_visible()


def test_a_post_on_paper_has_no_navigation_and_says_where_links_lead(browser: Browser, lists: Served):
    with quiet_page(browser, lists) as page:
        page.emulate_media(media="print", color_scheme="dark")
        page.goto(f"{lists.interface}/read/http://a.example/2024/a-post")
        for gone in (".top", ".foot", ".ways"):
            assert not page.locator(gone).first.is_visible(), gone
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        after = page.evaluate("getComputedStyle(document.querySelector('.article a'), '::after').content")
        assert "http://a.example/about" in after


def test_on_paper_comments_have_their_dates_and_lines_of_an_article_are_not_as_wide_as_the_sheet(
    browser: Browser, lists: Served,
):
    with quiet_page(browser, lists, viewport={"width": 1000, "height": 800}) as page:
        page.emulate_media(media="print")
        page.goto(f"{lists.interface}/read/{TALK}")
        assert page.locator(".said time").all_inner_texts() == ["1 May 2024"]
        assert [link.is_visible() for link in page.locator(".said .link").all()] == [True, False]
        em, width = page.evaluate("""() => {
            const article = document.querySelector(".article");
            return [parseFloat(getComputedStyle(article).fontSize), article.getBoundingClientRect().width];
        }""")
        assert 35 <= width / em <= 37
