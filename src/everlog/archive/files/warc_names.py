"""What WARC files are called, and what their first record says of the crawl that wrote them.

    warc/everlog-a.blog.example-20240501120000-12-0001.warc.gz     of blog 12 in a folder, its first file of that second
    warc/everlog-a.blog.example-20240501120000-12-345.warc.gz      of blog 12 in a shared archive, by the lease 345
    warc/everlog-several-blogs-20240501120000-0-345-2.warc.gz      of several blogs, the second file of the lease
    warc/12-20240501120000-0001.warc.gz                            as they were called before; such files stay

The number of the blog is in the name because two blogs may be on one host, and whoever clears up after a kill has to
know whose a file is that no row names.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Literal
from urllib.parse import urlsplit

FOLDER = "warc"
SUFFIX = ".warc.gz"
SEVERAL = "several-blogs"
SPECIFICATION = "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
# Systems allow 255 bytes for a name; the numbers behind it need some 60 of them.
_LONGEST_LABEL = 100
# The label is the longest that leaves a name: a host may look like numbers, but what follows it always is some.
_NAME = re.compile(
    r"warc/(?:everlog-[a-z0-9.-]+-(?P<begun>[0-9]{14})-(?P<blog>[0-9]+)|(?P<old_blog>[0-9]+)-(?P<old_begun>[0-9]{14}))"
    r"-(?P<number>[0-9]+)(?:-[0-9]+)?\.warc\.gz"
)
_NOT_IN_A_LABEL = re.compile(r"[^a-z0-9.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class WarcName:
    """What the name of a WARC file tells.

    `blog_id` 0: captures of several. `begun` is when it was begun, as fourteen digits. `number` is a serial number in
    an archive of its own folder, in a shared one the fencing number of who wrote it.
    """

    blog_id: int
    begun: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlInfo:
    """How a crawl was run, for whoever reads its WARC files: who ran it, and whether robots.txt was obeyed.

    None means that nobody has said.
    """

    operator: str | None = None
    robots: Literal["obey", "ignore"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose WARC files these are: a blog (None: several), how it is called in their names, what their heads say."""

    blog_id: int | None
    label: str
    fields: tuple[tuple[str, str], ...]

    def stem(self, now: datetime) -> str:
        """How the names of files begin that are begun now; a number follows."""
        return f"everlog-{self.label}-{now:%Y%m%d%H%M%S}-{self.blog_id or 0}"


def parse_name(name: str) -> WarcName | None:
    """What a name tells, in today's spelling or the older one; None: it is not one of ours.

    >>> parse_name("warc/everlog-a.example-20240501120000-12-0001.warc.gz")
    WarcName(blog_id=12, begun='20240501120000', number=1)
    >>> parse_name("warc/12-20240501120000-345-2.warc.gz"), parse_name("warc/notes.txt")
    (WarcName(blog_id=12, begun='20240501120000', number=345), None)
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    blog_id, begun = found["blog"] or found["old_blog"], found["begun"] or found["old_begun"]
    return WarcName(blog_id=int(blog_id), begun=begun, number=int(found["number"]))


def owner_of(blog_id: int | None, home: str | None, info: CrawlInfo) -> Owner:
    """Whose files those of the blog at this home are; without a blog they are those of several."""
    fields = [
        ("software", f"everlog/{own_version()}"), ("format", "WARC File Format 1.1"), ("conformsTo", SPECIFICATION),
        ("isPartOf", home), ("operator", info.operator), ("robots", info.robots),
    ]
    return Owner(
        blog_id=blog_id, label=label_of(home) if home else SEVERAL,
        fields=tuple((name, value) for name, value in fields if value),
    )


def label_of(home: str) -> str:
    """The host, port and path of a blog, as they can stand in the name of a file on every system.

    >>> label_of("https://A.Blog.Example/"), label_of("http://münchen.example:8080/~ann/blog/")
    ('a.blog.example', 'xn--mnchen-3ya.example-8080-ann-blog')
    """
    try:
        parts = urlsplit(home)
        host, port = parts.hostname or "", f"-{parts.port}" if parts.port else ""
    except ValueError:
        return "blog"
    # A label that is empty or too long is known to no name server; here it is only a name.
    with suppress(UnicodeError):
        host = host.encode("idna").decode()
    # Two dots in a row are the folder above to programs that are careless with names.
    label = re.sub(r"\.{2,}", ".", _NOT_IN_A_LABEL.sub("-", f"{host}{port}{parts.path}".lower()))
    return label.strip("-.")[:_LONGEST_LABEL].strip("-.") or "blog"


@cache
def own_version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - takes time that few need

    try:
        return version("everlog")
    except PackageNotFoundError:
        return "0"
