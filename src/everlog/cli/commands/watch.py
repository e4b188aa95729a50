"""`everlog watch`: all blogs of the archive kept current."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlog.cli.contact import remind_of_contact
from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of, log_to_stderr
from everlog.cli.terminal.crawl_progress import FIGURE_LINES, flowed
from everlog.cli.terminal.text import ago, console, is_live, json_text, live_part, open_with, unguarded
from everlog.core.terminal import harmless
from everlog.errors import ArchiveBusy, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from everlog.records import Blog
    from everlog.usecases.watch.poll import PollResult
    from everlog.usecases.watch.watch_loop import WatchTally

# Where nobody looks, a line of figures now and then is enough: a service runs for years.
LINE_EVERY_SECONDS = 600.0
INTERRUPTED = 130
LATER = 5


@takes(
    "max_time delay render no_comments no_media no_requisites allow broker metrics_port log_format archive files spool "
    "config json quiet verbose"
)
def watch(
    once: Annotated[bool, typer.Option("--once", help="Ask what is due now, then end: for cron.")] = False,
    *, given: Flags,
) -> None:
    """Keep all blogs of the archive current: each feed is asked as it falls due, until you stop it.

    Stop it with Ctrl-C and start it again at any time; several watches of one archive share the work. With --json,
    each poll is one line of JSON on stdout as it ends; with --once and --json, one JSON document tells all. With a
    broker, it asks nobody itself: it hands due feeds to the fleet's workers, and looks after the fleet.

    \b
    Examples:
      everlog watch
      everlog watch --once
      everlog watch --json >> news.jsonl
      everlog watch --archive postgresql://db/everlog --broker redis://queue
    """
    open_with("watching: opening the archive", quiet=given.quiet or given.log_format != "text")
    from everlog.usecases.runner import run_watch
    from everlog.usecases.watch.watch_loop import WatchTally

    settings = given.settings()
    if settings.broker is not None:
        from everlog.cli.watch_for_fleet import schedule

        _refuse_of_a_scheduler({
            "--delay": given.delay is not None, "--render": given.render is not None, "--allow": bool(given.allow),
            "--no-comments": given.no_comments, "--no-media": given.no_media,
            "--no-requisites": given.no_requisites, "--json": given.json,
        })
        schedule(settings, given, once=once)
        return
    of_fleets = {"--metrics-port": given.metrics_port is not None, "--log-format": given.log_format != "text"}
    for flag, is_given in of_fleets.items():
        if is_given:
            raise UsageError(f"{flag} is for fleets", advice="name the fleet's queue with --broker, or leave it out")
    if given.verbose:
        log_to_stderr()
    tally = WatchTally()
    polls: list[dict[str, Any]] = []
    with archive_of(settings) as opened:
        finished = [blog.home for blog in opened.blogs() if blog.state == "finished"]
        if not finished:
            raise UsageError("there is no finished blog to watch", advice="everlog crawl https://a.blog.example/")
        remind_of_contact(finished, settings, opened, quiet=given.quiet)
        with _display(tally, quiet=given.quiet) as say:
            stopped = _run(lambda: run_watch(
                opened, settings, once=once, tally=tally,
                on_polled=_listener(say, _teller(polls, once=once) if given.json else None),
            ))
    if given.json and once:
        print(json_text({
            "watched": tally.watched, "new_posts": tally.new_posts, "changed_posts": tally.changed_posts,
            "polls": polls,
        }, ensure_ascii=False, indent=1))
    if not given.quiet:
        print(_figures(tally), file=sys.stderr)
    if stopped:
        raise typer.Exit(INTERRUPTED)


def _refuse_of_a_scheduler(flags: dict[str, bool]) -> None:
    """What is asked of blogs, and what came of it, is the workers': here it would be passed over in silence."""
    for flag, is_given in flags.items():
        if is_given:
            raise UsageError(
                f"{flag} is for fetching, which the workers do when there is a broker",
                advice="leave it out here; set it for the workers, in their settings file or as EVERLOG_... variables"
                       " (docs/settings.md)",
            )


