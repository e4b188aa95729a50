"""Post parts: the rows and files that belong to a post, declared once; and how the row of a post is found.

    versions      what was read, each from a capture
    aliases       other addresses of the post
    rechecks      when its page is looked at again
    events        what happened to it
    indexed       its version in the search index, and its document there
    post_summaries, post_terms, post_links    what lists show of it (`archive/projection`)
    hidden_posts  whether it is hidden
    captures      the answers of its addresses, each at a place in a WARC file
    media         the pictures and files that its versions name; other posts may name them as well
"""

from __future__ import annotations

import json
from contextlib import suppress

from sqlalchemy import ColumnElement, Connection, bindparam, func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import storable
from everlog.core.urls import canonical

# A version's record begins with the address of its post, and addresses are shorter than this.
_OPENING = '{"url": '
_HEAD = 4_000

_posts, _versions = schema.posts, schema.versions
# Tables whose rows name the post they belong to in `post_id`, and what a row of each is called. A table that is new
# here is verified.
PARTS = {
    schema.versions: "a version", schema.aliases: "an alias", schema.rechecks: "a recheck", schema.events: "an event",
    schema.indexed: "an entry of the search index", schema.post_summaries: "a line for lists",
    schema.post_terms: "a tag, author or language", schema.post_links: "a link",
    schema.hidden_posts: "a mark that it is hidden",
}
# The version of a post that is in force.
# Pages beside the posts ("about") are kept like them, and counted apart.
IS_POST: ColumnElement[bool] = _posts.c.kind == "post"
IS_CURRENT: ColumnElement[bool] = (_versions.c.post_id == _posts.c.id) & (_versions.c.version == _posts.c.version)
# Asked for every page of a crawl, mostly in vain: one statement, made once.
_ID_OF_KEY = select(func.coalesce(
    select(func.min(_posts.c.id)).where(_posts.c.key == bindparam("key")).scalar_subquery(),
    select(func.min(schema.aliases.c.post_id)).where(schema.aliases.c.key == bindparam("key")).scalar_subquery(),
))


def post_id_of(connection: Connection, url: str) -> int | None:
    """The row of the post at this address or one of its aliases."""
    found: int | None = connection.execute(_ID_OF_KEY, {"key": storable(canonical(url))}).scalar()
    return found


def record_head() -> ColumnElement[str]:
    """So much of a version's record as holds the address of its post: articles are long."""
    return func.substr(_versions.c.record, 1, _HEAD)


def url_in(head: str | None, key: str | None) -> str | None:
    """The address of a post, from the beginning of its record; else the key, which is one without its scheme.

    >>> url_in('{"url": "https://a.example/x", "fetched": nu', "a.example/x"), url_in(None, "a.example/x")
    ('https://a.example/x', 'http://a.example/x')
    """
    if head is not None and head.startswith(_OPENING):
        with suppress(ValueError):
            return str(json.JSONDecoder().raw_decode(head, len(_OPENING))[0])
    return None if key is None else f"http://{key}"
