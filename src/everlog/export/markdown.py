"""Posts as Markdown with front matter: a folder of notes that site generators and editors read."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import quote

from everlog.comments.threads import depths
from everlog.errors import UsageError
from everlog.export.naming import Names
from everlog.installing import line_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from everlog.records import Post

    # The folder below which the paths of media lie, or what opens one of them by its path.
    MediaPlace = Path | Callable[[str], BinaryIO]

# Between two posts in one stream; what an article says is escaped and cannot be this line.
PARTING = "<!-- next post -->"
# Quotations that stand deeper are hard to read, and some readers of Markdown give up on them.
DEEPEST_QUOTE = 10
# A path that leads nowhere else.
_MEDIA = re.compile(r"media/[0-9a-z]+/[0-9a-z]+\.[0-9a-z]+")
# Signs that JSON may hold as they are and YAML may not, or takes for ends of lines.
_NOT_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def write_markdown(posts: Iterable[Post], out: BinaryIO) -> int:
    """Write posts one after another, parted by a line; the number of posts. Media keep their URLs."""
    count = 0
    for count, post in enumerate(posts, 1):
        if count > 1:
            out.write(f"\n{PARTING}\n\n".encode())
        out.write(post_to_markdown(post).encode("utf-8", "replace"))
    return count


def write_markdown_files(posts: Iterable[Post], folder: Path, media: MediaPlace | None = None) -> int:
    """Write a file for every post; the number of posts.

    Media in a folder stay there and are linked to; those that are elsewhere are copied.
    """
    names = Names()
    prefix = (_way(folder, media) if isinstance(media, Path) else "") if media is not None else None
    part = folder / ".everlog.part"
    count = 0
    try:
        for count, post in enumerate(posts, 1):  # noqa: B007 - the last number is the answer
            part.unlink(missing_ok=True)
            with part.open("xb") as stream:
                stream.write(post_to_markdown(post, prefix).encode("utf-8", "replace"))
            # A name that a link was planted under loses the link, not the file it points to.
            part.replace(folder / f"{names.of(post)}.md")
            if media is not None and not isinstance(media, Path):
                for path in {item.path for item in post.media if item.path is not None}:
                    _copy(media, path, folder, part)
    finally:
        part.unlink(missing_ok=True)
    return count


def _copy(opened: Callable[[str], BinaryIO], path: str, folder: Path, part: Path) -> None:
    """A media file into the folder, once: it is named by its content."""
    target = folder / path
    if not _MEDIA.fullmatch(path) or target.is_file():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with opened(path) as source, part.open("xb") as copy:
        shutil.copyfileobj(source, copy, 1 << 20)
    part.replace(target)


def post_to_markdown(post: Post, media_prefix: str | None = None) -> str:
    """A post as front matter and Markdown. `media_prefix` leads to where the paths of media start.

    >>> from everlog.records import Post
    >>> print(post_to_markdown(Post(url="http://a.example/1", title="Eins: zwei", html="<p>Drei</p>")), end="")
    ---
    title: "Eins: zwei"
    url: "http://a.example/1"
    ---
    <BLANKLINE>
    Drei
    """
    to_markdown = _converter()
    links = _links(post, media_prefix)
    html = post.html
    if links:
        from everlog.media import rewrite  # noqa: PLC0415 - loads the parser; posts without media do not need it

        html = rewrite(html, links)
    body = to_markdown(html, post.text)
    comments = _comments(post, to_markdown)
    return f"---\n{_front_matter(post, links)}---\n" + (f"\n{body}\n" if body else "") + comments


def _comments(post: Post, to_markdown: Callable[[str, str], str]) -> str:
    """The comments as quotations below the article; an answer is quoted below what it answers."""
    parts: list[str] = []
    for comment, depth in zip(post.comments, depths(post.comments), strict=True):
        name = to_markdown("", comment.author or "") or "?"
        moment = f", {comment.published.isoformat(timespec='minutes')}" if comment.published else ""
        said = f"**{name}**{moment}\n\n{to_markdown(comment.html, comment.text)}".rstrip()
        mark = "> " * min(depth + 1, DEEPEST_QUOTE)
        parts.append("\n".join((mark + line).rstrip() for line in said.splitlines()))
    return "\n## Comments\n\n" + "\n\n".join(parts) + "\n" if parts else ""


def _converter() -> Callable[[str, str], str]:
    try:
        from everlog.export.converter import to_markdown  # noqa: PLC0415 - its parser is slow to load
    except ModuleNotFoundError as error:
        raise UsageError(
            f"Markdown needs the package {error.name}, which is not installed",
            advice=f"install it:  {line_for(error.name or 'beautifulsoup4')}",
        ) from None
    return to_markdown


def _links(post: Post, prefix: str | None) -> dict[str, str]:
    """Where the media of a post are: by their URLs and by their paths, as either may stand in its HTML."""
    links: dict[str, str] = {}
    for item in post.media:
        if item.path is not None:
            links[item.url] = links[item.path] = item.url if prefix is None else prefix + quote(item.path)
    return links


def _way(folder: Path, media_root: Path) -> str:
    """The way from a folder to another, as a link spells it; "" or ending with a slash."""
    try:
        way = os.path.relpath(media_root.resolve(), folder.resolve()).replace(os.sep, "/")
    except ValueError:  # another drive
        return media_root.resolve().as_uri() + "/"
    return "" if way == "." else quote(way) + "/"


def _front_matter(post: Post, links: Mapping[str, str]) -> str:
    fields: dict[str, Any] = {
        "title": post.title, "url": post.url, "blog": post.blog, "authors": post.authors, "date": post.published,
        "updated": post.updated, "tags": post.tags, "language": post.language, "summary": post.summary,
        "aliases": post.aliases, "media": tuple(links.get(item.url, item.url) for item in post.media),
        "gone": post.gone,
    }
    return "".join(f"{name}: {_yaml(value)}\n" for name, value in fields.items() if value)


def _yaml(value: str | tuple[str, ...] | datetime) -> str:
    """A value as YAML. Its quoted strings are those of JSON; a date without quotes is a date."""
    if isinstance(value, str):
        return _NOT_YAML.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(value, ensure_ascii=False))
    if isinstance(value, tuple):
        return f"[{', '.join(map(_yaml, value))}]"
    return value.isoformat()
