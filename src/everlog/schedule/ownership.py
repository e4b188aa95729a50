"""Whether the blog at an address is still the one that was there: by its name, its people, its looks, its language.

Addresses change hands. A blog that was redesigned, moved to another platform or renamed is still the same blog, and
says so by the posts it keeps; a stranger at its address keeps nothing of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from everlog.core.selectors import selectors_of
from everlog.core.urls import absolute, canonical, host_of
from everlog.core.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.core.tree import Element
    from everlog.records import Feed

# The names of a page's elements are kept as the smallest of their hashes: two such samples have as much in common
# as the whole sets, whatever their sizes.
SAMPLE = 200
# Fewer names are no design: a bare list of links, a page drawn by scripts.
LEAST_DESIGN = 8
# Of 3,486 pairs of different blogs 97 in 100 have less than 0.15 of their design in common, and hardly any 0.3; a
# blog's front page and its other pages have less than 0.235 in one case of 20, and 0.57 in the middle.
ALIKE_DESIGN, SAME_DESIGN = 0.15, 0.3
# Of these pairs 99 in 100 share less than 0.015 of their links, none 0.1; pages of one blog share 0.35 in the middle.
LEAST_WAYS, ALIKE_WAYS, SAME_WAYS = 3, 0.02, 0.1
# Two signs of another owner, of which each may be the whim of the same one: a new theme, another language, a new name.
LEAST_DIFFERENCES = 2
_PARTS = re.compile(r"\s+[-|–—·•:/]+\s+|\s*[|«»›‹–—·•]\s*|:\s+")
# What titles say that is nobody's name.
GENERIC = frozenset(
    "a an and archive archives at blog blogs by category com das de der die en feed for frontpage home homepage in "
    "index la le my net news of on org page post posts site start the to top tumblr und website welcome wordpress www"
    .split()
)
# What the addresses of all blogs have.
GENERIC_PLACES = frozenset(
    "about admin atom author authors categories comment comments contact html htm login month p php privacy projects "
    "rss search tag tags uncategorized wp xml year".split()
)
_MARKERS = (
    ("wp-content/", "wordpress"), ("wp-includes/", "wordpress"), ("blogger.com/", "blogger"),
    ("squarespace", "squarespace"), ("static.tumblr.com", "tumblr"), ("ghost.org", "ghost"), ("wix.com", "wix"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogFingerprint:
    """By what a blog is known again: its platform, languages, names, people, samples of its design and of its links.

    `kept` says that posts of the blog as it was are still there: linked from its home page or feed, or answering
    with their text.
    """

    platform: str | None = None
    languages: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    design: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()
    kept: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership:
    """Whether it is the same blog; `differences` are what is other than before, in words."""

    is_same: bool
    differences: tuple[str, ...] = ()
    reason: str = ""


def traits_of(home: Element | None, url: str, feed: Feed | None, *, kept: bool = False) -> BlogFingerprint:
    """What a blog's home page, at this address, and its feed show of it."""
    names = [_title(home), feed.title if feed else None]
    languages = [home.get("lang") if home is not None else None, feed.language if feed else None]
    people = [*feed.authors, *(author for entry in feed.entries for author in entry.authors)] if feed else []
    return BlogFingerprint(
        platform=_platform(home) if home is not None else None,
        languages=_each((language or "").strip().lower()[:2] for language in languages),
        names=_each(" ".join((name or "").split()) for name in names),
        people=_each(" ".join(words(person)) for person in people)[:20],
        design=_sample(_names_in(home)),
        ways=_sample(_ways(home, url)),
        kept=kept,
    )


def same_owner(before: BlogFingerprint, now: BlogFingerprint) -> Ownership:
    """Whether two looks at one address show the same blog.

    >>> ann = BlogFingerprint(platform="wordpress", languages=("en",), names=("Ann's kitchen",), people=("ann lee",))
    >>> same_owner(ann, BlogFingerprint(platform="hugo", languages=("en",), names=("Bread | Ann's Kitchen",))).is_same
    True
    >>> casino = BlogFingerprint(platform="wordpress", languages=("id",), names=("Lucky Slots 77",))
    >>> same_owner(ann, casino).reason
    'another language (id, not en); another name (Lucky Slots 77)'
    >>> same_owner(ann, BlogFingerprint(languages=("id",), names=("Dapur Ann",), kept=True)).is_same
    True
    """
    if now.kept:
        return Ownership(is_same=True, reason="posts of the blog are still online")
    differences = tuple(filter(None, (
        _other_platform(before, now), _other_language(before, now), _other_name(before, now),
        _other_people(before, now), _other_design(before, now), _other_ways(before, now),
    )))
    is_known = is_known_by(before, now) or _shares_ways(before, now)
    # Who looks the same, or does not say who it is, may be a site that is being mended.
    needed = LEAST_DIFFERENCES + (_likeness(before.design, now.design) >= SAME_DESIGN or not _has_name(now))
    is_same = is_known or len(differences) < needed
    return Ownership(is_same=is_same, differences=differences, reason="; ".join(differences))


