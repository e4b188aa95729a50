"""File names for posts: readable, in the post's own script, and safe on every system."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from everlog.records import Post

# Systems allow 255 bytes; the date, a number and the suffix need some of them, and so does a folder's path.
_LONGEST = 120
# Windows opens a device under these names, whatever the suffix.
_DEVICES = re.compile(r"con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]", re.IGNORECASE)
_PAGE_SUFFIX = re.compile(r"\.(?:html?|xhtml|php|aspx?|md)$", re.IGNORECASE)


class Names:
    """Gives every post of an export a file name of its own, also where case does not tell names apart."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, post: Post) -> str:
        """The name for a post's file, without suffix: `2024-03-01-the-lamp-room`, numbered if it is taken."""
        wanted = slug(post.title or "") or slug(_last_segment(post.url)) or "post"
        if post.published is not None:
            wanted = f"{post.published.date().isoformat()}-{wanted}"
        elif _DEVICES.fullmatch(wanted):
            wanted = f"post-{wanted}"
        name, number = wanted, 1
        while (key := unicodedata.normalize("NFKC", name).casefold()) in self._taken:
            number += 1
            name = f"{wanted}-{number}"
        self._taken.add(key)
        return name


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
    short = joined.encode("utf-8", "ignore")[:_LONGEST].decode("utf-8", "ignore")
    at_word, hyphen, _ = short.rpartition("-")
    return at_word if hyphen and len(at_word) * 2 > len(short) else short.rstrip("-")


def _last_segment(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    segments = [segment for segment in unquote(parts.path).split("/") if segment]
    return _PAGE_SUFFIX.sub("", segments[-1]) if segments else parts.query
