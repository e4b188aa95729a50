"""One frozen `Settings`, made at the edge and handed down: defaults < TOML < environment < flags.

    [crawl]                                    everlog.toml, or the file --config names
    delay = 2.0

    [blog."https://a.blog.example/"]           overrides for one blog
    scope = "host"
    header = ["Cookie: session=..."]

The same keys are `EVERLOG_DELAY` and so on in the environment, and flags of the command line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping  # noqa: TC003 - pydantic reads the annotations
from difflib import get_close_matches
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from everlog.core.ip_addresses import host_and_port
from everlog.core.urls import canonical
from everlog.errors import UsageError

PREFIX = "EVERLOG_"
# Lists: in the environment their entries are parted by line ends.
LISTS = frozenset({"header", "steps", "allow", "also"})
# The steps of a visit, in the order they are taken; each may be left out or replaced.
STEPS = ("render", "read", "comments", "media", "store")
# The name of a header: RFC 9110, 5.6.2.
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Variables of the same prefix that are no settings: they name the corpus of benchmarks and tests, or a program.
NOT_SETTINGS = frozenset({"EVERLOG_CORPUS", "EVERLOG_CONFIG", "EVERLOG_CHROMIUM", "EVERLOG_COMMAND"})
# Two settings that answer one question.
EITHER = frozenset({"feed", "no_feed"})


class Settings(BaseModel):
    """All that can be chosen about a crawl and its archive."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    archive: str = Field("everlog-archive", description="Where all is kept: a folder, or postgresql://...")
    files: str | None = Field(
        None, description="Where a postgresql:// archive has its WARC and media files: a folder, or an fsspec URL.",
    )
    spool: str | None = Field(
        None, description="Where WARC files grow until they are uploaded: a folder of this machine's own.",
    )
    broker: str | None = Field(None, description="The queue of a fleet: redis://...")
    slice_seconds: float = Field(
        60.0, gt=0, le=300,
        description="How long a fleet's worker crawls one blog before the next has its turn (at most 300).",
    )
    slice_pages: int = Field(500, ge=1, description="How many pages it fetches of it at most in one turn.")
    scope: Literal["path", "host", "subdomains"] = Field(
        "path", description="What belongs to the blog: the path of its address, its host, or subdomains too.",
    )
    also: tuple[str, ...] = Field(
        (), description="Other addresses of the blog: hosts it has as well, and folders of its own host.",
    )
    feed: str | None = Field(None, description="The blog's feed, where its pages do not name it.")
    no_feed: bool = Field(default=False, description="Go without the blog's feed: posts are recognised by their pages.")
    max_pages: int | None = Field(None, ge=1, description="Stop after this many pages.")
    max_time: float | None = Field(None, gt=0, description="Stop after this many seconds.")
    delay: float = Field(1.0, ge=0, description="Seconds between two requests to one host; it grows by itself.")
    concurrency: int = Field(4, ge=1, le=64, description="Requests under way at once to one host.")
    timeout: float = Field(30.0, gt=0, description="Seconds to wait for an answer.")
    longest_wait: float = Field(
        600.0, ge=0, description="Seconds a server may make a crawl wait; a longer wait ends it, to go on later.",
    )
    retries: int = Field(2, ge=0, le=10, description="How often a page that failed in passing is tried again.")
    robots: bool = Field(default=True, description="Obey robots.txt.")
    comments: bool = Field(default=True, description="Keep the comments of posts.")
    render: Literal["auto", "always", "never"] = Field(
        "auto", description="Render pages in a browser: where it is needed, all of them, or none.",
    )
    screenshots: bool = Field(default=False, description="Keep a screenshot of every page rendered in a browser.")
    tabs: int = Field(4, ge=1, le=32, description="Pages that the browser draws at once.")
    render_time: float = Field(60.0, gt=0, description="Seconds the browser may take for one page.")
    browser: str | None = Field(None, description="The Chromium to draw pages with; it is found by itself.")
    media: bool = Field(default=True, description="Keep the pictures, sounds and files of articles.")
    max_page_bytes: int = Field(20_000_000, ge=1000, description="Pages larger than this are not kept.")
    max_media_bytes: int = Field(100_000_000, ge=1000, description="Media larger than this are not kept.")
    min_free_bytes: int = Field(200_000_000, ge=0, description="A crawl pauses when the disk has less room than this.")
    exhaustive: bool = Field(
        default=False, description="Visit every address of the blog, even where nothing new can be expected.",
    )
    recheck_days: float = Field(
        90.0, ge=0, le=3650,
        description="Posts are looked at again after 1, 2, 4, ... days, at most this many apart; 0: never.",
    )
    newest_first: bool = Field(default=False, description="Fetch the newest posts first.")
    header: tuple[str, ...] = Field((), description="Headers for the blog's own host, as 'Name: value'.")
    cookies: str | None = Field(None, description="A cookie file (Netscape format) for the blog's own host.")
    allow: tuple[str, ...] = Field(
        (), description="Hosts that may be at private addresses, as HOST or HOST:PORT; a port also opens that port.",
    )
    contact: str | None = Field(
        None, description="Your e-mail address or a URL, for the User-Agent, so that owners of blogs can reach you.",
    )
    user_agent: str | None = Field(None, description="The whole User-Agent, instead of everlog's own.")
    steps: tuple[str, ...] = Field(
        STEPS, description="What is done with a page, in order; 'package.module:function' replaces a step.",
    )
    blog: Mapping[str, Mapping[str, Any]] = Field({}, description="Settings of single blogs, by their address.")

    @field_validator("header")
    @classmethod
    def _headers_have_names(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        for line in lines:
            name, colon, _ = line.partition(":")
            if not colon or not _TOKEN.fullmatch(name.strip()) or "\n" in line or "\r" in line:
                raise ValueError(f"{line!r} is not 'Name: value'")
        return lines

    @field_validator("contact")
    @classmethod
    def _contact_fits_a_header(cls, contact: str | None) -> str | None:
        if contact and not contact.isprintable():
            raise ValueError(f"{contact!r} is not an address")
        return contact.strip() or None if contact else None

    @field_validator("allow")
    @classmethod
    def _hosts_are_hosts(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        for host in hosts:
            host_and_port(host)
        return hosts

    @model_validator(mode="after")
    def _one_way_or_the_other(self) -> Self:
        if self.feed is not None and self.no_feed:
            raise ValueError("a feed is named, and none is wanted: leave out one of feed and no_feed")
        return self

    def for_blog(self, home: str) -> Settings:
        """These settings with what is set for one blog laid over them."""
        wanted = canonical(home)
        own = [values for address, values in self.blog.items() if canonical(address) == wanted]
        if not own:
            return self
        return make_settings(self.model_dump(exclude={"blog"}, exclude_unset=True), *own)

    def headers(self) -> tuple[tuple[str, str], ...]:
        """The headers as names and values."""
        pairs = (line.partition(":") for line in self.header)
        return tuple((name.strip(), value.strip()) for name, _, value in pairs)

    def agent(self, version: str) -> str:
        """The User-Agent: what asks, and whom to reach about it if the user says so."""
        contact = f" (+{self.contact})" if self.contact else ""
        return self.user_agent or f"everlog/{version}{contact}"


def make_settings(*layers: Mapping[str, Any], where: str = "", spelled: Callable[[str], str] = str) -> Settings:
    """Settings from layers of values, the later over the earlier; `UsageError` names what does not fit.

    `where` is said of a mistake first, and `spelled` gives the name of a setting as it is written there.

    >>> make_settings({"delay": 2}, {"delay": "0.5"}).delay
    0.5
    """
    merged: dict[str, Any] = {}
    for layer in layers:
        given = {name.replace("-", "_"): value for name, value in layer.items() if value is not None}
        if given.keys() & EITHER:
            # Who names a feed, or wants none, has answered for all layers below.
            merged = {name: value for name, value in merged.items() if name not in EITHER}
        merged |= given
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        said, advice = _explained(error, spelled)
        raise UsageError(where + said, advice=advice) from None


def from_toml(text: str, name: str) -> dict[str, Any]:
    """The values of a settings file: `[crawl]` and one `[blog."URL"]` table per blog."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name} is not TOML: {error}", advice="correct the line it names") from None
    unknown = sorted(set(data) - {"crawl", "blog"})
    if unknown:
        table = 'a settings file has [crawl] and [blog."URL"] tables'
        known = unknown[0].replace("-", "_") in Settings.model_fields
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


def _explained(error: ValidationError, spelled: Callable[[str], str]) -> tuple[str, str]:
    """What is wrong with a setting, and what to do about it."""
    first = error.errors()[0]
    if not first["loc"]:
        return first["msg"].removeprefix("Value error, "), "docs/settings.md explains both"
    name = str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        return _unknown(name, spelled)
    return f"{spelled(name)} must be {_allowed(first)}, not {first['input']!r}", f"docs/settings.md explains {name}"


def _unknown(name: str, spelled: Callable[[str], str]) -> tuple[str, str]:
    known = sorted(Settings.model_fields)
    near = get_close_matches(name, known, n=1)
    if near:
        return (
            f"unknown setting {spelled(name)!r}; did you mean {spelled(near[0])!r}?",
            "docs/settings.md lists all settings",
        )
    return f"unknown setting {spelled(name)!r}", f"docs/settings.md explains the settings: {', '.join(known)}"


def _allowed(error: Any) -> str:
    """What a value may be, in words.

    >>> _allowed({"type": "greater_than_equal", "ctx": {"ge": 0}, "msg": ""})
    'at least 0'
    """
    bounds = {
        "greater_than_equal": "at least {ge}", "greater_than": "more than {gt}", "less_than_equal": "at most {le}",
        "literal_error": "{expected}",
    }
    kind = error["type"]
    if kind in bounds:
        context = error["ctx"].items()
        return bounds[kind].format(**{name: f"{x:,g}" if isinstance(x, float) else x for name, x in context})
    if kind == "value_error":
        return f"something else ({error['msg'].removeprefix('Value error, ')})"
    for part, said in (
        ("int_", "a whole number"), ("float_", "a number"), ("finite", "a number"), ("bool_", "true or false"),
        ("string_", "text in quotes"), ("tuple_", 'a list, as in ["a", "b"]'), ("mapping_", "a table"),
    ):
        if kind.startswith(part):
            return said
    return str(error["msg"])
