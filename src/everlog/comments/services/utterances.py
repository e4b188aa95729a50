"""utterances: the comments of a GitHub issue, in a frame of utteranc.es. Its dates name the day, or "two weeks ago"."""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="utterances",
    scripts=re.compile(r"utteranc\.es/client(?:\.min)?\.js"),
    word="utteranc",
    frame=re.compile(r"^https?://utteranc\.es/utterances(?:\.min)?\.html"),
    markup=Markup(
        name="utterances",
        # The form stands beside the timeline and is an `article` of the same class.
        comment=".timeline > .timeline-comment",
        text=".markdown-body, .comment-body",
        author=".comment-header a.text-link",
        date=".comment-header a.text-link + a.text-link",
        permalink=".comment-header a.text-link + a.text-link",
        count=".timeline-header > a:first-child",
        # The quoted rest of an answer by mail.
        cut=(".email-hidden-toggle", ".email-hidden-reply"),
    ),
    more=(".page-loader button",),
    # The heading is there before the comments and says how many will come.
    ready=(".timeline > .timeline-comment", ".timeline-header"),
    verified=(
        "real client utterances 0.1.3, the only one on npm, in the tests with a loopback answering as GitHub's"
        " documentation says; today's markup, with `.page-loader`, after its source, not against the live service"
    ),
    documentation=(
        "https://utteranc.es/",
        "https://github.com/utterance/utterances/blob/master/src/comment-component.ts",
        "https://github.com/utterance/utterances/blob/master/src/timeline-component.ts",
    ),
)
