"""The shape of an address: what addresses of one kind of page have in common."""

from __future__ import annotations

import re
from functools import lru_cache

from everlog.core.listing_words import LISTING_WORDS

Shape = tuple[str, ...]

# Names that a directory may have before all further ones count as one: "/tag/perl/page/2" has as many as
# the blog has tags.
FANOUT = 12

_DIGITS = re.compile(r"\d+")
_SUFFIX = re.compile(r"\.[a-z]{2,5}$")
# Lists whose parts are numbers: dates and pages.
_NUMBERED = re.compile(r"pag|archi|arxiu|arqui|date|year|month|day|seite|strona|index")


class Shapes:
    """Gives addresses their shapes; remembers how many names each directory has.

    >>> shapes = Shapes()
    >>> shapes.of("a.org/tag/perl/page/2"), shapes.of("a.org/2014/03"), shapes.of("a.org/viewtopic.php?f=2&t=77")
    (('tag', '*', 'page', '#'), ('####', '#'), ('*.php', '?f=#', '?t=#'))
    """

    def __init__(self) -> None:
        self._names: dict[Shape, set[str]] = {}

    def of(self, key: str) -> Shape:
        """The shape of an address in its canonical spelling."""
        path, _, query = key.lower().partition("?")
        segments = path.split("/")[1:]
        shape: list[str] = []
        for place, segment in enumerate(segments):
            is_last = place == len(segments) - 1
            labelled = shape and shape[-1] in LISTING_WORDS and not _NUMBERED.search(shape[-1])
            # A tag may be "1984" or "web-2": it is a name all the same.
            kind = None if labelled else _kind(segment)
            shape.append(kind or self._name(segment, tuple(shape), is_last=is_last))
        for pair in sorted(filter(None, query.split("&"))):
            name, _, value = pair.partition("=")
            shape.append(f"?{name}={'#' if value.isdecimal() else '*'}")
        return tuple(shape)

    def _name(self, segment: str, above: Shape, *, is_last: bool) -> str:
        if segment in LISTING_WORDS and not (above and above[-1] in LISTING_WORDS):
            return segment
        if is_last:
            suffix = _SUFFIX.search(segment)
            return "*" + (suffix[0] if suffix else "")
        if above and above[-1] in LISTING_WORDS:
            return "*"
        names = self._names.setdefault(above, set())
        if segment in names or len(names) < FANOUT:
            names.add(segment)
            return segment
        return "*"


def _kind(segment: str) -> str | None:
    """What a segment is made of, if numbers say so: `####` is a year, `#` a number, `page-#` a numbered page."""
    if segment.isdecimal():
        return "####" if len(segment) == 4 and segment[:2] in {"19", "20"} else "#"
    if not _DIGITS.search(segment):
        return None
    folded = _DIGITS.sub("#", segment)
    # A slug with a number in it is a slug; a word and a number are a kind of page.
    return folded if len(re.findall(r"[^\W\d_]+", segment)) <= 2 and folded.count("#") == 1 else "*"


@lru_cache(maxsize=100_000)
def distance(a: Shape, b: Shape) -> float:
    """How far two shapes are apart, in [0, 1]: what stands first in an address weighs most.

    >>> distance(("tag", "*"), ("tag", "*")), distance(("tag", "*"), ("tag", "*", "page", "#")) < 0.5
    (0.0, True)
    >>> distance(("tag", "*"), ("forum", "*")) > 0.5
    True
    """
    if a == b:
        return 0.0
    shared = total = 0.0
    for place in range(max(len(a), len(b))):
        weight = 1 / (1 + place)
        total += weight
        if place < len(a) and place < len(b):
            shared += weight * _likeness(a[place], b[place])
    return 1 - shared / total if total else 0.0


def _likeness(a: str, b: str) -> float:
    if a == b:
        # A name says what a page is; that both have some name or number says little.
        return 0.5 if a in {"*", "#"} else 1.0
    return 0.25 if "#" in a and "#" in b else 0.0
