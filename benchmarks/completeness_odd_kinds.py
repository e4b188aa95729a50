"""Further kinds of gaps: lists that turn in circles, shrink or speak of others; addresses spelled in several ways.

They say the same three things of each blog as those of `completeness_kinds`, and stand beside them in its table.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from completeness_kinds import (
    FEWEST,
    KINDS,
    MOST,
    NO,
    UNKNOWN,
    YES,
    Case,
    faulty,
    is_further,
    kind,
    mapped,
    old_posts,
    some,
    static_site,
    wordpress_site,
)
from completeness_sites import Made, MadeArchives, MadeSubstack, MadeTumblr, MadeWeb, MadeWordPress, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from history.sites.blog import Answer, SitePost

__all__ = ["KINDS"]

_HTML = {"Content-Type": "text/html; charset=UTF-8"}


def _page(title: str, body: str, head: str = "") -> Answer:
    text = f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    return 200, _HTML, text.encode()


def _xml(urls: Iterable[str], tag: str = "url", around: str = "urlset") -> Answer:
    rows = "".join(f"<{tag}><loc>{html.escape(url)}</loc></{tag}>" for url in urls)
    body = f'<?xml version="1.0"?><{around} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</{around}>'
    return 200, {"Content-Type": "application/xml"}, body.encode()


# -- lists that turn in circles or shrink -----------------------------------------------------------------------------


@dataclass
class _Stale(MadeWordPress):
    """A WordPress whose cache answers with the first page of the feed in place of others, and then goes on."""

    stale: frozenset[int] = frozenset()

    def interface(self, url: str, headers: Any) -> Answer | None:
        page = parse_qs(urlsplit(url).query).get("paged", [""])[0]
        if page.isdecimal() and int(page) in self.stale:
            return super().interface(self.feed_url, {})
        return super().interface(url, headers)


@kind("paged feed: a cache has the first page in place of another")
def _feed_stale(random: Random) -> Case:
    site = _Stale.of(random.randint(36, MOST), traps=("off-401",), stale=frozenset({random.choice([2, 3])}))
    if random.random() < 0.7:
        # What stands on the page that is not shown is named by nobody else.
        site.unlinked = set(sorted(site.posts)[:-10])
    return Case(web=MadeWeb(site), answers=(UNKNOWN,))


@kind("paged feed: loops back to its start")
def _feed_loops(random: Random) -> Case:
    site = _Stale.of(random.randint(36, MOST), traps=("off-401",), stale=frozenset(range(3, 99)))
    if random.random() < 0.5:
        site.unlinked = set(sorted(site.posts)[:-20])
    return Case(web=MadeWeb(site), answers=(UNKNOWN,))


@kind("archived feed: its last page names the first")
def _archives_loop(random: Random) -> Case:
    site = MadeArchives.of(random.randint(26, MOST), way=random.choice(["page", "json"]), traps=("loop",))
    return Case(web=MadeWeb(site), answers=(YES, UNKNOWN))


@kind("JSON feed: all of it")
def _json_feed(random: Random) -> Case:
    return Case(web=MadeWeb(MadeArchives.of(random.randint(26, MOST), way="json")), answers=(YES, UNKNOWN))


@kind("JSON feed: its next page is an error")
def _json_feed_breaks(random: Random) -> Case:
    site = MadeArchives.of(random.randint(26, MOST), way="json")
    trap = random.choice(["404", "500", "page", "cut", "foreign"])
    web = MadeWeb(site)
    further = f"{site.feed_url}?page={random.choice([2, 3])}"
    if trap in {"404", "500"}:
        web.faults[further] = int(trap)
    elif trap == "foreign":
        site.traps |= {"foreign"}
    else:
        status, headers, body = site.interface(further, {}) or (200, {}, b"")
        web.beside[further] = _page("Sorry", "<p>Not now</p>") if trap == "page" else (status, headers, body[:-90])
    site.unlinked = set(sorted(site.posts)[:-10]) if random.random() < 0.5 else set()
    return Case(web=web, answers=(UNKNOWN,))


@kind("REST: a post goes and another comes while it is walked")
def _rest_shifts(random: Random) -> Case:
    site = wordpress_site(random, least=30, traps=("small-memory",))
    gone = random.choice(sorted(site.posts)[:18])
    # Behind the gap that the first one leaves, one is passed over; nobody else names it.
    site.unlinked = set(sorted(site.posts)[19:-10])
    site.has_lists = random.random() < 0.5
    is_shown = random.random() < 0.5
    url = site.url(gone)
    web = MadeWeb(site)
    if is_shown:
        # A cache still has its page.
        web.beside[url] = site.answer(url, {})

    def change() -> None:
        site.delete(gone)
        site.publish()
    web.events.append((lambda asked: "/posts" in asked and is_further(asked), change))
    return Case(web=web, answers=(YES, UNKNOWN, NO), excused=set() if is_shown else {url})


@dataclass
class _Capped(MadeWordPress):
    """A WordPress that gives some posts at a time, whatever is asked for; with "deaf" it gives the first ones only."""

    at_once: int = 10

    def interface(self, url: str, headers: Any) -> Answer | None:
        if "/posts" in url and "per_page=100" in url:
            url = url.replace("per_page=100", f"per_page={self.at_once}")
            if "deaf" in self.traps and is_further(url):
                url = url.replace("offset=", "ignored=")
        return super().interface(url, headers)


@kind("REST: gives ten at a time whatever is asked for")
def _rest_capped(random: Random) -> Case:
    site = _Capped.of(random.randint(24, MOST), traps=random.choice([(), ("no-totals",)]))
    site.unlinked = set(old_posts(site)) if random.random() < 0.6 else set()
    return Case(web=MadeWeb(site), answers=(YES, UNKNOWN))


@kind("REST: a cache has the first page in place of all")
def _rest_deaf(random: Random) -> Case:
    site = _Capped.of(random.randint(24, MOST), traps=("deaf", *random.choice([(), ("no-totals",)])))
    site.unlinked = set(old_posts(site)) if random.random() < 0.6 else set()
    return Case(web=MadeWeb(site), answers=(YES, UNKNOWN))


@kind("REST: posts get other dates, and with them addresses")
def _redated(random: Random) -> Case:
    site = wordpress_site(random, least=20)
    moved = some(random, old_posts(site))
    web = MadeWeb(site)
    does_lead = random.random() < 0.5

    def date_again() -> None:
        for number in moved:
            before = site.url(number)
            post = site.posts[number]
            site.posts[number] = replace(post, published=post.published + timedelta(days=400))
            if does_lead:
                web.redirects[before] = site.url(number)
    first = site.url(moved[0])
    web.events.append((lambda asked: asked == first, date_again))
    return Case(web=web, answers=(YES, NO))


# -- other platforms --------------------------------------------------------------------------------------------------


@kind("Substack: all of it, some paid for")
def _substack(random: Random) -> Case:
    site = MadeSubstack.of(random.randint(FEWEST, MOST), traps=random.choice([(), ("cap",)]))
    site.audiences = dict.fromkeys(some(random, site.posts), "only_paid")
    site.locked_posts = {*site.audiences}
    return Case(web=MadeWeb(site), answers=(YES,), excused={site.url(number) for number in site.audiences})


@kind("Substack: its archive asks for patience")
def _substack_busy(random: Random) -> Case:
    site = MadeSubstack.of(random.randint(26, MOST))
    web = MadeWeb(site)
    status = random.choice([429, 403, 500])
    for at in range(1, MOST):
        web.faults[f"{site.home}api/v1/archive?sort=new&search=&offset={at}&limit=12"] = status
    return Case(web=web, answers=(UNKNOWN, YES))


@kind("Tumblr: all of it, with totals that lie")
def _tumblr(random: Random) -> Case:
    trap = random.choice([(), ("total-high",), ("total-low",), ("no-total",), ("deaf",)])
    site = MadeTumblr.of(random.randint(24, MOST), traps=trap, cap=20)
    if random.random() < 0.5:
        site.unlinked = set(old_posts(site))
    return Case(web=MadeWeb(site), answers=(YES,) if not trap else (YES, UNKNOWN))


# -- sitemaps ---------------------------------------------------------------------------------------------------------


@kind("sitemap: its parts are on another host")
def _map_elsewhere(random: Random) -> Case:
    site = static_site(random)
    web = MadeWeb(site)
    parts = ["https://cdn.example/map-1.xml", "https://cdn.example/map-2.xml"]
    urls, site.maps = site.maps or [], None
    web.beside |= {
        f"{site.home}sitemap.xml": _xml(parts, "sitemap", "sitemapindex"), parts[0]: _xml(urls),
        # That of a shop of the same owner.
        parts[1]: _xml(f"https://shop.example/2020/01/ware-{number}/" for number in range(9)),
    }
    site.unlinked = set(some(random, old_posts(site))) if random.random() < 0.5 else set()
    return Case(web=web, answers=(UNKNOWN,))


@kind("sitemap: lists tags whose addresses are like posts'")
def _map_tags(random: Random) -> Case:
    site = static_site(random)
    web = MadeWeb(site)
    for number in range(1, 6):
        url = f"{site.home}2020/0{number}/rain-and-sea-{number}/"
        teasers = "".join(
            f'<div class="teaser"><h2><a href="{site.link(post)}">{html.escape(post.title)}</a></h2>'
            f"<p>{text_of(post.number)[3:90]}</p></div>" for post in site.shown[number:number + 6]
        )
        web.beside[url] = _page(f"Rain {number}", f'<h1>Rain {number}</h1><div class="list">{teasers}</div>')
        site.maps = [*(site.maps or ()), url]
    return Case(web=web, answers=(UNKNOWN,))


@kind("sitemap: lists AMP pages beside the posts")
def _amp(random: Random) -> Case:
    site = static_site(random) if random.random() < 0.5 else wordpress_site(random, least=16)
    site.maps = mapped(site)
    web = MadeWeb(site)
    for post in site.public:
        url = f"{site.link(post)}amp/"
        article = f"<article><h1>{html.escape(post.title)}</h1><div>{post.body}</div></article>"
        web.beside[url] = _page(html.escape(post.title), article, f'<link rel="canonical" href="{site.link(post)}">')
        site.maps.append(url)
    return Case(web=web, answers=(YES, UNKNOWN) if isinstance(site, MadeWordPress) else (UNKNOWN,))


@kind("sitemap: names posts that are not out yet")
def _scheduled(random: Random) -> Case:
    site = static_site(random) if random.random() < 0.5 else wordpress_site(random, least=16)
    soon = {f"{site.home}2026/0{number}/day-{900 + number}/" for number in range(6, 9)}
    site.maps = [*mapped(site), *soon]
    # A list that is whole does not have them; else nobody can know that they never were there.
    is_counted = isinstance(site, MadeWordPress)
    return Case(web=MadeWeb(site), answers=(YES,) if is_counted else (NO,), fair=set() if is_counted else soon)


@kind("sitemap: pages of pictures below their posts")
def _attachments(random: Random) -> Case:
    site = static_site(random)
    web = MadeWeb(site)
    for post in site.public[::2]:
        url = f"{site.link(post)}img-{post.number}/"
        picture = f'<h1>img-{post.number}</h1><p><img src="/{post.number}.jpg"></p>'
        web.beside[url] = _page(f"img-{post.number}", picture)
        site.maps = [*(site.maps or ()), url]
    return Case(web=web, answers=(UNKNOWN,))


@kind("sitemap: is a page that says there is none")
def _map_soft(random: Random) -> Case:
    site = static_site(random)
    site.maps = None
    web = MadeWeb(site, beside={f"{site.home}sitemap.xml": _page("Oh", "<h1>Not found</h1>")})
    return Case(web=web, answers=(UNKNOWN,))


# -- dead addresses that answer ---------------------------------------------------------------------------------------


@kind("dead addresses lead to the front page")
def _to_home(random: Random) -> Case:
    site = static_site(random) if random.random() < 0.5 else wordpress_site(random, least=16)
    site.maps = mapped(site)
    gone = some(random, old_posts(site))
    urls = {site.url(number) for number in gone}
    for number in gone:
        site.delete(number)
    web = MadeWeb(site, redirects=dict.fromkeys(urls, site.home))
    is_counted = isinstance(site, MadeWordPress)
    return Case(web=web, answers=(YES,) if is_counted else (NO, UNKNOWN), fair=set() if is_counted else urls)


@kind("REST: pages of posts lead to the front page")
def _told_to_home(random: Random) -> Case:
    site = wordpress_site(random, least=16)
    urls = {site.url(number) for number in some(random, old_posts(site))}
    web = MadeWeb(site, redirects=dict.fromkeys(urls, site.home))
    return Case(web=web, answers=(NO,), fair=urls)


@kind("static: some posts lead to a login")
def _login(random: Random) -> Case:
    site = static_site(random)
    site.secret = set(some(random, old_posts(site)))
    login = f"{site.home}login/?next=x"
    form = '<h1>Log in</h1><form action="/login/" method="post"><input name="user"><input type="password"></form>'
    urls = {site.url(number) for number in site.secret}
    site.maps = [*(site.maps or ()), *urls]
    web = MadeWeb(site, redirects=dict.fromkeys(urls, login), beside={login: _page("Log in", form)})
    return Case(web=web, answers=(UNKNOWN, NO), fair=urls)


@kind("static: pages ask not to be archived")
def _noarchive(random: Random) -> Case:
    site = static_site(random)
    web = MadeWeb(site)
    for number in some(random, old_posts(site)):
        status, headers, body = site.answer(site.url(number), {})
        web.beside[site.url(number)] = (status, {**headers, "X-Robots-Tag": "noarchive"}, body)
    return Case(web=web, answers=(NO,))


@kind("static: half of the old addresses redirect")
def _half_moved(random: Random) -> Case:
    site = static_site(random)
    moved = {f"{site.home}archive/{post.number}.html": site.link(post) for post in site.public}
    site.maps = [*(site.maps or ()), *moved]
    kept = dict(list(moved.items())[::2])
    return Case(web=MadeWeb(site, redirects=kept), answers=(UNKNOWN, NO), fair={*moved} - {*kept})


# -- addresses that are spelled in several ways -----------------------------------------------------------------------


def _twins(site: Made, spelled: dict[str, str]) -> MadeWeb:
    """Other spellings of posts' addresses answer with the same pages."""
    return MadeWeb(site, beside={other: site.answer(url, {}) for other, url in spelled.items() if other != url})


