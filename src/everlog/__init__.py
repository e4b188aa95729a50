"""everlog learns a blog from its feed and reads every post of it.

    template = everlog.learn(feed_bytes, {url: page_bytes})
    outcome = template.read(page_bytes, url)      # a Post, or a Skip with its reason

    for post in everlog.crawl(url, archive="my-archive"):     # the whole blog, kept as it comes
        ...
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from everlog.archive.archive import Archive
    from everlog.errors import EverlogError
    from everlog.extract.feedless.single_page import read_page
    from everlog.extract.learn_blog import learn
    from everlog.extract.template import Template
    from everlog.library import crawl, new_crawl, open_archive, update, update_crawl
    from everlog.records import Blog, Comment, Entry, Feed, Media, Page, Post, Provenance, Skip
    from everlog.search.hit import Hit

    __version__: str

__all__ = [
    "Archive", "Blog", "Comment", "Entry", "EverlogError", "Feed", "Hit", "Media", "Page", "Post", "Provenance", "Skip",
    "Template", "crawl", "learn", "new_crawl", "open_archive", "read_page", "update", "update_crawl",
]

_HOMES = {
    "Archive": "everlog.archive.archive",
    "EverlogError": "everlog.errors",
    "Hit": "everlog.search.hit",
    "Template": "everlog.extract.template",
    "crawl": "everlog.library",
    "learn": "everlog.extract.learn_blog",
    "new_crawl": "everlog.library",
    "open_archive": "everlog.library",
    "read_page": "everlog.extract.feedless.single_page",
    "update": "everlog.library",
    "update_crawl": "everlog.library",
}


def __getattr__(name: str) -> Any:
    # Loaded on first use: parsing pages needs lxml and numpy, answering --version does not.
    if name == "__version__":
        value: Any = _version()
    elif name in __all__:
        value = getattr(import_module(_HOMES.get(name, "everlog.records")), name)
    else:
        raise AttributeError(f"module 'everlog' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - takes time that few need

    try:
        return version("everlog")
    except PackageNotFoundError:
        # Run from its source, which does not know.
        return "0+unknown"
