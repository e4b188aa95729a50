"""Verdicts on made blogs with gaps of every kind, beside what is so.

    benchmarks/completeness_made.py [--blogs N] [--seed N] [--only WORDS] [--gate]

Each blog is crawled in memory, by the same code as ever behind the door of HTTP, and judged; where something happens at
it later, after an update. A `yes` is wrong if a post that strangers may read is not held; a `no` if nothing is missing,
or nothing of what it names. Of comments a `yes` is wrong if one is not held, a `no` if all are. Both are told from the
site itself and from what the archive holds. What is neither wrong nor what it should be is counted apart.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from completeness_wall_kinds import KINDS
from everlog.archive import open_archive
from everlog.core.urls import canonical
from everlog.settings import make_settings
from everlog.usecases.completeness import completeness_of
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.crawl.crawl_context import CrawlRun
from everlog.usecases.crawl.report import Tally

if TYPE_CHECKING:
    from completeness_kinds import Case

BLOGS = 200
# What verdicts must reach: no wrong `yes` at all, and at most so many of a hundred a wrong `no`.
MOST_WRONG_NO = 0.02


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One blog: what was said of it, and what is so."""

    kind: str
    seed: int
    answer: str
    is_allowed: bool
    wrong: str | None
    misnamed: tuple[str, ...]
    unnamed: tuple[str, ...]
    lost: int
    held: int
    sentence: str
    talk: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blogs", type=int, default=BLOGS, help=f"how many are made (default {BLOGS})")
    parser.add_argument("--seed", type=int, default=1, help="what they are made from")
    parser.add_argument("--only", default="", help="only kinds with these words in their name")
    parser.add_argument("--gate", action="store_true", help="exit 1 for any wrong yes, or too many a wrong no")
    parser.add_argument("--json", action="store_true", help="print JSON, not Markdown")
    parser.add_argument("-v", "--verbose", action="store_true", help="say what was wrong or undecided, blog by blog")
    arguments = parser.parse_args()
    start = time.process_time()
    outcomes = list(judged(arguments.blogs, arguments.seed, arguments.only))
    if arguments.json:
        print(json.dumps([vars(each) for each in outcomes], indent=1))
    else:
        print_table(outcomes)
        print(f"{time.process_time() - start:.0f} s of CPU")
    if arguments.verbose:
        print_odd(outcomes)
    if arguments.gate:
        hold(outcomes)


def judged(blogs: int, seed: int = 1, only: str = "") -> list[Outcome]:
    """The outcomes of so many blogs, the kinds taking turns."""
    names = [name for name in KINDS if only.lower() in name.lower()]
    outcomes = []
    for place in range(blogs):
        name, number = names[place % len(names)], seed * 1000 + place
        outcomes.append(outcome_of(name, number))
    return outcomes


def outcome_of(name: str, seed: int) -> Outcome:
    """One blog of a kind, crawled and judged."""
    case = KINDS[name](Random(f"{name}/{seed}"))  # noqa: S311 - made blogs, the same every time
    known, held, comments = verdict_on(case)
    verdict, talk = known["posts"], known["comments"]
    lost = {canonical(case.site.link(post)) for post in case.site.public} - held
    named = {canonical(gap["url"]) for gap in verdict["missing"]}
    fair = {*map(canonical, case.fair)}
    excused = {canonical(gap["url"]) for gap in verdict["excused"]}
    answer = verdict["answer"]
    wrong = None
    # Of a post whose text alone was told something is held, and it is missing all the same.
    if answer == "yes" and (lost or answer not in case.answers):
        wrong = "yes"
    elif answer == "no" and not named & (lost | fair):
        wrong = "no"
    lost_talk = case.site.readable - comments
    if (talk["answer"] == "yes" and lost_talk) or (talk["answer"] == "no" and not lost_talk):
        wrong = wrong or talk["answer"]
    unnamed = lost - named - {*map(canonical, case.unnamed)} if answer == "no" else set()
    if answer == "yes":
        unnamed = {canonical(url) for url in case.excused} - excused
    return Outcome(
        kind=name, seed=seed, answer=answer, wrong=wrong,
        is_allowed=answer in case.answers and (not case.talk or talk["answer"] in case.talk),
        misnamed=tuple(sorted(named - lost - fair)), unnamed=tuple(sorted(unnamed)), lost=len(lost), held=len(held),
        sentence=verdict["sentence"], talk=talk["sentence"],
    )


def verdict_on(case: Case) -> tuple[dict[str, Any], set[str], set[int]]:
    """The verdict on a blog after a crawl, and what the archive holds: addresses of posts, numbers of comments."""
    with tempfile.TemporaryDirectory(prefix="everlog-made-") as folder, \
            open_archive(Path(folder) / "a", create=True) as archive:
        settings = make_settings({"min_free_bytes": 0, "render": "never", "media": False}, case.settings)
        run = CrawlRun(
            fetcher=case.web, archive=archive, settings=settings, tally=Tally(blog=case.site.home),
            now=lambda: case.web.now,
        )
        asyncio.run(archive_blog(case.site.home, run))
        if case.later is not None:
            case.later()
            asyncio.run(archive_blog(case.site.home, run))
        blog = archive.blogs()[0]
        posts = list(archive.posts())
        held = {canonical(url) for post in posts for url in (post.url, *post.aliases)}
        numbers = (each.id for post in posts for each in post.comments)
        comments = {int(number) for number in numbers if number is not None and number.isdecimal()}
        return completeness_of(blog, archive).to_dict(), held, comments


def hold(outcomes: list[Outcome]) -> None:
    """Leave with 1 if a verdict promises too much, or too many cry wolf."""
    yes, no = (sum(each.wrong == answer for each in outcomes) for answer in ("yes", "no"))
    if yes or no > MOST_WRONG_NO * len(outcomes):
        sys.exit(f"{yes} wrong yes (none allowed), {no} wrong no of {len(outcomes)} (at most {MOST_WRONG_NO:.0%})")


def print_table(outcomes: list[Outcome]) -> None:
    """Kind by kind, then all."""
    print("| kind | blogs | yes | no | unknown | wrong yes | wrong no | wrong names | undecided |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in [*dict.fromkeys(each.kind for each in outcomes), "all"]:
        rows = [each for each in outcomes if name in {each.kind, "all"}]
        said = Counter(each.answer for each in rows)
        print(
            f"| {name} | {len(rows)} | {said['yes']} | {said['no']} | {said['unknown']} | "
            f"{sum(each.wrong == 'yes' for each in rows)} | {sum(each.wrong == 'no' for each in rows)} | "
            f"{sum(bool(each.misnamed or each.unnamed) for each in rows)} | "
            f"{sum(not each.is_allowed and each.wrong is None for each in rows)} |"
        )


def print_odd(outcomes: list[Outcome]) -> None:
    """What was wrong, wrongly named or not decided, on stderr."""
    for each in outcomes:
        if each.wrong or each.misnamed or each.unnamed or not each.is_allowed:
            print(
                f"{each.kind} ({each.seed}): {each.answer}{' WRONG' if each.wrong else ''}; held {each.held}, lost "
                f"{each.lost}; {each.sentence}\n    {each.talk}\n    "
                f"wrongly named {each.misnamed[:3]}, not named {each.unnamed[:3]}",
                file=sys.stderr,
            )


if __name__ == "__main__":
    main()
