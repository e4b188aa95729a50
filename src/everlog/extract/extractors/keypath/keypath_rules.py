"""Key-paths of a feed: one path per field, merged over the feed's pages, one of them promoted."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from everlog.extract.extractors.keypath.find import find_all, first_with_text, too_general
from everlog.extract.extractors.keypath.locate import Located, PathSample, locate, tag_key
from everlog.extract.extractors.keypath.path import KeyPath, merge, path_to, without_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lxml.etree import _Element


FIELDS = ("content", "title", "author", "tags")
VALUES = {"content": "content", "title": "title", "author": "authors"}

# A path that reads less of its own samples is not a rule of the blog: with less than half, two such
# paths could contradict each other. On 83 corpus blogs 0.3 teaches the same; 0.7 drops the tag paths of
# three, which are right for about half of the tags.
MINIMUM_QUALITY = 0.5

# Clusters looked at for one field, the largest first. A feed's pages have one or two templates, and a
# value stands in a few places of each.
CLUSTERS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPaths:
    """What was learned from one feed. `key` tells posts from other pages; None reads nothing."""

    content: KeyPath | None = None
    title: KeyPath | None = None
    author: KeyPath | None = None
    tags: KeyPath | None = None
    key: KeyPath | None = None

    def matches(self, root: _Element) -> bool:
        """Whether a page is a post of this feed's kind."""
        return self.key is not None and first_with_text(root, self.key) is not None

    def node(self, root: _Element, name: str) -> _Element | None:
        """The node of a field on a page: the first match that is not empty."""
        path: KeyPath | None = getattr(self, name)
        return None if path is None else first_with_text(root, path)

    def to_dict(self) -> dict[str, str]:
        """The paths in their notation, by field."""
        paths = ((name, getattr(self, name)) for name in (*FIELDS, "key"))
        return {name: str(path) for name, path in paths if path is not None}

    @classmethod
    def from_dict(cls, paths: Mapping[str, Any]) -> KeyPaths:
        """The reverse of `to_dict`."""
        return cls(**{name: KeyPath.parse(paths[name]) for name in (*FIELDS, "key") if paths.get(name)})


def learn_paths(samples: Iterable[PathSample]) -> KeyPaths:
    """The paths to each field over the pages of a feed; pages without a match teach nothing."""
    samples = list(samples)
    pages = [locate(sample) for sample in samples]
    paths: dict[str, KeyPath] = {}
    quality: dict[str, float] = {}
    for name in FIELDS[:-1]:
        found = [(page, node) for page in pages if (node := getattr(page, name)) is not None]
        named = sum(bool(getattr(sample, VALUES[name])) for sample in samples)
        candidates = _merged([path_to(node) for _, node in found])
        best = _best_path(candidates, partial(_overlap, found=found, named=named), pages)
        if best:
            paths[name], quality[name] = best
    tag_quality = partial(_tag_quality, samples=samples, pages=pages)
    best = _best_path(_tag_candidates(pages), tag_quality, ())
    if best:
        paths["tags"] = best[0]
    return KeyPaths(**paths, key=_promoted(paths, quality))


def _promoted(paths: Mapping[str, KeyPath], quality: Mapping[str, float]) -> KeyPath | None:
    """The path of the field that is read most surely, of equals that of the article.

    Authors and tags are on pages of every kind and never promoted.
    """
    fields = [name for name in ("content", "title") if name in paths]
    return paths[max(fields, key=lambda name: round(quality[name], 1))] if fields else None


def _merged(paths: Sequence[KeyPath]) -> list[KeyPath]:
    """Candidate paths: those of the samples merged with their like, two such clusters, all of one shape."""
    clusters: list[tuple[KeyPath, int]] = []
    for path in paths:
        fits = [(_names(merged), place, merged) for place, (cluster, _) in enumerate(clusters)
                if (merged := _close(cluster, path)) is not None]
        if fits:
            _, place, merged = max(fits, key=lambda fit: (fit[0], -fit[1]))
            clusters[place] = (merged, clusters[place][1] + 1)
        else:
            clusters.append((path, 1))
    clusters.sort(key=lambda cluster: -cluster[1])
    single = [path if count > 1 else without_numbers(path) for path, count in clusters[:CLUSTERS]]
    across = [merged for place, a in enumerate(single) for b in single[:place]
              if (merged := merge(a, b)) is not None]
    shapes: dict[tuple[str, ...], list[KeyPath]] = defaultdict(list)
    for path, _ in clusters:
        shapes[path.tags].append(path)
    alike = [path for same in shapes.values() for path in _fold(same)]
    return list(dict.fromkeys(single + across + alike))


