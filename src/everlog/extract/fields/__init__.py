"""Fields of a post beside its article, `*_learn` and `*_read` of each side by side.

To change how a field is found, read its two modules; a rule that one writes is read by the other. Begin with
`title_learn` and `title_read`; `small_texts_*` are the short texts that title, authors and tags are looked for in.

A new field is a line in `records.post.Post` with the role `LEARNED`, and two modules here, which are found by their
names: `<field>_learn` with `learn_<field>(samples)`, `<field>_read` with `read_<field>(view, rules)`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal

# Two that are read where others are: the date of the last change as that of publication, the language by its words.
_ELSEWHERE = {"read_updated": "everlog.extract.fields.published_read", "read_language": "everlog.languages.detect"}


def field_function(step: Literal["learn", "read"], name: str) -> Any:
    """What learns, or reads, a field of a post.

    >>> field_function("read", "title").__name__
    'read_title'
    """
    wanted = f"{step}_{name}"
    return getattr(import_module(_ELSEWHERE.get(wanted, f"{__name__}.{name}_{step}")), wanted)
