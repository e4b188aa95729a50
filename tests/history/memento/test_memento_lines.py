"""Lists of captures in every format that web archives write, whole and broken."""

from __future__ import annotations

import json

import pytest

from everlog.history.memento.memento_lines import http_moment, read_listing

HEADER = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest"]
ROWS = [
    ["org,a)/", "20190102030405", "http://www.a.org:80/", "text/html", "200", "AAA"],
    ["org,a)/x", "20200102030405", "https://a.org/x", "warc/revisit", "-", "BBB"],
]
LINK = """<http://w.org/timemap/link/http://a.org/x>; rel="self"; type="application/link-format",
<http://w.org/http://a.org/x>; rel="timegate",
<http://a.org/x>; rel="original",
<http://w.org/20200102030405mp_/http://a.org/x>; rel="first memento"; datetime="Thu, 02 Jan 2020 03:04:05 GMT",
<http://w.org/20210102030405mp_/http://a.org/x>; rel="memento"; datetime="Sat, 02 Jan 2021 03:04:05 GMT"; license="a,b"
"""


def as_text(rows):
    return "[" + ",\n ".join(json.dumps(row) for row in rows) + "]"


def pywb_line(row):
    names = ("urlkey", "timestamp", "url", "mime", "status", "digest")
    return dict(zip(names, row, strict=True))


FORMATS = {
    "rows": as_text([HEADER, *ROWS]),
    "rows without a header": as_text(ROWS),
    "objects": "".join(json.dumps(pywb_line(row)) + "\n" for row in ROWS),
    "cdxj": "".join(
        f"{row[0]} {row[1]} {json.dumps(dict(list(pywb_line(row).items())[2:]))}\n" for row in ROWS
    ),
    "cdx of seven columns": "".join(" ".join([*row, "512"]) + "\n" for row in ROWS),
    "cdx of eleven columns": " CDX N b a m s k r M S V g\n" + "".join(
        " ".join([*row, "-", "-", "512", "77", "a.warc.gz"]) + "\n" for row in ROWS
    ),
}


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS)
def test_every_format_says_the_same(text):
    listing = read_listing(text.encode())
    assert [(each.url, each.stamp, each.status, each.media_type, each.digest) for each in listing.mementos] == [
        ("http://www.a.org:80/", "20190102030405", 200, "text/html", "AAA"),
        ("https://a.org/x", "20200102030405", None, "warc/revisit", "BBB"),
    ]
    assert listing.is_whole
    assert [each.is_revisit for each in listing.mementos] == [False, True]


def test_a_time_map_names_captures_and_where_they_are():
    listing = read_listing(LINK.encode())
    assert [(each.url, each.stamp) for each in listing.mementos] == [
        ("http://a.org/x", "20200102030405"), ("http://a.org/x", "20210102030405"),
    ]
    assert listing.mementos[0].address == "http://w.org/20200102030405mp_/http://a.org/x"
    assert listing.is_whole


def test_a_time_map_of_many_captures_names_further_ones():
    page = '<http://w.org/timemap/2/http://a.org/>; rel="timemap"; from="Thu, 02 Jan 2020 03:04:05 GMT"'
    assert read_listing(page.encode()).further == ("http://w.org/timemap/2/http://a.org/",)


@pytest.mark.parametrize("text", [
    as_text([HEADER, *ROWS])[:-30], FORMATS["objects"][:-30], FORMATS["cdxj"][:-30], LINK[:-60],
])
def test_a_list_that_breaks_off_is_read_as_far_as_it_goes(text):
    listing = read_listing(text.encode())
    assert not listing.is_whole
    assert len(listing.mementos) == 1


def test_a_row_that_is_broken_does_not_hide_the_others():
    listing = read_listing(b'[["a" "b"],\n' + json.dumps(ROWS[0]).encode() + b",\n[")
    assert [each.url for each in listing.mementos] == ["http://www.a.org:80/"]


def test_a_resume_key_stands_behind_an_empty_row():
    listing = read_listing(as_text([HEADER, *ROWS, [], ["org%2Ca%29%2Fx+20200102030405%21"]]).encode())
    assert listing.resume_key == "org%2Ca%29%2Fx+20200102030405%21"
    assert len(listing.mementos) == 2


@pytest.mark.parametrize("row", [
    ["org,a)/", "2019", "http://a.org/", "text/html", "200", "A"],
    ["org,a)/", "20191302030405", "http://a.org/", "text/html", "200", "A"],
    ["org,a)/", "20190102030405", "javascript:x()", "text/html", "200", "A"],
    ["org,a)/", "20190102030405", "dns:a.org", "text/dns", "-", "A"],
    ["org,a)/"],
])
def test_what_is_no_capture_is_left_out(row):
    assert not read_listing(as_text([HEADER, row]).encode())
    assert not read_listing((" ".join(row) + "\n").encode())


@pytest.mark.parametrize("body", [
    b"", b"\xff\xfe\x00", b"[" * 100_000, b"{" * 100_000, b"<" * 100_000, b"[1, 2]", b'{"a": 1}\n', b"null\n",
    b"<html>rel=x</html>", b'{"timestamp": 3, "url": []}\n', b'[[["a"]]]', b"a b c d e f\n" * 3,
    b"a 20190102030405 []\n",
])
def test_nonsense_says_nothing(body):
    assert not read_listing(body)


def test_a_date_without_a_zone_or_sense_is_none():
    assert http_moment("yesterday") is None
    assert http_moment(None) is None
    assert http_moment("Thu, 02 Jan 2020 03:04:05 +0200").isoformat() == "2020-01-02T01:04:05+00:00"
