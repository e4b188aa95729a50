"""File names for posts and their media: readable, in their own script, and safe on every system."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from everlog.markup.media import FILES, extension

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from everlog.records import Media, Post

# Systems allow 255 bytes; the date, a number and the suffix need some of them, and so does a folder's path.
_LONGEST = 120
# A picture stands two folders deeper, one of them named like its post; Windows allows 260 signs for all of it.
_LONGEST_OF_MEDIA = 80
# Windows opens a device under these names, whatever the suffix.
_DEVICES = re.compile(r"con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]", re.IGNORECASE)
_PAGE_SUFFIX = re.compile(r"\.(?:html?|xhtml|php|aspx?|md)$", re.IGNORECASE)
# What a system forbids in a name, and what a link, a shell or a site generator reads otherwise.
_NOT_IN_A_NAME = re.compile(r"""[\s<>:"/\\|?*%#&{}$!'`^~\[\];]+""")


class Unique:
    """Names that are given once each, also where neither case nor the spelling of an accent tells them apart."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {_key(name) for name in taken}
        # The next number to try for a name: a thousand pictures called "1.jpg" are not a million tries.
        self._next: dict[str, int] = {}

    def of(self, wanted: str, suffix: str = "") -> str:
        """The name with its suffix, numbered if it is taken: `photo.jpg`, `photo-2.jpg`."""
        name = wanted + suffix
        number = self._next.get(_key(name), 2)
        first = _key(name)
        while (key := _key(name)) in self._taken:
            name = f"{wanted}-{number}{suffix}"
            number += 1
        self._next[first] = number
        self._taken.add(key)
        return name

    def take(self, name: str) -> None:
        """Nobody else is to have this name."""
        self._taken.add(_key(name))


class Names:
    """Gives every post of an export a file name and a slug of its own.

    `earlier` are the names and slugs of an export into the same folder, by the addresses of their posts: they stay.
    `taken` are names of the folder that nobody is given.
    """

    def __init__(self, earlier: Mapping[str, tuple[str, str]] | None = None, taken: Iterable[str] = ()) -> None:
        self._known = dict(earlier or {})
        self._names = Unique((*taken, *(name for name, _ in self._known.values())))
        self._slugs = Unique(slug for _, slug in self._known.values())

    def of(self, post: Post) -> tuple[str, str]:
        """The name of a post's file, without suffix, and its slug: `2024-03-01-the-lamp-room`, `the-lamp-room`.

        Either is numbered if it is taken. A slug has no date: site generators put it into an address of its own, where
        two posts of one title would be one page.
        """
        if post.url not in self._known:
            wanted = slug(post.title or "") or slug(_last_segment(post.url)) or "post"
            dated = f"{post.published.date().isoformat()}-{wanted}" if post.published is not None else wanted
            if _DEVICES.fullmatch(dated):
                dated = f"post-{dated}"
            self._known[post.url] = self._names.of(dated), self._slugs.of(wanted)
        return self._known[post.url]


def slug(text: str) -> str:
    """Letters and digits of any script in small letters, joined with hyphens; "" if there are none.

    >>> slug("Rope, and how to coil it!"), slug("海辺の朝 ☀"), slug("../../etc/passwd")
    ('rope-and-how-to-coil-it', '海辺の朝', 'etc-passwd')
    """
    text = unicodedata.normalize("NFC", text[:1000]).lower().replace("'", "").replace("’", "")
    # Marks belong to the letter before them: without its vowels, Hindi or Thai is another word.
    kept = "".join(letter if letter.isalnum() or unicodedata.category(letter)[0] == "M" else " " for letter in text)
    joined = "-".join(kept.split())
    if len(joined.encode("utf-8", "ignore")) <= _LONGEST:
        return joined
    short = _first_bytes(joined, _LONGEST)
    at_word, hyphen, _ = short.rpartition("-")
    return at_word if hyphen and len(at_word) * 2 > len(short) else short.rstrip("-")


def media_name(item: Media) -> tuple[str, str]:
    """The name of a media file as its address has it, made safe, and its suffix.

    A suffix that no media have (`.php`), or none, is corrected by what the server said the file is: a site generator
    takes `.html` and `.md` for pages.

    >>> from everlog.records import Media
    >>> media_name(Media(url="https://a.org/p/IMG%202034.JPG?w=9")), media_name(Media(url="https://a.org/%2e%2e%2fcon"))
    (('IMG-2034', '.JPG'), ('media-con', '.bin'))
    >>> media_name(Media(url="https://a.org/thumb.php?id=3", type="image/png"))
    ('thumb', '.png')
    """
    name = unicodedata.normalize("NFC", _last_segment(item.url, whole=True))
    stem, dot, ending = name.rpartition(".")
    if not dot or ending.lower() not in FILES:
        stem, ending = _PAGE_SUFFIX.sub("", name), extension(item.type, item.url)
    kept = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in stem[:1000])
    # At either end, dots, blanks and underscores hide a file, or are dropped.
    safe = _first_bytes(_NOT_IN_A_NAME.sub("-", kept).strip("-._ "), _LONGEST_OF_MEDIA).strip("-._ ") or "media"
    return f"media-{safe}" if _DEVICES.fullmatch(safe.partition(".")[0]) else safe, f".{ending}"


def _first_bytes(text: str, most: int) -> str:
    return text.encode("utf-8", "ignore")[:most].decode("utf-8", "ignore")


def _key(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _last_segment(url: str, *, whole: bool = False) -> str:
    """The last part of an address's path, without the suffix of a page unless it is wanted `whole`."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    segments = [segment for segment in unquote(parts.path).split("/") if segment]
    if whole:
        return segments[-1] if segments else ""
    return _PAGE_SUFFIX.sub("", segments[-1]) if segments else parts.query
