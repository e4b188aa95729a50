"""Posts on their way out: one module per format, one line per format in the table.

    write_posts(posts, "csv", Path("posts.csv"))
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from everlog.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from everlog.export.cdxj import CaptureSource
    from everlog.export.notes import MediaPlace
    from everlog.records import Post

STDOUT = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A way to write posts: one after another into a stream, or as files of a folder.

    `stream` and `folder` are the functions that do, as `module:function` below this package; they are loaded when they
    are needed. A format that has a `folder`, or `is_binary`, needs to be told where to go. One that has `captures` is
    about the captures of an archive, `with-posts` or `alone`.
    """

    about: str
    suffixes: tuple[str, ...]
    stream: str
    folder: str | None = None
    is_binary: bool = False
    captures: Literal["with-posts", "alone"] | None = None

    def to_stream(self, posts: Iterable[Post], out: BinaryIO, captures: CaptureSource | None = None) -> int:
        """Write posts one after another; how many. Of a format that is about captures alone, how many captures."""
        if self.captures is None:
            write: Callable[[Iterable[Post], BinaryIO], int] = _loaded(self.stream)
            return write(posts, out)
        if captures is None:
            raise UsageError("only an archive has captures", advice="call export of an archive")
        write_captures: Callable[..., int] = _loaded(self.stream)
        return write_captures(posts, out, captures) if self.captures == "with-posts" else write_captures(captures, out)

    def to_folder(self, posts: Iterable[Post], out: Path, media: MediaPlace | None, ahead: Iterable[Post]) -> int:
        """Write posts as files; how many.

        `media` is the folder below which the paths of their media lie, or how they are opened; `ahead` are the posts to
        come: at least their addresses, titles and dates.
        """
        write: Callable[[Iterable[Post], Path, MediaPlace | None, Iterable[Post]], int] = _loaded(self.folder or "")
        return write(posts, out, media, ahead)


FORMATS: dict[str, Format] = {
    "jsonl": Format(
        about="one JSON object a line", suffixes=(".jsonl", ".ndjson", ".json"), stream="jsonl:write_jsonl",
    ),
    "csv": Format(about="one row a post, for spreadsheets", suffixes=(".csv",), stream="csv:write_csv"),
    "markdown": Format(
        about="a folder with one file a post", suffixes=(".md", ".markdown"), stream="markdown:write_markdown",
        folder="notes:write_markdown_files",
    ),
    "wacz": Format(
        about="one file with the captured pages, for replay programs", suffixes=(".wacz",), stream="wacz:write_wacz",
        is_binary=True, captures="with-posts",
    ),
    "cdxj": Format(
        about="one line a captured page, where it stands", suffixes=(".cdxj",), stream="cdxj:write_cdxj",
        captures="alone",
    ),
}


def write_posts(
    posts: Iterable[Post], format_name: str, out: BinaryIO | Path | None = None, *, media: MediaPlace | None = None,
    ahead: Iterable[Post] = (), captures: CaptureSource | None = None,
) -> int:
    """Write posts one by one, and give their number; the file, if there is one, is whole or not there.

    `out` is a stream, a file (a folder for Markdown), `-` for stdout, or None: stdout where the format
    allows. `media` is the folder below which the posts' media lie, or opens one by its path. `ahead` are the same
    posts, for formats in which one refers to another; only their addresses, titles and dates are looked at.
    `captures` are those of the archive, for formats that are about them.
    """
    chosen = _known(format_name)
    if out is None and (chosen.folder is not None or chosen.is_binary):
        place = "FOLDER" if chosen.folder is not None else f"FILE{chosen.suffixes[0]}"
        raise UsageError(
            f"{format_name} is {chosen.about} and needs a place",
            advice=f"everlog export --format {format_name} -o {place}   (or -o - for stdout)",
        )
    if out is None or out == Path(STDOUT):
        out = sys.stdout.buffer
    if not isinstance(out, Path):
        return chosen.to_stream(posts, out, captures)
    from everlog.export.files import into_file, into_folder  # noqa: PLC0415 - stdout needs none of it

    if chosen.folder is not None:
        with into_folder(out) as folder:
            return chosen.to_folder(posts, folder, media, ahead)
    with into_file(out) as stream:
        return chosen.to_stream(posts, stream, captures)


def format_for(name: str | None, output: str | None) -> str:
    """The format that is named, else the one a file's name ends with, else `jsonl`.

    >>> format_for(None, "posts.csv"), format_for(None, "-"), format_for("markdown", "notes")
    ('csv', 'jsonl', 'markdown')
    """
    if name is not None:
        _known(name)
        return name
    suffix = Path(output or STDOUT).suffix.lower()
    return next((known for known, kind in FORMATS.items() if suffix in kind.suffixes), "jsonl")


def _loaded(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(import_module(f"{__name__}.{module}"), function)


def _known(name: str) -> Format:
    if name not in FORMATS:
        raise UsageError(f"no format is called {name!r}", advice=f"choose one of {', '.join(FORMATS)}")
    return FORMATS[name]
