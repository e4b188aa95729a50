"""What a feed says, whichever format it is in."""

from __future__ import annotations

from datetime import timedelta

import pytest

from everlog.errors import UnreadableFeed
from everlog.feeds import parse_feed
from everlog.records import Entry, Feed

NAMESPACES = (
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:wfw="http://wellformedweb.org/CommentAPI/" xmlns:slash="http://purl.org/rss/1.0/modules/slash/" '
    'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:thr="http://purl.org/syndication/thread/1.0" '
    'xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0" '
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
)
URL = "https://a.org/blog/feed/"


def rss(items: str, channel: str = "<link>https://a.org/blog/</link>") -> Feed:
    body = f'<rss version="2.0" {NAMESPACES}><channel>{channel}{items}</channel></rss>'
    return parse_feed(body.encode(), URL)


def rss_entry(inside: str) -> Entry:
    return rss(f"<item>{inside}</item>").entries[0]


def atom(inside: str, attributes: str = "") -> Feed:
    body = f'<feed xmlns="http://www.w3.org/2005/Atom" {attributes}>{inside}</feed>'
    return parse_feed(body.encode(), URL)


def atom_entry(inside: str) -> Entry:
    return atom(f"<entry>{inside}</entry>").entries[0]


def test_an_rss_feed_tells_all_it_knows_of_a_post() -> None:
    feed = rss(
        """<item><title>First &amp;amp; last</title><link>https://a.org/1</link>
        <dc:creator><![CDATA[Jo Doe]]></dc:creator><pubDate>Tue, 05 Mar 2019 10:00:00 +0100</pubDate>
        <category><![CDATA[Food]]></category><category>R&amp;amp;D</category><category>Food</category>
        <guid isPermaLink="false">https://a.org/?p=1</guid>
        <description><![CDATA[<p>Short</p>]]></description>
        <content:encoded><![CDATA[<p>The whole</p>]]></content:encoded>
        <wfw:commentRss>https://a.org/1/feed/</wfw:commentRss><slash:comments>3</slash:comments></item>""",
        "<title>A blog</title><link>https://a.org/blog/</link><language>pt_BR</language>"
        "<managingEditor>ed@a.org (Ed Itor)</managingEditor>",
    )
    entry = feed.entries[0]
    assert (feed.kind, feed.title, feed.home, feed.language) == (
        "rss",
        "A blog",
        "https://a.org/blog/",
        "pt-BR",
    )
    assert (feed.authors, feed.problem, feed.url) == (("Ed Itor",), None, URL)
    assert (entry.title, entry.link, entry.authors) == ("First & last", "https://a.org/1", ("Jo Doe",))
    assert entry.published is not None
    assert entry.published.isoformat() == "2019-03-05T10:00:00+01:00"
    assert (entry.content, entry.summary) == ("<p>The whole</p>", "<p>Short</p>")
    assert (entry.tags, entry.guid) == (("Food", "R&D"), "https://a.org/?p=1")
    assert (entry.comments_feed, entry.comment_count) == ("https://a.org/1/feed/", 3)


def test_an_atom_feed_tells_all_it_knows_of_a_post() -> None:
    feed = atom(
        """<title>A blog</title><link rel="self" href="/feed"/><link href="https://a.org/"/>
        <link rel="next" href="?page=2"/><link rel="prev-archive" href="/old.atom"/>
        <author><name>Jo</name><email>jo@a.org</email></author>
        <entry xmlns:thr="http://purl.org/syndication/thread/1.0">
        <title type="html">A &lt;i&gt;b&lt;/i&gt;</title>
        <id>tag:a.org,2019:1</id><link rel="edit" href="/edit"/>
        <link type="application/pdf" href="/1.pdf"/><link rel="replies" type="application/atom+xml"
        href="/1/comments" thr:count="4"/><link rel="alternate" type="text/html" href="/1"/>
        <author><name>Al</name></author><author><name>Bo</name></author>
        <published>2019-03-05T10:00:00.5-03:00</published><updated>2020-01-01T00:00:00Z</updated>
        <category scheme="http://schemas.a.org/kind" term="http://schemas.a.org/kind#post"/>
        <category term="ab12" label="Food"/><category term="Drink"/>
        <summary>Short</summary>
        <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Whole<br/></p></div></content>
        <source><title>Elsewhere</title><author><name>No one</name></author></source></entry>""",
        'xml:lang="de"',
    )
    entry = feed.entries[0]
    assert (feed.kind, feed.language, feed.home, feed.authors) == ("atom", "de", "https://a.org/", ("Jo",))
    assert feed.next_pages == ("https://a.org/blog/feed/?page=2", "https://a.org/old.atom")
    assert (entry.title, entry.link, entry.guid) == ("A b", "https://a.org/1", "tag:a.org,2019:1")
    assert entry.authors == ("Al", "Bo")
    assert entry.published is not None
    assert entry.published.utcoffset() == timedelta(hours=-3)
    assert entry.updated is not None
    assert (entry.content, entry.summary) == ("<div><p>Whole<br></p></div>", "Short")
    assert entry.tags == ("Food", "Drink")
    assert (entry.comments_feed, entry.comment_count) == ("https://a.org/1/comments", 4)


