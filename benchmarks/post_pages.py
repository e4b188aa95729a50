"""Which pages are posts: what the judge learned from a feed says of every page of a blog, beside what is known.

    python benchmarks/post_pages.py [FOLDER...] [--blogs N] [--json] [--wrong]

Recall is over pages listed as posts (`pages.jsonl`) and over the posts of the truth that can be reached;
wrong are pages taken for posts that are listed as lists, static or other pages. Copies (`alias`,
`comment-page`) must have the identity of the post they are copies of. Addresses that the pages themselves proved to be
posts' teach the pattern once, as in a crawl.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from statistics import mean
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from blogs import add_corpus_arguments, chosen_blogs, learned, say, training
from everlog.core.tree import parse
from everlog.core.urls import absolute, canonical
from everlog.errors import UnreadablePage
from everlog.extract.classify import PostClassifier
from everlog.feeds import parse_feed
from stopwatch import plain_parse
from tables import markdown_table, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.evaluate.corpus import Blog
    from everlog.extract.classify import Verdict

NO_POSTS = ("listing", "page", "other")
COPIES = ("alias", "comment-page")
# Addresses that pages proved to be posts', before the pattern is learned anew.
NEW_ADDRESSES = 3


def main() -> None:
    arguments = _arguments()
    results = [result for blog in chosen_blogs(arguments) if (result := measure(blog)) is not None]
    if arguments.json:
        print(json.dumps(results, indent=1))
        return
    print(markdown_table(
        ["blog", "pattern", "truth", "recall", "posts", "recall", "taken", "wrong", "copies", "right"],
        [[row["blog"], f"`{row['pattern']}`", *_figures(row)] for row in results],
    ))
    print("\n" + "\n".join(summary(results)))
    if arguments.wrong:
        print("\n".join(text for row in results for text in row["mistakes"]))


def judge_of(blog: Blog) -> PostClassifier | None:
    """What the feed and the home page teach about a blog's posts."""
    template = learned(blog)
    if template is None:
        return None
    feed, pages = training(blog)
    links = [absolute(blog.feed_url, entry.link) for entry in parse_feed(feed, blog.feed_url).entries]
    home = blog.page(blog.origin + "/")
    return PostClassifier.learn(
        template, pages, home=blog.origin + "/", feed_urls=[link for link in links if link],
        others={blog.origin + "/": home} if home else {},
    )


def measure(blog: Blog) -> dict[str, Any] | None:
    """The verdicts on all known pages of a blog."""
    classifier = judge_of(blog)
    if classifier is None:
        return None
    pages = list(known_pages(blog))
    verdicts = _verdicts(classifier, pages)
    found = [url for (_, url, _, _), (verdict, _) in zip(pages, verdicts, strict=True)
             if verdict.kind == "post" and not verdict.by_url]
    if len(found) >= NEW_ADDRESSES:
        classifier = classifier.with_urls(found)
        verdicts = _verdicts(classifier, pages)
    counts: Counter[str] = Counter()
    mistakes: list[str] = []
    named = {canonical(url): identity for (_, url, _, _), (_, identity) in zip(pages, verdicts, strict=True)}
    for (kind, url, _, original), (verdict, identity) in zip(pages, verdicts, strict=True):
        is_post = verdict.kind == "post"
        counts[f"{kind} {verdict.kind}"] += 1
        if kind in COPIES and is_post:
            post = canonical(original) if original else identity
            counts["copies right"] += identity in {post, named.get(post)}
        if (kind in {"post", "truth"} and not is_post) or (kind in NO_POSTS and is_post):
            mistakes.append(f"{blog.id}: {kind} taken for a {verdict.kind}: {url} ({verdict.note})")
    say(f"  {blog.id}: {len(pages)} pages, {len(mistakes)} mistakes")
    return {"blog": blog.id, "pattern": classifier.pattern.regex, "counts": dict(counts), "mistakes": mistakes,
            "speed": _speed(classifier, pages)}


