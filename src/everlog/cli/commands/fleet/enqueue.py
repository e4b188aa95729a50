"""`everlog enqueue`: blogs for a fleet to crawl."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.options import BROKER_IS_AWAY, shared_archive_of
from everlog.cli.terminal.text import json_text
from everlog.errors import EverlogError, ServiceDown, UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.archive.job_models import NewJob
    from everlog.fleet.job_queue import JobQueue

# How the names of lists end; no host's name does.
LISTS = (".opml", ".xml", ".txt", ".csv", ".list")


@takes(
    "scope also max_pages delay render no_comments no_media no_requisites allow broker archive config json quiet "
    "verbose"
)
def enqueue(
    blogs: Annotated[
        list[str] | None, typer.Argument(metavar="URL|FILE|-", help="Blogs, lists of them (OPML too), or - for stdin."),
    ] = None,
    update: Annotated[bool, typer.Option("--update", help="Only fetch what is new in archived blogs.")] = False,
    browser: Annotated[bool, typer.Option("--browser", help="Only for workers with a browser.")] = False,
    *, given: Flags,
) -> None:
    """Queue blogs for a fleet to crawl. Jobs are stored in the database, whatever happens to the queue.

    \b
    Examples:
      everlog enqueue https://a.blog.example/ --archive postgresql://db/everlog --broker redis://queue
      everlog enqueue blogs.opml --no-media
      cat blogs.txt | everlog enqueue -
    """
    from everlog.fleet.job_queue import make_job_queue
    from everlog.usecases.discover.stored_allowlist import note_typed

    settings = given.settings()
    own = {name: value for name, value in given.of_settings().items() if name not in {"archive", "broker"}}
    jobs, refused = _jobs_of(blogs or [], own, update=update, browser=browser)
    job_queue = make_job_queue(settings.broker)
    with shared_archive_of(settings) as opened:
        try:
            if update:
                jobs, unknown = _held(jobs, opened)
                refused += unknown
            note_typed(_typed(blogs or []), opened)
            added = _add(jobs, opened, job_queue, quiet=given.quiet)
        finally:
            job_queue.close()
    known = len(jobs) - len(added)
    if given.json:
        print(json_text({"queued": added, "known": known, "refused": refused}, ensure_ascii=False, indent=1))
    elif not given.quiet:
        told = f", {known} were already queued{' with their first options' if own else ''}"
        print(f"{len(added)} blogs queued{told if known else ''}", file=sys.stderr)
    for line in refused:
        print(line, file=sys.stderr)
    raise typer.Exit(3 if refused else 0)


def _add(jobs: list[NewJob], archive: Archive, job_queue: JobQueue, *, quiet: bool) -> list[str | None]:
    """Store jobs and tell the workers of them, a part at a time; the addresses of those that were not there."""
    from everlog.archive.job_models import MOST_AT_ONCE

    added: list[str | None] = []
    silent: ServiceDown | None = None
    for start in range(0, len(jobs), MOST_AT_ONCE):
        if start and not quiet:
            print(f"{start:,} of {len(jobs):,} stored", file=sys.stderr)
        part = archive.jobs.add(jobs[start : start + MOST_AT_ONCE])
        added += [job.url for job in part]
        try:
            if silent is None:
                job_queue.send(job for job in part if job.state == "queued")
        except ServiceDown as down:
            # They are safe in the database, and so shall be the rest of the list.
            silent = down
    if silent is not None:
        raise ServiceDown(f"{len(added)} jobs are stored; {silent.message}", advice=BROKER_IS_AWAY) from silent
    return added


def _held(jobs: list[NewJob], archive: Archive) -> tuple[list[NewJob], list[str]]:
    """Those of the jobs whose blogs are held, and what is wrong with the others; all wrong is an error."""
    from everlog.usecases.discover.held_blog import home_known_as

    held: list[NewJob] = []
    unknown: list[str] = []
    for job in jobs:
        if home_known_as(job.url or "", archive) is not None:
            held.append(job)
        else:
            unknown.append(f"{job.url} is not in the archive, so it cannot be updated; leave out --update to crawl it")
    if not held:
        raise UsageError("\n".join(unknown))
    return held, unknown


def _is_list(word: str) -> bool:
    """Whether a word names a list of blogs, also one that is not there: no blog has such an address."""
    if word == "-" or "://" in word:
        return word == "-"
    looks_so = word.startswith(("/", "./", "../", "~")) or ("/" not in word and word.lower().endswith(LISTS))
    return looks_so or _is_file(word)


def _jobs_of(words: list[str], own: dict[str, Any], *, update: bool, browser: bool) -> tuple[list[NewJob], list[str]]:
    """The jobs that words mean, and what is wrong with those that mean none; all wrong is an error."""
    from everlog.archive.job_models import NewJob
    from everlog.cli.commands.crawl import listed
    from everlog.core.urls import canonical, host_of
    from everlog.settings import make_settings
    from everlog.usecases.discover.typed_address import fetchable

    make_settings(own)  # a wrong value is told here, not by a worker somewhere
    urls: list[str] = []
    for word in words:
        urls += listed(word) if _is_list(word) else [word]
    if not urls:
        raise UsageError("no blog given", advice="everlog enqueue https://a.blog.example/   (or a list, or -)")
    jobs: dict[str, NewJob] = {}
    refused: list[str] = []
    for url in urls:
        try:
            whole = fetchable(url)
        except EverlogError as error:
            refused.append(str(error))
            continue
        # Without a scheme it may mean two addresses: whoever crawls it finds out which.
        jobs.setdefault(canonical(whole), NewJob(
            kind="update" if update else "crawl", url=whole if "://" in url else url.strip(), host=host_of(whole),
            settings=own, needs_browser=browser,
        ))
    if not jobs:
        raise UsageError("\n".join(refused))
    return list(jobs.values()), refused


def _typed(words: list[str]) -> list[str]:
    """The addresses among the words: what lists name was typed by nobody, and their workers go nowhere private."""
    from everlog.usecases.discover.typed_address import spellings

    found: list[str] = []
    for word in words:
        with suppress(EverlogError):  # what is wrong with it is told elsewhere
            found += [] if _is_list(word) else spellings(word)
    return found


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except OSError:  # a name that is too long for one
        return False
