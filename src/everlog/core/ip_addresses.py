"""Which addresses of the internet may be connected to, and which addresses a host name spells.

refusal           why an IP address is not to be connected to
network_of        the kind of network a refused address is in
literal_address   the IP address a URL's host means before any name server is asked
host_and_port     the host, and the port if one is named, that a user allows
is_too_long       whether a host is longer than any name server takes it
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from functools import lru_cache
from urllib.parse import unquote, urlsplit

# Kept by hand from the IANA special-purpose registries: the `is_global` of Python 3.11 lets
# translation prefixes, 6to4, IPv4-compatible and multicast addresses pass. The first match names
# the reason, so single addresses stand before the ranges that hold them.
_SPECIAL_V4 = tuple(
    (ipaddress.IPv4Network(network), word)
    for network, word in (
        ("169.254.169.254/32", "cloud metadata"),
        ("169.254.170.2/32", "cloud metadata"),
        ("100.100.100.200/32", "cloud metadata"),
        ("168.63.129.16/32", "cloud metadata"),
        ("192.0.0.192/32", "cloud metadata"),
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved for protocols"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "reserved for protocols"),
        ("192.52.193.0/24", "reserved for protocols"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "reserved for protocols"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("255.255.255.255/32", "broadcast"),
        ("240.0.0.0/4", "reserved"),
    )
)
_SPECIAL_V6 = tuple(
    (ipaddress.IPv6Network(network), word)
    for network, word in (
        ("fd00:ec2::254/128", "cloud metadata"),
        ("fd20:ce::254/128", "cloud metadata"),
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::/96", "IPv4-compatible"),
        ("::ffff:0:0/96", "IPv4-mapped"),
        ("::ffff:0:0:0/96", "IPv4-translated"),
        ("64:ff9b::/96", "NAT64"),
        ("64:ff9b:1::/48", "NAT64"),
        ("100::/32", "discarded"),
        ("2001::/32", "Teredo"),
        ("2001:2::/48", "benchmarking"),
        ("2001::/23", "reserved for protocols"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", "unique local"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
# All that was ever handed out to hosts lies here; the rest is reserved, known by name or not.
_HANDED_OUT_V6 = ipaddress.IPv6Network("2000::/3")
# Interface identifiers by which ISATAP wraps an IPv4 address into any prefix.
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})

# What DNS allows; a database need not remember what nobody can ask.
LONGEST_HOST = 253

_THIS_MACHINE = frozenset({"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"})
_DOTS = re.compile("[\u3002\uff0e\uff61]")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")


def refusal(address: str) -> str | None:
    """Why an IP address may not be connected to; None where nothing speaks against it.

    An address that carries an IPv4 address inside is judged by both.

    >>> refusal("127.0.0.1"), refusal("100.64.0.1")
    ('loopback', 'carrier-grade NAT')
    >>> refusal("64:ff9b::a00:1")
    'NAT64 of a private address'
    >>> refusal("93.184.215.14") is refusal("2606:2800:21f:cb07:6820:80da:af6b:8b2c") is None
    True
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "not an IP address"
    if isinstance(parsed, ipaddress.IPv4Address):
        return next((word for network, word in _SPECIAL_V4 if parsed in network), None)
    word = next((word for network, word in _SPECIAL_V6 if parsed in network), None)
    inner = _inside(parsed)
    within = refusal(str(inner)) if inner is not None else None
    if within is not None:
        return f"{word or 'IPv6'} of a {within} address"
    return word or (None if parsed in _HANDED_OUT_V6 else "reserved")


def network_of(address: str) -> str:
    """The kind of network an address is in: `public`, or one of three that no stranger leads to.

    Coarser than `refusal`: a name that has both an IPv4 and an IPv6 address on an intranet is in one network.

    >>> network_of("10.0.0.1"), network_of("fd00::1"), network_of("169.254.169.254"), network_of("::ffff:127.0.0.1")
    ('private', 'private', 'link-local', 'loopback')
    """
    why = refusal(address)
    if why is None:
        return "public"
    if "loopback" in why or "unspecified" in why:
        return "loopback"
    return "link-local" if "link-local" in why or "cloud metadata" in why else "private"


