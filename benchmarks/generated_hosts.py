"""Hosts made of nothing but a seed: a blog whose posts do not link to each other, beside a forum, a wiki and more.

Every layout spells its addresses differently and offers other lists. Pages are lists of links; nothing
is fetched. Lists of posts (all, by month, by tag, by author) go on from page to page, a month to the month
before it; the menu on all pages leads to the first of some of them. The calendar has no end.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME = "https://a.host/"
POSTS, THREADS, ARTICLES = 1_000, 5_000, 2_000
A_PAGE = 10
BOARDS, TAGS, AUTHORS, YEARS = 20, 40, 6, 8
FEED = 10
WORDS = (
    "river stone lantern garden winter copper meadow harbour thunder willow candle orchard violin marble saddle "
    "pepper anchor feather cellar blanket morning silver hollow timber kettle bridge valley cotton ginger mirror"
).split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a host spells its addresses. `listing` are pages of all posts, if it has them.

    Where posts are `labelled`, each links to its tag and author; else to the menu alone.
    """

    name: str
    post: str
    tag: str
    month: str
    author: str
    thread: str
    board: str
    article: str
    calendar: str
    listing: str | None = None
    labelled: bool = False


LAYOUTS = (
    Layout(
        name="dated paths", post="{y}/{m:02}/{slug}/", listing="page/{p}/", tag="tag/{word}/page/{p}/",
        month="{y}/{m:02}/page/{p}/", author="author/{word}/page/{p}/", thread="forum/thread-{n}/",
        board="forum/board-{b}/page-{p}/", article="wiki/{slug}", calendar="calendar/{y}-{m:02}/", labelled=True,
    ),
    Layout(
        name="query strings", post="?p={n}", listing="?paged={p}", tag="?tag={word}&paged={p}",
        month="?m={y}{m:02}&paged={p}", author="?author={a}&paged={p}", thread="forum/viewtopic.php?t={n}",
        board="forum/viewforum.php?f={b}&start={p}", article="wiki/index.php?title={slug}",
        calendar="?cal={y}-{m:02}",
    ),
    Layout(
        name="slugs at the root", post="{slug}.html", tag="label/{word}-{p}.html",
        month="archive/{y}/{m:02}/{p}.html", author="people/{word}/{p}.html", thread="community/t/{slug}/{n}",
        board="community/c/{word}?page={p}", article="w/{slug}", calendar="events/{y}/{m}",
    ),
    Layout(
        name="below a folder", post="blog/{slug}", tag="blog/category/{word}/{p}",
        month="blog/archive/{y}-{m:02}/{p}", author="blog/by/{word}/{p}", thread="forums/topic/{slug}",
        board="forums/forum/{word}/page/{p}", article="docs/{word}/{slug}", calendar="calendar?month={y}-{m:02}",
    ),
    Layout(
        name="numbers and slugs", post="posts/{n}-{slug}", listing="posts?page={p}", tag="topics/{word}?page={p}",
        month="archive/{y}/{m}?page={p}", author="members/{a}/posts?page={p}", thread="talk/{n}/{slug}",
        board="talk/boards/{b}?page={p}", article="kb/{n}", calendar="calendar/{y}/{m}/1",
    ),
)


@dataclass(slots=True)
class Host:
    """A host: what each page links to, and which pages are posts. `feed` are the newest posts."""

    layout: Layout
    seed: int
    posts: list[str] = field(default_factory=list)
    feed: list[str] = field(default_factory=list)
    _fixed: dict[str, list[str]] = field(default_factory=dict)
    _calendar: dict[str, tuple[int, int]] = field(default_factory=dict)
    _by_month: dict[tuple[int, int], list[str]] = field(default_factory=dict)

    def links(self, url: str) -> list[str]:
        """The links of a page in its order."""
        if url in self._calendar:
            return self._month_of_calendar(*self._calendar[url])
        return self._fixed.get(url, [])

    def _month_of_calendar(self, year: int, month: int) -> list[str]:
        """A month links to its neighbours for ever, and to one post if it has any."""
        index = year * 12 + month - 1
        around = [self._calendar_url(*divmod(index + step, 12)) for step in (-1, 1, -12, 12)]
        return [HOME, *around, *self._by_month.get((year, month), ())[:1]]

    def _calendar_url(self, year: int, month: int) -> str:
        url = HOME + self.layout.calendar.format(y=year, m=month + 1)
        self._calendar[url] = (year, month + 1)
        return url


