"""Addresses: one spelling for identity, safe resolution, and pairing links with pages.

bounded            a key as long as an index takes it
canonical          what two spellings of the same page have in common
absolute           a link of a document as a fetchable URL, or None
with_empty_query   a URL with the bare `?` that its link ends with, as browsers ask for files
with_query_in      a link whose query is spelled in the encoding of its document, as browsers ask for files
match_pages        which page each link of a feed means
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from hashlib import sha256
from urllib.parse import parse_qsl, quote, unquote, urljoin, urlsplit, urlunsplit

# Parameters that name the way a reader came, not the page: campaign tags, click ids, share and
# reply buttons. Names that also select content somewhere (`id`, `p`, `page`, `ref`) stay.
TRACKING = frozenset({
    "_ga", "_gl", "_hsenc", "_hsmi", "cmpid", "dclid", "fb_action_ids", "fb_action_types", "fb_ref",
    "fb_source", "fbclid", "ga_campaign", "ga_medium", "ga_source", "gbraid", "gclid", "gclsrc",
    "hsa_acc", "hsctatracking", "igsh", "igshid", "jsessionid", "like_comment", "mc_cid", "mc_eid",
    "mkt_tok", "msclkid", "ncid", "oly_anon_id", "oly_enc_id", "phpsessid", "replytocom", "s_cid",
    "share", "showcomment", "sid", "spm", "srsltid", "trk", "twclid", "vero_id", "wbraid", "wickedid",
    "wt_mc", "yclid", "ysclid", "__twitter_impression", "_openstat", "nb", "doing_wp_cron",
})  # fmt: skip
TRACKING_PREFIXES = ("utm_", "pk_", "mtm_", "piwik_", "matomo_", "hsa_", "stm_", "at_medium", "at_campaign")
TRACKING_PAIRS = frozenset({("m", "0"), ("m", "1"), ("amp", ""), ("amp", "1"), ("source", "rss")})

# An index of PostgreSQL takes texts of up to 2,704 bytes; nobody writes addresses near that by hand.
LONGEST_KEY_BYTES = 2_000

_INDEX = re.compile(r"(?:^|/)(?:index|default)\.(?:html?|php|aspx?)$", re.IGNORECASE)
_PAGE_SUFFIX = re.compile(r"\.(?:html?|xhtml|php|aspx?|md)$", re.IGNORECASE)
_SCHEME = re.compile(r"^([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_SESSION = re.compile(r";(?:jsessionid|phpsessid)=[^/?;]*", re.IGNORECASE)
# A first segment with a dot is a host unless it ends like a file: "a.org/x", but not "index.php/x".
_BARE_HOST = re.compile(
    r"^(?:[\w-]+\.)+(?!(?:html?|php|xml|aspx?|md|txt)(?:[/?#:]|$))[^\W\d_]{2,}(?::\d+)?(?=[/?#]|$)"
)
_ROOT = re.compile(r"https?://[\w.:-]+(?=[/?#]|$)", re.ASCII)
_ROOTED = re.compile(r"/(?![/\\\t\n\r])|https?://\w")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\ud800-\udfff]")
# Bounded: a text may be one of megabytes without a blank.
_USER = re.compile(r"(?<=://)[^\s/?#@\\\"'<>]{0,500}@")
_LINE_BREAKS = re.compile(r"[\t\n\r]")
_OUTER_SPACE = "".join(map(chr, range(33))) + "\u200b\ufeff\xa0"
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_ESCAPED_IN_QUERIES = frozenset((*range(33), *b"\"#<>'"))
_KEEP_ESCAPED = re.compile(r"[/?#%\x00-\x20\x7f\ud800-\udfff]")


def canonical(url: str) -> str:
    """The one spelling of a URL by which pages are told apart; not meant to be fetched.

    >>> canonical("HTTPS://www.Example.org:443//2020/a-post/index.html?utm_source=x#top")
    'example.org/2020/a-post'
    >>> canonical("http://example.org/caf%c3%a9?b=2&a=1")
    'example.org/café?a=1&b=2'
    """
    # The same few are asked for over and over: a page is asked for its own some twenty times. What nobody writes by
    # hand is not remembered.
    return _remembered(url) if len(url) < LONGEST_KEY_BYTES else _canonical(url)


def _canonical(url: str) -> str:
    host, path, query, fragment = _parts(url)
    key = host + _canonical_path(path)
    if kept := _canonical_query(query):
        key += "?" + kept
    # Pages drawn by scripts are told apart by their fragment only ("#!/a-post", "#/a-post").
    if fragment.startswith(("!", "/")):
        key += "#" + _clean(unquote(fragment)).rstrip("/")
    return key if len(key) * 4 <= LONGEST_KEY_BYTES else bounded(key)


# As many as some pages name, at 300 bytes or so each.
_remembered = lru_cache(maxsize=4_096)(_canonical)


def bounded(key: str) -> str:
    """A key as it is, or as much of it as an index takes, with a hash of all of it.

    >>> bounded("a.org/" + "b" * 1_000) == "a.org/" + "b" * 1_000
    True
    >>> one, other = bounded("a.org/" + "b" * 5_000), bounded("a.org/" + "b" * 5_001)
    >>> len(one), one == other, one.startswith("a.org/bbb")
    (2000, False, True)
    """
    data = key.encode(errors="replace")
    if len(data) <= LONGEST_KEY_BYTES:
        return key
    return data[: LONGEST_KEY_BYTES - 65].decode(errors="ignore") + "~" + sha256(data).hexdigest()


def absolute(base: str | None, link: str | None) -> str | None:
    """The http(s) URL a link of the document at `base` means; None if it means none.

    >>> absolute("http://a.org/blog/", " ../x y\\n")
    'http://a.org/x%20y'
    >>> absolute("https://a.org/", "//b.org")
    'https://b.org'
    >>> absolute("https://a.org/", "javascript:void(0)") is None
    True
    """
    if link is None:
        return None
    # What does not depend on the page it stands on is the same on all pages of a blog.
    if base is not None and len(link) < LONGEST_KEY_BYTES and (place := _ROOT.match(base)) and _ROOTED.match(link):
        return _absolute_of_root(place[0] + "/", link)
    return _absolute(base, link)


@lru_cache(maxsize=4_096)
def _absolute_of_root(root: str, link: str) -> str | None:
    return _absolute(root, link)


def _absolute(base: str | None, link: str) -> str | None:
    link = _tidy(link)
    if link.lower().startswith("feed:"):
        link = re.sub(r"^feed:(?://)?(?=https?:)|^feed:", "", link, flags=re.IGNORECASE)
        link = "http:" + link if link.startswith("//") else link
    if not link and not base:
        return None
    try:
        joined = urljoin(_tidy(base), link) if base else link
        parts = urlsplit("http:" + joined if joined.startswith("//") else joined)
        if parts.scheme.lower() not in {"http", "https"} or not parts.hostname:
            return None
        parts.port  # noqa: B018 - raises ValueError on a port that is no number
    except ValueError:
        return None
    if _FORBIDDEN.search(parts.netloc):
        return None
    cleaned = parts._replace(
        scheme=parts.scheme.lower(),
        path=_escape_unsafe(parts.path),
        query=_escape_unsafe(parts.query),
        fragment=_escape_unsafe(parts.fragment),
    )
    return urlunsplit(cleaned)


def with_empty_query(url: str, link: str) -> str:
    """The URL of a link with the query that is there and empty, which `absolute` drops and browsers send.

    Pages are told apart without it. Files are asked for as browsers ask: players find captures by the very address.

    >>> with_empty_query("http://a.org/b.woff2", "/b.woff2?#iefix"), with_empty_query("http://a.org/b", "/b#?")
    ('http://a.org/b.woff2?', 'http://a.org/b')
    """
    if "?" not in link or "?" in url or not link.partition("#")[0].rstrip().endswith("?"):
        return url
    return f"{url}?"


def with_query_in(encoding: str, link: str) -> str:
    """A link as a document in such an encoding means it: what is beyond ASCII in its query becomes bytes of that.

    Paths are in UTF-8 in every document. What the encoding does not have is written as a reference, as in forms.

    >>> with_query_in("cp1251", "/мир?n=мир&a=♥#мир")
    '/мир?n=%EC%E8%F0&a=%26%239829%3B#мир'
    """
    bare, mark, fragment = link.partition("#")
    path, asked, query = bare.partition("?")
    if query.isascii():
        return link
    return f"{path}{asked}{_BEYOND_ASCII.sub(lambda found: _in_bytes(found[0], encoding), query)}{mark}{fragment}"


def _in_bytes(text: str, encoding: str) -> str:
    try:
        body = text.encode(encoding)
    except UnicodeEncodeError:
        if len(text) > 1:
            return "".join(_in_bytes(sign, encoding) for sign in text)
        return f"%26%23{ord(text)}%3B"
    # The second byte of a sign may be one of ASCII, which stays as it is.
    return "".join(f"%{byte:02X}" if byte > 0x7E or byte in _ESCAPED_IN_QUERIES else chr(byte) for byte in body)


def without_user(text: str) -> str:
    """An address, or a text with addresses, without the names and passwords in them. It means the same page.

    >>> without_user("http://me:secret@a.org/x@y"), without_user("see https://me@a.org, or http://b.org/?a=c@d")
    ('http://a.org/x@y', 'see https://a.org, or http://b.org/?a=c@d')
    """
    return _USER.sub("", text)


def host_of(url: str) -> str:
    """The host of a URL as `canonical` spells it, with a port that is not the default.

    >>> host_of("https://WWW.Example.org/a"), host_of("http://xn--mnchen-3ya.de/")
    ('example.org', 'münchen.de')
    """
    return _host_of(url) if len(url) < LONGEST_KEY_BYTES else _parts(url)[0]


@lru_cache(maxsize=4_096)
def _host_of(url: str) -> str:
    return _parts(url)[0]


def match_pages(links: Iterable[str], urls: Iterable[str]) -> dict[str, str]:
    """The page URL each link means, for links that mean one; spellings of both may differ.

    Looser readings are tried only for links that stricter ones left alone, and only where they
    point at a single page.

    >>> match_pages(["http://localhost:4000/a/?utm_source=feed"], ["https://a.org/a.html", "https://a.org/b"])
    {'http://localhost:4000/a/?utm_source=feed': 'https://a.org/a.html'}
    """
    wanted = list(dict.fromkeys(links))
    pages = list(dict.fromkeys(urls))
    found: dict[str, str] = {}
    # Spellings of one identity are the same page, whichever is given; below, what two pages share
    # says nothing, and a page that a stricter reading gave away is no longer free.
    same = {canonical(url): url for url in reversed(pages)}
    known = set(pages)
    for link in wanted:
        url = link if link in known else same.get(canonical(link))
        if url is not None:
            found[link] = url
    for reading in (_without_suffix, _without_query, _path_only):
        _match_by(reading, wanted, pages, found)
    _match_tails(wanted, pages, found)
    return {link: found[link] for link in wanted if link in found}


def _match_by(
    reading: Callable[[str], str], wanted: list[str], pages: list[str], found: dict[str, str]
) -> None:
    taken = set(found.values())
    free = [url for url in pages if url not in taken]
    if reading is _without_query:  # "view?id=3" is not "view?id=4", but may be "view"
        free = [url for url in free if not _canonical_query(_parts(url)[2])]
    index = _unique(free, reading)
    for link in wanted:
        if link not in found and (url := index.get(reading(link))) is not None:
            found[link] = url


def _unique(pages: Iterable[str], reading: Callable[[str], str]) -> Mapping[str, str]:
    index: dict[str, str] = {}
    repeated = {""}
    for url in pages:
        key = reading(url)
        if index.setdefault(key, url) != url:
            repeated.add(key)
    return {key: url for key, url in index.items() if key not in repeated}


def _without_suffix(url: str) -> str:
    host, path, query, _ = _parts(url)
    kept = _canonical_query(query)
    return host + _bare_path(path) + ("?" + kept if kept else "")


def _without_query(url: str) -> str:
    host, path, _, _ = _parts(url)
    return host + bare if (bare := _bare_path(path)) else ""


def _path_only(url: str) -> str:
    """The path under whatever host; a home page's path says nothing."""
    _, path, query, _ = _parts(url)
    kept = _canonical_query(query)
    bare = _bare_path(path)
    return bare + ("?" + kept if kept else "") if bare or kept else ""


