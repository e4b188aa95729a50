"""The comments plugin of Facebook: `.fb-comments` in the page, the comments in a frame of facebook.com.

The names in the frame are made by a machine and have changed before; those of the older plugin are kept
for old captures. The plugin shows nothing to visitors from Europe who have not signed in.
"""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="facebook",
    # The script of Facebook is no evidence: pages load it for buttons.
    classes=frozenset({"fb-comments"}),
    tags=frozenset({"fb:comments"}),
    word="connect.facebook.net",
    frame=re.compile(r"^https?://(?:[\w-]+\.)?facebook\.com/(?:v[\d.]+/)?plugins/(?:comments|feedback)\.php"),
    markup=Markup(
        name="facebook",
        comment="div._3-8y.clearfix, li.fbFeedbackPost",
        text="._5mdd, .postText",
        author=".UFICommentActorName, .profileName",
        date="abbr.livetimestamp, abbr.timestamp",
        permalink="a.uiLinkSubtle",
        count="._50f7",
    ),
    more=("._5o4h button", "._5o4h a"),
    ready=("._491z", ".fbFeedbackPosts"),
    verified="public documentation and programs that read it, not against the live service",
    documentation=(
        "https://developers.facebook.com/docs/plugins/comments/",
        "https://update.greasyfork.org/scripts/487197/Remove%20Facebook%20Comment%20Annoyance.user.js",
    ),
)
