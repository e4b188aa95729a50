"""JSON text of a record: to the letter what `json.dumps` makes of `codec.encode`, without objects in between.

A post of twenty comments takes 0.07 ms this way, and 0.23 ms as objects first and as text then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from json import JSONEncoder
from json.encoder import encode_basestring
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from everlog.records.codec import RARE

if TYPE_CHECKING:

    _Values = Callable[[Any], tuple[Any, ...]]

try:
    # It makes other texts of numbers and objects than Python does, and the same of strings: 34,000 characters of 124
    # strings in 0.017 ms, for which Python takes 0.10 ms.
    from orjson import dumps as _string
except ImportError:

    def _string(text: Any) -> bytes:  # type: ignore[misc]
        return encode_basestring(text).encode()


_JSON = JSONEncoder(ensure_ascii=False)


def json_members(record: Any, only: tuple[str, ...] | None = None, *, keep: Collection[str] = ()) -> bytes:
    """The members of the JSON object of a record (`only` these fields, in this order), in UTF-8.

    Fields that are left out where they are not known are there all the same if their names are in `keep`. A text with
    half of a surrogate pair, which UTF-8 does not have, raises UnicodeEncodeError or TypeError.

    >>> from everlog.records import Provenance
    >>> json_members(Provenance(method="selector", rule="h1"))
    b'"method": "selector", "rule": "h1", "confidence": null'
    """
    kind: Any = record.__class__
    form, values, rare = _plan(kind, only)
    if rare:
        unsaid = frozenset([name for name in rare if name not in keep and getattr(record, name) is None])
        form, values = _without(kind, only, unsaid)
    return form % tuple([
        _string(value) if value.__class__ is str else b"null" if value is None else _json(value, keep)
        for value in values(record)
    ])


def _json(value: Any, keep: Collection[str]) -> bytes:
    if value.__class__ is float and isfinite(value):
        return repr(value).encode()
    if isinstance(value, (datetime, str)):
        # Parsers have texts of classes of their own.
        return _string(value.isoformat() if isinstance(value, datetime) else str(value))
    if isinstance(value, tuple):
        return b"[%b]" % b", ".join([_json(each, keep) for each in value])
    if is_dataclass(value):
        return b"{%b}" % json_members(value, keep=keep)
    if isinstance(value, Mapping):
        return b"{%b}" % b", ".join([b"%b: %b" % (_string(name), _json(each, keep)) for name, each in value.items()])
    return _JSON.encode(value).encode()


@cache
def _plan(kind: Any, only: tuple[str, ...] | None) -> tuple[bytes, _Values, tuple[str, ...]]:
    """The text around the values of a class's fields, what gives these values, and which fields may be left out."""
    rare = tuple(each.name for each in fields(kind) if RARE in each.metadata and (only is None or each.name in only))
    return *_without(kind, only, frozenset()), rare


@cache
def _without(kind: Any, only: tuple[str, ...] | None, unsaid: frozenset[str]) -> tuple[bytes, _Values]:
    names = [name for name in only or (each.name for each in fields(kind)) if name not in unsaid]
    form = ", ".join(f'"{name}": %b' for name in names).encode()
    # Of a single name the getter gives no tuple.
    return form, attrgetter(*names) if len(names) > 1 else lambda record: (getattr(record, names[0]),)
