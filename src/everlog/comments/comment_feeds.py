"""Comment feeds: where a post's own is, and what it says.

A page names up to four feeds: of the blog's posts, of all its comments, of a shelf, and of its own
comments. Only the last one can be read as the comments of the post.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urldefrag, urlsplit

from everlog.comments.comment_markup import Thread
from everlog.comments.threads import short_id
from everlog.core.tree import Element, parse_fragment, take_text
from everlog.core.urls import absolute, canonical
from everlog.core.words import words
from everlog.feeds import declared_feeds, parse_feed
from everlog.feeds.discover import speaks_of_comments
from everlog.markup.cleaning import clean_html
from everlog.records import Comment, Entry, Feed, FeedLink

# What stands behind a post's address in the address of its own feed.
_BELOW = re.compile(
    r"(?:comments?[/.])?(?:feed|rss2?|atom|rdf|comments?|index|default)(?:[/.](?:rss2?|atom|rdf|xml|json))?",
    re.IGNORECASE,
)
_BLOGGER = re.compile(r"/feeds/\d+/comments/", re.IGNORECASE)
_LATER_COMMENTS = re.compile(r"/comment-page-\d+/?(?=[?#]|$)")
_LATER_QUERY = re.compile(r"(?<=[?&])cpage=\d+(?:&|$)")
_PAGE_SUFFIX = re.compile(r"\.(?:html?|php|aspx?)$", re.IGNORECASE)
_FRAGMENT = re.compile(r"[\w-]*comment[\w-]*|[a-z]{0,4}[-_]?\d+", re.IGNORECASE)
_SEPARATORS = re.compile(r"\s+[|»«›‹·•:–—-]+\s+")
_AT_THE_END = re.compile(r"\d+$")
# "In reply to NAME." in the languages of blogs has three words or fewer.
_FEW_WORDS = 6


def comment_feed_url(root: Element, url: str, *, entry: Entry | None = None) -> str | None:
    """The address of a post's own comment feed, or None: neither page nor feed name one.

    `entry` is the post's entry in the blog's feed, which may name it (`wfw:commentRss`).

    >>> from everlog.core.tree import parse
    >>> page = b'''<link rel="alternate" type="application/rss+xml" href="/feed/">
    ... <link rel="alternate" type="application/rss+xml" href="/comments/feed/">
    ... <link rel="alternate" type="application/rss+xml" href="/a/feed/">'''
    >>> comment_feed_url(parse(page), "https://a.org/a/")
    'https://a.org/a/feed/'
    """
    if entry is not None and entry.comments_feed:
        return absolute(url, entry.comments_feed)
    links = declared_feeds(root, url)
    if links and not any(link.comments for link in links):
        return None
    pages = [*_addresses(root, url)]
    own = next((link.url for link in links if link.comments and _is_below(link.url, pages)), None)
    if own is None:
        own = next((link.url for link in links if link.comments and _names_the_page(link, links, root)), None)
    if own is None and not links and _is_wordpress(root):
        # WordPress declares the feed itself; where a blog declares none at all, this was taken out,
        # and the feed is still there.
        own = absolute(pages[0].rstrip("/") + "/", "feed/") if pages and not urlsplit(pages[0]).query else None
    return own


def read_comment_feed(body: bytes, feed_url: str) -> Thread | None:
    """The comments of a post's own comment feed, the oldest first.

    None for a feed of posts, and for one of the comments on many posts; UnreadableFeed for bytes
    that are no feed. Feeds hold the newest comments only, so there is no count to claim.

    >>> body = b'''<rss><channel><item><title>By: Jo</title><link>https://a.org/a/#comment-7</link>
    ... <description>Nice.</description></item></channel></rss>'''
    >>> [(comment.id, comment.author, comment.text) for comment in read_comment_feed(body, "").comments]
    [('7', 'Jo', 'Nice.')]
    """
    feed = parse_feed(body, feed_url or None)
    if feed.entries and not (_is_conversation(feed) and _is_of_one_page(feed)):
        return None
    opening = _common_opening([entry.title or "" for entry in feed.entries])
    known = _ids(feed.entries)
    comments = [_comment(entry, feed_url, known, opening) for entry in feed.entries]
    if all(comment.published for comment in comments):
        comments.sort(key=lambda comment: comment.published.timestamp() if comment.published else 0.0)
    return Thread(source="feed", comments=tuple(comments))


class SiteComment(NamedTuple):
    """A comment on some post of a site, and the addresses by which that post may be known."""

    posts: tuple[str, ...]
    comment: Comment


def read_site_comments(body: bytes, feed_url: str) -> tuple[SiteComment, ...] | None:
    """The comments of a feed of all comments of a site, the newest first; None for a feed of posts.

    >>> body = b'''<rss><channel><item><title>By: Jo</title><link>https://a.org/a/comment-page-2/#comment-7</link>
    ... <guid>https://a.org/?p=12#comment-7</guid><description>Nice.</description></item></channel></rss>'''
    >>> [(found.posts, found.comment.id) for found in read_site_comments(body, "")]
    [(('https://a.org/a/', 'https://a.org/?p=12'), '7')]
    """
    return site_comments(parse_feed(body, feed_url or None), feed_url)


def site_comments(feed: Feed, feed_url: str) -> tuple[SiteComment, ...] | None:
    """The comments of such a feed, one for each of its entries; None for a feed of posts."""
    if feed.entries and not _is_conversation(feed):
        return None
    opening = _common_opening([entry.title or "" for entry in feed.entries])
    known = _ids(feed.entries)
    return tuple(
        SiteComment(_posts_of(entry, feed_url), _comment(entry, feed_url, known, opening)) for entry in feed.entries
    )


def _posts_of(entry: Entry, feed_url: str) -> tuple[str, ...]:
    named = (entry.link, entry.guid, entry.in_reply_to)
    whole = (absolute(feed_url or None, urldefrag(name)[0]) for name in named if name)
    return tuple(dict.fromkeys(_of_post(address) for address in whole if address is not None))


def _addresses(root: Element, url: str) -> Iterator[str]:
    """The spellings of a post's address that the feed's address may begin with."""
    named = (
        absolute(url, link.get("href")) or url
        for link in root.iter("link")
        if {"canonical", "shortlink"} & {*(link.get("rel") or "").lower().split()}
    )
    for address in dict.fromkeys((url, *named)):
        if urlsplit(address).path.strip("/") or urlsplit(address).query:
            yield _of_post(address)


def _is_below(feed: str, pages: Sequence[str]) -> bool:
    found = canonical(feed)
    place, _, asked = found.partition("?")
    for page in pages:
        own, _, query = canonical(page).partition("?")
        if query:
            if place == own and {*query.split("&")} < {*asked.split("&")} and "feed=" in asked:
                return True
            continue
        for start in {own, _PAGE_SUFFIX.sub("", own)}:
            if place.startswith(start + "/") and _BELOW.fullmatch(place[len(start) + 1:]):
                return True
            if place == start and asked.startswith("feed=") and "comments" not in asked:
                return True
    return bool(_BLOGGER.search(feed))


def _names_the_page(link: FeedLink, links: Sequence[FeedLink], root: Element) -> bool:
    """Whether a feed's title holds that part of the page's title which no other feed's title holds."""
    if not link.title:
        return False
    title = next((element.text or "" for element in root.iter("title")), "")
    others = [" ".join(words(other.title or "")) for other in links if other is not link]
    own = " ".join(words(link.title))
    parts = (" ".join(words(part)) for part in _SEPARATORS.split(title))
    return any(part in own and not any(part in other for other in others) for part in parts if part)


