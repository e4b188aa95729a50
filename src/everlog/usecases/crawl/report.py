"""Figures of a crawl: while it runs (`Tally`), when it ends (`Report`), and what is said of what it did."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from everlog.records.figures import Estimate, Figures
from everlog.usecases.discover.estimate import expected_posts

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.history.completeness import Completeness
    from everlog.records import Blog, Post, Wait

# How a crawl ended, with the exit code of the command line for each.
Ending = Literal["complete", "incomplete", "nothing", "blocked", "limit", "interrupted"]
EXIT_CODES: dict[Ending, int] = {
    "complete": 0, "incomplete": 3, "nothing": 4, "blocked": 5, "limit": 6, "interrupted": 130,
}
# When several blogs end differently, the one the user has to act on first speaks for all.
URGENCY: tuple[Ending, ...] = ("interrupted", "limit", "blocked", "incomplete", "nothing", "complete")
EXAMPLES_KEPT = 20
_FIGURE = re.compile(r" \(\d+%\)")


@dataclass(slots=True, kw_only=True)
class Tally:
    """The figures of one crawl; progress displays read it while the crawl writes it.

    Two kinds: what the archive has of the blog *now*, and what *this run* did. docs/internals/figures.md defines
    each; a figure has that meaning, and the same value, in the progress line, the summary, `status`, `export` and
    every `--json`.
    """

    blog: str
    doing: str = "looking for the feed"
    # What the archive has of the blog, counted there while the crawl runs and when it ends.
    now: Figures = field(default_factory=Figures)
    # How many posts the blog has, as the best evidence says: never fewer than are held and wait; None: nothing tells.
    expected: int | None = None
    # Comments that the site counts on posts that are held, beyond those that are kept.
    comments_missing: int = 0
    # Pictures and files whose hosts want to be left alone, and when the first of them may be asked for.
    media_held_off: int = 0
    media_held_until: datetime | None = None

    # Files that pages and style sheets name beyond the limits of requisites.
    requisites_beyond: int = 0

    # This run.
    new_posts: int = 0
    changed_posts: int = 0
    # Pages beside the posts that were added, or stored in another version.
    told_pages: int = 0
    # Pages that were visited, posts and others.
    visited: int = 0
    rendered: int = 0
    # Requests for pages, feeds and comments, and those for pictures and files: of posts, and of the design.
    requests: int = 0
    file_requests: int = 0
    # Visits that failed, of posts and pages; one that failed and then succeeded counts.
    failed: int = 0
    # The blog's server wanted to be left alone, and did not say for how long.
    guessed_wait: bool = False
    skipped: int = 0
    noted: int = 0
    seconds: float = 0.0
    waits: tuple[Wait, ...] = ()
    # Posts whose article may be the wrong text, by what speaks against it.
    unsure: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)
    # What the user should know about how the crawl was done.
    remarks: list[str] = field(default_factory=list)

    def count_kept(self, kept: str | None, post: Post | None) -> None:
        """Count what became of a visit: a new post, or another version of one; pages beside the posts apart."""
        if post is not None and post.kind == "page":
            self.told_pages += kept in {"new", "changed"}
            return
        self.new_posts += kept == "new"
        self.changed_posts += kept == "changed"

    def fail(self, url: str, reason: str, *, kind: str) -> None:
        """Count a URL that is not held, by the kind of trouble; the first few are kept by name."""
        self.reasons[kind] += 1
        if len(self.failures) < EXAMPLES_KEPT:
            self.failures.append((url, reason))

    @property
    def rate(self) -> float:
        """Visited pages a second."""
        return self.visited / self.seconds if self.seconds else 0.0

    @property
    def eta_seconds(self) -> float | None:
        """Seconds until what is known to wait is done; None before there is a pace to go by."""
        waiting = self.now.waiting_posts + self.now.waiting_pages
        return waiting / self.rate if self.rate else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How the crawl of one blog ended, and what it brought."""

    blog: str
    ending: Ending
    reason: str
    tally: Tally
    held: int = 0
    # Whether all of the blog is held, as its inventories tell; None where the run ended before that was asked.
    completeness: Completeness | None = None
    # Whether only what is new was asked for.
    is_update: bool = False

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.ending]


