"""Title, authors and tags learned together: one index of small texts and one walk over each page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from everlog.learning.authors import author_candidates, rank_authors
from everlog.learning.places import Places, views_for
from everlog.learning.tags import rank_tags, tag_candidates
from everlog.learning.titles import rank_titles, title_candidates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.layout import Vocabulary
    from everlog.learning.samples import Sample
    from everlog.records import Feed
    from everlog.rules import Ranked


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
