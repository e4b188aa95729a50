"""LiveRe (来必力, 라이브리): `#lv-container` in the page, the comments in a frame of livere.me.

Programs that read it tell where the texts stand and how more are shown; nothing public tells where the
names and dates are, so they stay unknown.
"""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="livere",
    ids=frozenset({"lv-container"}),
    scripts=re.compile(r"\.livere\.com/js/embed|\bLivereTower\b"),
    frame=re.compile(r"^https?://(?:[\w-]+\.)?livere\.(?:me|com)/comment/"),
    markup=Markup(name="livere", comment="div.reply-content", text="p"),
    more=("button.more-btn",),
    ready=(".reply-content", ".more-btn"),
    verified="programs that read it, not against the live service; authors and dates are not read",
    documentation=(
        "https://www.livere.com/",
        "https://github.com/sinhyunsung/Comment_Crawling (main.py)",
    ),
)
