"""Remark42: `#remark42` in the page, the comments in a frame of the blog's own server.

Comments are drawn when they come into view, and empty boxes stand for the rest: the browser must scroll.
"""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="remark42",
    # The server stands anywhere, and pages that only count comments set the same variables.
    ids=frozenset({"remark42"}),
    frame=re.compile(r"/web/iframe\.html\?(?:[^#]*&)?site_id="),
    markup=Markup(
        name="remark42",
        # Pinned comments are shown a second time, above the others.
        comment="article.comment:not(.root__pinned-comment)",
        text=".comment__text",
        author=".comment__username",
        date=".comment__time",
        permalink="a.comment__time",
        # Answers stand beside the comment they answer, with a link to it.
        parent=".comment__info a:not(.comment__time)@href",
    ),
    more=("button.more-comments",),
    ready=(".root__threads",),
    loading=(".root__preloader",),
    verified="the source of its client (commits 00a2d15, 198efdd), not against a running service",
    documentation=(
        "https://github.com/umputun/remark42 (frontend/apps/remark42/app/components)",
        "https://remark42.com/docs/configuration/frontend/",
    ),
)
