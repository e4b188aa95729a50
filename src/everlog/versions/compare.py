"""Two versions of a post beside each other: what changed in which field, in the text and in the comments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from everlog.records import Post, Role, post_fields
from everlog.versions.comment_changes import CommentChanges, compare_comments
from everlog.versions.links_and_media import marks_of
from everlog.versions.text_diff import TextChanges, as_seen, compare_texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    Value = str | datetime | tuple[str, ...] | None

_SHOWN = post_fields(Role.DIFF)
FIELDS = (*_SHOWN, "links", "pictures")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """A field that has another value; of lists, what only one of the two has."""

    name: str
    old: Value
    new: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """All that is different between two versions of a post."""

    fields: tuple[FieldChange, ...] = ()
    text: TextChanges = field(default_factory=TextChanges)
    comments: CommentChanges = field(default_factory=CommentChanges)

    @property
    def is_empty(self) -> bool:
        return not self.fields and self.text.is_empty and self.comments.is_empty

    def summary(self) -> str:
        """What changed, in a few words.

        >>> from everlog.records import Post
        >>> old, new = Post(url="u", title="A", text="One two."), Post(url="u", title="B", text="One, two, three.")
        >>> compare(old, new).summary()
        'title; text: 1 word added'
        """
        parts = [", ".join(change.name for change in self.fields), *self._of_text(), self._of_comments()]
        return "; ".join(filter(None, parts)) or "nothing"

    def _of_text(self) -> Iterator[str]:
        if self.text.is_empty:
            return
        counts = _counted("word", added=self.text.words_added, removed=self.text.words_removed)
        yield f"text: {counts or 'signs only'}"

    def _of_comments(self) -> str:
        changes = self.comments
        return _counted(
            "comment", new=len(changes.added), removed=len(changes.removed), edited=len(changes.edited),
        )


def compare(old: Post, new: Post) -> Changes:
    """What changed from one version of a post to another. White space and the order of lists are no change.

    >>> from everlog.records import Post
    >>> changes = compare(Post(url="u", tags=("a", "b")), Post(url="u", tags=("b", "c")))
    >>> changes.fields
    (FieldChange(name='tags', old=('a',), new=('c',)),)
    """
    return Changes(
        fields=tuple(_field_changes(old, new)),
        text=compare_texts(old.text, new.text),
        comments=compare_comments(old.comments, new.comments),
    )


def _field_changes(old: Post, new: Post) -> Iterator[FieldChange]:
    before, now = _values(old), _values(new)
    if old.html != new.html:
        marks = marks_of(old.html), marks_of(new.html)
        for name in ("links", "pictures"):
            before[name], now[name] = (tuple(sorted(getattr(each, name))) for each in marks)
    for name in FIELDS:
        left, right = before.get(name), now.get(name)
        if isinstance(left, tuple) and isinstance(right, tuple):
            left, right = _only_in(left, right), _only_in(right, left)
        if left != right:
            yield FieldChange(name=name, old=left, new=right)


def _values(post: Post) -> dict[str, Value]:
    return {name: _seen(getattr(post, name)) for name in _SHOWN}


def _seen(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(map(as_seen, value))
    return as_seen(value) if isinstance(value, str) else value


def _only_in(these: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    known = set(others)
    return tuple(dict.fromkeys(each for each in these if each not in known))


def _counted(what: str, **counts: int) -> str:
    """Several counts in a few words: the first names what is counted.

    >>> _counted("comment", new=2, removed=0, edited=1), _counted("word", added=0)
    ('2 comments new, 1 edited', '')
    """
    told = [(how, count) for how, count in counts.items() if count]
    parts = [f"{count} {how}" for how, count in told[1:]]
    if told:
        how, count = told[0]
        parts.insert(0, f"{count} {what if count == 1 else what + 's'} {how}")
    return ", ".join(parts)
