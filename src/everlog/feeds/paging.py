"""Paging of a feed: the documents with its older entries (RFC 5005), and how many it claims to have (OpenSearch)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.core.urls import absolute
from everlog.feeds.xml_markup import Names, first_text
from everlog.records import FeedPaging

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml import etree


OLDER = frozenset({"next", "prev-archive"})
_RELATIONS = frozenset({*OLDER, "next-archive", "current"})
# Larger numbers are nobody's count of posts.
_LONGEST_COUNT = 9


def paging_links(
    names: Names, about: Mapping[str, Sequence[etree._Element]], base: str | None,
) -> tuple[tuple[str, str], ...]:
    """The links of a feed that lead to its other documents, each with its relation, in full."""
    found = []
    for element in (*about.get("link", ()), *about.get("atom:link", ())):
        said = names.attributes(element)
        relation = said.get("rel", "").lower()
        if relation in _RELATIONS and (full := absolute(base, said.get("href"))):
            found.append((relation, full))
    return tuple(found)


def read_paging(
    about: Mapping[str, Sequence[etree._Element]], links: Sequence[tuple[str, str]],
) -> FeedPaging | None:
    """What a feed says about the documents that it is spread over; None where it says nothing."""
    first = dict(reversed(links))
    total = first_text(about.get("opensearch:totalresults", ()))
    paging = FeedPaging(
        next_page=first.get("next"),
        prev_archive=first.get("prev-archive"),
        next_archive=first.get("next-archive"),
        current=first.get("current"),
        is_complete=bool(about.get("fh:complete")),
        is_archive=bool(about.get("fh:archive")),
        total=int(total) if total and len(total) <= _LONGEST_COUNT and total.isascii() and total.isdigit() else None,
    )
    return paging if paging != FeedPaging() else None
