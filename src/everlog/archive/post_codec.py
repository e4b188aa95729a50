"""A post as one version of it is stored, and back; and the two hashes it is told apart by.

`digest` is of all that was read, to the letter: where it is the same, nothing has to be compared.

The names are those of the export. What changes while the version stays the same is not in it (aliases,
`gone`, which file a picture became): it is added on the way out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from everlog.archive.db.column_values import stamp_or_none, storable
from everlog.core.words import words
from everlog.records import Comment, Post, Role, post_fields
from everlog.records.codec import decode, encode
from everlog.records.json_text import json_members

# A text this long is nobody else's by chance; a shorter one needs its title and date to be known by.
TELLING_WORDS = 50
_READ, _LATER = post_fields(Role.READ), post_fields(Role.READ | Role.LATER)
_BESIDE_LATER = post_fields(Role.BESIDE | Role.LATER)
_DEFAULTS = {each.name: each.default for each in fields(Post)}
_CURRENT, _LASTING = post_fields(Role.CURRENT), post_fields(Role.LASTING)
# What a record holds beside what was read, in the order that it always had there.
_BEFORE_MEDIA, _BEHIND_MEDIA = ("url", "fetched"), ("provenance",)
_NOT_READ = (*_BEFORE_MEDIA, "media", *_BEHIND_MEDIA, *_BESIDE_LATER)
# Every record has it, known or not.
_KEPT = ("precision",)
# Of a comment, what may become known later. Who wrote it and what are the comment itself.
_OF_COMMENTS = ("id", "parent", "author_url", "published", "url", "source")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A post ready to be stored.

    `digest` is the same for what reads the same; `content` is the same for one post under two
    addresses, None where too little is known to say so. `post` is what the record says, where that is at hand.
    """

    record: str
    digest: str
    content: str | None
    published: str | None
    comments: int
    kind: str = "post"
    post: Post | None = None


def write_post(post: Post, media_keys: Mapping[str, str]) -> Written:
    """The post as its stored version; `media_keys` are the canonical spellings of its media's addresses."""
    media = [(item.url, media_keys[item.url]) for item in post.media]
    # That any database takes all that it says is told of the whole at once, as it is nearly always so.
    with suppress(UnicodeEncodeError, TypeError):
        written = _write(post, media)
        if "\\u0000" not in written.record:
            return written
    clean = decode(Post, _made_storable(encode(post)))
    return _write(clean, [(storable(url), storable(key)) for url, key in media])


def _write(post: Post, media: Sequence[tuple[str, str]]) -> Written:
    # Encoded once: the text that is hashed is a part of the text that is stored.
    read = json_members(post, _said_by(post))
    hashed = b"{%b}" % read
    source = post.provenance.get("text")
    if source is not None and source.disagrees is not None:
        # Doubt that came later is kept with the version; it makes no new one.
        hashed += b"\0" + source.disagrees.encode()
    if post.origin != "live":
        # The same words from the web itself are another reading: from then on the post is held live.
        hashed += b"\0" + post.origin.encode()
    around = (
        json_members(post, _BEFORE_MEDIA), json.dumps(media, ensure_ascii=False).encode(),
        json_members(post, (*_BEHIND_MEDIA, *_said(post, _BESIDE_LATER)), keep=_KEPT),
    )
    return Written(
        record=(b'{%b, "media": %b, %b, %b}' % (*around, read)).decode(),
        digest=hashlib.sha256(hashed).hexdigest(),
        content=_content(post),
        published=stamp_or_none(post.published),
        comments=len(post.comments),
        kind=post.kind,
        post=post,
    )


def _said_by(post: Post) -> tuple[str, ...]:
    """The fields that the record of a post holds of what was read."""
    said = _said(post, _LATER)
    return tuple(name for name in _READ if name in said or name not in _LATER)


def _said(post: Post, names: Sequence[str]) -> tuple[str, ...]:
    """Those of the fields that say more than a record in which they are not."""
    return tuple(name for name in names if getattr(post, name) != _DEFAULTS[name])


