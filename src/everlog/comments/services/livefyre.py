"""LiveFyre, which is gone and kept for pages that browsers saved: the comments stand in the page itself."""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="livefyre",
    ids=frozenset({"livefyre-comments"}),
    scripts=re.compile(r"/livefyre\.js\b|\bfyre\.conv\b"),
    word="fyre",
    markup=Markup(
        name="livefyre",
        # The preview of a comment that is being written is such an article too, without a number.
        comment="article.fyre-comment-article[data-message-id]",
        text=".fyre-comment",
        author=".fyre-comment-username",
        date="meta[itemprop=dateCreated], .fyre-comment-date",
        id="@data-message-id",
        count=".fyre-comment-count",
    ),
    more=(".fyre-stream-more-container", ".fyre-reply-more-toggle"),
    ready=(".fyre-stream-content",),
    loading=(".fyre-content-loading",),
    trouble=(".fyre-modal-alert-content",),
    verified="public documentation and programs that read it; the service is gone",
    documentation=(
        "https://github.com/AdobeDocs/livefyre.en",
        "https://github.com/OlivierBlanvillain/crawler (bibcrawl/pipelines/renderjavascript.py)",
    ),
)
