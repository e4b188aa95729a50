"""How well posts are told from other pages, with the feed and without, on blogs whose pages are labelled.

    python benchmarks/post_classifier.py
    python benchmarks/post_classifier.py --blogs 12 --json

The labels are in a blog's `pages.jsonl`; docs/internals/evaluation.md says which pages count.
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import count

from accuracy_papers import rows_table
from blogs import add_corpus_arguments, chosen_blogs, say
from everlog.errors import EverlogError
from papers.post_classifier import telling_rows


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_corpus_arguments(parser)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    arguments = parser.parse_args()
    blogs = chosen_blogs(arguments)
    number = count(1)
    try:
        rows = telling_rows(blogs, jobs=arguments.jobs, done=lambda _: say(f"{next(number)} blogs"))
    except EverlogError as error:
        sys.exit(str(error))
    print(json.dumps(rows, ensure_ascii=False, indent=1) if arguments.json else rows_table(rows))


if __name__ == "__main__":
    main()
