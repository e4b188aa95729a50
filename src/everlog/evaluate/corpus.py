"""A folder of blogs whose posts are known: `<blog>/blog.json`, `site/`, `truth.jsonl`.

The format is described in docs/corpus-format.md. A blog is learned from the one feed that
blog.json names; everything else below `site/` may hold the answers.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from everlog.errors import UsageError

INDEX_NAMES = ("index.html", "index.xml", "index.htm", "index.rss")
# Below this share of its words in the page, the truth is of another edition of the post.
WHOLE_COVERAGE = 0.97
# Below this share of the article's length, the truth is only a part of it.
WHOLE_RATIO = 0.6

_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownComment:
    """A comment of the truth."""

    text: str
    author: str | None = None
    published: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What is known of a post without looking at its page. None and empty mean: not known."""

    url: str
    file: str | None = None
    in_feed: bool = False
    reachable: bool = True
    aliases: tuple[str, ...] = ()
    title: str | None = None
    authors: tuple[str, ...] = ()
    published: date | None = None
    tags: tuple[str, ...] = ()
    text: str | None = None
    text_is_whole: bool = True
    comments: tuple[KnownComment, ...] = ()
    comments_complete: bool = False

    @property
    def counts(self) -> bool:
        """Posts of the feed were learned from, and posts nobody links to cannot be had."""
        return not self.in_feed and self.reachable


@dataclass(frozen=True, slots=True, kw_only=True)
class Blog:
    """A blog of the corpus. Its files are looked up by URL as a static web server would."""

    id: str
    folder: Path
    origin: str
    feed_url: str
    hosts: frozenset[str]
    engine: str = ""
    language: str = ""
    feed_is: str = ""

    def feed(self) -> bytes:
        """The bytes of the one feed that may be learned from."""
        file = self.file(self.feed_url)
        if file is None:
            raise UsageError(
                f"{self.id}: the feed {self.feed_url} has no file below {self.folder / 'site'}",
                advice='correct "feed" in its blog.json, or add the file',
            )
        return file.read_bytes()

    def page(self, url: str) -> bytes | None:
        """The bytes behind a URL of the blog in any spelling, or None."""
        file = self.file(url)
        return file.read_bytes() if file else None

    def linked_pages(self, links: Iterable[str | None]) -> dict[str, bytes]:
        """Link -> bytes of the pages that a feed's links lead to; dead links are left out.

        The host is not looked at: feeds written by static generators link to `localhost`, to the
        name the blog had before, or to nothing but a path. Links to a home page name no post.
        """
        pages: dict[str, bytes] = {}
        for link in links:
            if not link:
                continue
            url = _join(self.feed_url, link.strip())
            file = None if _is_home(url, self.origin) else self.file(url)
            if file is not None:
                pages[url] = file.read_bytes()
        return pages

    def truth_page(self, truth: Truth) -> bytes | None:
        """The page of a post of the truth."""
        named = self.folder / "site" / truth.file if truth.file else None
        return named.read_bytes() if named and named.is_file() else self.page(truth.url)

    def truth(self) -> Iterator[Truth]:
        """All rows of truth.jsonl, one at a time."""
        with (self.folder / "truth.jsonl").open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _truth_of(line, f"{self.id}/truth.jsonl line {number}")

    def file(self, url: str) -> Path | None:
        """The file behind a URL, whatever its host."""
        root = (self.folder / "site").resolve()
        path = re.sub(r"/{2,}", "/", _split(url).path) or "/"
        prefix = _split(self.origin).path.rstrip("/")
        paths = [path]
        if prefix and path.startswith(prefix):
            paths.append(path[len(prefix):])
        for tried in paths:
            decoded = unquote(tried)
            for spelling in dict.fromkeys((decoded, tried, unicodedata.normalize("NFC", decoded))):
                found = _look(root, spelling.lstrip("/"))
                if found is not None:
                    return found
        return None

    def key(self, url: str) -> tuple[str, str]:
        """One key for all spellings of a post's address.

        Scheme, `www.`, the blog's other names, doubled and trailing slashes, `index.html`,
        `.html` and percent-encoding make no difference.
        """
        parts = _split(url)
        host = _bare_host(parts.netloc)
        path = re.sub(r"/{2,}", "/", unquote(parts.path))
        path = re.sub(r"(/(index\.html?)?|\.html?)$", "", path) or "/"
        own = _bare_host(_split(self.origin).netloc)
        return own if host in self.hosts else host, unicodedata.normalize("NFC", path)

    def keys(self, truth: Truth) -> Iterator[tuple[str, str]]:
        """The keys under which a post of the truth may have been read, its own address first."""
        yield self.key(truth.url)
        for alias in truth.aliases:
            yield self.key(_join(truth.url, alias))


