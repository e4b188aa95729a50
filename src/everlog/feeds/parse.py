"""Feed bytes to a Feed, whichever of the formats they are in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.errors import UnreadableFeed
from everlog.feeds.decoding import decode
from everlog.feeds.jsonfeed import read_json_feed
from everlog.feeds.repair import looks_like_html, read_xml
from everlog.feeds.xmlfeed import read_xml_feed

if TYPE_CHECKING:
    from everlog.records import Feed

# Feeds beyond these are cut, not refused: the newest entries stand first. The largest real feeds
# (whole blogs in one file) stay well below.
MAX_BYTES = 64 * 1024 * 1024
MAX_ENTRIES = 20_000
# Elements take memory, up to 250 bytes each. Text counts here too, so this is far beyond what 20 MB of articles hold.
MAX_TAGS = 1_000_000


def parse_feed(body: bytes, url: str | None = None, content_type: str | None = None) -> Feed:
    """What a feed says: RSS 0.9x to 2.0, Atom 0.3 and 1.0, JSON Feed; well-formed or not.

    `url` is where the feed lies (relative links start there). Of `content_type` only the charset
    counts, as servers name feeds in every way. `Feed.problem` says in plain words what was
    repaired, cut or missing. Raises UnreadableFeed for bytes that are no feed.

    >>> body = b"<rss><channel><item><title>A &amp; B</title><link>/a</link></item></channel></rss>"
    >>> feed = parse_feed(body, "https://a.org/feed")
    >>> [(entry.title, entry.link) for entry in feed.entries]
    [('A & B', 'https://a.org/a')]
    """
    where = url or "this"
    text = decode(body[:MAX_BYTES], content_type).lstrip("\ufeff \t\r\n")
    if not text:
        raise UnreadableFeed(
            f"{where} is empty, not a feed", advice="check the address of the feed"
        )
    if text[0] in "{[":
        feed = read_json_feed(text, url, limit=MAX_ENTRIES + 1)
    else:
        text, cut = _first_tags(text)
        source = read_xml(text)
        if source is None:
            raise _not_a_feed(text, where)
        feed = read_xml_feed(source.root, url, limit=MAX_ENTRIES + 1, broken=source.problem is not None)
        problems = (source.problem, f"more than {MAX_TAGS:,} tags; the rest was not read" if cut else None)
        feed = replace(feed, problem="; ".join(filter(None, problems)) or None)
    return _within_limits(feed, cut=len(body) > MAX_BYTES)


def _first_tags(text: str) -> tuple[str, bool]:
    """As much of a feed as has no more tags than are read, and whether that is less than all."""
    if len(text) <= MAX_TAGS or text.count("<") <= MAX_TAGS:
        return text, False
    return "<".join(text.split("<", MAX_TAGS + 1)[:MAX_TAGS + 1]), True


def _within_limits(feed: Feed, *, cut: bool) -> Feed:
    problems = [feed.problem] if feed.problem else []
    if cut:
        problems.append(f"larger than {MAX_BYTES // 1024 // 1024} MB; the rest was not read")
    if len(feed.entries) > MAX_ENTRIES:
        feed = replace(feed, entries=feed.entries[:MAX_ENTRIES])
        problems.append(f"more than {MAX_ENTRIES} entries; the first {MAX_ENTRIES} were kept")
    if not feed.entries:
        problems.append("no entries")
    return replace(feed, problem="; ".join(problems) or None)


def _not_a_feed(text: str, where: str) -> UnreadableFeed:
    if looks_like_html(text):
        return UnreadableFeed(
            f"{where} is an HTML page, not a feed",
            advice="pass the address of the feed, or of the blog's home page to find its feed",
        )
    head = " ".join(text[:60].split())
    return UnreadableFeed(
        f"{where} is not a feed: neither <rss>, <feed>, <rdf:RDF> nor JSON Feed (it starts with {head!r})",
        advice="pass the address of an RSS, Atom or JSON feed",
    )
