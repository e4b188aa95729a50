"""Packages of captures: what others made gives the posts of a crawl, and what is exported is valid to others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cli.program import everlog
from everlog.demo.server import serve
from importing.other_programs import needs_them, wacz_complaints, wacz_create, wget

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_them
# When and by whom a page was captured, and where it is kept.
OF_THE_CAPTURE = {"fetched", "warc", "origin", "captured"}


def posts(folder: Path, archive: str) -> dict[str, dict]:
    done = everlog("export", "--archive", archive, "-q", folder=folder)
    assert done.code == 0, done.err
    return {(post := json.loads(line))["url"]: post for line in done.out.splitlines()}


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, dict]]:
    """The demo's blog: a folder, its WARC, and the posts of a crawl."""
    folder = tmp_path_factory.mktemp("captured")
    with serve() as home:
        warc = wget(folder, home, f"{home}feed.xml")
        done = everlog("crawl", home, "--archive", "crawled", "--delay", "0", "-q", folder=folder)
        assert done.code == 0, done.err
    return folder, warc, posts(folder, "crawled")


@pytest.mark.parametrize("kind", ["warc", "wacz"])
def test_a_captured_site_gives_the_posts_of_a_crawl_of_it(captured, kind):
    folder, warc, crawled = captured
    file = warc if kind == "warc" else wacz_create(warc)
    done = everlog("import", str(file), "--archive", kind, "--json", "-q", folder=folder)
    assert done.code == 0, done.err
    blog, = done.json["blogs"]
    assert (blog["posts"], blog["earlier"], blog["changed"]) == (len(crawled), 0, 0)
    imported = posts(folder, kind)
    assert imported.keys() == crawled.keys()
    assert {post["origin"] for post in imported.values()} == {"import"}
    assert all(post["captured"] is not None for post in imported.values())
    for url, post in crawled.items():
        same = {name: value for name, value in post.items() if name not in OF_THE_CAPTURE}
        assert {name: value for name, value in imported[url].items() if name not in OF_THE_CAPTURE} == same
    assert everlog("verify", "--archive", kind, "-q", folder=folder).code == 0


def test_what_a_crawl_holds_is_left_as_it_is(captured):
    folder, warc, crawled = captured
    done = everlog("import", str(warc), "--archive", "crawled", "--json", "-q", folder=folder)
    blog, = done.json["blogs"]
    assert (blog["posts"], blog["earlier"], blog["changed"]) == (0, 0, 0)
    assert posts(folder, "crawled") == crawled


def test_an_exported_package_is_valid_and_gives_the_same_posts_again(captured):
    folder, _, crawled = captured
    done = everlog("export", "--archive", "crawled", "-o", "own.wacz", "-q", folder=folder)
    assert done.code == 0, done.err
    assert wacz_complaints(folder / "own.wacz") == ""
    done = everlog("import", "own.wacz", "--archive", "again", "-q", folder=folder)
    assert done.code == 0, done.err
    again = posts(folder, "again")
    for url, post in crawled.items():
        assert (again[url]["title"], again[url]["text"]) == (post["title"], post["text"])
    assert again.keys() == crawled.keys()