def find_blogs(folders: Iterable[Path]) -> list[Blog]:
    """The blogs in the folders; a folder may also be a single blog."""
    blogs: list[Blog] = []
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(
                f"{folder} is not a folder",
                advice="pass a folder of blogs in the format of docs/corpus-format.md",
            )
        alone = folder / "blog.json"
        files = [alone] if alone.is_file() else sorted(folder.glob("*/blog.json"))
        if not files:
            raise UsageError(
                f"no blogs (folders with a blog.json) in {folder}",
                advice="try examples/corpus; docs/corpus-format.md describes the format",
            )
        blogs.extend(read_blog(file.parent) for file in files)
    return blogs


def read_blog(folder: Path) -> Blog:
    """The blog in this folder."""
    file = folder / "blog.json"
    try:
        info: Mapping[str, Any] = json.loads(file.read_text("utf-8"))
        origin, feed = str(info["origin"]), str(info["feed"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{file} cannot be used: {type(error).__name__}: {error}",
            advice='it must be a JSON object with at least "origin" and "feed"',
        ) from error
    if not (folder / "truth.jsonl").is_file():
        raise UsageError(f"{folder} has no truth.jsonl", advice="docs/corpus-format.md describes it")
    names = (_split(origin).netloc, *(info.get("alias_hosts") or ()))
    return Blog(
        id=folder.name,
        folder=folder,
        origin=origin,
        feed_url=urljoin(origin, feed),
        hosts=frozenset(map(_bare_host, names)),
        engine=str(info.get("engine") or ""),
        language=str(info.get("language") or ""),
        feed_is=str(info.get("feed_is") or ""),
    )


def _truth_of(line: str, where: str) -> Truth:
    try:
        return _truth_from(json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{where} cannot be used: {type(error).__name__}: {error}",
            advice='every line must be a JSON object with at least "url"',
        ) from error


def _truth_from(row: Mapping[str, Any]) -> Truth:
    return Truth(
        url=str(row["url"]),
        file=row.get("file"),
        in_feed=bool(row.get("in_feed")),
        reachable=row.get("reachable") is not False,
        aliases=tuple(row.get("aliases") or ()),
        title=row.get("title"),
        authors=tuple(_names(row.get("author"))),
        published=None if row.get("date_is_updated") else _day(row.get("date")),
        tags=tuple(row.get("tags") or ()),
        text=row.get("text"),
        text_is_whole=_is_whole(row),
        comments=tuple(_known_comment(comment) for comment in row.get("comments") or ()),
        comments_complete=bool(row.get("comments_complete")),
    )


def _is_whole(row: Mapping[str, Any]) -> bool:
    ratio = row.get("container_ratio", row.get("length_ratio"))
    return (row.get("coverage") or 1) >= WHOLE_COVERAGE and (ratio is None or ratio >= WHOLE_RATIO)


def _known_comment(comment: Mapping[str, Any]) -> KnownComment:
    return KnownComment(
        text=comment.get("text") or "", author=comment.get("author"), published=_day(comment.get("date")),
    )


def _names(value: Any) -> Iterator[str]:
    """Authors are written as a name, as names, or as objects with a name."""
    for item in value if isinstance(value, list) else [value]:
        name = item.get("name") if isinstance(item, dict) else item
        if name:
            yield str(name)


def _day(value: str | None) -> date | None:
    match = _DAY.match(value or "")
    if not match:
        return None
    year, month, day = map(int, match.groups())
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _look(root: Path, path: str) -> Path | None:
    try:
        target = (root / path).resolve()
        if not target.is_relative_to(root):
            return None
        candidates = [target / name for name in INDEX_NAMES] if target.is_dir() else [target]
        candidates.append(target.with_name(target.name + ".html"))
        return next((file for file in candidates if file.is_file()), None)
    except (OSError, ValueError):  # names too long for the file system, NUL bytes
        return None


def _is_home(url: str, origin: str) -> bool:
    path = _split(url).path.strip("/")
    return path in {"", "index.html", _split(origin).path.strip("/")}


def _join(base: str, link: str) -> str:
    try:
        return urljoin(base, link)
    except ValueError:  # see _split
        return link


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # unbalanced brackets of what looks like an IPv6 address
        return urlsplit("")


def _bare_host(netloc: str) -> str:
    return netloc.lower().removesuffix(":80").removeprefix("www.")
