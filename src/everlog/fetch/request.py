"""HttpRequest: one request, ready to go: its address, its headers, and what it may reach.

place      the host and port a URL means
spelled    a URL as it goes over the wire
permit     which addresses its host may have: `allowlist` decides
headers    what is sent along, and what of it is kept secret
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urldefrag, urlsplit, urlunsplit

from w3lib.url import safe_url_string

from everlog.core.retry_policy import is_retried_at_once
from everlog.core.urls import with_empty_query

if TYPE_CHECKING:
    from collections.abc import Hashable

    from everlog.core.fetcher import FetchPolicy
    from everlog.records import BrowserRequest, Exchange, Purpose, Trouble

DEFAULT_PORTS = {"http": 80, "https": 443}
SITEMAP_BYTES = 50_000_000  # the most that the sitemap protocol allows
# RFC 9309 wants half a megabyte read at least. Ten times that is no longer a file of rules: it is
# not read to its end, and what it may forbid there stays unknown.
ROBOTS_BYTES = 5_000_000
# A picture of the largest size allowed takes longer than a page; the time for it is bounded all the same.
MEDIA_PATIENCE = 10
# Beyond the time that a page has, a picture has to come at this rate on average: 100 kbit/s, the slowest line that
# servers of pictures are still on. One that drips is hung up on when a page would be.
LEAST_MEDIA_RATE = 12_500

# What most links look like: nothing in them is spelled in another way. The long way takes 0.04 ms.
_SPELLED = re.compile(
    r"https?://(?:[a-z0-9-]{1,63}\.)*[a-z0-9-]{1,63}(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}))?"
    r"/[\w.~/-]*(?:\?[\w.~=&/-]+)?", re.ASCII,
)
_ACCEPT = {
    "page": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5",
    "api": "application/json,*/*;q=0.5",
    "feed": "application/atom+xml,application/rss+xml,application/feed+json,application/xml;q=0.9,*/*;q=0.5",
    "media": "*/*",
    "robots": "text/plain,*/*;q=0.5",
    "requisite": "*/*",
    "sitemap": "application/xml,text/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5",
}
_SECRET = frozenset({"cookie", "authorization", "proxy-authorization"})
# Headers of a browser's request that are about its connection, or about who asks: those are ours.
_OURS = frozenset({
    "host", "user-agent", "connection", "content-length", "accept-encoding", "transfer-encoding", "proxy-authorization",
})


class Permit(Protocol):
    """Which addresses the host of one request may have (`allowlist`)."""

    @property
    def pool(self) -> Hashable:
        """What it allows: connections that were made with another permission are not used again."""
        ...

    def refuse(self, address: str) -> str | None:
        """Why the address that the host turned out to have is not to be connected to."""
        ...

    def advice(self) -> str:
        """What the user can do about a refusal."""
        ...


class LateForSlot(Exception):
    """A request that was not sent: while it was on its way to the socket, or connected, its slot went by."""

    def __init__(self, *, by_connecting: bool = False) -> None:
        super().__init__()
        self.by_connecting = by_connecting


class FetchError(Exception):
    """A request that brought no answer. `again`: another try may help; `got_something`: a part of an answer came."""

    def __init__(self, trouble: Trouble, reason: str, *, got_something: bool = False) -> None:
        super().__init__(reason)
        self.trouble = trouble
        self.reason = reason
        self.again = is_retried_at_once(trouble)
        self.got_something = got_something


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request. `secret` are the names of headers whose values are not kept; `permit` says which
    addresses its host may turn out to have. Behind `leave_by`, a moment of `throttle.awake_and_asleep`,
    it is not sent: then others have their slots. A large body goes to a file in the folder `scratch`, if there is one.
    """

    url: str
    headers: tuple[tuple[str, str], ...]
    secret: frozenset[str]
    purpose: Purpose
    permit: Permit
    max_bytes: int
    timeout_seconds: float
    method: str = "GET"
    body: bytes = b""
    leave_by: float | None = None
    scratch: str | None = None
    # How long an answer may take at however slow a rate; None: as long as `timeout_seconds`.
    slow_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """What came back for an `HttpRequest`; `wire_bytes` counts the body as it was sent."""

    exchange: Exchange
    wire_bytes: int
    seconds: float


def spelled(url: str) -> str:
    """A URL as it goes over the wire: no fragment, no user name, the host in ASCII. An empty query is sent, too.

    >>> spelled("http://me:secret@Bücher.example/a b?q=ü#top"), spelled("http://a.example/b.woff2?#c")
    ('http://xn--bcher-kva.example/a%20b?q=%C3%BC', 'http://a.example/b.woff2?')
    """
    if _SPELLED.fullmatch(url):
        return url
    parts = urlsplit(safe_url_string(urldefrag(url)[0]))
    netloc = parts.netloc.rpartition("@")[2].lower()
    bare = urlunsplit((parts.scheme.lower(), netloc, parts.path or "/", parts.query, ""))
    return with_empty_query(bare, url)