def _is_wordpress(root: Element) -> bool:
    return any(
        "/wp-includes/" in address or "/wp-content/" in address
        for element in root.iter("link", "script")
        for address in [element.get("href") or element.get("src") or ""]
    )


def _is_conversation(feed: Feed) -> bool:
    entries = feed.entries
    if any(entry.comments_feed or entry.comment_count is not None for entry in entries):
        return False
    answers = sum(bool(entry.in_reply_to or _fragment(entry)) for entry in entries)
    return 2 * answers > len(entries) or speaks_of_comments(feed.title)


def _is_of_one_page(feed: Feed) -> bool:
    links = (urldefrag(entry.link)[0] for entry in feed.entries if entry.link)
    return len({canonical(_of_post(link)) for link in links}) <= 1


def _of_post(address: str) -> str:
    """The address of the post that an address of a page of its comments belongs to; others as they are.

    >>> _of_post("https://a.org/a/comment-page-2/"), _of_post("https://a.org/?p=7&cpage=2")
    ('https://a.org/a/', 'https://a.org/?p=7')
    """
    return _LATER_QUERY.sub("", _LATER_COMMENTS.sub("/", address)).rstrip("?&")


def _fragment(entry: Entry) -> str | None:
    """The name a comment has in its page."""
    for address in (entry.link, entry.guid):
        fragment = unquote(urldefrag(address or "")[1])
        if fragment and _FRAGMENT.fullmatch(fragment):
            return fragment
    return None


