"""One frozen `Settings`, made at the edge and handed down: defaults < TOML < environment < flags.

    [crawl]                                    everlog.toml, or the file --config names
    delay = 2.0

    [blog."https://a.blog.example/"]           overrides for one blog
    scope = "host"
    header = ["Cookie: session=..."]

The same keys are `EVERLOG_DELAY` and so on in the environment, and flags of the command line.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from everlog.core.urls import canonical
from everlog.errors import UsageError

log = logging.getLogger("everlog")

PREFIX = "EVERLOG_"
# Lists: in the environment their entries are parted by line ends.
LISTS = frozenset({"header", "pipeline", "steps", "allow", "also"})
# The steps of the pipeline that a page goes through, in their order; each may be left out or replaced.
PIPELINE = ("render", "read", "comments", "media", "requisites", "store")
# The name of a header: RFC 9110, 5.6.2.
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Variables of the same prefix that are no settings: they name the corpus of benchmarks and tests, or a program.
NOT_SETTINGS = frozenset({"EVERLOG_CORPUS", "EVERLOG_CONFIG", "EVERLOG_CHROMIUM", "EVERLOG_COMMAND"})
# What settings were called before: they go on working, with a note.
RENAMED = {"steps": "pipeline"}
# Two settings that answer one question.
EITHER = frozenset({"feed", "no_feed"})


def _setting(
    default: Any, about: str, *, least: float | None = None, more_than: float | None = None, most: float | None = None,
) -> Any:
    """A setting, what it is about, and between which bounds a number has to be."""
    bounds = {"at least": least, "more than": more_than, "at most": most}
    marks = {"about": about, "bounds": {word: bound for word, bound in bounds.items() if bound is not None}}
    return field(default_factory=dict, metadata=marks) if default == {} else field(default=default, metadata=marks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All that can be chosen about a crawl and its archive; `make_settings` makes them, and checks every value.

    `given` are the names of those that somebody chose.
    """

    archive: str = _setting("everlog-archive", about="Where all is kept: a folder, or postgresql://...")
    files: str | None = _setting(
        None, about="Where a postgresql:// archive has its WARC and media files: a folder, or an fsspec URL.",
    )
    spool: str | None = _setting(
        None, about="Where WARC files grow until they are uploaded: a folder of this machine's own.",
    )
    broker: str | None = _setting(None, about="The queue of a fleet: redis://...")
    slice_seconds: float = _setting(
        60.0, more_than=0, most=300,
        about="How long a fleet's worker crawls one blog before the next has its turn (at most 300).",
    )
    slice_pages: int = _setting(500, least=1, about="How many pages it fetches of it at most in one turn.")
    scope: Literal["path", "host", "subdomains"] = _setting(
        "path", about="What belongs to the blog: the path of its address, its host, or subdomains too.",
    )
    also: tuple[str, ...] = _setting(
        (), about="Other addresses of the blog: hosts it has as well, and folders of its own host.",
    )
    feed: str | None = _setting(None, about="The blog's feed, where its pages do not name it.")
    no_feed: bool = _setting(default=False, about="Go without the blog's feed: posts are recognised by their pages.")
    max_pages: int | None = _setting(None, least=1, about="Stop after this many pages.")
    max_time: float | None = _setting(None, more_than=0, about="Stop after this many seconds.")
    delay: float = _setting(1.0, least=0, about="Seconds between two requests to one host; it grows by itself.")
    concurrency: int = _setting(4, least=1, most=64, about="Requests under way at once to one host.")
    timeout: float = _setting(30.0, more_than=0, about="Seconds to wait for an answer.")
    longest_wait: float = _setting(
        600.0, least=0, about="Seconds a server may make a crawl wait; a longer wait ends it, to go on later.",
    )
    retries: int = _setting(2, least=0, most=10, about="How often a page that failed in passing is tried again.")
    robots: bool = _setting(default=True, about="Obey robots.txt.")
    pages: bool = _setting(
        default=True, about="Fetch the pages of posts; without them, records come from the blog's interfaces alone.",
    )
    comments: bool = _setting(default=True, about="Keep the comments of posts.")
    render: Literal["auto", "always", "never"] = _setting(
        "auto", about="Render pages in a browser: where it is needed, all of them, or none.",
    )
    screenshots: bool = _setting(
        default=False, about="Keep a screenshot of every page rendered in a browser; `serve` shows it.",
    )
    tabs: int = _setting(4, least=1, most=32, about="Pages that the browser draws at once.")
    render_time: float = _setting(60.0, more_than=0, about="Seconds the browser may take for one page.")
    browser: str | None = _setting(None, about="The Chromium to draw pages with; it is found by itself.")
    media: bool = _setting(default=True, about="Keep the pictures, sounds and files of articles.")
    requisites: bool = _setting(
        default=True, about="Keep what pages need to be shown: style sheets, scripts, fonts, icons, other pictures.",
    )
    max_page_bytes: int = _setting(20_000_000, least=1000, about="Pages larger than this are not kept.")
    max_media_bytes: int = _setting(100_000_000, least=1000, about="Media larger than this are not kept.")
    max_requisite_bytes: int = _setting(10_000_000, least=1000, about="Requisites larger than this are not kept.")
    min_free_bytes: int = _setting(200_000_000, least=0, about="A crawl pauses when the disk has less room than this.")
    exhaustive: bool = _setting(
        default=False, about="Visit every address of the blog, even where nothing new can be expected.",
    )
    recheck_days: float = _setting(
        90.0, least=0, most=3650,
        about="Posts are looked at again after 1, 2, 4, ... days, at most this many apart; 0: never.",
    )
    from_wayback: str | None = _setting(
        None, about="A web archive to take from what is gone from the web: https://web.archive.org, or another one.",
    )
    wayback_delay: float = _setting(
        2.5, least=0, about="Seconds between two requests to a web archive; it grows by itself.",
    )
    wayback_versions: int = _setting(
        3, least=0, most=1000, about="Earlier versions of a post that are asked for in a web archive, at most.",
    )
    wayback_requests: int = _setting(
        10_000, least=1, about="Requests to a web archive in one run, at most; the next run goes on.",
    )
    newest_first: bool = _setting(default=False, about="Fetch the newest posts first.")
    header: tuple[str, ...] = _setting((), about="Headers for the blog's own host, as 'Name: value'.")
    cookies: str | None = _setting(None, about="A cookie file (Netscape format) for the blog's own host.")
    allow: tuple[str, ...] = _setting(
        (), about="Hosts that may be at private addresses, as HOST or HOST:PORT; a port also opens that port.",
    )
    contact: str | None = _setting(
        None, about="Your e-mail address or a URL, for the User-Agent, so that owners of blogs can reach you.",
    )
    user_agent: str | None = _setting(None, about="The whole User-Agent, instead of everlog's own.")
    pipeline: tuple[str, ...] = _setting(
        PIPELINE, about="What is done with a page, in order; 'package.module:function' replaces a step.",
    )
    blog: Mapping[str, Mapping[str, Any]] = _setting({}, about="Settings of single blogs, by their address.")
    given: frozenset[str] = frozenset()

    def chosen(self) -> dict[str, Any]:
        """The values that somebody chose; `make_settings` takes them, and they are plain data."""
        return {name: getattr(self, name) for name in KNOWN if name in self.given}

    def for_blog(self, home: str) -> Settings:
        """These settings with what is set for one blog laid over them."""
        wanted = canonical(home)
        own = [values for address, values in self.blog.items() if canonical(address) == wanted]
        if not own:
            return self
        common = self.chosen()
        common.pop("blog", None)
        return make_settings(common, *own)

    def headers(self) -> tuple[tuple[str, str], ...]:
        """The headers as names and values."""
        pairs = (line.partition(":") for line in self.header)
        return tuple((name.strip(), value.strip()) for name, _, value in pairs)

    def agent(self, version: str) -> str:
        """The User-Agent: what asks, and whom to reach about it if the user says so."""
        contact = f" (+{self.contact})" if self.contact else ""
        return self.user_agent or f"everlog/{version}{contact}"


