"""Sentences by chance that is none: the same seed says the same words, on every machine and Python."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """How a blog sounds.

    A sentence has slots in braces; each slot is filled from the list of its name. The phrases carry
    their own articles and endings, so that every filling is a sentence.
    """

    titles: tuple[str, ...]
    tags: tuple[str, ...]
    headings: tuple[str, ...]
    sentences: tuple[str, ...]
    slots: Mapping[str, tuple[str, ...]]
    join: str = " "


def paragraph(voice: Voice, *seed: object) -> str:
    """Two to four sentences."""
    return voice.join.join(sentence(voice, *seed, at) for at in range(2 + dice(3, *seed, "sentences")))


def sentence(voice: Voice, *seed: object) -> str:
    """One sentence, its slots filled."""
    pattern = voice.sentences[dice(len(voice.sentences), *seed, "pattern")]
    filling = {name: words[dice(len(words), *seed, name)] for name, words in voice.slots.items()}
    filled = pattern.format(**filling)
    return filled[0].upper() + filled[1:]


def dice(sides: int, *seed: object) -> int:
    """A number below `sides` that depends on the seed alone.

    >>> dice(6, "demo", 1), dice(6, "demo", 1)
    (2, 2)
    """
    digest = hashlib.sha256(repr(seed).encode()).digest()
    return int.from_bytes(digest[:8], "big") % sides
