"""Title, authors and tags learned together: one index of small texts and one walk over each page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from everlog.extract.fields.authors_learn import author_candidates, rank_authors
from everlog.extract.fields.small_texts_learn import Places, views_for
from everlog.extract.fields.tags_learn import rank_tags, tag_candidates
from everlog.extract.fields.title_learn import rank_titles, title_candidates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.core.layout import Vocabulary
    from everlog.core.rules import Ranked
    from everlog.extract.samples import Sample
    from everlog.records import Feed


class Metadata(NamedTuple):
    """What was learned of each field."""

    title: Ranked
    authors: Ranked
    tags: Ranked


def learn_metadata(samples: Sequence[Sample], feed: Feed, vocabulary: Vocabulary | None = None) -> Metadata:
    """Rules for title, authors and tags, as `learn_titles`, `learn_authors` and `learn_tags` give them.

    `vocabulary` is that of the samples' layouts; learning is a little faster with it.
    """
    places = Places(samples, vocabulary)
    titles, authors, tags = title_candidates(places), author_candidates(places), tag_candidates(places)
    views = views_for(samples, (*titles, *authors, *tags))
    return Metadata(
        title=rank_titles(samples, titles, views),
        authors=rank_authors(samples, feed, authors, views),
        tags=rank_tags(samples, tags, views),
    )
