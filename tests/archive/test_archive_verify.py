"""What `verify` sees when something is wrong, and that it sees nothing when nothing is."""

from __future__ import annotations

import os
import re
from datetime import timedelta

import pytest
import some_visits as some
from some_visits import HOME, LONG, START

from everlog.archive.models import Poll
from everlog.archive.verify import count_to_verify, verify
from everlog.schedule.poll_schedule import first_polling

URL = HOME + "a"


@pytest.fixture
def stored(place):
    """An archive with a bit of everything."""
    with place.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            with_picture = some.post_visit(blog, URL, media=(some.picture(HOME + "p.png"),))
            archive.commit([with_picture, some.media_visit(blog, HOME + "p.png")])
            edited = LONG + " edited"
            archive.commit([some.post_visit(blog, URL, edited, at=1), some.post_visit(blog, HOME + "b", edited, at=2)])
            archive.commit([some.page(blog, URL, exchanges=(some.exchange(URL, edited.encode(), at=3),))])
            archive.commit([some.page(blog, URL, exchanges=(some.exchange(URL, b"", status=304, at=4),))])
        archive.blogs.update(blog, template="{}", knowledge="{}")
        archive.blogs.change_template(blog, template="{}", knowledge="{}", at=START, reason="redesigned")
        archive.polls.set(Poll(blog_id=blog, polling=first_polling([], START, seed="a")))
        archive.posts.rechecks.plan(blog, now=START, most=timedelta(days=90))
    return place


def findings(stored):
    with stored.open(create=False) as archive:
        return [f"{found.kind}: {found.text}" for found in verify(archive)]


def warc(stored):
    return next(stored.folder.glob("warc/*"))


def test_a_sound_archive_has_no_findings_and_shows_its_progress(stored):
    told = []
    with stored.open(create=False) as archive:
        assert list(verify(archive, told.append)) == []
        # Six captures, a picture, and one post: the same text under a second address is no other.
        assert count_to_verify(archive) == len(told) == 8
    assert told[-1] == "a.example/a"


def test_a_finding_can_be_printed_and_handed_on(stored):
    warc(stored).unlink()
    with stored.open(create=False) as archive:
        found = next(verify(archive))
    assert str(found).endswith(": file missing")
    assert found.to_dict()["kind"] == "warc"


def test_bytes_behind_the_committed_length_are_nobodys_business(stored):
    with warc(stored).open("ab") as file:
        file.write(b"half a rec")
    assert findings(stored) == []


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.8, 0.999])
def test_one_flipped_bit_in_a_warc_file_is_seen(stored, share):
    data = bytearray(warc(stored).read_bytes())
    data[int(len(data) * share)] ^= 4
    warc(stored).write_bytes(data)
    assert findings(stored)


def test_a_shorter_or_missing_warc_file_is_seen(stored):
    os.truncate(warc(stored), warc(stored).stat().st_size - 1)
    assert "shorter than" in findings(stored)[0]
    warc(stored).unlink()
    assert "file missing" in findings(stored)[0]


def test_a_changed_or_missing_media_file_is_seen(stored):
    file = next(stored.folder.glob("media/*/*"))
    file.write_bytes(b"\x89PNG pictura")
    assert findings(stored) == ["media: content differs from what was stored"]
    file.unlink()
    assert findings(stored) == ["media: file missing"]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ('update captures set "offset" = "offset" + 1 where id = 2', "points to a missing record"),
        ("update captures set url = 'http://a.example/x' where id = 1", "address is"),
        ("update captures set digest = 'sha256:0' where id = 1", "digest is"),
        ("delete from captures where id = 3", "that no capture points to"),
        ("update captures set original_id = 1 where original_id is not null", "has another digest"),
        ("delete from versions where version = 1", "expected 1 to 2"),
        ("update versions set record = 'x'", "cannot be read"),
        ("update versions set capture_id = 99", "a version read from a missing capture"),
        ("update posts set version = 5", "expected 1 to 5"),
        ("delete from media_files", "media without a file"),
        ("update aliases set post_id = 77", "an alias of a missing post"),
        ("update aliases set key = 'a.example/a'", "an alias that is also a post"),
        ("update warc_files set length = length - 1", "truncated within the record"),
        ("update warc_files set length = length - 9", "truncated within the record"),
        ("update media_files set path = '../../etc/passwd'", "file missing"),
        ("update events set detail = '{' where detail is not null", "its detail cannot be read"),
        ("update events set blog_id = 7", "an event of a post of another blog"),
        ("update rechecks set blog_id = 7", "a recheck of a post of another blog"),
        ("update polls set state = '{\"due'", "its state cannot be read"),
        ("update templates set knowledge = '['", "its knowledge cannot be read"),
        ("update blogs set former_homes = 'x'", "its former_homes cannot be read"),
    ],
)
def test_a_row_that_does_not_fit_is_seen(stored, statement, text):
    assert stored.change(statement)
    found = findings(stored)
    assert any(text in line for line in found), found


