"""`everlog serve`: the archive in a web browser."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from everlog.cli.commands.search import index_posts
from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of, log_to_stderr
from everlog.cli.program import command_name
from everlog.cli.terminal.crawl_summary import archive_named
from everlog.cli.terminal.text import open_with
from everlog.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from everlog.archive import Archive
    from everlog.settings import Settings
    from everlog.web.origins import Origins
    from everlog.web.server import ServeOptions

INTERRUPTED = 130
# Of the extra `serve`.
NEEDED = ("jinja2", "starlette", "uvicorn")


@takes("archive files config quiet verbose")
def serve(  # noqa: PLR0913, PLR0917 - one parameter per flag
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; 0.0.0.0 is everywhere.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(
        metavar="PORT", min=0, max=65535, help="The port of the interface; 0 is any that is free.",
    )] = 8080,
    replay_port: Annotated[int | None, typer.Option(
        metavar="PORT", min=0, max=65535, help="The port of captured pages (default: the one behind --port).",
    )] = None,
    allow_host: Annotated[list[str] | None, typer.Option(
        metavar="NAME", help="A name under which readers may ask, such as archive.example.org (repeatable).",
    )] = None,
    base_url: Annotated[str | None, typer.Option(
        metavar="URL", help="The interface's address outside, behind a proxy.",
    )] = None,
    replay_base_url: Annotated[str | None, typer.Option(
        metavar="URL", help="The address of captured pages outside; another host than that of --base-url.",
    )] = None,
    public: Annotated[bool, typer.Option(
        "--public", help="Leave out what is hidden (everlog hide), and tell nothing of this machine.",
    )] = False,
    trust_proxy: Annotated[bool, typer.Option(
        "--trust-proxy", help="Believe what a proxy on another machine says of who asks (X-Forwarded-For).",
    )] = False,
    access_log: Annotated[str | None, typer.Option(
        metavar="FILE", help="Write a line for each request into a file; - is standard output.",
    )] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open it in your web browser.")] = False,
    *, given: Flags,
) -> None:
    """Look at the archive in a web browser: blogs, captured pages as they were, posts as they were read.

    It only reads, and asks nothing of the live web. Captured pages come from a port of their own, without scripts.
    Stop it with Ctrl-C. With -v, every request is a line.

    \b
    Examples:
      everlog serve
      everlog serve --open
      everlog serve --public --host 0.0.0.0 --allow-host archive.lan
      everlog serve --port 9000 --archive postgresql://db/everlog
      everlog serve --base-url https://archive.example.org --replay-base-url https://pages.example.org
      everlog serve --access-log access.log
    """
    want_extra()
    for flag, url in (("--base-url", base_url), ("--replay-base-url", replay_base_url)):
        _want_address(flag, url)
    if (base_url is None) != (replay_base_url is None):
        raise UsageError(
            "--base-url and --replay-base-url go together: both ports need a name outside",
            advice="pass both, with two hosts",
        )
    from everlog.web.server import ServeOptions

    options = ServeOptions(
        host=host, port=port, replay_port=replay_port, base_url=base_url, replay_base_url=replay_base_url,
        allowed=tuple(allow_host or ()), public=public, access_log=access_log, trust_proxy=trust_proxy,
    )
    open_with("opening the archive", quiet=given.quiet)
    settings = given.settings()
    with archive_of(settings, reading=True, quiet=given.quiet) as opened:
        # Readers do not wait for what an older version left to do.
        index_posts(opened, quiet=given.quiet)
        _run(opened, _named(options, settings), given, lambda origins: _say_where(
            origins, host, quiet=given.quiet, opens=open_,
        ))


def show_original(url: str, given: Flags) -> None:
    """Serve the archive on free ports, and open one page of it as it was."""
    want_extra()
    from everlog.web.mementos.memento_finder import find_memento
    from everlog.web.mementos.replay_address import read_url
    from everlog.web.server import ServeOptions

    settings = given.settings()
    with archive_of(settings, reading=True, quiet=given.quiet) as opened:
        wanted = read_url(url)
        found = find_memento(opened, wanted, datetime.now(UTC)).memento if wanted else None
        if found is None:
            raise UsageError(
                f"no capture of {url} in this archive",
                advice="everlog serve  lists what is held; everlog status BLOG says what is missing and why",
            )

        def ready(origins: Origins) -> None:
            from everlog.web.mementos.capture_times import in_words, timestamp

            place = f"{origins.interface('127.0.0.1')}/web/{timestamp(found.at)}/{found.url}"
            print(place, flush=True)
            if not given.quiet:
                print(f"as it was on {in_words(found.at)}; Ctrl-C ends it", file=sys.stderr, flush=True)
            open_in_browser(place)

        _run(opened, _named(ServeOptions(port=0), settings), given, ready)


def serve_in_browser(given: Flags) -> None:
    """Serve the archive on free ports, and open it."""
    want_extra()
    from everlog.web.server import ServeOptions

    settings = given.settings()
    with archive_of(settings, reading=True, quiet=given.quiet) as opened:
        _run(opened, _named(ServeOptions(port=0), settings), given, lambda origins: _say_where(
            origins, "127.0.0.1", quiet=given.quiet, opens=True,
        ))


def has_extra() -> bool:
    """Whether the web server is installed."""
    return all(find_spec(name) is not None for name in NEEDED)


def want_extra() -> None:
    """Say what installs the web server, if it is not there."""
    if not has_extra():
        from everlog.extras import line_for_extra

        line = line_for_extra("serve")
        raise UsageError("this needs a web server, which is not installed", advice=f"install it:  {line}")


def open_in_browser(url: str) -> bool:
    """Open an address in the reader's browser; not in one that draws letters on this terminal."""
    import webbrowser

    has_screen = sys.platform in {"darwin", "win32"} or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return webbrowser.open(url) if has_screen or os.environ.get("BROWSER") else False


def _named(options: ServeOptions, settings: Settings) -> ServeOptions:
    """The same, with what pages have to know for the commands that they say to type."""
    from everlog.web.page_templates import TypedCommands

    return replace(options, typed=TypedCommands(program=command_name(), archive=archive_named(settings.archive)))


def _run(archive: Archive, options: ServeOptions, given: Flags, ready: Callable[[Origins], None]) -> None:
    from everlog.web.server import ArchiveServer

    if given.verbose:
        log_to_stderr()
    if ArchiveServer(archive, options).run(ready):
        raise typer.Exit(INTERRUPTED)


def _say_where(origins: Origins, host: str, *, quiet: bool, opens: bool) -> None:
    name = "127.0.0.1" if host in {"0.0.0.0", "::"} else f"[{host}]" if ":" in host else host  # noqa: S104 - only named
    place = origins.interface(name) + "/"
    print(place, flush=True)
    if not quiet:
        print(f"captured pages come from {origins.replay(name)}; Ctrl-C stops both", file=sys.stderr, flush=True)
    if opens and not open_in_browser(place) and not quiet:
        print("there is no browser here that could be opened: type the address into one", file=sys.stderr)


def _want_address(flag: str, url: str | None) -> None:
    parts = urlsplit(url or "http://a")
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise UsageError(f"{flag} {url} is not an address", advice=f"write it whole:  {flag} https://archive.example.org")
