"""Exchanges as WARC records, and back; the judge is warcio, which did not write them."""

from __future__ import annotations

import io
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from everlog.archive.files.warc_reader import read_exchange
from everlog.archive.files.warc_writer import (
    ONE_PIECE_BYTES,
    Original,
    exchange_records,
    info_record,
    payload_digest,
    target_uri,
)
from everlog.errors import DamagedArchive
from everlog.records import Exchange

NOW = datetime(2024, 5, 1, 12, 30, 15, 123456, tzinfo=UTC)
URL = "http://a.example/a?b=c"


def exchange(**rest):
    return Exchange(**{
        "url": URL, "status": 200, "reason": "OK", "headers": (("Content-Type", "text/html"),), "body": b"<p>hello</p>",
        "request_headers": (("Host", "a.example"), ("User-Agent", "test")), "fetched_at": NOW, **rest,
    })


def records(made, original=None):
    found = exchange_records(made, digest=payload_digest(made.body), original=original)
    return b"".join(found.pieces) + found.request


def parsed(data):
    """Type, WARC headers, HTTP headers and payload of each record, all digests checked."""
    out = []
    for record in ArchiveIterator(io.BytesIO(data), check_digests="raise"):
        payload = record.raw_stream.read()
        out.append((record.rec_type, dict(record.rec_headers.headers), record.http_headers, payload))
    return out


def test_an_exchange_is_an_answer_and_the_request_behind_it():
    answer, request = parsed(records(exchange()))
    assert (answer[0], request[0]) == ("response", "request")
    assert answer[3] == b"<p>hello</p>"
    assert answer[1]["WARC-Date"] == "2024-05-01T12:30:15.123456Z"
    assert answer[1]["WARC-Payload-Digest"] == payload_digest(b"<p>hello</p>")
    assert request[1]["WARC-Concurrent-To"] == answer[1]["WARC-Record-ID"]
    assert request[2].statusline == "/a?b=c HTTP/1.1"


def test_the_length_is_that_of_the_body_and_what_was_said_of_the_wire_is_renamed():
    wire = (("Content-Encoding", "gzip"), ("Content-Length", "3"), ("Transfer-Encoding", "chunked"))
    answer = parsed(records(exchange(headers=wire)))[0]
    assert answer[2].get_header("Content-Length") == "12"
    assert answer[2].get_header("Content-Encoding") is None
    assert answer[2].get_header("X-Orig-Content-Encoding") == "gzip"
    assert read_exchange(io.BytesIO(records(exchange(headers=wire))), 0).headers == wire


def test_a_body_that_is_held_already_is_only_referred_to():
    held = Original(url=URL, fetched_at=NOW, digest=payload_digest(b"<p>hello</p>"))
    answer = parsed(records(exchange(fetched_at=NOW + timedelta(days=1)), held))[0]
    assert (answer[0], answer[3]) == ("revisit", b"")
    assert answer[1]["WARC-Profile"].endswith("identical-payload-digest")
    assert answer[1]["WARC-Refers-To-Date"] == "2024-05-01T12:30:15.123456Z"
    assert answer[1]["WARC-Payload-Digest"] == held.digest


def test_not_modified_is_a_revisit_of_its_own_kind():
    held = Original(url=URL, fetched_at=NOW, digest=payload_digest(b"x"))
    answer = parsed(records(exchange(status=304, body=b""), held))[0]
    assert answer[1]["WARC-Profile"].endswith("server-not-modified")
    assert answer[1]["WARC-Payload-Digest"] == held.digest


def test_what_logged_the_owner_in_is_not_in_the_archive():
    secret = (("Cookie", "session=geheim"), ("authorization", "Bearer geheim"), ("Accept", "*/*"))
    data = records(exchange(request_headers=secret))
    assert b"geheim" not in b"".join(str(record[2]).encode() for record in parsed(data))
    assert read_exchange(io.BytesIO(data), 0).request_headers == (("Host", "a.example"), ("Accept", "*/*"))


def test_no_header_can_end_the_headers():
    nasty = (("X: y\r\n\r\nbody", "a\r\nContent-Length: 0\r\n\r\nb"), ("", "\ud800"))
    answer = parsed(records(exchange(url=URL + "\r\nWARC-Type: x", reason="OK\r\nY: z", headers=nasty)))[0]
    assert answer[3] == b"<p>hello</p>"
    assert answer[1]["WARC-Type"] == "response"
    assert [name for name, _ in answer[2].headers] == ["X--y----body", "-", "Content-Length"]


def test_the_real_checker_accepts_a_file(tmp_path):
    file = tmp_path / "a.warc.gz"
    head = info_record(file.name, (("software", "everlog"),), made_at=NOW)
    picture = exchange(headers=(("Content-Type", "image/png"),), body=bytes(range(256)) * 300)
    held = Original(url=URL, fetched_at=NOW, digest=payload_digest(b"<p>hello</p>"))
    file.write_bytes(head + records(exchange()) + records(exchange(), held) + records(picture))
    checked = subprocess.run(
        [sys.executable, "-m", "warcio.cli", "check", "-v", file], capture_output=True, text=True, check=True,
    )
    assert checked.stdout.count("digest pass") == 6
    assert "failed" not in checked.stdout
    assert read_exchange(io.BytesIO(file.read_bytes()), len(head)) == exchange()


