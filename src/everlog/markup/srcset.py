"""The candidates of a `srcset`: one picture in several sizes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_ADDRESS = re.compile(r"[^\s,]\S*")
_NUMBER = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)[wx](?:\s|$)")


def candidates(srcset: str) -> Iterator[tuple[str, str]]:
    """Addresses and their descriptors (`300w`, `2x`, or nothing), as browsers split them.

    An address may hold commas, as those of services that scale pictures do; only one at its end parts.

    >>> list(candidates("a.jpg 300w, /w_9,h_9/b.jpg 600w"))
    [('a.jpg', '300w'), ('/w_9,h_9/b.jpg', '600w')]
    >>> list(candidates("a.jpg, b.jpg 2x"))
    [('a.jpg', ''), ('b.jpg', '2x')]
    """
    at = 0
    while found := _ADDRESS.search(srcset, at):
        address = found[0].rstrip(",")
        at = found.end()
        if address != found[0]:
            yield address, ""
            continue
        comma = srcset.find(",", at)
        end = len(srcset) if comma < 0 else comma
        yield address, srcset[at:end].strip()
        at = end


def largest(sizes: Iterable[tuple[str, str]]) -> str | None:
    """The address of the widest, or else densest, of some candidates; the first of equals.

    >>> largest(candidates("a.jpg 300w, b.jpg 1200w, c.jpg 600w")), largest(candidates("a.jpg, b.jpg 2x"))
    ('b.jpg', 'b.jpg')
    """
    best = max(sizes, key=lambda candidate: _size(candidate[1]), default=None)
    return best[0] if best is not None else None


def spelled(sizes: Iterable[tuple[str, str]]) -> str:
    """The attribute that says these candidates.

    >>> spelled([("a.jpg", ""), ("b.jpg", "2x")])
    'a.jpg, b.jpg 2x'
    """
    return ", ".join(f"{address} {descriptor}".rstrip() for address, descriptor in sizes)


def _size(descriptor: str) -> float:
    number = _NUMBER.search(descriptor)
    return float(number[1]) if number else 1.0
