"""What noise does to search: P, R and MAP of the same queries on pages, cleaned pages and everlog's articles.

    python benchmarks/retrieval.py                    # the whole corpus, as a section of docs/internals/accuracy.md
    python benchmarks/retrieval.py --json             # for programs, query by query
    python benchmarks/retrieval.py --blogs 12 --least 10

Definitions are in docs/internals/evaluation.md. `--least` is for a few blogs, which have no queries with twenty
relevant documents.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from itertools import count
from typing import TYPE_CHECKING, Any

from accuracy_papers import LEAST, retrieval_section
from blogs import add_corpus_arguments, chosen_blogs, say
from everlog.errors import EverlogError
from papers.retrieval import measure_retrieval
from papers.retrieval_queries import Plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from papers.retrieval import Asked


def as_json(asked: Sequence[Asked]) -> str:
    """Means, differences, and the figures of every query."""
    return json.dumps([_one(one) for one in asked], ensure_ascii=False, indent=1)


def _one(asked: Asked) -> dict[str, Any]:
    return {
        "posts": asked.posts, "comments": asked.comments, "documents": len(asked.documents),
        "means": asked.rows(), "by kind": asked.rows_by_kind(), "differences": asked.differences(),
        "queries": [
            {"kind": query.kind, "query": str(query),
             **{edition: asdict(answers[place]) for edition, answers in asked.answers.items()}}
            for place, query in enumerate(asked.queries)
        ],
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_corpus_arguments(parser)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--least", type=int, default=LEAST, help="relevant documents of a query")
    arguments = parser.parse_args()
    blogs = chosen_blogs(arguments)
    number = count(1)
    try:
        asked = measure_retrieval(
            blogs, Plan(least_relevant=arguments.least), jobs=arguments.jobs,
            done=lambda _: say(f"{next(number)}/{len(blogs)} blogs"),
        )
    except EverlogError as error:
        sys.exit(str(error))
    print(as_json(asked) if arguments.json else retrieval_section(asked, arguments.least))


if __name__ == "__main__":
    main()
