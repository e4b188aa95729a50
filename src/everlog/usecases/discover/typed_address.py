"""Addresses as users type them: with a scheme or without, and what they may mean then."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.ip_addresses import LONGEST_HOST, is_too_long, literal_address
from everlog.core.urls import absolute
from everlog.errors import UsageError

if TYPE_CHECKING:
    from everlog.settings import Settings

# A port has five digits at most; with zeros before them it would be as long as one likes.
LONGEST_PLACE = LONGEST_HOST + len("[]:65535")
# An error shows so much of an address: nobody reads a longer one.
LONGEST_SHOWN = 100


def fetchable(text: str) -> str:
    """The address as typed, made whole: `a.blog.example` is a URL too.

    >>> fetchable("a.blog.example"), fetchable("localhost:8000/notes")
    ('https://a.blog.example/', 'http://localhost:8000/notes')
    """
    return spellings(text)[0]


def spellings(text: str) -> tuple[str, ...]:
    """The URLs that a typed address may mean, the likelier first: without a scheme there are two.

    Blogs are at https, and at http where nobody answers there; a port, or an address in numbers, is of a machine
    nearby that is tried out, which speaks http.

    >>> spellings("https://a.blog.example"), spellings(" a.blog.example ")
    (('https://a.blog.example/',), ('https://a.blog.example/', 'http://a.blog.example/'))
    >>> spellings("127.0.0.1:8000/notes/")
    ('http://127.0.0.1:8000/notes/', 'https://127.0.0.1:8000/notes/')
    """
    bare = text.strip()
    if "://" in bare:
        return (_whole(bare, text),)
    parts = urlsplit(_whole(f"https://{bare}", text))
    is_nearby = parts.port not in {None, 443} or literal_address(parts.hostname or "") is not None
    schemes = ("http", "https") if is_nearby else ("https", "http")
    return tuple(parts._replace(scheme=scheme).geturl() for scheme in schemes)


def other_spellings(text: str, settings: Settings) -> tuple[str, ...]:
    """The further URLs to try where nobody answers at `fetchable(text)`.

    What the user sends along, such as a password, is not sent in the clear unless they typed http:// themselves.
    """
    others = spellings(text)[1:]
    is_private = bool(settings.header or settings.cookies)
    return tuple(url for url in others if not (is_private and url.startswith("http:")))


def _whole(url: str, typed: str) -> str:
    whole = absolute(None, url)
    if whole is not None and "@" in urlsplit(whole).netloc:
        if "://" not in typed and ":" not in typed.strip().removeprefix("mailto:"):
            raise UsageError(
                f"{_shown(typed)} is an e-mail address, not that of a blog",
                advice="write it like this:  everlog crawl https://a.blog.example/",
            )
        raise UsageError(
            "the address contains a password, which would be stored with every page",
            advice="remove it and pass --header 'Authorization: Basic ...' or --cookies FILE",
        )
    host = urlsplit(whole or "").hostname or ""
    # A path ("./blogs.txt") has a dot and no name.
    if whole is None or not ("." in host.strip(".") or ":" in host or host == "localhost"):
        raise UsageError(
            f"{_shown(typed)} is not a valid blog address",
            advice="write it like this:  everlog crawl https://a.blog.example/",
        )
    if is_too_long(host) or len(urlsplit(whole).netloc) > LONGEST_PLACE:
        raise UsageError(
            f"{_shown(typed)} is not a valid blog address: host names have at most {LONGEST_HOST} characters",
            advice="write it like this:  everlog crawl https://a.blog.example/",
        )
    return whole if urlsplit(whole).path else whole + "/"


def _shown(text: str) -> str:
    return repr(text) if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]!r}..."
