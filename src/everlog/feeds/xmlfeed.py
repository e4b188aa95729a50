"""RSS 0.9x, 1.0, 2.0 and Atom 0.3, 1.0: a feed's root element to a Feed.

The formats share their parts: an element is looked for under all names it goes by, as feeds mix
them (Atom links and Dublin Core in RSS, RSS dates in Atom).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from lxml import etree

from everlog.core.urls import absolute, host_of
from everlog.feeds.feed_dates import parse_date
from everlog.feeds.labels import MOST_ENCLOSURES, names, plain, tags
from everlog.feeds.paging import OLDER, paging_links, read_paging
from everlog.feeds.polling_hints import read_hints
from everlog.feeds.xml_markup import (
    XML_BASE,
    XML_LANG,
    Names,
    first_text,
    html_of,
    is_html,
    local_name,
    own_text,
    text_of,
)
from everlog.records import Entry, Feed

_Children = dict[str, list[etree._Element]]

_PUBLISHED = ("pubdate", "published", "atom:published", "issued", "dc:date", "dcterms:issued",
              "dcterms:created", "created", "dc:created", "date")  # fmt: skip
_UPDATED = ("updated", "atom:updated", "modified", "dcterms:modified", "atom:modified")
_CONTENT = ("content:encoded", "content", "atom:content", "xhtml:body", "xhtml:div", "encoded", "fulltext", "fullitem",
            "body")  # fmt: skip
_SUMMARY = ("description", "summary", "atom:summary", "dc:description", "itunes:summary", "abstract")
_AUTHORS = ("dc:creator", "author", "atom:author", "dc:author", "managingeditor")
_TAGS = ("category", "atom:category", "dc:subject")
# What the item's own recording or picture is called and filed under: heard where the item says nothing itself.
_TITLES = ("title", "atom:title", "dc:title", "itunes:title", "media:title")
_MEDIA_TAGS = ("itunes:category", "media:category")
_WEB = re.compile(r"\s*(?:https?:)?//\S", re.IGNORECASE)
# Redirectors that count clicks; the permalink beside such a link is the page itself.
_REDIRECTOR = re.compile(r"//(?:feedproxy|feeds\d*|rss)\.[^/]+/~[ar]{1,2}?/", re.IGNORECASE)


def read_xml_feed(root: etree._Element, url: str | None, *, limit: int, broken: bool = False) -> Feed:
    """A Feed from the root element; `broken` says that elements may not stand where they belong."""
    kind = _kind(root)
    reader = _Reader(kind, url)
    top = reader.names.children(root)
    channel = next((child for child in top.get("channel", ())), root)
    about = reader.names.children(channel)
    reader.home = _home(reader, channel, about)
    reader.language = _language(root, channel, about)
    items = _items(root, channel, broken=broken)
    links = paging_links(reader.names, about, reader.url or reader.home)
    return Feed(
        url=url,
        title=_title(about),
        home=reader.home,
        language=reader.language,
        authors=_authors(reader.names, about),
        entries=tuple(_distinct(reader.entry(item) for item in items[:limit])),
        kind=kind,
        next_pages=tuple(dict.fromkeys(url for rel, url in links if rel in OLDER)),
        hints=read_hints(reader.names, about),
        paging=read_paging(about, links),
    )


class _Reader:
    """Reads entries; knows what they inherit from their feed."""

    def __init__(self, kind: str, url: str | None) -> None:
        self.names = Names(atom=kind == "atom")
        self.kind = kind
        self.url = url
        self.home: str | None = None
        self.language: str | None = None

    def entry(self, item: etree._Element) -> Entry:
        parts = self.names.children(item)
        return Entry(
            link=self._link(item, parts),
            title=_title(parts),
            content=_first_html(parts, _CONTENT),
            summary=_first_html(parts, _SUMMARY),
            authors=_authors(self.names, parts),
            published=self._date(parts, _PUBLISHED),
            updated=self._date(parts, _UPDATED) or parse_date(_attribute(item, "lastmod"), self.language),
            tags=_tags(self.names, parts),
            guid=first_text([*parts.get("guid", ()), *parts.get("id", ()), *parts.get("atom:id", ())]),
            comments_feed=self._comments_feed(item, parts),
            comment_count=_comment_count(self.names, parts),
            in_reply_to=_in_reply_to(self.names, parts),
            author_url=self._author_url(item, parts),
            enclosures=self._enclosures(item, parts),
        )

    def resolve(self, element: etree._Element, link: str | None) -> str | None:
        """A link in full, if anything says what it is relative to; else as it stands."""
        if not link:
            return None
        return next(
            (full for base in self._bases(element) if (full := absolute(base, link))), _relative(link)
        )

    def _bases(self, element: etree._Element) -> Iterable[str | None]:
        base = None
        if any(XML_BASE in node.attrib for node in (element, *element.iterancestors())):
            base = absolute(self.url, element.base) or absolute(self.home, element.base)
        # RSS says nothing about relative links: its writers mean the site, unless the site named
        # is another one (a machine of theirs, a former address). Atom means the document.
        sites = [self.home, self.url]
        if self.kind == "atom" or (self.home and self.url and host_of(self.home) != host_of(self.url)):
            sites.reverse()
        return (*(place for place in (base, *sites) if place), None)

    def _link(self, item: etree._Element, parts: _Children) -> str | None:
        original = first_text(parts.get("feedburner:origlink", ()))
        link = _alternate(self.names, [*parts.get("link", ()), *parts.get("atom:link", ())])
        guid = next((found for element in parts.get("guid", ()) if (found := _permalink(element))), None)
        if guid and link and _REDIRECTOR.search(link) and _WEB.match(guid):
            link = guid
        identity = first_text([*parts.get("id", ()), *parts.get("atom:id", ())])
        about = next((str(value) for key, value in item.attrib.items() if str(key).endswith("about")), None)
        link = link or _attribute(item, "href")
        comments = first_text(parts.get("comments", ()))
        spare = (text for text in (identity, about, comments) if text and _WEB.match(text))
        return next(
            (full for text in (original, link, guid, *spare) if text and (full := self.resolve(item, text))),
            None,
        )

    def _date(self, parts: _Children, wanted: Iterable[str]) -> datetime | None:
        elements = (element for name in wanted for element in parts.get(name, ()))
        return next(
            (date for element in elements if (date := parse_date(text_of(element), self.language))), None
        )

    def _comments_feed(self, item: etree._Element, parts: _Children) -> str | None:
        link = first_text(parts.get("wfw:commentrss", ()))
        for element in (*parts.get("link", ()), *parts.get("atom:link", ())):
            said = self.names.attributes(element)
            if not link and said.get("rel") == "replies" and re.search("atom|rss|xml", said.get("type", "")):
                link = said.get("href")
        return self.resolve(item, link)

    def _enclosures(self, item: etree._Element, parts: _Children) -> tuple[str, ...]:
        """Files that are attached: `enclosure` of RSS, links of Atom that say they are; pages are none."""
        said = [self.names.attributes(element) for element in parts.get("enclosure", ())]
        links = [self.names.attributes(element) for element in (*parts.get("link", ()), *parts.get("atom:link", ()))]
        named = [
            *((each.get("url"), each.get("type", "")) for each in said),
            *((each.get("href"), each.get("type", "")) for each in links if each.get("rel", "").lower() == "enclosure"),
        ]
        full = (self.resolve(item, link) for link, kind in named if link and "html" not in kind)
        return tuple(dict.fromkeys(filter(None, full)))[:MOST_ENCLOSURES]

    def _author_url(self, item: etree._Element, parts: _Children) -> str | None:
        """The page of a writer (Atom). A feed names one for its blog's own writers as well."""
        for element in (*parts.get("author", ()), *parts.get("atom:author", ())):
            inner = self.names.children(element)
            if link := first_text([*inner.get("uri", ()), *inner.get("atom:uri", ()), *inner.get("url", ())]):
                return self.resolve(item, link)
        return None


