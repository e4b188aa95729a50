"""Hyvor Talk: the element `hyvor-talk-comments`, the comments in its shadow root."""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="hyvor",
    tags=frozenset({"hyvor-talk-comments"}),
    # What pages had before there was the element.
    ids=frozenset({"hyvor-talk-view"}),
    scripts=re.compile(r"talk\.hyvor\.com/web-api/embed"),
    markup=Markup(
        name="hyvor",
        comment="hyvor-talk-comments .comment",
        text=".comment-content",
        author=".comment-user-name",
        date=".comment-time > span, .comment-time",
        permalink="a.comment-time",
        id=".comment-time@href",
        count="hyvor-talk-comments .comments-count",
    ),
    more=("hyvor-talk-comments .load-more button",),
    ready=("hyvor-talk-comments .comments-list", "hyvor-talk-comments .global-no-results"),
    verified="an early source that Hyvor published of its client, not against the live service",
    documentation=(
        "https://talk.hyvor.com/docs/comments",
        "https://github.com/hyvor/hyvor-talk-comments",
        "https://www.npmjs.com/package/@hyvor/hyvor-talk-base",
    ),
)
