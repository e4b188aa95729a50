"""SURT: the key that web archives look captures up by, the parts of a host turned around.

Indexes are searched with the key that the reader's own program makes of an address, so this is to the letter what those
programs make: letters small, `www.` and default ports away, the parameters of a query in order, session numbers out.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote_to_bytes, urlsplit

_WWW = re.compile(r"www\d*\.")
_SLASHES = re.compile(r"/{2,}")
_DEFAULT_PORTS = {"http": "80", "https": "443"}
# Numbers of sessions, as servers write them into queries.
_SESSION = re.compile(
    r"(?<![^&])"
    r"(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)",
)
# Signs that were escaped more often than this were meant to be.
MOST_ESCAPES = 10
_AS_THEY_ARE = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"


def surt(url: str) -> str:
    """The key of an address.

    >>> surt("https://www.Blog.example:443/2024/Rain/?b=2&a=1")
    'example,blog)/2024/rain?a=1&b=2'
    >>> surt("http://127.0.0.1:8080"), surt("http://a.example/x?sid=" + "a" * 32)
    ('1,0,0,127:8080)/', 'example,a)/x')
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS:
        return url
    host, port = _host_and_port(parts.netloc)
    port = f":{port}" if port not in {"", _DEFAULT_PORTS[scheme]} else ""
    turned = host.strip("[]") if host.startswith("[") else ",".join(reversed(_bare(host).split(".")))
    path = _SLASHES.sub("/", _spelled(parts.path)).rstrip("/") or "/"
    said = _SESSION.sub("", _spelled(parts.query)).split("&")
    query = "&".join(sorted(said, key=lambda each: each.partition("=")))
    return f"{turned}{port}){path}{'?' + query if query else ''}"


def _bare(host: str) -> str:
    found = _WWW.match(host)
    return host[found.end():] if found is not None else host


def _host_and_port(netloc: str) -> tuple[str, str]:
    where = netloc.rpartition("@")[2].lower()
    host, _, port = where.rpartition(":") if re.search(r":\d*$", where) else (where, "", "")
    host = host.strip(".")
    try:
        return host.encode("idna").decode(), port
    except UnicodeError:
        return host, port


def _spelled(text: str) -> str:
    """A path or a query in small letters, with the fewest signs escaped, also those that were escaped twice."""
    before, plain = b"", text.encode("utf-8", "replace")
    for _ in range(MOST_ESCAPES):
        before, plain = plain, unquote_to_bytes(plain)
        if before == plain:
            break
    return quote(plain, safe=_AS_THEY_ARE).lower()
