"""Where learning spends its time: cProfile over the blogs of the corpus.

    python benchmarks/profile_learning.py --blogs 10                 # by time in the function itself
    python benchmarks/profile_learning.py --blogs 10 --sort cumulative --top 60
    python benchmarks/profile_learning.py --reading --blogs 10       # the same for reading posts

The profiler makes calls of Python functions look dearer than they are; speed.py has the true times.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import re

import everlog
from blogs import add_corpus_arguments, chosen_blogs, learned, say, training, unseen_pages
from everlog.errors import EverlogError
from tables import markdown_table


def profile_learning(arguments: argparse.Namespace) -> cProfile.Profile:
    """All blogs learned, the loading of their files not counted."""
    profile = cProfile.Profile()
    for number, blog in enumerate(chosen_blogs(arguments)):
        feed, pages = training(blog)
        if number == 0:
            learned(blog)  # loads word lists
        try:
            profile.runcall(everlog.learn, feed, pages, feed_url=blog.feed_url)
        except EverlogError as error:
            say(f"{blog.id}: {error}")
    return profile


def profile_reading(arguments: argparse.Namespace) -> cProfile.Profile:
    """Some posts of all blogs read, learning not counted."""
    profile = cProfile.Profile()
    for blog in chosen_blogs(arguments):
        template = learned(blog)
        if template is None:
            continue
        for number, (url, page) in enumerate(unseen_pages(blog, arguments.pages)):
            if number == 0:
                template.read(page, url)  # compiles the rules
            profile.runcall(template.reader.read, page, url, None, None, html=False)
    return profile


def top_functions(profile: cProfile.Profile, sort: str, top: int) -> list[dict[str, object]]:
    """The functions that cost most, with seconds and share of the whole."""
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    whole = sum(own for _, _, own, _, _ in stats.values()) or 1.0
    place = 2 if sort == "own" else 3
    ordered = sorted(stats.items(), key=lambda item: -item[1][place])[:top]
    return [
        {"function": _name(*where), "calls": figures[1], "own": figures[2], "cumulative": figures[3],
         "share": figures[place] / whole}
        for where, figures in ordered
    ]


def _name(file: str, line: int, function: str) -> str:
    module = re.sub(r"^.*?/(?:site-packages|src|lib/python[\d.]+)/", "", file)
    return f"{module}:{line} {function}" if line else function


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_corpus_arguments(parser)
    parser.add_argument("--sort", choices=("own", "cumulative"), default="own")
    parser.add_argument("--top", type=int, default=30)
    parser.add_argument("--reading", action="store_true", help="profile reading, not learning")
    parser.add_argument("--pages", type=int, default=10, help="posts read of each blog (default: 10)")
    arguments = parser.parse_args()
    profile = profile_reading(arguments) if arguments.reading else profile_learning(arguments)
    rows = top_functions(profile, arguments.sort, arguments.top)
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    print(markdown_table(["function", "calls", "own ms", "cumulative ms", "%"], [
        [f"`{row['function']}`", row["calls"], f"{1000 * row['own']:.0f}", f"{1000 * row['cumulative']:.0f}",
         f"{100 * row['share']:.1f}"] for row in rows
    ]))


if __name__ == "__main__":
    main()
