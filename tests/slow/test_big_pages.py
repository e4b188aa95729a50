"""Posts that are larger, emptier and stranger than others: every page about them answers, and shows what it should."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from everlog.archive import open_archive
from everlog.errors import NoBrowser
from everlog.render.find_chromium import find_chromium
from looking_big import BIG, COMMENTS, SCRIPTS, STRANGE, TITLES, WIDTHS, Asked, make, pages
from web.served_archive import Served, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with open_archive(tmp_path_factory.mktemp("big") / "archive", create=True) as archive:
        make(archive)
        with serving(archive) as running:
            yield running


@pytest.mark.parametrize("asked", list(pages()), ids=lambda asked: asked.name)
def test_a_page_answers_and_shows_what_it_is_about(served: Served, asked: Asked):
    answer = served.page(asked.path)
    assert answer.status == 200
    assert asked.shows in answer.text
    assert "window.fired=1</script>" not in answer.said or not answer.headers["Content-Type"].startswith("text/html")


def test_the_first_comments_of_thousands_come_at_once_and_the_others_by_links(served: Served):
    path, found = f"/read/{BIG}comments", 0
    for _ in range(COMMENTS):
        text = served.page(path).text
        assert len(text) < 1_000_000
        found += text.count("This was said number")
        further = re.search(r'href="(/comments/\d+/[^"]+)" rel="next"', text)
        if further is None:
            break
        path = further[1]
    assert found == COMMENTS


def test_titles_in_all_scripts_are_listed_with_their_language_and_direction(served: Served):
    text = served.page("/blog/scripts.example").text + served.page("/blog/scripts.example?order=oldest").text
    for language, title in TITLES:
        assert title in text
        assert f'<h3 lang="{language}" dir="auto">' in text


def test_a_post_without_anything_has_a_name_in_every_list(served: Served):
    text = served.page("/blog/strange.example").text
    assert text.count("Without a title") == 2
    assert "No text was found" in served.page(f"/read/{STRANGE}nothing").text
    assert "Without a title" in served.page(f"/read/{STRANGE}blank").text


def test_every_page_fits_a_telephone_and_a_desk_and_runs_nothing(served: Served):
    try:
        program = find_chromium(None)
    except NoBrowser as error:
        pytest.skip(str(error))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for width in WIDTHS:
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.set_default_timeout(120_000)
            for asked in pages():
                if not asked.path.startswith(("/json/", "/markdown/", "/feed/")):
                    page.goto(served.interface + asked.path)
                    assert page.evaluate("document.documentElement.scrollWidth") <= width, (asked.name, width)
                    assert page.evaluate("window.fired") is None, asked.name
        page.goto(f"{served.interface}/read/{SCRIPTS}title-7")
        edges = page.evaluate("""() => [...document.querySelectorAll("h1, .post > header .by > :first-child")].map(
            each => each.getBoundingClientRect().right)""")
        assert edges[0] == pytest.approx(edges[1], abs=1), "what stands below a title goes where the title goes"
        browser.close()
