"""What stands around a comment's text: the element of the whole comment, author, date, address and id."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from everlog.comments.author_names import author_name
from everlog.comments.css import Nearest
from everlog.comments.dating import read_dates, stated_dates
from everlog.comments.learn.element_names import chain_of, names_of, plainness
from everlog.comments.parts import line_of
from everlog.comments.threads import short_id
from everlog.core.tree import INVISIBLE, Element
from everlog.core.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from datetime import datetime

    from everlog.comments.learn.comment_samples import CommentSample
    from everlog.records import Comment

# How far above its text a comment's element may stand.
_MOST_LEVELS = 8
# What a comment shows beside its text: a name, a date, links to answer. More is a list of comments.
_MOST_BESIDE = 400
# A selector must part the texts of all pages; a page with broken markup may be among them.
_SHARE_TO_PART = 0.97
# A rule for a part that is right less often points at something else.
_SHARE_TO_TRUST = 0.5
_NEAR_SECONDS = 36 * 3600
# Forms to answer stand inside the comment that is answered.
_SKIPPED = INVISIBLE | {"form"}
_ANSWERING = re.compile(r"respond|repl(?:y|ies)", re.IGNORECASE)
_DEPTH = re.compile(r"([\w-]*(?:depth|level|indent)[-_]?)\d+")


class Matched(NamedTuple):
    """A comment of the feed, the element that holds its text, and the page."""

    sample: CommentSample
    text: Element
    comment: Comment


class Around(NamedTuple):
    """Selectors of a comment's element and of the parts in it."""

    comment: str
    author: str | None = None
    date: str | None = None
    permalink: str | None = None
    id: str = "@id"
    depth: str | None = None


def learn_around(text: str, pairs: Sequence[Matched]) -> Around | None:
    """The selectors around the elements that `text` selects, learned from the comments found in them."""
    comment = _learn_comment(text, pairs)
    if comment is None:
        return None
    regions = [region for pair in pairs if (region := _region(pair, comment)) is not None]
    return Around(
        comment=comment,
        author=_best(regions, _is_author),
        date=_learn_date(regions),
        permalink=_best(regions, _is_address),
        id=_learn_id(regions),
        depth=_learn_depth(regions),
    )


def _learn_comment(text: str, pairs: Sequence[Matched]) -> str | None:
    """The outermost element that holds one text only; one that bears the comment's own id goes before."""
    seen: dict[str, None] = {}
    for pair in pairs:
        for level, element in enumerate((pair.text, *pair.text.iterancestors())):
            if level > _MOST_LEVELS or element.tag in {"body", "html"}:
                break
            seen.update(dict.fromkeys(filter(None, (*names_of(element), chain_of(element)))))
    judged = [(worth, name) for name in seen if (worth := _parting(name, text, pairs)) is not None]
    return max(judged)[1] if judged else None


def _parting(name: str, text: str, pairs: Sequence[Matched]) -> tuple[float, ...] | None:
    """How good a selector is for the element of a comment; None where it does not part the texts."""
    samples = {id(pair.sample): pair.sample for pair in pairs}
    texts = parted = spare = 0
    nearest: dict[int, Nearest] = {}
    for key, sample in samples.items():
        elements = sample.page.all(name)
        nearest[key] = Nearest(elements)
        held = sample.page.all(text)
        owners = {owner for element in held if (owner := nearest[key].at(element)) is not None}
        texts += len(held)
        parted += len(owners)
        spare += len(elements) - len(owners)
    if parted < _SHARE_TO_PART * texts:
        return None
    owned = [(pair, owner) for pair in pairs if (owner := nearest[id(pair.sample)].at(pair.text)) is not None]
    if median(_beside(pair, owner, set(pair.sample.page.all(name))) for pair, owner in owned) > _MOST_BESIDE:
        return None
    named = sum(pair.comment.id is not None and short_id(owner.get("id")) == pair.comment.id for pair, owner in owned)
    depth = sum(pair.sample.outline.depth[pair.sample.outline.places[owner]] for pair, owner in owned) / len(owned)
    return round(parted / texts, 2), round(named / len(owned), 1), -float(depth), -spare, *plainness(name)


def _beside(pair: Matched, owner: Element, others: Collection[Element]) -> int:
    """The letters that a comment shows beside its text."""
    length = 0
    walk = etree.iterwalk(owner, events=("start", "end"))
    for event, inner in walk:
        if event == "end":
            length += len((inner.tail or "").strip()) if inner is not owner else 0
        elif inner is pair.text or (inner is not owner and (inner in others or inner.tag in _SKIPPED)):
            walk.skip_subtree()
        else:
            length += len((inner.text or "").strip())
        if length > _MOST_BESIDE:
            break
    return length