def _ids(entries: Sequence[Entry]) -> Mapping[str, str]:
    """The id of each comment under all names by which another may call it."""
    known: dict[str, str] = {}
    for entry in entries:
        own = _id(entry)
        if own:
            for name in (own, entry.guid, entry.link, _last_number(entry.guid)):
                if name:
                    known.setdefault(name, own)
    return known


def _id(entry: Entry) -> str | None:
    return short_id(_fragment(entry)) or entry.guid or entry.link


def _last_number(name: str | None) -> str | None:
    found = _AT_THE_END.search(name or "")
    return found[0] if found else None


def _comment(entry: Entry, feed_url: str, known: Mapping[str, str], opening: str) -> Comment:
    content = parse_fragment(entry.content or entry.summary or "")[0]
    answered = _taken_reply_line(content)
    own = _id(entry)
    named = (entry.in_reply_to, _last_number(entry.in_reply_to), answered)
    parent = next((known[name] for name in named if name and name in known), answered)
    html = clean_html(content, entry.link or feed_url)
    return Comment(
        id=own,
        parent=parent if parent != own else None,
        author=_author(entry, opening),
        author_url=entry.author_url,
        published=entry.published or entry.updated,
        text=take_text(content),
        html=html,
        url=entry.link if entry.link and (urldefrag(entry.link)[1] or "comment" in entry.link.lower()) else None,
        source="feed",
    )


def _taken_reply_line(content: Element) -> str | None:
    """The id of the answered comment, from the line "In reply to NAME." that WordPress puts before a text.

    The line is taken out: neither the page nor the commenter wrote it.
    """
    first = next(iter(content), None)
    in_paragraph = first is not None and first.tag == "p" and not (content.text or "").strip()
    line = first if in_paragraph else content
    link = next(iter(line), None) if line is not None else None
    if line is None or link is None or link.tag != "a" or (in_paragraph and len(line) > 1):
        return None
    fragment = unquote(urldefrag(link.get("href") or "")[1])
    behind, gap, rest = (link.tail or "").partition("\n\n")
    said = words(f"{line.text or ''} {behind}")
    if not _FRAGMENT.fullmatch(fragment) or not 0 < len(said) <= _FEW_WORDS or not (in_paragraph or gap):
        return None
    if in_paragraph:
        content.remove(line)
    else:
        content.remove(link)
        content.text = rest
    return short_id(fragment)


def _author(entry: Entry, opening: str) -> str | None:
    if entry.authors:
        return entry.authors[0]
    title = entry.title or ""
    # "By: NAME"; where all titles begin alike, what they begin with is no name.
    rest = title.removeprefix(opening) if opening else title.partition(":")[2]
    return " ".join(rest.split()) or None


def _common_opening(titles: Sequence[str]) -> str:
    """What all titles begin with, up to the last sign that ends it.

    >>> _common_opening(["By: Jo", "By: Joan"]), _common_opening(["By: Jo"])
    ('By: ', '')
    """
    if len(titles) < 2:
        return ""
    first, last = min(titles), max(titles)
    differing = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    found = re.match(r".*[:：]\s*", first[:next(differing, len(first))])
    return found[0] if found else ""
