"""One blog in detail: what is held, what is missing and why, and what happened to it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from everlog.cli.terminal.completeness_page import print_evidence, print_verdict
from everlog.cli.terminal.crawl_summary import counted, design_of, held_of, media_of, unsure_lines
from everlog.cli.terminal.text import ago, json_text, more, say, time_or_none
from everlog.cli.terminal.wrapping import print_wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.archive import Archive
    from everlog.archive.models import Problem
    from everlog.cli.flags import Flags
    from everlog.history.completeness import Completeness
    from everlog.records import Blog, Event
    from everlog.records.figures import Figures
    from everlog.usecases.page_doubts import PageDoubts

SHOWN = 20
LABEL = 12
# The lanes of the queue, in words.
MISSING = {"media": "pictures and files", "page": "other pages", "requisite": "files of the design"}
WAITING = {"post": "posts", "page": "other pages", "media": "pictures and files", "requisite": "files of the design"}


def print_blog(blog: Blog, archive: Archive, given: Flags) -> None:
    """What is held of a blog, what is missing, and all that happened to it."""
    from everlog.usecases.completeness import completeness_of, years_of_blog
    from everlog.usecases.page_doubts import page_doubts

    known = completeness_of(blog, archive)
    doubtful = page_doubts(blog.id, archive)
    detail = _detail(blog, archive, known, doubtful)
    if given.json:
        print(json_text(detail, ensure_ascii=False, indent=1))
        return
    now = datetime.now(UTC)
    for name in ("blog", "title", "feed", "scope", "state"):
        _field(name, detail[name])
    _field("last crawl", _when(detail["last_crawl"], now))
    print_verdict(known)
    _print_figures(detail)
    for name in ("left_out", "not_kept", "hidden"):
        if detail[name]:
            _field(name.replace("_", " "), detail[name])
    _print_watching(detail, now)
    if detail["runs"]:
        last = detail["runs"][-1]
        _field("last run", f"{last['kind']}: {last['reason'] or 'interrupted or still running'}")
    print_evidence(known, years_of_blog(blog, archive, known), now, verbose=given.verbose)
    _print_missing(detail, now, verbose=given.verbose)
    _print_doubts(detail, doubtful, verbose=given.verbose)
    _print_history(detail, archive, blog, now, verbose=given.verbose)


def figures_dict(figures: Figures) -> dict[str, int]:
    """The figures of a blog, for programs."""
    return {
        "posts": figures.posts, "comments": figures.comments, "media": figures.media, "requisites": figures.requisites,
        "waiting": figures.waiting, "failed": figures.missing, "missing_posts": figures.missing_posts,
        "missing_pages": figures.missing_pages, "media_failed": figures.media_missing,
        "requisites_failed": figures.requisites_missing, "aliases": figures.aliases, "deleted": figures.deleted,
        "comments_failed": figures.comments_failed, "hidden_posts": figures.hidden,
    }


def _print_figures(detail: dict[str, Any]) -> None:
    """The figures of the blog, as the summary of a crawl has them."""
    more_to_come = (detail["expected"] or 0) > detail["posts"]
    why = f" ({detail['estimate']['why']})" if more_to_come and detail["estimate"] else ""
    expected = f", of about {detail['expected']:,} expected{why}" if more_to_come else ""
    _field("posts", f"{held_of(detail['posts'], detail['in_part'])}{expected}")
    _field("", f"{counted(detail['versions'], 'version')}, {counted(detail['aliases'], 'alias', 'aliases')}")
    _field("comments", f"{detail['comments']:,}")
    if detail["comments_missing"]:
        _field("", f"the site counts {counted(detail['comments_missing'], 'comment')} more than were found")
    if detail["comments_failed"]:
        _field("", f"the comments of {counted(detail['comments_failed'], 'post')} could not be fetched")
    _field("media", media_of(detail["media"], detail["media_failed"], detail["queued"].get("media", 0)))
    _field("design", design_of(
        detail["requisites"], detail["requisites_failed"], detail["queued"].get("requisite", 0),
    ))
    if detail["requisites_beyond"]:
        from everlog.usecases.page.requisite_links import beyond_remark

        _field("", beyond_remark(detail["requisites_beyond"]) or "")
    _field("pages", f"{counted(detail['pages'], 'other page')}: lists, archives and the like")
    waiting = ", ".join(f"{count:,} {WAITING[lane]}" for lane, count in detail["queued"].items() if count)
    _field("waiting", waiting or "nothing")


def _print_missing(detail: dict[str, Any], now: datetime, *, verbose: bool) -> None:
    """What could not be had: pictures and other pages apart; and what was left out, by its reasons."""
    for what, label in MISSING.items():
        of_kind = [_missing_line(each, now) for each in detail["missing"] if each["what"] == what]
        if of_kind:
            _listed(f"missing {label}:", of_kind, verbose=verbose)
    if not detail["missing"]:
        _field("missing", "nothing")
    skipped = Counter(each["reason"].partition(": ")[0] for each in detail["skipped"])
    if skipped:
        _field("left out", counted(skipped.total(), "page"))
    for reason, count in skipped.most_common(None if verbose else SHOWN):
        say(f"  {count:>6,}  {reason}")
    for each in detail["skipped"] if verbose else ():
        say(f"  {each['url']}  {each['reason']}")


def _missing_line(each: dict[str, Any], now: datetime) -> str:
    later = f"; asked again {_when(each['asked_again'], now)}" if each["asked_again"] is not None else ""
    return f"{each['url']}  {each['reason']}{later}"


def _print_doubts(detail: dict[str, Any], doubtful: Iterable[PageDoubts], *, verbose: bool) -> None:
    """Posts whose article may be the wrong text, posts that are unlike the others, and pages that may be posts."""
    from everlog.usecases.crawl.report import reason_kind

    for line in unsure_lines(Counter(reason_kind(each["reason"]) for each in detail["unsure"]), detail["posts"]):
        _field("unsure", line)
    for each in detail["unsure"] if verbose else ():
        say(f"  {each['url']}  {each['reason']}")
    for doubts in doubtful:
        _field(doubts.kind, doubts.sentence)
        for url, note in doubts.pages if verbose else ():
            say(f"  {url}  {note}")


def _said_hidden(blog: Blog, archive: Archive, figures: Figures) -> str | None:
    """What of a blog is neither exported nor shown in public; None: nothing."""
    if blog.id in archive.hidden.blogs():
        return f"the whole blog; everlog hide --undo {blog.home} shows it again"
    return counted(figures.hidden, "post") if figures.hidden else None


def _detail(
    blog: Blog, archive: Archive, known: Completeness, doubtful: Iterable[PageDoubts],
) -> dict[str, Any]:
    from everlog.usecases.crawl.left_out import count_not_kept, noarchive_remark, said_left_out
    from everlog.usecases.discover.blog_scope import names_of, scope_of
    from everlog.usecases.discover.estimate import expected_posts

    counts = archive.blogs.counts(blog.id)
    # Missing are the posts that the verdict calls so, wherever they are counted.
    figures = replace(archive.blogs.figures(blog.id), missing_posts=len(known.posts.missing))
    estimate = archive.blogs.state(blog.id).estimate
    problems = list(archive.urls.problems(blog.id))
    lost = list(archive.posts.lost(blog.id))
    scope = scope_of(blog, archive)
    not_kept = count_not_kept(blog, archive)
    return {
        "blog": blog.home, "title": blog.title, **figures_dict(figures),
        "expected": expected_posts(
            estimate, held=figures.posts, waiting=figures.waiting_posts, is_finished=blog.state == "finished",
        ),
        "comments_missing": archive.comments.count_missing(blog.id),
        "requisites_beyond": sum(archive.blogs.state(blog.id).requisites_beyond.values()),
        "state": "forgotten" if blog.forgotten_at else "gone" if blog.gone is not None else blog.state,
        "last_crawl": time_or_none(blog.crawled_at), **_polling(blog, archive), "gone": blog.gone,
        "gone_since": time_or_none(blog.gone_at), "former_homes": list(blog.former_homes),
        "feed": blog.feed_url, "scope": blog.scope, "versions": counts.versions,
        "pages": figures.pages, "without_comments": figures.comments_failed,
        "queued": {
            "post": figures.waiting_posts, "page": figures.waiting_pages, "media": figures.waiting_media,
            "requisite": figures.waiting_requisites,
        }, "outcomes": dict(counts.outcomes),
        "unsure": [{"url": url, "reason": reason} for url, reason in archive.posts.unsure(blog.id)],
        "disagreements": [
            {"url": url, "note": note, "held": each.are_held} for each in doubtful for url, note in each.pages
        ],
        "estimate": {"posts": estimate.posts, "why": estimate.why, "evidence": estimate.evidence} if estimate else None,
        "also_at": [*scope.also, *(alias.home for alias in scope.aliases if alias.is_name)],
        "names": [{"home": home, "evidence": why} for home, why in names_of(scope).items()],
        "left_out": said_left_out(blog, archive), "hidden": _said_hidden(blog, archive, figures),
        "not_kept": noarchive_remark(not_kept, blog.home) if not_kept else None,
        "runs": [
            {"kind": run.kind, "started": time_or_none(run.started_at), "ended": time_or_none(run.ended_at),
             "reason": run.reason, "counts": dict(run.counts)} for run in archive.blogs.runs(blog.id)
        ],
        "in_part": known.posts.in_part, "missing": _missing(problems, known), "completeness": known.to_dict(),
        "skipped": [{"url": each.url, "reason": each.reason} for each in problems if not each.is_missing],
        "lost": [
            {"url": each.url, "gone": each.reason, "since": time_or_none(each.since), "looks": each.looks}
            for each in lost
        ],
        "former_templates": [
            {"until": time_or_none(each.retired_at), "reason": each.reason} for each in archive.blogs.templates(blog.id)
        ],
        "events": [event_dict(event) for event in archive.events(blog_id=blog.id)],
    }


def _missing(problems: list[Problem], known: Completeness) -> list[dict[str, Any]]:
    """What is missing, for programs: posts as the verdict has them, pictures and other pages that could not be had."""
    of_queue = {each.url: each for each in problems}
    rows: list[dict[str, Any]] = []
    for gap in known.posts.missing:
        row = of_queue.get(gap.url)
        rows.append({
            "url": gap.url, "what": "post", "reason": gap.reason, "tries": row.tries if row is not None else 0,
            "asked_again": time_or_none(row.again_at) if row is not None else None,
        })
    return rows + [
        {"url": each.url, "what": each.lane, "reason": each.reason, "tries": each.tries,
         "asked_again": time_or_none(each.again_at)}
        for each in problems if each.is_missing and each.lane != "post"
    ]


def _polling(blog: Blog, archive: Archive) -> dict[str, Any]:
    poll = archive.polls.of(blog.id)
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


def _print_watching(detail: dict[str, Any], now: datetime) -> None:
    """When the blog's feed is checked next, and where the blog was before."""
    if detail["gone"] is not None:
        _field("gone", f"{_when(detail['gone_since'], now)}: {detail['gone']}")
    if detail["poll_reason"]:
        signal = f" ({detail['poll_signal']})" if detail["poll_signal"] else ""
        # How long it is until then was true when it was written; now it is as the time says.
        why = detail["poll_reason"].partition(": next poll in ")[0]
        _field("next check", f"{_when(detail['next_poll'], now)}: {why}{signal}")
    if detail["last_poll"]:
        _field("last check", f"{_when(detail['last_poll'], now)}; last news {_when(detail['last_news'], now)}")
    whys = {each["home"]: f"  because {each['evidence']}" for each in detail["names"]}
    for home in detail["also_at"]:
        _field("also at", home + whys.get(home, ""))
    for home in detail["former_homes"]:
        _field("before at", home)
    for each in detail["former_templates"]:
        _field("relearned", f"{_when(each['until'], now)}: {each['reason']}")