def host_and_port(text: str) -> tuple[str, int | None]:
    """The host, and the port if one is named, of `HOST` or `HOST:PORT`; `ValueError` if it is neither.

    >>> host_and_port("Media.Example:8080"), host_and_port("[::1]:80"), host_and_port("::1")
    (('media.example', 8080), ('::1', 80), ('::1', None))
    """
    text = text.strip()
    bare = f"[{text}]" if text.count(":") > 1 and not text.startswith("[") else text
    parts = urlsplit(f"//{bare}")
    host, port = parts.hostname, parts.port
    if not host or parts.netloc != bare or "@" in bare or bare.endswith(":") or port == 0 or host.split() != [host]:
        raise ValueError(f"{text!r} is not HOST or HOST:PORT")
    ascii_host = host if host.isascii() else ".".join(_ascii(label).decode() for label in host.split("."))
    return ascii_host.rstrip("."), port


@lru_cache(maxsize=4096)
def literal_address(host: str) -> str | None:
    """The IP address a URL's host means whatever the name servers say; None for real names.

    Reads every spelling that browsers and C libraries read: short, decimal, octal and hexadecimal
    forms, digits and dots of other widths, brackets, zones and a closing dot.

    >>> literal_address("2130706433"), literal_address("0x7f.1"), literal_address("１２７。０。０。１")
    ('127.0.0.1', '127.0.0.1', '127.0.0.1')
    >>> literal_address("[fe80::1%25eth0]"), literal_address("blog.localhost."), literal_address("example.org")
    ('fe80::1', '127.0.0.1', None)
    """
    bare = host.strip().removeprefix("[").removesuffix("]")
    if ":" in bare:
        return _literal_v6(bare)
    name = _DOTS.sub(".", unicodedata.normalize("NFKC", unquote(bare))).lower()
    name = name.removesuffix(".")
    if name in _THIS_MACHINE or name.endswith(".localhost"):
        return "127.0.0.1"
    return _literal_v4(name)


def is_too_long(host: str) -> bool:
    """Whether no name server takes a host of this length; other letters than ASCII count as they are spelled for it.

    >>> is_too_long("example.org"), is_too_long("a." * 126 + "org"), is_too_long("ü." * 40 + "org")
    (False, True, True)
    """
    bare = host.removesuffix(".")
    # No label gets shorter by its spelling, and the spelling of a very long one takes long.
    return len(bare) > LONGEST_HOST or sum(len(_ascii(label)) + 1 for label in bare.split(".")) - 1 > LONGEST_HOST


def _ascii(label: str) -> bytes:
    return label.encode() if label.isascii() else b"xn--" + label.encode("punycode")


def _inside(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that a translated or tunnelled IPv6 address leads to."""
    value = int(address)
    if address.teredo:
        return address.teredo[1]
    if address.sixtofour:
        return address.sixtofour
    prefix = value >> 32
    # ::1 and :: are what they are, not 0.0.0.1 and 0.0.0.0.
    if (prefix == 0 and value > 1) or prefix in _TRANSLATING or prefix & 0xFFFFFFFF in _ISATAP:
        return ipaddress.IPv4Address(value & 0xFFFFFFFF)
    if value >> 80 == _LOCAL_NAT64:
        # RFC 6052 spreads the address over the prefix's end and skips eight bits; networks of this
        # prefix are free to choose, and most put it last.
        return ipaddress.IPv4Address(value & 0xFFFFFFFF)
    return None


_TRANSLATING = frozenset(
    int(ipaddress.IPv6Address(prefix)) >> 32 for prefix in ("::ffff:0:0", "::ffff:0:0:0", "64:ff9b::")
)
_LOCAL_NAT64 = int(ipaddress.IPv6Address("64:ff9b:1::")) >> 80


def _literal_v6(text: str) -> str | None:
    try:
        return str(ipaddress.IPv6Address(unicodedata.normalize("NFKC", text.partition("%")[0])))
    except ValueError:
        return None


def _literal_v4(name: str) -> str | None:
    parts = name.split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    numbers = [_number(part) for part in parts]
    *heads, last = numbers
    if any(number > 255 for number in heads) or last >= 256 ** (4 - len(heads)):
        return None
    value = last
    for place, number in enumerate(heads):
        value += number << (24 - 8 * place)
    return str(ipaddress.IPv4Address(value))


def _number(part: str) -> int:
    # Longer than any address: int() of endless digits would be slow, and out of range anyway.
    if len(part) > 40:
        return 1 << 64
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    if part.startswith("0") and part.strip("01234567") == "":
        return int(part, 8)
    return int(part)
