"""A small blog made of nothing but seeds: posts, their pages, and feeds of them.

Every post says different words, every page says the same design around them, so that tests can
say in one line what a page has that others have not.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

HOME = "https://a.blog/"
NUMBERS = range(1, 6)
WORDS = (
    "river stone lantern garden winter copper meadow harbour thunder willow candle orchard violin marble "
    "saddle pepper anchor feather cellar blanket morning silver hollow timber kettle bridge valley cotton "
    "ginger mirror walnut pocket rabbit summit tunnel velvet wagon yellow zephyr almond barrel cactus"
).split()


def sentence(seed: str, count: int = 30) -> str:
    """As many words as wanted, always the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - a blog, not a key
    return " ".join(chance.choice(WORDS) for _ in range(count))


def paragraphs(number: int, count: int = 4) -> list[str]:
    """The texts of a post's paragraphs."""
    return [f"{sentence(f'{number}/{place}')} {number}." for place in range(count)]


def text(number: int, count: int = 4) -> str:
    """A post as the reader should give it."""
    return "\n\n".join(paragraphs(number, count))


def article(number: int, count: int = 4) -> str:
    """A post as its page and a full feed show it."""
    return "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(number, count))


def page(number: int, inside: str | None = None, *, head: str = "", noise: str = "", after: str = "") -> bytes:
    """The page of a post. `noise` stands inside the article's element, `after` behind it."""
    return (
        f"<!doctype html><html lang=en><head><title>Post {number} of ours - A Blog</title>{head}</head><body>"
        "<nav><a href=/>Home</a> <a href=/about>About the blog</a></nav>"
        f"<div class=post><h1 class=title>Post {number} of ours</h1>"
        f"<p class=meta>By <a rel=author>Ann Lee</a> on <time datetime=2024-01-{number:02}>2024-01-{number:02}</time>"
        f"</p><div class=entry>{article(number) if inside is None else inside}{noise}</div>{after}</div>"
        "<div class=bottom>All rights are reserved by nobody in particular</div></body></html>"
    ).encode("utf-8", "surrogatepass")


def url(number: int) -> str:
    """The address of a post."""
    return f"{HOME}{number}"


def pages(numbers: Iterable[int] = NUMBERS, **how: str) -> dict[str, bytes]:
    """Pages of several posts by their addresses."""
    return {url(number): page(number, **how) for number in numbers}


def item(number: int, content: str | None = None, link: str | None = None) -> str:
    """A post as an item of RSS."""
    return (
        f"<item><title>Post {number} of ours</title><link>{link or url(number)}</link>"
        f"<pubDate>{number:02} Jan 2024 10:00:00 +0000</pubDate><author>ann@a.blog (Ann Lee)</author>"
        f"<description><![CDATA[{article(number) if content is None else content}]]></description></item>"
    )


def rss(items: Iterable[str]) -> bytes:
    """A feed around items."""
    return (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>A Blog</title>'
        f"<link>{HOME}</link><language>en</language>{''.join(items)}</channel></rss>"
    ).encode("utf-8", "surrogatepass")


def feed(numbers: Iterable[int] = NUMBERS, content: str | None = None) -> bytes:
    """A feed of several posts, with their full texts or all with the same content."""
    return rss(item(number, content) for number in numbers)


def excerpts(numbers: Iterable[int] = NUMBERS, words: int = 20) -> bytes:
    """A feed that holds the first words of each post."""
    return rss(item(n, " ".join(paragraphs(n)[0].split()[:words]) + " [&#8230;]") for n in numbers)
