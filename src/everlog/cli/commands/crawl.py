"""`everlog crawl` and `everlog update`: blogs into the archive."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from everlog.cli.contact import remind_of_contact
from everlog.cli.flags import Blogs, Flags, takes
from everlog.cli.options import archive_of, log_to_stderr, refuse_both
from everlog.cli.terminal.text import json_text, open_with, time_or_none
from everlog.cli.typed_command import refuse_file
from everlog.core.moments import as_moment_or_none
from everlog.errors import EverlogError, UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.settings import Settings
    from everlog.usecases.crawl.report import Report
    from everlog.usecases.runner import Job


@takes(
    "archive files spool scope also feed no_feed header cookies max_pages max_time delay render pages no_comments "
    "no_media no_requisites ignore_robots from_wayback allow config json quiet verbose"
)
def crawl(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", help="Addresses of blogs.")] = None,
    input_file: Annotated[
        str | None,
        typer.Option("-i", "--input", metavar="FILE", help="A list of blogs: one per line, or OPML; - is stdin."),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", metavar="N", help="Requests at once to one host (default: 4)."),
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="S", help="Seconds to wait for a response (default: 30)."),
    ] = None,
    screenshots: Annotated[
        bool,
        typer.Option("--screenshots", help="Keep a screenshot of every page rendered in a browser; `serve` shows it."),
    ] = False,
    newest_first: Annotated[bool, typer.Option("--newest-first", help="Fetch the newest posts first.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done; store nothing.")] = False,
    *, given: Flags,
) -> None:
    """Archive whole blogs. Continues where it was interrupted; updates a blog that is complete.

    \b
    Examples:
      everlog crawl https://a.blog.example/
      everlog crawl https://a.blog.example/ --max-pages 200 --archive my-blogs
      everlog crawl -i blogs.opml --no-media
      everlog crawl https://a.blog.example/ --no-feed
      everlog crawl https://a.blog.example/ --no-pages
      everlog crawl https://a.blog.example/ --from-wayback
    """
    refuse_both(given.feed, no_feed=given.no_feed)
    named = ", ".join([*(urls or ()), *([f"the blogs of {input_file}"] if input_file else ())])
    open_with(f"crawling {named}: starting", quiet=given.quiet or not named)
    settings = given.settings(
        concurrency=concurrency, timeout=timeout, newest_first=newest_first or None, screenshots=screenshots or None,
    )
    typed = urls or []
    for word in typed:
        refuse_file(word)
    wanted = [*typed, *(listed(input_file) if input_file else ())]
    if not wanted:
        raise UsageError("no blog given", advice="everlog crawl https://a.blog.example/   (or a list with -i FILE)")
    if dry_run:
        raise typer.Exit(_dry_run(wanted, typed, settings, given))
    from everlog.core.urls import canonical
    from everlog.usecases.runner import Job

    _refuse_what_cannot_begin(wanted, settings)
    with archive_of(settings, create=True) as opened:
        remind_of_contact(wanted, settings, opened, quiet=given.quiet)
        jobs = list({
            canonical(url): Job(url=url, typed=url in typed, allow=given.allowed) for url in reversed(wanted)
        }.values())[::-1]
        _run(jobs, opened, settings, given)


def _dry_run(wanted: list[str], typed: list[str], settings: Settings, given: Flags) -> int:
    """Look at each blog; one that cannot be looked at does not hide the others. Gives the exit code."""
    from everlog.cli.commands.inspect import as_dict, look_at, print_look

    looks = look_at(wanted, settings, typed=typed, quiet=given.quiet)
    if given.json:
        told = [
            _error_dict(url, look) if isinstance(look, EverlogError) else as_dict(look)
            for url, look in zip(wanted, looks, strict=True)
        ]
        print(json_text(told, ensure_ascii=False, indent=1))
    for number, look in enumerate(look for look in looks if not (given.json or isinstance(look, EverlogError))):
        if number:
            print()
        print_look(look)
    errors = [look for look in looks if isinstance(look, EverlogError)]
    for failed in errors:
        print(failed, file=sys.stderr)
    return _code_with_errors(0, errors, len(wanted))


@takes("archive files spool delay render no_comments no_media no_requisites allow config json quiet verbose")
def update(
    blogs: Blogs = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Skip entries older than this date (2024-05-31)."),
    ] = None,
    requisites: Annotated[bool, typer.Option(
        "--requisites", help="Fetch only what stored pages need to be shown and earlier crawls left out.",
    )] = False,
    *, given: Flags,
) -> None:
    """Archive what is new or changed since the last crawl.

    \b
    Examples:
      everlog update
      everlog update https://a.blog.example/ --since 2024-05-31
      everlog update --requisites
    """
    open_with(f"updating {', '.join(blogs) if blogs else 'all blogs'}: starting", quiet=given.quiet)
    settings = given.settings()
    if requisites and (since is not None or not settings.requisites):
        other = "--since" if since is not None else "--no-requisites"
        raise UsageError(
            f"--requisites and {other} do not go together", advice=f"leave out {other}: no page is fetched again",
        )
    from everlog.usecases.discover.held_blog import blog_named
    from everlog.usecases.runner import Job

    with archive_of(settings) as opened:
        homes = [blog_named(url, opened).home for url in blogs] if blogs else [blog.home for blog in opened.blogs()]
        if not homes:
            raise UsageError("the archive has no blogs yet", advice="everlog crawl https://a.blog.example/")
        moment = as_moment_or_none(since)
        kind: Literal["update", "requisites"] = "requisites" if requisites else "update"
        jobs = [Job(url=home, kind=kind, since=moment, allow=given.allowed) for home in dict.fromkeys(homes)]
        _run(jobs, opened, settings, given)


def _run(jobs: list[Job], archive: Archive, settings: Settings, given: Flags) -> None:
    from everlog.cli.terminal.crawl_progress import crawl_display
    from everlog.usecases.runner import run_jobs

    if given.verbose:
        log_to_stderr()
    with crawl_display(quiet=given.quiet or (given.verbose and not sys.stderr.isatty())) as display:
        reports = run_jobs(jobs, archive, settings, on_start=display, on_signal=display.stop)
    raise typer.Exit(print_reports(jobs, reports, settings.archive, given))


def print_reports(jobs: list[Job], reports: list[Report | EverlogError], archive: str, given: Flags) -> int:
    """How the crawls ended: a summary on stderr or JSON on stdout. Gives the exit code."""
    if given.json:
        print(json_text([_as_dict(job, report) for job, report in zip(jobs, reports, strict=True)], indent=1))
    elif not given.quiet:
        from everlog.cli.terminal.crawl_summary import print_summary

        print_summary(reports, verbose=given.verbose, archive=archive)
    for report in reports:
        if isinstance(report, EverlogError):
            print(report, file=sys.stderr)
    return exit_code(reports)


def exit_code(reports: list[Report | EverlogError]) -> int:
    """One exit code for all blogs of a run: that of what asks most of the user."""
    from everlog.usecases.crawl.report import exit_code_of

    code = exit_code_of([report for report in reports if not isinstance(report, EverlogError)])
    return _code_with_errors(code, [report for report in reports if isinstance(report, EverlogError)], len(reports))


def _code_with_errors(code: int, errors: list[EverlogError], count: int) -> int:
    if not errors:
        return code
    # A list of which some blogs could be crawled is usable but incomplete.
    return max(error.exit_code for error in errors) if len(errors) == count else code or 3


def _error_dict(url: str, error: EverlogError) -> dict[str, Any]:
    return {"url": url, "ending": "error", "exit_code": error.exit_code, "reason": str(error)}


def _as_dict(job: Job, report: Report | EverlogError) -> dict[str, Any]:
    if isinstance(report, EverlogError):
        return _error_dict(job.url, report)
    tally = report.tally
    return {
        "url": job.url, "blog": report.blog, "ending": report.ending, "exit_code": report.exit_code,
        "reason": report.reason, "held": report.held, "posts": tally.now.posts, "new_posts": tally.new_posts,
        "changed_posts": tally.changed_posts, "aliases": tally.now.aliases, "pages": tally.now.pages,
        "expected": tally.expected, "visited": tally.visited, "missing_posts": tally.now.missing_posts,
        "missing_pages": tally.now.missing_pages, "waiting": tally.now.waiting, "media": tally.now.media,
        "requisites": tally.now.requisites, "requisites_failed": tally.now.requisites_missing,
        "requisites_beyond": tally.requisites_beyond,
        "media_failed": tally.now.media_missing, "media_waiting": tally.media_held_off,
        "media_waiting_until": time_or_none(tally.media_held_until), "comments": tally.now.comments,
        "comments_missing": tally.comments_missing, "comments_failed": tally.now.comments_failed,
        "rendered": tally.rendered, "requests": tally.requests, "file_requests": tally.file_requests,
        "failed": tally.now.missing, "skipped": tally.skipped, "disagreements": tally.noted,
        "seconds": round(tally.seconds, 3), "remarks": list(tally.remarks), "unsure": dict(tally.unsure),
        "completeness": report.completeness.to_dict() if report.completeness is not None else None,
        "reasons": dict(tally.reasons), "failures": [{"url": url, "reason": why} for url, why in tally.failures],
    }


def listed(name: str) -> list[str]:
    """The blogs of a list (one address a line, # begins a remark) or of an OPML file."""
    try:
        text = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(
            f"the list {name} cannot be read: {error.strerror}", advice="pass a file with one address per line",
        ) from None
    from everlog.feeds.opml import blogs_of_opml

    found = blogs_of_opml(text)
    if found is None:
        lines = (line.partition(" #")[0].strip() for line in text.decode("utf-8-sig", "replace").splitlines())
        found = [line for line in lines if line and not line.startswith("#")]
    if not found:
        raise UsageError(
            f"the list {name} contains no blog", advice="pass a file with one address per line, or an OPML file",
        )
    return found


def _refuse_what_cannot_begin(urls: list[str], settings: Settings) -> None:
    """No archive is made for a mistyped address or a missing cookie file; a list goes on with its other blogs."""
    from everlog.usecases.discover.typed_address import fetchable
    from everlog.usecases.sessions import fetch_policy

    errors = []
    for url in urls:
        try:
            whole = fetchable(url)
            fetch_policy(whole, settings.for_blog(whole))
        except EverlogError as error:
            errors.append(error)
    if len(errors) == len(urls):
        raise type(errors[0])("\n".join(map(str, errors)))