def _bare_path(path: str) -> str:
    return _PAGE_SUFFIX.sub("", _canonical_path(path)).casefold()


def _match_tails(wanted: list[str], pages: list[str], found: dict[str, str]) -> None:
    """Pairs what differs by leading folders only: "posts/a" and "/blog/posts/a"."""
    taken = set(found.values())
    tails: dict[str, set[str]] = {}
    whole: dict[str, set[str]] = {}
    for url in pages:
        if url not in taken and (path := _path_only(url)):
            whole.setdefault(path, set()).add(url)
            for tail in _tails(path):
                tails.setdefault(tail, set()).add(url)
    for link in wanted:
        if link in found or not (path := _path_only(link)):
            continue
        candidates = tails.get(path)
        for tail in _tails(path):
            candidates = candidates or whole.get(tail)
        if candidates and len(candidates) == 1:
            found[link] = next(iter(candidates))


def _tails(path: str) -> list[str]:
    path, mark, query = path.partition("?")
    segments = path.split("/")[1:]
    return ["/" + "/".join(segments[start:]) + mark + query for start in range(1, len(segments))]


def _parts(url: str) -> tuple[str, str, str, str]:
    """Canonical host, raw path, raw query, raw fragment; relative references have no host."""
    url = _tidy(url)
    scheme = _SCHEME.match(url)
    if scheme and not url[scheme.end() :].startswith("//") and _BARE_HOST.match(url):
        scheme = None  # "a.org:8080/x": what looks like a scheme is a host
    if scheme:
        rest = url[scheme.end() :]
        if scheme[1].lower() not in {"http", "https", "feed"}:
            return scheme[1].lower() + ":", rest, "", ""
        rest = "//" + rest.lstrip("/")
    else:
        rest = "//" + url if _BARE_HOST.match(url) else url
    rest, _, fragment = rest.partition("#")
    rest, _, query = rest.partition("?")
    if rest.startswith("//"):
        netloc, slash, path = rest[2:].partition("/")
        return _canonical_host(netloc), slash + path, query, fragment
    return "", rest if rest.startswith("/") or not rest else "/" + rest, query, fragment


