"""`everlog repair`: what the completeness verdict calls missing, tried again in every way there is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from everlog.cli.flags import Blogs, Flags, takes
from everlog.cli.options import archive_of, log_to_stderr
from everlog.cli.terminal.text import json_text, open_with
from everlog.errors import EverlogError, UsageError

if TYPE_CHECKING:
    from everlog.settings import Settings
    from everlog.usecases.crawl.report import Report
    from everlog.usecases.runner import Job

# Posts that are named on the screen of a blog; all of them are in `--json`.
NAMED = 20


@takes(
    "archive files spool delay render no_comments no_media no_requisites ignore_robots max_time from_wayback allow "
    "config json quiet verbose"
)
def repair(blogs: Blogs = None, *, given: Flags) -> None:
    """Go after posts that are missing: other addresses, patience, the browser, then web archives.

    \b
    Examples:
      everlog repair
      everlog repair https://a.blog.example/ --from-wayback
      everlog repair https://a.blog.example/ --from-wayback http://localhost:8080/my-collection
    """
    open_with(f"repairing {', '.join(blogs) if blogs else 'all blogs'}: starting", quiet=given.quiet)
    settings = given.settings()
    from everlog.cli.terminal.crawl_progress import crawl_display
    from everlog.usecases.discover.held_blog import blog_named
    from everlog.usecases.runner import Job, run_jobs

    if given.verbose:
        log_to_stderr()
    with archive_of(settings) as opened:
        homes = [blog_named(url, opened).home for url in blogs] if blogs else [blog.home for blog in opened.blogs()]
        if not homes:
            raise UsageError("the archive has no blogs yet", advice="everlog crawl https://a.blog.example/")
        jobs = [Job(url=home, kind="repair", allow=given.allowed) for home in dict.fromkeys(homes)]
        with crawl_display(quiet=given.quiet or (given.verbose and not sys.stderr.isatty())) as display:
            reports = run_jobs(jobs, opened, settings, on_start=display, on_signal=display.stop)
    raise typer.Exit(_print_reports(jobs, reports, settings, given))


def _print_reports(jobs: list[Job], reports: list[Report | EverlogError], settings: Settings, given: Flags) -> int:
    """What was won and what is still missing: lines on stderr, or JSON on stdout. Gives the exit code."""
    from everlog.cli.commands.crawl import exit_code

    if given.json:
        print(json_text([_as_dict(job, report) for job, report in zip(jobs, reports, strict=True)], indent=1))
    elif not given.quiet:
        for report in reports:
            if not isinstance(report, EverlogError):
                _print_report(report, settings)
    for report in reports:
        if isinstance(report, EverlogError):
            print(report, file=sys.stderr)
    return exit_code(reports)


def _print_report(report: Report, settings: Settings) -> None:
    from everlog.cli.terminal.crawl_summary import archive_named, counted
    from everlog.cli.terminal.text import console
    from everlog.core.terminal import harmless
    from everlog.usecases.repair.repair_blog import RepairReport

    screen = console(soft_wrap=True)
    won, left = (report.won, report.left) if isinstance(report, RepairReport) else ((), ())
    media = f", {counted(report.media_won, 'picture or file', 'pictures and files')}" if isinstance(
        report, RepairReport,
    ) and report.media_won else ""
    screen.print(f"{report.blog}: {counted(len(won), 'post')}{media} won, {counted(len(left), 'post')} still missing")
    for url, how in won[:NAMED]:
        screen.print(f"  won      {harmless(url)}  {harmless(how)}")
    for gap in left[:NAMED]:
        screen.print(f"  missing  {harmless(gap.url)}  {harmless(gap.reason)}")
    hidden = max(0, len(won) - NAMED) + max(0, len(left) - NAMED)
    if hidden:
        screen.print(f"  and {hidden:,} more; --json names all")
    screen.print(f"  {harmless(report.reason)}")
    for remark in report.tally.remarks:
        screen.print(f"  {harmless(remark)}")
    if left and settings.from_wayback is None:
        screen.print(f"  to look there:  everlog repair {report.blog} --from-wayback{archive_named(settings.archive)}")


def _as_dict(job: Job, report: Report | EverlogError) -> dict[str, Any]:
    from everlog.usecases.repair.repair_blog import RepairReport

    if isinstance(report, EverlogError):
        return {"url": job.url, "ending": "error", "exit_code": report.exit_code, "reason": str(report)}
    found: dict[str, Any] = {
        "url": job.url, "blog": report.blog, "ending": report.ending, "exit_code": report.exit_code,
        "reason": report.reason, "posts": report.tally.now.posts, "requests": report.tally.requests,
        "remarks": list(report.tally.remarks),
    }
    if isinstance(report, RepairReport):
        found |= {
            "completeness": report.verdict, "won": [{"url": url, "how": how} for url, how in report.won],
            "missing": [gap.to_dict() for gap in report.left], "media_won": report.media_won,
        }
    return found
