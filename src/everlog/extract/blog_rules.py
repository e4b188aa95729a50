"""The rules of one blog, as a record: what pages are read with, whoever reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from everlog.extract.extractors.keypath import KeyPaths

if TYPE_CHECKING:
    from everlog.comments.comment_rules import CommentRules
    from everlog.core.rules import Ranked, Rule
    from everlog.extract.article.article_read import Design
    from everlog.extract.extractors.diffpost import RepeatCounts
    from everlog.records import Entry


@dataclass(frozen=True, kw_only=True)
class BlogRules:
    """The rules of one blog.

    `designs` say where the article stands, the best first; `fields` hold the ranked rules of every
    other field; `key_paths` tell posts from other pages; `learned_from` is how many pages taught it.
    `comments` say how the blog shows comments, where its comment feeds taught it; `repeats` what its
    pages have in common; `share` is the part of a page's text that usually is its article. `entries` is what the
    taught feed says of its posts that their pages may not show, by the keys of their addresses. `manual` are rules that
    a person set: they lie over the learned ones, which stay as they are.
    """

    designs: tuple[Design, ...]
    fields: Mapping[str, Ranked] = field(default_factory=lambda: MappingProxyType({}))
    key_paths: KeyPaths = field(default_factory=KeyPaths)
    home: str | None = None
    feed_url: str | None = None
    learned_from: int = 0
    comments: CommentRules | None = None
    repeats: RepeatCounts | None = None
    share: float | None = None
    entries: Mapping[str, Entry] = field(default_factory=lambda: MappingProxyType({}))
    manual: Mapping[str, Rule] = field(default_factory=lambda: MappingProxyType({}))
