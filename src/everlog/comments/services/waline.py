"""Waline: comments of a self-hosted server, written into an element of the page by a Vue component."""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="waline",
    ids=frozenset({"waline", "waline-wrap", "waline-container"}),
    # `comment.js` and `pageview.js` of the same package only count.
    scripts=re.compile(
        r"""\bWaline\.init\s*\(|\bnew\s+Waline\s*\("""
        r"""|\bimport\b[^;]{0,200}@waline/client(?![^'"\s]{0,80}/(?:comment|pageview)\b)"""
    ),
    markup=Markup(
        name="waline",
        comment=".wl-cards .wl-card-item",
        text=".wl-content",
        author=".wl-nick",
        author_url="a.wl-nick",
        date=".wl-time",
        # Answers stand in one list below the first comment and name the one they answer.
        parent=".wl-reply-to a@href",
        count=".wl-count",
        cut=(".wl-reply-to",),
    ),
    # The same button, below no comments, asks again after a failure.
    more=(".wl-cards:not(:empty) + .wl-operation .wl-btn",),
    ready=(".wl-card-item", ".wl-empty"),
    trouble=(".wl-cards:empty + .wl-operation",),
    verified=(
        "real client @waline/client 3.15.2 in the tests, with a loopback whose answers are those of the real server"
        " @waline/vercel 1.39.3"
    ),
    documentation=(
        "https://waline.js.org/en/reference/client/api.html",
        "https://github.com/walinejs/waline/blob/main/packages/client/src/components/CommentCard.vue",
    ),
)
