"""Bodies of captures: their types, parts of them, and what caches are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from archive.some_visits import HOME
from web.conftest import FILM, FILM_BYTES, FONT, PICTURE, PNG, POST, STYLE, stamp

if TYPE_CHECKING:
    from web.served_archive import Served


def at(url: str, modifier: str = "") -> str:
    return f"/web/{stamp(0)}{modifier}/{url}"


def test_a_picture_is_sent_as_it_was_stored_and_kept_for_ever(served: Served):
    answer = served.ask(at(PICTURE))
    assert (answer.status, answer.body, answer.headers["Content-Type"]) == (200, PNG, "image/png")
    assert "immutable" in answer.headers["Cache-Control"]
    again = served.ask(at(PICTURE), If_None_Match=answer.headers["ETag"])
    assert (again.status, again.body) == (304, b"")


def test_a_page_is_asked_for_again_and_is_not_sent_twice(served: Served):
    answer = served.ask(at(POST))
    assert answer.headers["Cache-Control"] == "no-cache"
    assert served.ask(at(POST), If_None_Match=f'"other", W/{answer.headers["ETag"]}').status == 304


@pytest.mark.parametrize(("asked", "part"), [
    ("bytes=0-9", FILM_BYTES[:10]), ("bytes=100-", FILM_BYTES[100:]), ("bytes=-7", FILM_BYTES[-7:]),
    ("bytes=1000000-1000003", FILM_BYTES[1_000_000:1_000_004]), ("bytes=5-99999999999", FILM_BYTES[5:]),
])
def test_a_part_of_a_film_is_sent_alone(served: Served, asked, part):
    answer = served.ask(at(FILM), Range=asked)
    start = FILM_BYTES.index(part) if len(part) > 300 else int(answer.headers["Content-Range"].split()[1].split("-")[0])
    assert (answer.status, answer.body) == (206, part)
    assert answer.headers["Content-Range"] == f"bytes {start}-{start + len(part) - 1}/{len(FILM_BYTES)}"


def test_a_part_that_is_not_there_cannot_be_had(served: Served):
    answer = served.ask(at(FILM), Range=f"bytes={len(FILM_BYTES)}-")
    assert (answer.status, answer.headers["Content-Range"]) == (416, f"bytes */{len(FILM_BYTES)}")


@pytest.mark.parametrize("asked", ["bytes=0-1,5-6", "lines=1-2", "bytes=9-2", "bytes=-", "bytes=" + "9" * 30 + "-"])
def test_odd_ranges_are_answered_with_all_of_it(served: Served, asked):
    assert served.ask(at(PICTURE), Range=asked).body == PNG


def test_a_part_of_what_changed_is_all_of_it(served: Served):
    etag = served.ask(at(FILM), "HEAD").headers["ETag"]
    assert served.ask(at(FILM), Range="bytes=0-1", If_Range=etag).status == 206
    assert served.ask(at(FILM), Range="bytes=0-1", If_Range='"other"').status == 200


def test_a_part_of_a_body_without_a_media_file_is_read_from_its_record(served: Served):
    answer = served.ask(at(STYLE, "id_"), Range="bytes=1-9")
    assert (answer.status, answer.body) == (206, b"font-face")


@pytest.mark.parametrize("url", [POST, PICTURE, FILM, STYLE])
def test_head_tells_what_get_would(served: Served, url):
    head, whole = served.ask(at(url), "HEAD"), served.ask(at(url))
    assert (head.status, head.body) == (200, b"")
    for name in ("Content-Length", "Content-Type", "ETag", "Memento-Datetime", "Link"):
        assert head.headers[name] == whole.headers[name]
    assert int(head.headers["Content-Length"]) == len(whole.body)


def test_the_bytes_as_stored_can_be_had(served: Served):
    assert b'href="/style.css?ver=2"' in served.ask(at(POST, "id_")).body
    assert served.ask(at(POST, "id_")).headers["Content-Type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize(("url", "kind"), [
    (HOME + "feed", "text/plain; charset=utf-8"), (FONT, "font/woff2"), (HOME + "paper.pdf", "application/pdf"),
    (STYLE, "text/css; charset=utf-8"),
])
def test_nothing_but_pages_is_sent_as_a_document(served: Served, url, kind):
    assert served.ask(at(url)).headers["Content-Type"] == kind


def test_references_of_a_style_sheet_lead_to_the_archive(served: Served):
    assert f'url("{served.replay}/web/{stamp(0)}/{FONT}")' in served.ask(at(STYLE)).text
