"""Files that entries of feeds attach."""

from __future__ import annotations

import json

from everlog.feeds import parse_feed

RSS = b"""<rss version="2.0"><channel><link>https://a.blog/</link><item><link>https://a.blog/1</link>
<enclosure url="/1.mp3" length="9" type="audio/mpeg"/><enclosure url="https://cdn.example/1.ogg" type="audio/ogg"/>
<enclosure url="/player/1" type="text/html"/></item><item><link>https://a.blog/2</link></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://a.blog/1"/>
<link rel="enclosure" type="audio/mpeg" href="https://a.blog/1.mp3"/></entry></feed>"""


def enclosures(body: bytes) -> list[tuple[str, ...]]:
    return [entry.enclosures for entry in parse_feed(body, "https://a.blog/feed").entries]


def test_rss_names_files_in_enclosures():
    assert enclosures(RSS) == [("https://a.blog/1.mp3", "https://cdn.example/1.ogg"), ()]


def test_atom_names_files_in_links():
    assert enclosures(ATOM) == [("https://a.blog/1.mp3",)]


def test_json_feeds_name_files_in_attachments():
    item = {"id": "1", "url": "https://a.blog/1", "attachments": [{"url": "1.mp3"}, {"mime_type": "audio/mpeg"}, 7]}
    feed = {"version": "https://jsonfeed.org/version/1.1", "items": [item, {"id": "2", "attachments": 7}]}
    assert enclosures(json.dumps(feed).encode()) == [("https://a.blog/1.mp3",), ()]
