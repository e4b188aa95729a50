"""Crawls of the corpus without a network: which posts are reached, and how many requests that takes.

    python benchmarks/simulated_crawls.py [FOLDER...] [--blogs N] [--json] [--to-the-end]

A crawl starts at the home page and the feed's entries, as everlog does, and uses its links, verdicts,
frontier and rule to stop. Sites are cut: many links answer 404 and are requests all the same.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field
from statistics import mean
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from blogs import add_corpus_arguments, chosen_blogs, say
from everlog.core.links import page_links, trap
from everlog.core.scope import Scope
from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import UnreadablePage
from everlog.frontier import Frontier
from post_pages import NEW_ADDRESSES, judge_of
from tables import markdown_table, percent

if TYPE_CHECKING:
    from everlog.evaluate.corpus import Blog
    from everlog.extract.classify import PostClassifier

SHARE = 0.9
THIS_YEAR = 2026


@dataclass(slots=True)
class Crawl:
    """One crawl: what was asked for, and after how many requests each post was had."""

    blog: Blog
    classifier: PostClassifier
    wanted: dict[str, set[tuple[str, str]]]
    listed: frozenset[tuple[str, str]] = frozenset()
    frontier: Frontier = field(default_factory=Frontier)
    seen: set[str] = field(default_factory=set)
    had: dict[str, int] = field(default_factory=dict)
    posts: set[str] = field(default_factory=set)
    kept: list[int] = field(default_factory=list)
    requests: int = 0
    missing: int = 0
    refused: int = 0
    odd: list[str] = field(default_factory=list)
    # Pages in a row that brought nothing before one that did, for the evidence of the rule to stop.
    quiet: int = 0
    longest_quiet: int = 0
    ended: str = "every address was visited"

    def run(self, *, to_the_end: bool = False) -> None:
        """Visit until nothing waits, or nothing new can be expected."""
        self._add(self.blog.origin + "/", "page")
        for url in self.classifier.examples:
            self._add(url, "post")
        while (following := self.frontier.next()) is not None:
            self._visit(following[1])
            why = None if to_the_end else self.frontier.exhausted()
            if why is not None:
                self.ended = why
                return

    def _visit(self, url: str) -> None:
        self.requests += 1
        if self.blog.key(url) in self.listed:
            self.kept.append(self.requests)
        page = self.blog.page(url)
        try:
            root = parse(page) if page and page.strip() else None
        except UnreadablePage:
            root = None
        if root is None:
            self.missing += 1
            self.frontier.learn(url, 0, failed=True)
            return
        # Reading the page comes after its links and the verdict: it takes the tree apart.
        verdict = self.classifier.verdict(url, root)
        new = sum(self._found(link.url) for link in page_links(root, url, within=Scope(self.blog.origin + "/")))
        is_post = verdict.kind == "post"
        if is_post:
            self._have(url, self.classifier.identity(url, root))
            if not verdict.by_url:
                self._odd_address(url)
        if not is_post or new:
            self.frontier.learn(url, new, post=is_post)
            self.longest_quiet = max(self.longest_quiet, self.quiet) if new else self.longest_quiet
            self.quiet = 0 if new else self.quiet + 1

    def _found(self, url: str) -> bool:
        if trap(url, this_year=THIS_YEAR):
            self.refused += canonical(url) not in self.seen
            self.seen.add(canonical(url))
            return False
        likely = self.classifier.likely_post(url)
        return self._add(url, "post" if likely else "page") and likely

    def _add(self, url: str, lane: Any) -> bool:
        key = canonical(url)
        if key in self.seen:
            return False
        self.seen.add(key)
        self.frontier.add(url, key, lane)
        return True

    def _have(self, url: str, identity: str) -> None:
        if identity not in self.posts and not self.listed:
            self.kept.append(self.requests)
        self.posts.add(identity)
        keys = {self.blog.key(url), self.blog.key("http://" + identity)}
        for name, known in self.wanted.items():
            if name not in self.had and keys & known:
                self.had[name] = self.requests

    def _odd_address(self, url: str) -> None:
        self.odd.append(url)
        if len(self.odd) % NEW_ADDRESSES == 0:
            self.classifier = self.classifier.with_urls(self.odd)


def main() -> None:
    arguments = _arguments()
    rows = [row for blog in chosen_blogs(arguments) if (row := measure(blog, to_the_end=arguments.to_the_end))]
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    heads = ["blog", "posts", "reached", "requests", "404", "kept", "traps", "for 90 %", "over the least"]
    print(markdown_table(heads, [[row["blog"], row["wanted"], percent(row["recall"]), row["requests"], row["missing"],
                                  row["posts"], row["refused"], row["needed"], row["ratio"]] for row in rows]))
    print(f"\nreached, mean over {len(rows)} blogs: {percent(mean(row['recall'] for row in rows))} %; "
          f"requests: {sum(row['requests'] for row in rows):,}; "
          f"stopped before the end: {sum(not row['ended'].startswith('every') for row in rows)}; "
          f"longest row of pages without a new post before one: {max(row['longest_quiet'] for row in rows)}")


def measure(blog: Blog, *, to_the_end: bool = False) -> dict[str, Any] | None:
    """A crawl of one blog, in figures."""
    classifier = judge_of(blog)
    if classifier is None:
        return None
    wanted = {row.url: set(blog.keys(row)) for row in blog.truth() if row.reachable and blog.truth_page(row)}
    crawl = Crawl(blog, classifier, wanted, _listed_posts(blog))
    crawl.run(to_the_end=to_the_end)
    # The truth knows a part of the posts: the order is judged by all that are listed, or were kept.
    count = -(-(len(crawl.listed) or len(crawl.kept)) * 9 // 10)
    needed = crawl.kept[count - 1] if len(crawl.kept) >= count else None
    say(f"  {blog.id}: {len(crawl.had)}/{len(wanted)} in {crawl.requests}; {crawl.ended}")
    return {
        "blog": blog.id, "wanted": len(wanted), "recall": len(crawl.had) / len(wanted), "requests": crawl.requests,
        "missing": crawl.missing, "posts": len(crawl.posts), "refused": crawl.refused, "needed": needed,
        "ratio": round(needed / count, 2) if needed else None, "ended": crawl.ended,
        "longest_quiet": crawl.longest_quiet, "lost": sorted(set(wanted) - set(crawl.had)),
    }


def _listed_posts(blog: Blog) -> frozenset[tuple[str, str]]:
    """The pages that the corpus lists as posts, if it has a list."""
    file = blog.folder / "pages.jsonl"
    rows = map(json.loads, file.read_text("utf-8").splitlines()) if file.is_file() else ()
    return frozenset(blog.key(urljoin(blog.origin, row["path"])) for row in rows if row["kind"] == "post")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_corpus_arguments(parser)
    parser.add_argument("--to-the-end", action="store_true", help="go on until nothing waits")
    return parser.parse_args()


if __name__ == "__main__":
    main()