# All settings by their names: what they are about, and their defaults.
KNOWN = {each.name: each for each in fields(Settings) if each.metadata}


def make_settings(*layers: Mapping[str, Any], where: str = "", spelled: Callable[[str], str] = str) -> Settings:
    """Settings from layers of values, the later over the earlier; `UsageError` names what does not fit.

    `where` is said of a mistake first, and `spelled` gives the name of a setting as it is written there.

    >>> make_settings({"delay": 2}, {"delay": "0.5"}).delay
    0.5
    """
    merged: dict[str, Any] = {}
    for layer in layers:
        given = {_present_name(name.replace("-", "_")): value for name, value in layer.items() if value is not None}
        if given.keys() & EITHER:
            # Who names a feed, or wants none, has answered for all layers below.
            merged = {name: value for name, value in merged.items() if name not in EITHER}
        merged |= given
    try:
        values = {name: _checked(name, merged[name]) for name in KNOWN if name in merged}
    except _Unfit as unfit:
        said = f"{spelled(unfit.name)} must be {unfit.wanted}, not {unfit.value!r}"
        raise UsageError(where + said, advice=f"docs/settings.md explains {unfit.name}") from None
    unknown = next((name for name in merged if name not in KNOWN), None)
    if unknown is not None:
        said, advice = _unknown(unknown, spelled)
        raise UsageError(where + said, advice=advice)
    if values.get("feed") is not None and values.get("no_feed"):
        said = "a feed is named, and none is wanted: leave out one of feed and no_feed"
        raise UsageError(where + said, advice="docs/settings.md explains both")
    return Settings(**values, given=frozenset(values))


