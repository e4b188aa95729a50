"""Memento protocol (RFC 7089): the headers of captures, and lists of them that programs read."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from everlog.replay import Replayed, View
from everlog.web.mementos.capture_times import http_date, timestamp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from everlog.archive.models import Sighting, Surroundings

LINK_FORMAT = "application/link-format"
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


class MementoAddresses:
    """The addresses of one URL's captures, at an origin."""

    def __init__(self, prefix: str, url: str) -> None:
        self._view = View(prefix=prefix, timestamp="")
        # As it is safe to write into a header: the engine's own spelling, behind no time, and no letters beyond ASCII.
        spelled = self._view.file(Replayed(timestamp="", url=url)).removeprefix(f"{prefix}/web//")
        self.original = _BEYOND_ASCII.sub(lambda found: quote(found[0], errors="replace"), spelled)
        self.timegate = f"{prefix}/timegate/{self.original}"
        self.timemap = f"{prefix}/timemap/link/{self.original}"
        self.timemap_json = f"{prefix}/timemap/json/{self.original}"

    def memento(self, moment: datetime) -> str:
        """The address of the capture of a moment."""
        return self._view.file(Replayed(timestamp=timestamp(moment), url=self.original))


def link_header(addresses: MementoAddresses, around: Surroundings, at: datetime | None = None) -> str:
    """The `Link` header of a capture, or of an answer that leads to one."""
    links = [
        f'<{addresses.original}>; rel="original"', f'<{addresses.timegate}>; rel="timegate"',
        f'<{addresses.timemap}>; rel="timemap"; type="{LINK_FORMAT}"',
    ]
    named: dict[datetime, list[str]] = {}
    for name, moment in (
        ("first", around.first), ("prev", around.previous), ("", at), ("next", around.next), ("last", around.last),
    ):
        if moment is not None:
            named.setdefault(moment.replace(microsecond=0), []).append(name)
    for moment, names in sorted(named.items()):
        relation = " ".join([*filter(None, names), "memento"])
        links.append(f'<{addresses.memento(moment)}>; rel="{relation}"; datetime="{http_date(moment)}"')
    return ", ".join(links)


def timemap_lines(addresses: MementoAddresses, moments: Sequence[Sighting]) -> Iterator[str]:
    """A TimeMap in the format of links, piece by piece."""
    first, last = http_date(moments[0].at), http_date(moments[-1].at)
    yield f'<{addresses.original}>; rel="original",\n'
    yield (
        f'<{addresses.timemap}>; rel="self"; type="{LINK_FORMAT}"; from="{first}"; until="{last}",\n'
        f'<{addresses.timegate}>; rel="timegate"'
    )
    for place, moment in enumerate(moments):
        names = ["first"] if place == 0 else []
        names += ["last"] if place == len(moments) - 1 else []
        relation = " ".join([*names, "memento"])
        yield f',\n<{addresses.memento(moment.at)}>; rel="{relation}"; datetime="{http_date(moment.at)}"'
    yield "\n"


def timemap_json(addresses: MementoAddresses, moments: Sequence[Sighting]) -> str:
    """A TimeMap as JSON, in the names that MemGator and other aggregators have."""
    listed = [{"datetime": moment.at.strftime("%Y-%m-%dT%H:%M:%SZ"), "uri": addresses.memento(moment.at)}
              for moment in moments]
    return json.dumps({
        "original_uri": addresses.original, "self": addresses.timemap_json, "timegate_uri": addresses.timegate,
        "timemap_uri": {"link_format": addresses.timemap, "json_format": addresses.timemap_json},
        "mementos": {"first": listed[0], "last": listed[-1], "list": listed},
    }, indent=1)
