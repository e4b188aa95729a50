"""Sentence of a verdict: what a person is told first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

# Why a post lacks comments, where nothing is known of them: there may be none.
NOT_FETCHED = "its comments could not be fetched"
# What is added to the reason of a post whose text an interface told, and whose page is missing.
TEXT_ALONE = ", only its text is held"
# Reasons that are named in a sentence; the table below it has all of them.
_NAMED = 5


def posts_sentence(
    answer: Literal["yes", "no", "unknown"], *, held: int, missing: Sequence[str], excused: Sequence[str],
    told_by: str | None, why_unknown: str,
) -> str:
    """The verdict on posts. `missing` and `excused` are the reasons, one for each post.

    >>> posts_sentence("yes", held=298, missing=[], excused=["password"] * 2, told_by="WordPress REST", why_unknown="")
    'all posts are here: 298 held, as WordPress REST lists them; 2 cannot be had (password)'
    >>> posts_sentence("no", held=288, missing=["HTTP 404"] * 10, excused=[], told_by=None, why_unknown="")
    'not all posts are here: 288 held, 10 missing (HTTP 404)'
    >>> posts_sentence("unknown", held=7, missing=[], excused=[], told_by=None, why_unknown="nobody lists them")
    '7 posts held, none known to be missing; there may be more: nobody lists them'
    """
    beside = f"; {len(excused):,} cannot be had ({_reasons(excused)})" if excused else ""
    if answer == "yes":
        return f"all posts are here: {held:,} held, as {told_by} lists them{beside}"
    if answer == "no":
        return f"not all posts are here: {held:,} held, {len(missing):,} missing ({_reasons(missing)}){beside}"
    posts = "1 post" if held == 1 else f"{held:,} posts"
    return f"{posts} held, none known to be missing{beside}; there may be more: {why_unknown}"


def comments_sentence(
    answer: Literal["yes", "no", "unknown"], *, held: int, missing: Sequence[str], told_by: str | None,
    why_unknown: str,
) -> str:
    """The verdict on comments. `missing` are the reasons, one for each post that lacks some.

    >>> comments_sentence("yes", held=3, missing=[], told_by="Blogger", why_unknown="")
    'all comments are here: 3 held, as Blogger lists them'
    >>> comments_sentence("no", held=3, missing=[NOT_FETCHED, "the site counts 5"], told_by=None, why_unknown="")
    'not all comments are here: 3 held; those of 1 post could not be fetched; 1 post lacks some'
    """
    if answer == "yes":
        return f"all comments are here: {held:,} held, as {told_by} lists them"
    if answer == "no":
        failed = missing.count(NOT_FETCHED)
        short = len(missing) - failed
        said = [f"not all comments are here: {held:,} held"]
        if failed:
            said.append(f"those of {'1 post' if failed == 1 else f'{failed:,} posts'} could not be fetched")
        if short:
            said.append("1 post lacks some" if short == 1 else f"{short:,} posts lack some")
        return "; ".join(said)
    comments = "1 comment" if held == 1 else f"{held:,} comments"
    return f"{comments} held, none known to be missing; there may be more: {why_unknown}"


def _reasons(reasons: Sequence[str]) -> str:
    """The most frequent reasons with their numbers, and of how many posts the text is held after all.

    >>> _reasons(["gone: HTTP 404", "gone: HTTP 404", "password"])
    '2 × gone: HTTP 404; 1 × password'
    >>> _reasons(["HTTP 404" + TEXT_ALONE, "HTTP 404"])
    'HTTP 404; of 1 only the text is held'
    """
    counts = Counter(_kind(reason.removesuffix(TEXT_ALONE)) for reason in reasons)
    said = [f"{count:,} × {reason}" for reason, count in counts.most_common(_NAMED)] if len(counts) > 1 else [*counts]
    others = counts.total() - sum(count for _, count in counts.most_common(_NAMED))
    told = sum(reason.endswith(TEXT_ALONE) for reason in reasons)
    if others:
        said.append(f"{others:,} for other reasons")
    return "; ".join([*said, *([f"of {told:,} only the text is held"] if told else [])])


def _kind(reason: str) -> str:
    """A reason without the address that it may name."""
    words = [word for word in reason.split() if "://" not in word]
    said = " ".join(words).removesuffix(" at")
    # Where it leads is what the reason is about.
    said = f"{said} another address" if said.endswith(" leads to") else said.removesuffix(" to")
    return said.removesuffix(",").removesuffix(":")
