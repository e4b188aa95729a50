"""The addresses of a blog's posts as one regular expression, learned from those its feed names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from everlog.core.listing_words import LISTING_WORDS
from everlog.core.urls import canonical

# A kind of address that one entry of so many has alone is an odd entry: an "about" page, an archive.
ODD_ONE_OF = 4
# A directory that this share of a kind's posts lie in is where posts are; the rest are odd entries.
MAIN_DIRECTORY = 0.7
# Digits at the end of every address are a number of the post, not of a slug ("part-2"), from this length on.
LONG_NUMBER = 5
# Pages that are no posts, in one directory, before the directory is taken for theirs.
BARRING = 2

_YEAR = re.compile(r"(?:19|20)\d\d")
_SUFFIX = re.compile(r"\.(?:[sx]?html?|php\d?|aspx?|jsp|cgi|md)$", re.IGNORECASE)
_LEADING_NUMBERS = re.compile(r"\d+(?:[-_.]\d+)*(?=[-_.]|$)")
_TRAILING_NUMBER = re.compile(r"\d+$")
_PARTS = re.compile(r"[^/?#]*([^?#]*)\??([^#]*)(#?.*)", re.DOTALL)
# One or more characters of a segment. Every pattern is a row of such pieces parted by a slash or another
# literal, none inside another repetition: the cost of a match grows with the length of a segment
# squared at worst, never exponentially, and addresses of thousands of characters are no posts.
_WORDS = r"[^/?#]+"
LONGEST = 2_000


@dataclass(frozen=True)
class UrlPattern:
    """Which addresses are those of posts.

    `telling` and `vague` are regular expressions of the path and query in their canonical spelling: the
    vague ones are those that addresses of any page have (`/slug`), so that a match says little.
    `barred` are directories that hold no posts.
    """

    telling: tuple[str, ...] = ()
    vague: tuple[str, ...] = ()
    barred: frozenset[str] = LISTING_WORDS

    @classmethod
    def learn(cls, post_urls: Iterable[str], *, other_urls: Iterable[str] = (), home: str | None = None) -> UrlPattern:
        """The pattern of some posts of a blog; `other_urls` are known to be no posts.

        >>> pattern = UrlPattern.learn(["https://a.org/2014/03/spring/", "http://a.org/2013/11/old-shed/"])
        >>> pattern.regex, pattern.specific
        ('/(?:19|20)\\\\d\\\\d/\\\\d{1,2}/[^/?#]+', True)
        >>> pattern.matches("https://www.a.org/2009/01/caf%C3%A9/"), pattern.matches("https://a.org/2009/01/")
        (True, False)
        """
        paths = list(dict.fromkeys(filter(None, map(_path_of, post_urls))))
        kinds: dict[tuple[object, ...], list[_Address]] = defaultdict(list)
        for path in paths:
            address = _Address.of(path)
            kinds[address.kind].append(address)
        common = sorted(kinds.values(), key=len, reverse=True)
        kept = [kind for kind in common if not _is_odd(len(kind), len(common[0]), len(paths))]
        above = len(_Address.of(_path_of(home)).segments) if home else 0
        drawn = [_draw(kind, above) for kind in kept]
        used = {segment for kind in kept for address in kind for segment in address.segments}
        return cls(
            telling=tuple(dict.fromkeys(text for text, anchored in drawn if anchored)),
            vague=tuple(dict.fromkeys(text for text, anchored in drawn if not anchored)),
            barred=(LISTING_WORDS | frozenset(_directories(other_urls))) - used,
        )

    @property
    def regex(self) -> str:
        """The pattern as one regular expression, for people."""
        return "|".join((*self.telling, *self.vague))

    @property
    def specific(self) -> bool:
        """Whether every match says that a page is a post, as far as its address can."""
        return bool(self.telling) and not self.vague

    def matches(self, url: str) -> bool:
        """Whether a URL is spelled like a post of the blog; the host is not looked at."""
        return self.matches_key(canonical(url))

    def matches_key(self, key: str) -> bool:
        """The same for a URL that is in its canonical spelling already."""
        path = _below_host(key)
        if len(path) > LONGEST or not self._compiled.fullmatch(path):
            return False
        return self.barred.isdisjoint(path.partition("?")[0].lower().split("/"))

    def matches_only_posts(self, key: str) -> bool:
        """Whether a key that matches does so by what other pages have not."""
        return self._telling.fullmatch(_below_host(key)) is not None

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.regex or "(?!)", re.IGNORECASE)

    @cached_property
    def _telling(self) -> re.Pattern[str]:
        return re.compile("|".join(self.telling) or "(?!)", re.IGNORECASE)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "telling": list(self.telling), "vague": list(self.vague),
            "barred": sorted(self.barred - LISTING_WORDS), "allowed": sorted(LISTING_WORDS - self.barred),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> UrlPattern:
        """The reverse of `to_dict`."""
        barred = (LISTING_WORDS | frozenset(map(str, data["barred"]))) - frozenset(map(str, data["allowed"]))
        telling, vague = (tuple(map(str, data[name])) for name in ("telling", "vague"))
        re.compile("|".join((*telling, *vague)))
        return cls(telling=telling, vague=vague, barred=barred)


@dataclass(frozen=True, slots=True)
class _Address:
    """A canonical path in its parts."""

    segments: tuple[str, ...]
    suffix: str
    query: tuple[tuple[str, str], ...]
    fragment: str

    @classmethod
    def of(cls, path: str) -> _Address:
        below, query, fragment = _PARTS.fullmatch("a" + path).groups()  # type: ignore[union-attr]
        suffix = match[0] if (match := _SUFFIX.search(below)) else ""
        below = below.removesuffix(suffix)
        pairs = (pair.partition("=") for pair in query.split("&") if pair)
        return cls(tuple(below.split("/")[1:]), suffix.lower(), tuple((n, v) for n, _, v in pairs), fragment)

    @property
    def kind(self) -> tuple[object, ...]:
        """What addresses of one pattern share."""
        return (*map(_sort_of, self.segments), self.suffix, tuple(name for name, _ in self.query), self.fragment[:2])


def _sort_of(segment: str) -> str:
    if _YEAR.fullmatch(segment):
        return "year"
    return "number" if segment.isdecimal() else "words"


def _is_odd(size: int, largest: int, total: int) -> bool:
    """One of its kind beside many of another, or very few beside very many."""
    return size < largest and (total >= ODD_ONE_OF and size == 1)


def _draw(kind: Sequence[_Address], above: int) -> tuple[str, bool]:
    """The regular expression of addresses of one kind, and whether it says more than "any page".

    The first `above` segments are those of the blog's home: all of its pages have them.
    """
    kind = _without_strays(kind)
    anchored = False
    text = ""
    last = len(kind[0].segments) - 1
    dated = False
    for place, values in enumerate(zip(*(address.segments for address in kind), strict=True)):
        is_last = place == last and not kind[0].query
        # Below a year any slug is a post's: that all of the feed begin with a number is chance.
        piece, says = (_WORDS, False) if dated and is_last else _segment(values, is_last=is_last)
        dated |= says and all(map(_YEAR.fullmatch, values))
        text += "/" + piece
        anchored |= says and place >= above
    text += re.escape(kind[0].suffix)
    for place, (name, _) in enumerate(kind[0].query):
        piece, _ = _segment([address.query[place][1] for address in kind], is_last=True)
        text += ("&" if place else r"\?") + re.escape(name) + ("=" + piece.replace("#]", "&#]") if piece else "")
        anchored = True
    if kind[0].fragment:
        text += re.escape(kind[0].fragment[:2]) + ".+"
    return text, anchored


def _without_strays(kind: Sequence[_Address]) -> Sequence[_Address]:
    """The addresses without those in another directory than nearly all."""
    for place in range(len(kind[0].segments) - 1):
        (value, count), *others = Counter(address.segments[place] for address in kind).most_common()
        if others and count >= max(3, MAIN_DIRECTORY * len(kind)) and all(n == 1 for _, n in others):
            kind = [address for address in kind if address.segments[place] == value]
    return kind


def _segment(values: Sequence[str], *, is_last: bool) -> tuple[str, bool]:
    """One segment of a pattern, and whether it tells posts from other pages."""
    if not any(values):
        return "", False
    if all(map(_YEAR.fullmatch, values)):
        return r"(?:19|20)\d\d", True
    if all(value.isdecimal() for value in values):
        return (r"\d{1,2}" if max(map(len, values)) <= 2 and not is_last else r"\d+"), True
    if len(set(values)) == 1 and not is_last:
        return re.escape(values[0]), True
    if is_last and (piece := _numbered(values)):
        return piece, True
    return (_WORDS if is_last else r"(?!\d+/)" + _WORDS), False


def _numbered(values: Sequence[str]) -> str | None:
    """The pattern of slugs that all begin with a date or number, or end in a long number."""
    leads = [match[0] if (match := _LEADING_NUMBERS.match(value)) else None for value in values]
    if len(values) > 1 and all(leads):
        shortest = min((re.sub(r"\d+", "0", lead or "") for lead in leads), key=len)[:5]  # at most a date
        return re.escape(shortest).replace("0", r"\d+") + _WORDS.replace("+", "*")
    tails = [match[0] if (match := _TRAILING_NUMBER.search(value)) else "" for value in values]
    if len(values) > 1 and min(map(len, tails)) >= LONG_NUMBER:
        return rf"[^/?#]*\d{{{LONG_NUMBER},}}"
    return None


def _directories(urls: Iterable[str]) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for url in urls:
        seen.update(set(_path_of(url).partition("?")[0].lower().split("/")[1:-1]))
    yield from (name for name, count in seen.items() if count >= BARRING and not name.isdecimal())


def _path_of(url: str) -> str:
    return _below_host(canonical(url))


def _below_host(key: str) -> str:
    """Path and query of a canonical address.

    >>> _below_host("a.org/x?y=1"), _below_host("a.org?p=1"), _below_host("a.org")
    ('/x?y=1', '?p=1', '')
    """
    for place, sign in enumerate(key):
        if sign in "/?#":
            return key[place:]
    return ""
