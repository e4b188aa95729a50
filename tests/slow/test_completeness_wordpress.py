"""Verdicts on a real WordPress, on loopback: is it all there?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cli.program import everlog
from platforms import wordpress
from platforms.content import oddities, post, text, years
from platforms.serving import needs
from platforms.wordpress import PLAIN, PRETTY, Options

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs("wordpress")
POSTS = 60
TEN = 10


def crawled(site: Any, folder: Path, *flags: str) -> dict[str, Any]:
    """What is said of a site's completeness after a crawl or an update."""
    done = everlog(
        "crawl", site.url, "--archive", "a", "--delay", "0", "--render", "never", "--no-media", *flags, folder=folder,
    )
    assert done.code in {0, 3}, done.err
    return everlog("status", site.url, "--archive", "a", "--json", folder=folder).json["completeness"]


def links(site: Any, *, visible: bool = True) -> list[str]:
    """The addresses of published posts: those that strangers may read, or those that ask for a password."""
    posts = (each for each in site.truth().posts if each.type == "post" and each.status == "publish")
    return sorted(each.link for each in posts if each.visible is visible)


def urls(gaps: list[dict[str, Any]]) -> list[str]:
    return sorted(gap["url"] for gap in gaps)


@pytest.mark.parametrize("permalinks", [PRETTY, PLAIN], ids=["pretty", "plain"])
def test_all_of_it_is_held_and_posts_with_passwords_are_excused_by_name(permalinks, tmp_path):
    locked = [post(f"Locked {number}", text(9_500 + number), password="sesame", date=f"2012-01-0{number} 10:00:00")  # noqa: S106
              for number in (1, 2)]
    with wordpress.site(Options(permalinks=permalinks), filled_with=[*years(POSTS, 40), *oddities(), *locked]) as site:
        said = crawled(site, tmp_path)["posts"]
        assert (said["answer"], said["missing"]) == ("yes", [])
        assert said["held"] == len(links(site))
        assert urls(said["excused"]) == links(site, visible=False)
        assert len(said["excused"]) == 3
        assert all("password" in gap["reason"] for gap in said["excused"])


@pytest.mark.parametrize("statuses", [(403,), (404, 410)], ids=["refused", "not there"])
def test_ten_pages_that_cannot_be_had_are_missing_and_no_other(statuses, tmp_path):
    with wordpress.site(filled_with=[*years(POSTS, 40), *oddities()]) as site:
        shut = links(site)[::4][:TEN]
        status_of = {url: statuses[number % len(statuses)] for number, url in enumerate(shut)}
        for url, status in status_of.items():
            site.shut([url], status=status)
        said = crawled(site, tmp_path)["posts"]
        assert said["answer"] == "no"
        assert urls(said["missing"]) == sorted(shut)
        assert all(gap["named_by"] and f"HTTP {status_of[gap['url']]}" in gap["reason"] for gap in said["missing"])
        assert urls(said["excused"]) == links(site, visible=False)


def test_with_rest_switched_off_the_paged_feed_tells_that_all_is_held(tmp_path):
    with wordpress.site(Options(rest=401), filled_with=years(POSTS, 40)) as site:
        said = crawled(site, tmp_path)
        assert (said["posts"]["answer"], said["posts"]["held"]) == ("yes", POSTS)
        told = next(each for each in said["inventories"] if each["grade"] == "B")
        assert (told["source"], told["members"], told["is_exhaustive"]) == ("WordPress feed", POSTS, True)


def test_with_rest_switched_off_ten_pages_that_cannot_be_had_are_missing_and_no_other(tmp_path):
    with wordpress.site(Options(rest=403), filled_with=years(POSTS, 40)) as site:
        shut = links(site)[::4][:TEN]
        site.shut(shut)
        said = crawled(site, tmp_path)["posts"]
        assert (said["answer"], urls(said["missing"])) == ("no", sorted(shut))