def _print_history(
    detail: dict[str, Any], archive: Archive, blog: Blog, now: datetime, *, verbose: bool,
) -> None:
    """Posts that are gone, or may be, and all that happened, the newest first."""
    gone = [f"{each['url']}  {_when(each['since'], now)}: {each['gone']}" for each in detail["lost"] if each["gone"]]
    _listed("deleted", gone, verbose=verbose)
    unsure = [
        f"{each['url']}  not found on the last {_checks(each['looks'])}, first {_when(each['since'], now)}"
        for each in detail["lost"] if not each["gone"]
    ]
    if unsure:
        _listed("not there", unsure, verbose=verbose)
    counts = Counter(each["kind"] for each in detail["events"])
    _field("events", ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "none")
    print_events(archive.events(blog_id=blog.id, limit=None if verbose else SHOWN), {}, now)
    more(counts.total(), SHOWN, verbose=verbose)


def _checks(count: int) -> str:
    return "check" if count == 1 else counted(count, "check")


def print_events(events: Iterable[Event], homes: dict[int, str], now: datetime) -> None:
    """What happened, the newest first; `homes` names the blogs where there are several."""
    for event in reversed(list(events)):
        where = event.url or homes.get(event.blog_id, "")
        say("  " + "  ".join(filter(None, [f"{ago(event.at, now):<11}", f"{event.kind:<11}", where, event.reason])))


def event_dict(event: Event) -> dict[str, Any]:
    return {
        "kind": event.kind, "at": time_or_none(event.at), "url": event.url, "reason": event.reason,
        "detail": dict(event.detail),
    }


def _when(moment: str | None, now: datetime) -> str:
    """A time of the detail, for people."""
    return "never" if moment is None else ago(datetime.fromisoformat(moment), now)


def _field(name: str, value: Any) -> None:
    print_wrapped(f"{'-' if value is None else value}", margin=f"{name:<{LABEL}} ", hanging=" " * (LABEL + 1))


def _listed(name: str, lines: list[str], *, verbose: bool) -> None:
    say(f"{name:<{LABEL}} {f'{len(lines):,}' if lines else 'nothing'}")
    for line in lines if verbose else lines[:SHOWN]:
        print_wrapped(line, margin="  ", hanging="      ")
    more(len(lines), SHOWN, verbose=verbose)
