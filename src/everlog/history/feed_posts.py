"""Posts as feeds list them, for the sources that are feeds."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

from everlog.core.urls import absolute, canonical, host_of
from everlog.errors import UnreadableFeed
from everlog.feeds import parse_feed
from everlog.history.source import HistoryAnswer, ListedPost
from everlog.markup.password_form import is_password_form

if TYPE_CHECKING:
    from everlog.records import Entry, Feed

# How the beginning of an article ends that is given for the whole: with a sign in brackets, or with a link to the rest,
# which is the post itself. A line that plugins put behind every article may follow.
_CUT = re.compile(r"\[\s*(?:…|\.\.\.|&(?:amp;)?(?:hellip|#8230|#x2026);)\s*\]", re.IGNORECASE)
_LINK = re.compile(
    r"<a\s(?P<before>[^<>]{0,300}?)href=[\"'](?P<href>[^\"'<>]{1,500})[\"'](?P<behind>[^<>]{0,300})>(?P<text>[^<>]{0,80})",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\bmore-link\b|(?:continue reading|read more|read the rest|keep reading|weiterlesen|lire la suite|leer más)\b",
    re.IGNORECASE,
)
_TAIL_CHARS = 700


def feed_of(answer: HistoryAnswer) -> Feed | None:
    """The feed that an answer holds, whatever its status; None for what is no feed."""
    try:
        return parse_feed(answer.body, answer.url, answer.header("content-type"))
    except UnreadableFeed:
        return None


def listed_posts(feed: Feed) -> tuple[ListedPost, ...]:
    """The posts of a feed that have an address.

    >>> feed = parse_feed(b"<rss><channel><item><link>/a</link><guid>7</guid></item></channel></rss>", "https://a.org/feed")
    >>> [(post.url, post.id, post.is_whole) for post in listed_posts(feed)]
    [('https://a.org/a', '7', False)]
    """
    return tuple(post for entry in feed.entries if (post := _listed(entry, feed)) is not None)


def is_cut(markup: str, url: str) -> bool:
    """Whether the HTML of an article, whose page is at this address, says at its end that there is more.

    >>> is_cut("<p>Once upon a time [&hellip;]</p>", "https://a.org/b"), is_cut("<p>The end.</p>", "https://a.org/b")
    (True, False)
    >>> rest = 'Once <a href="https://a.org/b#more-7">upon</a>'
    >>> is_cut(rest, "https://a.org/b"), is_cut(rest, "https://a.org/c")
    (True, False)
    """
    tail = markup[-_TAIL_CHARS:]
    return _CUT.search(tail) is not None or any(_leads_on(link, url) for link in _LINK.finditer(tail))


def _leads_on(link: re.Match[str], url: str) -> bool:
    href = absolute(url, unescape(link["href"]))
    if href is None or canonical(href) != canonical(url):
        return False
    said = f"{link['before']} {link['behind']} {link['text']}"
    return urldefrag(href)[1].startswith("more") or _REST.search(said) is not None


def ids_of(posts: tuple[ListedPost, ...]) -> list[str]:
    """What these posts are told apart by."""
    return [post.id or post.url for post in posts]


def is_same_site(one: str, other: str) -> bool:
    """Whether two addresses are of one host, however it is spelled.

    >>> is_same_site("https://www.a.org/feed", "http://a.org/feed/2"), is_same_site("https://a.org/", "https://b.org/")
    (True, False)
    """
    return host_of(one) == host_of(other)


def _listed(entry: Entry, feed: Feed) -> ListedPost | None:
    url = absolute(feed.url, entry.link) or absolute(None, entry.guid)
    if url is None:
        return None
    is_locked = is_password_form(entry.content or entry.summary or "")
    is_whole = entry.content is not None and not is_locked and not is_cut(entry.content, url)
    return ListedPost(
        url=url, id=entry.guid or url, entry=entry, is_whole=is_whole, changed=entry.updated,
        locked="password" if is_locked else None,
    )