@kind("spelling: the sitemap leaves out the last slash")
def _slash(random: Random) -> Case:
    site = static_site(random) if random.random() < 0.5 else wordpress_site(random, least=16)
    spelled = {site.link(post).rstrip("/"): site.link(post) for post in site.public}
    site.maps = [*spelled]
    web = _twins(site, spelled)
    if random.random() < 0.5:
        web.redirects, web.beside = spelled, {}
    return Case(web=web, answers=(YES, UNKNOWN) if isinstance(site, MadeWordPress) else (UNKNOWN,))


@dataclass
class _Accents(MadeWordPress):
    """A WordPress whose addresses have letters beyond ASCII; its interface writes them in small hexadecimals."""

    is_large: bool = False

    def link(self, post: SitePost) -> str:
        name = "%C3%A9t%C3%A9" if self.is_large else "%c3%a9t%c3%a9"
        return f"{self.home}{post.published:%Y/%m}/{name}-{post.number}/"


@kind("spelling: percent signs and large letters")
def _percent(random: Random) -> Case:
    site = _Accents.of(random.randint(16, MOST))
    way = random.choice(["large", "raw", "upper"])
    spelled = {}
    for post in site.public:
        url = site.link(post)
        other = {"large": url.replace("%c3%a9", "%C3%A9"), "raw": url.replace("%c3%a9", "é"),
                 "upper": url.replace("t%", "T%")}[way]
        spelled[other] = url
    site.maps = [*spelled]
    return Case(web=_twins(site, spelled), answers=(YES, UNKNOWN))