def test_what_is_committed_while_it_is_looked_at_is_no_finding(place):
    with place.open() as archive, place.open() as looking:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.post_visit(blog, URL)])

            def meanwhile(what):
                if what == URL:
                    archive.commit([some.post_visit(blog, HOME + "later", f"{LONG} later", at=5)])

            assert list(verify(looking, meanwhile)) == []
        assert archive.blogs.counts(blog).posts == 2
        assert list(verify(looking)) == []


def test_a_capture_behind_the_end_of_its_file_is_seen(stored):
    stored.change('update captures set "offset" = 1000000 where id = 1')
    assert "row: a capture beyond the end of its file" in findings(stored)


EVERYTHING = (
    "versions", "aliases", "events", "rechecks", "media", "media_files", "indexed", "posts", "captures", "urls",
    "warc_files", "polls", "templates", "runs", "blogs",
)


def emptied(stored, *tables):
    stored.change(*(f"delete from {table}" for table in tables))  # noqa: S608 - our own names
    return [found for found in findings(stored) if found.startswith("unnamed: ")]


def test_a_database_that_was_emptied_beside_full_folders_is_noticed(stored):
    [found] = emptied(stored, *EVERYTHING)
    assert "the database holds no blog, but there are 1 WARC files and 1 media files" in found
    assert "restore the right one" in found


def test_files_of_an_emptied_database_survive_the_crawl_of_another_blog(stored):
    kept = {path: path.read_bytes() for path in stored.folder.glob("*/**/*.*") if path.suffix in {".gz", ".png"}}
    emptied(stored, *EVERYTHING)
    for path in stored.folder.glob("warc/*.gz"):
        # As if it was some time ago.
        old = path.rename(path.with_name(re.sub(r"-\d{14}-", "-20240501000000-", path.name)))
        kept[old] = kept.pop(path)
    with stored.open() as archive:
        blog = archive.blogs.add("http://b.example/", scope="path").id
        with archive.lock(blog):
            archive.commit([some.page(blog, "http://b.example/")])
        archive.writers.recover()
    assert {path: path.read_bytes() for path in kept} == kept
    assert any("older than the database" in found or "nor its blog" in found for found in findings(stored))


@pytest.mark.parametrize("name", [r"\1-77-\3", r"77-\2-\3"], ids=["as today", "as before"])
def test_a_file_of_a_blog_that_the_database_does_not_know_is_noticed(stored, name):
    file = warc(stored)
    other = re.sub(r"^(everlog-.*-(\d{14}))-\d+-(\d+\.warc\.gz)$", name, file.name)
    file.with_name(other).write_bytes(file.read_bytes())
    assert any("nor its blog" in found for found in findings(stored))


def test_a_picture_whose_row_is_lost_is_noticed(stored):
    assert emptied(stored, "media", "media_files") == [
        "unnamed: the database does not know this file, although it was fetched",
    ]


def test_what_a_killed_crawl_leaves_is_no_finding(stored):
    file = warc(stored)
    with file.open("ab") as tail:
        tail.write(file.read_bytes()[:100])
    newer = re.sub(r"-\d{14}-", "-20990501000000-", file.name)
    file.with_name(newer).write_bytes(b"half a record")
    (stored.folder / "media" / "ab").mkdir(exist_ok=True)
    (stored.folder / "media" / "ab" / f"{'ab' * 32}.png").write_bytes(b"fetched and not named")
    assert findings(stored) == []


def test_a_database_that_is_much_older_than_its_files_is_noticed(place):
    with place.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.page(blog, HOME)])
            for start in range(0, 4_000, 500):
                archive.commit([some.page(blog, f"{HOME}{number}") for number in range(start, start + 500)])
    # As a copy of the database that was made after the first page.
    length = place.rows('select min("offset") from captures where id > 1')[0][0]
    place.change(
        "delete from captures where id > 1", "delete from urls where id > 1",
        f"update warc_files set length = {length}",  # noqa: S608 - our own figure
    )
    assert any("the database is older than the file" in found for found in findings(place))
