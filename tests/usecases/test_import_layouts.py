"""Import of files in the layouts of Browsertrix and ArchiveBox: the same posts come out as of a crawl.

Neither program runs here. What their files have that others' do not is known from their documentation: several WARC
files in one WACZ, lists of pages, screenshots and texts as `resource` records with `urn:` addresses, bodies as they
were sent, and `revisit` records of both versions of WARC.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from base64 import b32encode
from dataclasses import replace
from hashlib import sha1
from typing import TYPE_CHECKING

import pytest

from everlog.archive import open_archive
from everlog.archive.verify import verify
from everlog.settings import make_settings
from everlog.usecases.foreign.import_files import import_files
from importing.a_warc import Warc
from usecases.a_site import a_site, crawl
from usecases.conftest import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from usecases.a_web import MemoryWeb

POSTS = 8
WHEN = "2024-06-01T10:00:00Z"
# What is another where a page was not fetched but captured.
LABELS = {"origin": "live", "captured": None, "fetched": None, "warc": None}
PROFILES = {
    "1.0": "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
    "1.1": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
}


class Writer(Warc):
    """A WARC file in the making, with the records that browsers that crawl leave."""

    def fetched(self, url: str, body: bytes, kind: str, *headers: tuple[str, str]) -> None:
        """A response as it was sent, with the request beside it."""
        beside = {"WARC_Page_ID": "1", "WARC_Resource_Type": "document", "WARC_JSON_Metadata": "{}"}
        self.answer(url, body, WHEN, type=kind, headers=headers, **beside)
        self.request(url)

    def revisit(self, url: str, body: bytes, kind: str) -> None:
        """That an answer was the same as the one of before."""
        self.answer(
            url, b"", "2024-06-02T10:00:00Z", type=kind, kind="revisit", WARC_Profile=PROFILES[self.version],
            WARC_Payload_Digest=f"sha1:{b32encode(sha1(body).digest()).decode()}",  # noqa: S324 - as WARC has it
            WARC_Refers_To_Target_URI=url, WARC_Refers_To_Date=WHEN,
        )

    def resource(self, url: str, body: bytes, kind: str) -> None:
        """What the crawler made of a page itself: a screenshot, its text."""
        self.record("resource", kind, body, WHEN, WARC_Target_URI=url)


def chunked(body: bytes) -> bytes:
    parts = (body[start : start + 300] for start in range(0, len(body), 300))
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def addresses(web: MemoryWeb) -> Iterator[tuple[str, bytes, str]]:
    for key, answer in sorted(web.answers.items()):
        yield "https://a.blog/" + key.partition("/")[2], answer.body, answer.type


def browsertrix(path: Path, web: MemoryWeb) -> Path:
    """A WACZ of Browsertrix: a WARC per worker, one of screenshots and texts, lists of pages, indexes."""
    workers = (Writer(version="1.1"), Writer(version="1.1"))
    beside = Writer(version="1.1")
    for number, (url, body, kind) in enumerate(addresses(web)):
        # Bodies as they came: chunked, compressed, or both.
        coded = [("Content-Encoding", "gzip")] if number % 3 else []
        sent = gzip.compress(body) if number % 3 else body
        if number % 2:
            coded.append(("Transfer-Encoding", "chunked"))
            sent = chunked(sent)
        workers[number % 2].fetched(url, sent, kind, *coded)
        beside.resource(f"urn:view:{url}", b"\x89PNG\r\n\x1a\n" + bytes(50), "image/png")
        beside.resource(f"urn:thumbnail:{url}", b"\x89PNG\r\n\x1a\n" + bytes(20), "image/png")
        beside.resource(f"urn:text:{url}", b"Some text of the page, and nothing of its markup.", "text/plain")
        beside.resource(f"urn:pageinfo:{url}", json.dumps({"urls": {}}).encode(), "application/json")
    pages = [{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}]
    pages += [{"id": str(number), "url": url, "ts": WHEN} for number, (url, _, _) in enumerate(addresses(web))]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("datapackage.json", json.dumps({"profile": "data-package", "wacz_version": "1.1.1"}))
        archive.writestr("pages/pages.jsonl", "\n".join(map(json.dumps, pages[:2])))
        archive.writestr("pages/extraPages.jsonl", "\n".join(map(json.dumps, [pages[0], *pages[2:]])))
        archive.writestr("indexes/index.cdx.gz", gzip.compress(b"blog,a)/ 20240601100000 {}\n"))
        archive.writestr("logs/crawl.log", '{"logLevel":"info"}\n', zipfile.ZIP_DEFLATED)
        for number, writer in enumerate(workers):
            archive.writestr(f"archive/rec-{number}.warc.gz", writer.data)
        archive.writestr("archive/screenshots-0.warc.gz", beside.data)
    return path


def archivebox(folder: Path, web: MemoryWeb) -> list[Path]:
    """Snapshots of ArchiveBox: a WARC per page, written by wget, with what was the same before as `revisit`."""
    files = []
    for number, (url, body, kind) in enumerate(addresses(web)):
        writer = Writer()
        writer.fetched(url, body, kind)
        writer.revisit(url, body, kind)
        writer.resource("metadata://gnu.org/software/wget/warc/wget.log", b"Saving to: index.html", "text/plain")
        file = folder / f"{1717236000 + number}.warc.gz"
        file.write_bytes(writer.data)
        files.append(file)
    return files


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "imported", create=True, options=OPTIONS) as opened:
        yield opened


@pytest.mark.parametrize("program", ["Browsertrix", "ArchiveBox"])
def test_the_files_of_another_program_give_the_posts_of_a_crawl(archive: Archive, tmp_path: Path, program: str):
    web = a_site(POSTS)
    files = [browsertrix(tmp_path / "crawl.wacz", web)] if program == "Browsertrix" else archivebox(tmp_path, web)
    done = import_files([str(file) for file in files], archive, make_settings({"min_free_bytes": 0}))
    blog, = done.blogs
    assert (blog.won.posts, done.exit_code) == (POSTS, 0)
    with open_archive(tmp_path / "live", create=True, options=OPTIONS) as live:
        crawl(web, live)
        wanted = {post.url: replace(post, **LABELS) for post in live.posts()}
    assert {post.url: replace(post, **LABELS) for post in archive.posts()} == wanted
    assert {post.origin for post in archive.posts()} == {"import"}
    assert not list(verify(archive))
