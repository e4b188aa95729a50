"""Valine: comments kept at LeanCloud, written into an element of the page."""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="valine",
    ids=frozenset({"vcomments", "vcomment", "valine-comments", "valine-thread"}),
    scripts=re.compile(r"\bnew\s+Valine\s*\("),
    markup=Markup(
        name="valine",
        comment=".vcards .vcard",
        text=".vcontent",
        author=".vhead .vnick",
        author_url=".vhead a.vnick",
        date=".vmeta .vtime",
        # Answers stand in one list below the first comment; the name they begin with links to the one they answer.
        parent=".vcontent a.at@href",
        # `.vcount` leaves the answers out.
    ),
    more=(".vpage:not([style*=none]) .vmore",),
    # All of it is in the page from the start, hidden.
    ready=(".vcards .vcard", ".vempty:not([style*=none])"),
    trouble=(".vempty:not([style*=none]) pre",),
    verified="real client Valine 1.5.3 in the tests, with a loopback answering as LeanCloud's documentation says",
    documentation=("https://valine.js.org/en/configuration.html", "https://docs.leancloud.cn/en/sdk/storage/guide/rest/"),
)
