"""Stored answers that cannot be read any more."""

from __future__ import annotations

import io

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.files.warc_reader import read_info
from everlog.errors import DamagedArchive
from everlog.usecases.learn.page_comparison import known_repeats
from everlog.usecases.page.stored_pages import stored_exchange, stored_page
from usecases.a_site import a_site, crawl


@pytest.fixture
def archive(archive_url, tmp_path):
    """One that many share: there, what is lost of one machine is no reason to stop."""
    with open_archive(archive_url, create=True, files=tmp_path / "files") as opened:
        yield opened


def without_files(archive):
    for file in archive.files.folder.glob("warc/*.warc.gz"):
        file.unlink()


def test_an_answer_whose_file_is_lost_is_as_good_as_never_stored(archive, caplog):
    crawl(a_site(7), archive)
    (blog,) = archive.blogs()
    capture = archive.captures.find(blog.id, a_blog.url(3))
    assert stored_exchange(capture, archive).url == a_blog.url(3)
    without_files(archive)
    assert stored_exchange(capture, archive) is None
    assert stored_page(a_blog.url(3), blog, archive, rendered=False) is None
    assert "is missing or truncated" in caplog.text
    with pytest.raises(DamagedArchive):
        archive.files.exchange(capture)


def test_a_blog_whose_stored_pages_are_lost_is_updated_all_the_same(archive):
    crawl(a_site(7), archive)
    without_files(archive)
    report = crawl(a_site(8), archive)
    assert (report.ending, report.tally.new_posts) == ("complete", 1)
    (blog,) = archive.blogs()
    assert known_repeats(blog, archive).pages


def test_a_blog_whose_files_are_lost_goes_on_in_a_folder_too_and_says_what_to_bring_back(tmp_path):
    with open_archive(tmp_path / "kept", create=True) as archive:
        crawl(a_site(7), archive)
        [file] = archive.files.folder.glob("warc/*.warc.gz")
        file.unlink()
        report = crawl(a_site(8), archive)
        assert (report.ending, report.tally.new_posts) == ("complete", 1)
        [remark] = report.tally.remarks
        assert f"warc/{file.name} is missing" in remark
        assert "restore it from a backup" in remark


def test_warc_files_say_who_crawled_and_whether_robots_txt_was_obeyed(tmp_path):
    with open_archive(tmp_path / "kept", create=True) as archive:
        crawl(a_site(7), archive)
        crawl(a_site(8), archive)
        crawl(a_site(9), archive, contact="https://ann.example/", robots=False)
        files = archive.files.folder.glob("warc/*.warc.gz")
        heads = [read_info(io.BytesIO(file.read_bytes())).decode() for file in files]
    said = [dict(line.split(": ", 1) for line in head.splitlines()) for head in heads]
    assert {(head.get("operator"), head["robots"]) for head in said} == {
        (None, "obey"), ("https://ann.example/", "ignore"),
    }
    assert [head["isPartOf"] for head in said] == [a_blog.HOME] * 2
