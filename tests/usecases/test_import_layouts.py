"""Import of files in the layouts of Browsertrix, ArchiveBox and pywb: the same posts come out as of a crawl.

None of the programs runs here (tests/slow has files of the real wget, wacz and pywb). The files are made as these say:

- WACZ 1.1.1 (specs.webrecorder.net): the folders, the lists of pages, the manifest with sizes and hashes, its digest;
- Browsertrix Crawler (its user guide, "Outputs", and the sources of its version 1): several WARC/1.1 files, seeds in
  `pages.jsonl` and the rest in `extraPages.jsonl`; bodies as the browser decoded them, the headers about that renamed
  to `x-orig-...`; fields of its own; times in milliseconds; `resource` records with `urn:` addresses for screenshots,
  texts and what a page loaded; a repeated answer is a `revisit`;
- ArchiveBox (its source, `extractors/wget.py`): a folder a snapshot, a WARC by wget in it, with wget's log;
- pywb (its documentation, "Recording Mode"): WARC/1.0, bodies as they were sent, a repeated answer is a `revisit`.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from base64 import b32encode
from dataclasses import replace
from hashlib import sha1, sha256
from typing import TYPE_CHECKING

import brotli
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

pytestmark = pytest.mark.slow

POSTS = 8
WHEN, LATER = "2024-06-01T10:00:00.123Z", "2024-06-02T10:00:00.456Z"
PAGE_ID = "61046c48-286b-485a-a8ed-9974f79a179d"
JSON = "application/json"
WGET = "metadata://gnu.org/software/wget/warc/"
# What is another where a page was not fetched but captured.
LABELS = {"origin": "live", "captured": None, "fetched": None, "warc": None}
PROFILES = {
    "1.0": "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
    "1.1": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
}


class Writer(Warc):
    """A WARC file in the making, with the records that programs leave."""

    def fetched(self, url: str, body: bytes, kind: str, *headers: tuple[str, str], **named: str) -> None:
        """A response, with the request beside it."""
        self.answer(url, body, WHEN, type=kind, headers=headers, **named)
        self.request(url)

    def revisit(self, url: str, body: bytes, kind: str) -> None:
        """That an answer was the same as the one of before."""
        self.answer(
            url, b"", LATER, type=kind, kind="revisit", WARC_Profile=PROFILES[self.version],
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


def browsertrix(folder: Path, web: MemoryWeb) -> list[Path]:
    """A WACZ of Browsertrix: a WARC per worker, one of screenshots and one of texts, lists of pages, indexes."""
    workers, shots, texts = [Writer(version="1.1"), Writer(version="1.1")], Writer(version="1.1"), Writer(version="1.1")
    orig = (("x-orig-content-encoding", "br"), ("x-orig-transfer-encoding", "chunked"))
    beside = {"WARC_Page_ID": PAGE_ID, "WARC_Resource_Type": "document"}
    beside["WARC_JSON_Metadata"] = json.dumps({"cert": {"issuer": "An Issuer", "ctc": "1"}})
    pages = []
    for number, (url, body, kind) in enumerate(addresses(web)):
        worker = workers[number % 2]
        worker.fetched(url, body, kind, *orig, **beside)
        worker.revisit(url, body, kind)
        worker.resource(f"urn:pageinfo:{url}", json.dumps({"pageid": PAGE_ID, "urls": {url: 200}}).encode(), JSON)
        shots.resource(f"urn:view:{url}", b"\x89PNG\r\n\x1a\n" + bytes(50), "image/png")
        shots.resource(f"urn:thumbnail:{url}", b"\xff\xd8\xff" + bytes(20), "image/jpeg")
        texts.resource(f"urn:text:{url}", b"Some text of the page, and nothing of its markup.", "text/plain")
        pages.append({"id": str(number), "url": url, "ts": WHEN, "title": "A page", "seed": number == 0})
    head = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
    warcs = {"rec-0": workers[0], "rec-1": workers[1], "screenshots-0": shots, "text-0": texts}
    files = {f"archive/{name}.warc.gz": writer.data for name, writer in warcs.items()} | {
        "indexes/index.cdx.gz": gzip.compress(b"blog,a)/ 20240601100000 {}\n"),
        "logs/crawl.log": b'{"logLevel":"info"}\n',
        "pages/pages.jsonl": "\n".join(map(json.dumps, [head, *pages[:1]])).encode(),
        "pages/extraPages.jsonl": "\n".join(map(json.dumps, [head, *pages[1:]])).encode(),
    }
    manifest = json.dumps({
        "profile": "data-package", "wacz_version": "1.1.1", "software": "Browsertrix-Crawler 1.0.0",
        "resources": [
            {"name": path.rpartition("/")[2], "path": path, "hash": hash_of(data), "bytes": len(data)}
            for path, data in files.items()
        ],
    }).encode()
    files["datapackage.json"] = manifest
    files["datapackage-digest.json"] = json.dumps({"path": "datapackage.json", "hash": hash_of(manifest)}).encode()
    wacz = folder / "crawl.wacz"
    with zipfile.ZipFile(wacz, "w") as archive:
        for path, data in files.items():
            # What is compressed already is not compressed again.
            archive.writestr(path, data, zipfile.ZIP_STORED if path.endswith(".gz") else zipfile.ZIP_DEFLATED)
    return [wacz]


def hash_of(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


def archivebox(folder: Path, web: MemoryWeb) -> list[Path]:
    """The data folder of ArchiveBox: a snapshot per page, with a WARC that wget has written."""
    for number, (url, body, kind) in enumerate(addresses(web)):
        snapshot, writer = folder / "archive" / f"{1717236000 + number}.0", Writer()
        # wget has addresses in angle brackets, and its own words behind what it fetched.
        writer.answer(f"<{url}>", body, WHEN, type=kind)
        writer.request(f"<{url}>")
        writer.record("metadata", "text/plain", b"<urn:uuid:1>\n", WHEN, WARC_Target_URI=f"<{WGET}MANIFEST.txt>")
        writer.resource(f"<{WGET}wget_arguments.txt>", b'"--warc-file" "warc/1717236000"', "text/plain")
        writer.resource(f"<{WGET}wget.log>", b"Saving to: index.html", "text/plain")
        (snapshot / "warc").mkdir(parents=True)
        (snapshot / "index.json").write_text(json.dumps({"url": url, "timestamp": snapshot.name}), "utf-8")
        (snapshot / "singlefile.html").write_bytes(body)
        (snapshot / "warc" / f"{1717236000 + number}.warc.gz").write_bytes(writer.data)
    return sorted(folder.glob("archive/*/warc/*.warc.gz"))


def pywb(folder: Path, web: MemoryWeb) -> list[Path]:
    """The archive of a pywb that recorded: bodies as they were sent, plain, compressed, in chunks, or both."""
    writer = Writer()
    codings = {"": bytes, "gzip": gzip.compress, "br": brotli.compress}
    for number, (url, body, kind) in enumerate(addresses(web)):
        name = tuple(codings)[number % len(codings)]
        sent = codings[name](body)
        headers = [("Content-Encoding", name)] if name else []
        if number % 2:
            headers.append(("Transfer-Encoding", "chunked"))
            sent = chunked(sent)
        writer.fetched(url, sent, kind, *headers)
        writer.revisit(url, sent, kind)
    return [writer.write(folder / "rec-20240601100000000000-host.warc.gz")]


PROGRAMS = {"Browsertrix": browsertrix, "ArchiveBox": archivebox, "pywb": pywb}


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "imported", create=True, options=OPTIONS) as opened:
        yield opened


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_files_of_another_program_give_the_posts_of_a_crawl(archive: Archive, tmp_path: Path, program: str):
    web = a_site(POSTS)
    files = PROGRAMS[program](tmp_path, web)
    done = import_files([str(file) for file in files], archive, make_settings({"min_free_bytes": 0}))
    blog, = done.blogs
    assert (blog.won.posts, done.exit_code) == (POSTS, 0)
    with open_archive(tmp_path / "live", create=True, options=OPTIONS) as live:
        crawl(web, live)
        wanted = {post.url: replace(post, **LABELS) for post in live.posts()}
    assert {post.url: replace(post, **LABELS) for post in archive.posts()} == wanted
    assert {post.origin for post in archive.posts()} == {"import"}
    assert not list(verify(archive))