def test_rss_1_0_keeps_its_items_beside_the_channel() -> None:
    feed = parse_feed(
        b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>B</title><link>http://a.org/</link>
        <items><rdf:Seq><rdf:li rdf:resource="http://a.org/1"/></rdf:Seq></items></channel>
        <item rdf:about="http://a.org/1"><title>One</title><dc:date>2004-05-06T07:08+09:00</dc:date>
        <dc:subject>Go</dc:subject></item></rdf:RDF>"""
    )
    entry = feed.entries[0]
    assert (feed.kind, entry.link, entry.title, entry.tags) == ("rdf", "http://a.org/1", "One", ("Go",))
    assert entry.published is not None
    assert entry.published.isoformat() == "2004-05-06T07:08:00+09:00"


def test_atom_0_3_has_other_names_for_dates_and_escapes_by_mode() -> None:
    feed = parse_feed(
        b"""<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry><title>One</title>
        <link rel="alternate" type="text/html" href="http://a.org/1"/><issued>2004-05-06T07:08:09Z</issued>
        <modified>2004-05-07T07:08:09Z</modified>
        <content type="text/html" mode="base64">PHA+SGk8L3A+</content></entry></feed>"""
    )
    entry = feed.entries[0]
    assert entry.published is not None
    assert entry.updated is not None
    assert (entry.published.day, entry.updated.day, entry.content) == (6, 7, "<p>Hi</p>")


def test_a_json_feed_tells_the_same() -> None:
    feed = parse_feed(
        b"""{"version": "https://jsonfeed.org/version/1.1", "title": "B", "home_page_url": "https://a.org/",
        "next_url": "/feed2.json", "language": "en", "authors": [{"name": "Jo"}],
        "items": [{"id": 7, "url": "/1", "title": "One", "content_html": "<p>x</p>", "summary": "s",
        "date_published": "2020-02-02T02:02:02+02:00", "tags": ["a", "a", 3],
        "author": {"name": "Al"}},
        {"id": "https://a.org/2", "content_text": "1 < 2"}, "junk",
        {"id": "\\ud800", "tags": 1, "author": []}]}""",
        "https://a.org/feed.json",
    )
    first, second, third = feed.entries
    assert (feed.kind, feed.authors, feed.next_pages) == ("json", ("Jo",), ("https://a.org/feed2.json",))
    assert (first.link, first.guid, first.tags, first.authors) == ("https://a.org/1", "7", ("a",), ("Al",))
    assert (first.content, first.summary) == ("<p>x</p>", "s")
    assert (second.link, second.content) == ("https://a.org/2", "1 &lt; 2")
    assert third == Entry(link=None)


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<link>/1</link>", "https://a.org/1"),
        ("<link>\n  1 </link>", "https://a.org/blog/1"),
        ("<link>//a.org/1</link>", "https://a.org/1"),
        ('<atom:link href="/1"/>', "https://a.org/1"),
        ("<guid>https://a.org/1</guid>", "https://a.org/1"),
        ('<guid isPermaLink="false">https://a.org/1</guid>', None),
        ("<guid>post-1</guid>", None),
        (
            "<link>https://track.er/9</link><feedburner:origLink>https://a.org/1</feedburner:origLink>",
            "https://a.org/1",
        ),
        ("<link>http://feedproxy.example/~r/a/1</link><guid>https://a.org/1</guid>", "https://a.org/1"),
        ("<link>javascript:x()</link>", None),
        ("<comments>https://a.org/1#comments</comments>", "https://a.org/1#comments"),
    ],
)
def test_the_link_is_found_wherever_the_feed_keeps_it(inside: str, expected: str | None) -> None:
    assert rss_entry(inside).link == expected


def test_relative_links_start_at_xml_base_then_at_the_site_then_at_the_feed() -> None:
    based = atom('<entry xml:base="https://b.org/x/"><link href="1"/></entry>').entries[0]
    assert based.link == "https://b.org/x/1"
    assert rss("<item><link>1</link></item>", "<link>https://a.org/site/</link>").entries[0].link == (
        "https://a.org/site/1"
    )
    assert rss("<item><link>/1</link></item>", "<link>http://localhost:4000</link>").entries[0].link == (
        "https://a.org/1"
    )


def test_a_relative_link_stays_as_it_is_where_nothing_says_its_base() -> None:
    feed = parse_feed(b"<rss><channel><item><link>/1</link></item></channel></rss>")
    assert feed.entries[0].link == "/1"


def test_a_description_alone_is_the_summary() -> None:
    entry = rss_entry("<description>&lt;p&gt;All of it&lt;/p&gt;</description>")
    assert (entry.summary, entry.content) == ("<p>All of it</p>", None)


def test_markup_that_was_not_escaped_is_kept_as_markup() -> None:
    assert rss_entry("<description>a <b>b</b> &amp; c</description>").summary == "a <b>b</b> &amp; c"


def test_declared_plain_text_is_not_read_as_markup() -> None:
    assert atom_entry('<summary type="text">List&lt;T&gt;</summary>').summary == "List&lt;T&gt;"


def test_content_that_lies_elsewhere_is_not_content() -> None:
    assert atom_entry('<content src="https://a.org/1.mp3" type="audio/mpeg">x</content>').content is None


def test_content_in_broken_base64_is_not_content() -> None:
    assert atom_entry('<content mode="base64">a</content>').content is None


def test_elements_of_unknown_namespaces_are_passed_over() -> None:
    inside = '<x:title xmlns:x="urn:x">No</x:title><title>Yes</title>'
    inside += '<description><x:p xmlns:x="urn:x" x:a="">T</x:p></description>'
    entry = rss_entry(inside)
    assert (entry.title, entry.summary) == ("Yes", "<p>T</p>")


def test_media_titles_and_nested_items_are_not_the_entrys() -> None:
    inside = (
        '<media:title xmlns:media="http://search.yahoo.com/mrss/">Picture</media:title><title>Post</title>'
    )
    assert rss_entry(inside).title == "Post"
    assert len(rss("<item><title>x</title><description><item>y</item></description></item>").entries) == 1


def test_an_entry_with_only_an_updated_date_has_no_published_date() -> None:
    entry = atom_entry("<updated>2019-03-05T10:00:00Z</updated>")
    assert entry.published is None
    assert entry.updated is not None


def test_podcast_authors_count_where_no_other_is_named() -> None:
    assert rss_entry("<itunes:author>Jo</itunes:author>").authors == ("Jo",)
    assert rss_entry("<itunes:author>Jo</itunes:author><author>al@a.org (Al)</author>").authors == ("Al",)


@pytest.mark.parametrize("count", ["many", "-1", "", "9" * 40])
def test_a_comment_count_that_is_no_number_is_not_one(count: str) -> None:
    assert rss_entry(f"<slash:comments>{count}</slash:comments>").comment_count is None


def test_repeated_entries_are_kept_once_and_entries_that_share_an_id_both() -> None:
    one, two = "<item><guid>x</guid><title>1</title></item>", "<item><guid>x</guid><title>2</title></item>"
    assert [entry.title for entry in rss(one + one + two).entries] == ["1", "2"]


def test_a_feed_without_entries_is_a_feed_with_a_problem() -> None:
    feed = rss("")
    assert (feed.entries, feed.problem) == ((), "no entries")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "empty"),
        (b" \n\xef\xbb\xbf", "not a feed"),
        (b"<!DOCTYPE html><html><body>hi <rss> </body></html>", "HTML page"),
        (b"hello", "not a feed"),
        (b"<urlset><url/></urlset>", "not a feed"),
        (b'{"a": 1}', "items"),
        (b"[1]", "items"),
        (b'{"items": [', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\x89PNG\r\n\x1a\n\x00", "not a feed"),
    ],
)
def test_what_is_no_feed_is_refused_with_advice(body: bytes, said: str) -> None:
    with pytest.raises(UnreadableFeed, match=said) as caught:
        parse_feed(body, URL)
    assert caught.value.advice
    assert URL in str(caught.value)