def _run(watching: Callable[[], bool]) -> bool:
    """Watch; a database that another program keeps locked is a reason to start again later, unlike wrong usage."""
    try:
        return watching()
    except ArchiveBusy as error:
        error.exit_code = LATER
        raise


def _teller(polls: list[dict[str, Any]], *, once: bool) -> Callable[[dict[str, Any]], None]:
    """For programs: a watch that ends tells all polls in one document, one that does not a JSON line for each."""
    if once:
        return polls.append
    return lambda told: print(json_text(told, ensure_ascii=False), flush=True)


def _listener(
    say: Callable[[str], None], tell: Callable[[dict[str, Any]], None] | None,
) -> Callable[[Blog, PollResult], None]:
    """Who hears what came of each poll: programs, and people by a line on stderr."""

    def hear(blog: Blog, polled: PollResult) -> None:
        if tell is not None:
            tell(_as_dict(blog, polled))
        report = polled.report
        if report is not None and (report.tally.new_posts or report.tally.changed_posts or report.tally.remarks):
            parts = [f"{report.tally.new_posts} new", f"{report.tally.changed_posts} changed", *report.tally.remarks]
            say(f"{blog.home}  {', '.join(parts)}")
        elif polled.trouble is not None:
            say(f"{blog.home}  {polled.trouble}; {polled.poll.polling.why}")

    return hear


def _as_dict(blog: Blog, polled: PollResult) -> dict[str, Any]:
    polling, report = polled.poll.polling, polled.report
    return {
        "blog": blog.home, "feed": blog.feed_url, "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "seen": polled.seen.kind, "trouble": polled.trouble,
        "new_posts": report.tally.new_posts if report else 0,
        "changed_posts": report.tally.changed_posts if report else 0,
        "ending": report.ending if report else None, "reason": report.reason if report else None,
        "remarks": list(report.tally.remarks) if report else [],
        "next_poll": polling.due_at.isoformat() if polling.due_at else None, "why": polling.why,
        "signal": polling.signal,
    }


@contextmanager
def _display(tally: WatchTally, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Gives a function that says a line; the figures stand below it on a terminal, and come now and then elsewhere."""
    if quiet:
        yield lambda _: None
    elif is_live(unguarded(sys.stderr)):
        screen = console(soft_wrap=True)
        with live_part(lambda: _shown(tally, screen.width), screen=screen, per_second=2):
            yield lambda text: screen.print(_stamped(text))
    else:
        done = threading.Event()
        thread = threading.Thread(target=_now_and_then, args=(tally, done), daemon=True)
        thread.start()
        try:
            yield _print_line
        finally:
            done.set()
            thread.join()


def _now_and_then(tally: WatchTally, done: threading.Event) -> None:
    while not done.wait(LINE_EVERY_SECONDS):
        _print_line(_figures(tally))


def _print_line(text: str) -> None:
    print(_stamped(text), file=sys.stderr, flush=True)


def _stamped(text: str) -> str:
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}Z  {harmless(text)}"


def _shown(tally: WatchTally, width: int) -> str:
    """The figures as they fit into a terminal: the least important are left out first, none is broken."""
    return "\n".join(flowed(_parts(tally), width, FIGURE_LINES))


def _figures(tally: WatchTally) -> str:
    """The watch in one line: what, how many, what it waits for."""
    return ", ".join(part for _, part in _parts(tally))


def _parts(tally: WatchTally) -> list[tuple[int, str]]:
    parts = [(0, f"{tally.watched} {'blog' if tally.watched == 1 else 'blogs'} watched"), (2, f"{tally.polls} polls")]
    if tally.polls:
        parts += [
            (5, f"{tally.kinds['unchanged']} unchanged"),
            (4, f"{tally.kinds['failed'] + tally.kinds['refused']} failed"),
        ]
    parts += [(1, f"{tally.new_posts} new posts"), (3, f"{tally.changed_posts} changed")]
    if tally.asking:
        parts.append((1, f"asking {tally.asking} now"))
    elif tally.next_due is not None:
        parts.append((1, f"next {ago(tally.next_due, datetime.now(UTC))}"))
    return parts
