"""Picture choice: which files of a picture in several sizes and formats a browser takes.

Players of web archives ask for what the browser takes, and show a broken picture where just that was not kept. So
besides its `src` the file is kept that a window on a desk takes. (Of the pictures of articles, which are media of their
post, the largest is kept as well.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from everlog.markup.revealing import LAZY_SETS, LAZY_SIZES, lazy_sizes
from everlog.markup.srcset import candidates, largest

if TYPE_CHECKING:
    from everlog.core.tree import Element

# The window whose choice is kept, at one pixel per pixel. Of 3,248 pages of 84 blogs these and `src` are 9,088 files;
# with the largest, which is for dense screens, they are 9,915, with a telephone's choice (390 pixels) 10,434, with all
# sizes 12,959. Every face of a commenter is there twice, once for dense screens.
WINDOW = 1_280
# Of sources with other types browsers take none.
_SHOWN_TYPES = frozenset(
    f"image/{name}" for name in ("avif", "webp", "svg+xml", "png", "apng", "jpeg", "jpg", "gif", "bmp", "x-icon")
)
_EM = 16.0
_UNITS = {"px": 1.0, "em": _EM, "rem": _EM, "vw": WINDOW / 100}
# Commas outside of brackets.
_PART = re.compile(r",(?![^()]*\))")
_CONDITIONED = re.compile(r"([^\s].*\))\s+(\S.*)", re.DOTALL)
_WIDTH = re.compile(r"\(\s*(min|max)-width\s*:\s*(\d{1,6}(?:\.\d{1,6})?)(px|em|rem)\s*\)", re.IGNORECASE)
_LENGTH = re.compile(r"([+-]?)\s*(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})(px|vw|em|rem)\s*", re.IGNORECASE)
_CALC = re.compile(r"calc\(([^()*/]*)\)", re.IGNORECASE)
_DESCRIPTOR = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)([wx])(?:\s|$)")
# Sizes that are remembered: all pictures of a design have the same few.
_SIZES_REMEMBERED = 512
# The most of an attribute that is read: a dozen of conditions are some hundred letters.
_LONGEST_SIZES = 2_000


def pictures_taken(picture: Element) -> Iterator[str]:
    """The files that a browser may take for an `img`, besides its `src`: as written.

    Of a `picture` with conditions these are one source for each, the first that has a type which browsers show. Behind
    a source without a condition none is taken, nor the candidates of the `img` itself.
    """
    around = next(picture.iterancestors("picture"), None)
    if around is not None:
        seen: set[str] = set()
        for source in around.iter("source"):
            kind, condition = _plain(source.get("type")), _plain(source.get("media"))
            sizes = _sizes_of(source)
            if not sizes or condition in seen or (kind and kind not in _SHOWN_TYPES):
                continue
            seen.add(condition)
            yield from _taken(sizes, _shown_at(source))
            if condition in {"", "all"}:
                return
    own, src = _sizes_of(picture), picture.get("src")
    # Beside sizes by density the picture itself is one of them, for screens of one pixel per pixel unless one is named.
    is_one = src is not None and own and not any(_is_enough(said) for _, said in own)
    yield from _taken([(src or "", ""), *own] if is_one else own, _shown_at(picture))


def _plain(value: str | None) -> str:
    return (value or "").partition(";")[0].strip().lower()


def _sizes_of(element: Element) -> list[tuple[str, str]]:
    waiting = next((value for name in LAZY_SETS if (value := element.get(name))), None)
    return [*candidates(element.get("srcset") or ""), *candidates(waiting or "")]


def _shown_at(element: Element) -> str | None:
    said = lazy_sizes(element.get(name) for name in LAZY_SIZES) if any(map(element.get, LAZY_SETS)) else None
    return said or element.get("sizes")


def _taken(sizes: list[tuple[str, str]], shown_at: str | None) -> Iterator[str]:
    found = taken(sizes, shown_at) or largest(sizes)
    if found is not None:
        yield found


def taken(sizes: list[tuple[str, str]], shown_at: str | None) -> str | None:
    """The candidate that a browser takes in a window of the usual width: the least that is large enough.

    >>> sizes = [("s.jpg", "320w"), ("m.jpg", "640w"), ("l.jpg", "1280w"), ("xl.jpg", "2560w")]
    >>> taken(sizes, "(max-width: 600px) 100vw, 600px"), taken(sizes, None), taken(sizes, "calc(50vw - 2em)")
    ('m.jpg', 'l.jpg', 'm.jpg')
    >>> taken([("a.jpg", ""), ("b.jpg", "2x")], None)
    'a.jpg'
    """
    width = shown_width((shown_at or "")[:_LONGEST_SIZES])
    dense = [(density, address) for address, said in sizes if (density := _density(said, width)) is not None]
    if not dense:
        return None
    enough = [each for each in dense if each[0] >= 1]
    return min(enough, key=_by_density)[1] if enough else max(dense, key=_by_density)[1]


def _by_density(each: tuple[float, str]) -> float:
    return each[0]


def _is_enough(descriptor: str) -> bool:
    """Whether a candidate takes the place of `src`: sizes by width do, and one for screens of usual density."""
    found = _DESCRIPTOR.search(descriptor)
    return not descriptor if found is None else found[2] == "w" or float(found[1]) == 1


def _density(descriptor: str, width: float) -> float | None:
    found = _DESCRIPTOR.search(descriptor)
    if found is None:
        return 1.0 if not descriptor else None
    return float(found[1]) / width if found[2] == "w" else float(found[1])


@lru_cache(maxsize=_SIZES_REMEMBERED)
def shown_width(sizes: str) -> float:
    """How wide a picture is shown by the value of its `sizes`, in the usual window; what cannot be read is all of it.

    >>> shown_width("(max-width: 600px) 320px, 640px"), shown_width("(min-width: 40em) 25vw, 100vw")
    (640.0, 320.0)
    """
    for part in _PART.split(sizes):
        conditioned = _CONDITIONED.fullmatch(part.strip())
        if conditioned is None or part.strip().lower().startswith("calc("):
            return _pixels(part)
        if _holds(conditioned[1]):
            return _pixels(conditioned[2])
    return float(WINDOW)


def _holds(condition: str) -> bool:
    """Whether a condition holds in the usual window; one about other things than its width does not."""
    left = _WIDTH.sub("", condition).replace("and", "").strip()
    if left:
        return False
    return all(
        (WINDOW - float(number) * _UNITS[unit.lower()]) * (1 if bound.lower() == "min" else -1) >= 0
        for bound, number, unit in _WIDTH.findall(condition)
    )


def _pixels(length: str) -> float:
    """A length in pixels: a number with a unit, or a sum of such."""
    said = length.strip()
    calculated = _CALC.fullmatch(said)
    terms = (calculated[1] if calculated else said).strip()
    total, at = 0.0, 0
    while at < len(terms):
        term = _LENGTH.match(terms, at)
        if term is None:
            return float(WINDOW)
        total += float(term[2]) * _UNITS[term[3].lower()] * (-1 if term[1] == "-" else 1)
        at = term.end()
    return total if total > 0 else float(WINDOW)
