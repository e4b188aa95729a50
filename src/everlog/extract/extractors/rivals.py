"""Other methods' answers to where the article stands: the BlogForever rule and the key-path.

Both are learned as their papers say and then judged like any selector; see docs/internals/how-it-works.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.extract.extractors.blogforever import best_rule, first_match
from everlog.extract.extractors.keypath import PathSample, first_with_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from everlog.core.tree import Element
    from everlog.extract.article.article_learn import Place
    from everlog.extract.extractors.keypath import KeyPaths
    from everlog.extract.samples import Sample

# The most frequent best rule of five pages is that of ten on 82 of 85 sets of pages.
PAGES_OF_PAPER_RULE = 5

Nodes = tuple[int | None, ...]


def rival_places(samples: Sequence[Sample], key_paths: KeyPaths) -> list[tuple[Place, Nodes]]:
    """The places the two methods name, with the node each picks on every page."""
    found: list[tuple[Place, Nodes]] = []
    taught = [(sample.layout.outline, sample.text) for sample in samples[:PAGES_OF_PAPER_RULE]]
    rule = best_rule(taught)
    if rule is not None:
        found.append((("xpath", rule, "first"), _nodes(samples, lambda root: first_match(root, rule))))
    path = key_paths.content
    if path is not None:
        found.append((("key-path", str(path), "first"), _nodes(samples, lambda root: first_with_text(root, path))))
    return found


def path_samples(samples: Sequence[Sample]) -> list[PathSample]:
    """The samples as the key-path learner takes them."""
    return [
        PathSample(
            root=sample.view.root, title=sample.entry.title, content=sample.text or None,
            authors=sample.entry.authors, tags=sample.entry.tags,
        )
        for sample in samples
    ]


def _nodes(samples: Sequence[Sample], find: Callable[[Element], Element | None]) -> Nodes:
    nodes: list[int | None] = []
    for sample in samples:
        element = find(sample.view.root)
        nodes.append(None if element is None else sample.layout.number(element))
    return tuple(nodes)
