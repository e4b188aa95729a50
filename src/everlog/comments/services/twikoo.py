"""Twikoo: comments of a cloud function or a self-hosted server, written into an element of the page."""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="twikoo",
    ids=frozenset({"tcomment", "twikoo", "twikoo-wrap", "twikoo-comment", "twikoo-comments"}),
    # `getCommentsCount` and `getRecentComments` show no comments of the page.
    scripts=re.compile(r"\btwikoo\.init\s*\("),
    markup=Markup(
        name="twikoo",
        comment=".tk-comments-container .tk-comment",
        # Before it an answer says whom it answers.
        text=".tk-content > span:last-child",
        author=".tk-nick",
        author_url="a.tk-nick",
        date=".tk-time time",
        parent=".tk-content a.tk-ruser@href",
        # `.tk-comments-count` leaves the answers out.
    ),
    # The same control inside a comment only unfolds what is in the page already.
    more=(".tk-comments-container > .tk-expand-wrap > .tk-expand",),
    ready=(".tk-comments-container .tk-comment", ".tk-comments-no"),
    # A server that fails leaves "no comments" with the control that asks for more.
    trouble=(".tk-comments-error", ".tk-comments-no ~ .tk-expand-wrap"),
    verified=(
        "real client Twikoo 1.7.9 in the tests, with a loopback answering after the source of its cloud function 1.7.9"
    ),
    documentation=(
        "https://twikoo.js.org/en/api.html",
        "https://github.com/twikoojs/twikoo/blob/main/src/client/view/components/TkComment.vue",
    ),
)