def known_pages(blog: Blog) -> Iterator[tuple[str, str, bytes, str | None]]:
    """Kind, address and bytes of a blog's pages; posts of the truth are of a kind of their own."""
    seen: set[str] = set()
    for row in blog.truth():
        page = blog.truth_page(row)
        if row.reachable and page and page.strip():
            seen.add(row.url)
            yield "truth", row.url, page, None
    listed = blog.folder / "pages.jsonl"
    if not listed.is_file():
        return
    host = urlsplit(blog.origin)
    for line in listed.read_text("utf-8").splitlines():
        row = json.loads(line)
        page = (blog.folder / "site" / row["file"]).read_bytes()
        if row["kind"] in {"post", *NO_POSTS, *COPIES} and page.strip():
            original = row.get("alias_of")
            yield (row["kind"], f"{host.scheme}://{host.netloc}{row['path']}", page,
                   f"{host.scheme}://{host.netloc}/{original}" if original else None)


def summary(results: list[dict[str, Any]]) -> list[str]:
    """The figures over all blogs."""
    listed = [row for row in results if _count(row, "post")]
    taken = sum(row["counts"].get(f"{kind} post", 0) for row in results for kind in ("post", *NO_POSTS))
    wrong = sum(row["counts"].get(f"{kind} post", 0) for row in results for kind in NO_POSTS)
    copies = sum(_count(row, kind) for row in results for kind in COPIES)
    right = sum(row["counts"].get("copies right", 0) for row in results)
    truth = [row for row in results if _count(row, "truth")]
    parses, verdicts = (sum(row["speed"][place] for row in results) for place in (0, 1))
    return [
        f"recall of the truth's posts, mean over {len(truth)} blogs: {percent(mean(map(_recall_of_truth, truth)))} %",
        f"recall of listed posts, mean over {len(listed)} blogs: {percent(mean(map(_recall_of_posts, listed)))} %",
        f"taken for posts: {taken}, of these no posts: {wrong} ({100 * wrong / max(1, taken):.2f} %)",
        f"copies of posts: {copies}, of these named after the post: {right}",
        f"a verdict takes {verdicts / parses:.2f} of a plain parse of the page",
    ]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_corpus_arguments(parser)
    parser.add_argument("--wrong", action="store_true", help="name every page that was judged wrongly")
    return parser.parse_args()


def _verdicts(classifier: PostClassifier, pages: list[tuple[str, str, bytes, str | None]]) -> list[tuple[Verdict, str]]:
    verdicts = []
    for _, url, page, _ in pages:
        try:
            root = parse(page)
        except UnreadablePage:
            verdicts.append((classifier.verdict(url, page), canonical(url)))
            continue
        verdicts.append((classifier.verdict(url, root), classifier.identity(url, root)))
    return verdicts


def _speed(classifier: PostClassifier, pages: list[tuple[str, str, bytes, str | None]]) -> tuple[float, float]:
    """Seconds for parsing and for judging up to ten pages."""
    chosen = pages[:: max(1, len(pages) // 10)][:10]
    roots = [(url, parse(page)) for _, url, page, _ in chosen]
    start = time.perf_counter()
    for _, _, page, _ in chosen:
        plain_parse(page)
    between = time.perf_counter()
    for url, root in roots:
        classifier.verdict(url, root)
    return between - start, time.perf_counter() - between


def _count(row: dict[str, Any], kind: str) -> int:
    return sum(count for name, count in row["counts"].items() if name.rpartition(" ")[0] == kind)


def _recall_of_truth(row: dict[str, Any]) -> float:
    return float(row["counts"].get("truth post", 0) / _count(row, "truth"))


def _recall_of_posts(row: dict[str, Any]) -> float:
    return float(row["counts"].get("post post", 0) / _count(row, "post"))


def _figures(row: dict[str, Any]) -> list[Any]:
    counts = row["counts"]
    truth, posts = _count(row, "truth"), _count(row, "post")
    wrong = sum(counts.get(f"{kind} post", 0) for kind in NO_POSTS)
    return [
        truth, percent(_recall_of_truth(row)) if truth else None, posts or None,
        percent(_recall_of_posts(row)) if posts else None, counts.get("post post", 0) + wrong if posts else None,
        wrong if posts else None, sum(_count(row, kind) for kind in COPIES) or None, counts.get("copies right"),
    ]


if __name__ == "__main__":
    main()
