"""Isso: comments of a self-hosted server, written into `#isso-thread`."""

from __future__ import annotations

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="isso",
    # The script is `/js/embed.min.js` of any host; without this element it does nothing.
    ids=frozenset({"isso-thread"}),
    markup=Markup(
        name="isso",
        # The preview of the form is a comment too, without an id.
        comment="#isso-thread .isso-comment[id]",
        # Before 0.13 the names of the parts had no prefix.
        text=".isso-text, .text",
        author=".isso-author, .author",
        author_url="a.isso-author, a.author",
        date=".isso-permalink time, .permalink time",
        permalink="a.isso-permalink, a.permalink",
        count="#isso-thread > h4",
    ),
    more=("#isso-thread a.isso-load-hidden", "#isso-thread a.load_hidden"),
    # The heading is there from the start; its words come with the answer.
    ready=("#isso-thread .isso-comment[id]", "#isso-thread > h4:not(:empty)"),
    verified="real server and client Isso 0.14.0 in the tests",
    documentation=(
        "https://isso-comments.de/docs/reference/client-config/",
        "https://github.com/isso-comments/isso/blob/master/isso/js/app/templates/comment.js",
    ),
)
