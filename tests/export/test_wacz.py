"""WACZ and CDXJ: what goes into the package, where its index says it is, and that nothing else comes along."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from warcio.archiveiterator import ArchiveIterator

from archive.some_visits import START, exchange, media_visit, page, post_visit
from everlog.archive import open_archive
from everlog.errors import UsageError
from everlog.export.cdxj import IndexedCapture, IndexedFile, sorted_lines
from everlog.export.surt import surt
from everlog.export.wacz import write_wacz
from everlog.records import Comment, Post

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.records import Visit

HOME, OTHER = "https://a.example/", "https://b.example/"
POST = HOME + "2024/Rain/"


def a_post(blog: int, url: str) -> Visit:
    visit = post_visit(blog, url, comments=(Comment(author="Ann", text="So true."),))
    return replace(visit, post=replace(visit.post, fetched=START))


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True) as opened:
        for home in (HOME, OTHER):
            blog = opened.blogs.add(home, scope="path").id
            with opened.lock(blog):
                opened.commit([
                    page(blog, home, exchanges=(exchange(home, b"<p>home</p>"),)),
                    a_post(blog, home + "2024/Rain/"),
                    media_visit(blog, home + "a.png"),
                    page(blog, home, exchanges=(exchange(home, b"<p>home</p>", at=9),)),
                ])
        yield opened


def opened_package(archive: Archive, tmp_path: Path, **chosen: int) -> zipfile.ZipFile:
    archive.export("wacz", tmp_path / "a.wacz", **chosen)
    return zipfile.ZipFile(tmp_path / "a.wacz")


def lines_of(text: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def index_of(package: zipfile.ZipFile) -> list[tuple[str, str, dict[str, str]]]:
    lines = gzip.decompress(package.read("indexes/index.cdx.gz")).decode().splitlines()
    return [(key, at, json.loads(fields)) for key, at, fields in (line.split(" ", 2) for line in lines)]


def test_every_line_of_the_index_leads_to_the_record_of_its_address(archive, tmp_path):
    package = opened_package(archive, tmp_path)
    for key, _, fields in index_of(package):
        stored = package.read(f"archive/{fields['filename']}")
        start = int(fields["offset"])
        record = next(ArchiveIterator(io.BytesIO(stored[start : start + int(fields["length"])])))
        assert surt(record.rec_headers.get_header("WARC-Target-URI")) == key
        assert record.rec_type == ("revisit" if fields["mime"] == "warc/revisit" else "response")
        assert record.rec_headers.get_header("WARC-Payload-Digest") == fields["digest"]


def test_the_index_is_in_order_and_its_blocks_are_listed(archive, tmp_path):
    package = opened_package(archive, tmp_path)
    keys = [(key, at) for key, at, _ in index_of(package)]
    assert keys == sorted(keys)
    meta, block = package.read("indexes/index.idx").decode().splitlines()
    assert json.loads(meta.removeprefix("!meta 0 ")) == {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}
    told = json.loads(block.split(" ", 2)[2])
    assert (told["offset"], told["length"]) == (0, len(package.read("indexes/index.cdx.gz")))


def test_all_parts_are_named_with_their_digests_and_warc_files_are_stored_as_they_are(archive, tmp_path):
    package = opened_package(archive, tmp_path)
    about = json.loads(package.read("datapackage.json"))
    assert about["wacz_version"] == "1.1.1"
    for part in about["resources"]:
        body = package.read(part["path"])
        assert (part["bytes"], part["hash"]) == (len(body), f"sha256:{hashlib.sha256(body).hexdigest()}")
    own = {"datapackage.json", "datapackage-digest.json"}
    assert {part["path"] for part in about["resources"]} == set(package.namelist()) - own
    digest = json.loads(package.read("datapackage-digest.json"))
    assert digest["hash"] == f"sha256:{hashlib.sha256(package.read('datapackage.json')).hexdigest()}"
    stored = {each.compress_type for each in package.infolist() if each.filename.startswith("archive/")}
    assert stored == {zipfile.ZIP_STORED}


def test_pages_are_the_posts_and_records_name_the_warc_records_in_the_package(archive, tmp_path):
    package = opened_package(archive, tmp_path)
    head, *pages = lines_of(package.read("pages/pages.jsonl"))
    assert head["format"] == "json-pages-1.0"
    assert [each["url"] for each in pages] == [POST, OTHER + "2024/Rain/"]
    posts, comments = (lines_of(package.read(f"posts/{name}.jsonl")) for name in ("posts", "comments"))
    places = {
        (f"archive/{fields['filename']}", int(fields["offset"])): fields["url"] for *_, fields in index_of(package)
    }
    assert [places[said["warc"]["file"], said["warc"]["offset"]] for said in posts] == [each["url"] for each in pages]
    assert [(each["post"], each["warc"]) for each in comments] == [(each["url"], each["warc"]) for each in posts]
    assert [each["author"] for each in comments] == ["Ann", "Ann"]


def test_one_blog_is_packed_without_the_others(archive, tmp_path):
    blog = archive.blogs.find(OTHER).id
    package = opened_package(archive, tmp_path, blog_id=blog)
    assert {fields["url"].startswith(OTHER) for *_, fields in index_of(package)} == {True}
    everything = b"".join(package.read(name) for name in package.namelist())
    assert b"a.example" not in everything


class OfTwoBlogs:
    """A file in which records of another blog stand between those that are wanted."""

    title, software = "b", "everlog 1"
    pieces = (b"one blog's ", b"record of b;", b"more of a, ", b"last of b")

    def captures(self):
        at = datetime(2024, 5, 1, tzinfo=UTC)
        for number in (1, 3):
            yield IndexedCapture(
                url=f"{OTHER}{number}", captured_at=at, status=200, mime="text/html", digest="sha256:0",
                file="warc/mixed.warc.gz", offset=sum(map(len, self.pieces[:number])), length=len(self.pieces[number]),
            )

    def files(self):
        yield IndexedFile(name="warc/mixed.warc.gz", length=sum(map(len, self.pieces)), is_mixed=True)

    def open_file(self, _name):
        return io.BytesIO(b"".join(self.pieces))


def test_of_a_file_of_several_blogs_only_the_records_that_are_wanted_are_taken():
    out = io.BytesIO()
    told = Post(url=OTHER + "3", warc=("warc/mixed.warc.gz", 34), fetched=datetime(2024, 5, 1, tzinfo=UTC))
    assert write_wacz([told], out, OfTwoBlogs()) == 1
    package = zipfile.ZipFile(out)
    assert package.read("archive/mixed.warc.gz") == b"record of b;last of b"
    assert [fields["offset"] for *_, fields in index_of(package)] == ["0", "12"]
    assert lines_of(package.read("posts/posts.jsonl"))[0]["warc"] == {"file": "archive/mixed.warc.gz", "offset": 12}


def test_a_package_can_be_written_to_a_pipe(archive):
    class Pipe(io.RawIOBase):
        written = b""

        def writable(self):
            return True

        def write(self, piece):
            self.written += bytes(piece)
            return len(piece)

    pipe = Pipe()
    assert archive.export("wacz", pipe) == 2
    assert zipfile.ZipFile(io.BytesIO(pipe.written)).testzip() is None


def test_without_a_place_a_package_says_where_it_could_go(archive):
    with pytest.raises(UsageError, match=r"-o FILE\.wacz"):
        archive.export("wacz")


def test_an_index_alone_names_the_files_of_the_archive(archive):
    out = io.BytesIO()
    count = archive.export("cdxj", out)
    lines = out.getvalue().splitlines()
    assert (count, lines) == (8, sorted(lines))
    files = {json.loads(line.split(b" ", 2)[2])["filename"] for line in lines}
    assert all((archive.files.folder / name).is_file() for name in files)


@pytest.mark.parametrize("at_once", [1, 2, 7, 1000])
def test_lines_are_sorted_however_few_fit_into_memory(at_once):
    lines = [b"%d\n" % (number * 7919 % 500) for number in range(500)]
    assert list(sorted_lines(lines, at_once)) == sorted(lines)


@pytest.mark.parametrize(("url", "key"), [
    ("https://www.a.example:443/", "example,a)/"),
    ("http://WWW2.a.example:8080/X//Y/?", "example,a:8080)/x/y"),
    ("http://a.example/%7Ejoe/?b=1&a", "example,a)/~joe?a&b=1"),
    ("http://a.example/?c1=2&c15=&c2=3", "example,a)/?c1=2&c15=&c2=3"),
    ("http://a.example/x?a=1&sid=" + "0" * 32 + "&b=2", "example,a)/x?a=1&b=2"),
    ("http://[2a02:6b8::1]/", "2a02:6b8::1)/"),
    ("http://пример.example/é", "example,xn--e1afmkfd)/%c3%a9"),
    ("urn:uuid:1", "urn:uuid:1"),
    ("http://[broken/", "http://[broken/"),
])
def test_the_key_of_an_address_is_the_one_that_replay_programs_look_for(url, key):
    assert surt(url) == key


def test_every_part_is_where_a_reader_of_the_list_alone_looks_for_it(archive, tmp_path):
    """ReplayWeb.page: without an extra field in the list at the end it takes the part to begin without one, too."""
    file = tmp_path / "a.wacz"
    with opened_package(archive, tmp_path) as package:
        listed = package.infolist()
    whole = file.read_bytes()
    for entry in listed:
        begins = whole[entry.header_offset:entry.header_offset + 30]
        assert entry.extra or int.from_bytes(begins[28:30], "little") == 0, entry.filename
