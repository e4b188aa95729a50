"""Broken feeds are read as far as they go, in bounded time, and the feed says what was wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.errors import EverlogError
from everlog.feeds import parse_feed
from everlog.feeds.parse import MAX_BYTES, MAX_ENTRIES

ITEM = (
    "<item><title>One</title><link>http://a.org/1</link>"
    "<description><![CDATA[<p>x & y</p>]]></description></item>"
    "<item><title>Two</title><link>http://a.org/2</link><pubDate>5 Mar 2019 10:00 GMT</pubDate></item>"
)
FEED = f'<?xml version="1.0"?><rss version="2.0"><channel><title>B</title>{ITEM}</channel></rss>'.encode()


def titles(body: bytes, content_type: str | None = None) -> list[str | None]:
    return [entry.title for entry in parse_feed(body, None, content_type).entries]


def test_a_well_formed_feed_has_no_problem() -> None:
    assert parse_feed(FEED).problem is None


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("One", "O&ne"),
        ("One", "O < ne"),
        ("One", "One<br>"),
        ("One", "One &#11;&#0;&#xD800;&nosuch;"),
        ("One", "<b>One</i>"),
        ("One</title>", "One"),
        ("</link>", "<link>"),
        ("</description>", ""),
        ("<title>", "<dc:title>x</dc:title><title>"),
        ("<title>", '<media:group a="1" a="2"><title>'),
        ("]]>", "]]> ]]>"),
        ("<description>", "<!-- <description>"),
        ("</channel></rss>", ""),
        ("</rss>", "</rss> and <more> & more"),
        ("</item>", ""),
    ],
)
def test_every_entry_of_a_broken_feed_is_found(was: str, now: str) -> None:
    feed = parse_feed(FEED.replace(was.encode(), now.encode(), 1))
    assert len(feed.entries) == 2
    assert feed.entries[1].title == "Two"


def test_what_was_repaired_is_said() -> None:
    problem = parse_feed(FEED.replace(b"One", b"O & ne")).problem
    assert problem is not None
    assert problem.startswith("not well-formed XML")
    assert problem.endswith("repaired")


def test_names_that_only_html_knows_become_their_letters() -> None:
    assert titles(FEED.replace(b"One", b"Caf&eacute; &amp; &hellip;"))[0] == "Café & …"


def test_prefixes_that_were_never_declared_are_understood() -> None:
    extra = b"<content:encoded>whole</content:encoded><dc:creator>Jo</dc:creator></item>"
    entry = parse_feed(FEED.replace(b"</item>", extra, 1)).entries[0]
    assert (entry.content, entry.authors) == ("whole", ("Jo",))


@pytest.mark.parametrize(
    "prefix",
    [
        b"\xef\xbb\xbf",
        b"\n\n  ",
        b"<br /><b>Warning</b>: x.php on line 3\n",
        b"<!-- <rss> cached -->",
        b"\0\x0b",
    ],
)
def test_what_stands_before_the_feed_does_not_matter(prefix: bytes) -> None:
    assert titles(prefix + FEED) == ["One", "Two"]


def test_a_feed_cut_off_anywhere_gives_the_entries_before_the_cut() -> None:
    second = FEED.rindex(b"<item>")
    for end in range(second, len(FEED), 3):
        assert titles(FEED[:end])[0] == "One"


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", "iso-8859-1"),
        ("utf-8", "no-such-encoding"),
        ("cp1252", "utf-8"),
        ("cp1252", "iso-8859-1"),
        ("cp1251", "windows-1251"),
        ("gb18030", "gb2312"),
        ("cp932", "Shift_JIS"),
        ("iso-2022-jp", "ISO-2022-JP"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-8"),
        ("utf-32-be", "utf-8"),
        ("utf-8", "utf-16"),
    ],
)
def test_the_encoding_in_use_beats_the_encoding_declared(encoding: str, declared: str) -> None:
    word = {"cp1251": "Привет", "gb18030": "你好", "cp932": "日記", "iso-2022-jp": "日記"}.get(
        encoding, "naïveté"
    )
    text = f'<?xml version="1.0" encoding="{declared}"?>' + FEED.decode()[21:].replace("One", word)
    assert titles(text.encode(encoding))[0] == word


def test_the_servers_charset_counts_where_the_feed_names_none() -> None:
    body = FEED.decode().replace("One", "Привет").encode("koi8-r")
    assert titles(body, "text/xml; charset=KOI8-R")[0] == "Привет"


def test_a_foreign_byte_in_a_utf8_feed_costs_only_itself() -> None:
    body = FEED.replace(b"One", "Übergrößen ".encode() + b"\xe9")
    assert titles(body)[0] == "Übergrößen \ufffd"


def test_entities_a_feed_defines_are_neither_expanded_nor_fetched() -> None:
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    types = f'<!DOCTYPE rss [<!ENTITY e0 "ha"><!ENTITY file SYSTEM "file:///etc/passwd">{bomb}]>'
    body = FEED.replace(b"<rss", types.encode() + b"<rss").replace(b"One", b"&e11;&file;")
    assert titles(body) == ["&e11;&file;", "Two"]


def test_entries_beyond_the_documented_maximum_are_left_out_with_a_word() -> None:
    body = b"<rss><channel>" + b"".join(b"<item><guid>%d</guid></item>" % n for n in range(MAX_ENTRIES + 5))
    feed = parse_feed(body + b"</channel></rss>")
    assert len(feed.entries) == MAX_ENTRIES
    assert feed.problem == f"more than {MAX_ENTRIES} entries; the first {MAX_ENTRIES} were kept"


def test_bytes_beyond_the_documented_maximum_are_left_out_with_a_word() -> None:
    feed = parse_feed(FEED + b" " * MAX_BYTES)
    assert len(feed.entries) == 2
    assert feed.problem == "larger than 64 MB; the rest was not read"


def test_links_left_open_in_a_broken_atom_feed_swallow_nothing() -> None:
    body = b"""<feed><entry><title>A & b</title><link href="/1"><id>x</id></entry>
    <entry><title>B<link href="/2"></link></entry></feed>"""
    assert [entry.link for entry in parse_feed(body).entries] == ["/1", "/2"]


@pytest.mark.parametrize(
    "piece", ["<b>", "<", "<!--", "<![CDATA[", "&", "<title>", "<item>", '<a x="', "]]>", "<?"]
)
def test_hostile_repetition_is_read_in_one_pass(piece: str) -> None:
    # 300 kB; anything quadratic would take minutes here.
    body = "<rss><channel><item><description>" + piece * (300_000 // len(piece))
    assert parse_feed(body.encode()).kind == "rss"


@given(st.binary(max_size=200))
def test_no_bytes_at_all_raise_anything_but_our_own_errors(body: bytes) -> None:
    for whole in (
        body,
        b"<rss><channel><item>" + body,
        b'{"items": [' + body,
        FEED[:150] + body + FEED[150:],
    ):
        try:
            parse_feed(whole)
        except EverlogError:
            continue


@given(
    st.lists(
        st.sampled_from(
            ["<item>", "</item>", "<title>", "</title>", "<entry>", "<a:b>", "</x:>",
             "<link ", "href='//[x'", "/>",
             ">", "<![CDATA[", "]]>", "&#x110000;", "&lt;", "<content type='xhtml'>", "<x:>", "xml:base='http://['",
             "é"]
        ),
        max_size=25,
    )
)  # fmt: skip
def test_no_order_of_tags_raises(pieces: list[str]) -> None:
    for root in ("<rss><channel>", '<feed xmlns="http://www.w3.org/2005/Atom">', "<rdf:RDF>"):
        parse_feed((root + "".join(pieces)).encode(), "https://a.org/")
