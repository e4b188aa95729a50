"""The contact of the User-Agent: who asks blogs for their pages is told once how to name themselves."""

from __future__ import annotations

import sys
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.archive import Archive
    from everlog.settings import Settings

REMARK = (
    "no contact is set: owners of blogs cannot reach you about this crawler\n"
    '  set one in everlog.toml, below a line [crawl]:  contact = "you@example.org"   (or EVERLOG_CONTACT)'
)


def remind_of_contact(urls: Iterable[str], settings: Settings, archive: Archive | None, *, quiet: bool) -> None:
    """Say how to set a contact, once in the life of an archive; not to who asks nobody but their own machine.

    A look at a blog keeps nothing: it says so as long as there is no archive.
    """
    if quiet or settings.contact or settings.user_agent or all(map(_is_own_machine, urls)):
        return
    if archive is None:
        is_told = "://" in settings.archive or Path(settings.archive).exists()
    else:
        is_told = archive.backend.state.tell_contact()
    if not is_told:
        print(REMARK, file=sys.stderr)


def _is_own_machine(url: str) -> bool:
    """Whether a URL leads to this machine.

    >>> _is_own_machine("http://127.0.0.1:8642/"), _is_own_machine("http://a.localhost/"), _is_own_machine("a.example")
    (True, True, False)
    """
    try:
        host = urlsplit(url if "://" in url else f"http://{url}").hostname or ""
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False
