from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.feeds import sitemaps
from everlog.feeds.sitemaps import Sitemap, parse_sitemap, sitemaps_of_robots

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
ROW = "<url><loc>https://a.blog/{}</loc></url>"


def found(body: str | bytes, url: str | None = None) -> list[str]:
    return [address for address, _ in parse_sitemap(body.encode() if isinstance(body, str) else body, url).urls]


def test_pages_are_listed_with_the_time_they_changed():
    body = (
        f'<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet href="x.xsl"?><!-- plug-in --><urlset {NAMESPACE}>'
        "<url><loc>\n https://a.blog/1?a=1&amp;b=2 </loc><lastmod>2024-03-01T10:00:00+09:00</lastmod></url>"
        "<url><loc>https://a.blog/2</loc><lastmod>never</lastmod><priority>0.5</priority></url></urlset>"
    )
    (first, changed), (second, unknown) = parse_sitemap(body.encode()).urls
    assert first == "https://a.blog/1?a=1&b=2"
    assert changed is not None
    assert changed.isoformat() == "2024-03-01T10:00:00+09:00"
    assert (second, unknown) == ("https://a.blog/2", None)


def test_an_index_names_further_sitemaps():
    body = f"<sitemapindex {NAMESPACE}><sitemap><loc>https://a.blog/posts.xml</loc></sitemap></sitemapindex>"
    assert parse_sitemap(body.encode()) == Sitemap(maps=(("https://a.blog/posts.xml", None),))


def test_pictures_of_a_page_are_no_pages():
    picture = "<image:image><image:loc>https://a.blog/p.jpg</image:loc></image:image>"
    declared = f'<urlset {NAMESPACE} xmlns:image="http://x"><url>{picture}<loc>https://a.blog/1</loc></url></urlset>'
    assert found(declared) == found(declared.replace('xmlns:image="http://x"', "")) == ["https://a.blog/1"]


@pytest.mark.parametrize(
    "body",
    [
        f'<urlset xmlns="http://www.google.com/schemas/sitemap/0.84">{ROW.format(1)}</urlset>',
        f"<urlset>{ROW.format(1)}</urlset>",
        '<sm:urlset xmlns:sm="x"><sm:url><sm:loc>https://a.blog/1</sm:loc></sm:url></sm:urlset>',
        f"\ufeff\n <urlset>{ROW.format(1)}{ROW.format(1)}</urlset>",
        f"<b>Notice</b>: undefined index <br/>\n<urlset>{ROW.format(1)}</urlset>",
        f"<urlset>{ROW.format(1)}<url><loc>https://a.b",
        "<urlset><url><loc><![CDATA[https://a.blog/1]]></loc></url></urlset>",
        "https://a.blog/1\r\n\r\nhttps://a.blog/1\r\n",
        "<rss><channel><item><title>x</title><link>https://a.blog/1</link></item></channel></rss>",
    ],
)  # fmt: skip
def test_sitemaps_are_read_in_whatever_shape_they_come(body):
    assert found(body) == ["https://a.blog/1"]
    assert found(gzip.compress(body.encode())) == ["https://a.blog/1"]


def test_broken_xml_gives_what_stands_before_and_after_the_fault():
    body = f"<urlset>{ROW.format('1?a&b')}<url><loc>https://a.blog/2</url>{ROW.format(3)}</urlset>"
    assert "https://a.blog/3" in found(body)


@pytest.mark.parametrize(
    "body",
    [
        "", "<html><body>https://a.blog/1</body></html>", "Not found.\nhttps://a.blog/1", "{}", "\x1f\x8bbroken",
        "<urlset><url><loc>javascript:x</loc></url><url/><url><loc/></url></urlset>",
    ],
)
def test_what_is_no_sitemap_lists_nothing(body):
    assert parse_sitemap(body.encode("latin-1")) == Sitemap()


def test_relative_addresses_start_where_the_sitemap_lies():
    assert found("<urlset><url><loc>/1</loc></url></urlset>", "https://a.blog/s.xml") == ["https://a.blog/1"]
    assert found("<urlset><url><loc>/1</loc></url></urlset>") == []


def test_a_pack_that_breaks_off_gives_its_beginning():
    body = "<urlset>" + "".join(map(ROW.format, range(3000))) + "</urlset>"
    pack = gzip.compress(body.encode())
    assert 100 < len(found(pack[: len(pack) // 2])) < 3000
    assert len(found(gzip.compress(body[:5000].encode()) + gzip.compress(body[5000:].encode()))) == 3000


def test_a_bomb_is_cut():
    bomb = gzip.compress(b"<urlset>" + ROW.format(1).encode() + b" " * (sitemaps.MAX_BYTES + 1), compresslevel=1)
    sitemap = parse_sitemap(bomb)
    assert sitemap.urls == (("https://a.blog/1", None),)
    assert sitemap.problem == "larger than 50 MB; the rest was not read"


def test_entities_are_neither_expanded_nor_fetched():
    body = (
        '<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "https://a.blog/1"><!ENTITY f SYSTEM "file:///etc/hostname">]>'
        "<urlset><url><loc>&a;</loc></url><url><loc>https://a.blog/&f;2</loc></url></urlset>"
    )
    assert all("etc" not in url and "1" not in url for url in found(body))


def test_more_addresses_than_the_protocol_allows_are_cut():
    body = "<urlset>" + "".join(map(ROW.format, range(sitemaps.MAX_URLS + 5))) + "</urlset>"
    sitemap = parse_sitemap(body.encode())
    assert len(sitemap.urls) == sitemaps.MAX_URLS
    assert sitemap.problem is not None


def test_a_robots_file_names_sitemaps():
    text = (
        "\ufeffSitemap: https://a.blog/1.xml\r\nUser-agent: *\r\nDisallow: /x\r\n  sitemap :https://a.blog/2.xml.gz #\n"
        "# Sitemap: https://a.blog/no.xml\nSITEMAP: https://a.blog/1.xml\nSitemap: /3.xml\nSitemap:\n"
    )
    assert sitemaps_of_robots(text) == ("https://a.blog/1.xml", "https://a.blog/2.xml.gz")
    assert sitemaps_of_robots(text, "https://a.blog/robots.txt")[-1] == "https://a.blog/3.xml"


@given(st.binary(max_size=200), st.booleans())
def test_no_bytes_break_it(body, packed):
    start = b"\x1f\x8b" if packed else b"<urlset><url><loc>"
    assert isinstance(parse_sitemap(start + body), Sitemap)
