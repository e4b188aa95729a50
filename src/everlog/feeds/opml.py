"""Lists of blogs as feed readers write them."""

from __future__ import annotations

from lxml import etree

from everlog.core.attributes import bounded_xml
from everlog.core.urls import absolute
from everlog.feeds.decoding import decode


def blogs_of_opml(body: bytes) -> list[str] | None:
    """The addresses of an OPML list's blogs, in order; None if these bytes are no OPML.

    A blog that only names its feed is known by that: a crawl finds its way from there.

    >>> blogs_of_opml(b'<opml><body><outline text="A" htmlUrl="http://a.example/" xmlUrl="http://a.example/f"/></body></opml>')
    ['http://a.example/']
    >>> blogs_of_opml(b"http://a.example/") is None
    True
    """
    if b"<opml" not in body[:2000].lower():
        return None
    parser = etree.XMLParser(
        encoding="utf-8", recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
    )
    try:
        root = etree.fromstring(bounded_xml(decode(body).encode()), parser)
    except etree.XMLSyntaxError:
        return None
    if root is None:
        return None
    found: dict[str, None] = {}
    for outline in root.iter("outline"):
        attributes = {str(name).lower(): str(value) for name, value in outline.attrib.items()}
        url = absolute(None, attributes.get("htmlurl")) or absolute(None, attributes.get("xmlurl"))
        if url is not None:
            found[url] = None
    return list(found)
