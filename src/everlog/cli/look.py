"""Commands that show what an archive holds: status, show, rules."""

from __future__ import annotations

import json as json_module
import re
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlog.cli.options import (
    ArchiveFlag,
    ConfigFlag,
    JsonFlag,
    QuietFlag,
    VerboseFlag,
    archive_of,
    settings_from,
)
from everlog.errors import UsageError

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.records import Blog, Post

PROBLEMS_SHOWN = 20
# What a stranger wrote must not steer the reader's terminal, nor turn the order of what stands beside it.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
INDENT = "  "
# Deeper answers stay in sight.
DEEPEST_INDENT = 8
BLOGS = ("blog", "posts", "comments", "media", "waiting", "failed", "state", "last_crawl")
LEDGER = ("host", "requests", "bytes", "waited_seconds", "slowed", "delay_seconds")
DETAILS = ("blog", "title", "feed", "scope", "state", "last_crawl", "posts", "versions", "aliases", "pages", "media",
           "comments")


def status(
    blog: Annotated[str | None, typer.Argument(metavar="BLOG", help="One blog in detail.")] = None,
    politeness: Annotated[bool, typer.Option("--politeness", help="The ledger of requests and waits.")] = False,
    archive: ArchiveFlag = None,
    config: ConfigFlag = None,
    json: JsonFlag = False,
    quiet: QuietFlag = False,  # noqa: ARG001 - it shows what was asked for
    verbose: VerboseFlag = False,
) -> None:
    """List the blogs of the archive; with a BLOG what is held, what is missing and why.

    \b
    Examples:
      everlog status
      everlog status https://a.blog.example/
    """
    from everlog.flow.running import blog_named

    with archive_of(settings_from(config, archive=archive)) as opened:
        if politeness:
            _print(_ledger(opened), json=json, columns=LEDGER)
        elif blog is None:
            rows = [_row(each, opened) for each in opened.blogs(forgotten=True)]
            _print(rows, json=json, columns=BLOGS)
        else:
            _print_blog(blog_named(blog, opened), opened, json=json, verbose=verbose)


def show(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address of a post, in any spelling.")],
    html: Annotated[bool, typer.Option("--html", help="The article as cleaned HTML.")] = False,
    versions: Annotated[bool, typer.Option("--versions", help="All versions of the post.")] = False,
    archive: ArchiveFlag = None,
    config: ConfigFlag = None,
    json: JsonFlag = False,
    quiet: QuietFlag = False,  # noqa: ARG001 - it shows what was asked for
    verbose: VerboseFlag = False,  # noqa: ARG001 - where a bug happened is said by the program itself
) -> None:
    """Print one post, as text.

    \b
    Examples:
      everlog show https://a.blog.example/2024/05/a-post/
      everlog show https://a.blog.example/2024/05/a-post/ --json
    """
    from everlog.export.jsonl import post_to_dict

    with archive_of(settings_from(config, archive=archive)) as opened:
        found = opened.versions(url) if versions else tuple(filter(None, [opened.find_post(url)]))
    if not found:
        raise UsageError(
            f"no post at {url} in this archive",
            advice="everlog export --format csv  lists all; everlog status BLOG says what is missing and why",
        )
    if json:
        plain = [post_to_dict(post) for post in found]
        print(json_module.dumps(plain if versions else plain[0], ensure_ascii=False, indent=1))
        return
    for post in found:
        print(post.html if html else _as_text(post))


def rules(
    blog: Annotated[str | None, typer.Argument(metavar="BLOG", help="A blog of the archive.")] = None,
    relearn: Annotated[bool, typer.Option("--relearn", help="Learn again from the stored feed and its pages.")] = False,
    set_rule: Annotated[
        tuple[str, str] | None,
        typer.Option("--set", metavar="FIELD SELECTOR", help="Correct a rule by hand (tag.class, tag#id, ...)."),
    ] = None,
    archive: ArchiveFlag = None,
    config: ConfigFlag = None,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
    verbose: VerboseFlag = False,
) -> None:
    """Show what was learned about a blog: rules per field, their score on the blog's own feed, the URL pattern.

    \b
    Examples:
      everlog rules https://a.blog.example/
      everlog rules https://a.blog.example/ --set title "h1.headline"
    """
    from everlog.flow.known import Known, corrected
    from everlog.flow.relearning import learn_again
    from everlog.flow.running import blog_named

    with archive_of(settings_from(config, archive=archive)) as opened:
        chosen = [blog_named(blog, opened)] if blog else list(opened.blogs())
        if (relearn or set_rule) and blog is None:
            raise UsageError("no blog was named", advice="everlog rules BLOG --relearn")
        for each in chosen:
            known = learn_again(each, opened) if relearn else Known.of(each)
            if known is None:
                raise UsageError(f"{each.home} was not learned yet", advice=f"everlog crawl {each.home}")
            if set_rule:
                known = corrected(known, *set_rule)
            if relearn or set_rule:
                opened.update_blog(each.id, template=known.template.to_json(), knowledge=known.knowledge())
                if not quiet:
                    print(f"kept; to use it on stored pages:  everlog reread {each.home}", file=sys.stderr)
            _print_rules(each, known, opened, json=json, verbose=verbose)