def is_known_by(before: BlogFingerprint, now: BlogFingerprint) -> bool:
    """Whether a blog has the name or the authors that it had."""
    return _shares_name(before, now) or _shares_people(before, now)


def _other_platform(before: BlogFingerprint, now: BlogFingerprint) -> str | None:
    differ = before.platform is not None and now.platform is not None and before.platform != now.platform
    return f"another platform ({now.platform}, not {before.platform})" if differ else None


def _other_language(before: BlogFingerprint, now: BlogFingerprint) -> str | None:
    differ = before.languages and now.languages and set(before.languages).isdisjoint(now.languages)
    return f"another language ({now.languages[0]}, not {before.languages[0]})" if differ else None


def _other_name(before: BlogFingerprint, now: BlogFingerprint) -> str | None:
    differ = _has_name(before) and _has_name(now) and not _shares_name(before, now)
    return f"another name ({now.names[0]})" if differ else None


def _other_people(before: BlogFingerprint, now: BlogFingerprint) -> str | None:
    differ = before.people and now.people and not _shares_people(before, now)
    return f"other authors ({now.people[0]})" if differ else None


def _other_design(before: BlogFingerprint, now: BlogFingerprint) -> str | None:
    if len(before.design) < LEAST_DESIGN:
        return None
    return "another design" if _likeness(before.design, now.design) < ALIKE_DESIGN else None


def _other_ways(before: BlogFingerprint, now: BlogFingerprint) -> str | None:
    if len(before.ways) < LEAST_WAYS:
        return None
    return "links to other pages" if _likeness(before.ways, now.ways) < ALIKE_WAYS else None


def _shares_name(before: BlogFingerprint, now: BlogFingerprint) -> bool:
    """Whether a part of one name is a part of the other: "Bread | Ann's kitchen" and "Ann's kitchen"."""
    old = {part for name in before.names for part in _name_parts(name)}
    new = {part for name in now.names for part in _name_parts(name)}
    return any(_is_within(part, other) or _is_within(other, part) for part in old for other in new)


def _has_name(traits: BlogFingerprint) -> bool:
    return any(map(_name_parts, traits.names))


def _name_parts(name: str) -> set[tuple[str, ...]]:
    parts = (tuple(words(part)) for part in (name, *_PARTS.split(name)))
    return {part for part in parts if set(part) - GENERIC}


def _is_within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    width = len(part)
    return any(whole[start : start + width] == part for start in range(len(whole) - width + 1))


def _shares_people(before: BlogFingerprint, now: BlogFingerprint) -> bool:
    return not (set(before.people) - GENERIC_PEOPLE).isdisjoint(now.people)


# Whom platforms name where nobody said who writes.
GENERIC_PEOPLE = frozenset({"admin", "administrator", "author", "unknown", "root", "editor", "blogger", "webmaster"})


def _shares_ways(before: BlogFingerprint, now: BlogFingerprint) -> bool:
    return len(set(before.ways) & set(now.ways)) >= LEAST_WAYS and _likeness(before.ways, now.ways) >= SAME_WAYS


def _likeness(old: tuple[str, ...], new: tuple[str, ...]) -> float:
    """The share of common names, estimated from the smallest hashes of both."""
    both = sorted({*old, *new})[:SAMPLE]
    shared = set(old) & set(new)
    return sum(mark in shared for mark in both) / len(both) if both else 0.0


def _sample(names: Iterable[str]) -> tuple[str, ...]:
    marks = {blake2b(name.encode("utf-8", "replace"), digest_size=5).hexdigest() for name in names}
    return tuple(sorted(marks)[:SAMPLE])


def _names_in(home: Element | None) -> Iterator[str]:
    for element in home.iter("*") if home is not None else ():
        yield from selectors_of(element)


def _ways(home: Element | None, url: str) -> Iterator[str]:
    """Where the links of a page lead within its host: paths, without those that every blog has."""
    host = host_of(url)
    for anchor in home.iter("a") if home is not None else ():
        target = absolute(url, anchor.get("href") or "")
        if target is None or host_of(target) != host:
            continue
        path = canonical(target).partition("/")[2]
        if any(not word.isdigit() and word not in GENERIC and word not in GENERIC_PLACES for word in words(path)):
            yield path


def _title(home: Element | None) -> str | None:
    found = next(home.iter("title"), None) if home is not None else None
    return "".join(map(str, found.itertext())) if found is not None else None


def _platform(home: Element) -> str | None:
    for meta in home.iter("meta"):
        said = words(meta.get("content") or "") if (meta.get("name") or "").lower() == "generator" else []
        if said:
            return said[0]
    for element in home.iter("link", "script", "img"):
        address = element.get("href") or element.get("src") or ""
        for marker, platform in _MARKERS:
            if marker in address:
                return platform
    return None


def _each(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, texts)))
