"""`everlog status`: all blogs of an archive, one of them in detail, or the ledger of requests and waits."""

from __future__ import annotations

import json as json_module
import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlog.cli.ledger import print_ledger
from everlog.cli.lines import json_text, more, say, table, time_of, time_or_none
from everlog.cli.options import (
    ArchiveFlag,
    ConfigFlag,
    JsonFlag,
    QuietFlag,
    VerboseFlag,
    archive_of,
    settings_from,
)
from everlog.cli.summary import unsure_lines
from everlog.flow.report import reason_kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.archive import Archive
    from everlog.archive.overview_rows import Outline
    from everlog.records import Blog, Event

SHOWN = 20
# All that happens to blogs and posts but for edits: these are many, and `status BLOG` and `diff` have them.
MATTER = (
    "deleted", "dropped", "emptied", "missing", "back", "moved", "feed-moved", "feed-gone", "dead", "other-owner",
    "redesigned",
)
BLOGS = ("blog", "posts", "comments", "media", "waiting", "failed", "deleted", "state", "last_crawl", "next_poll")
TEXTS = frozenset({"blog", "state", "last_crawl", "next_poll"})
DETAILS = ("blog", "title", "feed", "scope", "state", "last_crawl", "posts", "versions", "aliases", "pages", "media",
           "comments")


def status(
    blog: Annotated[str | None, typer.Argument(metavar="BLOG", help="One blog in detail.")] = None,
    politeness: Annotated[
        bool, typer.Option("--politeness", help="The ledger of requests and waits, with the reason for each wait."),
    ] = False,
    archive: ArchiveFlag = None,
    config: ConfigFlag = None,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
    verbose: VerboseFlag = False,
) -> None:
    """List the blogs of the archive and what happened to them; with a BLOG what is held, what is missing and why.

    \b
    Examples:
      everlog status
      everlog status https://a.blog.example/
      everlog status --politeness
    """
    with archive_of(settings_from(config, archive=archive), reading=True, quiet=quiet) as opened:
        chosen = None
        if blog is not None:
            from everlog.flow.running import blog_named

            chosen = blog_named(blog, opened)
        if politeness:
            print_ledger(opened, chosen, json=json, quiet=quiet, verbose=verbose)
        elif chosen is None:
            _print_all(opened, json=json, quiet=quiet, verbose=verbose)
        else:
            _print_blog(chosen, opened, json=json, verbose=verbose)


def _print_all(archive: Archive, *, json: bool, quiet: bool, verbose: bool) -> None:
    outlines = list(archive.outlines())
    if json:
        happened: dict[int, list[dict[str, Any]]] = {}
        for event in archive.events(kinds=MATTER):
            happened.setdefault(event.blog_id, []).append(_event(event))
        rows = [_row(each) | {"events": happened.get(each.id, [])} for each in outlines]
        print(json_text(rows, ensure_ascii=False, indent=1))
        return
    table((_row(each) for each in outlines), BLOGS, left=TEXTS)
    if not outlines and not quiet:
        print("no blog is in this archive yet:  everlog crawl URL", file=sys.stderr)
    gone = [each for each in outlines if each.gone is not None]
    if gone:
        print()
        say(f"gone from the web: {len(gone)} of {len(outlines)} blogs")
    for each in gone if verbose else gone[:SHOWN]:
        say(f"  {each.home}  since {time_of(each.gone_at)}: {each.gone}")
    more(len(gone), SHOWN, verbose=verbose)
    events = list(archive.events(kinds=MATTER, limit=None if verbose else SHOWN + 1))
    if events:
        print()
        say(f"deletions and other events ({sum(each.deleted for each in outlines)} posts are gone), the newest first")
        _print_events(events if verbose else events[-SHOWN:], {each.id: each.home for each in outlines})
        if len(events) > SHOWN and not verbose:
            say("  and earlier ones (-v shows all)")


