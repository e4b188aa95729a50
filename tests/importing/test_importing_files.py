"""Files of other programs: what they are, which captures they hold, and what is passed over."""

from __future__ import annotations

import asyncio
import gzip
import zipfile
from collections import Counter
from datetime import UTC, datetime
from hashlib import shake_256
from typing import TYPE_CHECKING

import brotli
import pytest

from everlog.errors import UsageError
from everlog.importing import open_files
from everlog.importing.file_fetcher import FileFetcher
from everlog.importing.import_index import ImportIndex
from everlog.importing.open_files import Unreadable, opened, parts_of, unpacked_part, want_some
from everlog.importing.warc_records import PackedAsWhole, read_records
from everlog.records import Failure, Fetched
from importing.a_warc import Warc, packed_as_whole, wacz

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

URL = "https://a.blog/1"


@pytest.fixture
def a_fetcher(tmp_path: Path) -> Iterator[Callable[..., tuple[FileFetcher, Counter[str]]]]:
    """The captures of some files as a web, and why records were passed over."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    index, bad = ImportIndex(scratch), Counter[str]()
    made: list[FileFetcher] = []

    def make(*paths: Path) -> tuple[FileFetcher, Counter[str]]:
        parts = [part for path in paths for part in parts_of(path, scratch)]
        for number, part in enumerate(parts):
            with opened(part) as file:
                index.add(number, read_records(file, lambda why: bad.update([why])))
        index.finish()
        now = datetime(2024, 1, 1, tzinfo=UTC)
        made.append(FileFetcher(
            index, parts, now=now, scratch=scratch, max_page_bytes=1_000_000, max_media_bytes=2_000_000,
            max_requisite_bytes=1_000_000,
        ))
        return made[-1], bad

    yield make
    for each in made:
        each.close()
    index.close()


def fetched(fetcher: FileFetcher, url: str, **how) -> Fetched | Failure:
    return asyncio.run(fetcher.fetch(url, **how))


@pytest.mark.parametrize("how", ["plain", "gzip", "wacz", "packed wacz"])
def test_a_capture_is_found_in_every_kind_of_file(tmp_path, a_fetcher, how):
    warc = Warc(gzip="plain" not in how)
    warc.request(URL)
    warc.answer(URL, b"<p>Hello", headers=(("ETag", '"x"'),))
    path = tmp_path / "file"
    if "wacz" in how:
        wacz(path, warc.data, packed="packed" in how)
    else:
        warc.write(path)
    fetcher, bad = a_fetcher(path)
    answer = fetched(fetcher, "http://www.a.blog/1/")
    assert isinstance(answer, Fetched)
    exchange = answer.answer
    assert (exchange.url, exchange.status, exchange.body, exchange.header("etag")) == (URL, 200, b"<p>Hello", '"x"')
    assert (exchange.origin, exchange.captured_at) == ("import", datetime(2020, 5, 1, 10, tzinfo=UTC))
    assert exchange.source_uri.startswith("file")
    assert not bad


def chunked(body: bytes) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


CHUNKED, GZIP, BROTLI = ("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip"), ("Content-Encoding", "br")
CODINGS = {
    "chunked": (chunked, (CHUNKED,)),
    "gzip": (gzip.compress, (GZIP,)),
    "brotli": (brotli.compress, (BROTLI,)),
    "brotli in chunks": (lambda body: chunked(brotli.compress(body)), (BROTLI, CHUNKED)),
    # By programs that decoded the body and left the header.
    "gzip in name only": (bytes, (GZIP,)),
    "brotli in name only": (bytes, (BROTLI,)),
}


@pytest.mark.parametrize("coding", CODINGS)
def test_bodies_come_decoded(tmp_path, a_fetcher, coding):
    body = b"<p>Hello" * 50_000
    warc, (code, headers) = Warc(), CODINGS[coding]
    warc.answer(URL, code(body), headers=headers)
    fetcher, _ = a_fetcher(warc.write(tmp_path / "a.warc.gz"))
    exchange = fetched(fetcher, URL).answer
    assert exchange.body == body
    assert exchange.header("content-encoding") is None
    assert exchange.header("transfer-encoding") is None


def test_what_is_coded_in_an_unknown_way_is_not_there(tmp_path, a_fetcher):
    warc = Warc()
    warc.answer(URL, b"?????", headers=(("Content-Encoding", "x-rot13"),))
    fetcher, _ = a_fetcher(warc.write(tmp_path / "a.warc.gz"))
    assert isinstance(fetched(fetcher, URL), Failure)


def test_a_capture_that_was_seen_again_has_the_body_of_the_first(tmp_path, a_fetcher):
    warc = Warc()
    warc.answer(URL, b"<p>Once")
    warc.answer(URL, b"", "2021-05-01T10:00:00Z", kind="revisit", WARC_Refers_To_Target_URI=URL,
                WARC_Refers_To_Date="2020-05-01T10:00:00Z")
    fetcher, _ = a_fetcher(warc.write(tmp_path / "a.warc.gz"))
    exchange = fetched(fetcher, URL).answer
    assert (exchange.body, exchange.captured_at.year, exchange.status) == (b"<p>Once", 2021, 200)


def test_one_that_refers_to_what_is_not_there_is_not_there(tmp_path, a_fetcher):
    warc = Warc()
    warc.answer(URL, b"", kind="revisit", WARC_Refers_To_Target_URI=URL, WARC_Refers_To_Date="2019-01-01T00:00:00Z",
                WARC_Payload_Digest="sha1:NOBODY")
    fetcher, _ = a_fetcher(warc.write(tmp_path / "a.warc.gz"))
    assert isinstance(fetched(fetcher, URL), Failure)


def test_redirects_are_followed_and_lead_to_the_page_as_other_addresses(tmp_path, a_fetcher):
    warc = Warc()
    warc.answer("https://a.blog/old", b"", status="301 Moved", headers=(("Location", "/1"),))
    warc.answer(URL, b"<p>Here")
    fetcher, _ = a_fetcher(warc.write(tmp_path / "a.warc.gz"))
    answer = fetched(fetcher, "https://a.blog/old")
    assert [each.status for each in answer.exchanges] == [301, 200]
    page, = fetcher._index.pages()
    assert [each.url for each in fetcher.page(page).exchanges] == ["https://a.blog/old", URL]


def test_redirects_in_a_circle_end(tmp_path, a_fetcher):
    warc = Warc()
    for one, other in (("x", "y"), ("y", "x")):
        warc.answer(f"https://a.blog/{one}", b"", status="302 Found", headers=(("Location", f"/{other}"),))
    fetcher, _ = a_fetcher(warc.write(tmp_path / "a.warc.gz"))
    assert isinstance(fetched(fetcher, "https://a.blog/x"), Failure)


def test_of_several_captures_the_newest_is_the_answer_or_the_one_nearest_to_a_moment(tmp_path, a_fetcher):
    warc = Warc()
    for year in (2012, 2020, 2016):
        warc.answer(URL, str(year).encode(), f"{year}-05-01T10:00:00Z")
    fetcher, _ = a_fetcher(warc.write(tmp_path / "a.warc.gz"))
    assert fetched(fetcher, URL).answer.body == b"2020"
    fetcher.moment = datetime(2015, 1, 1, tzinfo=UTC)
    assert fetched(fetcher, URL).answer.body == b"2016"


def test_an_error_is_no_answer_while_there_is_a_better_one(tmp_path, a_fetcher):
    warc = Warc()
    warc.answer(URL, b"<p>Here")
    warc.answer(URL, b"gone", "2022-05-01T10:00:00Z", status="404 Not Found")
    warc.answer("https://a.blog/2", b"gone", status="410 Gone")
    fetcher, _ = a_fetcher(warc.write(tmp_path / "a.warc.gz"))
    assert fetched(fetcher, URL).answer.body == b"<p>Here"
    assert fetched(fetcher, "https://a.blog/2").status == 410


def test_large_pictures_are_on_the_disk_and_larger_ones_than_wanted_are_left(tmp_path, a_fetcher):
    warc = Warc()
    warc.answer("https://a.blog/a.png", b"x" * 1_500_000, type="image/png")
    warc.answer("https://a.blog/b.png", b"x" * 2_500_000, type="image/png")
    fetcher, _ = a_fetcher(warc.write(tmp_path / "a.warc.gz"))
    exchange = fetched(fetcher, "https://a.blog/a.png", purpose="media").answer
    assert (exchange.body, exchange.size, exchange.spooled is not None) == (b"", 1_500_000, True)
    exchange.let_go()
    assert isinstance(fetched(fetcher, "https://a.blog/b.png", purpose="media"), Failure)


def test_of_a_body_that_is_damaged_there_is_what_comes_before(tmp_path, a_fetcher):
    body = shake_256(b"noise").digest(300_000)
    packed = brotli.compress(body)
    warc = Warc()
    warc.answer(URL, packed[:200_000] + b"?" * 100_000, headers=(BROTLI,))
    fetcher, _ = a_fetcher(warc.write(tmp_path / "a.warc.gz"))
    exchange = fetched(fetcher, URL).answer
    assert 0 < exchange.size < len(body)
    assert body.startswith(exchange.body[:100_000])


@pytest.mark.parametrize("coding", ["gzip", "brotli"])
def test_what_a_compressed_answer_grows_to_is_bounded(tmp_path, a_fetcher, coding):
    warc, (code, headers) = Warc(), CODINGS[coding]
    warc.answer(URL, code(b"0" * 20_000_000), headers=headers)
    fetcher, _ = a_fetcher(warc.write(tmp_path / "a.warc.gz"))
    assert isinstance(fetched(fetcher, URL), Failure)


def test_a_file_that_is_cut_off_gives_what_it_has(tmp_path, a_fetcher):
    warc = Warc()
    warc.answer(URL, b"<p>Whole")
    whole = len(warc.data)
    warc.answer("https://a.blog/2", bytes(range(256)) * 40)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(warc.data[: whole + 400])
    fetcher, bad = a_fetcher(path)
    assert fetched(fetcher, URL).answer.body == b"<p>Whole"
    assert bad == {"cut off": 1}


def test_a_damaged_record_is_passed_over(tmp_path, a_fetcher):
    warc = Warc()
    warc.answer(URL, b"<p>First")
    start = len(warc.data)
    warc.answer("https://a.blog/2", bytes(range(256)) * 40)
    end = len(warc.data)
    warc.answer("https://a.blog/3", b"<p>Third")
    data = bytearray(warc.data)
    data[start + 60 : end - 10] = bytes(end - start - 70)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(data)
    fetcher, bad = a_fetcher(path)
    assert [fetched(fetcher, f"https://a.blog/{number}").answer.body for number in (1, 3)] == [b"<p>First", b"<p>Third"]
    assert isinstance(fetched(fetcher, "https://a.blog/2"), Failure)
    assert bad.total() >= 1


def test_records_that_say_too_little_are_counted_with_their_reasons(tmp_path, a_fetcher):
    warc = Warc()
    warc.answer(URL, b"x", "the other day")
    warc.answer(URL, b"x", WARC_Truncated="length")
    warc.answer("dns:a.blog", b"x")
    _, bad = a_fetcher(warc.write(tmp_path / "a.warc.gz"))
    assert bad == {"without a date": 1, "cut off when it was captured": 1}


def test_a_file_that_is_compressed_as_a_whole_is_unpacked(tmp_path):
    warc = Warc(gzip=False)
    warc.answer(URL, b"<p>Hello")
    warc.answer("https://a.blog/2", b"<p>Hello")
    path = tmp_path / "a.warc.gz"
    path.write_bytes(packed_as_whole(warc))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    part, = parts_of(path, scratch)
    with opened(part) as file, pytest.raises(PackedAsWhole):
        list(read_records(file, lambda _: None))
    with opened(unpacked_part(part, scratch)) as file:
        assert [each.url for each in read_records(file, lambda _: None)] == [URL, "https://a.blog/2"]


def test_what_grows_beyond_measure_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(open_files, "HARMLESS_BYTES", 1_000)
    path = wacz(tmp_path / "bomb.wacz", b"WARC/1.0\r\n" + bytes(1_000_000), packed=True)
    with pytest.raises(Unreadable, match="grows to more than"):
        parts_of(path, tmp_path)


def test_members_are_never_written_under_their_own_names(tmp_path):
    warc = Warc()
    warc.answer(URL, b"<p>Hello")
    scratch = tmp_path / "in" / "scratch"
    scratch.mkdir(parents=True)
    path = wacz(tmp_path / "a.wacz", warc.data, name="archive/../../../out.warc.gz", packed=True)
    part, = parts_of(path, scratch)
    assert part.path.parent == scratch
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.wacz", "in"]


@pytest.mark.parametrize(("content", "said"), [
    (None, "there is no file"),
    (b"", "is empty"),
    (b"hello", "is not a WARC or WACZ file"),
    (gzip.compress(b"hello", mtime=0), "is compressed, and holds no WARC records"),
    (b"\x1f\x8b\x08 not gzip at all", "is compressed, and holds no WARC records"),
    (b"\x28\xb5\x2f\xfd....", "compressed with zstd"),
    (b'<rss xmlns:wp="http://wordpress.org/export/1.2/">', "is a WordPress export (WXR): this kind"),
    (b'<feed xmlns="http://www.w3.org/2005/Atom"><id>tag:blogger.com</id><a b="http://schemas.google.com/blogger/2008">',
     "is a Blogger export"),
    (b'{"db": [{"meta": {"version": "5.0"}, "data": {"posts": []}}]}', "is a Ghost export"),
    (b'{"url": "https://a.blog/1", "provenance": {}}', "is what 'everlog export' wrote"),
    (b"PK\x03\x04 no zip", "is a damaged or unusual zip file"),
])
def test_other_files_are_refused_with_what_they_are(tmp_path, content, said):
    path = tmp_path / "file"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError) as error:
        want_some([str(path)])
    assert said in error.value.message


def test_a_zip_without_warc_files_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "hello")
    with pytest.raises(UsageError, match="not a WACZ"):
        want_some([str(path)])
    with pytest.raises(UsageError, match="without WARC files"):
        want_some([str(wacz(tmp_path / "b.wacz", b"", name="other"))])
