"""Terms of posts: tags, names and languages as filters compare them. Pure."""

from __future__ import annotations

from functools import lru_cache

from everlog.core.words import fold

# An index of PostgreSQL takes texts of 2,704 bytes; a tag of more than a hundred characters is a sentence.
LONGEST_TERM = 100


@lru_cache(maxsize=16_384)
def term_of(name: str) -> str:
    """A tag or a name as it is compared.

    >>> term_of(" Night   Trains")
    'night trains'
    """
    return " ".join(fold(name).split())[:LONGEST_TERM]


def language_term(language: str) -> str:
    """A language as it is filtered by: whoever wants English wants that of all countries.

    >>> language_term("en_GB"), language_term("zh-Hant")
    ('en', 'zh')
    """
    return language.replace("_", "-").partition("-")[0].strip().lower()[:LONGEST_TERM]