def _row(outline: Outline) -> dict[str, Any]:
    state = "forgotten" if outline.forgotten_at else "gone" if outline.gone is not None else outline.state
    return {
        "blog": outline.home, "title": outline.title, "posts": outline.posts, "comments": outline.comments,
        "media": outline.media, "waiting": outline.waiting, "failed": outline.failed, "deleted": outline.deleted,
        "state": state, "last_crawl": time_or_none(outline.crawled_at), "next_poll": time_or_none(outline.due_at),
        "poll_reason": outline.why, "poll_signal": outline.signal, "gone": outline.gone,
        "gone_since": time_or_none(outline.gone_at),
    }


def _print_blog(blog: Blog, archive: Archive, *, json: bool, verbose: bool) -> None:
    detail = _detail(blog, archive)
    if json:
        print(json_text(detail, ensure_ascii=False, indent=1))
        return
    for name in DETAILS:
        _field(name.replace("_", " "), detail[name])
    if detail["without_comments"]:
        _field("", f"of {detail['without_comments']} posts the comments could not be had")
    if detail["estimate"]:
        expected = max(detail["estimate"]["posts"], detail["posts"])
        _field("estimate", f"at least {expected} posts ({detail['estimate']['why']})")
    for name in ("left_out", "not_kept"):
        if detail[name]:
            _field(name.replace("_", " "), detail[name])
    _print_watching(detail)
    _field("waiting", ", ".join(f"{count} {lane}" for lane, count in detail["queued"].items() if count) or "nothing")
    if detail["runs"]:
        last = detail["runs"][-1]
        _field("last run", f"{last['kind']}: {last['reason'] or 'interrupted or still running'}")
    _listed("missing", [f"{each['url']}  {each['reason']}" for each in detail["missing"]], verbose=verbose)
    _print_doubts(detail, verbose=verbose)
    _print_history(detail, archive, blog, verbose=verbose)


def _print_doubts(detail: dict[str, Any], *, verbose: bool) -> None:
    """Posts whose article may be the wrong text, and pages that may or may not be posts."""
    for line in unsure_lines(Counter(reason_kind(each["reason"]) for each in detail["unsure"]), detail["posts"]):
        _field("unsure", line)
    for each in detail["unsure"] if verbose else ():
        say(f"  {each['url']}  {each['reason']}")
    if detail["disagreements"]:
        count = len(detail["disagreements"])
        _field("in doubt", f"{count} pages whose address and content disagree about being a post")
    for each in detail["disagreements"] if verbose else ():
        say(f"  {each['url']}  {each['note']}")


def _detail(blog: Blog, archive: Archive) -> dict[str, Any]:
    from everlog.flow.leaving import count_not_kept, noarchive_remark, said_left_out
    from everlog.flow.scoping import scope_of

    counts = archive.counts(blog.id)
    lost = list(archive.lost_posts(blog.id))
    scope = scope_of(blog, archive)
    not_kept = count_not_kept(blog, archive)
    return {
        "blog": blog.home, "title": blog.title, "posts": counts.posts, "comments": counts.comments,
        "media": counts.media, "waiting": sum(counts.queued.values()), "failed": counts.outcomes.get("failed", 0),
        "deleted": sum(each.reason is not None for each in lost),
        "state": "forgotten" if blog.forgotten_at else "gone" if blog.gone is not None else blog.state,
        "last_crawl": time_or_none(blog.crawled_at), **_polling(blog, archive), "gone": blog.gone,
        "gone_since": time_or_none(blog.gone_at), "former_homes": list(blog.former_homes),
        "feed": blog.feed_url, "scope": blog.scope, "versions": counts.versions, "pages": counts.pages,
        "without_comments": archive.count_without_comments(blog.id), "aliases": counts.aliases,
        "queued": dict(counts.queued), "outcomes": dict(counts.outcomes),
        "unsure": [{"url": url, "reason": reason} for url, reason in archive.unsure_posts(blog.id)],
        "disagreements": [{"url": url, "note": note} for url, note in archive.notes(blog.id)],
        "estimate": json_module.loads(archive.recall(blog.id, "estimate") or "null"),
        "also_at": [*scope.also, *(alias.home for alias in scope.aliases if alias.here or alias.followed)],
        "left_out": said_left_out(blog, archive),
        "not_kept": noarchive_remark(not_kept) if not_kept else None,
        "runs": [
            {"kind": run.kind, "started": time_or_none(run.started_at), "ended": time_or_none(run.ended_at),
             "reason": run.reason, "counts": dict(run.counts)} for run in archive.runs(blog.id)
        ],
        "missing": [
            {"url": each.url, "what": each.lane, "reason": each.reason, "tries": each.tries}
            for each in archive.problems(blog.id)
        ],
        "lost": [
            {"url": each.url, "gone": each.reason, "since": time_or_none(each.since), "looks": each.looks}
            for each in lost
        ],
        "former_templates": [
            {"until": time_or_none(each.retired_at), "reason": each.reason} for each in archive.templates(blog.id)
        ],
        "events": [_event(event) for event in archive.events(blog_id=blog.id)],
    }


