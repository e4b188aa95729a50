"""Gitalk: the comments of a GitHub issue, written into an element of the page. Its dates are "two years ago"."""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="gitalk",
    ids=frozenset({"gitalk-container"}),
    classes=frozenset({"gitalk-container"}),
    scripts=re.compile(r"\bnew\s+Gitalk\s*\("),
    markup=Markup(
        name="gitalk",
        comment=".gt-comments .gt-comment",
        text=".gt-comment-body",
        author=".gt-comment-username",
        author_url="a.gt-comment-username",
        date=".gt-comment-date",
        count=".gt-counts",
    ),
    more=(".gt-comments-controls .gt-btn-loadmore",),
    # `.gt-no-init`: nobody has opened the issue, so nobody has commented.
    ready=(".gt-comments .gt-comment", ".gt-comments-null", ".gt-no-init"),
    trouble=(".gt-error",),
    verified="real client Gitalk 1.8.0 in the tests, with a loopback answering as GitHub's documentation says",
    documentation=(
        "https://github.com/gitalk/gitalk",
        "https://github.com/gitalk/gitalk/blob/master/src/component/comment.jsx",
        "https://docs.github.com/en/rest/issues/comments",
    ),
)