def _canonical_host(netloc: str) -> str:
    host = unquote(netloc.rpartition("@")[2]).lower().rstrip(".")
    host = re.sub(r":(?:80|443)?$", "", host)
    labels = [_label(label) for label in host.split(".")]
    if len(labels) > 2 and re.fullmatch(r"www\d?", labels[0]):
        del labels[0]
    return _clean(".".join(labels))


def _label(label: str) -> str:
    # Hosts are kept in their readable form: decoding needs no table of what IDNA allows.
    if label.startswith("xn--"):
        try:
            return unicodedata.normalize("NFC", label[4:].encode("ascii").decode("punycode")).lower()
        except (UnicodeError, ValueError, OverflowError):
            return label
    return label


def _canonical_path(path: str) -> str:
    path = _SESSION.sub("", path)
    segments: list[str] = []
    for segment in path.split("/"):
        plain = unquote(segment, errors="surrogateescape")
        if plain == "..":
            segments = segments[:-1]
        elif plain not in {"", "."}:
            segments.append(_clean(plain))
    joined = "/".join(segments)
    joined = _INDEX.sub("", joined)
    return "/" + joined if joined else ""


def _canonical_query(query: str) -> str:
    if not query:
        return ""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="surrogateescape", max_num_fields=200)
    except ValueError:
        return _clean(unquote(query))
    kept = sorted({(name, value) for name, value in pairs if not _is_tracking(name, value)})
    return "&".join(_query_part(name) + ("=" + _query_part(value) if value else "") for name, value in kept)


