"""Youyan (友言, uyan.cc), which is gone and kept for pages that browsers saved."""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="youyan",
    ids=frozenset({"uyan_frame"}),
    scripts=re.compile(r"\buyan\.cc/(?:js/iframe|code/uyan)\.js"),
    word="uyan",
    markup=Markup(
        name="youyan",
        comment=".uyan_cmt_com",
        text=".uyan_cmt_txt",
        author=".uyan_con_uname",
        date=".uyan_exp_date",
        # Answers are moved to the right: `uyan_cmt_reply_60`, `uyan_cmt_reply_120`.
        depth="uyan_cmt_reply_",
    ),
    ready=("#uyan_cmt_list", ".uyan_cmt_com"),
    verified="the embed code, and pages styled after it; the service is gone",
    documentation=("http://www.uyan.cc/ (gone)",),
)
