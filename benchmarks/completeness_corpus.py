"""Verdicts on real blogs that were cut, beside what somebody read in their files.

    benchmarks/completeness_corpus.py [FOLDER...] [--server SERVE.PY] [--archives FOLDER] [--gate]

Each blog is crawled as `crawl_corpus.py` does it, or was already: `--archives` is where that kept its archives. What
must be said was written down by hand, from the blogs' files, before any verdict was looked at
(`completeness_by_hand.json`). A verdict is right if its answer is, if it names every post that the blog's lists name
and no file answers for, and nothing that is none.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blogs import add_corpus_arguments, chosen_blogs, say
from completeness_by_hand import Expectation, Key, entries, expectation, key_of, may_be_named
from crawl_corpus import SERVER, crawled, held_posts, served
from everlog.archive import open_archive
from everlog.usecases.completeness import completeness_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.evaluate.corpus import Blog

# Of the posts that lists name, so many must be named. Measured: 99.1 % of those of 84 blogs, 98.8 % of those of
# the 28 that `.ci/run` crawls.
NAMED = 0.97
# Addresses that may be named wrongly, all blogs together. Measured: 66 of 84 blogs, 16 of the 28 that `.ci/run` crawls.
MISNAMED = 70
SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One blog: what was said, what was expected, and where the two differ."""

    blog: str
    answer: str
    expected: Expectation
    named: frozenset[Key]
    unnamed: frozenset[Key]
    misnamed: frozenset[Key]
    sentence: str

    @property
    def is_right(self) -> bool:
        return self.answer in self.expected.answers

    @property
    def share_named(self) -> float:
        return 1 - len(self.unnamed) / len(self.expected.missing) if self.expected.missing else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--server", type=Path, default=SERVER, help="the corpus's server script")
    parser.add_argument("--archives", type=Path, help="archives that crawl_corpus.py kept")
    parser.add_argument("--keep", type=Path, help="keep the archives in this folder")
    parser.add_argument("--jobs", type=int, default=2, help="crawls at once")
    parser.add_argument("-v", "--verbose", action="store_true", help="name what differs")
    parser.add_argument("--gate", action="store_true", help="exit 1 if answers are wrong, or posts are not named")
    parser.add_argument("--allowed", type=int, default=0, help="wrong answers that the gate lets pass, none a yes")
    parser.add_argument("--misnamed", type=int, default=MISNAMED, help="wrong names that the gate lets pass")
    arguments = parser.parse_args()
    chosen = chosen_blogs(arguments)
    if arguments.archives is not None:
        chosen = [blog for blog in chosen if (arguments.archives / blog.id).is_dir()]
    told = entries()
    for blog in chosen:
        if blog.id not in told:
            say(f"  {blog.id}: left out, nobody wrote down what must be said of it")
    chosen = [blog for blog in chosen if blog.id in told]
    with tempfile.TemporaryDirectory() as scratch:
        where = arguments.archives or arguments.keep or Path(scratch)
        if arguments.archives is None:
            crawl(chosen, arguments.server, where, Path(scratch) / "log.tsv", arguments.jobs)
        outcomes = [outcome_of(blog, where, told[blog.id]) for blog in chosen]
    print_all(outcomes, as_json=arguments.json, verbose=arguments.verbose)
    if arguments.gate:
        hold(outcomes, arguments.allowed, arguments.misnamed)


def crawl(blogs: list[Blog], server: Path, where: Path, log: Path, jobs: int) -> None:
    """Crawl blogs through the corpus's server, each into an archive of its own."""
    with served({blog.folder.parent for blog in blogs}, server, log) as proxy, ThreadPoolExecutor(jobs) as pool:
        for blog, done in zip(blogs, pool.map(lambda blog: crawled(blog, proxy, log, where), blogs), strict=True):
            say(f"  {blog.id}: {done.stored} posts, {done.seconds:.0f} s")


