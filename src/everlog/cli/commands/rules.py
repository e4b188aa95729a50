"""`everlog rules`: what was learned about the blogs of an archive."""

from __future__ import annotations

import json as json_module
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of
from everlog.cli.terminal.text import json_text
from everlog.errors import UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.records import Blog
    from everlog.usecases.learn.learned_blog import LearnedBlog
    from everlog.usecases.learn.rules_by_hand import Trial


@takes("archive files config json quiet verbose")
def rules(
    blog: Annotated[str | None, typer.Argument(metavar="BLOG", help="A blog of the archive.")] = None,
    relearn: Annotated[bool, typer.Option("--relearn", help="Learn again from the stored feed and its pages.")] = False,
    set_rule: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--set", metavar="FIELD SELECTOR",
            help="Say by hand where a field stands, as a CSS selector; kept if it finds something on stored pages.",
        ),
    ] = None,
    unset_rule: Annotated[
        str | None,
        typer.Option("--unset", metavar="FIELD", help="Take a rule back that was set by hand: the learned one holds."),
    ] = None,
    *, given: Flags,
) -> None:
    """Show what was learned about a blog: rules per field, their score on the blog's own feed, the URL pattern.

    A rule can be set by hand for every field (text, title, published, ...) but the language. It goes before the
    learned ones, which are still used where it finds nothing; it stays when the blog is learned again.

    \b
    Examples:
      everlog rules https://a.blog.example/
      everlog rules https://a.blog.example/ --set title "article h1.headline"
      everlog rules https://a.blog.example/ --unset title
    """
    from everlog.usecases.discover.held_blog import blog_named
    from everlog.usecases.learn.learned_blog import LearnedBlog

    is_change = relearn or set_rule is not None or unset_rule is not None
    settings = given.settings()
    with archive_of(settings, reading=not is_change, quiet=given.quiet) as opened:
        if blog is None:
            if is_change:
                raise UsageError("no blog given", advice="everlog rules BLOG --relearn")
            _print_all(opened, given)
            return
        chosen = blog_named(blog, opened)
        if not relearn and LearnedBlog.of(chosen) is None:
            raise UsageError(f"{chosen.home} has no learned rules yet", advice=f"everlog crawl {chosen.home}")
        learned, trial = _changed(chosen, opened, relearn=relearn, set_rule=set_rule, unset_rule=unset_rule)
        if is_change:
            opened.blogs.update(chosen.id, template=learned.template.to_json(), knowledge=learned.knowledge())
            if not given.quiet:
                print("\n".join(filter(None, [
                    str(trial) if trial is not None else None,
                    f"kept; to use it on stored pages:  everlog reread {chosen.home}",
                ])), file=sys.stderr)
        if given.json:
            told = _as_dict(chosen, learned, opened) | ({"set": _trial_dict(trial)} if trial is not None else {})
            print(json_text(told, ensure_ascii=False, indent=1))
        else:
            _print_rules(chosen, learned, opened, verbose=given.verbose)


def _changed(
    blog: Blog, archive: Archive, *, relearn: bool, set_rule: tuple[str, str] | None, unset_rule: str | None,
) -> tuple[LearnedBlog, Trial | None]:
    """What is known of a blog after what the user wants done to it, and how a rule did that was set."""
    from everlog.usecases.learn.learned_blog import LearnedBlog
    from everlog.usecases.learn.relearn import learn_again
    from everlog.usecases.learn.rules_by_hand import set_by_hand, unset_by_hand

    learned = learn_again(blog, archive) if relearn else LearnedBlog.of(blog)
    if learned is None:
        raise AssertionError("it was learned, or an error was told")
    if unset_rule is not None:
        learned = unset_by_hand(learned, unset_rule, blog)
    return set_by_hand(learned, *set_rule, blog, archive) if set_rule is not None else (learned, None)


def _print_all(archive: Archive, given: Flags) -> None:
    """The rules of all blogs; those that were not learned yet do not hide the others."""
    from everlog.usecases.learn.learned_blog import LearnedBlog

    blogs = [(blog, LearnedBlog.of(blog)) for blog in archive.blogs()]
    if given.json:
        print(json_text([_as_dict(blog, learned, archive) for blog, learned in blogs], ensure_ascii=False, indent=1))
        return
    if not blogs and not given.quiet:
        print("no blog is in this archive yet:  everlog crawl URL", file=sys.stderr)
    for blog, learned in blogs:
        if learned is not None:
            _print_rules(blog, learned, archive, verbose=given.verbose)
        elif not given.quiet:
            print(f"{blog.home} has no learned rules yet:  everlog crawl {blog.home}", file=sys.stderr)


def _as_dict(blog: Blog, learned: LearnedBlog | None, archive: Archive) -> dict[str, Any]:
    from everlog.cli.terminal.text import time_or_none
    from everlog.usecases.learn.page_comparison import known_repeats

    repeats = known_repeats(blog, archive)
    template, pattern = (learned.template, learned.classifier.pattern) if learned is not None else (None, None)
    return {
        "blog": blog.home, "feed": blog.feed_url, "url_pattern": pattern.regex if pattern else None,
        "url_pattern_specific": pattern.specific if pattern else None,
        "confidence": template.confidence() if template else {},
        "manual": {name: rule.where for name, rule in template.manual.items()} if template else {},
        "repeats": {"pages": len(repeats.pages), "pieces": len(repeats.counts)},
        "template": json_module.loads(template.to_json()) if template else None, "former": [
            {"from": time_or_none(each.learned_at), "until": time_or_none(each.retired_at), "reason": each.reason,
             "template": json_module.loads(each.template)} for each in archive.blogs.templates(blog.id)
        ],
    }


def _trial_dict(trial: Trial) -> dict[str, Any]:
    return {
        "field": trial.name, "selector": trial.rule.where, "posts": trial.posts, "pages": trial.pages,
        "matched": trial.matched, "read": trial.read, "example": trial.example, "url": trial.url,
    }


def _print_rules(blog: Blog, learned: LearnedBlog, archive: Archive, *, verbose: bool) -> None:
    from everlog.usecases.learn.page_comparison import known_repeats
    from everlog.usecases.learn.rule_words import ranked_rules

    template, classifier = learned.template, learned.classifier
    repeats = known_repeats(blog, archive)
    teacher = f"in the feed {blog.feed_url}" if blog.feed_url else "found without a feed"
    print(f"{blog.home}  learned from {template.learned_from} posts {teacher}")
    remark = "" if classifier.pattern.specific else "  (other pages have such URLs too)"
    print(f"  {'post URLs':<12} {classifier.pattern.regex}{remark}")
    for name, ranked in ranked_rules(template).items():
        # The best of each field; with `verbose` all of them.
        for rule in ranked if verbose else ranked[:1]:
            shown = f"{rule.score:6.1%}" if rule.score is not None else "     -"
            print(f"  {name:<12} {shown}  {rule.called:<14} {rule.where}".rstrip())
    if repeats.pages:
        print(f"  {'boilerplate':<12} {len(repeats.counts)} repeated blocks ({len(repeats.pages)} pages compared)")
    measure = "how well the rule reads the feed's own posts" if blog.feed_url else "an estimate, without a feed"
    print(f"  (score: {measure}" + ("" if verbose else "; -v shows fallback rules too") + ")")
    for each in archive.blogs.templates(blog.id):
        print(f"  {'before':<12} {each.retired_at:%Y-%m-%d}  other rules, kept for pages of that time: {each.reason}")
