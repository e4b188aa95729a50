"""The base of a document's links: the absolute addresses of the files that it names, as browsers ask for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urldefrag

from everlog.core.urls import absolute, with_empty_query, with_query_in

# Addresses that do not depend on their page and are the same on all pages of a blog.
_REMEMBERED = 8_192


def _utf8() -> str | None:
    return None


@dataclass(slots=True, kw_only=True)
class LinkBase:
    """What the links of a document are relative to, and the encoding that their queries are sent in.

    The encoding is asked for only where it matters, as to find it takes longer than most pages to be looked through;
    None is UTF-8.
    """

    url: str
    encoding: Callable[[], str | None] = _utf8
    _root: str = field(init=False)

    def __post_init__(self) -> None:
        scheme, _, rest = self.url.partition("://")
        self._root = f"{scheme}://{rest.partition('/')[0]}/"

    def full(self, link: str) -> str | None:
        """The absolute address that a link means, without fragment; None if nothing is to be asked for.

        >>> base = LinkBase(url="https://a.org/b/", encoding=lambda: "cp1251")
        >>> base.full("c?мир#d"), base.full("/c?"), base.full("data:,")
        ('https://a.org/b/c?%EC%E8%F0', 'https://a.org/c?', None)
        """
        if not link.isascii() and "?" in link and (encoding := self.encoding()) is not None:
            link = with_query_in(encoding, link)
        if link.startswith(("/", "http://", "https://")):
            return _of_root(self._root, link)
        link = link.strip()
        if not link or link.startswith("#") or link[:11].lower().startswith(_NO_FILES):
            return None
        return _bare(absolute(self.url, link), link)


_NO_FILES = ("data:", "javascript:", "about:", "blob:")


@lru_cache(maxsize=_REMEMBERED)
def _of_root(root: str, link: str) -> str | None:
    return _bare(absolute(root, link), link)


def _bare(full: str | None, link: str) -> str | None:
    return with_empty_query(urldefrag(full).url if "#" in full else full, link) if full is not None else None