def outcome_of(blog: Blog, where: Path, entry: Mapping[str, Any]) -> Outcome:
    """The verdict on one blog beside what is expected."""
    verdict = verdict_on(where / blog.id)
    expected = expectation(entry, blog)
    held = held_posts(where / blog.id, blog)
    named = {key_of(entry, blog, gap["url"]): gap["url"] for gap in verdict["missing"]}
    # What the truth calls a post and the crawl did not bring is rightly called missing, whatever the reason.
    lost = {key for truth in blog.truth() for key in blog.keys(truth) if key not in held}
    misnamed = {
        key for key, url in named.items()
        if key not in expected.missing and key not in lost and not may_be_named(entry, blog, url)
    }
    return Outcome(
        blog=blog.id, answer=verdict["answer"], expected=expected, named=frozenset(named),
        unnamed=expected.missing - named.keys(), misnamed=frozenset(misnamed), sentence=verdict["sentence"],
    )


def verdict_on(archive: Path) -> dict[str, Any]:
    """The verdict on the posts of the one blog of an archive."""
    with open_archive(archive, create=True) as opened:
        blogs = opened.blogs()
        if not blogs:
            return {"answer": "unknown", "missing": [], "sentence": "it was not crawled"}
        return completeness_of(blogs[0], opened).to_dict()["posts"]


def hold(outcomes: list[Outcome], allowed: int, most_misnamed: int = MISNAMED) -> None:
    """Leave with 1 if answers are wrong, any of them a `yes`, or a `no` names too little, or what is not missing."""
    wrong = [each.blog for each in outcomes if not each.is_right]
    promised = [each.blog for each in outcomes if each.answer == "yes" and not each.is_right]
    wanted = sum(len(each.expected.missing) for each in outcomes)
    named = 1 - sum(len(each.unnamed) for each in outcomes) / wanted if wanted else 1.0
    misnamed = sum(len(each.misnamed) for each in outcomes)
    if promised or len(wrong) > allowed or named < NAMED or misnamed > most_misnamed:
        sys.exit(
            f"wrong answers: {', '.join(wrong) or 'none'}; {named:.1%} of missing posts named (floor {NAMED:.0%}); "
            f"{misnamed} addresses wrongly named (at most {most_misnamed})",
        )


def print_all(outcomes: list[Outcome], *, as_json: bool, verbose: bool) -> None:
    """A row for each blog, what differs first."""
    if as_json:
        rows = [{"blog": each.blog, "answer": each.answer, "expected": sorted(each.expected.answers),
                 "is_right": each.is_right, "named": len(each.named), "unnamed": sorted(map("".join, each.unnamed)),
                 "misnamed": sorted(map("".join, each.misnamed))} for each in outcomes]
        print(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    print("| blog | answer | expected | missing posts | named | not named | wrongly named | from |")
    print("|---|---|---|---|---|---|---|---|")
    for each in sorted(outcomes, key=lambda each: (each.is_right, each.share_named, -len(each.misnamed))):
        answer = each.answer if each.is_right else f"{each.answer} (wrong)"
        print(f"| {each.blog} | {answer} | {' or '.join(sorted(each.expected.answers))} | "
              f"{len(each.expected.missing)} | {len(each.named)} | {len(each.unnamed)} | {len(each.misnamed)} | "
              f"{each.expected.why} |")
        if verbose:
            for what, keys in (("not named", each.unnamed), ("wrongly named", each.misnamed)):
                for key in sorted(keys)[:SHOWN]:
                    print(f"    {what}: {''.join(key)}", file=sys.stderr)
    wanted = sum(len(each.expected.missing) for each in outcomes)
    print(f"\n{sum(each.is_right for each in outcomes)} of {len(outcomes)} answers are right "
          f"({', '.join(f'{count} {answer}' for answer, count in Counter(each.answer for each in outcomes).items())}); "
          f"{wanted - sum(len(each.unnamed) for each in outcomes)} of {wanted} missing posts named, "
          f"{sum(len(each.misnamed) for each in outcomes)} addresses wrongly named")


if __name__ == "__main__":
    main()
