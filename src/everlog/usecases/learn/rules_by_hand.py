"""Rules set by hand: tried on the stored pages of a blog before they are kept, and taken back again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from everlog.core.rules import MANUAL, Rule
from everlog.core.tree import parse
from everlog.errors import UnreadablePage, UsageError
from everlog.extract.manual import NOTATION, OWN, checked_css, find_by_hand, is_own_notation, shown_value
from everlog.records import Blog, Page, Post, Role, post_fields
from everlog.usecases.page.stored_pages import stored_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.usecases.learn.learned_blog import LearnedBlog

# The article first: it is no field with rules of its own, but of the design.
FIELDS = ("text", *post_fields(Role.BY_HAND))
# Posts whose pages a rule is tried on: they are read in a second or two, and a design shows on fewer.
MOST_TRIED = 50
# Letters of an example.
LONGEST_EXAMPLE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a rule finds on the stored pages of a blog's newest posts.

    `pages` were looked at, of `posts` that are held; the rule points at something on `matched` of them, and a value
    was read there on `read`. `example` is the first value, else the first text, and `url` the page it stands on.
    """

    name: str
    rule: Rule
    posts: int
    pages: int = 0
    matched: int = 0
    read: int = 0
    example: str | None = None
    url: str | None = None

    def __str__(self) -> str:
        looked = f"{self.pages} posts" if self.pages == self.posts else f"the {self.pages} newest of {self.posts} posts"
        found = f"{self.name}: {self.rule.where} matches {self.matched or 'none'} of {looked}"
        return f"{found}, for example {self.example!r} ({self.url})" if self.example is not None else found


def set_by_hand(
    learned: LearnedBlog, name: str, selector: str, blog: Blog, archive: Archive,
) -> tuple[LearnedBlog, Trial]:
    """The same knowledge with one rule set by hand over the learned ones; kept only if it reads something."""
    _refuse_unknown(name)
    pages = list(_newest_pages(learned, blog, archive))
    trials = [_tried(learned, name, rule, pages, archive.posts.count(blog.id)) for rule in _readings(selector)]
    # Standard CSS comes first; of equals, the first is the best.
    best = max(trials, key=lambda trial: (trial.read > 0, trial.matched > 0))
    if not best.read:
        raise _useless(best, blog)
    return replace(learned, template=learned.template.with_manual({**learned.template.manual, name: best.rule})), best


def unset_by_hand(learned: LearnedBlog, name: str, blog: Blog) -> LearnedBlog:
    """The same knowledge without the rule that was set by hand for a field: the learned one is in force again."""
    _refuse_unknown(name)
    rules = dict(learned.template.manual)
    if rules.pop(name, None) is None:
        held = f"rules set by hand: {', '.join(rules)}" if rules else "no rule was set by hand"
        raise UsageError(
            f"no rule for {name} was set by hand; {held}", advice=f"everlog rules {blog.home}  shows what is in force",
        )
    return replace(learned, template=learned.template.with_manual(rules))


def _refuse_unknown(name: str) -> None:
    if name not in FIELDS:
        raise UsageError(
            f"unknown field {name!r}\n  known are: {', '.join(FIELDS)}",
            advice="everlog rules BLOG --set title 'article h1'",
        )


def _readings(selector: str) -> list[Rule]:
    """What a selector may mean: standard CSS, and everlog's own notation, which says `#post-` of `post-12`."""
    own = Rule(method=MANUAL, where=selector.strip(), detail=MappingProxyType({NOTATION: OWN}))
    if not is_own_notation(selector.strip()):
        return [Rule(method=MANUAL, where=checked_css(selector))]
    try:
        return [Rule(method=MANUAL, where=checked_css(selector)), own]
    except UsageError:
        return [own]


def _newest_pages(learned: LearnedBlog, blog: Blog, archive: Archive) -> Iterator[Page]:
    for key in archive.posts.newest(blog.id, limit=MOST_TRIED):
        stored = stored_page(f"http://{key}", blog, archive, rendered=learned.is_scripted)
        if stored is not None:
            yield stored.page


def _tried(learned: LearnedBlog, name: str, rule: Rule, pages: list[Page], posts: int) -> Trial:
    template = learned.template.with_manual({name: rule})
    trial = Trial(name=name, rule=rule, posts=posts, pages=len(pages))
    for page in pages:
        try:
            root = parse(page.body, page.content_type)
        except UnreadablePage:
            continue
        elements = find_by_hand(root, rule)
        if not elements:
            continue
        shown = next(filter(None, map(shown_value, elements)), "")
        outcome = template.reader.read(page.body, page.url, page.content_type, page.fetched_at, html=False)
        by_hand = isinstance(outcome, Post) and name in outcome.provenance and outcome.provenance[name].method == MANUAL
        value = _as_text(getattr(outcome, name)) if by_hand else ""
        if (value and not trial.read) or trial.example is None:
            trial = replace(trial, example=_short(value or shown), url=page.url)
        trial = replace(trial, matched=trial.matched + 1, read=trial.read + bool(value))
    return trial


def _useless(trial: Trial, blog: Blog) -> UsageError:
    advice = (
        "nothing was changed; open a post in a browser, choose Inspect, look up the element's tag and class, then:"
        f"\n  everlog rules {blog.home} --set {trial.name} 'TAG.CLASS'"
    )
    if not trial.pages:
        return UsageError(
            f"no page of a post of {blog.home} is stored that the rule could be tried on",
            advice=f"everlog crawl {blog.home}",
        )
    if not trial.matched:
        return UsageError(str(trial), advice=advice)
    what = "date" if trial.name in {"published", "updated"} else trial.name
    return UsageError(f"{trial}, but no {what} can be read there", advice=advice)


def _as_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return value if isinstance(value, str) else value.isoformat() if value is not None else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_EXAMPLE else f"{line[:LONGEST_EXAMPLE].rstrip()}..."
