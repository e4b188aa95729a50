"""Aliases of a blog: other addresses that its own pages call theirs, and the same path below each of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.urls import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_PAGE_FILE = re.compile(r"\.(?:html?|php|aspx?)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A home that a blog's pages name as their own while the blog is read at another: a mirror, a former host.

    `here` says that its pages are looked for at the same path below the blog's home, `followed` that its own host
    is asked as well; where it is not, `reason` says why, and `answers` whether anybody answers there at all.
    """

    home: str
    here: bool = False
    followed: bool = False
    reason: str = ""
    answers: bool = True


def with_links_here(body: bytes, aliases: Iterable[Alias], home: str) -> bytes:
    """A page whose links to aliases that are looked for here lead here, for readers that know one home only.

    >>> alias = Alias(home="http://www.b.org/", here=True)
    >>> with_links_here(b'<a href="http://b.org/x">x</a> <a href=//b.org.uk/>y</a>', [alias], "https://a.org/m/")
    b'<a href="https://a.org/m/x">x</a> <a href=//b.org.uk/>y</a>'
    """
    for alias in aliases:
        if alias.here:
            parts = urlsplit(alias.home)
            named = parts.netloc.removeprefix("www.") + without_file(parts.path.rstrip("/"))
            # Literal text between fixed ends: nothing in it can be matched in two ways.
            link = rb"(?:https?:)?//(?:www\.)?" + re.escape(named.encode()) + rb"(?=[/?#\s\"'<>])"
            body = re.sub(link, _as_it_is(home), body, flags=re.IGNORECASE)
    return body


def _as_it_is(home: str) -> Callable[[re.Match[bytes]], bytes]:
    """A home without its last slash, to be put in the place of another: no sign in it means anything to `re.sub`."""
    parts = urlsplit(home)
    here = parts._replace(path=without_file(parts.path.rstrip("/")), query="", fragment="").geturl().encode()
    return lambda _: here


def folder_of(home: str) -> str:
    """The key of a home; that of its folder, if the home is a file.

    >>> folder_of("https://www.a.org/blog/index.php"), folder_of("http://a.org/blog/home.html")
    ('a.org/blog', 'a.org/blog')
    """
    return without_file(canonical(home).partition("?")[0])


def without_file(path: str) -> str:
    """A path without the page at its end, if one stands there."""
    folder, slash, name = path.rpartition("/")
    return folder if slash and _PAGE_FILE.search(name) else path


def is_below(key: str, folder: str) -> bool:
    """Whether a page's key lies in the folder of that key, or is it.

    >>> is_below("a.org/blog/x", "a.org/blog"), is_below("a.org/blogger", "a.org/blog"), is_below("a.org?p=1", "a.org")
    (True, False, True)
    """
    return key.startswith(folder) and (len(key) == len(folder) or key[len(folder)] in "/?#")


def rebased(url: str, here: str, there: str) -> str:
    """The page of the blog at home `here` as the address of the same page below the home `there`.

    >>> rebased("http://www.a.org/blog/2020/x/?p=1", "http://a.org/blog/", "https://b.org/")
    'https://b.org/2020/x/?p=1'
    """
    parts, home = urlsplit(url), urlsplit(there)
    below = parts.path.removeprefix(without_file(urlsplit(here).path.rstrip("/")))
    path = without_file(home.path.rstrip("/")) + below
    return parts._replace(scheme=home.scheme, netloc=home.netloc, path=path or "/").geturl()