def _made_storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_made_storable(each) for each in value]
    return {name: _made_storable(each) for name, each in value.items()} if isinstance(value, dict) else value


def read_record(record: str) -> tuple[Post, tuple[tuple[str, str], ...]]:
    """The post a stored version holds, and its media as (address, canonical spelling)."""
    found: dict[str, Any] = json.loads(record)
    media = tuple((url, key) for url, key in found["media"])
    post = decode(Post, found | {"media": [{"url": url} for url, _ in media]})
    return post, media


def read_heading(record: str, aliases: tuple[str, ...]) -> Post:
    """The addresses, title and date of the post a stored version holds, and nothing else of it."""
    found: dict[str, Any] = json.loads(record)
    return Post(url=found["url"], aliases=aliases, title=found["title"], published=_moment(found["published"]))


def read_comments(record: str) -> tuple[str, tuple[Comment, ...]]:
    """The address and the comments of the post a stored version holds, and nothing else of it."""
    found: dict[str, Any] = json.loads(record)
    return found["url"], tuple(decode(Comment, each) for each in found.get("comments", ()))


def brought_up_to_date(record: str, reading: str) -> str | None:
    """A stored version with what a later reading of it says anew, though nobody edited the post; None if nothing."""
    held, read = json.loads(record), json.loads(reading)
    before = json.dumps(held, ensure_ascii=False)
    for name in _CURRENT:
        if read.get(name) is not None and not (name == "comments_state" and _hides_comments(read, held)):
            held[name] = read[name]
            _with_provenance(held, read, name)
    if read["text"] == held["text"]:
        _with_provenance(held, read, "text")
    pairs = list(zip(held["comments"], read["comments"], strict=False))
    if len(held["comments"]) == len(read["comments"]) and all(_is_same_comment(*pair) for pair in pairs):
        for old, new in pairs:
            old |= {name: new[name] for name in _OF_COMMENTS if old[name] is None}
    after = json.dumps(held, ensure_ascii=False)
    return after if after != before else None


def reads_the_same(record: str, reading: str) -> bool:
    """Whether two readings of a page say the same, whichever rules found its comments.

    A comment's `source` is the name of the markup it was read by, and that changes in the middle of a crawl, as soon
    as the blog's own is learned.
    """
    held, read = json.loads(record), json.loads(reading)
    for each in (held, read):
        for name in _NOT_READ:
            each.pop(name, None)
        for comment in each["comments"]:
            comment.pop("source")
    return bool(held == read)


def completed(written: Written, record: str) -> Written:
    """A new version with what only the one before says: a theme that hides the date does not undo it."""
    read, held = json.loads(written.record), json.loads(record)
    lost = [name for name in _LASTING if not read.get(name) and held.get(name)]
    if _hides_comments(read, held):
        lost += ["comments", "comments_state", "comment_count_claimed"]
    for name in lost:
        read[name] = held[name]
        _with_provenance(read, held, name)
    if not lost:
        return written
    return replace(
        written, record=json.dumps(read, ensure_ascii=False), published=stamp_or_none(_moment(read["published"])),
        comments=len(read["comments"]), post=None,
    )


def _hides_comments(read: Mapping[str, Any], held: Mapping[str, Any]) -> bool:
    """Whether a page that had comments shows none and does not say how many there are, not even none."""
    return bool(held["comments"] and not read["comments"] and read["comment_count_claimed"] is None)


def _with_provenance(taker: dict[str, Any], giver: Mapping[str, Any], name: str) -> None:
    if name in giver["provenance"]:
        taker["provenance"][name] = giver["provenance"][name]


def _is_same_comment(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    return bool(old["author"] == new["author"] and old["text"] == new["text"])


def _content(post: Post) -> str | None:
    text, title, published = post.text, post.title, post.published
    # Most texts are long: their first part has enough words, and the rest need not be looked at.
    if len(words(text[:1000])) >= TELLING_WORDS or len(words(text)) >= TELLING_WORDS:
        return _hash(f"{title}\0{text}")
    if title is None or published is None:
        return None
    return _hash(f"{title}\0{text}\0{published.isoformat()}")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
