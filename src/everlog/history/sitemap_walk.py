"""Walk over sitemaps: the index first, then the maps that it names, those that list posts before others.

Maps that list tags, authors or pictures by their names are asked for only where nothing else lists anything. A map
that cannot be had is left out, and the walk goes on without it, but is not exhaustive.

The mark keeps of every map that was read what its index says of it and what makes a request conditional; the next walk
asks the index, and those maps alone that the index says something else of, or says nothing of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from everlog.feeds.feed_dates import parse_date
from everlog.feeds.sitemaps import Sitemap, is_sitemap, parse_sitemap
from everlog.history.known_addresses import KnownAddresses
from everlog.history.source import NOTHING_TOLD, HistoryAnswer, HistoryRequest, ListedPost, Told

NOT_MODIFIED = 304
_A_DAY = timedelta(days=1)
# Static generators stamp all pages with the time of the build; a handful of posts may well be of one day.
_FEWEST_BUILT = 8
# What an index may name beyond those that can be asked for is only counted.
_MOST_WAITING = 500

# The names that WordPress, Yoast, Rank Math, All in One SEO, Jetpack, Ghost, Squarespace and Shopify give their maps,
# in the file's name alone: a blog may well have a folder called "tags".
_OTHERS = re.compile(
    r"(?:^|[-_.])(?:taxonom(?:y|ies)|(?:post[-_]?)?tags?|categor(?:y|ies)|users?|authors?|images?|videos?|post[-_]format"
    r"|attachments?|media|local|geo|kml|products?|collections?|product[-_](?:cat|tag)|archives?|addl|misc)(?=[-_.\d]|$)",
    re.IGNORECASE,
)
_POSTS = re.compile(r"(?:^|[-_.])(?:posts?|articles?|blogs?|entries|news)(?=[-_.\d]|$)", re.IGNORECASE)
_PAGES = re.compile(r"(?:^|[-_.])(?:posts-page|pages?)(?=[-_.\d]|$)", re.IGNORECASE)
_OF_WORDPRESS = re.compile(r"wp-sitemap-(posts-post|posts|taxonomies|users)-")

Kind = Literal["posts", "unknown", "pages", "others"]
_ORDER: tuple[Kind, ...] = ("posts", "unknown", "pages", "others")


def map_kind(url: str) -> Kind:
    """What a map lists, as far as its name says.

    >>> names = "wp-sitemap-posts-post-1 wp-sitemap-taxonomies-post_tag-1 post_tag-sitemap post-sitemap2 sitemap-posts"
    >>> [map_kind(f"https://a.org/{name}.xml") for name in names.split()]
    ['posts', 'others', 'others', 'posts', 'posts']
    >>> [map_kind(f"https://a.org/{name}.xml") for name in ("sitemap-authors", "page-sitemap", "sitemap-3")]
    ['others', 'pages', 'unknown']
    """
    name = unquote(urlsplit(url).path).rpartition("/")[2].lower().removesuffix(".gz").removesuffix(".xml")
    if found := _OF_WORDPRESS.match(name):
        return "posts" if found[1] == "posts-post" else "others" if found[1] in {"taxonomies", "users"} else "pages"
    if _OTHERS.search(name):
        return "others"
    if _PAGES.search(name):
        return "pages"
    return "posts" if _POSTS.search(name) else "unknown"


@dataclass(slots=True, kw_only=True)
class KnownMap:
    """A map that was read: what its index said of it, and what makes the next request for it conditional."""

    changed: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    names: list[str] = field(default_factory=list)

    @classmethod
    def made(cls, data: object) -> KnownMap:
        """What the mark has of a map, whatever that is."""
        kept = data if isinstance(data, dict) else {}
        stated = {name: kept.get(name) for name in ("changed", "etag", "last_modified")}
        texts = {name: value for name, value in stated.items() if isinstance(value, str)}
        return cls(**texts, names=_texts(kept.get("names")))


@dataclass(slots=True, kw_only=True)
class SitemapWalk:
    """A `HistoryWalk` over maps. `since_moment` and `before` are set where only what changed is wanted."""

    most_requests: int
    waiting: list[tuple[str, str | None]] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    maps: dict[str, KnownMap] = field(default_factory=dict)
    known: KnownAddresses = field(default_factory=KnownAddresses)
    newest: str | None = None
    has_told: bool = False
    left_out: int = 0
    failed: int = 0
    since_moment: datetime | None = None
    before: dict[str, KnownMap] | None = None
    known_before: KnownAddresses = field(default_factory=KnownAddresses)
    # What the maps list that were read in this process, by their addresses: nobody need read them again.
    read: dict[str, Sitemap] = field(default_factory=dict)

    @classmethod
    def begun(cls, roots: Iterable[str], guesses: Iterable[str], *, most_requests: int) -> SitemapWalk:
        """A walk from the beginning; the guesses are tried where no root is a map."""
        named, guessed = list(dict.fromkeys(roots)), list(guesses)
        if len(named) == 1 and named[0] in guessed:
            # Nobody named it; that robots.txt does so as well makes no difference.
            return cls(most_requests=most_requests, guesses=list(dict.fromkeys((*named, *guessed))))
        return cls(
            most_requests=most_requests, waiting=[(url, None) for url in named], roots=named,
            guesses=[url for url in guessed if url not in named],
        )

    @classmethod
    def resumed(cls, cursor: Mapping[str, Any], *, most_requests: int) -> SitemapWalk:
        """The walk that stood where the cursor says."""
        plain = ("guesses", "roots", "asked", "has_told", "left_out", "failed", "newest")
        before = cursor["before"]
        return cls(
            most_requests=most_requests, **{name: cursor[name] for name in plain},
            waiting=[(url, changed) for url, changed in cursor["waiting"]], maps=_maps(cursor["maps"]),
            known=KnownAddresses.unpacked(cursor["known"]), since_moment=_moment(cursor["since"]),
            before=_maps(before) if before is not None else None,
            known_before=KnownAddresses.unpacked(cursor["known_before"]),
        )

    @classmethod
    def since(cls, mark: Mapping[str, Any], *, most_requests: int) -> SitemapWalk | None:
        """A walk over what changed since a walk with this mark; None for a mark of nothing."""
        roots = _texts(mark.get("roots"))
        if not roots:
            return None
        before, newest = _maps(mark.get("maps")), mark.get("newest")
        # What was known stays known: maps that did not change are not read again.
        known, known_before = (KnownAddresses.unpacked(mark.get("known")) for _ in range(2))
        return cls(
            most_requests=most_requests, waiting=[(url, None) for url in roots], roots=roots, maps=dict(before),
            before=before, known=known, known_before=known_before, newest=newest, since_moment=_moment(newest),
            has_told=True,
        )

    @property
    def cursor(self) -> Mapping[str, Any]:
        return {
            "waiting": [list(each) for each in self.waiting], "guesses": list(self.guesses), "roots": list(self.roots),
            "asked": list(self.asked), "maps": {url: asdict(each) for url, each in self.maps.items()},
            "known": self.known.packed(), "newest": self.newest, "has_told": self.has_told, "left_out": self.left_out,
            "failed": self.failed, "since": self.since_moment.isoformat() if self.since_moment else None,
            "before": {url: asdict(each) for url, each in self.before.items()} if self.before is not None else None,
            "known_before": self.known_before.packed(),
        }

    @property
    def mark(self) -> Mapping[str, Any] | None:
        if self._next() is not None or not self.maps:
            return None
        return {
            "roots": [url for url in self.roots if url in self.maps], "newest": self.newest,
            "maps": {url: asdict(each) for url, each in self.maps.items()}, "known": self.known.packed(),
        }

    @property
    def is_exhaustive(self) -> bool:
        return self._next() is None and bool(self.maps) and not self._is_cut

    @property
    def lists_all(self) -> bool:
        """Whether every map that may list posts was read: only then is a post gone that none of them lists."""
        return self.before is None and self.is_exhaustive

    @property
    def requests_left(self) -> int | None:
        wanted = sum(self._is_wanted(url) for url, _ in self.waiting)
        return min(wanted, self.most_requests - len(self.asked))

    @property
    def _is_cut(self) -> bool:
        return bool(self.failed or self.left_out or any(self._is_wanted(url) for url, _ in self.waiting))

    def next_request(self) -> HistoryRequest | None:
        """The next map that may list posts."""
        chosen = self._next()
        if chosen is None:
            return None
        kept = (self.before or {}).get(chosen, KnownMap())
        return HistoryRequest(url=chosen, purpose="sitemap", etag=kept.etag, last_modified=kept.last_modified)

    def take(self, answer: HistoryAnswer) -> Told:
        """The pages of one map; the maps that it names wait for their turn."""
        url = self._next()
        if url is None:
            return NOTHING_TOLD
        changed = next((changed for waits, changed in self.waiting if waits == url), None)
        is_guess = url in self.guesses
        self.waiting = [each for each in self.waiting if each[0] != url]
        self.guesses = [guess for guess in self.guesses if guess != url]
        self.asked.append(url)
        kept = (self.before or {}).get(url)
        if answer.status == NOT_MODIFIED and kept is not None:
            # An index that says nothing of when its maps changed stays the same when they do.
            silent = [name for name in kept.names if name not in self.maps or self.maps[name].changed is None]
            self._wait_for((name, None) for name in silent)
            return NOTHING_TOLD
        sitemap = parse_sitemap(answer.body, answer.url) if answer.is_ok else None
        if sitemap is None or not (sitemap.urls or sitemap.maps or is_sitemap(answer.body)):
            return NOTHING_TOLD if is_guess else self._missing(url, answer)
        self.read[url] = sitemap
        self.roots += [url] if is_guess else []
        self.failed += sitemap.problem is not None
        self.maps[url] = KnownMap(
            changed=changed, etag=answer.header("etag"), last_modified=answer.header("last-modified"),
            names=[name for name, _ in sitemap.maps[:_MOST_WAITING]],
        )
        return self._read(sitemap, url, parse_date(answer.header("date")))

    def _read(self, sitemap: Sitemap, url: str, today: datetime | None) -> Told:
        self._wait_for((name, at.isoformat() if at else None) for name, at in sitemap.maps)
        self.has_told = self.has_told or bool(sitemap.urls)
        kind: Literal["post", "page"] = "page" if map_kind(url) in {"pages", "others"} else "post"
        built = _build_moment(sitemap)
        rows = [(address, at if at != built else None) for address, at in sitemap.urls]
        posts = tuple(
            ListedPost(url=address, changed=at, kind=kind) for address, at in rows if self._is_news(address, at)
        )
        for address, _ in rows:
            self.known.add(address)
        latest = today + _A_DAY if today is not None else None
        moments = [at for _, at in rows if at is not None and (latest is None or at <= latest)]
        if (before := _moment(self.newest)) is not None:
            moments.append(before)
        self.newest = max(moments).isoformat() if moments else None
        return Told(posts=posts, problem=f"{url}: {sitemap.problem}" if sitemap.problem else None)

    def _missing(self, url: str, answer: HistoryAnswer) -> Told:
        self.failed += 1
        why = "it is no sitemap" if answer.is_ok else f"HTTP {answer.status}" if answer.status else "no answer"
        return Told(problem=f"{url} could not be read: {why}")

    def _is_news(self, url: str, changed: datetime | None) -> bool:
        """Whether an address is told: all of them, or those that are new or changed since."""
        if self.before is None or not self.known_before.holds(url):
            return True
        return changed is not None and (self.since_moment is None or changed > self.since_moment)

    def _wait_for(self, maps: Iterable[tuple[str, str | None]]) -> None:
        """Put maps in the queue which were not asked for and, if only changes are wanted, changed."""
        seen = {*self.asked, *(url for url, _ in self.waiting)}
        fresh: dict[str, str | None] = {}
        for url, changed in maps:
            kept = (self.before or {}).get(url)
            is_same = kept is not None and changed is not None and kept.changed == changed
            if url not in seen and not is_same:
                fresh.setdefault(url, changed)
        # Of many, the newest first; sorting leaves the order of the index to those without a date.
        waiting = sorted([*self.waiting, *fresh.items()], key=lambda each: _moment_order(each[1]))
        waiting.sort(key=lambda each: _ORDER.index(map_kind(each[0])))
        self.left_out += max(0, len(waiting) - _MOST_WAITING)
        self.waiting = waiting[:_MOST_WAITING]

    def _next(self) -> str | None:
        if len(self.asked) >= self.most_requests:
            return None
        wanted = next((url for url, _ in self.waiting if self._is_wanted(url)), None)
        return wanted or (self.guesses[0] if self.guesses and not self.maps else None)

    def _is_wanted(self, url: str) -> bool:
        return not self.has_told or url in self.roots or url in self.maps or map_kind(url) != "others"


def _build_moment(sitemap: Sitemap) -> datetime | None:
    """The moment that most pages of a map bear: when the site was built, which says nothing of its posts.

    >>> body = "".join(f"<url><loc>http://a.org/{n}</loc><lastmod>2024-01-01</lastmod></url>" for n in range(9))
    >>> str(_build_moment(parse_sitemap(f"<urlset>{body}</urlset>".encode())))
    '2024-01-01 00:00:00+00:00'
    """
    moments = Counter(at for _, at in sitemap.urls)
    for at, count in moments.most_common(1):
        return at if 2 * count > len(sitemap.urls) and count >= _FEWEST_BUILT else None
    return None


def _moment(text: object) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def _moment_order(text: str | None) -> float:
    moment = _moment(text)
    return -moment.timestamp() if moment is not None else 0.0


def _texts(data: object) -> list[str]:
    return [each for each in data if isinstance(each, str)] if isinstance(data, list) else []


def _maps(data: object) -> dict[str, KnownMap]:
    return {url: KnownMap.made(each) for url, each in data.items()} if isinstance(data, dict) else {}