@lru_cache(maxsize=4096)
def place(origin: str) -> tuple[str, int]:
    """The host and port a URL means; it is remembered, so give it an origin rather than a page.

    >>> place("https://Example.org."), place("http://[::1]:8080")
    (('example.org', 443), ('::1', 8080))
    """
    parts = urlsplit(origin)
    host = (parts.hostname or "").rstrip(".")
    port = parts.port
    return host, DEFAULT_PORTS.get(parts.scheme, 0) if port is None else port


def origin_of(url: str) -> str:
    """Scheme, host and port of a spelled URL, as robots.txt is kept by.

    >>> origin_of("https://example.org/a?b")
    'https://example.org'
    """
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0].partition('?')[0]}"


def host_key(url: str) -> str:
    """The host whose clock a spelled URL runs by; a port is named if it is not a usual one.

    >>> host_key("https://example.org:443/a"), host_key("http://example.org:8080/a")
    ('example.org', 'example.org:8080')
    """
    host, port = place(origin_of(url))
    return host if port in DEFAULT_PORTS.values() else f"{host}:{port}"


def http_request(
    url: str, purpose: Purpose, policy: FetchPolicy, *,
    conditions: tuple[tuple[str, str], ...], private: bool, permit: Permit,
) -> HttpRequest:
    """The request for a spelled URL; with `private`, the user's own headers and cookies go along."""
    host, port = place(origin_of(url))
    usual = DEFAULT_PORTS[url.partition(":")[0]] == port
    name = f"[{host}]" if ":" in host else host
    sent = {
        "Host": name if usual else f"{name}:{port}",
        "User-Agent": policy.user_agent,
        "Accept": _ACCEPT[purpose],
        **dict(conditions),
    }
    if purpose == "media":
        # Pictures are packed already; what comes as it is can go to the disk as it comes.
        sent["Accept-Encoding"] = "identity"
    secret = _SECRET
    if private and (policy.headers or policy.cookies):
        own = {key.title(): value for key, value in policy.headers}
        if policy.cookies:
            own["Cookie"] = "; ".join(f"{key}={value}" for key, value in policy.cookies)
        sent.update(own)
        secret = _SECRET | {key.lower() for key in own}
    return HttpRequest(
        url=url, headers=tuple(sent.items()), secret=secret, purpose=purpose, permit=permit,
        max_bytes=_limit(purpose, policy), scratch=policy.scratch if purpose == "media" else None,
        slow_seconds=policy.timeout_seconds if purpose == "media" else None,
        timeout_seconds=policy.timeout_seconds * (MEDIA_PATIENCE if purpose == "media" else 1),
    )


def browser_http_request(
    wanted: BrowserRequest, url: str, policy: FetchPolicy, *, private: bool, permit: Permit,
) -> HttpRequest:
    """The request for what a page in the browser wants: the browser's headers under our own name."""
    own = http_request(url, "requisite", policy, conditions=(), private=private, permit=permit)
    browsers = {name.title(): value for name, value in wanted.headers if name.lower() not in _OURS}
    # What the user sends along for this host stands before what the browser would send; what is asked for
    # is the page's own affair.
    headers = {"Accept": "*/*"} | browsers | {name: value for name, value in own.headers if name != "Accept"}
    return replace(
        own, headers=tuple(headers.items()), method=wanted.method.upper(), body=wanted.body,
        # What a page needs to be drawn may be more than what is kept of it.
        max_bytes=max(policy.max_page_bytes, policy.max_requisite_bytes),
    )


def conditions_of(etag: str | None, last_modified: str | None) -> tuple[tuple[str, str], ...]:
    """The headers that ask for an answer only if something changed."""
    pairs = (("If-None-Match", etag), ("If-Modified-Since", last_modified))
    return tuple((name, value) for name, value in pairs if value)


def trusts(url: str, policy: FetchPolicy) -> bool:
    """Whether the user's own headers and cookies may go to this spelled URL.

    Only to the blog's own hosts, and never in the clear where https was given.
    """
    host, port = place(origin_of(url))
    for given in (*policy.typed, *policy.own):
        typed_host, typed_port = place(origin_of(spelled(given)))
        same_port = port == typed_port or {port, typed_port} <= set(DEFAULT_PORTS.values())
        in_clear = url.startswith("http:") and given.lower().startswith("https:")
        if host == typed_host and same_port and not in_clear:
            return True
    return False


def _limit(purpose: Purpose, policy: FetchPolicy) -> int:
    limits = {"media": policy.max_media_bytes, "requisite": policy.max_requisite_bytes,
              "robots": ROBOTS_BYTES, "sitemap": SITEMAP_BYTES}
    return limits.get(purpose, policy.max_page_bytes)
