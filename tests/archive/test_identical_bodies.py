"""The same body under many addresses is in the WARC files once, however many bring it at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import some_visits as some
from some_visits import HOME
from warcio.archiveiterator import ArchiveIterator

from everlog.archive.verify import verify
from everlog.archive.write.batch_writer import BatchWriter
from everlog.core.urls import canonical

BODY = b"\x89PNG the same picture everywhere" * 100


@pytest.fixture
def archive(place):
    with place.open() as opened:
        yield opened


@pytest.fixture
def blog(archive):
    added = archive.blogs.add(HOME, scope="path")
    with archive.lock(added.id):
        yield added.id


def records(place, *, kind):
    """Address, headers and body length of the records of a kind."""
    found = []
    for file in sorted((place.folder / "warc").glob("*.warc.gz")):
        with file.open("rb") as raw:
            for record in ArchiveIterator(raw):
                if record.rec_type == kind:
                    named, body = record.rec_headers, record.content_stream().read()
                    found.append((named.get_header("WARC-Target-URI"), named, len(body)))
    return found


def test_visits_of_one_batch_share_a_body(archive, blog, place):
    archive.commit([some.media_visit(blog, f"{HOME}{number}.png", BODY, at=number) for number in range(5)])
    [(url, _, length)] = records(place, kind="response")
    assert (url, length) == (f"{HOME}0.png", len(BODY))
    revisits = records(place, kind="revisit")
    assert [length for _, _, length in revisits] == [0] * 4
    for _, named, _ in revisits:
        assert named.get_header("WARC-Profile").endswith("/identical-payload-digest")
        assert named.get_header("WARC-Refers-To-Target-URI") == f"{HOME}0.png"
        assert named.get_header("WARC-Refers-To-Date") == "2024-05-01T12:00:00.000000Z"
    assert list(verify(archive)) == []


def test_visits_that_many_bring_at_once_share_a_body_across_batches(archive, blog, place):
    with BatchWriter(archive) as writer, ThreadPoolExecutor(8) as crowd:
        futures = list(crowd.map(
            lambda number: writer.submit(some.media_visit(blog, f"{HOME}{number}.png", BODY)), range(200),
        ))
        assert all(future.result(300) for future in futures)
    assert len(records(place, kind="response")) == 1
    assert len(records(place, kind="revisit")) == 199
    assert list(verify(archive)) == []


def test_two_blogs_keep_a_body_each(archive, blog, place):
    other = archive.blogs.add("http://b.example/", scope="path").id
    with archive.lock(other):
        archive.commit([
            some.media_visit(blog, f"{HOME}1.png", BODY), some.media_visit(other, "http://b.example/1.png", BODY),
        ])
    assert len(records(place, kind="response")) == 2


def test_an_answer_whose_body_came_from_another_address_first_is_read_as_its_own(archive, blog):
    plain = some.exchange(f"{HOME}a", b"<p>the same</p>")
    other = some.exchange(f"{HOME}b", b"<p>the same</p>", at=9, headers=(("Content-Type", "text/plain"), ("X-A", "b")))
    archive.commit([some.page(blog, plain.url, exchanges=(plain,)), some.page(blog, other.url, exchanges=(other,))])
    capture = archive.captures.find(blog, other.url)
    stored = archive.files.exchange(capture)
    assert (stored.url, stored.body, stored.fetched_at) == (other.url, other.body, other.fetched_at)
    assert stored.header("x-a") == "b"
    assert stored.header("content-type") == capture.content_type == "text/plain"


def test_an_error_page_that_was_held_already_is_no_good_answer(archive, blog):
    url = f"{HOME}gone"
    for number in range(2):
        missing = some.exchange(url, b"<p>not here</p>", status=404, at=number)
        archive.commit([some.page(blog, url, outcome="failed", exchanges=(missing,))])
    assert archive.captures.find(blog, url) is None
    assert archive.captures.held_answer(blog, canonical(url)) is None



def test_a_body_that_was_too_large_for_the_memory_is_stored_from_the_disk(archive, blog, place):
    body = bytes(range(256)) * 10_000
    archive.commit([some.spooled_visit(blog, f"{HOME}{at}.png", body, at=at) for at in (1, 2)])
    [(_, _, length)] = records(place, kind="response")
    assert length == len(body)
    assert len(records(place, kind="revisit")) == 1
    [file] = (place.folder / "media").glob("*/*.png")
    assert file.read_bytes() == body
    assert archive.files.exchange(archive.captures.find(blog, f"{HOME}2.png")).body == body
    assert list(verify(archive)) == []
