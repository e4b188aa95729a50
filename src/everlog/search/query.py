"""What a user's words ask for.

    tide night              both words, anywhere in a post or its comments
    "night train"           these words in this order
    trai*                   words that begin so
    tide OR flood           one of them
    -winter, NOT winter     not this one
    title: author: tag:     only there (words or a phrase in quotes)
    blog:a.blog.example     only this blog
    before:2024-05          published before, or since, a day, month or year
    after:2023

Dates and what is not wanted hold for the whole query, so OR cannot stand beside them.

Anything else is text, whatever it looks like: a lone quote, an unknown `name:`, brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, cast

from everlog.errors import UsageError
from everlog.search.tokenize import is_paired, units

Field = Literal["title", "author", "tag", "blog"]

# More words than anybody types, those of phrases counted; what is pasted by mistake is told apart from what is meant.
MOST_TERMS = 64

_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"'))
_PART = re.compile(
    r"""(?P<minus>(?<!\S)-)?
        (?:(?P<field>title|author|tag|blog|before|after)[:：](?=[^\s]))?
        (?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+)|")""",
    re.VERBOSE | re.IGNORECASE,
)
_DATES = frozenset({"before", "after"})
_DATE = re.compile(r"(\d{4})(?:[-/.](\d{1,2}))?(?:[-/.](\d{1,2}))?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """Words in this order; in one field, or anywhere. `beginning`: the last may go on."""

    units: tuple[str, ...]
    field: Field | None = None
    beginning: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """All of `wanted` (of each one alternative), none of `unwanted`, published within the dates."""

    wanted: tuple[tuple[Term, ...], ...] = ()
    unwanted: tuple[Term, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    @property
    def shown(self) -> tuple[Term, ...]:
        """What can be marked in a text."""
        return tuple(term for choice in self.wanted for term in choice if term.field in {None, "title"})


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of what was typed."""

    excluded: bool
    field: str | None
    text: str
    quoted: bool


def ask(text: str) -> Query:
    """The query a user typed. Raises UsageError if it has nothing to look for, a date that is none, an idle OR.

    >>> query = ask('tide "night train" -winter after:2023')
    >>> [term.units for [term] in query.wanted], query.unwanted[0].units, query.since.year
    ([('tide',), ('night', 'train')], ('winter',), 2023)
    >>> [len(choice) for choice in ask("tide OR flood author:ada").wanted]
    [2, 1]
    """
    wanted: list[list[Term]] = []
    unwanted: list[Term] = []
    since: list[datetime] = []
    until: list[datetime] = []
    joins = False
    for part in _tied(text):
        if part.field in _DATES:
            # What is not before a day is after it.
            (until if (part.field == "before") != part.excluded else since).append(_day(part))
        elif _is_word(part, "OR") and wanted and not joins:
            joins = True
            continue
        elif (term := _term(part)) is not None:
            if part.excluded:
                unwanted.append(term)
            elif joins:
                wanted[-1].append(term)
            else:
                wanted.append([term])
        joins = False
    if sum(len(term.units) for choice in (unwanted, *wanted) for term in choice) > MOST_TERMS:
        raise UsageError("the query has too many words", advice=f"search for at most {MOST_TERMS} at once")
    if not (wanted or unwanted or since or until):
        raise UsageError(f"nothing to search for in {text!r}", advice="pass a word, for example:  everlog search tide")
    return Query(
        wanted=tuple(map(tuple, wanted)), unwanted=tuple(unwanted), since=max(since, default=None),
        until=min(until, default=None),
    )


def _tied(text: str) -> list[_Part]:
    """The pieces that say something. Raises UsageError if an OR stands beside what it cannot tie."""
    parts = [part for part in _parts(text) if part.field in _DATES or units(part.text)]
    for before, tie, behind in zip(parts, parts[1:], parts[2:], strict=False):
        for part in (before, behind) if _is_word(tie, "OR") else ():
            if part.excluded or part.field in _DATES:
                raise UsageError(
                    f"OR cannot be combined with {_spelled(part)}, which applies to the whole query",
                    advice="leave out OR to require both, or search twice",
                )
    return parts


def _spelled(part: _Part) -> str:
    field = f"{part.field}:" if part.field else ""
    return f"{'-' if part.excluded else ''}{field}" + (f'"{part.text}"' if part.quoted else part.text)


def _parts(text: str) -> Iterator[_Part]:
    """The pieces in their order; `NOT` has become a part of the next one, `AND` says nothing."""
    found = list(_PART.finditer(text.translate(_QUOTES)))
    excluded = False
    for place, match in enumerate(found):
        quoted = match["phrase"] is not None
        part = _Part(
            excluded=excluded or match["minus"] is not None, field=match["field"] and match["field"].lower(),
            text=match["phrase"] if quoted else match["word"] or "", quoted=quoted,
        )
        # Behind the last word, or before the first, there is nothing to tie.
        ties = place < len(found) - 1
        excluded = ties and _is_word(part, "NOT")
        if not excluded and not (ties and place and _is_word(part, "AND")):
            yield part


def _is_word(part: _Part, word: str) -> bool:
    return part.text == word and not (part.quoted or part.field or part.excluded)


def _term(part: _Part) -> Term | None:
    text = part.text
    if part.field == "blog":
        text = re.sub(r"^https?://", "", text, flags=re.IGNORECASE)
    found = units(text)
    if not found:
        return None
    beginning = not part.quoted and text.endswith("*") and not is_paired(found[-1])
    return Term(units=found, field=cast("Field | None", part.field), beginning=beginning)


def _day(part: _Part) -> datetime:
    match = _DATE.fullmatch(part.text.strip())
    try:
        if match is None:
            raise ValueError(part.text)  # noqa: TRY301 - said to the user below, as for the 32nd of May
        year, month, day = (int(each or 1) for each in match.groups())
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        raise UsageError(
            f"{part.text!r} is not a date",
            advice=f"write {part.field}:2024, {part.field}:2024-05 or {part.field}:2024-05-31",
        ) from None
