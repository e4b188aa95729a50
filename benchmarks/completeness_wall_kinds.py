"""Kinds of gaps behind good lists: walls in place of pages, posts behind others, passwords, and many posts at once.

They stand beside the other kinds in the table. Who lists the posts tells the truth here, and often their texts too:
what is asked is whether the verdict sees what answers at their addresses.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from completeness_kinds import MOST, NO, UNKNOWN, YES, Case, kind, old_posts, some, wordpress_site
from completeness_sites import (
    Made,
    MadeArchives,
    MadeBlogger,
    MadeGhost,
    MadeStatic,
    MadeSubstack,
    MadeTumblr,
    MadeWeb,
    MadeWordPress,
)
from completeness_talk_kinds import KINDS

if TYPE_CHECKING:
    from random import Random

__all__ = ["KINDS"]

_HTML = {"Content-Type": "text/html; charset=UTF-8"}
WALLS = (
    "<title>Just a moment...</title><h1>Checking</h1><p>Please enable JavaScript and cookies to continue.</p>",
    ("<title>Maintenance</title><article><h1>Back soon</h1><div class='entry'><p>We are away for maintenance, "
    "and will be back when all of the work is done. We are sorry for the trouble.</p></div></article>"),
    ("<title>Not found</title><article><h1>Oops! That page is not here.</h1><div class='entry'><p>Nothing "
    "was found at this location, it seems. Maybe try a search?</p></div></article>"),
    ("<title>Before you continue</title><div class='entry'><h1>We value your privacy</h1><p>"
    f"{'We and our partners store and read information on a device, such as cookies. ' * 8}</p></div>"),
    "",
)
TOLD: tuple[tuple[type[Made], dict[str, Any]], ...] = (
    (MadeWordPress, {}), (MadeWordPress, {"traps": ("off-401",)}), (MadeGhost, {}), (MadeArchives, {"way": "complete"}),
)


def _told_site(random: Random) -> Made:
    """A site whose interface or feed tells all texts."""
    made, options = random.choice(TOLD)
    return made.of(random.randint(20, MOST), **options)


@kind("walls: pages of told posts show something else")
def _walls(random: Random) -> Case:
    site, wall = _told_site(random), random.choice(WALLS)
    urls = {site.url(number) for number in some(random, old_posts(site))}
    return Case(web=MadeWeb(site, beside={url: (200, _HTML, wall.encode()) for url in urls}), answers=(NO,), fair=urls)


@kind("walls: addresses of told posts lead to other posts")
def _led_astray(random: Random) -> Case:
    site = _told_site(random)
    first, *others = old_posts(site)
    urls = {site.url(number) for number in some(random, others)}
    return Case(web=MadeWeb(site, redirects=dict.fromkeys(urls, site.url(first))), answers=(NO,), fair=urls)


@kind("paged feed: posts with passwords")
def _feed_passwords(random: Random) -> Case:
    site = wordpress_site(random, least=16, traps=("off-401",))
    site.locked_posts = set(some(random, site.posts))
    return Case(web=MadeWeb(site), answers=(YES,), excused={site.url(number) for number in site.locked_posts})


@kind("REST: posts that were published twice")
def _twice(random: Random) -> Case:
    site = wordpress_site(random, least=16)
    first, *others = old_posts(site)
    for number in some(random, others):
        site.posts[number] = replace(site.posts[number], title=site.posts[first].title, body=site.posts[first].body)
    return Case(web=MadeWeb(site), answers=(YES,))


@kind("REST: without totals, and posts that nobody sees")
def _no_totals(random: Random) -> Case:
    site = MadeWordPress.of(
        random.randint(30, MOST), traps=("no-totals", "small-memory"), has_lists=False, has_neighbours=False,
    )
    site.secret = set(some(random, old_posts(site)))
    return Case(web=MadeWeb(site), answers=(YES, UNKNOWN))


@kind("update: more posts at once than a feed has")
def _many_at_once(random: Random) -> Case:
    made, options = random.choice((*TOLD, (MadeBlogger, {}), (MadeSubstack, {}), (MadeTumblr, {})))
    site = made.of(random.randint(12, 20), has_lists=False, has_neighbours=False, **options)
    is_off = isinstance(site, MadeWordPress) and random.random() < 0.5

    def publish() -> None:
        for _ in range(25):
            site.publish()
        if is_off:
            site.traps = frozenset({"off-404", "no-headers"})

    return Case(web=MadeWeb(site), answers=(YES, UNKNOWN), later=publish)


@kind("sitemap: half of it is dead, and nothing else leads there")
def _half_dead(random: Random) -> Case:
    site = MadeStatic.of(MOST, has_lists=False, has_neighbours=False, traps=("map-index",))
    site.maps = [site.link(post) for post in site.public]
    fault = random.choice([404, 500, 403, "timeout"])
    return Case(web=MadeWeb(site, faults={f"{site.home}map-posts-2.xml": fault}), answers=(UNKNOWN,))  # type: ignore[dict-item]