def reason_kind(reason: str) -> str:
    """What speaks against an article, without the figure of the one post: posts are counted by it.

    >>> reason_kind("the article is a small part of the page's text (3%); other methods find another text")
    "the article is a small part of the page's text; other methods find another text"
    """
    return _FIGURE.sub("", reason)


def exit_code_of(reports: list[Report]) -> int:
    """One exit code for several blogs: that of the ending which asks most of the user.

    >>> exit_code_of([])
    0
    """
    endings = {report.ending for report in reports}
    return next((EXIT_CODES[ending] for ending in URGENCY if ending in endings), 0)


def take_figures(tally: Tally, blog: Blog, archive: Archive, estimate: Estimate | None, *, is_finished: bool) -> None:
    """What the archive has of the blog now, counted there: so the figures of a crawl are those of `everlog status`."""
    now = tally.now = archive.blogs.figures(blog.id)
    tally.expected = expected_posts(estimate, held=now.posts, waiting=now.waiting_posts, is_finished=is_finished)


def take_last_figures(
    tally: Tally, blog: Blog, archive: Archive, *, is_finished: bool, missing: int | None = None,
) -> None:
    """The figures at the end of a run; also those that take longer to count.

    `missing` is how many posts the verdict calls so: it knows of posts that were never asked for, and of excuses.
    """
    take_figures(tally, blog, archive, archive.blogs.state(blog.id).estimate, is_finished=is_finished)
    if missing is not None:
        tally.now = replace(tally.now, missing_posts=missing)
    tally.comments_missing = _comments_missing(blog, archive, anew=tally.visited > 0)


def _comments_missing(blog: Blog, archive: Archive, *, anew: bool) -> int:
    """Reads the records of the blog, so it is counted only after something was visited: most updates bring nothing."""
    kept = archive.blogs.state(blog.id).comments_missing
    if kept is not None and not anew:
        return kept
    count = archive.comments.count_missing(blog.id)
    archive.blogs.change_state(blog.id, lambda state: replace(state, comments_missing=count))
    return count


def with_verdict(ending: Ending, reason: str, known: Completeness) -> tuple[Ending, str]:
    """How a run ended, and why, given what is missing: a blog of which a post is missing is not complete."""
    if ending not in {"complete", "incomplete"} or known.posts.answer != "no":
        return ending, reason
    missing = len(known.posts.missing)
    return "incomplete", f"{reason}; {missing:,} {'post is' if missing == 1 else 'posts are'} missing"


def said_of_update(source: str, quietly: str, tally: Tally, *, looked_at: int = 0) -> str:
    """What an update did that came to its end: `source` says where it looked for news, `quietly` that there are none.

    So many of the visited pages as it `looked_at` are the source itself.

    >>> quietly = "the feed has not changed"
    >>> said_of_update("the feed", quietly, Tally(blog="http://a.example/"))
    'up to date: the feed has not changed'
    >>> said_of_update("the feed", quietly, Tally(blog="http://a.example/", visited=3, new_posts=1))
    'the feed and 3 pages were checked: 1 new post'
    >>> said_of_update("the feed", quietly, Tally(blog="http://a.example/", visited=1))
    'the feed and 1 page were checked: nothing new'
    """
    pages = max(tally.visited - looked_at, 0)
    if not (pages or tally.new_posts or tally.changed_posts or tally.told_pages):
        return f"up to date: {quietly}"
    news = [
        *([f"{tally.new_posts:,} new {'post' if tally.new_posts == 1 else 'posts'}"] if tally.new_posts else []),
        *([f"{tally.changed_posts:,} changed"] if tally.changed_posts else []),
        *([f"{tally.told_pages:,} new or changed {'page' if tally.told_pages == 1 else 'pages'}"]
          if tally.told_pages else []),
    ]
    checked = f"{source} and {pages:,} {'page' if pages == 1 else 'pages'} were checked"
    return f"{checked}: {', '.join(news) or 'nothing new'}"
