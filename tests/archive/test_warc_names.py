"""What WARC files are called and what they begin with, and that those of earlier versions are theirs all the same."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime

import kill_runs
import pytest
import some_visits as some
from hypothesis import given
from hypothesis import strategies as st
from places import Place
from some_visits import HOME
from warcio.archiveiterator import ArchiveIterator

from everlog.archive.files.warc_names import CrawlInfo, label_of, owner_of, parse_name
from everlog.archive.verify import verify

NOW = datetime(2026, 11, 17, 20, 53, 12, tzinfo=UTC)
OBEYING = CrawlInfo(robots="obey")
TODAY = re.compile(r"everlog-(.*)-(\d{14})-(\d+)-(.*)")


@pytest.mark.parametrize(
    ("home", "label"),
    [
        ("https://a.blog.example/", "a.blog.example"), ("http://A.Blog.example:8080/", "a.blog.example-8080"),
        ("https://host.example/~ann/blog/", "host.example-ann-blog"), ("https://ä.example/ö/", "xn--4ca.example"),
        ("http://[::1]:80/", "1-80"), ("http://10.0.0.1/", "10.0.0.1"), ("http://../../etc/", "etc"), ("", "blog"),
        ("http://ann:secret@a.example/", "a.example"), ("http://a.example:port/", "blog"),
        ("http://" + "a" * 300 + ".example/", "a" * 100), ("http://☃☃..example/", "example"),
    ],
)  # fmt: skip
def test_a_file_carries_the_host_port_and_path_of_its_blog(home, label):
    assert label_of(home) == label


homes = st.text() | st.from_regex(r"https?://[a-z0-9.-]{1,90}(:[0-9]{1,5})?/.*")


@given(homes, st.integers(1, 10**9), st.integers(1, 10**9))
def test_whatever_a_blog_is_called_the_names_of_its_files_are_read_back(home, blog, number):
    for serial in ("", "-2"):
        name = f"{owner_of(blog, home, OBEYING).stem(NOW)}-{number:04d}{serial}.warc.gz"
        assert len(name) < 200
        assert re.fullmatch(r"everlog-[a-z0-9.-]+", name)
        assert ".." not in name
        read = parse_name(f"warc/{name}")
        assert (read.blog_id, read.begun, read.number) == (blog, "20261117205312", number)


def test_a_host_that_looks_like_the_numbers_of_a_name_is_not_taken_for_them():
    for host in ("a-20240501120000", "a-20240501120000-5", "1-20240501120000-5-0001"):
        read = parse_name(f"warc/{owner_of(7, f'http://{host}/', OBEYING).stem(NOW)}-0001.warc.gz")
        assert (read.blog_id, read.begun, read.number) == (7, "20261117205312", 1)


@pytest.mark.parametrize("name", ["warc/notes.txt", "warc/everlog-a/b-20240501120000-1-1.warc.gz", "warc/a.warc.gz"])
def test_names_of_others_are_not_read(name):
    assert parse_name(name) is None


def store(archive, *urls, home=HOME, info=OBEYING):
    blog = archive.blogs.add(home, scope="path").id
    with archive.lock(blog, info):
        archive.commit([some.page(blog, url) for url in urls])
    return blog


def files(place):
    return sorted(path.name for path in place.folder.glob("warc/*"))


def heads(place):
    """What the first record of each file says, as another program reads it."""
    found = []
    for name in files(place):
        with (place.folder / "warc" / name).open("rb") as file:
            first = next(ArchiveIterator(file))
            assert (first.rec_type, first.rec_headers.get_header("WARC-Filename")) == ("warcinfo", name)
            lines = first.content_stream().read().decode().splitlines()
        found.append(dict(line.split(": ", 1) for line in lines))
    return found


def in_order(place):
    """Whether all that was stored can be read, by us and by the checker of other programs."""
    with place.open(create=False) as archive:
        wrong = [found.text for found in verify(archive)]
    checked = subprocess.run(
        [sys.executable, "-m", "warcio.cli", "check", *place.folder.glob("warc/*")], capture_output=True, check=False,
    )
    return (wrong, checked.returncode, checked.stdout) == ([], 0, b"")


def test_files_carry_the_name_of_their_blog(place):
    with place.open() as archive:
        blog = store(archive, HOME + "1")
    [name] = files(place)
    assert TODAY.fullmatch(name)[1] == "a.example"
    assert parse_name(f"warc/{name}").blog_id == blog
    assert in_order(place)


def test_a_file_of_several_blogs_has_a_name_for_all_of_them(shared):
    with shared.open() as archive, archive.writers.together():
        for home in (HOME, "http://b.example/"):
            store(archive, home + "1", home=home)
    [name] = files(shared)
    assert TODAY.fullmatch(name)[1] == "several-blogs"
    [head] = heads(shared)
    assert "isPartOf" not in head
    assert in_order(shared)


def test_blogs_that_are_written_together_and_crawled_differently_have_files_of_their_own(shared):
    with shared.open() as archive, archive.writers.together():
        for number, robots in enumerate(("obey", "ignore", "obey")):
            home = f"http://{number}.example/"
            store(archive, home + "1", home=home, info=CrawlInfo(robots=robots))
    assert sorted(head["robots"] for head in heads(shared)) == ["ignore", "obey"]
    assert {closed for (closed,) in shared.rows("select closed from warc_files")} == {True}
    assert in_order(shared)


def test_a_file_begins_with_what_wrote_it_for_whom_and_how(place):
    with place.open() as archive:
        store(archive, HOME + "1", info=CrawlInfo(operator="ann@a.example\r\nrobots: none", robots="ignore"))
    [head] = heads(place)
    assert re.fullmatch(r"everlog/\d[\w.+]*", head.pop("software"))
    assert head == {
        "format": "WARC File Format 1.1", "isPartOf": HOME, "operator": "ann@a.example  robots: none",
        "robots": "ignore",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
    }


def test_what_nobody_has_said_is_not_made_up(place):
    with place.open() as archive:
        store(archive, HOME + "1", info=None)
    assert heads(place)[0].keys() == {"software", "format", "conformsTo", "isPartOf"}


def test_a_crawl_goes_on_in_its_file_until_it_is_run_otherwise(tmp_path):
    place = Place(folder=tmp_path / "archive")
    for number, robots in enumerate(("obey", "obey", "ignore", "ignore")):
        with place.open() as archive:
            store(archive, f"{HOME}{number}", info=CrawlInfo(robots=robots))
    assert sorted(head["robots"] for head in heads(place)) == ["ignore", "obey"]
    assert sorted(place.rows("select closed, count(*) from warc_files group by 1")) == [(0, 1), (1, 1)]
    assert in_order(place)


def test_a_file_without_a_head_that_can_be_read_is_not_gone_on_in(tmp_path):
    place = Place(folder=tmp_path / "archive")
    with place.open() as archive:
        store(archive, HOME + "1")
    [file] = place.folder.glob("warc/*")
    file.write_bytes(b"\0" * 20 + file.read_bytes()[20:])
    with place.open() as archive:
        store(archive, HOME + "2")
    assert len(files(place)) == 2


# Names of before


def name_as_before(place: Place) -> list[str]:
    """Give the files of an archive the names that earlier versions gave them."""
    for name in files(place):
        _, begun, blog, rest = TODAY.fullmatch(name).groups()
        old = f"{blog}-{begun}-{rest}"
        (place.folder / "warc" / name).rename(place.folder / "warc" / old)
        assert place.change(f"update warc_files set name = 'warc/{old}' where name = 'warc/{name}'") == 1  # noqa: S608 - our own
    return files(place)


def test_an_archive_with_names_of_before_is_read_and_goes_on(place):
    with place.open() as archive:
        blog = store(archive, HOME + "1")
    before = name_as_before(place)
    with place.open() as archive:
        assert archive.files.exchange(archive.captures.find(blog, HOME + "1")).status == 200
        store(archive, HOME + "2", info=CrawlInfo(robots="ignore"))
    assert len(files(place)) == 2
    assert set(before) < set(files(place))
    assert in_order(place)


def test_what_a_killed_crawl_left_in_a_file_named_as_before_is_cut_off(tmp_path):
    place = Place(folder=tmp_path / "archive")
    with place.open() as archive:
        store(archive, HOME + "1")
    [name] = name_as_before(place)
    file = place.folder / "warc" / name
    length = file.stat().st_size
    with file.open("ab") as stream:
        stream.write(b"half a record")
    with place.open() as archive:
        store(archive)
    assert file.stat().st_size == length
    assert in_order(place)


@pytest.mark.parametrize("name", ["everlog-a.example-20990501120000-{}-0001", "{}-20990501120000-0001"])
def test_only_the_blogs_own_files_are_cleared_away_whichever_way_they_are_called(tmp_path, name):
    place = Place(folder=tmp_path / "archive")
    with place.open() as archive:
        blog = store(archive, HOME + "1")
        # Of a blog on the same host, whose first batch is under way: no row names it yet.
        own, other = (place.folder / "warc" / f"{name.format(number)}.warc.gz" for number in (blog, blog + 1))
        for file in (own, other):
            file.write_bytes(b"never committed")
        store(archive, HOME + "2")
    assert not own.exists()
    assert other.exists()


@pytest.mark.parametrize("point", [
    "warc-half-record", *(pytest.param(each, marks=pytest.mark.slow) for each in ("warc-synced", "committed")),
])
def test_a_run_killed_in_files_named_as_before_loses_and_doubles_nothing(point, tmp_path):
    place, acknowledged = Place(folder=tmp_path / "archive"), tmp_path / "acknowledged"
    for passage in (9, 4):
        assert kill_runs.killed_at(place, acknowledged, point=point, passage=passage, group=3)
        if passage == 9:
            # What was acknowledged gets its old name; what was not is left as it is.
            known = [name for (name,) in place.rows("select name from warc_files")]
            for name in known:
                _, begun, blog, rest = TODAY.fullmatch(name.removeprefix("warc/")).groups()
                (place.folder / name).rename(place.folder / "warc" / f"{blog}-{begun}-{rest}")
                place.change(f"update warc_files set name = 'warc/{blog}-{begun}-{rest}' where name = '{name}'")  # noqa: S608 - our own
        assert kill_runs.damage(place, acknowledged) == []
    assert not kill_runs.killed_at(place, acknowledged, point="none", passage=1, group=4)
    assert kill_runs.damage(place, acknowledged) == []
