"""Web archive: where its list of captures and the captures themselves are asked for, and how its kind is recognised.

    blog_queries         what lists the captures of a blog
    possible_archives    the interfaces that an address may stand for, in the order in which they are tried
    is_index             whether an answer to a first question is that of such an interface
    WebArchive           one of them: the addresses of its lists and of its captures
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, urlsplit

from everlog.core.scope import without_file
from everlog.history.memento.memento_lines import read_listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from everlog.core.scope import Scope
    from everlog.history.source import HistoryAnswer

# wayback: the CDX server of the Internet Archive and OpenWayback. pywb: that of pywb, with other names for the same
# fields and no resume keys. timemap: no list but the TimeMap of single addresses, which RFC 7089 asks of all archives.
Kind = Literal["wayback", "pywb", "timemap"]
# How an address is to be matched: itself, all below it, all of its host, its subdomains too.
Match = Literal["exact", "prefix", "host", "domain"]

# Lines of one answer: 5,000 are about 700 kB. The server's own limit is 150,000, which would be 20 MB.
PAGE_LINES = 5_000
# What users may copy from the address line of a browser, from the archive's documentation or from a TimeMap.
_TAIL = re.compile(
    r"(?:/cdx/search/cdx|/web(?:/\d{1,14}[a-z_]*|/\*)?(?:/https?:.*)?|/timemap(?:/(?:link|json|cdxj))?|[/-]cdx"
    r"|/(?:\d{1,14}[a-z_]*|\*)/https?:.*)/?$"
)
# What lists what belongs to a blog of each scope.
_MATCHES: Mapping[str, Match] = {"path": "prefix", "host": "host", "subdomains": "domain"}
_STAMPED = re.compile(r"/(\d{14})(?:[a-z]{2}_)?/(?=https?:)")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureQuery:
    """What captures are asked for: those of an address, or of all that it stands for; years bound them, if given."""

    url: str
    match: Match = "exact"
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WebArchive:
    """An archive as it is asked: `index` is the address of its lists, `replay` what captures begin with.

    >>> archive = possible_archives("https://web.archive.org")[0]
    >>> archive.raw_url("20200102030405", "http://a.org/x?y=1")
    'https://web.archive.org/web/20200102030405id_/http://a.org/x?y=1'
    """

    kind: Kind
    index: str
    replay: str

    @property
    def lists_folders(self) -> bool:
        """Whether it tells all captures below an address; else every address has to be asked for by itself."""
        return self.kind != "timemap"

    def raw_url(self, stamp: str, url: str) -> str:
        """Where a capture is as it was: `id_` is the word of all Wayback Machines for not rewritten."""
        return f"{self.replay}{stamp}id_/{url}"

    def index_url(self, query: CaptureQuery, resume_key: str | None = None, *, limit: int | None = None) -> str:
        """The address that lists captures; `resume_key` is where the answer before it broke off."""
        if self.kind == "timemap":
            return self.index + query.url
        pairs = [("url", query.url), ("matchType", query.match), ("output", "json")]
        if self.kind == "wayback":
            pairs += [("fl", "urlkey,timestamp,original,mimetype,statuscode,digest"), ("filter", "statuscode:200")]
            pairs += [("limit", str(limit or PAGE_LINES)), ("showResumeKey", "true")]
        else:
            pairs += [("fl", "urlkey,timestamp,url,mime,status,digest"), ("filter", "=status:200")]
            pairs += [("limit", str(limit))] if limit else []
        pairs += [(name, value) for name, value in (("from", query.since), ("to", query.until)) if value]
        # A resume key comes as it is to be sent: escaped.
        sent = "&".join(f"{name}={quote(value, safe=':/,=')}" for name, value in pairs)
        return f"{self.index}?{sent}" + (f"&resumeKey={resume_key}" if resume_key else "")

    def with_raw(self, address: str) -> str:
        """The address of a capture that a TimeMap names, as it was captured where the archive can give that.

        >>> archive = possible_archives("https://web.archive.org")[0]
        >>> archive.with_raw("https://web.archive.org/web/20200102030405mp_/http://a.org/")
        'https://web.archive.org/web/20200102030405id_/http://a.org/'
        """
        return _STAMPED.sub(lambda found: f"/{found[1]}id_/", address, count=1)


def possible_archives(given: str) -> tuple[WebArchive, ...]:
    """What an address may be the entrance of, the likeliest first.

    >>> [(each.kind, each.index) for each in possible_archives("http://localhost:8080/coll/")][0]
    ('pywb', 'http://localhost:8080/coll/cdx')
    >>> possible_archives("https://web.archive.org/web/2020*/a.org")[0].index
    'https://web.archive.org/cdx/search/cdx'
    """
    base = _TAIL.sub("", given.strip().rstrip("/")).rstrip("/")
    parts = urlsplit(base)
    if "*" in parts.path:
        base = base[: base.index("*")].rpartition("/web/")[0] or f"{parts.scheme}://{parts.netloc}"
    wayback = WebArchive(kind="wayback", index=f"{base}/cdx/search/cdx", replay=f"{base}/web/")
    collection = WebArchive(kind="pywb", index=f"{base}/cdx", replay=f"{base}/")
    timemaps = (
        WebArchive(kind="timemap", index=f"{base}/timemap/link/", replay=f"{base}/"),
        WebArchive(kind="timemap", index=f"{base}/web/timemap/link/", replay=f"{base}/web/"),
    )
    # Collections of pywb are folders; the Wayback Machine is a host.
    if not urlsplit(base).path:
        return wayback, collection, *timemaps[::-1]
    older = WebArchive(kind="pywb", index=f"{base}-cdx", replay=f"{base}/")
    return collection, older, wayback, *timemaps


def blog_queries(scope: Scope) -> list[CaptureQuery]:
    """What lists the captures of a blog: all below its homes and further folders, or all of its host.

    >>> from everlog.core.scope import Scope
    >>> [(each.url, each.match) for each in blog_queries(Scope("https://a.org/blog/index.php"))]
    [('https://a.org/blog', 'prefix')]
    >>> blog_queries(Scope("https://a.org/", "subdomains"))[0].match
    'domain'
    """
    match = _MATCHES.get(scope.mode, "prefix")
    followed = [alias.home for alias in scope.aliases if alias.followed]
    found = {_folder(home): match for home in (scope.home, *scope.former, *followed)}
    found |= {_folder(place): "prefix" for place in scope.also if _folder(place) not in found}
    return [CaptureQuery(url=url, match=match) for url, match in found.items()]


def single_queries(urls: Iterable[str]) -> list[CaptureQuery]:
    """What lists the captures of single pages."""
    return [CaptureQuery(url=url) for url in urls]


def _folder(home: str) -> str:
    parts = urlsplit(home)
    path = without_file(parts.path.rstrip("/"))
    # Of the root, the slash ends the host: without it, another host may begin like this one.
    return parts._replace(path=path or "/", query="", fragment="").geturl()


def is_index(archive: WebArchive, answer: HistoryAnswer) -> bool:
    """Whether an answer is what this kind of interface says, be it that it has nothing.

    >>> from everlog.history.source import HistoryAnswer
    >>> archive = possible_archives("https://web.archive.org")[0]
    >>> is_index(archive, HistoryAnswer(url="", status=200, body=b"[]")), is_index(
    ...     archive, HistoryAnswer(url="", status=200, body=b"<html>Welcome"))
    (True, False)
    """
    kind = (answer.header("content-type") or "").partition(";")[0].strip().lower()
    if archive.kind == "timemap":
        # pywb says with 404 that it has no capture, and still in the format of a TimeMap.
        is_format = kind == "application/link-format"
        return (is_format and answer.status in {200, 404}) or (answer.is_ok and bool(read_listing(answer.body)))
    if not answer.is_ok:
        return False
    if not answer.body.strip():
        return kind in {"text/x-ndjson", "text/x-cdxj", "application/json", "text/plain", "application/x-ndjson"}
    listing = read_listing(answer.body)
    return bool(listing) or (archive.kind == "wayback" and answer.body.strip() in {b"[]", b"[[]]"}) or (
        listing.has_header
    )
