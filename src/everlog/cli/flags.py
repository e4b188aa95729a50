"""Flags that several commands share, declared once: a command says which it takes, and is given them as a record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from typer import Argument, Option

from everlog.cli.options import settings_from

if TYPE_CHECKING:
    from everlog.settings import Settings

Command = Callable[..., None]
Blogs = Annotated[list[str] | None, Argument(metavar="BLOG", help="Blogs in the archive (default: all).")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """The shared flags as they were given to a command; those that it does not take have their defaults."""

    archive: Annotated[str | None, Option(
        metavar="WHERE", help="The archive: a folder (default: everlog-archive here), or postgresql://USER@HOST/NAME.",
    )] = None
    files: Annotated[str | None, Option(
        metavar="WHERE",
        help="Where a postgresql:// archive has its files: a folder, or s3://BUCKET/PATH. Stored in the archive.",
    )] = None
    spool: Annotated[str | None, Option(
        metavar="FOLDER", help="A folder on this machine for WARC files until they are uploaded.",
    )] = None
    scope: Annotated[str | None, Option(
        metavar="path|host|subdomains", help="What belongs to the blog (default: path).",
    )] = None
    also: Annotated[list[str] | None, Option(
        metavar="URL", help="Another address of the same blog: a host, or a folder on its host (repeatable).",
    )] = None
    feed: Annotated[str | None, Option(metavar="URL", help="The blog's feed, if you know it.")] = None
    no_feed: Annotated[bool, Option(
        "--no-feed", help="Crawl without a feed: posts are recognised by their pages.",
    )] = False
    header: Annotated[list[str] | None, Option(
        metavar="'NAME: VALUE'", help="An HTTP header to send to the blog's own host.",
    )] = None
    cookies: Annotated[str | None, Option(
        metavar="FILE", help="Cookies for the blog's own host (Netscape format).",
    )] = None
    max_pages: Annotated[int | None, Option(metavar="N", help="Stop after N pages.")] = None
    max_time: Annotated[float | None, Option(metavar="S", help="Stop after S seconds.")] = None
    delay: Annotated[float | None, Option(
        metavar="S", help="Seconds between requests to one host (default: 1).",
    )] = None
    render: Annotated[str | None, Option(
        metavar="auto|always|never", help="Render pages in a browser: where needed (the default), all, or none.",
    )] = None
    pages: Annotated[bool | None, Option(
        "--pages/--no-pages", show_default=False,
        help="Fetch the pages of posts (the default), or records from the blog's interfaces alone.",
    )] = None
    no_comments: Annotated[bool, Option("--no-comments", help="Do not collect comments.")] = False
    no_media: Annotated[bool, Option("--no-media", help="Do not fetch images, audio, video or files.")] = False
    no_requisites: Annotated[bool, Option(
        "--no-requisites", help="Do not fetch style sheets, scripts, fonts, icons and pictures of the design.",
    )] = False
    ignore_robots: Annotated[bool, Option(
        "--ignore-robots", help="Ignore robots.txt and noarchive; for your own blogs only.",
    )] = False
    from_wayback: Annotated[str | None, Option(
        metavar="[ENDPOINT]",
        help="Take what is gone from a web archive (default: the Internet Archive; or any with Memento or CDX).",
    )] = None
    allow: Annotated[list[str] | None, Option(
        metavar="HOST[:PORT]", help="Allow a host at a private address, or at this port (repeatable).",
    )] = None
    broker: Annotated[str | None, Option(metavar="URL", help="The fleet's queue: redis://HOST:6379/0.")] = None
    metrics_port: Annotated[int | None, Option(
        metavar="PORT", min=0, max=65535, help="Serve Prometheus metrics here.",
    )] = None
    log_format: Annotated[str, Option(metavar="text|json", help="Log as text (the default) or as JSON.")] = "text"
    config: Annotated[Path | None, Option(
        metavar="FILE", help="Settings file (default: ./everlog.toml, if any).",
    )] = None
    json: Annotated[bool, Option("--json", help="Print JSON.")] = False
    quiet: Annotated[bool, Option("-q", "--quiet", help="Print no progress and no notes.")] = False
    verbose: Annotated[bool, Option("-v", "--verbose", help="Print more; with a bug, the traceback.")] = False

    @property
    def allowed(self) -> tuple[str, ...] | None:
        """The hosts of `--allow`; one that is empty names none, which takes back what was allowed before."""
        return tuple(filter(None, (host.strip() for host in self.allow))) if self.allow else None

    def of_settings(self) -> dict[str, Any]:
        """The settings that were given as flags, by their names."""
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _NOT_SETTINGS}
        given |= {off: False if given.pop(flag) else None for flag, off in _TURNED_OFF.items()}
        given |= {"no_feed": self.no_feed or None, "also": self.also or None, "header": self.header or None}
        return {name: value for name, value in (given | {"allow": self.allowed}).items() if value is not None}

    def settings(self, **own: Any) -> Settings:
        """Settings of a run: defaults, the settings file, the environment, these flags and the command's own."""
        return settings_from(self.config, **self.of_settings(), **own)


_NOT_SETTINGS = frozenset({"metrics_port", "log_format", "config", "json", "quiet", "verbose"})
_TURNED_OFF = {"no_comments": "comments", "no_media": "media", "no_requisites": "requisites", "ignore_robots": "robots"}


def takes(names: str) -> Callable[[Command], Command]:
    """Make of a function a command that takes these of the shared flags behind its own, which it is `given`."""
    hints, defaults = get_type_hints(Flags, include_extras=True), {each.name: each.default for each in fields(Flags)}
    shared = {name: Parameter(name, Parameter.KEYWORD_ONLY, default=defaults[name], annotation=hints[name])
              for name in names.split()}

    def with_flags(command: Command) -> Command:
        @wraps(command)
        def run(**values: Any) -> None:
            command(given=Flags(**{name: values.pop(name) for name in shared}), **values)

        own = [each.replace(kind=Parameter.KEYWORD_ONLY)
               for each in signature(command, eval_str=True).parameters.values() if each.name != "given"]
        vars(run)["__signature__"] = Signature([*own, *shared.values()])
        return run

    return with_flags