def _kind(root: etree._Element) -> str:
    name = local_name(root)
    return {"feed": "atom", "rdf": "rdf"}.get(name, "rss")


def _items(root: etree._Element, channel: etree._Element, *, broken: bool) -> list[etree._Element]:
    found = root.iter("{*}item", "{*}entry", "{*}ITEM", "{*}Item")
    if broken:  # an element left open swallows the entries that follow
        return list(found)
    places = (root, channel)
    return [item for item in found if item.getparent() in places or _is_channel(item.getparent())]


def _is_channel(element: etree._Element | None) -> bool:
    return element is not None and local_name(element) in {"channel", "items"}


def _distinct(entries: Iterable[Entry]) -> Iterable[Entry]:
    """Entries without repetitions; entries that only share an id are different ones."""
    seen: set[tuple[object, ...]] = set()
    for entry in entries:
        key = (entry.guid, entry.link, entry.title, entry.published)
        if key not in seen or not any(key):
            seen.add(key)
            yield entry


def _title(parts: _Children) -> str | None:
    for element in (element for name in _TITLES for element in parts.get(name, ())):
        if words := plain(text_of(element), is_html=is_html(element)):
            return words
    return None


def _first_html(parts: _Children, wanted: Iterable[str]) -> str | None:
    elements = (element for name in wanted for element in parts.get(name, ()) if not element.get("src"))
    return next((text for element in elements if (text := html_of(element))), None)