@kind("spelling: posts are at query addresses")
def _queries(random: Random) -> Case:
    is_off = random.random() < 0.5
    site = wordpress_site(random, least=16, traps=("plain", *(["off-401"] if is_off else [])))
    site.maps = mapped(site)
    if random.random() < 0.5:
        return Case(web=MadeWeb(site), answers=(YES,))
    return faulty(random, site, 500, (NO,), fair={*site.links})


@kind("spelling: posts are at query addresses, without an interface")
def _static_queries(random: Random) -> Case:
    site = _QueryStatic.of(random.randint(FEWEST + 4, MOST))
    site.maps = mapped(site)
    if random.random() < 0.5:
        return Case(web=MadeWeb(site), answers=(UNKNOWN,))
    return faulty(random, site, random.choice([500, 404]), (NO,))


@kind("spelling: campaign parameters in the feed")
def _campaigns(random: Random) -> Case:
    site = _Campaigns.of(random.randint(16, MOST), traps=("off-401",))
    web = MadeWeb(site)
    web.beside |= {
        f"{site.link(post)}?utm_source=rss&utm_medium=feed": site.answer(site.link(post), {}) for post in site.public
    }
    return Case(web=web, answers=(YES,))


# -- blogs beside the blog --------------------------------------------------------------------------------------------