def _close(a: KeyPath, b: KeyPath) -> KeyPath | None:
    """The merged path of two that lead to the same place, up to one step as in Listing 2 of the paper.

    Nodes whose names have no prefix in common keep two paths apart: `post-1` and `post-2` are a cluster,
    `sidebar` is not in it. (The body may be named after the post.)
    """
    merged = merge(a, b)
    if merged is None or len(merged) < max(len(a), len(b)) - 1:
        return None
    places = zip(a.steps, b.steps, merged.steps, strict=False)
    lost = any(left.literal and right.literal and not both.literal and both.tag != "body"
               for left, right, both in places)
    return None if lost else merged


def _best_path(
    candidates: Iterable[KeyPath], quality: Callable[[KeyPath], float], pages: Iterable[Located],
) -> tuple[KeyPath, float] | None:
    """The candidate that reads the samples best; of equals the one that says the most.

    A path without any name comes after all others: it may read every sample and the menu of other pages.
    """
    roots = [page.index.root for page in pages]
    judged = [((_names(path) > 0, value, _names(path), len(path), -place), path, value)
              for place, path in enumerate(candidates)
              if (value := round(quality(path), 3)) >= MINIMUM_QUALITY and not too_general(path, roots)]
    return max(judged)[1:] if judged else None


def _overlap(path: KeyPath, found: Sequence[tuple[Located, _Element]], named: int) -> float:
    """How much of what a path reads, and of what it should read, is the same.

    The mean is over all pages for which the feed has a value: what stands on one page of ten is chance.
    """
    total = 0.0
    for page, node in found:
        read = first_with_text(page.index.root, path)
        if read is None:
            continue
        (start, stop), (left, right) = page.index.stretch(node), page.index.stretch(read)
        shared = max(0, min(stop, right) - max(start, left))
        total += shared / max(1, max(stop, right) - min(start, left))
    return total / max(1, named, len(found))


def _tag_candidates(pages: Iterable[Located]) -> list[KeyPath]:
    """Paths to a page's tags: one per tag, those along the same nodes merged, over the pages merged again.

    A tag is a word that also occurs in texts and menus: wherever only one of a page's tags is, there
    are no tags. Places that have fewer of a page's tags than the best one are dropped.
    """
    paths: list[KeyPath] = []
    for page in pages:
        places: dict[tuple[str, ...], dict[int, KeyPath]] = defaultdict(dict)
        for tag, nodes in enumerate(page.tags):
            for node in nodes:
                path = path_to(node)
                places[path.tags].setdefault(tag, path)
        most = max(map(len, places.values()), default=0)
        for same_place in places.values():
            if len(same_place) == most:
                paths += _fold(list(same_place.values()))
    return _merged(paths)


def _fold(paths: Sequence[KeyPath]) -> list[KeyPath]:
    folded: KeyPath | None = paths[0]
    for path in paths[1:]:
        folded = folded and merge(folded, path)
    return [folded] if folded else []


def _tag_quality(path: KeyPath, samples: Sequence[PathSample], pages: Sequence[Located]) -> float:
    """The mean of F1 over the pages that have the tags their feed names."""
    total, count = 0.0, 0
    for sample, page in zip(samples, pages, strict=True):
        if not any(page.tags):
            continue
        count += 1
        wanted = {tag_key(tag) for tag in sample.tags}
        read = {page.index.text_of(node).strip("#,;·|/") for node in find_all(sample.root, path)} - {""}
        total += 2 * len(wanted & read) / max(1, len(wanted) + len(read))
    return total / max(1, count)


def _names(path: KeyPath) -> int:
    """How many attributes of a path say more than that they are there."""
    return sum(pattern != "*" for step in path.steps for _, pattern in step.attributes)