def _query_part(text: str) -> str:
    return _clean(text).replace("&", "%26").replace("=", "%3D").replace("+", "%2B")


def _is_tracking(name: str, value: str) -> bool:
    name = name.lower()
    return name in TRACKING or name.startswith(TRACKING_PREFIXES) or (name, value.lower()) in TRACKING_PAIRS


def _clean(text: str) -> str:
    """NFC, with what would be read as syntax escaped; bytes that are not UTF-8 stay escapes."""
    return _KEEP_ESCAPED.sub(_escape, unicodedata.normalize("NFC", text))


def _escape(match: re.Match[str]) -> str:
    errors = "surrogateescape" if "\udc80" <= match[0] <= "\udcff" else "replace"
    return quote(match[0].encode("utf-8", errors), safe="")


def _escape_unsafe(text: str) -> str:
    return _FORBIDDEN.sub(_escape, text)


def _tidy(url: str) -> str:
    """As browsers do: outer space and inner line breaks are no part of a URL, backslashes are slashes."""
    url = _LINE_BREAKS.sub("", url.strip(_OUTER_SPACE))
    head, mark, tail = url.partition("?")
    scheme = _SCHEME.match(head)
    if not scheme or scheme[1].lower() in {"http", "https"}:
        head = head.replace("\\", "/")
    return head + mark + tail