@kind("beside: the same blog in another language")
def _language(random: Random) -> Case:
    site = static_site(random) if random.random() < 0.5 else wordpress_site(random, least=16)
    site.maps = mapped(site)
    web = MadeWeb(site)
    dead = random.random() < 0.5
    fair = set()
    for post in site.public:
        url = f"{site.home}de/{site.link(post).removeprefix(site.home)}"
        site.maps.append(url)
        if dead and post.number % 5 == 0:
            fair.add(url)
            continue
        body = post.body.replace("Day", "Tag").replace("the", "die").replace("and", "und")
        article = f'<article><h1>Tag {post.number} &amp; Nacht</h1><div class="entry">{body}</div></article>'
        web.beside[url] = _page(f"Tag {post.number}", article)
    answers = (YES, UNKNOWN, NO) if isinstance(site, MadeWordPress) else (UNKNOWN, NO)
    return Case(web=web, answers=answers if dead else answers[:-1], fair=fair)


@dataclass
class _QueryStatic(Made):
    """A static site whose posts are at `/index.php?post=N`."""

    def link(self, post: SitePost) -> str:
        return f"{self.home}index.php?post={post.number}"

    def head(self) -> str:
        return f'<link rel="alternate" type="application/rss+xml" href="{self.home}feed.xml">'

    def interface(self, url: str, headers: Any) -> Answer | None:  # noqa: ARG002
        if url != f"{self.home}feed.xml":
            return self.map_answer(url)
        items = "".join(
            f"<item><title>{html.escape(post.title)}</title><link>{html.escape(self.link(post))}</link>"
            f"<description>{html.escape(post.body)}</description></item>" for post in self.newest()[:10]
        )
        return 200, {"Content-Type": "application/rss+xml"}, f"<rss><channel>{items}</channel></rss>".encode()


@dataclass
class _Campaigns(MadeWordPress):
    """A WordPress whose feed counts who comes from it."""

    def interface(self, url: str, headers: Any) -> Answer | None:
        told = super().interface(url, headers)
        if told is None or "rss" not in told[1].get("Content-Type", ""):
            return told
        marked = told[2].replace(b"/</link><comments>", b"/?utm_source=rss&amp;utm_medium=feed</link><comments>")
        return told[0], told[1], marked