# What is longer is packed as it comes, and by another library.
@pytest.mark.parametrize("size", [ONE_PIECE_BYTES - 3, ONE_PIECE_BYTES, ONE_PIECE_BYTES + 3])
def test_a_long_body_is_packed_and_comes_back(size):
    body = (b"<p>the same again</p>" * (size // 20))[:size]
    written = records(exchange(body=body))
    assert len(written) < size / 50
    assert parsed(written)[0][3] == body


def test_where_the_fast_library_is_not_installed_the_records_say_the_same(tmp_path):
    file = tmp_path / "a.warc.gz"
    subprocess.run([sys.executable, "-c", WITHOUT_DEFLATE, file], check=True)
    own, others = parsed(records(exchange())), parsed(file.read_bytes())
    for name in ("WARC-Record-ID", "WARC-Concurrent-To"):
        for _, headers, _, _ in (*own, *others):
            headers.pop(name, None)
    assert [each[:2] + each[3:] for each in own] == [each[:2] + each[3:] for each in others]


WITHOUT_DEFLATE = f"""
import sys
from datetime import datetime
from pathlib import Path
sys.modules["deflate"] = None
from everlog.archive.files.warc_writer import exchange_records, payload_digest
from everlog.records import Exchange
made = Exchange(
    url={URL!r}, status=200, reason="OK", headers=(("Content-Type", "text/html"),), body=b"<p>hello</p>",
    request_headers=(("Host", "a.example"), ("User-Agent", "test")), fetched_at=datetime.fromisoformat("{NOW}"),
)
found = exchange_records(made, digest=payload_digest(made.body))
Path(sys.argv[1]).write_bytes(b"".join(found.pieces) + found.request)
"""

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"]), max_size=20)
NAME = st.text("abcXYZ-09", min_size=1, max_size=10).filter(lambda name: not name.lower().startswith("x-orig"))


@given(
    st.binary(max_size=300), st.lists(st.tuples(NAME, TEXT), max_size=4), st.integers(100, 599), TEXT,
    st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - hypothesis adds the zone
)
def test_any_exchange_comes_back_as_it_was(body, headers, status, reason, moment):
    made = exchange(body=body, headers=tuple(headers), status=status, reason=reason, fetched_at=moment)
    assert read_exchange(io.BytesIO(records(made)), 0) == made


@given(st.text(max_size=30), st.text(max_size=10), st.text(max_size=10))
def test_whatever_the_texts_the_records_are_sound(path, name, value):
    url = "http://a.example/" + path
    made = exchange(url=url, reason=value, headers=((name, value),), request_headers=((name, value),))
    answer, request = parsed(records(made))
    assert (answer[0], answer[3], request[0]) == ("response", made.body, "request")
    assert answer[1]["WARC-Target-URI"] == target_uri(url)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_half_a_record_is_said_to_be_damaged(share):
    data = b"".join(exchange_records(exchange(body=bytes(range(256)) * 40), digest="sha256:x").pieces)
    with pytest.raises(DamagedArchive, match="holds no response at 0"):
        read_exchange(io.BytesIO(data[: int(len(data) * share)]), 0)


def test_a_record_that_is_no_answer_is_said_to_be_none():
    with pytest.raises(DamagedArchive, match="everlog verify"):
        read_exchange(io.BytesIO(info_record("x", (), made_at=NOW)), 0)


def test_what_a_browser_made_of_a_page_is_one_record_without_a_request(tmp_path):
    drawn = exchange(purpose="rendered", body="<p>grün</p>".encode(), headers=(("Content-Type", "text/html"),))
    picture = exchange(
        url=f"urn:fullPage:{URL}", purpose="screenshot", body=b"\x89PNG", headers=(("Content-Type", "image/png"),),
    )
    data = records(drawn) + records(picture)
    (kind, named, http, payload), (other_kind, other_named, _, other_payload) = parsed(data)
    assert (kind, other_kind) == ("conversion", "resource")
    assert (named["WARC-Target-URI"], other_named["WARC-Target-URI"]) == (URL, f"urn:fullPage:{URL}")
    assert http is None
    assert (payload, other_payload) == ("<p>grün</p>".encode(), b"\x89PNG")
    file = tmp_path / "a.warc.gz"
    file.write_bytes(data)
    with file.open("rb") as stream:
        back = read_exchange(stream, 0, purpose="rendered")
    assert (back.url, back.body, back.purpose) == (drawn.url, drawn.body, "rendered")
    assert back.header("content-type") == "text/html"
    subprocess.run([sys.executable, "-m", "warcio.cli", "check", "-v", file], capture_output=True, check=True)