def _authors(names_of: Names, parts: _Children) -> tuple[str, ...]:
    people = [
        first_text([*inner.get("name", ()), *inner.get("atom:name", ()), *inner.get("email", ())])
        if len(element) and (inner := names_of.children(element))
        else text_of(element)
        for name in _AUTHORS
        for element in parts.get(name, ())
    ]
    return names(people) or names([first_text(parts.get("itunes:author", ()))])


def _tags(names_of: Names, parts: _Children) -> tuple[str, ...]:
    own = tags(_tag(element) for name in _TAGS for element in parts.get(name, ()))
    if own:
        return own
    filed = [element for name in _MEDIA_TAGS for element in parts.get(name, ())]
    inner = [element for each in filed for element in names_of.children(each).get("itunes:category", ())]
    words = [word for element in parts.get("itunes:keywords", ()) for word in (text_of(element) or "").split(",")]
    return tags((*map(_tag, (*filed, *inner)), *words))


def _tag(element: etree._Element) -> str | None:
    said = element.attrib
    return str(said.get("label") or said.get("term") or said.get("text") or "") or own_text(element)


def _alternate(names_of: Names, elements: Iterable[etree._Element]) -> str | None:
    """The address of the page: a link's text, or the best of the links with `href`."""
    best: tuple[int, str] | None = None
    for element in elements:
        said = names_of.attributes(element)
        link = said.get("href") or text_of(element)
        if not link or said.get("rel", "alternate").lower() != "alternate":
            continue
        rank = 0 if "href" not in said or "html" in said.get("type", "html") else 1
        if best is None or rank < best[0]:
            best = (rank, link)
    return best[1] if best else None


def _permalink(guid: etree._Element) -> str | None:
    said = {str(key).lower(): str(value).lower() for key, value in guid.attrib.items()}
    text = text_of(guid)
    return (
        text
        if text and said.get("ispermalink") != "false" and re.match(r"(?:https?:/)?/", text, re.IGNORECASE)
        else None
    )


def _relative(link: str) -> str | None:
    """A link that nothing says the base of, if it can be one at all."""
    link = link.strip()
    return None if re.match(r"[a-z][a-z0-9+.-]*:", link, re.IGNORECASE) or re.search(r"\s", link) else link


def _comment_count(names_of: Names, parts: _Children) -> int | None:
    counts = [first_text(parts.get(name, ())) for name in ("slash:comments", "thr:total")]
    links = (*parts.get("link", ()), *parts.get("atom:link", ()))
    counts += [names_of.attributes(link).get("thr:count") for link in links]
    return next((int(count) for count in counts if count and re.fullmatch(r"[0-9]{1,9}", count)), None)


def _in_reply_to(names_of: Names, parts: _Children) -> str | None:
    """The id of the entry that is answered (RFC 4685), or its address."""
    for element in parts.get("thr:in-reply-to", ()):
        said = names_of.attributes(element)
        if answered := said.get("ref") or said.get("href"):
            return answered
    return None


def _attribute(element: etree._Element, name: str) -> str | None:
    """An attribute, whatever its case: the oldest feeds (CDF) say all in attributes, in capitals."""
    return next((str(value).strip() for key, value in element.attrib.items() if str(key).lower() == name), None)


def _home(reader: _Reader, channel: etree._Element, about: _Children) -> str | None:
    """The page that a feed says it belongs to, in full."""
    for elements in (about.get("link", ()), about.get("atom:link", ())):
        if link := _alternate(reader.names, elements):
            has_base = any(XML_BASE in node.attrib for node in (channel, *channel.iterancestors()))
            return absolute(absolute(reader.url, channel.base) if has_base else reader.url, link)
    return absolute(reader.url, _attribute(channel, "href"))


def _language(root: etree._Element, channel: etree._Element, about: _Children) -> str | None:
    stated = first_text([*about.get("language", ()), *about.get("dc:language", ())])
    language = stated or channel.get(XML_LANG) or root.get(XML_LANG)
    return str(language).strip().replace("_", "-")[:35] or None if language else None
