"""giscus: the comments of a GitHub discussion, in a frame of giscus.app or of a server of one's own."""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="giscus",
    tags=frozenset({"giscus-widget"}),
    scripts=re.compile(r"giscus\.app/client\.js"),
    frame=re.compile(r"^https?://giscus\.app/(?:[\w-]+/)?widget\b|/widget\?(?=.*\brepoId=)(?=.*\bcategoryId=)"),
    markup=Markup(
        name="giscus",
        comment=".gsc-timeline .gsc-comment, .gsc-replies .gsc-reply",
        text=".gsc-comment-content, .gsc-reply-content",
        author=".gsc-comment-author .link-primary, .gsc-reply-author .link-primary",
        date=".gsc-comment-author time, .gsc-reply-author time",
        permalink=".gsc-comment-author a.link-secondary, .gsc-reply-author a.link-secondary",
        # `.gsc-comments-count` leaves the answers out. What was deleted or hidden is a note in italics.
        cut=(".gsc-comment-content > em.color-text-secondary", ".gsc-reply-content > em.color-text-secondary"),
    ),
    more=(".gsc-pagination-button", ".gsc-replies > .flex > button"),
    # The heading is a link once there is a discussion; without one there is the form. After an error there is neither.
    ready=(".gsc-timeline .gsc-comment", ".gsc-comments-count a", ".gsc-comment-box"),
    verified=(
        "real web component giscus 1.6.0 in the tests; the frame's own markup after the source of its app, which is"
        " not on npm, and not against the live service"
    ),
    documentation=(
        "https://giscus.app/",
        "https://github.com/giscus/giscus/blob/main/components/Giscus.tsx",
        "https://github.com/giscus/giscus/blob/main/components/Comment.tsx",
        "https://github.com/giscus/giscus/blob/main/components/Reply.tsx",
    ),
)
