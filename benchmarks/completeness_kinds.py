"""Kinds of gaps that made blogs have, each with what the verdict on it may be.

A kind makes a site and says three things of it. `answers` is what a verdict may say. `fair` are addresses that it may
call missing although no post is lost there: by the rules of docs/completeness.md nobody can know better, such as a
deleted post that a sitemap still lists where no list of all posts was read. `excused` must be named as excused.
What is lost is not said here but counted: the posts that strangers may read and that the archive does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from completeness_sites import Made, MadeArchives, MadeBlogger, MadeGhost, MadeStatic, MadeWeb, MadeWordPress

YES, NO, UNKNOWN = "yes", "no", "unknown"
FEWEST, MOST = 12, 40


@dataclass(kw_only=True)
class Case:
    """A made blog, and what may be said of it."""

    web: MadeWeb
    answers: tuple[str, ...]
    fair: set[str] = field(default_factory=set)
    # Lost, and named by nobody: behind a gap through which alone the way led to them.
    unnamed: set[str] = field(default_factory=set)
    excused: set[str] = field(default_factory=set)
    # What the verdict on comments may say; nothing: it is not what this kind is about.
    talk: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    # What happens at the blog between its crawl and an update; nothing: there is no update.
    later: Callable[[], object] | None = None

    @property
    def site(self) -> Made:
        return self.web.site


Maker = Callable[[Random], Case]
KINDS: dict[str, Maker] = {}


def kind(name: str) -> Callable[[Maker], Maker]:
    """Register a kind under a name that the table shows."""
    def registered(maker: Maker) -> Maker:
        KINDS[name] = maker
        return maker
    return registered


def some(random: Random, numbers: Iterable[int], most: int = 4) -> list[int]:
    rows = sorted(numbers)
    return sorted(random.sample(rows, min(len(rows), random.randint(1, most))))


def old_posts(site: Made) -> list[int]:
    """Posts that are not among the newest, which every feed names."""
    return sorted(site.posts)[:-11]


def wordpress_site(random: Random, least: int = FEWEST, **options: Any) -> MadeWordPress:
    return MadeWordPress.of(random.randint(least, MOST), **options)


def static_site(random: Random, **options: Any) -> MadeStatic:
    site = MadeStatic.of(random.randint(FEWEST + 4, MOST), **options)
    site.maps = mapped(site)
    return site


def mapped(site: Made) -> list[str]:
    """All that a usual sitemap lists: posts, and pages that are none."""
    others = [site.home, *(f"{site.home}{path}" for path in ("about/", "contact/", "tag/weather/"))]
    return [*others, *(site.link(post) for post in site.public)]


def faulty(random: Random, site: Made, fault: int | str, answers: tuple[str, ...], **options: Any) -> Case:
    """Some old posts whose pages cannot be had."""
    urls = {site.url(number) for number in some(random, old_posts(site))}
    return Case(web=MadeWeb(site, faults=dict.fromkeys(urls, fault)), answers=answers, **options)  # type: ignore[arg-type]


def is_further(url: str) -> bool:
    """Whether a request is for what is behind the first page of a list."""
    return "offset=" in url and "offset=0" not in url


# -- an interface that counts and lists all ---------------------------------------------------------------------------


@kind("REST: all of it")
def _rest(random: Random) -> Case:
    trap = random.choice([(), ("plain",), ("half",), ("small-memory",)])
    return Case(web=MadeWeb(wordpress_site(random, traps=trap)), answers=(YES,))


@kind("REST: posts with passwords")
def _passwords(random: Random) -> Case:
    site = wordpress_site(random)
    site.locked_posts = set(some(random, old_posts(site) or site.posts))
    return Case(web=MadeWeb(site), answers=(YES,), excused={site.url(number) for number in site.locked_posts})


@kind("REST: private posts are counted")
def _private(random: Random) -> Case:
    site = wordpress_site(random)
    site.secret = set(some(random, old_posts(site) or site.posts))
    return Case(web=MadeWeb(site), answers=(YES, UNKNOWN))


@kind("REST: its total is too high")
def _total_high(random: Random) -> Case:
    return Case(web=MadeWeb(wordpress_site(random, total_off=random.randint(1, 9))), answers=(YES, UNKNOWN))


@kind("REST: its total is too low")
def _total_low(random: Random) -> Case:
    site = wordpress_site(random, total_off=-random.randint(1, 9), traps=random.choice([(), ("small-memory",)]))
    site.unlinked = set(some(random, old_posts(site) or site.posts))
    return Case(web=MadeWeb(site), answers=(YES, UNKNOWN))


@kind("REST: leaves out posts that only the sitemap lists")
def _rest_hides(random: Random) -> Case:
    site = wordpress_site(random, least=20)
    site.unlisted = site.unlinked = site.unfed = set(some(random, old_posts(site)))
    site.maps = mapped(site)
    return Case(web=MadeWeb(site), answers=(YES, NO, UNKNOWN))


@kind("REST: leaves out posts that lists link to")
def _rest_leaves_out(random: Random) -> Case:
    site = wordpress_site(random, least=20)
    site.unlisted = set(some(random, old_posts(site)))
    return Case(web=MadeWeb(site), answers=(YES, NO, UNKNOWN))


@kind("REST: a post is deleted while it is walked")
def _rest_vanish(random: Random) -> Case:
    site = wordpress_site(random, least=30, traps=("small-memory",))
    lost = random.choice(sorted(site.posts)[:20])
    url = site.url(lost)
    web = MadeWeb(site, events=[(lambda asked: "/posts" in asked and is_further(asked), lambda: site.delete(lost))])
    # It was listed and answers 404 now; the list, read again at the end, says that it was deleted meanwhile.
    return Case(web=web, answers=(YES,), excused={url})


@kind("REST: a post appears while it is walked")
def _rest_appear(random: Random) -> Case:
    site = wordpress_site(random, least=30, traps=("small-memory",))
    web = MadeWeb(site, events=[(lambda asked: "/posts" in asked and is_further(asked), site.publish)])
    return Case(web=web, answers=(YES, UNKNOWN, NO))


@kind("REST: breaks off, and so does the feed")
def _rest_breaks(random: Random) -> Case:
    site = wordpress_site(random, least=30, traps=("small-memory", "feed-500"))
    status = random.choice([500, 403])
    web = MadeWeb(site)
    # Behind its first page the interface answers with errors alone.
    def break_off() -> None:
        site.traps = (site.traps - {"small-memory"}) | {"off-403" if status == 403 else "html"}
    web.events.append((lambda asked: "/posts" in asked and is_further(asked), break_off))
    return Case(web=web, answers=(UNKNOWN, NO))


@kind("REST: texts are told, pages are not to be had")
def _told_only(random: Random) -> Case:
    site = wordpress_site(random, least=16)
    case = faulty(random, site, random.choice([500, 403, "timeout"]), (YES, NO))
    return Case(web=case.web, answers=case.answers, fair=set(case.web.faults))


@kind("REST: texts are told, pages are said to be gone")
def _told_gone(random: Random) -> Case:
    site = wordpress_site(random, least=16)
    faults: dict[str, int | str] = {site.url(number): random.choice([404, 410]) for number in some(random, site.posts)}
    return Case(web=MadeWeb(site, faults=faults), answers=(NO,), fair=set(faults))


@kind("REST: the sitemap lists posts that were deleted")
def _rest_stale_map(random: Random) -> Case:
    site = wordpress_site(random, least=16)
    site.maps = mapped(site)
    for number in some(random, old_posts(site) or site.posts):
        site.delete(number)
    return Case(web=MadeWeb(site), answers=(YES,))


@kind("REST: asks for patience from the start")
def _rest_busy(random: Random) -> Case:
    site = wordpress_site(random, least=16)
    web = MadeWeb(site)
    start = f"{site.root}wp/v2/posts?per_page=1&orderby=modified&order=desc&_fields=id,link,modified_gmt"
    web.faults[start] = 429
    return Case(web=web, answers=(YES, UNKNOWN))


@kind("REST: comments, users are refused")
def _rest_half_off(random: Random) -> Case:
    return Case(web=MadeWeb(wordpress_site(random, traps=("users-401", "comments-401"))), answers=(YES,))


@kind("REST: robots.txt disallows pages whose texts are told")
def _rest_robots(random: Random) -> Case:
    case = faulty(random, wordpress_site(random, least=16), "robots", (YES, NO))
    return Case(web=case.web, answers=case.answers, fair=set(case.web.faults))


@kind("Ghost: members' and paid posts")
def _ghost(random: Random) -> Case:
    site = MadeGhost.of(random.randint(FEWEST, MOST))
    for number in some(random, site.posts):
        site.lock(number, random.choice(["members", "paid"]))
    return Case(web=MadeWeb(site), answers=(YES,), excused={site.url(number) for number in site.locked})


@kind("Blogger: all of it, with totals that lie")
def _blogger(random: Random) -> Case:
    trap = random.choice([(), ("total-high",), ("total-low",), ("no-total",)])
    return Case(web=MadeWeb(MadeBlogger.of(random.randint(FEWEST, MOST), traps=trap)),
                answers=(YES,) if not trap else (YES, UNKNOWN))


@kind("complete feed: all of it")
def _complete(random: Random) -> Case:
    return Case(web=MadeWeb(MadeArchives.of(random.randint(FEWEST, MOST), way="complete")), answers=(YES,))


@kind("complete feed: lists link to more, which are errors")
def _complete_lies(random: Random) -> Case:
    site = MadeArchives.of(random.randint(FEWEST + 8, MOST), way="complete")
    site.unfed = set(some(random, old_posts(site)))
    faults = {site.url(number): random.choice([500, 403, "timeout", "robots"]) for number in site.unfed}
    return Case(web=MadeWeb(site, faults=faults), answers=(NO,))


# -- feeds that are walked to an end ----------------------------------------------------------------------------------


@kind("paged feed: REST is off")
def _feed(random: Random) -> Case:
    off = random.choice(["off-401", "off-403", "off-404"])
    traps = (off, *random.choice([(), ("half",)]))
    return Case(web=MadeWeb(wordpress_site(random, least=16, traps=traps)), answers=(YES,))


@kind("paged feed: has no clear end")
def _feed_without_end(random: Random) -> Case:
    trap = random.choice(["clamp", "to-first", "first-end", "page-end"])
    return Case(web=MadeWeb(wordpress_site(random, least=16, traps=("off-401", trap))), answers=(YES, UNKNOWN))


@kind("paged feed: ends early, lists go on")
def _feed_short(random: Random) -> Case:
    site = wordpress_site(random, least=26, traps=("off-404", "feed-ends-early"))
    return Case(web=MadeWeb(site), answers=(YES, UNKNOWN))


@kind("paged feed: ends early, the rest is in the sitemap alone")
def _feed_short_map(random: Random) -> Case:
    site = wordpress_site(random, least=26, traps=("off-404", "feed-ends-early"))
    site.unlinked = set(sorted(site.posts)[:-20])
    site.maps = mapped(site)
    return Case(web=MadeWeb(site), answers=(YES, NO, UNKNOWN))


@kind("paged feed: ends early, the rest cannot be had")
def _feed_short_dead(random: Random) -> Case:
    site = wordpress_site(random, least=26, traps=("off-404", "feed-ends-early"))
    faults = {site.url(number): random.choice([500, 403, "timeout"]) for number in sorted(site.posts)[:-20]}
    return Case(web=MadeWeb(site, faults=faults), answers=(NO,))


@kind("paged feed: breaks off in the middle")
def _feed_breaks(random: Random) -> Case:
    site = wordpress_site(random, least=26, traps=("off-401", random.choice(["feed-500", "feed-429"])))
    return Case(web=MadeWeb(site), answers=(UNKNOWN,))


@kind("paged feed: a post is published while it is walked")
def _feed_shifts(random: Random) -> Case:
    site = wordpress_site(random, least=26, traps=("off-401",))
    web = MadeWeb(site, events=[(lambda asked: "paged=2" in asked, site.publish)])
    return Case(web=web, answers=(YES, UNKNOWN, NO))


@kind("archived feed: a document is missing")
def _archives_broken(random: Random) -> Case:
    site = MadeArchives.of(random.randint(32, MOST), way=random.choice(["archive", "page"]), traps=("broken",))
    return Case(web=MadeWeb(site), answers=(UNKNOWN,))


@kind("archived feed: all of it")
def _archives(random: Random) -> Case:
    site = MadeArchives.of(random.randint(26, MOST), way=random.choice(["archive", "page"]))
    return Case(web=MadeWeb(site), answers=(YES, UNKNOWN))


# -- lists that may leave some out ------------------------------------------------------------------------------------


@kind("static: all is held")
def _plain(random: Random) -> Case:
    site = static_site(random, traps=random.choice([(), ("map-index",), ("map-gzip",)]))
    if random.random() < 0.3:
        site.maps = None
    return Case(web=MadeWeb(site), answers=(UNKNOWN,))


@kind("static: posts that the sitemap alone lists")
def _map_only(random: Random) -> Case:
    site = static_site(random, traps=random.choice([(), ("map-index",), ("map-gzip",)]))
    site.unlinked = set(some(random, old_posts(site), 8))
    return Case(web=MadeWeb(site), answers=(UNKNOWN, NO))


@kind("static: posts that the sitemap leaves out")
def _map_short(random: Random) -> Case:
    site = static_site(random)
    left_out = {site.url(number) for number in some(random, site.posts, 6)}
    site.maps = [url for url in site.maps or () if url not in left_out]
    return Case(web=MadeWeb(site), answers=(UNKNOWN,))


@kind("static: the sitemap lists posts that were deleted")
def _map_stale(random: Random) -> Case:
    site = static_site(random, traps=random.choice([(), ("map-index",)]))
    gone = some(random, old_posts(site), 6)
    urls = {site.url(number) for number in gone}
    for number in gone:
        site.delete(number)
    return Case(web=MadeWeb(site), answers=(NO,), fair=urls)


@kind("static: deleted posts answer with a page")
def _soft(random: Random) -> Case:
    site = static_site(random, traps=("soft-404",))
    gone = some(random, old_posts(site), 6)
    urls = {site.url(number) for number in gone}
    for number in gone:
        site.delete(number)
    return Case(web=MadeWeb(site), answers=(NO, UNKNOWN), fair=urls)


@kind("static: a part of the sitemap is dead")
def _map_dead_part(random: Random) -> Case:
    return Case(web=MadeWeb(static_site(random, traps=("map-dead-part",))), answers=(UNKNOWN,))


@kind("static: pages of posts are errors")
def _errors(random: Random) -> Case:
    return faulty(random, static_site(random), random.choice([500, 502, 403]), (NO,))


@kind("static: pages of posts do not answer")
def _silent(random: Random) -> Case:
    return faulty(random, static_site(random), "timeout", (NO,))


@kind("static: robots.txt disallows a part")
def _robots(random: Random) -> Case:
    return faulty(random, static_site(random), "robots", (NO,))


@kind("static: no sitemap, lists name dead posts")
def _listed_dead(random: Random) -> Case:
    site = static_site(random)
    site.maps = None
    return faulty(random, site, random.choice([404, 410, 500]), (NO,))


@kind("static: nothing but neighbours, with a hole")
def _hole(random: Random) -> Case:
    site = static_site(random, has_lists=False)
    site.maps = None
    hole = random.choice(old_posts(site)[2:] or old_posts(site))
    web = MadeWeb(site, faults={site.url(hole): random.choice([404, 500, "timeout"])})
    return Case(web=web, answers=(NO,), unnamed={site.url(number) for number in site.posts if number < hole})


@kind("static: a limit ends the crawl")
def _limited(random: Random) -> Case:
    return Case(web=MadeWeb(static_site(random)), answers=(NO, UNKNOWN), settings={"max_pages": random.randint(6, 11)})


@kind("static: posts that are pictures alone")
def _pictures(random: Random) -> Case:
    site = static_site(random)
    site.short = set(some(random, old_posts(site)))
    return Case(web=MadeWeb(site), answers=(NO, UNKNOWN))


@kind("static: posts with passwords in the sitemap")
def _static_passwords(random: Random) -> Case:
    site = static_site(random)
    site.locked_posts = set(some(random, old_posts(site)))
    return Case(web=MadeWeb(site), answers=(UNKNOWN, NO), fair={site.url(number) for number in site.locked_posts})


@kind("static: running text links to own posts that are dead")
def _running_text(random: Random) -> Case:
    site = static_site(random)
    dead = [f"{site.home}2019/1{number}/day-{number}/" for number in range(1, 3)]
    host = random.choice(old_posts(site))
    words = "".join(f'<p>As was said <a href="{url}">some time ago</a>, the sea is calm.</p>' for url in dead)
    site.posts[host] = replace(site.posts[host], body=site.posts[host].body + words)
    return Case(web=MadeWeb(site), answers=(UNKNOWN, NO), fair={*dead})


@kind("static: pages ask for patience")
def _busy(random: Random) -> Case:
    return faulty(random, static_site(random), 429, (NO, UNKNOWN))


# -- one blog under several names -------------------------------------------------------------------------------------


def _elsewhere(site: Made, old: str) -> dict[str, str]:
    """The same addresses below another name, each leading to the one that is in use."""
    posts = {old + site.link(post).removeprefix(site.home): site.link(post) for post in site.posts.values()}
    return {old: site.home, **posts}


@kind("names: the sitemap says http, or www")
def _www(random: Random) -> Case:
    site = static_site(random)
    old = random.choice(["http://blog.example/", "https://www.blog.example/", "http://www.blog.example/"])
    site.maps = [old + url.removeprefix(site.home) for url in site.maps or ()]
    return Case(web=MadeWeb(site, redirects=_elsewhere(site, old)), answers=(UNKNOWN,))


@kind("names: the sitemap has an old host that redirects")
def _old_host(random: Random) -> Case:
    site = static_site(random)
    old = "https://old.example/"
    site.maps = [old + url.removeprefix(site.home) for url in site.maps or ()]
    return Case(web=MadeWeb(site, redirects=_elsewhere(site, old)), answers=(UNKNOWN,))


@kind("names: posts moved to another path")
def _moved(random: Random) -> Case:
    site = static_site(random)
    moved = {f"{site.home}archive/{post.number}.html": site.link(post) for post in site.public}
    site.maps = [*(site.maps or ()), *moved] if random.random() < 0.5 else list(moved)
    return Case(web=MadeWeb(site, redirects=moved), answers=(UNKNOWN,))


@kind("names: REST says http and the sitemap an old host")
def _rest_names(random: Random) -> Case:
    site = wordpress_site(random, least=16)
    old = random.choice(["http://blog.example/", "https://www.blog.example/", "https://old.example/"])
    site.maps = [old + url.removeprefix(site.home) for url in mapped(site)]
    return Case(web=MadeWeb(site, redirects=_elsewhere(site, old)), answers=(YES,))
