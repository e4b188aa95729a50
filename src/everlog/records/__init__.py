"""The records that travel through everlog: one frozen class per thing.

`None` means "the source does not say". Times of our own clock end in `_at` and are aware UTC;
`published` and `updated` keep the offset their source states.

    Feed -> Entry            what a blog's feed says
    Page                     the bytes of a URL, whichever door they came through
    BrowserRequest           what a page in the browser asks for while it is rendered
    Rendered                 what the browser made of a page
    Post | Skip              what reading a page gives
    Exchange                 one request and its answer, as WARC keeps it
    Fetched | Failure        what asking the web for a URL gives
    Visit                    all that one visited URL brings, stored together or not at all
    Blog                     what an archive knows about a blog

One module per family; `codec` is the way of a record to JSON and back, `one_line` how it is shown. Begin with `post`:
each line of `Post` says what its field is to those who learn, compare, keep and export posts.
"""

from __future__ import annotations

from everlog.records.blog import Blog, CrawlState, Event
from everlog.records.feed import Entry, Feed, FeedHints, FeedLink, FeedPaging
from everlog.records.post import (
    Comment,
    CommentsState,
    Media,
    Origin,
    Post,
    PostKind,
    Provenance,
    Role,
    Skip,
    post_fields,
)
from everlog.records.visit import ForeignRow, Lane, Link, Outcome, Visit
from everlog.records.web import (
    CHUNK_BYTES,
    BrowserRequest,
    Exchange,
    Failure,
    Fetched,
    Page,
    Purpose,
    Rendered,
    Spooled,
    Trouble,
    Wait,
)

__all__ = [
    "CHUNK_BYTES",
    "Blog",
    "BrowserRequest",
    "Comment",
    "CommentsState",
    "CrawlState",
    "Entry",
    "Event",
    "Exchange",
    "Failure",
    "Feed",
    "FeedHints",
    "FeedLink",
    "FeedPaging",
    "Fetched",
    "ForeignRow",
    "Lane",
    "Link",
    "Media",
    "Origin",
    "Outcome",
    "Page",
    "Post",
    "PostKind",
    "Provenance",
    "Purpose",
    "Rendered",
    "Role",
    "Skip",
    "Spooled",
    "Trouble",
    "Visit",
    "Wait",
    "post_fields",
]
