"""Origins of the two ports: the addresses under which a reader's browser finds the interface and the captured pages."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

# A name with its port, as a browser sends it; anything else is no host. Names go into policies and pages: none may have
# a sign that means something there (`a;b.localhost` is this machine to browsers, and `;` ends a rule of a policy).
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """Where both ports are. Without addresses of their own they have the host that the reader asked, whichever it was.

    `allowed` are names that may be asked for, besides those of this machine and of the two addresses.
    """

    port: int
    replay_port: int
    base_url: str | None = None
    replay_base_url: str | None = None
    allowed: frozenset[str] = frozenset()

    def interface(self, host: str) -> str:
        """The address of the interface, without a slash at its end, for somebody who asked this host."""
        return (self.base_url or f"http://{name_in(host)}:{self.port}").rstrip("/")

    def replay(self, host: str) -> str:
        """The address of captured pages, without a slash at its end."""
        return (self.replay_base_url or f"http://{name_in(host)}:{self.replay_port}").rstrip("/")

    def is_allowed(self, host: str) -> bool:
        """Whether somebody may ask under this name.

        A foreign page can point a name of its own at this machine and read what is shown there; at a number it cannot.

        >>> origins = Origins(port=8080, replay_port=8081, allowed=frozenset({"archive.lan"}))
        >>> [origins.is_allowed(host) for host in ("localhost:8080", "127.0.0.1", "[::1]:1", "Archive.lan", "evil.org")]
        [True, True, True, True, False]
        """
        name = name_in(host).lower().rstrip(".")
        if name == "localhost" or name.endswith(".localhost") or name in self.allowed or _is_number(name):
            return True
        own = {urlsplit(url).hostname for url in (self.base_url, self.replay_base_url) if url}
        return name in own


def origin_of(url: str) -> str:
    """Scheme, host and port of an address: what a Content-Security-Policy names.

    >>> origin_of("https://a.org/archive")
    'https://a.org'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def name_in(host: str) -> str:
    """The name in a Host header, without its port; nothing, if it is none."""
    found = _HOST.fullmatch(host.strip())
    return found[1] if found else ""


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
