"""The front matter of a post in Markdown: YAML that Hugo, Jekyll and every other reader of YAML take alike."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from everlog.records import Post, Role, post_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    Value = str | datetime | Sequence[str]

FENCE = "---\n"
# Fields that have no other name for site generators stand under their own.
_RENAMED = frozenset({"title", "authors", "published", "updated", "tags", "language", "summary"})
_OTHERS = tuple(name for name in post_fields(Role.LEARNED) if name not in _RENAMED)
# Signs that JSON may hold as they are and YAML may not, or takes for ends of lines.
_NOT_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
# Halves of a letter; Hugo's and Jekyll's readers of YAML refuse them even when they are escaped.
_HALVES = re.compile("[\ud800-\udfff]")
_STRING = re.compile(r'^(original_url|url|slug): (".*")$', re.MULTILINE)


def front_matter(post: Post, *, slug: str | None = None, media: Sequence[str] = ()) -> str:
    """What is known about a post, between two lines of dashes.

    None of the names makes a site generator do what nobody asked for: `url` and `aliases` would be addresses on the
    new site, so those of the post are `original_url` and `original_aliases`.
    """
    fields: dict[str, Value | None] = {
        "title": post.title, "date": post.published, "lastmod": post.updated, "author": ", ".join(post.authors),
        "authors": post.authors, "slug": slug, "original_url": post.url, "blog": post.blog,
        "original_aliases": post.aliases, "tags": post.tags, "language": post.language, "description": post.summary,
        **{name: getattr(post, name) for name in _OTHERS}, "media": media, "gone": post.gone,
        "original_kind": post.kind if post.kind != "post" else None,
        "origin": post.origin if post.origin != "live" else None, "captured": post.captured,
    }
    lines = [f"{name}: {_yaml(value)}\n" for name, value in fields.items() if value]
    # An article about Jekyll has Liquid in its code, which is to be shown and not to be run.
    return "".join((FENCE, *lines, "draft: false\n", "render_with_liquid: false\n", FENCE))


def read_address(head: str) -> tuple[str, str | None] | None:
    """The address and the slug of the post whose file begins so; None: no export has written it.

    Files of older exports have the address as `url`.

    >>> from everlog.records import Post
    >>> read_address(front_matter(Post(url="http://a.example/1"), slug="one")), read_address("# Mine")
    (('http://a.example/1', 'one'), None)
    """
    if not head.startswith(FENCE):
        return None
    found: dict[str, str] = {}
    for name, value in _STRING.findall(head.partition("\n---\n")[0]):
        try:
            found[name] = str(json.loads(value))
        except ValueError:
            continue  # somebody has written it by hand, in another way
    address = found.get("original_url") or found.get("url")
    return (address, found.get("slug")) if address else None


def _yaml(value: Value) -> str:
    """A value as YAML. Its quoted strings are those of JSON; a date without quotes is a date."""
    if isinstance(value, str):
        text = json.dumps(_HALVES.sub("\ufffd", value), ensure_ascii=False)
        return _NOT_YAML.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)
    if isinstance(value, datetime):
        return _in_whole_minutes(value).isoformat()
    return f"[{', '.join(map(_yaml, value))}]"


def _in_whole_minutes(moment: datetime) -> datetime:
    """The same moment with an offset that YAML can say: those of before 1900 have seconds."""
    offset = moment.utcoffset() or timedelta()
    if not offset % timedelta(minutes=1):
        return moment
    return moment.astimezone(timezone(timedelta(minutes=int(offset / timedelta(minutes=1)))))
