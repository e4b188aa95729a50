"""Allowlist of one blog's session: the public web at its usual ports, and what the user chose beyond it.

A host and port that the user typed may be private, if they were so when they were first connected to. A name that was
public then stays public: whoever owns it could lead a crawl anywhere else later (DNS rebinding). Hosts that the
user allows may be private at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.core.ip_addresses import LONGEST_HOST, host_and_port, literal_address, network_of, refusal
from everlog.fetch.request import DEFAULT_PORTS, origin_of, place, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from everlog.core.fetcher import FetchPolicy

    Place = tuple[str, int]

USUAL_PORTS = frozenset(DEFAULT_PORTS.values())
# Under this name and the host's, an archive remembers which network a blog's own host was in when it was first seen.
FIRST_NETWORK = "first network "


class Allowlist:
    """The hosts and ports of one session; `remember` keeps in which network its own hosts were first seen."""

    def __init__(self, policy: FetchPolicy, remember: Callable[[str, str], None] | None) -> None:
        self._typed = _places((*policy.typed, *policy.also))
        self._own_hosts = {host for host, _ in (*self._typed, *_places(policy.own))}
        self._allow = tuple(host_and_port(text) for text in policy.allow)
        self._first = dict(policy.first_networks)
        self._remember = remember

    def barred(self, url: str) -> str | None:
        """Why a spelled URL is not to be asked for, as far as its spelling tells."""
        try:
            host, port = place(origin_of(url))
        except ValueError:
            host, port = "", 0
        if not url.lower().startswith(("http://", "https://")):
            return f"blocked address (not http or https) for {_short(url)}"
        if not host or not port:
            return f"blocked address (missing host or port) for {_short(url)}"
        if len(host) > LONGEST_HOST:
            return f"blocked address (a host of {len(host)} characters) for {_short(url)}"
        permit = HostPermit(self, host, port)
        address = literal_address(host)
        why = permit.refuse(address) if address is not None else None
        if why is not None:
            return f"blocked address {address} ({why}) for {_short(url)}; {permit.advice()}"
        if port not in USUAL_PORTS and (host, port) not in self._typed and not self.allows(host, port):
            return f"blocked port {port} for {_short(url)}; {permit.advice()}"
        return None

    def permit(self, url: str) -> HostPermit:
        """What a spelled URL's host may turn out to be."""
        return HostPermit(self, *place(origin_of(url)))

    def allows(self, host: str, port: int) -> bool:
        """Whether the user allows this host and port, wherever it is; without a port, the usual ones and the typed."""
        return any(
            (port == wanted if wanted else port in USUAL_PORTS or (host, port) in self._typed)
            for name, wanted in self._allow if _is_same(name, host)
        )

    def network_for(self, host: str, port: int) -> str:
        """`any`, `typed` (whichever it is found in now), or the one network that the host may be in."""
        if self.allows(host, port):
            return "any"
        if (host, port) not in self._typed:
            return "public"
        return self._first.get(host, "typed")

    def was_public(self, host: str) -> bool:
        return self._first.get(host) == "public"

    def note(self, host: str, network: str) -> None:
        """A host is about to be connected to in this network: of the blog's own ones, the first time counts."""
        if host in self._own_hosts and host not in self._first:
            self._first[host] = network
            if self._remember is not None:
                self._remember(FIRST_NETWORK + host, network)


class HostPermit:
    """What the guard asks when a request has an address to connect to."""

    __slots__ = ("_allowlist", "_host", "_port")

    def __init__(self, allowlist: Allowlist, host: str, port: int) -> None:
        self._allowlist = allowlist
        self._host = host
        self._port = port

    @property
    def network(self) -> str:
        return self._allowlist.network_for(self._host, self._port)

    @property
    def pool(self) -> Hashable:
        # A connection that is made before the network is known is only for the session that finds it out.
        return self._allowlist if self.network == "typed" else self.network

    def refuse(self, address: str) -> str | None:
        """Why not to connect to this address; where nothing speaks against it, it is about to be."""
        found = network_of(address)
        if found != "public" and self.network not in {"any", "typed", found}:
            return refusal(address)
        self._allowlist.note(self._host, found)
        return None

    def advice(self) -> str:
        """What to do about a refusal, and why this host is refused although it is the blog's own."""
        port = "" if self._port in USUAL_PORTS else f":{self._port}"
        name = f"[{self._host}]" if ":" in self._host else self._host
        before = "it had a public address before; " if self._allowlist.was_public(self._host) else ""
        return f"{before}to allow it: --allow {name}{port}"


def _places(urls: Iterable[str]) -> frozenset[Place]:
    return frozenset(place(origin_of(spelled(url))) for url in urls)


def _is_same(name: str, host: str) -> bool:
    """Whether two spellings of a host mean the same; other names of one address are other hosts."""
    return name == host or (literal_address(name) is not None and literal_address(name) == literal_address(host))


def _short(url: str) -> str:
    return url if len(url) <= 200 else url[:199] + "…"
