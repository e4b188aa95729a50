"""Tags of the feed that its pages state only as slugs, and what the slugs are called in the feed."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from everlog.core.rules import Rule
from everlog.core.words import comparable
from everlog.extract.fields.small_texts_learn import Places, names_of, repeated
from everlog.extract.fields.tags_slugs_read import KINDS, class_slugs, link_slug

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from everlog.core.tree import Element
    from everlog.extract.samples import Sample

    # Page -> comparable form -> spelling of the feed's tags.
    Tags = Mapping[int, Mapping[str, str]]


def slug_rules(places: Places, tags: Tags) -> Iterator[Rule]:
    """Rules for links and classes that hold slugs of the feed's tags on two pages at least."""
    silent = {page: left for page, wanted in tags.items() if (left := _unshown(places, page, wanted))}
    if not silent:
        return
    yield from _link_rules(places.samples, silent, len(tags))
    yield from _class_rules(places.samples, tags)


def _unshown(places: Places, page: int, wanted: Mapping[str, str]) -> dict[str, str]:
    return {plain: tag for plain, tag in wanted.items() if not places.of(page, tag)}


def _link_rules(samples: Sequence[Sample], tags: Tags, pages: int) -> Iterator[Rule]:
    """Links that show another text than the feed's tag but lead to its slug."""
    seen: Counter[str] = Counter()
    slugs: dict[int, list[str]] = {}
    for page, wanted in tags.items():
        links = _leading_to(samples[page], {_unaccented(plain) for plain in wanted})
        slugs[page] = [link_slug(link.get("href") or "") for link in links]
        seen.update({name: 1 for link in links for name in names_of(link)})
    detail = {"value": "slug", **_spelling(slugs, tags)}
    yield from (Rule(method="selector", where=name, detail=detail) for name in repeated(seen, pages))


def _leading_to(sample: Sample, wanted: set[str]) -> list[Element]:
    links = (link for link in sample.view.root.iter("a") if link.get("href"))
    return [link for link in links if comparable(link_slug(link.get("href") or "")) in wanted]


def _class_rules(samples: Sequence[Sample], tags: Tags) -> Iterator[Rule]:
    for kind in KINDS:
        slugs = {page: class_slugs(samples[page].view, kind) for page in tags}
        if any(slugs.values()):
            yield Rule(method="class", where=kind, detail=_spelling(slugs, tags))


def _spelling(slugs: Mapping[int, Sequence[str]], tags: Tags) -> dict[str, str]:
    """What the feed calls a slug, and the endings that slugs have beyond the name.

    What differs from the slug in more than case and signs must be seen on two pages, an ending on
    two tags: else a page would be judged by what it alone taught.
    """
    names: dict[tuple[str, str], set[int]] = defaultdict(set)
    endings: dict[str, set[str]] = defaultdict(set)
    for page, found in slugs.items():
        bare = {_unaccented(plain): tag for plain, tag in tags[page].items()}
        for slug in map(comparable, found):
            tag = bare.get(slug)
            if tag is not None:
                names[slug, tag].add(page)
            for name, of in bare.items():
                if slug.startswith(f"{name} "):
                    endings[slug.removeprefix(f"{name} ")].add(name)
                    names[name, of].add(page)
    sure = {slug: tag for (slug, tag), pages in names.items() if len(pages) > 1 or comparable(tag) == slug}
    detail = {
        "names": "\n".join(f"{slug}={tag}" for slug, tag in sorted(sure.items()) if "\n" not in tag),
        "endings": "\n".join(sorted(ending for ending, of in endings.items() if len(of) > 1)),
    }
    return {key: value for key, value in detail.items() if value}


def _unaccented(text: str) -> str:
    """A comparable text as engines write it into a slug.

    >>> _unaccented("vidéo")
    'video'
    """
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