def _polling(blog: Blog, archive: Archive) -> dict[str, Any]:
    poll = archive.poll_of(blog.id)
    polling = poll.polling if poll is not None else None
    # The time of one that is forgotten or gone stays where it is, and nobody comes.
    ahead = polling if blog.forgotten_at is None and blog.gone is None else None
    return {
        "next_poll": time_or_none(ahead.due_at if ahead else None),
        "poll_reason": ahead.why if ahead else None, "poll_signal": ahead.signal if ahead else None,
        "last_poll": time_or_none(polling.checked_at if polling else None),
        "last_news": time_or_none(polling.changed_at if polling else None),
        "poll_failures": polling.failures if polling else 0,
    }


def _print_watching(detail: dict[str, Any]) -> None:
    """When the blog is asked next, and where it was before."""
    if detail["gone"] is not None:
        _field("gone", f"since {detail['gone_since'] or '?'}: {detail['gone']}")
    if detail["poll_reason"]:
        signal = f" ({detail['poll_signal']})" if detail["poll_signal"] else ""
        _field("next poll", f"{detail['next_poll'] or 'never'}: {detail['poll_reason']}{signal}")
    if detail["last_poll"]:
        _field("last poll", f"{detail['last_poll']}, something new {detail['last_news'] or '-'}")
    for home in detail["also_at"]:
        _field("also at", home)
    for home in detail["former_homes"]:
        _field("before at", home)
    for each in detail["former_templates"]:
        _field("learned anew", f"{each['until']}: {each['reason']}")


def _print_history(detail: dict[str, Any], archive: Archive, blog: Blog, *, verbose: bool) -> None:
    """Posts that are gone, or may be, and all that happened, the newest first."""
    gone = [f"{each['url']}  since {each['since'] or '?'}: {each['gone']}" for each in detail["lost"] if each["gone"]]
    _listed("deleted", gone, verbose=verbose)
    unsure = [
        f"{each['url']}  since {each['since']}, not there on {each['looks']} looks"
        for each in detail["lost"] if not each["gone"]
    ]
    if unsure:
        _listed("not there", unsure, verbose=verbose)
    counts = Counter(each["kind"] for each in detail["events"])
    _field("events", ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "none")
    _print_events(archive.events(blog_id=blog.id, limit=None if verbose else SHOWN), {})
    more(counts.total(), SHOWN, verbose=verbose)


def _print_events(events: Iterable[Event], homes: dict[int, str]) -> None:
    for event in reversed(list(events)):
        where = event.url or homes.get(event.blog_id, "")
        say("  " + "  ".join(filter(None, [time_of(event.at), f"{event.kind:<11}", where, event.reason])))


def _event(event: Event) -> dict[str, Any]:
    return {
        "kind": event.kind, "at": time_or_none(event.at), "url": event.url, "reason": event.reason,
        "detail": dict(event.detail),
    }


def _field(name: str, value: Any) -> None:
    say(f"{name:<12} {'-' if value is None else value}")


def _listed(name: str, lines: list[str], *, verbose: bool) -> None:
    _field(name, len(lines) or "nothing")
    for line in lines if verbose else lines[:SHOWN]:
        say(f"  {line}")
    more(len(lines), SHOWN, verbose=verbose)
