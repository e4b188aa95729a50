"""Small blogs whose pages share a design."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.core.outline import Outline
from everlog.core.tree import parse
from everlog.extract.extractors.diffpost import RepeatCounts, clean

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXTS = (
    "The river rose in the night and took the old bridge with it.",
    "Nobody had told the baker that the market would open earlier.",
    "All winter long we repaired boats and told each other lies.",
    "A letter came from the north, and it smelled of smoke.",
    "Her violin stayed in its case until the snow was gone.",
    "We planted forty apple trees where the railway used to be.",
    "Every lighthouse keeper on this coast has a story about bees.",
    "The kettle boiled dry while we argued about the map.",
    "Somebody had painted the harbour wall a terrible green.",
    "My grandmother kept her money in a hollow candle.",
)


def page(body: str, title: str = "A page") -> Outline:
    return Outline(parse(f"<html><head><title>{title}</title></head><body>{body}</body></html>".encode()))


def blog(design: str, count: int = 4) -> list[Outline]:
    """Pages of one design; `{}` is the post's text."""
    return [page(design.replace("{}", text)) for text in TEXTS[:count]]


def left(outline: Outline, others: Sequence[Outline], **options: float) -> list[str]:
    """What cleaning leaves of a page, given other pages."""
    kept = clean(outline, RepeatCounts.learn(others), **options)
    return [segment.strip() for segment, stays in zip(outline.segments, kept, strict=True) if stays]
