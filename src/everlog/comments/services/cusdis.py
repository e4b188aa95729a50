"""Cusdis: `#cusdis_thread` in the page, the comments in a frame without an address of its own.

More than ten comments are parted into numbered pages that replace each other: only the first is read.
"""

from __future__ import annotations

import re

from everlog.comments.comment_markup import Markup
from everlog.comments.services.service import Service

SERVICE = Service(
    name="cusdis",
    ids=frozenset({"cusdis_thread"}),
    scripts=re.compile(r"/js/cusdis(?:\.es|\.umd)?\.js\b"),
    frame=re.compile(r"^about:srcdoc$"),
    markup=Markup(
        name="cusdis",
        comment="div.my-4",
        text="div.my-2.text-gray-500",
        author="div.mr-2.font-medium",
        date="div.text-sm.text-gray-500",
    ),
    ready=("a[href='https://cusdis.com']",),
    loading=(".mt-4 > .text-gray-900",),
    verified="the source of its client (commits a00821d, 38c9cc7), not against a running service",
    documentation=(
        "https://github.com/djyde/cusdis (widget)",
        "https://www.npmjs.com/package/react-cusdis",
    ),
)
