"""Every address that the two apps of an archive answer: their routes filled in, and all links followed."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from everlog.web.interface.interface_app import interface_app
from everlog.web.mementos.replay_app import ReplayApp
from everlog.web.origins import Origins
from everlog.web.page_templates import Pages
from web.conftest import POST, stamp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog.archive import Archive
    from web.served_archive import Answer, Served

_LINK, _FORM = re.compile(r'\b(?:href|src|poster)="([^"]*)"'), re.compile(r'\baction="([^"]*)"')
_SET = re.compile(r'\bsrcset="([^"]*)"')
# What stands for a part of an address.
_FILLED = {"home:path": "a.example", "rest:path": POST, "name": "everlog.css", "last": "2", "format": "link"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Visited:
    """An address that was asked for, and what was answered."""

    url: str
    answer: Answer
    found_on: str


def routes_of(archive: Archive) -> tuple[list[str], list[str]]:
    """An address for each route of the interface, and of captured pages."""
    origins = Origins(port=1, replay_port=2)
    ours, theirs = (
        [_filled(route.path) for route in app.routes]  # type: ignore[attr-defined]
        for app in (interface_app(archive, origins, Pages()), ReplayApp(archive, origins, Pages()).app())
    )
    return ours, theirs


def walk(served: Served, begin: Sequence[str], *, most: int = 1_000, **headers: str) -> Iterator[Visited]:
    """All addresses that are linked from these, on both ports, each once."""
    waiting = deque((url, "") for url in begin)
    seen: set[str] = set()
    while waiting and len(seen) < most:
        url, found_on = waiting.popleft()
        url = url.partition("#")[0]
        here = served.interface if url.startswith(served.interface + "/") else served.replay
        if url in seen or not url.startswith(here + "/"):
            continue
        seen.add(url)
        parts = urlsplit(url)
        answer = served.ask(parts.path + (f"?{parts.query}" if parts.query else ""), at=here, **headers)
        yield Visited(url=url, answer=answer, found_on=found_on)
        if 300 <= answer.status < 400 and "Location" in answer.headers:
            waiting.append((urljoin(url, answer.headers["Location"]), url))
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            waiting.extend((urljoin(url, link), url) for link in links_in(answer.body.decode("utf-8", "replace")))


def links_in(text: str) -> Iterator[str]:
    """All that a page links to or shows."""
    yield from map(unescape, _LINK.findall(text))
    for candidates in map(unescape, _SET.findall(text)):
        yield from (each.split()[0] for each in candidates.split(",") if each.strip())


def forms_in(text: str) -> list[str]:
    """Where the forms of a page lead, without what is filled in."""
    return [unescape(each) for each in _FORM.findall(text)]


def _filled(path: str) -> str:
    if path in {"/web/{rest:path}", "/warc/{rest:path}"}:
        return path.replace("{rest:path}", f"{stamp(0)}/{POST}")
    # What is not known is a number.
    return re.sub(r"\{([^}]*)\}", lambda found: _FILLED.get(found[1], "1"), path)
