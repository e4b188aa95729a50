"""NamedPost: a post that some inventory names and that is not held, with what became of its address.

What excuses a post is decided here: the blog's owner does not show it (password, private, members, paid), or it is
gone. All else is missing, unless it turned out to be no post.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

from everlog.core.listing_words import LISTING_WORDS

# What became of the address of a post that is named:
#   locked        the source says that strangers do not see its text
#   not there     its server says 404 or 410
#   needs login   its server says 401 or 402
#   failed        no answer, or an error
#   refused       robots.txt disallows it, or its page asks not to be archived
#   no post       its page answers and was not read as a post
#   outside       on another host, or beyond the blog's scope
#   same          it leads to another post that the same source lists
#   told only     its text is held as an interface told it, and its page could not be had
#   waiting       known, and not visited yet
#   unvisited     it was never in the queue
Whereabouts = Literal[
    "locked", "not there", "needs login", "failed", "refused", "no post", "outside", "same", "told only", "waiting",
    "unvisited",
]
# Menus of themes link to pages that nobody wrote: that of a new Ghost to /about/, where posts are at /word/.
_PAGES = frozenset(
    {"about", "about-us", "contact", "impressum", "imprint", "login", "privacy", "privacy-policy", "search"}
)
_SLIP = re.compile(r"[\s@<>{}\[\]\"|?]")
# A link without its `http://` is one to a file of that name, here.
_HOST = re.compile(r"(?:^|/)(?:www\.[^/]+|[^/]+\.(?:com|org|net)(?:\.[a-z]{2})?)(?:/|$)", re.IGNORECASE)
_INDEX = re.compile(r"/index\.[a-z]+$", re.IGNORECASE)
_YEAR = re.compile(r"(?:^|[/\-_=.])((?:19|20)[0-9]{2})(?=[/\-_&.]|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPost:
    """A post that is named by some sources and not held.

    `is_certain` says that one of them knows that it is a post; else it only has the address of one. `detail` says in
    words what became of it, or why it is locked. `is_gone` says that it is not there any more: its server does not have
    it, or it was found to be deleted. `is_in_part` says that some of it is held after all.
    """

    url: str
    named_by: tuple[str, ...]
    whereabouts: Whereabouts
    detail: str = ""
    is_certain: bool = True
    is_gone: bool = False
    year: int | None = None
    is_in_part: bool = False


def excuse(post: NamedPost, whole: Collection[str]) -> str | None:
    """Why nobody can hold a post; None if it should be held.

    `whole` are the sources that list all posts: one that none of them has is not there any more.

    >>> post = NamedPost(url="https://a.org/x", named_by=("sitemap",), whereabouts="not there", detail="HTTP 404",
    ...                  is_gone=True)
    >>> excuse(post, ["WordPress REST"]), excuse(post, ["WordPress REST", "sitemap"]), excuse(post, [])
    ('gone: HTTP 404', None, None)
    """
    if post.whereabouts == "locked":
        return post.detail or "private"
    if post.whereabouts == "needs login":
        return f"private: {post.detail}"
    if post.whereabouts in {"not there", "told only"} and post.is_gone and whole and not {*whole} & {*post.named_by}:
        return f"gone: {post.detail}" if post.whereabouts == "not there" else f"gone, its text is held: {post.detail}"
    return None


def is_no_post(post: NamedPost) -> bool:
    """Whether an address that only looked like a post's turned out to be something else."""
    return not post.is_certain and post.whereabouts in {"no post", "outside"}


def is_address_of_post(url: str) -> bool:
    """Whether an address that only a link has can be a post's, as far as the address tells.

    Slips of Markdown and of templates make links of words, letters, mail addresses and placeholders, which nothing
    answers for; a dead link to a list is no post, and neither is the copy of a page that a program wrote down with its
    query, nor the name of a host that lacks its `http://`.

    >>> [is_address_of_post(f"https://a.org/{path}") for path in ("rain/", "load_config%20()", "jo@a.org", "tags.html")]
    [True, False, False, False]
    >>> paths = ("rain/index.html", "tags/index.html", "x%3Fp=1.html", "h")
    >>> [is_address_of_post(f"https://a.org/{path}") for path in paths]
    [True, False, False, False]
    >>> paths = ("2009/b.com.au", "www.b.ie", "b.org/x", "dot.net.html")
    >>> [is_address_of_post(f"https://a.org/{path}") for path in paths]
    [False, False, False, True]
    """
    path = _INDEX.sub("/", unquote(urlsplit(url).path))
    name = path.rstrip("/").rpartition("/")[2].partition(".")[0].lower()
    is_letter = len(name) == 1 and not name.isdecimal()
    is_slip = _SLIP.search(path) is not None or _HOST.search(path) is not None
    return not is_slip and not is_letter and name not in LISTING_WORDS | _PAGES


def year_in(url: str) -> int | None:
    """The year that an address names, as many posts' do.

    >>> year_in("https://a.org/2019/05/x/"), year_in("https://a.org/x-20190501"), year_in("https://a.org/y2019z")
    (2019, None, None)
    """
    found = _YEAR.search(url.partition("://")[2])
    return int(found[1]) if found else None
