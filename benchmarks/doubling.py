"""How time grows with size: pages that are nearly all article, and the same with the article four times.

An article is denser in elements than the rest of its page, so repeating it until a page has twice the
bytes would more than double the work of any reader. The article therefore stands in both pages so
often that it makes up nine tenths of the smaller one.
"""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from lxml import etree

import everlog
from blogs import learned, say, training, unseen_pages
from everlog.core.tree import parse
from everlog.errors import EverlogError
from everlog.feeds import parse_feed
from rss import write_feed
from stopwatch import best_times, plain_parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog import Entry, Template
    from everlog.core.tree import Element
    from everlog.evaluate.corpus import Blog

FEED_ENTRIES = 10
# Pages of each blog, the largest first: small ones are over before the clock is sure.
LARGEST = 2
ARTICLE_SHARE = 0.9
MOST_COPIES = 12
# Two doublings at once: what the clock gets wrong counts half.
GROWTH = 4
Figures = dict[str, Any]


def measure_doubling(blogs: Sequence[Blog], runs: int) -> list[Figures]:
    """What twice the size costs in reading, and in learning with and without a longer feed."""
    costs: dict[str, list[float]] = {}
    for done, blog in enumerate(blogs, 1):
        say(f"doubling {done}/{len(blogs)} {blog.id}")
        template = learned(blog)
        if template is None:
            continue
        for url, page in sorted(unseen_pages(blog), key=lambda post: -len(post[1]))[:LARGEST]:
            _double_page(template, url, page, runs, costs)
        _double_feed(blog, template, runs, costs)
    return [{"name": name, "count": len(values), "median": median(values), "worst": max(values)}
            for name, values in costs.items()]


def _double_page(
    template: Template, url: str, page: bytes, runs: int, costs: dict[str, list[float]],
) -> None:
    post = template.read(page, url)
    times = copies_needed(page, post.text) if isinstance(post, everlog.Post) else None
    if not isinstance(post, everlog.Post) or times is None:
        return
    small, large = (repeated_article(page, post.text, count) for count in (times, GROWTH * times))
    read = partial(template.reader.read, url=url, content_type=None, fetched=None, html=False)
    seconds = best_times(
        2 * runs, partial(plain_parse, small), partial(plain_parse, large), partial(read, small),
        partial(read, large),
    )
    growth = len(large) / len(small)
    costs.setdefault("lxml parse", []).append(_cost_of_doubling(seconds[1] / seconds[0], growth))
    costs.setdefault("reading", []).append(_cost_of_doubling(seconds[3] / seconds[2], growth))


def _double_feed(blog: Blog, template: Template, runs: int, costs: dict[str, list[float]]) -> None:
    """Learning from longer pages, and from longer pages with the same longer text in the feed."""
    feed, pages = training(blog, FEED_ENTRIES)
    entries = {entry.link: entry for entry in parse_feed(feed, blog.feed_url).entries}
    small: dict[str, bytes] = {}
    large: dict[str, bytes] = {}
    short: list[Entry] = []
    long: list[Entry] = []
    for url, page in pages.items():
        post = template.read(page, url)
        entry = entries.get(url)
        times = copies_needed(page, post.text) if isinstance(post, everlog.Post) else None
        if not isinstance(post, everlog.Post) or entry is None or times is None:
            continue
        small[url], large[url] = (repeated_article(page, post.text, count) for count in (times, GROWTH * times))
        content = entry.content or entry.summary or ""
        short.append(replace(entry, content=content * times))
        long.append(replace(entry, content=content * GROWTH * times))
    if len(small) < FEED_ENTRIES / 2:
        return
    short_feed, long_feed = write_feed(short), write_feed(long)
    learn = partial(everlog.learn, feed_url=blog.feed_url)
    try:
        base, pages_only, both = best_times(
            runs, partial(learn, short_feed, small), partial(learn, short_feed, large),
            partial(learn, long_feed, large),
        )
    except EverlogError:
        return
    before, after = (sum(map(len, each.values())) for each in (small, large))
    pages_cost = _cost_of_doubling(pages_only / base, after / before)
    costs.setdefault("learning, pages longer", []).append(pages_cost)
    both_cost = _cost_of_doubling(both / base, (after + len(long_feed)) / (before + len(short_feed)))
    costs.setdefault("learning, pages and feed longer", []).append(both_cost)


def _cost_of_doubling(time_ratio: float, growth: float) -> float:
    """The time ratio for exactly twice the size, from that for another growth.

    >>> _cost_of_doubling(2.0, 2.0), round(_cost_of_doubling(3.0, 3.0), 3), _cost_of_doubling(16.0, 4.0)
    (2.0, 2.0, 4.0)
    """
    return 2 ** (math.log(time_ratio) / math.log(growth))


def repeated_article(page: bytes, article: str, times: int) -> bytes:
    """The page with everything in its article there so many times."""
    root = parse(page)
    holder = article_element(root, article)
    children = list(holder)
    for _ in range(times - 1):
        holder.extend(deepcopy(child) for child in children)
    return b"<!doctype html>" + etree.tostring(root, method="html", encoding="utf-8")


def copies_needed(page: bytes, article: str) -> int | None:
    """How often the article must stand there to be ARTICLE_SHARE of the page; None if too often."""
    once, twice = (len(repeated_article(page, article, times)) for times in (1, 2))
    gain = twice - once
    rest = once - gain
    if gain * MOST_COPIES * (1 - ARTICLE_SHARE) < rest * ARTICLE_SHARE:
        return None
    return max(1, math.ceil(rest / gain * ARTICLE_SHARE / (1 - ARTICLE_SHARE)))


def article_element(root: Element, article: str) -> Element:
    """The smallest element that has at least nine tenths of the article's letters."""
    wanted = 0.9 * len("".join(article.split()))
    here = root
    while True:
        inner = next((child for child in here if _letters(child) >= wanted), None)
        if inner is None:
            return here
        here = inner


def _letters(element: Element) -> int:
    if not isinstance(element.tag, str) or element.tag in {"script", "style", "head"}:
        return 0
    return len("".join("".join(element.itertext()).split()))
