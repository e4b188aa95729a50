"""Tags that stand in a text behind a label: "3 May 2024, Tags: rain, snow"."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from everlog.core.rules import Rule
from everlog.core.tree import INVISIBLE, Element
from everlog.extract.fields.small_texts_learn import names_of, repeated
from everlog.extract.fields.small_texts_read import nearness_of, short_text
from everlog.extract.fields.tags_read import behind_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog.extract.samples import Sample

KEPT_RULES = 3
# Words of a line that ends in tags: a date, a byline, a time to read, and the tags.
MAX_WORDS = 40
# How blogs announce their tags; the colon keeps sentences out.
_LABEL = re.compile(
    r"(?<!\w)(tags?|tagged(?: (?:as|with))?|labels?|keywords?|topics?|categor(?:y|ies)|(?:filed|posted) (?:under|in)"
    r"|schlag(?:wort|worte|wörter)|stichworte?|kategorien?|étiquettes?|mots[- ]clés|catégories?|etiquetas?"
    r"|categor[íi]as?|etichette?|categorie|marcadores|tagi|kategori[ae]?|štítky|etiketler|kategoriler|теги|метки"
    r"|рубрик[аи]|категори[яи]|标签|標籤|分类|分類|タグ|カテゴリー?|태그|카테고리)\s*[:：]",
    re.IGNORECASE,
)


def labelled_candidates(samples: Sequence[Sample]) -> list[Rule]:
    """Rules for the small elements that show a label and tags behind it, on two pages at least."""
    seen: Counter[tuple[str, str]] = Counter()
    for sample in samples:
        seen.update({(name, label): 1 for element, label in _labelled(sample) for name in names_of(element)})
    common = set(repeated(dict(seen), len(samples)))
    best = [pair for pair, _ in seen.most_common() if pair in common][:KEPT_RULES]
    return [Rule(method="selector", where=name, detail={"label": label}) for name, label in best]


def _labelled(sample: Sample) -> Iterator[tuple[Element, str]]:
    layout = sample.layout
    nearness = nearness_of(sample.view)
    for slot, text in enumerate(layout.outline.segments):
        if (":" not in text and "：" not in text) or (match := _LABEL.search(text)) is None:
            continue
        home = int(layout.outline.home[slot])
        # The label may have an element of its own, with the tags beside it.
        for place in (home, int(layout.parent[home])):
            if place < 0 or layout.last[place] - layout.first[place] > MAX_WORDS:
                break
            element = layout.elements[place]
            if element.tag in INVISIBLE or nearness.is_elsewhere(element):
                break
            if behind_label(short_text(element), match[1]):
                yield element, match[1]
                break