@cache
def _present_name(name: str) -> str:
    """What a setting is called now. A name of before is remarked on once."""
    if name in RENAMED:
        log.warning("the setting %r is called %r now; the old name still works", name, RENAMED[name])
    return RENAMED.get(name, name)


def from_toml(text: str, name: str) -> dict[str, Any]:
    """The values of a settings file: `[crawl]` and one `[blog."URL"]` table per blog."""
    import tomllib  # noqa: PLC0415 - few have such a file

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name} is not TOML: {error}", advice="correct the line it names") from None
    unknown = sorted(set(data) - {"crawl", "blog"})
    if unknown:
        table = 'a settings file has [crawl] and [blog."URL"] tables'
        known = unknown[0].replace("-", "_") in KNOWN
        raise UsageError(
            f"{name}: unknown part {unknown[0]!r}",
            advice=f"write {unknown[0]} below a line [crawl]: {table}" if known else table,
        )
    tables = [data.get("crawl", {}), data.get("blog", {})]
    nested = tables[1].values() if isinstance(tables[1], dict) else ()
    if not all(isinstance(table, dict) for table in (*tables, *nested)) or "blog" in tables[0]:
        raise UsageError(f"{name} is not made of tables", advice='write [crawl] and [blog."URL"] on lines of their own')
    values: dict[str, Any] = dict(data.get("crawl", {}))
    make_settings(values, where=f"{name}: ")
    for address, own in data.get("blog", {}).items():
        make_settings(own, where=f'{name}, [blog."{address}"]: ')
    return values | {"blog": data.get("blog", {})}


def from_environment(variables: Mapping[str, str]) -> dict[str, Any]:
    """The values the environment sets: `EVERLOG_DELAY=0.5`; lists are parted by line ends."""
    values: dict[str, Any] = {}
    for variable, text in variables.items():
        if not variable.startswith(PREFIX) or variable in NOT_SETTINGS:
            continue
        name = variable.removeprefix(PREFIX).lower()
        values[name] = tuple(text.splitlines()) if name in LISTS else text
    make_settings(values, where="environment: ", spelled=lambda name: PREFIX + name.upper())
    return values


def from_flags(flags: Mapping[str, Any]) -> dict[str, Any]:
    """The values that flags of the command line set."""
    make_settings(flags, spelled=lambda name: "--" + name.replace("_", "-"))
    return dict(flags)


def _unknown(name: str, spelled: Callable[[str], str]) -> tuple[str, str]:
    from difflib import get_close_matches  # noqa: PLC0415 - few mistype a name

    known = sorted(KNOWN)
    near = get_close_matches(name, known, n=1)
    if near:
        return (
            f"unknown setting {spelled(name)!r}; did you mean {spelled(near[0])!r}?",
            "docs/settings.md lists all settings",
        )
    return f"unknown setting {spelled(name)!r}", f"docs/settings.md explains the settings: {', '.join(known)}"


class _Unfit(Exception):
    """A value that is not what its setting wants."""

    def __init__(self, wanted: str, value: object, name: str = "") -> None:
        super().__init__(wanted)
        self.wanted, self.value, self.name = wanted, value, name


