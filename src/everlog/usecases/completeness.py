"""Completeness of a blog: gathered from the rows of the archive, judged, and kept.

    completeness_of   the verdict as the archive is now; asks nobody
    missing_posts     the posts that somebody names and that are not held, for who goes after them
    renew             the verdict at the end of a run, kept with the blog; an event where it changed
    renew_offline     the same where nobody asked the web: after an import, or when pages were read again
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from everlog.archive.blog_state import SourceState
from everlog.archive.repos.inventory import InventoryPost
from everlog.core.urls import canonical
from everlog.history.completeness import (
    CommentGap,
    Completeness,
    Gap,
    Inventory,
    NamedPost,
    judge_comments,
    judge_posts,
)
from everlog.history.completeness.inventory import GRADES
from everlog.history.completeness.year_bars import YearCount, years_of
from everlog.records import Event
from everlog.usecases.comment_lists import announced_gaps, comment_inventories
from everlog.usecases.named_posts import CRAWL, FEED, NEIGHBOURS, named_posts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from everlog.archive import Archive
    from everlog.archive.blog_state import BlogState
    from everlog.records import Blog
    from everlog.usecases.crawl.crawl_context import CrawlContext

EVENT = "completeness"
# A verdict that stays as it is need not be written at every update.
_WRITTEN_AGAIN = timedelta(days=1)


def completeness_of(
    blog: Blog, archive: Archive, *, now: datetime | None = None, public: bool = False,
) -> Completeness:
    """Whether all of a blog is held, as its inventories and the rows of the archive tell.

    They are as the last run left them, which is when it was `checked_at`; a run says that it is `now`. What is `public`
    neither counts nor names the posts that are hidden; where there are some it has no inventories, which count them.
    """
    state = archive.blogs.state(blog.id)
    hidden = {*map(canonical, archive.hidden.posts(blog.id))} if public else set()
    hidden_posts, hidden_comments = archive.hidden.held(blog.id) if hidden else (0, 0)
    named = [post for post in named_posts(blog, state, archive) if not names_any(hidden, post.url, post.detail)]
    inventories, lists = _inventories(blog, state, archive, named), comment_inventories(blog, state, archive)
    if hidden:
        # An example may be a hidden one.
        inventories, lists = (
            tuple(replace(each, unlisted_example=None) for each in listed) for listed in (inventories, lists)
        )
    posts = judge_posts(inventories, named, held=archive.posts.count(blog.id) - hidden_posts)
    gaps = (
        *(CommentGap(url=each.url, state=each.state, held=each.held, claimed=each.claimed)
          for each in archive.comments.gaps(blog.id)),
        *announced_gaps(state, archive),
    )
    comments = judge_comments(
        (gap for gap in gaps if canonical(gap.url) not in hidden),
        held=archive.comments.count(blog.id) - hidden_comments, lists=lists, posts=posts,
    )
    return Completeness(
        posts=posts, comments=comments, inventories=() if hidden else inventories,
        comment_inventories=() if hidden else lists, checked_at=now or _last_checked(blog, archive),
    )


def names_any(keys: Collection[str], url: str, reason: str) -> bool:
    """Whether a post that is missing, or the reason why, names one of some posts: it may be what another one is.

    >>> names_any({"a.org/b"}, "https://a.org/a", "its address leads to http://a.org/b")
    True
    """
    return any(key in keys for key in (canonical(url), *(canonical(word) for word in reason.split() if "://" in word)))


def _last_checked(blog: Blog, archive: Archive) -> datetime:
    kept = archive.blogs.inventory.last_verdict(blog.id)
    # Archives of before there were verdicts have none: what is judged is as the last crawl left it.
    return datetime.fromisoformat(kept["checked_at"]) if kept is not None else blog.crawled_at or blog.added_at


def missing_posts(blog: Blog, archive: Archive) -> tuple[Gap, ...]:
    """The posts that some inventory names and that are neither held nor excused: address, reason, who names them."""
    return completeness_of(blog, archive).posts.missing


def years_of_blog(blog: Blog, archive: Archive, known: Completeness) -> tuple[YearCount, ...]:
    """The posts of a blog by their years: held, excused and missing."""
    held = archive.blogs.inventory.held_by_year(blog.id)
    return years_of(held, excused=known.posts.excused, missing=known.posts.missing)


def renew(blog: Blog, archive: Archive, *, is_over: bool = True, now: datetime | None = None) -> Completeness:
    """Judge a blog anew and keep the verdict in short; an event says that the answer, or what is missing, changed.

    That of a run which is not over (`is_over`) changes nothing that was said at the end of one.
    """
    known = completeness_of(blog, archive, now=now or datetime.now(UTC))
    before = archive.blogs.inventory.last_verdict(blog.id)
    marks = [_mark(verdict.missing) for verdict in (known.posts, known.comments)]
    short = known.short() | {"marks": marks, "is_over": is_over}
    if not is_over and before is not None and before["is_over"]:
        return known
    if before is not None and _is_same(before, short):
        if known.checked_at - datetime.fromisoformat(before["checked_at"]) >= _WRITTEN_AGAIN:
            archive.blogs.inventory.keep_verdict(blog.id, short)
        return known
    archive.blogs.inventory.keep_verdict(blog.id, short, events=_events(blog, known, before, short))
    return known


def renew_offline(blog: Blog, archive: Archive, *, now: datetime | None = None) -> Completeness:
    """The verdict after something was done to the archive of a blog without a visit of the web, at its end.

    Whether a crawl is over does not change by this: what is said of one that is not, or of a blog that came from files
    alone, is no word that a later change is held against.
    """
    current = archive.blogs.find(blog.home) or blog
    return renew(current, archive, is_over=current.state == "finished", now=now)


def keep_neighbours(context: CrawlContext, *, is_over: bool) -> None:
    """Keep which posts the links of others to the previous and next post lead to.

    Held ones, and those that no other link led to before: of others it is not known that they are posts.
    """
    inventory, blog, led_to = context.archive.blogs.inventory, context.blog, context.neighbours
    linked = context.linked_neighbours
    if not linked:
        return
    held = inventory.held_of(blog.id, linked.keys())
    posts = {key: url for key, url in linked.items() if key in held or key in led_to}
    inventory.add(blog.id, NEIGHBOURS, (
        InventoryPost(native_id=key, key=key, url=posts[key]) for key in sorted(posts)
    ))
    state = SourceState(
        source=NEIGHBOURS, entrance=blog.home, is_exhaustive=is_over, walked_at=context.run.now(),
    )
    context.archive.blogs.change_state(blog.id, lambda before: replace(before, neighbours=state))
    led_to.clear()
    linked.clear()


def completeness_document(
    blogs: Iterable[Blog], archive: Archive, *, public: bool = False, cut_by: Sequence[str] = (),
) -> dict[str, Any]:
    """What stands beside a folder of exported posts: of each blog whether all of it is held, and what is not.

    `cut_by` are the filters that the posts beside it were chosen by: the verdicts know nothing of them.
    """
    of = f"whole blogs, while the posts beside this were chosen by {', '.join(cut_by)}" if cut_by else "whole blogs"
    known = ((blog, completeness_of(blog, archive, public=public)) for blog in blogs)
    return {
        "of": of,
        "blogs": [
            {"blog": blog.home, "title": blog.title, "completeness": each.to_dict()} for blog, each in known
        ],
    }


def _events(
    blog: Blog, known: Completeness, before: Mapping[str, Any] | None, short: Mapping[str, Any],
) -> list[Event]:
    """What changed since the last verdict at the end of a run; the first one changes nothing."""
    if before is None or not before["is_over"]:
        return []
    events = []
    for number, name in enumerate(("posts", "comments")):
        if (before.get(name), before["marks"][number]) != (short[name], short["marks"][number]):
            verdict = known.posts if name == "posts" else known.comments
            detail = {
                "of": name, "before": before.get(name), "answer": verdict.answer, "missing": len(verdict.missing),
            }
            events.append(Event(
                blog_id=blog.id, kind=EVENT, at=known.checked_at, reason=verdict.sentence, detail=detail,
            ))
    return events


def _is_same(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    return all(before.get(name) == now[name] for name in now if name != "checked_at")


def _mark(gaps: Iterable[Gap]) -> str:
    """A short mark of what is missing, which changes with it."""
    return blake2b("\n".join(gap.url for gap in gaps).encode("utf-8", "replace"), digest_size=8).hexdigest()


# -- inventories ------------------------------------------------------------------------------------------------------


def _inventories(
    blog: Blog, state: BlogState, archive: Archive, named: Sequence[NamedPost],
) -> tuple[Inventory, ...]:
    members = archive.blogs.inventory.counts(blog.id)
    links = sum(CRAWL in post.named_by for post in named)
    chain = state.neighbours
    if chain is not None and any(NEIGHBOURS in post.named_by for post in named):
        # A chain with a hole was not followed to its ends.
        chain = replace(chain, is_exhaustive=False)
    walked = [*state.history, *(each for each in (state.sitemap, chain) if each is not None)]
    found = [_of_source(each, members.pop(each.source, 0)) for each in walked]
    found = [_with_unlisted(each, blog, archive) for each in found]
    found.sort(key=lambda each: each.grade)
    if state.entries:
        found.append(Inventory(source=FEED, grade="C", members=len(state.entries), walked_at=blog.crawled_at))
    found += [Inventory(source=name, grade="C", members=count) for name, count in sorted(members.items())]
    if blog.state != "new":
        count = archive.posts.count(blog.id) + links
        found.append(Inventory(source=CRAWL, grade="D", members=count, walked_at=blog.crawled_at))
    return tuple(found)


def _of_source(state: SourceState, members: int) -> Inventory:
    """The inventory that the walk over a source left."""
    return Inventory(
        source=state.source, grade=GRADES.get(state.source, "C"), claimed_before=state.claimed_before,
        claimed_after=state.total, members=members, is_exhaustive=state.is_exhaustive and state.cursor is None,
        is_stable=None if state.total is None else state.claimed_before == state.total, walked_at=state.walked_at,
        problem=state.problem,
    )


def _with_unlisted(inventory: Inventory, blog: Blog, archive: Archive) -> Inventory:
    """An inventory that should list all, with what is held and not on it."""
    if inventory.grade not in {"A", "B"} or not inventory.is_exhaustive:
        return inventory
    count, example = archive.blogs.inventory.unlisted(blog.id, inventory.source)
    return replace(inventory, unlisted=count, unlisted_example=example)
