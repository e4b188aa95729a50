"""Verdicts on a real Ghost, on loopback: is it all there?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli.program import everlog
from platforms import ghost
from platforms.content import ghost_oddities, years
from platforms.serving import needs

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs("ghost")
POSTS = 60
TEN = 10


def crawled(site: Any, folder: Path, *flags: str) -> dict[str, Any]:
    """What is said of a site's completeness after a crawl."""
    done = everlog(
        "crawl", site.url, "--archive", "a", "--delay", "0", "--render", "never", "--no-media", *flags, folder=folder,
    )
    assert done.code in {0, 3}, done.err
    return everlog("status", site.url, "--archive", "a", "--json", folder=folder).json["completeness"]


def links(site: Any, *visibilities: str) -> list[str]:
    posts = (each for each in site.truth().posts if each.type == "post" and each.status == "published")
    return sorted(each.link for each in posts if each.visibility in visibilities)


def urls(gaps: list[dict[str, Any]]) -> list[str]:
    return sorted(gap["url"] for gap in gaps)


def test_all_of_it_is_held_and_members_posts_are_excused_by_name(tmp_path):
    with ghost.site(filled_with=[*years(POSTS), *ghost_oddities()]) as site:
        # Its own robots.txt keeps strangers from the interface: this is for the owner of the blog.
        said = crawled(site, tmp_path, "--ignore-robots")["posts"]
        assert (said["answer"], said["missing"]) == ("yes", [])
        assert urls(said["excused"]) == links(site, "members", "paid")
        assert said["held"] == len(links(site, "public"))


def test_ten_pages_that_cannot_be_had_are_missing_and_no_other(tmp_path):
    with ghost.site(filled_with=[*years(POSTS), *ghost_oddities()]) as site:
        shut = links(site, "public")[::4][:TEN]
        site.shut(shut)
        said = crawled(site, tmp_path, "--ignore-robots")["posts"]
        assert (said["answer"], urls(said["missing"])) == ("no", sorted(shut))


def test_without_its_interface_nobody_can_tell_and_what_its_sitemap_names_is_missing(tmp_path):
    with ghost.site(filled_with=years(POSTS)) as site:
        shut = links(site, "public")[::4][:TEN]
        said = crawled(site, tmp_path)["posts"]
        assert (said["answer"], said["held"]) == ("unknown", POSTS)
        assert said["settled_by"]
        site.shut(shut, status=404)
        (tmp_path / "again").mkdir()
        said = crawled(site, tmp_path / "again")["posts"]
        assert (said["answer"], urls(said["missing"])) == ("no", sorted(shut))