def _row(blog: Blog, archive: Archive) -> dict[str, Any]:
    counts = archive.counts(blog.id)
    return {
        "blog": blog.home, "title": blog.title, "posts": counts.posts, "comments": counts.comments,
        "media": counts.media, "waiting": sum(counts.queued.values()), "failed": counts.outcomes.get("failed", 0),
        "state": "forgotten" if blog.forgotten_at else blog.state, "last_crawl": _time(blog.crawled_at),
    }


def _ledger(archive: Archive) -> list[dict[str, Any]]:
    kept = json_module.loads(archive.recall(None, "ledger") or "{}")
    return [{"host": host, **figures} for host, figures in sorted(kept.items())]


def _print_blog(blog: Blog, archive: Archive, *, json: bool, verbose: bool) -> None:
    counts = archive.counts(blog.id)
    runs = archive.runs(blog.id)
    problems = list(archive.problems(blog.id))
    detail = _row(blog, archive) | {
        "feed": blog.feed_url, "scope": blog.scope, "versions": counts.versions, "pages": counts.pages,
        "without_comments": archive.count_without_comments(blog.id), "aliases": counts.aliases,
        "queued": dict(counts.queued), "outcomes": dict(counts.outcomes),
        "disagreements": [{"url": url, "note": note} for url, note in archive.notes(blog.id)],
        "estimate": json_module.loads(archive.recall(blog.id, "estimate") or "null"),
        "runs": [
            {"kind": run.kind, "started": _time(run.started_at), "ended": _time(run.ended_at), "reason": run.reason,
             "counts": dict(run.counts)} for run in runs
        ],
        "missing": [
            {"url": each.url, "what": each.lane, "reason": each.reason, "tries": each.tries} for each in problems
        ],
    }
    if json:
        print(json_module.dumps(detail, ensure_ascii=False, indent=1))
        return
    for name in DETAILS:
        print(f"{name.replace('_', ' '):<12} {detail[name] if detail[name] is not None else '-'}")
    if detail["without_comments"]:
        print(f"{'':<12} of {detail['without_comments']} posts the comments could not be had")
    if detail["estimate"]:
        expected = max(detail["estimate"]["posts"], counts.posts)
        print(f"{'estimate':<12} at least {expected} posts ({detail['estimate']['why']})")
    waiting = ", ".join(f"{count} {lane}" for lane, count in counts.queued.items() if count)
    print(f"{'waiting':<12} {waiting or 'nothing'}")
    if runs:
        print(f"{'last run':<12} {runs[-1].kind}: {runs[-1].reason or 'interrupted or still running'}")
    print(f"{'missing':<12} {len(problems) or 'nothing'}")
    for each in problems if verbose else problems[:PROBLEMS_SHOWN]:
        print(f"  {each.url}  {each.reason}")
    if len(problems) > PROBLEMS_SHOWN and not verbose:
        print(f"  and {len(problems) - PROBLEMS_SHOWN} more (-v shows them)")
    if detail["disagreements"]:
        count = len(detail["disagreements"])
        print(f"{'in doubt':<12} {count} pages whose address and content disagree about being a post")
        for each in detail["disagreements"] if verbose else ():
            print(f"  {each['url']}  {each['note']}")


