"""Disqus: the page keeps `#disqus_thread` for it, and the comments stand in a frame of disqus.com."""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="disqus",
    ids=frozenset({"disqus_thread"}),
    # The script that only counts, count.js, shows no comments. Addresses are often pieced together:
    # `'//' + shortname + '.' + 'disqus.com' + '/embed.js'`.
    scripts=re.compile(
        r"""disqus\.com[/'"\s+]{1,12}embed\.js|disqus_script\s*=\s*['"]embed\.js"""
        r"""|disqus-comment-system/[\w/.-]{0,60}comment_embed"""
    ),
    frame=re.compile(r"^https?://(?:[\w-]+\.)?disqus\.com/embed/comments/"),
    markup=Markup(
        name="disqus",
        comment="li.post",
        text="[data-role=message], .post-message",
        author=".author",
        date="a.time-ago",
        permalink="a.time-ago",
        parent="[data-role=parent-link]@href",
        count=".comment-count",
    ),
    more=("[data-action=more-posts]", ".show-children-wrapper:not(.hidden) > .show-children"),
    # The words "We were unable to load Disqus" stand in every frame, hidden by a style sheet: they tell nothing.
    ready=("#post-list", "#no-posts"),
    verified="public documentation and programs that read it, not against the live service",
    documentation=(
        "https://disqus.com/admin/universalcode/",
        "https://gist.github.com/ryanvalentin/4f6fad19f7a0ccbae20f6264dde5d622",
        "https://github.com/alespeggio/Disqus-Comments-Scraper (main.py)",
        "https://github.com/OlivierBlanvillain/crawler (bibcrawl/pipelines/renderjavascript.py)",
    ),
)
