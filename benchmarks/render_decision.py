"""Which blogs `--render auto` opens a browser for, beside what is known of them.

    python benchmarks/render_decision.py [FOLDER...] [--blogs N] [--json] [--corrections FILE] [--allowed N]

For the article: a blog whose feed says what its pages lack. For the comments: post pages that embed a known
service. `comment_service` in blog.json says which service a blog uses, or null; where the key is missing
nothing is known, and the blog is shown without being judged. A file of corrections, `{"BLOG": "SERVICE"}` or
`{"BLOG": null}`, goes before what blog.json says. Ends with 1 if anything differs, but for N blogs whose label
was looked at and found to differ from their pages.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blogs import add_corpus_arguments, chosen_blogs, say, training
from everlog.comments.services import embedded
from everlog.core.tree import parse
from everlog.core.urls import absolute
from everlog.errors import EverlogError
from everlog.extract.classify.scripted import needs_browser
from everlog.feeds import parse_feed
from everlog.records import Page
from tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.evaluate.corpus import Blog

UNSAID = "not said"
# Pages of each blog on which the look for services is timed.
TIMED_PAGES = 2


def main() -> None:
    arguments = _arguments()
    corrections = json.loads(arguments.corrections.read_text("utf-8")) if arguments.corrections else {}
    results = [measure(blog, corrections) for blog in chosen_blogs(arguments)]
    if arguments.json:
        print(json.dumps(results, indent=1))
    else:
        shown = [row for row in results if row["embedded"] or row["said"] not in {None, UNSAID} or row["scripted"]]
        print(markdown_table(
            ["blog", "said", "embedded", "post pages", "without", "for the article", "verdict"],
            [[row["blog"], row["said"], ", ".join(row["embedded"]) or None, row["pages"], row["without"],
              "browser" if row["scripted"] else None, row["verdict"]] for row in shown],
        ))
        print("\n" + "\n".join(summary(results)))
    differing = sum(row["verdict"] == "differs" for row in results)
    sys.exit(differing > arguments.allowed or any(row["scripted"] for row in results))


def measure(blog: Blog, corrections: dict[str, str | None]) -> dict[str, Any]:
    """What the pages of a blog embed, and whether that is what is known of it."""
    said = said_of(blog, corrections)
    found: Counter[str] = Counter()
    pages = list(post_pages(blog))
    without = 0
    for page in pages:
        services = embedded(parse(page))
        found.update(service.name for service in services)
        without += not services
    scripted = is_scripted(blog)
    right = said == UNSAID or set(found) == ({said} if said else set())
    return {
        "blog": blog.id, "said": said, "embedded": dict(found), "pages": len(pages), "without": without,
        "scripted": scripted, "times": times_of(pages[:TIMED_PAGES]) if not found else [],
        "verdict": "differs" if scripted or not right else "not judged" if said == UNSAID and found else "right",
    }


def said_of(blog: Blog, corrections: dict[str, str | None]) -> str | None:
    known = json.loads((blog.folder / "blog.json").read_text("utf-8"))
    return corrections.get(blog.id, known.get("comment_service", UNSAID))


def post_pages(blog: Blog) -> Iterator[bytes]:
    """The pages of the posts that are known."""
    for truth in blog.truth():
        page = blog.truth_page(truth)
        if page is not None:
            yield page


def is_scripted(blog: Blog) -> bool:
    """Whether the pages of the feed's entries would be drawn in a browser."""
    try:
        feed, pages = training(blog)
        entries = parse_feed(feed, blog.feed_url).entries
    except EverlogError as error:
        say(f"  {blog.id}: {error}")
        return False
    pairs = [(entry, Page(url=url, body=pages[url])) for entry in entries
             if entry.link and (url := absolute(blog.feed_url, entry.link.strip())) in pages]
    return needs_browser(pairs)


def times_of(pages: list[bytes]) -> list[tuple[float, float]]:
    """The least seconds for parsing a page, and for looking what it embeds, the page being fresh as in a crawl."""
    times = []
    for page in pages:
        parsing = looking = float("inf")
        for _ in range(9):
            start = time.perf_counter()
            root = parse(page)
            parsed = time.perf_counter()
            embedded(root)
            looking = min(looking, time.perf_counter() - parsed)
            parsing = min(parsing, parsed - start)
        times.append((parsing, looking))
    return times


def summary(results: list[dict[str, Any]]) -> list[str]:
    """The verdicts added up, and what looking costs where there is nothing."""
    verdicts = Counter(row["verdict"] for row in results)
    lines = [f"blogs: {len(results)}; " + ", ".join(f"{word}: {count}" for word, count in verdicts.most_common())]
    times = [pair for row in results for pair in row["times"]]
    if times:
        parsing, looking = (sum(part) / len(times) for part in zip(*times, strict=True))
        lines.append(f"a page without any of them: parsing {1e6 * parsing:.0f} µs, looking {1e6 * looking:.0f} µs "
                     f"({100 * looking / parsing:.1f} %), {len(times)} pages")
    return lines


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--corrections", type=Path, metavar="FILE", help="what the pages really embed, as JSON")
    parser.add_argument("--allowed", type=int, default=0, metavar="N", help="labels known to differ from their pages")
    return parser.parse_args()


if __name__ == "__main__":
    main()