def _print_rules(blog: Blog, known: Any, archive: Archive, *, json: bool, verbose: bool) -> None:
    from everlog.flow.comparing import known_repeats

    template, judge = known.template, known.judge
    repeats = known_repeats(blog, archive)
    if json:
        print(json_module.dumps({
            "blog": blog.home, "feed": blog.feed_url, "url_pattern": judge.pattern.regex,
            "url_pattern_specific": judge.pattern.specific, "confidence": template.confidence(),
            "repeats": {"pages": len(repeats.pages), "pieces": len(repeats.counts)},
            "template": json_module.loads(template.to_json()),
        }, ensure_ascii=False, indent=1))
        return
    teacher = blog.feed_url or "the blog, without a feed"
    print(f"{blog.home}  learned from {template.learned_from} posts of {teacher}")
    remark = "" if judge.pattern.specific else "  (like those of any page)"
    print(f"  {'addresses':<10} {judge.pattern.regex}{remark}")
    rows: list[tuple[str, Any]] = [("text", place) for design in template.designs for place in design.places]
    rows += [(name, rule) for name, ranked in template.fields.items() for rule in ranked]
    shown: set[str] = set()
    for name, rule in rows:
        if name in shown and not verbose:
            continue
        shown.add(name)
        confidence = rule.confidence if name != "text" else template.designs[0].score
        score = f"{confidence:6.1%}" if confidence is not None else "     -"
        print(f"  {name:<10} {score}  {rule.method:<14} {rule.where or ''}")
    for rule in template.comments.ranked[: None if verbose else 1] if template.comments is not None else ():
        markup = rule.markup
        parts = {"text": markup.text, "by": markup.author, "on": markup.date}
        said = ", ".join(f"{name} {where}" for name, where in parts.items() if where)
        print(f"  {'comments':<10} {rule.confidence:6.1%}  {'css':<14} {markup.comment}: {said}")
    if repeats.pages:
        print(f"  {'repeats':<10} {len(repeats.counts)} pieces stand on several of {len(repeats.pages)} pages compared")
    measure = "measured on the feed's own posts" if blog.feed_url else "an estimate: no feed says what is right"
    print(f"  (the score is {measure}" + ("" if verbose else "; -v shows the fall-backs") + ")")


def _as_text(post: Post) -> str:
    head = [post.title or post.url]
    line = ", ".join(filter(None, [", ".join(post.authors), _day(post.published), post.language]))
    head += [line] if line else []
    head += ["tags: " + ", ".join(post.tags)] if post.tags else []
    version = f"  (version {post.version})" if post.version > 1 else ""
    head += [f"{post.url}{version}" + (f"  gone: {post.gone}" if post.gone else "")]
    return CONTROLS.sub("", "\n".join(head) + "\n\n" + post.text + "\n" + _comments_as_text(post))


def _comments_as_text(post: Post) -> str:
    """The comments below the article, answers set in below what they answer."""
    from everlog.comments.threads import depths

    claimed = post.comment_count_claimed
    if not post.comments:
        whys = {"failed": "its comments could not be had", "off": "its comments were not wanted"}
        why = whys.get(post.comments_state) or (f"none of its {claimed} comments was found" if claimed else "")
        return f"\n({why})\n" if why else ""
    count = f"{len(post.comments)} comments" + (f" of {claimed}" if claimed not in {None, len(post.comments)} else "")
    lines = ["", f"-- {count}", ""]
    for comment, depth in zip(post.comments, depths(post.comments), strict=True):
        margin = INDENT * min(depth, DEEPEST_INDENT)
        lines.append(margin + ", ".join(filter(None, [comment.author or "somebody", _day(comment.published)])) + ":")
        lines += [margin + INDENT + line if line else "" for line in comment.text.splitlines()]
        lines.append("")
    return "\n".join(lines)


def _print(rows: list[dict[str, Any]], *, json: bool, columns: tuple[str, ...]) -> None:
    if json:
        print(json_module.dumps(rows, ensure_ascii=False, indent=1))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in columns:
        is_text = column in {"blog", "host", "state", "last_crawl"}
        table.add_column(column.replace("_", " "), justify="left" if is_text else "right", overflow="fold")
    for row in rows:
        table.add_row(*("-" if row[column] is None else str(row[column]) for column in columns))
    Console(highlight=False, soft_wrap=not sys.stdout.isatty(), width=None if sys.stdout.isatty() else 200).print(table)


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None


def _day(moment: datetime | None) -> str | None:
    return moment.strftime("%Y-%m-%d") if moment else None
