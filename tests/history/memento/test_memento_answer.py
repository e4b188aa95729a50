"""Captures as the answers of the blog's own server."""

from __future__ import annotations

from datetime import UTC, datetime

from everlog.history.memento.memento_answer import original_of
from everlog.records import Exchange, Fetched

AT = datetime(2026, 1, 1, tzinfo=UTC)
URL = "http://a.org/x?y=1"
RAW = "https://w.org/web/20200102030405id_/"


def capture(*headers, address=RAW + URL, status=200):
    last = Exchange(url=address, status=status, headers=tuple(headers), body=b"<p>", fetched_at=AT)
    return Fetched(url=address, exchanges=(last,))


def test_a_capture_is_labelled_with_its_time_and_where_it_was_taken_from():
    found = original_of(capture(("Content-Type", "text/html")), URL)
    assert (found.url, found.status, found.body) == (URL, 200, b"<p>")
    assert (found.origin, found.source_uri, found.fetched_at) == ("memento", RAW + URL, AT)
    assert found.captured_at == datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_the_archive_says_when_it_captured_it():
    said = capture(("Memento-Datetime", "Fri, 03 Jan 2020 00:00:00 GMT"))
    assert original_of(said, URL).captured_at == datetime(2020, 1, 3, tzinfo=UTC)
    elsewhere = capture(address="https://w.org/c/17")
    assert original_of(elsewhere, URL, stamp="20200102030405").captured_at.year == 2020
    assert original_of(elsewhere, URL) == "the archive does not say when it was captured"


def test_the_headers_are_those_of_then():
    found = original_of(capture(
        ("X-Archive-Orig-Last-Modified", "then"), ("X-Archive-Orig-Content-Encoding", "gzip"),
        ("X-Archive-Orig-Content-Length", "3"), ("Content-Type", "text/html; charset=latin-1"), ("Server", "archive"),
    ), URL)
    assert found.headers == (("Last-Modified", "then"), ("Content-Type", "text/html; charset=latin-1"))
    both = original_of(capture(("x-archive-orig-content-type", "text/plain"), ("Content-Type", "text/html")), URL)
    assert both.header("content-type") == "text/plain"


def test_a_capture_of_another_address_is_not_taken_for_this_one():
    led = capture(address="https://w.org/web/20200102030405id_/http://a.org/")
    assert original_of(led, URL) == "captured as a redirect to http://a.org/"
    named = capture(("Link", '<http://b.org/>; rel="original", <http://w.org/x>; rel="timegate"'))
    assert original_of(named, URL) == "captured as a redirect to http://b.org/"


def test_other_spellings_of_the_address_are_it():
    for spelled in ("https://www.a.org:443/x?y=1", "http:/a.org/x?y=1"):
        assert original_of(capture(address=RAW + spelled), URL).url == URL


def test_what_is_no_answer_is_no_capture():
    assert original_of(capture(status=304), URL) == "the archive answers with HTTP 304"
