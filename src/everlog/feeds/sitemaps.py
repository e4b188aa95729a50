"""Sitemaps: the addresses a site lists for programs that read it."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from lxml import etree

from everlog.core.attributes import bounded_xml
from everlog.core.urls import absolute
from everlog.errors import UnreadableFeed
from everlog.feeds.decoding import decode
from everlog.feeds.feed_dates import parse_date
from everlog.feeds.parse import parse_feed
from everlog.feeds.xml_markup import local_name

# What the protocol allows one sitemap: 50 MB unpacked, 50,000 addresses. Larger ones are cut, not refused.
MAX_BYTES = 50 * 1024 * 1024
MAX_URLS = 50_000
# Forty for each address: its date, and pictures with their captions.
MAX_TAGS = 2_000_000
# Where the root of a document stands, behind notes, style sheets and what a broken plug-in prints first.
_HEAD_BYTES = 10_000

_GZIP = b"\x1f\x8b"
_ROOT = re.compile(r"<(?:[\w.-]+:)?(urlset|sitemapindex|rss|feed|rdf|html)(?=[\s>])", re.IGNORECASE)
_SITEMAP_LINE = re.compile(r"^[ \t\ufeff]*sitemap[ \t]*:[ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """The pages a sitemap lists and further sitemaps, each with the day it says they changed."""

    urls: tuple[tuple[str, datetime | None], ...] = ()
    maps: tuple[tuple[str, datetime | None], ...] = ()
    problem: str | None = None

    @property
    def more(self) -> tuple[str, ...]:
        """The addresses of the further sitemaps."""
        return tuple(url for url, _ in self.maps)


def parse_sitemap(body: bytes, url: str | None = None) -> Sitemap:
    """What a sitemap lists: XML, plain text or a feed; packed or not, well-formed or not.

    `url` is where it lies, for addresses that are relative against the rules. Bytes that are no
    sitemap list nothing.

    >>> body = b"<urlset><url><loc>https://a.org/b</loc><lastmod>2024-03-01</lastmod></url></urlset>"
    >>> [(url, changed.year) for url, changed in parse_sitemap(body).urls]
    [('https://a.org/b', 2024)]
    """
    plain, is_cut = _unpacked(body)
    text = decode(plain).lstrip()
    root = _ROOT.search(text, 0, _HEAD_BYTES)
    kind = root[1].lower() if root else None
    if kind in {"urlset", "sitemapindex"}:
        sitemap = _read_xml(text[root.start():] if root else text, url)
    elif kind in {"rss", "feed", "rdf"}:
        sitemap = _read_feed(plain, url)
    else:
        sitemap = _read_lines(text if kind is None else "", url)
    if is_cut:
        problem = f"larger than {MAX_BYTES // 1024 // 1024} MB; the rest was not read"
        return replace(sitemap, problem=problem)
    return sitemap


def is_sitemap(body: bytes) -> bool:
    """Whether bytes are a sitemap, even one that lists nothing yet.

    >>> is_sitemap(b"<?xml version='1.0'?><urlset></urlset>"), is_sitemap(b"<!doctype html><p>Not found")
    (True, False)
    """
    head, _ = _unpacked(body, _HEAD_BYTES)
    root = _ROOT.search(decode(head))
    if root is not None and root[1].lower() in {"urlset", "sitemapindex"}:
        return True
    sitemap = parse_sitemap(body)
    return bool(sitemap.urls or sitemap.maps)


def sitemaps_of_robots(text: str, url: str | None = None) -> tuple[str, ...]:
    """The sitemaps that a robots.txt names, each once; `url` is where the file lies.

    >>> sitemaps_of_robots("User-agent: *\\nDisallow:\\nSITEMAP: https://a.org/map.xml # all\\n")
    ('https://a.org/map.xml',)
    """
    named = (absolute(url, match[1]) for match in _SITEMAP_LINE.finditer(text))
    return tuple(dict.fromkeys(full for full in named if full))


def _unpacked(body: bytes, most: int = MAX_BYTES) -> tuple[bytes, bool]:
    """At most so many bytes of a body, and whether there were more; a broken pack gives what was whole."""
    if not body.startswith(_GZIP):
        return body[:most], len(body) > most
    out = bytearray()
    rest = body
    while rest.startswith(_GZIP) and len(out) <= most:
        pack = zlib.decompressobj(wbits=31)
        try:
            out += pack.decompress(rest, most + 1 - len(out))
        except zlib.error:
            break
        rest = pack.unused_data
    return bytes(out[:most]), len(out) > most


def _read_xml(text: str, base: str | None) -> Sitemap:
    if len(text) > MAX_TAGS and text.count("<") > MAX_TAGS:
        first = _read_xml("<".join(text.split("<", MAX_TAGS)[:MAX_TAGS]), base)
        return replace(first, problem=first.problem or f"truncated after {MAX_TAGS:,} tags")
    urls: dict[str, datetime | None] = {}
    maps: dict[str, datetime | None] = {}
    for kind, link, changed in _rows(text):
        full = absolute(base, link)
        if full is None:
            continue
        (maps if kind == "sitemap" else urls).setdefault(full, parse_date(changed))
        if len(urls) + len(maps) >= MAX_URLS:
            problem = f"truncated after {MAX_URLS} addresses"
            return Sitemap(urls=tuple(urls.items()), maps=tuple(maps.items()), problem=problem)
    return Sitemap(urls=tuple(urls.items()), maps=tuple(maps.items()))


def _rows(text: str) -> Iterator[tuple[str, str, str | None]]:
    """Kind, address and date of every row. No document type is read: the text starts at its root."""
    # Up to the last end of an element: an address that breaks off is another address.
    source = io.BytesIO(bounded_xml(text[:text.rfind("</")].encode("utf-8", "ignore")))
    # Read row by row: the tree of a whole large sitemap takes ten times its bytes.
    walk = etree.iterparse(
        source, events=("end",), recover=True, resolve_entities=False, no_network=True, load_dtd=False,
        remove_comments=True, remove_pis=True, huge_tree=True, encoding="utf-8",
    )
    try:
        for _, element in walk:
            kind = local_name(element)
            if kind not in {"url", "sitemap"}:
                continue
            parts = {local_name(part): "".join(part.itertext()).strip() for part in element}
            if link := parts.get("loc"):
                yield kind, link, parts.get("lastmod")
            element.clear()
            while element.getprevious() is not None:
                above = element.getparent()
                if above is None:
                    break
                del above[0]
    except etree.XMLSyntaxError:
        return


def _read_feed(body: bytes, url: str | None) -> Sitemap:
    try:
        feed = parse_feed(body, url)
    except UnreadableFeed:
        return Sitemap()
    rows = ((entry.link, entry.updated or entry.published) for entry in feed.entries if entry.link)
    return Sitemap(urls=tuple({absolute(url, link) or link: changed for link, changed in rows}.items()))


def _read_lines(text: str, base: str | None) -> Sitemap:
    """A text sitemap has an address a line and nothing else; any other text lists nothing."""
    urls: dict[str, datetime | None] = {}
    for line in text.splitlines():
        link = line.strip()
        if not link:
            continue
        full = absolute(base, link) if re.match(r"https?://\S+$", link, re.IGNORECASE) else None
        if full is None or len(urls) >= MAX_URLS:
            break
        urls.setdefault(full, None)
    return Sitemap(urls=tuple(urls.items()))
