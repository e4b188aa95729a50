"""Which pages are posts of a blog: the address and the page itself decide together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from everlog.core.links import headed_keys
from everlog.core.listing_words import LISTING_WORDS
from everlog.core.tree import Element, parse
from everlog.core.urls import canonical
from everlog.errors import UnreadablePage, UnreadableTemplate
from everlog.extract.classify.page_statements import canonical_link, identity, without_copy
from everlog.extract.classify.post_features import FeatureFinder, features_of, is_crowd
from everlog.extract.classify.url_pattern import UrlPattern
from everlog.extract.extractors.keypath import KeyPath, first_with_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from everlog.core.selectors import Marked
    from everlog.extract.template import Template

Kind = Literal["post", "listing", "page"]

# The evidence below is from 9,902 known pages of 84 blogs, judged with what their feeds taught.
#
# A feature that so many of the feed's pages have is one of posts: one "about" page among ten does no harm.
COMMON = 0.85
# With fewer features that the home page has not, all that posts share are looked at, menus and all. Where even these
# are fewer (bare pages, layouts of tables), lists have them too, and no page is a post against its address.
FEWEST_TELLS = 6
# So many that are quickly found are enough; else those in texts and menus are looked for too.
ENOUGH_TELLS = 10
# More features do not tell more; what is stored of a blog shall stay small.
MOST_TELLS = 250
# How much of the features a page with the address of any page (`/slug`) may lack, with and without the
# key-path. With it, posts lack up to 0.59, and no other page with such an address has it. Without it, posts
# lack up to 0.11 (one 0.43) and other pages at least 0.27.
LACKING_WITH_KEY, LACKING = 0.6, 0.2
# The same where the home page told nothing apart: posts lack up to 0.16 and 0.10, static pages, which have no
# key-path, at least 0.15.
LACKING_ANYTHING_WITH_KEY, LACKING_ANYTHING = 0.3, 0.12
# A page with an address unlike all posts must have the key-path and nearly all features: posts lack up to
# 0.11, lists at least 0.23.
LACKING_ELSEWHERE = 0.15
# An address that only posts have is believed unless hardly anything of a post is there: posts lack up to
# 0.56, print views everything.
LACKING_ALL = 0.9
# A list has so many more headings with links to posts than any of the feed's pages.
MORE_HEADINGS = 2
# A key-path or features of fewer pages hold what these happen to share.
PAGES_TO_TELL = 3
# Addresses kept to learn the pattern anew.
MOST_EXAMPLES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a page is. `by_page` is None where no page was looked at; `note` says where the two disagree."""

    kind: Kind
    by_url: bool
    by_page: bool | None = None
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class PostClassifier:
    """What tells the posts of one blog from its other pages.

    `tells` are features that the feed's pages share, without those of the home page unless `told_apart` is
    False. `key` is the key-path; `places` lead to articles, of which posts have `most` at most;
    `headings` is how many other posts the headings of one of the feed's pages link to. `examples` are
    addresses of posts, `repeated` what several of them call their canonical address.
    """

    pattern: UrlPattern
    home: str
    tells: tuple[str, ...] = ()
    told_apart: bool = False
    pages: int = 0
    key: str | None = None
    places: tuple[str, ...] = ()
    most: tuple[int, ...] = ()
    headings: int = 0
    examples: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()

    @classmethod
    def learn(
        cls, template: Template, pages: Mapping[str, bytes | Element], *, home: str | None = None,
        feed_urls: Iterable[str] = (), others: Mapping[str, bytes | Element] | None = None,
    ) -> PostClassifier:
        """Learns from the feed's pages, by their addresses.

        `feed_urls` are addresses of entries whose pages are not at hand; `others` are pages that are no
        posts: the home page tells menus from what only posts have.
        """
        roots = _parsed(pages)
        home = home or template.home or next(iter(others or pages), "")
        examples = tuple(dict.fromkeys((*pages, *feed_urls)))[:MOST_EXAMPLES]
        pattern = UrlPattern.learn(examples, home=home)
        features = [features_of(root) for root in roots.values()]
        counted = Counter(feature for page in features for feature in page)
        shared = [feature for feature, count in counted.items() if count >= COMMON * len(roots)]
        elsewhere: set[str] = set().union(*map(features_of, _parsed(others or {}).values()))
        apart = [feature for feature in shared if feature not in elsewhere]
        told_apart = bool(elsewhere) and len(apart) >= FEWEST_TELLS
        tells = _tells(apart if told_apart else shared)
        places = {design.places[0].where: design.most for design in template.designs[:1]
                  if design.places and design.places[0].method == "selector"}
        claims = Counter(canonical(link) for url, root in roots.items() if (link := canonical_link(root, url)))
        return cls(
            pattern=pattern, home=home, told_apart=told_apart, pages=len(roots), examples=examples,
            tells=tells,
            key=str(template.key_paths.key) if template.key_paths.key else None,
            places=tuple(places), most=tuple(places.values()),
            headings=max((_headed(root, url, pattern) for url, root in roots.items()), default=0),
            repeated=tuple(sorted(link for link, count in claims.items() if count > 1)),
        )

    def verdict(
        self, url: str, page: bytes | Element | None = None, marked: Iterable[Marked] | None = None,
    ) -> Verdict:
        """Whether a page is a post, a list of posts, or another page. The page stays as it is.

        `marked` are the page's marked elements, where somebody listed them before.
        """
        key = without_copy(canonical(url))
        by_url = self.pattern.matches_key(key)
        if isinstance(page, bytes):
            try:
                page = parse(page)
            except UnreadablePage as error:
                return Verdict(kind="page", by_url=by_url, by_page=False, note=error.message)
        if page is None:
            return Verdict(kind="post" if by_url else self._other(key, headed=0), by_url=by_url)
        return self._seen(url, key, page, marked, by_url=by_url or self._names_a_post(url, page))

    def _names_a_post(self, url: str, root: Element) -> bool:
        """Whether a page says that its own address is one of a post: the same post under a second address."""
        stated = canonical_link(root, url)
        return stated is not None and canonical(stated) not in self.repeated and self.pattern.matches(stated)

    def _seen(
        self, url: str, key: str, root: Element, marked: Iterable[Marked] | None, *, by_url: bool,
    ) -> Verdict:
        missing, found = self._finder.missing(root, marked)
        lacks = missing / len(self.tells) if self.tells else 0.0
        has_key = self._key is not None and first_with_text(root, self._key) is not None
        articles = any(len(found[place]) > most for place, most in zip(self.places, self.most, strict=True))
        # Where the address is a post's and the key-path is there, headings are those of related posts.
        headed = 0 if has_key and by_url else _headed(root, url, self.pattern)
        crowded = articles or headed >= self.headings + MORE_HEADINGS
        by_page = self._like_a_post(lacks, has_key=has_key) and not (crowded and lacks > 0)
        if by_url and self.pattern.matches_only_posts(key):
            is_post = not (lacks >= LACKING_ALL and not has_key) and not (crowded and lacks >= LACKING_WITH_KEY)
        elif by_url:
            is_post = by_page
        else:
            named = not self.pattern.barred.isdisjoint(key.lower().partition("?")[0].split("/")[1:])
            near = has_key and lacks <= LACKING_ELSEWHERE and not crowded and not named
            can_tell = len(self.tells) >= FEWEST_TELLS and key != canonical(self.home)
            is_post = (near and can_tell) or (key in self._odd and by_page)
        kind: Kind = "post" if is_post else self._other(key, headed=headed - self.headings + articles)
        return Verdict(kind=kind, by_url=by_url, by_page=by_page, note=_note(kind, by_url=by_url, by_page=by_page))

    def likely_post(self, url: str) -> bool:
        """Whether a URL is worth asking for among the posts, as far as its address can tell."""
        return self.pattern.matches(url) or canonical(url) in self._odd

    def identity(self, url: str, root: Element | None) -> str:
        """The canonical key of the post that a page is or is a copy of."""
        return identity(url, root, self.home, repeated=self.repeated)

    def with_urls(self, posts: Iterable[str], others: Iterable[str] = ()) -> PostClassifier:
        """The same classifier with a pattern that also knows addresses of posts and other pages found since."""
        examples = tuple(dict.fromkeys((*self.examples, *posts)))
        return replace(self, pattern=UrlPattern.learn(examples, other_urls=others, home=self.home))

    def _like_a_post(self, lacks: float, *, has_key: bool) -> bool:
        if self.pages < PAGES_TO_TELL:
            return has_key or lacks <= LACKING_WITH_KEY
        if self.told_apart:
            return lacks <= (LACKING_WITH_KEY if has_key else LACKING)
        return lacks <= (LACKING_ANYTHING_WITH_KEY if has_key else LACKING_ANYTHING)

    def _other(self, key: str, *, headed: int) -> Kind:
        """What a page is that is no post: a list if its name or its headings say so, or a home."""
        segments = key.lower().partition("?")[0].split("/")[1:]
        listed = headed > 0 or key == canonical(self.home) or not LISTING_WORDS.isdisjoint(segments)
        dated = bool(segments) and all(segment.isdecimal() for segment in segments)
        return "listing" if listed or dated else "page"

    @cached_property
    def _finder(self) -> FeatureFinder:
        return FeatureFinder(self.tells, self.places)

    @cached_property
    def _key(self) -> KeyPath | None:
        return KeyPath.parse(self.key) if self.key else None

    @cached_property
    def _odd(self) -> frozenset[str]:
        """What the feed names though its address is unlike all others."""
        return frozenset(key for key in map(canonical, self.examples) if not self.pattern.matches_key(key))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        plain = {name: getattr(self, name) for name in (*_TEXTS, "pages", "headings", "home", "key", "told_apart")}
        return plain | {name: list(plain[name]) for name in _TEXTS} | {
            "most": list(self.most), "pattern": self.pattern.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PostClassifier:
        """The classifier that `to_dict` wrote; `UnreadableTemplate` for anything else."""
        try:
            texts = {name: tuple(map(str, data[name])) for name in _TEXTS}
            return cls(
                pattern=UrlPattern.from_dict(data["pattern"]), home=str(data["home"]),
                key=None if data["key"] is None else str(data["key"]), told_apart=bool(data["told_apart"]),
                most=tuple(map(int, data["most"])), pages=int(data["pages"]), headings=int(data["headings"]),
                tells=texts["tells"], places=texts["places"], examples=texts["examples"], repeated=texts["repeated"],
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UnreadableTemplate(
                f"damaged rules for a blog's posts: {type(error).__name__}: {error}",
                advice="learn the blog again:  everlog rules BLOG --relearn",
            ) from None


_TEXTS = ("tells", "places", "examples", "repeated")


def _tells(features: Iterable[str]) -> tuple[str, ...]:
    """The features to look for: those that are quickly found, if they are enough."""
    ordered = sorted(features)
    quick = [feature for feature in ordered if not is_crowd(feature)]
    chosen = quick if len(quick) >= ENOUGH_TELLS else ordered
    return tuple(chosen[:: -(-len(chosen) // MOST_TELLS) or 1])


def _parsed(pages: Mapping[str, bytes | Element]) -> dict[str, Element]:
    roots: dict[str, Element] = {}
    for url, page in pages.items():
        try:
            roots[url] = parse(page) if isinstance(page, bytes) else page
        except UnreadablePage:
            continue
    return roots


def _headed(root: Element, url: str, pattern: UrlPattern) -> int:
    """How many other posts the headings of a page link to."""
    return sum(pattern.matches_key(key) for key in headed_keys(root, url))


def _note(kind: Kind, *, by_url: bool, by_page: bool) -> str | None:
    if by_url == by_page:
        return None if by_page == (kind == "post") else f"treated as a {kind} against its address and markup"
    if by_url:
        return "its address looks like a post, its markup does not" + ("" if kind == "post" else f": a {kind}")
    return "its markup looks like a post, its address does not" + ("" if kind == "post" else f": a {kind}")