def generate(layout: Layout, seed: int) -> Host:
    """The host of a layout and a seed; the same one every time."""
    chance = random.Random(f"{layout.name}/{seed}")  # noqa: S311 - a host, not a key
    host = Host(layout, seed)
    slugs = _slugs(chance)
    about = [_about(number, chance) for number in range(POSTS)]
    host.posts = [HOME + layout.post.format(n=7 * number + 100, slug=next(slugs), y=y, m=m)
                  for number, (y, m, _, _) in enumerate(about)]
    host.posts.reverse()
    about.reverse()
    host.feed = host.posts[:FEED]
    for post, (year, month, _, _) in zip(host.posts, about, strict=True):
        host._by_month.setdefault((year, month), []).append(post)
    entrances = _lists(host, about)
    sections = [*entrances, _forum(host, chance, slugs), _wiki(host, chance, slugs), host._calendar_url(2024, 5)]
    menu = [HOME, *chance.sample(sections, len(sections))]
    for url in list(host._fixed):
        host._fixed[url] = [*menu[:1], *host._fixed[url], *menu[1:4]]
    host._fixed[HOME] = [*menu, *host.feed]
    for post, (_, _, tag, author) in zip(host.posts, about, strict=True):
        labels = [_list_url(layout.tag, word=tag), _list_url(layout.author, word=author, a=_number_of(author))]
        host._fixed[post] = [*menu, *labels] if layout.labelled else menu
    return host


_TAGS = [f"{WORDS[number % len(WORDS)]}{'' if number < len(WORDS) else 's'}" for number in range(TAGS)]
_AUTHORS = WORDS[-AUTHORS:]


def _about(number: int, chance: random.Random) -> tuple[int, int, str, str]:
    """Year, month, tag and author of a post, the oldest first."""
    months = number * YEARS * 12 // POSTS
    return 2016 + months // 12, months % 12 + 1, chance.choice(_TAGS), chance.choice(_AUTHORS)


def _lists(host: Host, about: list[tuple[int, int, str, str]]) -> list[str]:
    """Makes the lists of posts; gives the pages that a menu links to."""
    layout = host.layout
    months: dict[str, list[str]] = {}
    tags: dict[str, list[str]] = {}
    authors: dict[str, list[str]] = {}
    for post, (year, month, tag, author) in zip(host.posts, about, strict=True):
        months.setdefault(_filled(layout.month, y=year, m=month), []).append(post)
        tags.setdefault(_filled(layout.tag, word=tag), []).append(post)
        authors.setdefault(_filled(layout.author, word=author, a=_number_of(author)), []).append(post)
    for lists in (months, tags, authors):
        for pattern, members in lists.items():
            _pages(host, pattern, members)
    for newer, older in pairwise(months):
        host._fixed[_list_url(newer)].append(_list_url(older))
    entrances = [_list_url(pattern) for pattern in (*list(months)[:1], *list(tags)[:4], *list(authors)[:2])]
    if layout.listing:
        _pages(host, layout.listing, host.posts)
        entrances.append(_list_url(layout.listing))
    return entrances


def _filled(pattern: str, **parts: str | int) -> str:
    """A pattern of addresses that has only its page left open."""
    return pattern.format(p="{p}", **parts)


def _number_of(author: str) -> int:
    return _AUTHORS.index(author) + 1


def _pages(host: Host, pattern: str, members: list[str]) -> None:
    count = -(-len(members) // A_PAGE)
    for page in range(count):
        shown = members[page * A_PAGE : (page + 1) * A_PAGE]
        onward = [HOME + pattern.format(p=page + 2)] if page + 1 < count else []
        host._fixed[HOME + pattern.format(p=page + 1)] = shown + onward


def _list_url(pattern: str, **parts: str | int) -> str:
    return HOME + pattern.format(p=1, **parts)


def _forum(host: Host, chance: random.Random, slugs: Iterator[str]) -> str:
    """Boards of threads; a thread links to its board and to some others."""
    layout = host.layout
    threads = [HOME + layout.thread.format(n=3 * number + 11, slug=next(slugs)) for number in range(THREADS)]
    boards = [_filled(layout.board, b=board + 1, word=WORDS[board]) for board in range(BOARDS)]
    for number, thread in enumerate(threads):
        host._fixed[thread] = [_list_url(boards[number % BOARDS]), *chance.sample(threads, 5)]
    for number, board in enumerate(boards):
        _pages(host, board, threads[number::BOARDS])
    index = HOME + layout.board.partition("/")[0].partition("?")[0]
    host._fixed[index] = [_list_url(board) for board in boards]
    return index


def _wiki(host: Host, chance: random.Random, slugs: Iterator[str]) -> str:
    layout = host.layout
    articles = [HOME + layout.article.format(n=number + 1, slug=next(slugs), word=WORDS[number % 25])
                for number in range(ARTICLES)]
    for article in articles:
        host._fixed[article] = chance.sample(articles, 15)
    return articles[0]


def _slugs(chance: random.Random) -> Iterator[str]:
    seen: set[str] = set()
    while True:
        slug = "-".join(chance.sample(WORDS, 3))
        if slug not in seen:
            seen.add(slug)
            yield slug
