"""`everlog rules`: what was learned about the blogs of an archive."""

from __future__ import annotations

import json as json_module
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlog.cli.lines import json_text
from everlog.cli.options import (
    ArchiveFlag,
    ConfigFlag,
    FilesFlag,
    JsonFlag,
    QuietFlag,
    VerboseFlag,
    archive_of,
    settings_from,
)
from everlog.errors import UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.records import Blog


def rules(  # noqa: PLR0913, PLR0917 - one parameter per flag
    blog: Annotated[str | None, typer.Argument(metavar="BLOG", help="A blog of the archive.")] = None,
    relearn: Annotated[bool, typer.Option("--relearn", help="Learn again from the stored feed and its pages.")] = False,
    set_rule: Annotated[
        tuple[str, str] | None,
        typer.Option("--set", metavar="FIELD SELECTOR", help="Correct a rule by hand (tag.class, tag#id, ...)."),
    ] = None,
    archive: ArchiveFlag = None,
    files: FilesFlag = None,
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

    settings = settings_from(config, archive=archive, files=files)
    with archive_of(settings, reading=not (relearn or set_rule), quiet=quiet) as opened:
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


def _print_rules(blog: Blog, known: Any, archive: Archive, *, json: bool, verbose: bool) -> None:
    from everlog.cli.lines import time_or_none
    from everlog.flow.comparing import known_repeats

    template, judge = known.template, known.judge
    repeats = known_repeats(blog, archive)
    former = archive.templates(blog.id)
    if json:
        print(json_text({
            "blog": blog.home, "feed": blog.feed_url, "url_pattern": judge.pattern.regex,
            "url_pattern_specific": judge.pattern.specific, "confidence": template.confidence(),
            "repeats": {"pages": len(repeats.pages), "pieces": len(repeats.counts)},
            "template": json_module.loads(template.to_json()), "former": [
                {"from": time_or_none(each.learned_at), "until": time_or_none(each.retired_at), "reason": each.reason,
                 "template": json_module.loads(each.template)} for each in former
            ],
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
    for each in former:
        print(f"  {'before':<10} {each.retired_at:%Y-%m-%d}  other rules, kept for pages of that time: {each.reason}")
