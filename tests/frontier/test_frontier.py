"""Where to go next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from everlog.core.urls import canonical
from everlog.frontier import Frontier
from everlog.frontier.neighbours import TRIES
from everlog.frontier.priority_queue import MISTAKES, MOST_ASKED, MOST_SHAPES, QUIET_PAGES
from everlog.frontier.url_shape import FANOUT, Shapes, distance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

A = "https://a.org/"


def filled(*paths: str, lane: str = "page", order: str = "knn") -> Frontier:
    frontier = Frontier(order=order)
    for path in paths:
        frontier.add(A + path, canonical(A + path), lane)
    return frontier


def taken(frontier: Frontier, count: int = 1_000) -> list[str]:
    found = []
    while len(found) < count and (following := frontier.next()) is not None:
        found.append(following[1].removeprefix(A))
    return found


def crawl(links: Callable[[str], Iterable[str]]) -> tuple[list[str], str | None]:
    """What is asked for on a made host, in order, and why it ended."""
    posts, most = "post", 5_000
    frontier = filled("")
    seen = {canonical(A)}
    asked: list[str] = []
    while len(asked) < most and (following := frontier.next()) is not None:
        url = following[1]
        asked.append(url.removeprefix(A))
        new = 0
        for path in links(asked[-1]):
            other = canonical(A + path)
            if other not in seen:
                seen.add(other)
                new += path.startswith(posts)
                frontier.add(A + path, other, "post" if path.startswith(posts) else "page")
        if not asked[-1].startswith(posts) or new:
            frontier.learn(url, new)
        if (why := frontier.exhausted()) is not None:
            return asked, why
    return asked, None


def test_posts_come_before_pages_in_the_order_they_were_found():
    frontier = filled("tag/x", "about")
    for path in ("post/b", "post/a"):
        frontier.add(A + path, canonical(A + path), "post")
    assert len(frontier) == 4
    assert (frontier.waiting("post"), frontier.waiting("page")) == (2, 2)
    assert taken(frontier, 2) == ["post/b", "post/a"]
    assert len(frontier) == 2


def test_the_newest_posts_come_first_if_wanted():
    paths = ["2014/03/a", "2020/01/b", "2014/11/c", "about-us"]
    frontier = filled(*paths, lane="post", order="newest-first")
    assert taken(frontier) == ["2020/01/b", "2014/11/c", "2014/03/a", "about-us"]


def test_kinds_of_pages_that_brought_posts_come_first():
    frontier = filled("forum/1", "forum/2", "page/2", "tag/x")
    frontier.learn(A + "page/1", 10)
    frontier.learn(A + "forum/9", 0)
    assert taken(frontier, 1) == ["page/2"]


def test_what_is_like_a_good_page_is_expected_to_be_good():
    frontier = Frontier()
    for number in range(TRIES):
        frontier.learn(f"{A}tag/x{number}y/", 6)
        frontier.learn(f"{A}forum/thread-{number}/", 0)
    assert frontier.expected(A + "tag/perl/page/2") > 2
    assert frontier.expected(A + "tag/never-seen/") > 5
    assert frontier.expected(A + "forum/thread-77/") == 0
    assert frontier.expected(A + "forum/board-1/") < 0.5


def test_what_a_kind_brought_lately_counts_not_what_it_once_did():
    frontier = Frontier()
    for number in range(20):
        frontier.learn(f"{A}page/{number}", 10 if number < 10 else 0)
    assert frontier.expected(A + "page/99") == 0


def test_unknown_kinds_are_tried_when_the_known_ones_bring_little():
    frontier = filled("wiki/a", "wiki/b")
    for number in range(10):
        frontier.learn(f"{A}forum/{number}", 0)
        frontier.add(f"{A}forum/1{number}", f"a.org/forum/1{number}", "page")
    frontier.learn(A + "page/1", 10)
    assert taken(frontier, 1)[0].startswith("wiki/")


def test_a_chain_of_lists_is_followed_to_its_end_before_a_forum():
    def links(path: str) -> list[str]:
        if path in {"", "page/1"}:
            return ["forum/t1", "forum/t2", "page/2", *(f"post/1-{n}" for n in range(10))]
        if path.startswith("page/"):
            number = int(path.split("/")[1])
            onward = [f"page/{number + 1}"] if number < 30 else []
            return [*(f"post/{number}-{n}" for n in range(10)), *onward]
        if path.startswith("forum/"):
            number = int(path.removeprefix("forum/t"))
            return [f"forum/t{2 * number}", f"forum/t{2 * number + 1}"]
        return [""]

    asked, why = crawl(links)
    posts = [place for place, path in enumerate(asked) if path.startswith("post/")]
    assert len(posts) == 300
    assert posts[-1] < 300 + 30 + 2 * TRIES + 1
    assert why is not None
    assert len(asked) < 300 + 30 + QUIET_PAGES + 20


def test_an_endless_calendar_ends():
    def links(path: str) -> list[str]:
        if path.startswith("calendar/"):
            number = int(path.split("/")[1])
            return [f"calendar/{number + 1}", f"calendar/{number + 2}"]
        return ["calendar/1", "post/1"] if not path else []

    asked, why = crawl(links)
    assert "post/1" in asked
    assert why is not None
    assert "led to no new posts" in why


def test_the_end_is_not_called_while_lists_that_bring_posts_wait():
    frontier = filled(*(f"tag/{number}x" for number in range(5)))
    for number in range(QUIET_PAGES):
        frontier.learn(f"{A}forum/{number}", 0)
    assert frontier.exhausted() is None  # nobody tried the tags yet
    for number in range(TRIES):
        frontier.learn(f"{A}tag/y{number}", 0)
    assert frontier.exhausted() is not None


def test_the_end_is_not_called_while_posts_wait():
    frontier = filled("post/1", lane="post")
    for number in range(QUIET_PAGES):
        frontier.learn(f"{A}forum/{number}", 0)
    assert frontier.exhausted() is None


def test_broken_links_and_posts_without_links_do_not_bring_the_end_nearer():
    frontier = filled(*(f"post/{number}" for number in range(QUIET_PAGES)), lane="post")
    while (following := frontier.next()) is not None:
        frontier.learn(following[1], 0)
    for number in range(QUIET_PAGES):
        frontier.learn(f"{A}x/{number}", 0, failed=True)
    assert frontier.exhausted() is None


def test_a_shape_that_looks_like_posts_and_is_none_waits_among_the_pages():
    frontier = filled(*(f"forum/{number}" for number in range(100)), lane="post")
    for _ in range(MISTAKES):
        frontier.learn(frontier.next()[1], 0, post=False)
    frontier.add(A + "life/a", "a.org/life/a", "post")
    assert taken(frontier, 1) == ["life/a"]
    assert frontier.waiting("page") == 100 - MISTAKES


def test_nothing_waits_in_an_empty_frontier():
    frontier = Frontier()
    assert frontier.next() is None
    assert frontier.exhausted() is None
    assert frontier.expected(A) == 0


def test_every_address_is_handed_out_once():
    paths = [f"{kind}/{number}" for number in range(50) for kind in ("tag", "forum", "page", "a/b", "x")]
    frontier = filled(*paths)
    assert sorted(taken(frontier)) == sorted(paths)


def test_the_number_of_shapes_is_bounded():
    frontier = Frontier()
    for number in range(3 * MOST_SHAPES):
        name = "".join(chr(97 + int(digit)) for digit in str(number))
        frontier.add(f"{A}?{name}=1", f"a.org?{name}=1", "page")
    assert len(frontier._known.groups) <= MOST_SHAPES + 1
    assert len(taken(frontier, 10_000)) == 3 * MOST_SHAPES


def test_what_was_handed_out_is_forgotten_in_time():
    frontier = filled(*(f"post/{number}" for number in range(MOST_ASKED + 10)), lane="post")
    taken(frontier, MOST_ASKED + 10)
    assert len(frontier._asked) == MOST_ASKED


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("tag/perl", "tag/python"), ("page/2", "page/33"), ("2014/03", "2015/11"), ("x/thread-1", "x/thread-99"),
        ("?cat=3", "?cat=44"), ("tag/perl/page/2", "tag/python/page/3"), ("a-b.html", "c-d-e.html"),
        ("wiki/the-year-1999-in-music", "wiki/music"), ("tag/web-2", "tag/1984"),
    ],
)
def test_pages_of_one_kind_have_one_shape(one, two):
    shapes = Shapes()
    assert shapes.of("a.org/" + one) == shapes.of("a.org/" + two)


@pytest.mark.parametrize("order", ["knn", "newest-first"])
def test_what_is_first_comes_before_all_other_posts(order):
    frontier = Frontier(order=order)
    for name in ("2020/3", "2020/2", "2020/1"):
        frontier.add(f"https://a.org/{name}", f"a.org/{name}", "post", first=name == "2020/1")
    assert [key for key, _ in iter(frontier.next, None)] == ["a.org/2020/1", "a.org/2020/3", "a.org/2020/2"]


def test_quiet_pages_before_a_pause_count_after_it():
    before, after = Frontier(), Frontier()
    for number in range(QUIET_PAGES):
        before.learn(f"https://a.org/x/{number}", 0)
    assert before.exhausted()
    assert not after.exhausted()
    after.resume(before.progress())
    assert after.exhausted()
    after.learn("https://a.org/tag/new", 1)
    assert not after.exhausted()


@pytest.mark.parametrize(
    ("one", "two"),
    [("tag/perl", "wiki/perl"), ("page/2", "tag/2"), ("?cat=3", "?p=3"), ("a.html", "a"), ("archive", "a")],
)
def test_pages_of_two_kinds_have_two_shapes(one, two):
    shapes = Shapes()
    assert shapes.of("a.org/" + one) != shapes.of("a.org/" + two)


def test_a_folder_of_many_folders_counts_as_one_kind():
    shapes = Shapes()
    names = ["".join(pair) for pair in zip("abcdefghijklmnopqrst", "bcdefghijklmnopqrstu", strict=True)]
    assert len({shapes.of(f"a.org/{name}/x") for name in names}) == FANOUT + 1


def test_distances_are_symmetric_and_the_first_words_weigh_most():
    tag, paged, forum = ("tag", "*"), ("tag", "*", "page", "#"), ("forum", "*")
    assert distance(tag, paged) == distance(paged, tag)
    assert distance(tag, tag) == 0
    assert 0 < distance(tag, paged) < distance(tag, forum) <= 1