class _Region(NamedTuple):
    """The elements of one comment outside of the comments nested in it: the first of each selector."""

    comment: Comment
    element: Element
    first: dict[str, Element]
    languages: tuple[str, ...]


def _region(pair: Matched, selector: str) -> _Region | None:
    others = set(pair.sample.page.all(selector))
    owner = Nearest(others).at(pair.text)
    if owner is None:
        return None
    first: dict[str, Element] = {}
    walk = etree.iterwalk(owner, events=("start",))
    for _, inner in walk:
        if inner is not owner and (inner in others or inner.tag in INVISIBLE):
            walk.skip_subtree()
        elif inner is not owner:
            for name in (*names_of(inner), chain_of(inner, owner)):
                if name:
                    first.setdefault(name, inner)
    spoken = pair.sample.root.get("lang")
    return _Region(pair.comment, owner, first, (spoken,) if spoken else ())


def _best(regions: Sequence[_Region], is_right: Callable[[Element, Comment], bool | None]) -> str | None:
    """The selector whose first element is right most often; of equal ones that of the smaller element."""
    right: Counter[str] = Counter()
    length: Counter[str] = Counter()
    asked = 0
    for region in regions:
        verdicts = {name: is_right(element, region.comment) for name, element in region.first.items()}
        asked += any(verdict is not None for verdict in verdicts.values())
        for name, verdict in verdicts.items():
            if verdict:
                right[name] += 1
                length[name] += len(line_of(region.first[name]))
    if not right:
        return None
    name, count = max(right.items(), key=lambda item: (item[1], -length[item[0]], *plainness(item[0])))
    return name if count >= _SHARE_TO_TRUST * asked else None


def _is_author(element: Element, comment: Comment) -> bool | None:
    if comment.author is None:
        return None
    shown = line_of(element)
    if len(shown) > 4 * len(comment.author) + 40:
        return False
    wanted = words(comment.author)
    return words(author_name(shown) or "") == wanted or words(shown) == wanted


def _is_address(element: Element, comment: Comment) -> bool | None:
    if comment.id is None:
        return None
    link = element.get("href") if element.tag == "a" else None
    if not link or "#" not in link or _ANSWERING.search(link):
        return False
    return short_id(link.rpartition("#")[2]) == comment.id


def _learn_date(regions: Sequence[_Region]) -> str | None:
    """The selector whose first element states the feed's date most often; of equal ones the most exact."""
    dated = [region for region in regions if region.comment.published is not None]
    stated: defaultdict[str, list[tuple[list[str], datetime]]] = defaultdict(list)
    for region in dated:
        for name, element in region.first.items():
            texts = [text for text in stated_dates(element) if any(map(str.isdigit, text))]
            if texts and region.comment.published is not None:
                stated[name].append((texts, region.comment.published))
    languages = [language for region in dated[:1] for language in region.languages]
    judged = []
    for name, said in stated.items():
        if len(said) < _SHARE_TO_TRUST * len(dated):
            continue
        moments = read_dates([texts for texts, _ in said], languages)
        gaps = [
            abs((moment - published).total_seconds())
            for moment, (_, published) in zip(moments, said, strict=True)
            if moment is not None
        ]
        near = [gap for gap in gaps if gap <= _NEAR_SECONDS]
        if len(near) >= _SHARE_TO_TRUST * len(dated):
            length = sum(len("".join(texts)) for texts, _ in said) // len(said)
            worth = (round(len(near) / len(dated), 2), -round(median(near) / 3600), -length, *plainness(name))
            judged.append((worth, name))
    return max(judged)[1] if judged else None


def _learn_id(regions: Sequence[_Region]) -> str:
    """Where the id stands that the feed knows a comment by."""
    known = [region for region in regions if region.comment.id is not None]
    places: Counter[str] = Counter()
    for region in known:
        if short_id(region.element.get("id")) == region.comment.id:
            places["@id"] += 1
        for name, element in region.first.items():
            for attribute in ("id", "name"):
                if (written := element.get(attribute)) and short_id(written) == region.comment.id:
                    places[f"{name}@{attribute}"] += 1
    if not places or places["@id"] == max(places.values()):
        return "@id"
    return max(places.items(), key=lambda item: (item[1], -len(item[0])))[0]


def _learn_depth(regions: Iterable[_Region]) -> str | None:
    """The prefix of a class that says how deep a comment stands."""
    seen: defaultdict[str, set[str]] = defaultdict(set)
    for region in regions:
        for name in (region.element.get("class") or "").split():
            if match := _DEPTH.fullmatch(name):
                seen[match[1]].add(name)
    return max(seen, key=lambda prefix: len(seen[prefix])) if seen else None
