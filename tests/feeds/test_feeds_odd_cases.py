"""Rare spellings of feeds. The public cases of other feed readers and validators found them; the data is our own.

Each row says what a reader of the feed sees, and what the feed's source does to hide it.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from everlog.feeds import parse_feed
from everlog.feeds.feed_dates import parse_date

if TYPE_CHECKING:
    from everlog.records import Entry, Feed

NAMESPACES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/" '
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
)
URL = "https://ferry.example/log/feed"


def in_base64(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def rss(inside: str | bytes, declaration: bytes = b"") -> Feed:
    inside = inside.encode() if isinstance(inside, str) else inside
    return parse_feed(
        declaration + b'<rss version="2.0" ' + NAMESPACES.encode() + b"><channel>" + inside + b"</channel></rss>", URL,
    )


def item(inside: str | bytes, declaration: bytes = b"") -> Entry:
    inside = inside.encode() if isinstance(inside, str) else inside
    return rss(b"<item>" + inside + b"</item>", declaration).entries[0]


def atom(inside: str, namespace: str = "http://www.w3.org/2005/Atom", attributes: str = "") -> Feed:
    return parse_feed(f'<feed xmlns="{namespace}" {attributes}>{inside}</feed>'.encode(), URL)


def entry(inside: str, namespace: str = "http://www.w3.org/2005/Atom") -> Entry:
    return atom(f"<entry>{inside}</entry>", namespace).entries[0]


TIDE = "<p>High tide at <b>six</b></p>"
ATOM_03 = "http://purl.org/atom/ns#"


@pytest.mark.parametrize(
    ("given", "field", "seen"),
    [
        pytest.param(
            entry(f'<content mode="base64">\n {in_base64(TIDE)}\n</content>', ATOM_03), "content", TIDE,
            id="an article in base64, as Atom 0.3 marks it",
        ),
        pytest.param(
            entry(f'<content type="application/octet-stream">{in_base64(TIDE)}</content>'), "content", TIDE,
            id="an article in base64, as the type of Atom 1.0 means it",
        ),
        pytest.param(
            entry(f'<summary type="application/octet-stream">{in_base64("At six")}</summary>'), "summary", "At six",
            id="a summary in base64",
        ),
        pytest.param(
            entry(f'<title mode="base64">{in_base64("High <b>tide</b>")}</title>', ATOM_03), "title", "High tide",
            id="a title in base64",
        ),
        pytest.param(
            entry('<content type="application/octet-stream">plain words</content>'), "content", "plain words",
            id="words under a type that asks for base64",
        ),
        pytest.param(
            entry(f'<content type="image/png">{in_base64(bytes(range(40)))}</content>'), "content", None,
            id="a picture in place of the article",
        ),
        pytest.param(
            entry('<content type="application/xhtml+xml"><p xmlns="urn:x">Six</p></content>'), "content", "<p>Six</p>",
            id="markup under a media type",
        ),
        pytest.param(
            item("<fullitem>&lt;p&gt;All of it&lt;/p&gt;</fullitem><description>Some</description>"), "content",
            "<p>All of it</p>", id="the article in an element of the feed's own",
        ),
        pytest.param(item("<body>&lt;p&gt;All&lt;/p&gt;</body>"), "content", "<p>All</p>", id="the article in a body"),
        pytest.param(
            item('<body xmlns="http://www.w3.org/1999/xhtml"><p>All</p></body>'), "content", "<p>All</p>",
            id="the article in a body of XHTML",
        ),
        pytest.param(
            item("<title>The ferry</title><media:title>DSC_0042</media:title><itunes:title>Nr 7</itunes:title>"),
            "title", "The ferry", id="a post's title, not its picture's or its recording's",
        ),
        pytest.param(
            item("<media:title>DSC_0042</media:title><title>The ferry</title>"), "title", "The ferry",
            id="the same in the other order",
        ),
        pytest.param(item("<itunes:title>Nr 7</itunes:title>"), "title", "Nr 7", id="a recording alone"),
        pytest.param(item("<media:title>The pier</media:title>"), "title", "The pier", id="a picture alone"),
        pytest.param(
            item('<media:content><media:title>The pier</media:title></media:content>'), "title", None,
            id="the title of one picture among the post's",
        ),
        pytest.param(
            item("<category>boats</category><media:category>jpg</media:category><itunes:keywords>x</itunes:keywords>"),
            "tags", ("boats",), id="a post's categories, not its picture's",
        ),
        pytest.param(
            item('<itunes:category text="Travel"><itunes:category text="Islands"/></itunes:category>'), "tags",
            ("Travel", "Islands"), id="a recording's category in a category",
        ),
        pytest.param(
            item("<itunes:keywords>ferry, tide,ferry</itunes:keywords>"), "tags", ("ferry", "tide"),
            id="a recording's keywords",
        ),
        pytest.param(
            item('<media:category label="Boats">b1</media:category>'), "tags", ("Boats",),
            id="a picture's category that has a label",
        ),
        pytest.param(
            item("<category>boats<image><title>A boat</title></image></category>"), "tags", ("boats",),
            id="a category with a picture in it",
        ),
        pytest.param(
            item("<title>Tide &lt;script&gt;count(1)&lt;/script&gt;tables</title>"), "title", "Tide tables",
            id="a title with a script",
        ),
        pytest.param(
            item("<title><![CDATA[Tide <style>b {color: red}</style>tables<!-- draft -->]]></title>"), "title",
            "Tide tables", id="a title with a style and a comment",
        ),
        pytest.param(
            entry(
                '<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Tide '
                "<script>count(1)</script>tables</div></title>"
            ),
            "title", "Tide tables", id="a title with a script as an element",
        ),
        pytest.param(
            item("<title>Why &lt;script&gt; is slow</title>"), "title", "Why <script> is slow",
            id="a title that is about a script",
        ),
        pytest.param(item("<title>don&#146;t &#x93;go&#148;</title>"), "title", "don’t “go”", id="Windows' numbers"),
        pytest.param(
            item("<title><![CDATA[don&#146;t]]></title>"), "title", "don’t", id="Windows' numbers in escaped HTML",
        ),
        pytest.param(item("<title>don\x92t</title>"), "title", "don’t", id="a Windows apostrophe made UTF-8"),
        pytest.param(
            item(b"<title>don\x92t</title>", b'<?xml version="1.0" encoding="iso-8859-1"?>'), "title", "don’t",
            id="a Windows apostrophe said to be Latin-1",
        ),
        pytest.param(
            item("<title>\N{LATIN SMALL LETTER E WITH ACUTE}t\xe9 ".encode() + b"don\x92t, ma\xf1ana</title>"), "title",
            "été don’t, mañana", id="Windows letters among UTF-8",
        ),
        pytest.param(
            item("<title>\xe9t\xe9 caf".encode() + b"\xc3...</title>"), "title", "été caf\ufffd...",
            id="UTF-8 that was cut inside a letter",
        ),
        pytest.param(item("<title>Fish & chips &#X26; peas</title>"), "title", "Fish & chips & peas", id="a capital X"),
        pytest.param(item("<author>Pat O'Dea &lt;p.o'dea@a.org&gt;</author>"), "authors", ("Pat O'Dea",), id="an O'"),
    ],
)
def test_an_entry_is_read_as_people_see_it(given: Entry, field: str, seen: Any) -> None:
    assert getattr(given, field) == seen


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2003", "2003-01-01T00:00:00+00:00"),
        ("2002-12", "2002-12-01T00:00:00+00:00"),
        ("20021231", "2002-12-31T00:00:00+00:00"),
        ("20021231T192030Z", "2002-12-31T19:20:30+00:00"),
        ("20021231T19:20:30.45+01:00", "2002-12-31T19:20:30.450000+01:00"),
        ("2002-12-31T192030+01:00", "2002-12-31T19:20:30+01:00"),
        ("20021231 1920 +0100", "2002-12-31T19:20:00+01:00"),
        ("Tue Dec 31 19:20:30 +0100 2002", "2002-12-31T19:20:30+01:00"),
        ("Tue, 31 Dec 2002 19:20:30 PT", "2002-12-31T19:20:30-08:00"),
        ("2002. december 31. 19:20", "2002-12-31T19:20:00+00:00"),
        ("2002-július-31T9:20+02:00", "2002-07-31T09:20:00+02:00"),
        ("2002년 12월 31일 19:20:30", "2002-12-31T19:20:30+00:00"),
        ("2002-12-31 오후 7:20:30", "2002-12-31T19:20:30+00:00"),
        ("2002/12/31 上午 7:20", "2002-12-31T07:20:00+00:00"),
    ],
)
def test_a_date_may_be_short_or_without_its_signs(text: str, expected: str) -> None:
    found = parse_date(text)
    assert found is not None
    assert found.isoformat() == expected


@pytest.mark.parametrize("text", ["0203", "2002-13", "12", "20021", "2002-12-", "20021331", "2002 posts"])
def test_a_number_is_not_a_date(text: str) -> None:
    assert parse_date(text) is None


def test_a_channel_of_1997_says_all_in_capitals_and_attributes() -> None:
    feed = parse_feed(
        b"""<CHANNEL HREF="http://ferry.example/"><TITLE>Ferry log</TITLE>
        <ITEM HREF="http://ferry.example/1.html" LASTMOD="1997-11-05T08:15-0500"><TITLE>First crossing</TITLE>
        <ABSTRACT>It was calm.</ABSTRACT></ITEM></CHANNEL>""",
        URL,
    )
    entry = feed.entries[0]
    assert (feed.home, feed.title) == ("http://ferry.example/", "Ferry log")
    assert (entry.link, entry.title, entry.summary) == ("http://ferry.example/1.html", "First crossing", "It was calm.")
    assert entry.updated is not None
    assert entry.updated.isoformat() == "1997-11-05T08:15:00-05:00"


def test_the_home_of_a_feed_starts_at_the_base_that_it_states() -> None:
    feed = atom('<link href="log.html"/>', attributes='xml:base="https://ferry.example/2024/"')
    assert feed.home == "https://ferry.example/2024/log.html"


def test_deep_markup_in_a_title_does_not_end_the_reading() -> None:
    depth = 1_500
    title = '<title type="xhtml">' + "<b>" * depth + "Deep" + "</b>" * depth + "</title>"
    assert entry(title).title == "Deep"


def test_json_has_windows_apostrophes_as_well() -> None:
    feed = parse_feed(b'{"version": "1", "items": [{"id": "1", "title": "don\\u0092t"}]}')
    assert feed.entries[0].title == "don’t"
