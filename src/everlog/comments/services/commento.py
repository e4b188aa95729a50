"""Commento and Commento++: a script fills `#commento` in the page itself.

The id alone is no evidence: it is the Italian word for a comment.
"""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="commento",
    scripts=re.compile(r"/commento(?:\.min)?\.js\b"),
    markup=Markup(
        name="commento",
        comment=".commento-card",
        # In older clients the text stands in the body itself.
        text="[id^=commento-comment-text-], [id^=commento-comment-body-]",
        author=".commento-name",
        date=".commento-timeago",
    ),
    ready=("#commento-comments-area",),
    trouble=("#commento-error",),
    verified="the source of its client (commit daae592), not against a running service",
    documentation=(
        "https://github.com/adtac/commento (frontend/js/commento.js)",
        "https://github.com/souramoo/commentoplusplus",
    ),
)
