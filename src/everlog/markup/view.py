"""A page as the readers of fields see it: the tree, and what it says about itself, looked up once."""

from __future__ import annotations

import json
from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, Any

from everlog.core.outline import Outline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from everlog.core.tree import Element

_ARTICLE_TYPES = frozenset(("BlogPosting", "Article", "NewsArticle", "TechArticle", "SocialMediaPosting", "Report"))


class View:
    """One page under the eyes of the readers.

    `found` holds the elements of every selector of the template, `article` the element the article
    was taken from (None until it is known).
    """

    def __init__(
        self,
        root: Element,
        url: str,
        *,
        found: Mapping[str, list[Element]] | None = None,
        article: Element | None = None,
        fetched_at: datetime | None = None,
    ) -> None:
        self.root = root
        self.url = url
        self.found: Mapping[str, list[Element]] = found if found is not None else {}
        self.article = article
        self.fetched_at = fetched_at

    @cached_property
    def meta(self) -> dict[str, list[str]]:
        """Contents of the page's meta elements by their lower-case name or property."""
        found: dict[str, list[str]] = {}
        for element in self.root.iter("meta"):
            name = element.get("property") or element.get("name") or element.get("itemprop")
            content = element.get("content")
            if name and content and content.strip():
                found.setdefault(name.strip().lower(), []).append(content.strip())
        return found

    @cached_property
    def json_ld(self) -> list[dict[str, Any]]:
        """The JSON-LD nodes that describe an article, else none."""
        nodes = [
            node
            for script in self.root.iter("script")
            if "ld+json" in (script.get("type") or "")
            for node in _nodes(_loads(script.text or ""))
        ]
        return [node for node in nodes if _types(node) & _ARTICLE_TYPES]

    @cached_property
    def outline(self) -> Outline:
        """The page laid flat, as it was when this was first asked for."""
        return Outline(self.root)

    @cached_property
    def head_title(self) -> str:
        """The text of the page's `title` element."""
        for element in self.root.iter("title"):
            return " ".join((element.text or "").split())
        return ""


def _loads(text: str) -> Any:
    text = text.strip().removeprefix("<![CDATA[").removesuffix("]]>").removeprefix("//<![CDATA[")
    try:
        # Blogs put raw line ends into JSON strings; strict=False takes them.
        data = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    if "\\ud" in text.lower():
        # Half of a pair of surrogates can be written in JSON and nowhere else.
        data = json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
    return data


def _nodes(data: Any) -> Iterator[dict[str, Any]]:
    waiting = deque([data])
    while waiting:
        item = waiting.popleft()
        if isinstance(item, list):
            waiting.extend(inner for inner in item if isinstance(inner, (dict, list)))
        elif isinstance(item, dict):
            yield item
            waiting.append(item.get("@graph"))
            # A page that says "I am about this post" holds the post one level down.
            waiting.append(item.get("mainEntity"))


def _types(node: Mapping[str, Any]) -> set[str]:
    kind = node.get("@type")
    kinds = kind if isinstance(kind, list) else [kind]
    return {str(k).rsplit("/", 1)[-1] for k in kinds if k}
