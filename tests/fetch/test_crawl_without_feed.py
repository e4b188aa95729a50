"""Posts looked for on a blog without a feed, through the real web: politely, and each page once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from servers import Server, redirect, reply
from stories import Leaps, policy, tell, told

import a_blog
from everlog.settings import make_settings
from everlog.usecases.crawl.report import Tally
from everlog.usecases.learn.explore import find_blog
from everlog.usecases.page.rendering import Rendering

if TYPE_CHECKING:
    from everlog.fetch import HttpClient

LEAPS = Leaps()
POSTS = 12
ROBOTS = "User-agent: *\nDisallow: /private\nSitemap: {map}\n"


async def story(fetcher: HttpClient) -> dict[str, Any]:
    with Server(now=LEAPS.now) as blog:
        links = "".join(f"<h2><a href=/{number}>Post {number} of ours</a></h2>" for number in range(POSTS - 4, 0, -1))
        links += "<a href=/private/notes>Notes</a><a href=/old>Old</a><a href=/gone>Gone</a><a href=/file>F</a>"
        rows = "".join(f"<url><loc>{blog.url(f'/{number}')}</loc></url>" for number in range(1, POSTS + 1))
        blog.routes |= {
            "/robots.txt": reply(200, ROBOTS.format(map=blog.url("/map.xml")), Content_Type="text/plain"),
            "/": reply(200, f"<html><body>{links}</body></html>"),
            "/old": redirect("/3"),
            "/file": reply(200, b"%PDF", Content_Type="application/pdf"),
            "/map.xml": reply(200, f"<urlset>{rows}</urlset>", Content_Type="application/xml"),
            **{f"/{number}": reply(200, a_blog.page(number)) for number in range(1, POSTS + 1)},
        }
        session = fetcher.session(policy(blog.url(), obey_robots=True, delay_seconds=1.0))
        rendering = Rendering(browser=None, fetcher=session, settings=make_settings({"no_feed": True}))
        tally = Tally(blog=blog.url())
        found = await find_blog(blog.url(), rendering, tally)
        began = blog.seen[0].at
        return {
            "posts": sorted(int((entry.link or "").rpartition("/")[2]) for entry in found.feed.entries),
            "titles": {entry.title for entry in found.feed.entries},
            "counts": blog.counts(),
            "answers": len(found.explored.answers) if found.explored else 0,
            "robots": [each.status for each in found.explored.robots] if found.explored else [],
            "doing": tally.doing,
            "seconds": (blog.seen[-1].at - began).total_seconds(),
            "requests": len(blog.seen),
        }


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return told(__file__, environment={"PYTHONPATH": str(Path(__file__).parents[1])})


def test_the_posts_are_found_those_of_the_sitemap_too(found):
    assert found["posts"] == list(range(1, POSTS + 1))
    assert found["titles"] == {f"Post {number} of ours" for number in range(1, POSTS + 1)}


def test_no_page_is_asked_for_twice_but_the_goal_of_a_redirect(found):
    assert {path for path, count in found["counts"].items() if count > 1} <= {"/3"}


def test_what_robots_txt_forbids_is_not_asked_for(found):
    assert "/private/notes" not in found["counts"]


def test_every_answer_is_handed_on_failures_too(found):
    # The front page, the posts, and five links that are none.
    assert found["answers"] == 1 + POSTS + 5


def test_robots_txt_is_handed_on_for_the_archive(found):
    assert found["robots"] == [200]


def test_pages_are_asked_for_as_slowly_as_those_of_any_crawl(found):
    assert found["seconds"] >= found["requests"] - 3


def test_the_display_says_what_is_done(found):
    assert found["doing"] == f"looking for posts (no feed), {found['answers']} pages seen"


if __name__ == "__main__":
    tell(story, LEAPS.keeper())