def _checked(name: str, value: Any) -> Any:
    """The value of a setting as what it is; numbers and yes or no may come as texts, as the environment has them."""
    kind, may_be_none = _kinds()[name]
    try:
        found = value if value is None and may_be_none else _as_kind(kind, value)
        if found is not None and isinstance(found, (int, float)):
            _want_within(found, KNOWN[name].metadata["bounds"], kind, value)
        return _OWN_CHECKS[name](found) if name in _OWN_CHECKS else found
    except _Unfit as unfit:
        raise _Unfit(unfit.wanted, unfit.value, name) from None
    except ValueError as error:
        raise _Unfit(f"something else ({error})", value, name) from None


@cache
def _kinds() -> dict[str, tuple[Any, bool]]:
    """What each setting is, and whether it may be left unknown."""
    hints = get_type_hints(Settings)
    found: dict[str, tuple[Any, bool]] = {}
    for name in KNOWN:
        is_union = get_origin(hints[name]) is UnionType
        found[name] = (get_args(hints[name])[0] if is_union else hints[name], is_union)
    return found


def _as_kind(kind: Any, value: Any) -> Any:
    if kind is str:
        return _text(value)
    if kind is bool:
        return _flag(value)
    if kind in {int, float}:
        return _number(kind, value)
    origin = get_origin(kind)
    if origin is Literal:
        allowed = get_args(kind)
        if value not in allowed:
            *first, last = map(repr, allowed)
            raise _Unfit(f"{', '.join(first)} or {last}", value)
        return value
    if origin is tuple:
        if not isinstance(value, (list, tuple, set, frozenset)):
            raise _Unfit('a list, as in ["a", "b"]', value)
        return tuple(map(_text, value))
    if not isinstance(value, Mapping) or not all(isinstance(own, Mapping) for own in value.values()):
        raise _Unfit("a table", value)
    return {_text(address): dict(own) for address, own in value.items()}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Unfit("text in quotes", value)
    return value


def _flag(value: Any) -> bool:
    """Yes or no, in the words that settings files and shells have for it.

    >>> _flag("on"), _flag(0)
    (True, False)
    """
    said = value.strip().lower() if isinstance(value, str) else value
    for meaning, words in _FLAGS:
        if said in words:
            return meaning
    raise _Unfit("true or false", value)


def _number(kind: type[float], value: Any) -> float:
    try:
        found = float(value) if isinstance(value, (int, float, str)) else math.nan
    except (ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found) or (kind is int and not found.is_integer()):
        raise _Unfit("a whole number" if kind is int else "a number", value)
    return kind(found)


def _want_within(found: float, bounds: Mapping[str, float], kind: Any, value: Any) -> None:
    for word, bound in bounds.items():
        if not {"at least": found >= bound, "more than": found > bound, "at most": found <= bound}[word]:
            raise _Unfit(f"{word} {bound:,g}" if kind is float else f"{word} {bound}", value)


def _headers(lines: tuple[str, ...]) -> tuple[str, ...]:
    for line in lines:
        name, colon, _ = line.partition(":")
        if not colon or not _TOKEN.fullmatch(name.strip()) or "\n" in line or "\r" in line:
            raise ValueError(f"{line!r} is not 'Name: value'")
    return lines


def _contact(contact: str | None) -> str | None:
    if contact and not contact.isprintable():
        raise ValueError(f"{contact!r} is not an address")
    return contact.strip() or None if contact else None


def _web_archive(address: str | None) -> str | None:
    if address is not None and not (re.match(r"https?://[^/\s]", address) and _names_host(address)):
        raise _Unfit("the address of a web archive, such as https://web.archive.org", address)
    return address


def _names_host(address: str) -> bool:
    """Whether an address names a host, and a port only if there is such a one.

    >>> [_names_host(f"http://{place}") for place in ("[::1]:8080/x", "[::1", "127.0.0.1:99999", "a.org:0")]
    [True, False, False, False]
    """
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _hosts(hosts: tuple[str, ...]) -> tuple[str, ...]:
    from everlog.core.ip_addresses import host_and_port  # noqa: PLC0415 - few allow any

    for host in hosts:
        host_and_port(host)
    return hosts


_FLAGS: tuple[tuple[bool, tuple[object, ...]], ...] = (
    (True, (True, "1", "true", "t", "yes", "y", "on")),
    (False, (False, "0", "false", "f", "no", "n", "off")),
)
# What a text has to be, beyond being one.
_OWN_CHECKS: dict[str, Callable[[Any], Any]] = {
    "header": _headers, "contact": _contact, "allow": _hosts, "from_wayback": _web_archive,
}
