"""A blog half of which is gone comes back whole from a real web archive: pywb with the captures of an earlier crawl."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from cli.program import everlog
from cli.sites import conditional
from everlog.archive import open_archive
from everlog.demo.site import pages
from fetch.servers import Server, reply
from platforms.serving import needs
from platforms.web_archive import pywb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = needs("pywb")

QUICK = {"EVERLOG_DELAY": "0", "EVERLOG_WAYBACK_DELAY": "0", "EVERLOG_MIN_FREE_BYTES": "0"}


class DemoBlog:
    """The demo's blog on loopback, of which documents can be taken away."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.documents = dict(pages(server.url("").rstrip("/")))
        server.routes["*"] = self._answer

    @property
    def url(self) -> str:
        return self.server.url()

    def _answer(self, seen):
        document = self.documents.get(unquote(seen.path.partition("?")[0]))
        if document is None:
            return reply(404)
        return conditional(document.body, seen, document.type)

    def remove(self, urls) -> None:
        for url in urls:
            del self.documents[unquote(urlsplit(url).path)]


@pytest.fixture
def blog() -> Iterator[DemoBlog]:
    with Server() as server:
        yield DemoBlog(server)


def crawled(blog: DemoBlog, folder: Path, name: str, *words: str) -> tuple[dict, dict]:
    """A crawl into an archive: its posts, and the pictures and files that it has."""
    done = everlog("crawl", blog.url, "--archive", name, "--json", *words, folder=folder, **QUICK)
    assert done.code in {0, 3}, done.err
    with open_archive(folder / name) as archive:
        posts = {post.url: post for post in archive.posts()}
    media = {each.url: each.sha256 for post in posts.values() for each in post.media if each.path is not None}
    return posts, media


def test_a_blog_half_of_which_is_gone_comes_back_whole(blog, tmp_path):
    whole, pictures = crawled(blog, tmp_path, "whole")
    assert len(whole) > 30
    assert pictures
    warc_files = sorted((tmp_path / "whole").rglob("*.warc.gz"))
    gone, lost = sorted(whole)[::2], sorted(pictures)[::2]
    blog.remove([*gone, *lost])
    without, _ = crawled(blog, tmp_path, "without")
    assert without.keys() == whole.keys() - set(gone)

    with pywb(warc_files) as there:
        again, media = crawled(blog, tmp_path, "again", "--from-wayback", there.url)
        assert again.keys() == whole.keys()
        for url, post in again.items():
            assert (post.title, post.text, post.published) == (
                whole[url].title, whole[url].text, whole[url].published,
            ), url
            assert post.origin == ("memento" if url in gone else "live"), url
            assert (post.captured is not None) == (url in gone), url
        assert media == pictures
        stored = everlog("verify", "--archive", "again", folder=tmp_path)
        assert stored.code == 0, stored.err

        # What was taken is not asked for again.
        once_more, _ = crawled(blog, tmp_path, "again", "--from-wayback", there.url)
        assert {url: post.version for url, post in once_more.items()} == {
            url: post.version for url, post in again.items()
        }

        repaired = everlog(
            "repair", blog.url, "--archive", "without", "--from-wayback", there.url, "--json", folder=tmp_path, **QUICK,
        )
        won = {each["url"] for each in repaired.json[0]["won"]}
        assert won
        assert won <= set(gone)
        assert all("captured" in each["how"] for each in repaired.json[0]["won"])


def test_a_blog_that_is_gone_altogether_is_crawled_from_the_archive_alone(blog, tmp_path):
    whole, pictures = crawled(blog, tmp_path, "whole")
    warc_files = sorted((tmp_path / "whole").rglob("*.warc.gz"))
    blog.documents.clear()
    with pywb(warc_files) as there:
        again, media = crawled(blog, tmp_path, "again", "--from-wayback", there.url)
    assert again.keys() == whole.keys()
    assert {post.origin for post in again.values()} == {"memento"}
    assert {url: post.text for url, post in again.items()} == {url: post.text for url, post in whole.items()}
    assert media == pictures


def test_every_restored_record_says_where_it_was_taken_from(blog, tmp_path):
    whole, _ = crawled(blog, tmp_path, "whole")
    gone = sorted(whole)[::7]
    warc_files = sorted((tmp_path / "whole").rglob("*.warc.gz"))
    blog.remove(gone)
    with pywb(warc_files) as there:
        crawled(blog, tmp_path, "again", "--from-wayback", there.url)
    with open_archive(tmp_path / "again") as archive:
        held = archive.blogs.find(blog.url)
        for url in gone:
            exchange = archive.files.exchange(archive.captures.find(held.id, url))
            assert exchange.origin == "memento"
            assert re.fullmatch(re.escape(there.url) + r"\d{14}id_/" + re.escape(url), exchange.source_uri)
            assert f"{exchange.captured_at:%Y%m%d%H%M%S}" in exchange.source_uri
