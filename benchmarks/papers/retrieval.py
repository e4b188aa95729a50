"""What noise does to search: the same queries on the same posts in several editions.

As in "Coping with noise in a real-world weblog crawler and retrieval system": the relevant documents of a
query are those that the index of the truth returns; an edition is the better, the more its index returns
the same. Comments are noise, as in the paper; where they are all known, they are content as well.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from everlog.errors import UsageError
from papers.readers import LEARNERS, collected
from papers.retrieval_editions import RAW, TRUTH, WITH_COMMENTS, diffpost, editions
from papers.retrieval_index import Index
from papers.retrieval_queries import Document, Plan, draw_queries
from papers.retrieval_scores import answer, difference, means
from processes import over_blogs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from everlog.evaluate.corpus import Blog
    from papers.retrieval_index import Query
    from papers.retrieval_scores import Answer

# As many as in the paper's Table 1.
COMPARISON = (1, 3, 5)
ALL, KNOWN = "all", "comments known"
NOISE, CONTENT = "noise", "content"
# Which posts are searched, what their comments are, and what is added to the names of editions.
SETTINGS = ((ALL, NOISE, ""), (KNOWN, NOISE, ""), (KNOWN, CONTENT, WITH_COMMENTS))

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A collection, the queries it was asked, and edition -> its answer to each."""

    posts: str
    comments: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    answers: Mapping[str, tuple[Answer, ...]]

    def rows(self) -> list[Row]:
        """P, R and MAP of each edition, over all queries."""
        return [
            {**self._about(), "queries": len(answers), "edition": edition, **means(answers)}
            for edition, answers in self.answers.items()
        ]

    def rows_by_kind(self) -> list[Row]:
        """The same for each kind of query."""
        kinds = [query.kind for query in self.queries]
        rows = []
        for kind in dict.fromkeys(kinds):
            for edition, answers in self.answers.items():
                chosen = [one for one, its in zip(answers, kinds, strict=True) if its == kind]
                rows.append({
                    **self._about(), "kind": kind, "queries": len(chosen), "edition": edition, **means(chosen),
                })
        return rows

    def differences(self) -> list[Row]:
        """Every edition beside every other: the difference of the means, and the p of a paired t-test."""
        return [
            {**self._about(), "edition": one, "beside": other, **_tested(self.answers[one], self.answers[other])}
            for one, other in combinations(self.answers, 2)
        ]

    def _about(self) -> Row:
        return {"posts": self.posts, "comments": self.comments}


def measure_retrieval(
    blogs: Sequence[Blog],
    plan: Plan | None = None,
    *,
    comparison: Sequence[int] = COMPARISON,
    jobs: int = 1,
    done: Callable[[str], None] = lambda _: None,
) -> list[Asked]:
    """Index all editions of all posts outside the feeds, and ask them what the plan says; `done` hears of each blog.

    A collection that is too small for any query is left out; if all are, that is an error.
    """
    plan = plan or Plan()
    starts, documents = _documents(blogs)
    queries = {posts: _queries(_members(documents, posts), plan) for posts in (ALL, KNOWN)}
    if not queries[ALL]:
        raise UsageError(
            f"no word of these blogs' titles occurs in {plan.least_relevant} articles: there is no query to run",
            advice="pass a corpus with more posts outside the feeds",
        )
    made = partial(editions, comparison=tuple(comparison), seed=plan.seed)
    with ExitStack() as stack:
        indexes: dict[str, Index] = defaultdict(lambda: stack.enter_context(Index()))
        for blog, texts in over_blogs(made, blogs, jobs=jobs):
            for number, by_edition in enumerate(texts, starts[blog.id]):
                for name, text in by_edition.items():
                    indexes[name].add(number, text)
            done("")
        return [
            Asked(
                posts=posts, comments=comments, documents=_members(documents, posts), queries=queries[posts],
                answers=_answers(indexes, _members(documents, posts), queries[posts], comparison, ending),
            )
            for posts, comments, ending in SETTINGS if queries[posts]
        ]


def _documents(blogs: Sequence[Blog]) -> tuple[dict[str, int], list[Document]]:
    """All posts, and the number of each blog's first one: the same whichever blog is done first."""
    starts: dict[str, int] = {}
    documents: list[Document] = []
    for blog in blogs:
        starts[blog.id] = len(documents)
        documents += [
            Document(
                number=number, blog=blog.id, language=blog.language.partition("-")[0].casefold(),
                title=row.title or "", authors=row.authors, text=row.text or "",
                comments_known=row.comments_complete,
            )
            for number, row in enumerate(collected(blog), len(documents))
        ]
    return starts, documents


def _members(documents: Sequence[Document], posts: str) -> tuple[Document, ...]:
    return tuple(document for document in documents if posts == ALL or document.comments_known)


def _queries(documents: Sequence[Document], plan: Plan) -> tuple[Query, ...]:
    with Index() as index:
        for document in documents:
            index.add(document.number, document.text)
        return draw_queries(documents, index, plan)


def _answers(
    indexes: Mapping[str, Index], documents: Sequence[Document], queries: Sequence[Query],
    comparison: Sequence[int], ending: str,
) -> dict[str, tuple[Answer, ...]]:
    members = frozenset(document.number for document in documents)
    relevant = [indexes[TRUTH + ending].matching(query) & members for query in queries]
    return {
        edition: tuple(
            answer(wanted, [number for number in indexes[edition].search(query) if number in members])
            for query, wanted in zip(queries, relevant, strict=True)
        )
        for edition in (RAW, *map(diffpost, comparison), *(name + ending for name in LEARNERS))
    }


def _tested(one: Sequence[Answer], other: Sequence[Answer]) -> Row:
    row: Row = {}
    for name, attribute in (("P", "precision"), ("R", "recall"), ("MAP", "average_precision")):
        tested = difference(*([getattr(each, attribute) for each in answers] for answers in (one, other)))
        row |= {name: tested.mean, f"p of {name}": tested.p}
    return row
