"""Pages about posts, and about how the archive came to be, in a real browser: they fit, grow, and need no script."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from archive import some_visits as some
from everlog.archive import open_archive
from everlog.core.fetcher import HostStats, Waited
from everlog.records import Comment
from everlog.web.posts.comment_parts import anchor_of
from web.conftest import POST, answer, filled
from web.served_archive import Served, serving
from web.test_in_chromium import browser
from web.test_keys_in_chromium import quiet_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow
__all__ = ["browser"]

RICH = "http://rich.example/"
WORD = "Donaudampfschifffahrtsgesellschaftskapitaensmuetzenabzeichenverordnung" * 3
# What is wider than any telephone, and what has to lead there and back.
MARKUP = (
    f'<p id="top">Words {WORD} https://a.example/{"long/" * 60} and a note<sup id="r1"><a href="#f1">1</a></sup></p>'
    f'<pre><code>{"code " * 200}</code></pre>'
    f'<table><tr>{"<th>A heading</th>" * 30}</tr><tr>{"<td>cell</td>" * 30}</tr></table>'
    f'<p><img src="{RICH}wide.png" alt="Wide" width="4000" height="20"></p><ul><li>{WORD}</li></ul>'
    f'<blockquote><blockquote><blockquote>{WORD}</blockquote></blockquote></blockquote>'
    '<video src="http://nowhere.example/film.mp4"></video>' + "<p>Further words.</p>" * 60
    + '<p id="f1">The note <a href="#r1">back</a></p>'
)
ARABIC = "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645"
# Where the first letter of some words stands, and the last; and where the words of an element begin from the left.
LETTERS = """place => {
  let text = document.querySelector(place);
  while (text.firstChild) text = text.firstChild;
  const at = number => {
    const range = document.createRange();
    range.setStart(text, number);
    range.setEnd(text, number + 1);
    return range.getBoundingClientRect().x;
  };
  return [at(0), at(text.length - 1)];
}"""
FIRST_LEFT = """each => {
  const range = document.createRange();
  range.selectNodeContents(each);
  return range.getBoundingClientRect().x;
}"""
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63f8cfc0f01f0005"
    "00017f36e9ad3b0000000049454e44ae426082",
)


@pytest.fixture(scope="module")
def posts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("rich") / "archive"
    many = tuple(
        Comment(id=str(number), parent=str(number - 1) if number % 10 else None, author=f"Reader {number}",
                text=f"Comment {number} {WORD if number % 50 == 0 else ''}") for number in range(1_000)
    )
    with open_archive(place, create=True) as archive:
        filled(archive)
        blog = archive.blogs.add(RICH, scope="path").id
        archive.blogs.update(blog, title="Rich", state="finished")
        archive.hosts.add([HostStats(
            host="rich.example", requests=5, bytes=5, waited_seconds=5.0, slowed=0, delay_seconds=1.0,
            waits=(Waited(reason=WORD, signal=WORD, first_at=some.START, last_at=some.START),),
        )], some.START)
        with archive.lock(blog):
            archive.commit([
                some.page(blog, RICH + "wide.png", outcome="media", exchanges=(
                    answer(RICH + "wide.png", PNG, "image/png", purpose="media"),
                )),
                some.page(blog, RICH + WORD, outcome="failed", reason=f"HTTP 404 {WORD}", exchanges=(
                    some.exchange(RICH + WORD, b"no", status=404),
                )),
            ])
            for version in range(3):
                archive.commit([some.page(blog, RICH + "rich", outcome="post", exchanges=(
                    some.exchange(RICH + "rich", b"%d" % version, at=version),
                ), post=some.post(
                    RICH + "rich", title=f"{WORD} {version}", html=MARKUP, text=f"{WORD} {version}\n\n" * 9,
                    comments=many, comments_state="complete", tags=(WORD,), authors=(WORD,),
                ))])
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_whatever_stands_in_a_post_its_pages_are_as_wide_as_the_window(browser: Browser, posts: Served, width, scheme):
    with quiet_page(browser, posts, viewport={"width": width, "height": 800}, color_scheme=scheme) as page:
        for path in (
            f"/read/{RICH}rich", f"/comments/2/{RICH}rich", f"/diff/1/3/{RICH}rich", "/rules/rich.example",
            "/requests/rich.example", "/fleet", f"/read/{POST}",
        ):
            page.goto(posts.interface + path)
            page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_words_of_ours_beside_a_title_from_right_to_left_are_read_as_they_are(browser: Browser, tmp_path):
    home = "http://right.example/"
    with open_archive(tmp_path / "archive", create=True) as archive, serving(archive) as served:
        blog = archive.blogs.add(home, scope="path").id
        archive.blogs.update(blog, title=ARABIC, state="finished")
        with archive.lock(blog):
            for number in range(2):
                page_of = answer(f"{home}1", b"<p>x", "text/html", at=number)
                archive.commit([some.page(blog, f"{home}1", outcome="post", exchanges=(page_of,), post=some.post(
                    f"{home}1", title=ARABIC, text=f"{ARABIC} {number}", html=f"<p>{ARABIC} {number}</p>",
                    language="ar", fetched=page_of.fetched_at,
                ))])
        with quiet_page(browser, served, viewport={"width": 1280, "height": 800}) as page:
            for path, place in (("read/right.example/1", ".post .by"), ("blog/right.example", ".posts .by")):
                page.goto(f"{served.interface}/{path}")
                number, word = page.evaluate(LETTERS, f"{place} > :last-child")
                assert number < word, path
            # Its name stands beside its icon, and what it says begins on the right.
            name = page.locator(".blog-head h1").evaluate(FIRST_LEFT)
            icon = page.locator(".blog-head img").bounding_box()
            assert icon is not None
            assert 0 < name - icon["x"] - icon["width"] < 30
            page.goto(f"{served.interface}/diff/1/2/{home}1")
            old = page.locator(".sides.text .old").first
            assert old.evaluate("each => getComputedStyle(each).borderRightWidth") == "1px"
            assert old.evaluate("each => getComputedStyle(each).direction") == "rtl"


def test_two_versions_stand_beside_each_other_where_there_is_room(browser: Browser, posts: Served):
    for width, is_beside in ((1440, True), (768, True), (767, False), (360, False)):
        with quiet_page(browser, posts, viewport={"width": width, "height": 800}) as page:
            page.goto(f"{posts.interface}/diff/1/3/{RICH}rich")
            row = page.locator(".sides.text .row:not(.same)").first
            old, new = row.locator(".old").bounding_box(), row.locator(".new").bounding_box()
            assert old is not None
            assert new is not None
            assert (new["x"] > old["x"]) is is_beside, width
            assert (new["y"] > old["y"]) is not is_beside, width


def test_any_two_versions_are_chosen_and_compared(browser: Browser, posts: Served):
    with quiet_page(browser, posts) as page:
        page.goto(f"{posts.interface}/read/{RICH}rich")
        page.locator("select[name=first]").select_option("2")
        page.locator("select[name=last]").select_option("3")
        page.get_by_role("button", name="Compare").click()
        page.wait_for_url(f"{posts.interface}/diff/2/3/{RICH}rich")
        assert page.locator("ins").first.inner_text() == "2"


def test_a_note_at_the_end_is_one_click_away_and_one_click_back(browser: Browser, posts: Served):
    with quiet_page(browser, posts) as page:
        page.goto(f"{posts.interface}/read/{RICH}rich")
        page.locator(".article sup a").click()
        expect(page.locator("#in-f1")).to_be_in_viewport()
        page.get_by_role("link", name="back", exact=True).click()
        expect(page.locator("#in-r1")).to_be_in_viewport()


@pytest.mark.parametrize("scripts", [True, False])
def test_further_comments_come_into_the_page_or_are_one(browser: Browser, posts: Served, scripts):
    with quiet_page(browser, posts, java_script_enabled=scripts) as page:
        page.goto(f"{posts.interface}/read/{RICH}rich")
        assert page.locator(".said").count() == 200
        page.get_by_role("link", name="800 further comments").click()
        expect(page.get_by_role("link", name="600 further comments")).to_be_attached()
        assert page.locator(".said").count() == (400 if scripts else 200)
        assert page.url == posts.interface + (f"/read/{RICH}rich" if scripts else f"/comments/2/{RICH}rich")
        if not scripts:
            page.get_by_role("link", name="200 earlier comments").click()
            page.wait_for_url(f"{posts.interface}/read/{RICH}rich#comments")


def test_a_link_to_a_comment_finds_it_wherever_it_is_by_now(browser: Browser, posts: Served):
    with quiet_page(browser, posts) as page:
        for number, place in ((3, f"/read/{RICH}rich"), (777, f"/comments/4/{RICH}rich")):
            page.goto("about:blank")
            page.goto(f"{posts.interface}/read/{RICH}rich#{anchor_of(str(number), 0)}")
            page.wait_for_url(f"{posts.interface}{place}#{anchor_of(str(number), 0)}")
            expect(page.locator(f"#{anchor_of(str(number), 0)}")).to_be_in_viewport()


def test_a_comment_in_a_folded_thread_is_unfolded_by_a_link_to_it(browser: Browser, posts: Served):
    with quiet_page(browser, posts) as page:
        page.goto(f"{posts.interface}/read/{RICH}rich")
        page.evaluate("for (const each of document.querySelectorAll('.thread details')) each.open = false")
        page.evaluate(f"location.hash = '{anchor_of('15', 0)}'")
        expect(page.locator(f"#{anchor_of('15', 0)}")).to_be_in_viewport()


def test_a_fleet_is_looked_at_again_while_it_is_in_sight(browser: Browser, archive_url: str, tmp_path):
    with open_archive(archive_url, files=tmp_path / "files") as archive, serving(archive) as served:
        archive.workers.sign_in("first", processes=3, has_browser=False)
        with quiet_page(browser, served) as page:
            page.clock.install()
            page.goto(served.interface + "/fleet")
            expect(page.locator("#fleet table").first).to_contain_text("first")
            archive.workers.sign_in("second", processes=3, has_browser=False)
            page.clock.run_for(6_000)
            expect(page.locator("#fleet table").first).to_contain_text("second")
            assert page.url == served.interface + "/fleet"
