"""Algorithm 1 of the BlogForever paper, as it is written there: every rule of a page applied and scored.

Quadratic, and only here to be read and compared with: `extract.extractors.blogforever` is the same in linear time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.etree import _Element


def best_extraction_rule(pages: Iterable[tuple[_Element, str]]) -> str | None:
    best_rules = [best[0] for page, target in pages if (best := best_of_page(page, [target])) is not None]
    return max(best_rules, key=best_rules.count) if best_rules else None


def best_of_page(
    page: _Element, targets: list[str], near: _Element | None = None,
) -> tuple[str, _Element] | None:
    order = list(page.iter())
    scored = []
    for rule in all_rules(page):
        extracted = page.xpath(rule)[0]
        score = max(similarity(extracted, target) for target in targets)
        if near is not None:
            score *= 10 / (10 + tree_distance(extracted, near))
        scored.append((score, -order.index(extracted), rule, extracted))
    best = max(scored, key=lambda candidate: candidate[:2])
    return (best[2], best[3]) if best[0] > 0 else None


def all_rules(page: _Element) -> list[str]:
    rules: dict[str, None] = {}
    for node in page.iter("*"):
        if node.get("id", "").strip():
            rules[f"//*[@id='{node.get('id')}']"] = None
        elif node.get("class", "").strip():
            rules[f"//*[@class='{node.get('class')}']"] = None
        else:
            rules[absolute_path(node)] = None
    return list(rules)


def absolute_path(node: _Element) -> str:
    path = node.getroottree().getpath(node)
    if ":" not in path:
        return path
    # Word processors write tags such as `o:p`, which an XPath takes for a namespace.
    above = node.getparent()
    return "/*" if above is None else f"{absolute_path(above)}/*[{above.index(node) + 1}]"


def similarity(node: _Element, target: str) -> float:
    bigrams1 = {bigram for segment in segments(node) for bigram in bigrams(segment)}
    bigrams2 = bigrams(target)
    total = len(bigrams1) + len(bigrams2)
    return 2 * len(bigrams1 & bigrams2) / total if total else 0.0


def bigrams(string: str) -> set[str]:
    string = " ".join(string.split())
    return {string[place:place + 2] for place in range(len(string) - 1)}


def segments(node: _Element) -> Iterator[str]:
    if isinstance(node.tag, str) and node.tag not in {"script", "style"}:
        yield node.text or ""
    for child in node:
        yield from segments(child)
        yield child.tail or ""


def tree_distance(a: _Element, b: _Element) -> int:
    above_a = [a, *a.iterancestors()]
    above_b = [b, *b.iterancestors()]
    common = next(node for node in above_a if node in above_b)
    return above_a.index(common) + above_b.index(common)
