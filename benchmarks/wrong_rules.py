"""Confidence of articles that are wrong: every article rule of a blog is replaced by a wrong small element.

    python benchmarks/wrong_rules.py                       # the whole corpus, a few minutes
    python benchmarks/wrong_rules.py --blogs 20 --least 95 # a sample; exit 3 below 95 %

Each blog is learned from its feed. Then all rules of its article are replaced by the name of an element that most of
the feed's pages have and that holds a few words of them: a byline, a list of tags, a box of the sidebar. Posts that
were not learned from are read with these rules; what is counted is the share of articles that are marked with a
confidence below 0.5, the mean over blogs.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import everlog
from blogs import add_corpus_arguments, chosen_blogs, say, training, unseen_pages
from everlog.core.rules import Rule
from everlog.core.selectors import naming_of, own_selectors
from everlog.core.tree import INVISIBLE, parse
from everlog.errors import EverlogError
from everlog.extract.article.witnesses import text_length
from everlog.extract.extractors.keypath import KeyPaths
from tables import markdown_table, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog import Template
    from everlog.evaluate.corpus import Blog

POSTS = 12
# Wrong elements tried on each blog.
WRONG = 3
# A small element: some words, and at most this share of the median article.
LEAST_LETTERS = 20
MOST_OF_ARTICLE = 0.3
LOW = 0.5


def marks_of(blog: Blog) -> tuple[str, int, int, list[str]]:
    """The blog, how many wrong articles were marked low, how many were read, and the elements they were read from."""
    try:
        feed, pages = training(blog)
        template = everlog.learn(feed, pages, feed_url=blog.feed_url)
    except EverlogError as error:
        say(f"  {blog.id}: {error}")
        return blog.id, 0, 0, []
    wrong = _wrong_places(blog, template, pages)
    low = read = 0
    for place in wrong:
        misled = _misled(template, place)
        for url, body in unseen_pages(blog, POSTS):
            post = misled.read(body, url)
            source = post.provenance["text"] if isinstance(post, everlog.Post) else None
            if source is not None and source.confidence is not None and source.rule == place:
                read += 1
                low += source.confidence < LOW
    return blog.id, low, read, wrong


def _misled(template: Template, place: str) -> Template:
    rules = (Rule(method="selector", where=place),)
    designs = tuple(replace(design, places=rules, cuts=(), tells=()) for design in template.designs[:1])
    return replace(template, designs=designs, key_paths=KeyPaths())


def _wrong_places(blog: Blog, template: Template, pages: dict[str, bytes]) -> list[str]:
    articles = [len(post.text) for url, body in pages.items()
                if isinstance(post := template.read(body, url), everlog.Post)]
    most = MOST_OF_ARTICLE * sorted(articles)[len(articles) // 2] if articles else 0
    times: Counter[str] = Counter()
    for body in pages.values():
        times.update(set(_small_elements(body, most)))
    usual = sorted(name for name, count in times.items() if count * 2 > len(pages))
    chance = random.Random(blog.id)  # noqa: S311 - a sample, not a key
    return chance.sample(usual, min(WRONG, len(usual)))


def _small_elements(body: bytes, most: float) -> Iterator[str]:
    """The names whose first element holds a few words."""
    seen: set[str] = set()
    for element in parse(body).iter():
        if not isinstance(element.tag, str) or element.tag in INVISIBLE:
            continue
        for name in own_selectors(element.tag, element.get("id"), element.get("class"), naming_of(element)):
            if name not in seen and element.tag not in {"html", "body"}:
                seen.add(name)
                if LEAST_LETTERS <= text_length(element) <= most:
                    yield name


def main() -> None:
    """Reads the corpus and prints the share, and the blogs below."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--least", type=float, metavar="PERCENT", help="exit 3 if less are marked low")
    arguments = parser.parse_args()
    with ProcessPoolExecutor(2) as pool:
        rows = [row for row in pool.map(marks_of, chosen_blogs(arguments)) if row[2]]
    shares = [low / read for _, low, read, _ in rows]
    worst = sorted((row for row in rows if row[1] < row[2]), key=lambda row: row[1] / row[2])
    if worst:
        print(markdown_table(
            ["blog", "below 0.5 %", "articles", "read from"],
            [[blog, percent(low / read), read, ", ".join(wrong)] for blog, low, read, wrong in worst[:20]],
        ))
    mean = 100 * sum(shares) / len(shares) if shares else 0.0
    articles = sum(row[2] for row in rows)
    print(f"marked below {LOW}: {mean:.2f} % of {articles} wrong articles, the mean over {len(rows)} blogs")
    if arguments.least is not None and mean < arguments.least:
        sys.exit(3)


if __name__ == "__main__":
    main()
