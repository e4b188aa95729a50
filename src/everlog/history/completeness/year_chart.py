"""Posts per year as a picture (SVG): bars of what is held, excused and missing, for light and dark backgrounds.

The parts of a bar differ in lightness and pattern too, so that they are told apart without colours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from everlog.core.terminal import CONTROLS
from everlog.history.completeness.year_bars import FOLDED, folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog.history.completeness.year_bars import YearCount

_WIDTH, _LEFT, _TOP, _PLOT, _BOTTOM = 760, 56, 74, 220, 48
_ROOM = _WIDTH - _LEFT - 20
# Years whose names stand below the bars; of more, every second, fifth or tenth.
_MOST_NAMES = 16
_STEPS = (1, 2, 5)
_STYLE = """
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #24292f; }
  .title { font-size: 17px; font-weight: 600; }
  .small { font-size: 12px; fill: #57606a; }
  .grid { stroke: #d0d7de; }
  .axis { stroke: #57606a; }
  .held { fill: #0969da; }
  .excused { fill: #9a9fa5; }
  .missing { fill: #fff; stroke: #bc4c00; stroke-width: 1.5; }
  .paper { fill: #ffffff; }
  .hatch { stroke: #bc4c00; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
    .grid { stroke: #30363d; }
    .axis { stroke: #9198a1; }
    .held { fill: #4493f8; }
    .excused { fill: #6e7681; }
    .missing { fill: #0d1117; stroke: #f0883e; }
    .paper { fill: #0d1117; }
    .hatch { stroke: #f0883e; }
  }"""


def chart_of(years: Sequence[YearCount], *, title: str, sentence: str) -> str:
    """The picture of a blog's years: `title` names the blog, `sentence` is the verdict."""
    height = _TOP + _PLOT + _BOTTOM
    described = f"{sentence}. {_in_words(years)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"',
        'role="img" aria-labelledby="title description">',
        f'<title id="title">{_text(f"Posts per year of {title}")}</title>',
        f'<desc id="description">{_text(described)}</desc>',
        f"<style>{_STYLE}\n</style>",
        '<defs><pattern id="lines" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">',
        '<path class="hatch" d="M0 0V6"/></pattern></defs>',
        f'<rect class="paper" width="{_WIDTH}" height="{height}"/>',
        f'<text class="title" x="{_LEFT}" y="26">{_text(_cut(title, 70))}</text>',
        *_legend(years),
        *_scale(max((year.total for year in years), default=0)),
        *_bars(years),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _in_words(years: Sequence[YearCount]) -> str:
    """What the bars show, for those who do not see them."""
    said = []
    for year in folded(years):
        if year is None:
            said.append(FOLDED)
            continue
        away = f", {year.excused:,} excused" if year.excused else ""
        lost = f", {year.missing:,} missing" if year.missing else ""
        said.append(f"{year.label}: {year.held:,} held{away}{lost}")
    return "; ".join(said) if said else "No post is known"


def _legend(years: Sequence[YearCount]) -> Iterator[str]:
    at = _LEFT
    for name in ("held", "excused", "missing"):
        count = sum(getattr(year, name) for year in years)
        yield f'<rect class="{name}" x="{at + 0.75}" y="41.75" width="11.5" height="11.5"/>'
        if name == "missing":
            yield f'<rect fill="url(#lines)" x="{at + 0.75}" y="41.75" width="11.5" height="11.5"/>'
        said = f"{name}: {count:,}"
        yield f'<text x="{at + 19}" y="52">{said}</text>'
        at += 19 + 8 * len(said) + 16


def _scale(most: int) -> Iterator[str]:
    """Lines across the picture at round numbers of posts."""
    step = _step(most)
    number = 0
    while number <= most:
        y = _y(number, most)
        yield f'<path class="{"grid" if number else "axis"}" d="M{_LEFT} {y:.1f}H{_WIDTH - 20}"/>'
        yield f'<text class="small" text-anchor="end" x="{_LEFT - 8}" y="{y + 4:.1f}">{number:,}</text>'
        number += step
    yield f'<text class="small" x="{_LEFT - 40}" y="{_TOP - 8}">posts</text>'


def _step(most: int) -> int:
    """The distance of lines, so that there are at most five.

    >>> [_step(most) for most in (0, 3, 12, 99, 480)]
    [1, 1, 5, 20, 100]
    """
    size = 1
    while True:
        for step in _STEPS:
            if most <= 5 * step * size:
                return step * size
        size *= 10


def _bars(years: Sequence[YearCount]) -> Iterator[str]:
    most = max((year.total for year in years), default=0)
    # Posts without a year stand apart from the others.
    is_apart = len(years) > 1 and years[-1].year is None
    shown = folded(years)
    pitch = _ROOM / max(len(shown) + is_apart, 1)
    wide = min(pitch * 0.72, 56)
    every = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if len(shown) <= step * _MOST_NAMES or step == 1000)
    for number, year in enumerate(shown):
        middle = _LEFT + pitch * (number + 0.5 + (is_apart and year is not None and year.year is None))
        if year is None:
            yield _below(FOLDED, middle, 18)
            continue
        yield f"<g><title>{_text(_in_words([year]))}</title>"
        below = 0
        for name, count in (("held", year.held), ("excused", year.excused), ("missing", year.missing)):
            if count:
                top, foot = _y(below + count, most), _y(below, most)
                box = f'x="{middle - wide / 2:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{foot - top:.1f}"'
                yield f'<rect class="{name}" {box}/>'
                if name == "missing":
                    yield f'<rect fill="url(#lines)" {box}/>'
                below += count
        yield "</g>"
        if year.year is None or year.year % every == 0:
            yield _below(year.label, middle, 18)
    yield _below("year", _LEFT + _ROOM / 2, 38)


def _below(text: str, middle: float, lower: int) -> str:
    return f'<text class="small" text-anchor="middle" x="{middle:.1f}" y="{_TOP + _PLOT + lower}">{text}</text>'


def _y(count: int, most: int) -> float:
    return _TOP + _PLOT - (_PLOT * count / most if most else 0)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _text(text: str) -> str:
    return escape(CONTROLS.sub("", text))
