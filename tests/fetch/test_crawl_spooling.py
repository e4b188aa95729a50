"""Large pictures and files go to the disk as they come, and leave nothing there that nobody asked for."""

from __future__ import annotations

import gzip
import hashlib
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from servers import Server, reply
from stories import Leaps, policy, tell, told

from everlog.errors import DiskFull
from everlog.fetch.spooling import SPOOL_FROM_BYTES
from everlog.records import Fetched

if TYPE_CHECKING:
    from everlog.fetch import HttpClient
    from everlog.records import Failure

LEAPS = Leaps()
MOST = 5_000_000
LARGE = b"".join(hashlib.sha256(str(number).encode()).digest() for number in range(2 * SPOOL_FROM_BYTES // 32))
SMALL = LARGE[:1_000]


async def story(fetcher: HttpClient) -> dict[str, Any]:
    folder, found = Path(sys.argv[1]), {}
    answers = {
        "/large": reply(200, LARGE, Content_Type="image/png"), "/small": reply(200, SMALL),
        "/packed": reply(200, gzip.compress(LARGE), Content_Encoding="gzip"), "/huge": reply(200, b"x" * (MOST + 1)),
        "/cut": lambda _: [b"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n", LARGE],
    }
    with Server(answers) as server:
        session = fetcher.session(policy(server.url(), max_media_bytes=MOST, scratch=str(folder), retries=0))
        for path in answers:
            found[path] = _told(await session.fetch(server.url(path), purpose="media"))
        found["page"] = _told(await session.fetch(server.url("/large")))
        homeless = fetcher.session(policy(server.url(), max_media_bytes=MOST))
        found["no folder"] = _told(await homeless.fetch(server.url("/large"), purpose="media"))
        found["left"] = [path.name for path in folder.iterdir()]
        found["asked for"] = {seen.path: seen.headers.get("accept-encoding") for seen in server.seen[:2]}
        resource.setrlimit(resource.RLIMIT_FSIZE, (SPOOL_FROM_BYTES + 1, resource.RLIM_INFINITY))
        try:
            await session.fetch(server.url("/large"), purpose="media")
        except DiskFull as error:
            found["full"] = str(error)
    return found


def _told(answer: Fetched | Failure) -> Any:
    if not isinstance(answer, Fetched):
        return answer.trouble
    last = answer.answer
    body = b"".join(last.chunks())
    return {
        "spooled": last.spooled is not None, "in memory": len(last.body), "size": last.size,
        "whole": hashlib.sha256(body).hexdigest(), "length": last.header("content-length"),
        "named": last.spooled.sha256 if last.spooled is not None else None,
    }


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return told(__file__, str(tmp_path_factory.mktemp("scratch")))


def test_a_large_picture_is_on_the_disk_and_not_in_memory(found: dict[str, Any]) -> None:
    digest = hashlib.sha256(LARGE).hexdigest()
    large = {"spooled": True, "in memory": 0, "size": len(LARGE), "length": str(len(LARGE))}
    assert found["/large"] == large | {"whole": digest, "named": digest}


def test_small_pictures_pages_and_packed_bodies_are_in_memory(found: dict[str, Any]) -> None:
    assert (found["/small"]["spooled"], found["/small"]["in memory"]) == (False, len(SMALL))
    for name in ("page", "no folder", "/packed"):
        assert (found[name]["spooled"], found[name]["whole"]) == (False, hashlib.sha256(LARGE).hexdigest())


def test_media_are_asked_for_as_they_are(found: dict[str, Any]) -> None:
    assert found["asked for"] == {"/large": "identity", "/small": "identity"}


def test_limits_and_broken_answers_are_told_as_ever(found: dict[str, Any]) -> None:
    assert found["/huge"] == "too-large"
    assert found["/cut"] == "truncated"


def test_nothing_is_left_in_the_folder(found: dict[str, Any]) -> None:
    assert found["left"] == []


def test_a_disk_that_takes_no_more_is_told_as_such(found: dict[str, Any]) -> None:
    assert found["full"].startswith("disk full: ")


if __name__ == "__main__":
    tell(story, LEAPS.keeper())
