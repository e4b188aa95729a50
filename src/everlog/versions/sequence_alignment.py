"""What two sequences share, in order: the ground on which a readable difference stands.

Equal ends are set aside. Small middles get the longest common subsequence; larger ones are first parted at
units that stand once on either side ("patience"), so that the time grows with the length and not with its square.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

# Old units times new units of a middle that is compared whole. 8,000 by 8,000 took 0.02 s and 8 MB,
# 30,000 by 30,000 0.5 s and 110 MB.
MOST_CELLS = 8_000 * 8_000


class Run(NamedTuple):
    """As many equal units, from here on the old side and from there on the new one."""

    old: int
    new: int
    length: int


class _Span(NamedTuple):
    """A part of either side that is still to be compared."""

    old: int
    old_end: int
    new: int
    new_end: int


def shared_runs(old: Sequence[str], new: Sequence[str], *, most_cells: int = MOST_CELLS) -> list[Run]:
    """What both have, in the order of both; none overlaps another, and none is the neighbour of another.

    >>> shared_runs("abcde", "axcdy")
    [Run(old=0, new=0, length=1), Run(old=2, new=2, length=2)]
    """
    # Small numbers in place of texts: compared faster, and in every process the same.
    numbers: dict[str, int] = {}
    left = [numbers.setdefault(unit, len(numbers)) for unit in old]
    right = [numbers.setdefault(unit, len(numbers)) for unit in new]
    runs: list[Run] = []
    waiting = [_Span(0, len(left), 0, len(right))]
    while waiting:
        span = _without_equal_ends(left, right, waiting.pop(), runs)
        lengths = span.old_end - span.old, span.new_end - span.new
        if not all(lengths):
            continue
        if lengths[0] * lengths[1] <= most_cells:
            runs += _longest_common(left, right, span)
        else:
            waiting += _parted(span, _anchors(left, right, span), runs)
    return _joined(runs)


def _without_equal_ends(left: list[int], right: list[int], span: _Span, runs: list[Run]) -> _Span:
    """The span less what is equal at its ends, which goes to the runs."""
    old, old_end, new, new_end = span
    while old < old_end and new < new_end and left[old] == right[new]:
        old, new = old + 1, new + 1
    while old < old_end and new < new_end and left[old_end - 1] == right[new_end - 1]:
        old_end, new_end = old_end - 1, new_end - 1
    runs += [
        run for run in (Run(span.old, span.new, old - span.old), Run(old_end, new_end, span.old_end - old_end))
        if run.length
    ]
    return _Span(old, old_end, new, new_end)


def _longest_common(left: list[int], right: list[int], span: _Span) -> Iterator[Run]:
    codes = LCSseq.opcodes(left[span.old:span.old_end], right[span.new:span.new_end])
    for code in codes:
        if code.tag == "equal":
            yield Run(span.old + code.src_start, span.new + code.dest_start, code.src_end - code.src_start)


def _anchors(left: list[int], right: list[int], span: _Span) -> list[tuple[int, int]]:
    """Units that stand once on either side, as many as are in the same order on both."""
    here, there = Counter(left[span.old:span.old_end]), Counter(right[span.new:span.new_end])
    places = {unit: place for place in range(span.new, span.new_end) if there[unit := right[place]] == 1}
    pairs = [
        (place, places[unit]) for place in range(span.old, span.old_end)
        if here[unit := left[place]] == 1 and unit in places
    ]
    return _rising(pairs)


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest choice of pairs whose second numbers rise as well as the first ones."""
    lowest: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        at = bisect_left(lowest, place)
        before.append(last[at - 1] if at else -1)
        lowest[at:at + 1] = [place]
        last[at:at + 1] = [number]
    chosen: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]


def _parted(span: _Span, anchors: list[tuple[int, int]], runs: list[Run]) -> Iterator[_Span]:
    """The parts between anchors; without any, nothing of the span is taken for shared."""
    if not anchors:
        return
    old, new = span.old, span.new
    for at, place in anchors:
        runs.append(Run(at, place, 1))
        yield _Span(old, at, new, place)
        old, new = at + 1, place + 1
    yield _Span(old, span.old_end, new, span.new_end)


def _joined(runs: list[Run]) -> list[Run]:
    """Runs in order, neighbours as one."""
    joined: list[Run] = []
    for run in sorted(runs):
        before = joined[-1] if joined else None
        if before and (before.old + before.length, before.new + before.length) == (run.old, run.new):
            joined[-1] = Run(before.old, before.new, before.length + run.length)
        else:
            joined.append(run)
    return joined
