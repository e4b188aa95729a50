"""Which proxy a request goes through: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, read as curl reads them.

This machine's own addresses are never asked for through a proxy, whatever the variables say: nobody else's loopback is
meant. What counts is how the host is spelled, never what a name server makes of it.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

from everlog.core.ip_addresses import literal_address, network_of

_SYSTEM = "the system's settings"
_PARTS = re.compile(r"[,\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A proxy without its password; `source` is the variable that names it."""

    url: str
    source: str
    credentials: tuple[str, str] | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"the proxy {self.url} (from {self.source})"

    def advice(self, host: str) -> str:
        """What to do about a proxy that cannot be reached."""
        without = "change them" if self.source == _SYSTEM else f"unset {self.source}"
        return f"check that the proxy runs; to go without it: {without}, or add {host} to no_proxy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxies:
    """The proxies of this process by scheme, and what is asked for without any."""

    by_scheme: Mapping[str, Proxy]
    bypassed: tuple[str, ...] = ()
    # Whether the operating system, which named the proxies, is asked about the hosts as well.
    asks_system: bool = False

    @classmethod
    def configured(cls) -> Proxies:
        """As the environment says or, where it is silent, the settings of the operating system."""
        named = getproxies_environment()
        given = named or getproxies()
        found = {}
        for scheme in ("http", "https"):
            key = scheme if scheme in given else "all"
            proxy = _proxy(given.get(key, ""), _variable(key) if named else _SYSTEM, only_http=key == "all")
            if proxy is not None:
                found[scheme] = proxy
        no_proxy = os.environ.get("no_proxy", os.environ.get("NO_PROXY", ""))
        parts = tuple(filter(None, _PARTS.split(no_proxy.lower())))
        return cls(by_scheme=MappingProxyType(found), bypassed=parts, asks_system=not named)

    def proxy_for(self, url: str) -> Proxy | None:
        """The proxy that a URL is asked for through; None: it is asked for directly.

        >>> proxy = Proxy(url="http://proxy.example:3128", source="http_proxy")
        >>> proxies = Proxies(by_scheme={"http": proxy}, bypassed=(".lan", "10.0.0.0/8"))
        >>> [proxies.proxy_for(url) is None for url in ("http://a.org/", "https://a.org/", "http://nas.lan/")]
        [False, True, True]
        >>> [proxies.proxy_for(url) is None for url in ("http://10.1.2.3/", "http://[::1]:80/", "http://a.localhost/")]
        [True, True, True]
        """
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        proxy = self.by_scheme.get(parts.scheme)
        if proxy is None or is_loopback(host) or _is_listed(host, parts.port, self.bypassed):
            return None
        return None if self.asks_system and proxy_bypass(host) else proxy


def is_loopback(host: str) -> bool:
    """Whether a host, as it is spelled, is this machine.

    >>> [is_loopback(host) for host in ("localhost", "blog.localhost", "127.1", "::1", "localhost.example.org")]
    [True, True, True, True, False]
    """
    address = literal_address(host)
    return address is not None and network_of(address) == "loopback"


def _is_listed(host: str, port: int | None, names: Iterable[str]) -> bool:
    """Whether `no_proxy` names a host: itself, a domain above it, a network, or everything.

    >>> [_is_listed("www.a.org", 80, [name]) for name in ("a.org", ".a.org", "b.org", "*", "www.a.org:80")]
    [True, True, False, True, True]
    """
    return any(_names(name, host, port) for name in names)


def _names(name: str, host: str, port: int | None) -> bool:
    if name == "*":
        return True
    bare, _, own_port = name.rpartition(":") if name.rpartition(":")[2].isdecimal() and name.count(":") == 1 else (
        name, "", "")
    if own_port and own_port != str(port):
        return False
    bare = bare.strip("[]").strip(".")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return bool(bare) and (host == bare or host.endswith(f".{bare}"))
    try:
        return address in ipaddress.ip_network(bare, strict=False)
    except ValueError:
        return False


def _variable(key: str) -> str:
    """The variable that names a proxy; of both spellings, the lower case one counts."""
    name = f"{key}_proxy"
    return name if os.environ.get(name) or not os.environ.get(name.upper()) else name.upper()


def _proxy(text: str, source: str, *, only_http: bool) -> Proxy | None:
    """The proxy that a variable names; None for what names none, such as a socket or, for all schemes, a SOCKS host."""
    if not text or text.startswith("/"):
        return None
    parts = urlsplit(text if "://" in text else f"http://{text}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host or (only_http and parts.scheme not in {"http", "https"}):
        return None
    name = f"[{host}]" if ":" in host else host
    own = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return Proxy(url=f"{parts.scheme}://{name}" + (f":{port}" if port else ""), source=source, credentials=own)
