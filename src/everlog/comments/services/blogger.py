"""Blogger's own comments where a script draws the page: Dynamic Views, and threads that were loaded further.

Other pages of Blogger hold their comments as they come from the web; those are known markup and need no
browser.
"""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="blogger",
    # All pages of Blogger name the folder, and its script of comments; only Dynamic Views load the views.
    scripts=re.compile(r"/dynamicviews/\w+/js/common\.js"),
    word="dynamicviews",
    markup=Markup(
        name="blogger",
        comment=".comment-thread li.comment",
        text=".comment-content",
        author=".comment-header cite.user, .comment-header .user",
        date=".comment-header .datetime",
        permalink=".comment-header .datetime a",
        # Drawn by the script the number stands on the block; in the page as it comes, on the comment.
        id=".comment-block@id",
        count="#comments h4",
    ),
    more=(".comment-thread .loadmore:not(.loaded) a",),
    ready=("#comment-holder", "#comments"),
    verified="pages that browsers saved and others published, not against the live service",
    documentation=(
        "https://www.blogblog.com/dynamicviews/ (the scripts that pages of Dynamic Views load)",
    ),
)
