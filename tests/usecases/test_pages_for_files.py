"""Pages in place of files: servers that have no such picture and say 200 all the same, and error pages of frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.core.urls import canonical
from everlog.records import Exchange, Failure
from everlog.usecases.page.requisite_visits import PAGE_INSTEAD
from usecases.a_site import POSTS, a_site, crawl
from usecases.test_requisites import a_designed_site, designed, held, months_later, new_post

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive

HOME = a_blog.HOME
OWL = "https://pictures.example/owl.jpg"
NOTHING = "<!doctype html><title>Nothing here</title><img src=/lost.png><p>We looked everywhere."


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


def reasons(archive: Archive) -> dict[str, str | None]:
    return {each.url: each.reason for each in archive.urls.problems(archive.blogs()[0].id)}


def test_a_page_sent_for_a_picture_of_an_article_is_no_media(archive):
    fetcher = a_site()
    fetcher.put(a_blog.url(POSTS), a_blog.page(POSTS, a_blog.article(POSTS) + f"<img src={OWL}>"))
    fetcher.put(OWL, NOTHING)
    report = crawl(fetcher, archive)
    assert (report.ending, report.tally.now.media, report.tally.now.media_missing) == ("complete", 0, 1)
    assert reasons(archive) == {OWL: PAGE_INSTEAD}
    assert [(each.url, each.path) for each in archive.posts.find(a_blog.url(POSTS)).media] == [(OWL, None)]


def test_a_page_sent_for_a_file_of_the_design_is_missing_and_asks_for_nothing_more(archive):
    fetcher = a_designed_site()
    fetcher.put(HOME + "banner.jpg", NOTHING, type="image/jpeg")
    fetcher.put(HOME + "style.css?ver=1", NOTHING)
    report = crawl(fetcher, archive)
    assert reasons(archive) == {HOME + "banner.jpg": PAGE_INSTEAD, HOME + "style.css?ver=1": PAGE_INSTEAD}
    assert report.tally.now.requisites_missing == 2
    assert fetcher.count(HOME + "lost.png") == 0


def test_a_page_sent_for_a_file_that_is_held_leaves_it_as_it_is(archive):
    fetcher = a_designed_site()
    crawl(fetcher, archive)
    before = held(archive)
    new_post(fetcher)
    fetcher.put(HOME + "paper.png", NOTHING)
    fetcher.now = months_later()
    report = crawl(fetcher, archive, recheck_days=0)
    assert fetcher.count(HOME + "paper.png") == 2
    assert (held(archive), report.tally.now.requisites_missing) == (before, 0)
    capture = archive.captures.find(archive.blogs()[0].id, HOME + "paper.png")
    assert (capture.status, capture.content_type) == (200, "image/png")


def test_a_frame_that_is_not_there_has_its_error_page_with_what_that_needs(archive):
    fetcher = a_site()
    frame = HOME + "frames/map"
    designed(fetcher, head="", body="<iframe src=/frames/map></iframe>")
    error = Exchange(
        url=frame, status=404, headers=(("Content-Type", "text/html"),), body=NOTHING.encode(), fetched_at=fetcher.now,
        purpose="requisite",
    )
    fetcher.answers[canonical(frame)] = Failure(
        url=frame, trouble="http", reason="answers 404", status=404, exchanges=(error,),
    )
    fetcher.put(HOME + "lost.png", "lost", type="image/png")
    report = crawl(fetcher, archive)
    assert report.ending == "complete"
    assert held(archive) == [HOME + "lost.png"]
    assert reasons(archive) == {frame: "answers 404"}
    found = archive.mementos.nearest(frame, fetcher.now)
    assert found is not None
    assert (found.way, found.status) == ("error", 404)
