"""Codec of records: a post, a comment or an entry as what JSON has, and back, derived from the fields of its class.

The names and their order are those of the class, and of the export. Who keeps records elsewhere says which fields are
kept, and what becomes of a text; a field that is not there is read as what its class has for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache, partial
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

R = TypeVar("R")
_Way = Callable[[Any], Any]

# The metadata of a field that is left out where it is not known.
RARE = "rare"
# The metadata of a field that is a tuple here and an object in JSON: the names of its parts.
PARTS = "parts"


def encode(
    record: Any, *, only: Iterable[str] | None = None, text: Callable[[str], str] | None = None,
    keep: Collection[str] = (),
) -> dict[str, Any]:
    """The fields of a record (`only` these, in this order) as what JSON has: text, numbers, lists, objects, null.

    `text` is asked for every text. Fields that are left out where they are not known are there all the same if their
    names are in `keep`.

    >>> from everlog.records import Provenance
    >>> encode(Provenance(method="selector", rule="h1"))
    {'method': 'selector', 'rule': 'h1', 'confidence': None}
    """
    kind: Any = type(record)
    marks = _marks(kind)
    found: dict[str, Any] = {}
    for name in marks if only is None else only:
        value = getattr(record, name)
        if isinstance(value, str):
            found[name] = value if text is None else text(value)
        elif value is not None:
            parts = marks[name].get(PARTS)
            found[name] = _plain(value, text, keep) if parts is None else dict(zip(parts, value, strict=True))
        elif RARE not in marks[name] or name in keep:
            found[name] = None
    return found


def decode(kind: type[R], said: Mapping[str, Any]) -> R:
    """The record that `encode` made `said` of; names that its class does not know are passed over.

    >>> from everlog.records import Comment
    >>> decode(Comment, {"author": "Ann", "published": "2024-05-31T12:00:00+02:00"}).published.hour
    12
    """
    # As the type checker has it, what makes records cannot be hashed.
    known: Any = kind
    ways = _ways(known)
    return kind(**{
        name: value if value is None or (way := ways[name]) is None else way(value)
        for name, value in said.items() if name in ways
    })


def _plain(value: Any, text: Callable[[str], str] | None, keep: Collection[str]) -> Any:
    if isinstance(value, str):
        return value if text is None else text(value)
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return [_plain(each, text, keep) for each in value]
    if is_dataclass(value):
        return encode(value, text=text, keep=keep)
    return {name: _plain(each, text, keep) for name, each in value.items()}


@cache
def _marks(kind: Any) -> dict[str, Mapping[str, Any]]:
    """The names of a class's fields, and what they are marked with."""
    return {each.name: each.metadata for each in fields(kind)}


@cache
def _ways(kind: Any) -> dict[str, _Way | None]:
    """How each field of a class comes back from JSON; None: as it is."""
    hints = get_type_hints(kind)
    return {
        name: partial(_parts, marks[PARTS]) if PARTS in marks else _way(hints[name])
        for name, marks in _marks(kind).items()
    }


def _way(hint: Any) -> _Way | None:
    origin, inside = get_origin(hint), get_args(hint)
    if origin is UnionType:
        # What may be unknown; null stays null.
        return _way(inside[0])
    if hint is datetime:
        return _moment
    if origin is tuple:
        return partial(_records, inside[0]) if _is_record(inside[0]) else tuple
    if origin is Mapping:
        return partial(_named, inside[1]) if _is_record(inside[1]) else dict
    return partial(decode, hint) if _is_record(hint) else None


def _is_record(kind: Any) -> bool:
    return is_dataclass(kind)


def _records(kind: type[R], said: Iterable[Mapping[str, Any]]) -> tuple[R, ...]:
    return tuple([decode(kind, each) for each in said])


def _named(kind: type[R], said: Mapping[str, Mapping[str, Any]]) -> dict[str, R]:
    return {name: decode(kind, each) for name, each in said.items()}


def _moment(said: str) -> datetime | None:
    return datetime.fromisoformat(said) if said else None


def _parts(names: Iterable[str], said: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(said[name] for name in names)
