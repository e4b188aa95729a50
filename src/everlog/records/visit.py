"""Visit of a URL, with all that it brings, and the links that wait in the queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.records.post import Post
    from everlog.records.web import Exchange

# In which queue a URL waits. Posts are known by their address; pages are everything else that is read. Media are what
# articles show, requisites what else pages need to be shown.
Lane = Literal["post", "page", "media", "requisite"]
# Whether an address that a capture of others brings waits for a visit of our own, or is left alone.
ForeignRow = Literal["queued", "done"]
# What became of a visited URL.
Outcome = Literal[
    "post", "listing", "page", "media", "requisite", "feed", "robots", "skip", "unchanged", "failed", "retry",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A URL on its way into the queue. `key` is its canonical spelling; `rank` orders a lane, small first.

    Of a requisite it is how many others stand between it and a page.
    """

    url: str
    key: str
    lane: Lane
    found_on: str | None = None
    rank: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """All that one visited URL brings: stored together, or not at all.

    `key` names the queue's row, which is done with this visit (but for `retry`). `post_key` is the
    identity of the post when it differs from `key` (a redirect); without a post it names the one this
    page is a copy of. `note` keeps a disagreement between the URL's and the page's verdict.
    """

    blog_id: int
    url: str
    key: str
    outcome: Outcome
    reason: str | None = None
    note: str | None = None
    exchanges: tuple[Exchange, ...] = ()
    post: Post | None = None
    post_key: str | None = None
    links: tuple[Link, ...] = ()
    new_posts: int = 0
    again_at: datetime | None = None
    # Whether it was asked for at all: to wait for its host uses up no try.
    tried: bool = True
    # Where its URL waits, if the outcome does not tell: the row of a picture may be made by the visit that failed.
    lane: Lane | None = None
    # Set when the page was visited before and only now it is known what it is.
    settles: bool = False
    # Whether comments that could not be had were asked for at all: a missing browser uses up no try.
    comments_tried: bool = True
    # Where a post stood before and the page answers: it leads to the home page or a list, or shows no post any more.
    sight: Literal["led-away", "no-post"] | None = None
    # Set when a page of the post could not be had for now: what there is is kept, and the URL is asked for again.
    is_unfinished: bool = False
    # When an interface told the post of a visit that asked for no page.
    told_at: datetime | None = None
    # Set when the blog's own list of all posts does not name the one that stood here any more.
    is_unlisted: bool = False
    # Set when the visit brings what belongs to the version that is held, comments or the page behind a post that was
    # told: nothing was edited.
    completes: bool = False
    # Set until a blog has been crawled once: what only adds to a post is a further page of it, and no edit.
    in_first_crawl: bool = False
    # Set when the version that is held was read by another template: what that one takes along is no edit.
    other_template: bool = False
    # Set when others captured the page (a web archive, an imported file): it says nothing about the web of today. What
    # becomes of an address that was not known; the row of one that was stays as it is.
    foreign: ForeignRow | None = None
