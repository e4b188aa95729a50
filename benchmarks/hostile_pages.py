"""Time and memory of pages and feeds that are made to be costly, each in a process of its own.

    python benchmarks/hostile_pages.py [--megabytes 1,fit] [--shapes "NAME;NAME"] [--tasks NAME,NAME] [--most SECONDS]

    look     what a crawl does with one page: parse, links, post or not, fields, article, comments
    learn    a template from a feed and three such pages
    alone    a page of which nothing else is known
    feed     a feed with the shape in an entry, as markup where XML allows it

"parses" is the time in plain parses by lxml of an ordinary page of as many bytes. Memory is the peak over what the
process took before. Ends with 1 if a task took longer than `--most`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everlog.core.scope import Scope
from everlog.core.tree import MAX_PAGE_BYTES, MAX_TAGS
from everlog.errors import EverlogError
from everlog.extract.classify import PostClassifier
from everlog.extract.feedless.single_page import read_page
from everlog.extract.learn_blog import learn
from everlog.feeds import parse_feed
from everlog.records import Page, Post, Skip
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.template_history import TemplateHistory
from everlog.usecases.page.page_reading import PageReading
from everlog.usecases.page.page_reading import read_page as read_of_blog
from made_blog import MadeBlog
from stopwatch import plain_parse
from tables import machine, markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable

BLOG = MadeBlog(posts=40, page_bytes=4_000, home="https://made.example/")
AT = datetime(2024, 6, 1, tzinfo=UTC)
GIVEN_UP = 120.0
# Shapes that stand behind the article, among its comments, and not in it.
BEHIND = "<!-- behind -->"
COMMENT = (
    '<li class="comment depth-1" id="comment-{n}"><div class="comment-body"><div class="comment-author"><b class="fn">'
    '<a href="http://a{n}.example/">Reader {n}</a></b></div><a class="comment-date" href="#comment-{n}">March {day}, '
    '2019 at 8:31 am</a><div class="comment-content"><p>{n} on rain.</p></div></div></li>'
)
REPLY = "<div class=reply><b>Ann {n}</b> <i>March {day}, 2019</i><p>Well said, {n}.</p></div>"


def numbered(piece: str) -> Callable[[int], str]:
    """A piece with a number in it, again and again up to so many bytes."""
    return lambda size: "".join(piece.format(n=n, day=n % 28 + 1) for n in range(size // (len(piece) + 3)))


def one_tag(attribute: str) -> Callable[[int], str]:
    """One tag of so many attributes."""
    return lambda size: f"<p {numbered(attribute)(size)}>x</p>"


def repeated(piece: str, around: str = "{}") -> Callable[[int], str]:
    """A piece again and again up to so many bytes."""
    return lambda size: around.format(piece * (size // len(piece)))


# What stands in the article's element, by size in bytes.
SHAPES: dict[str, Callable[[int], str]] = {
    "ordinary paragraphs": repeated("<p>" + "the river and the stone went to the garden of winter " * 5 + "</p>\n"),
    "attributes": one_tag("a{n}=1 "),
    "attributes, quoted": one_tag('data-attribute-{n}="some value" '),
    "attributes, the same": one_tag("a=1 "),
    "attributes, a little each": numbered("<p " + " ".join(f"a{n}=1" for n in range(60)) + ">x</p>"),
    "unclosed p": repeated("<p>x"),
    "unclosed b": repeated("<b>x"),
    "unclosed tags, mixed": repeated("<p><b><i><a><font><u>x"),
    "empty elements": repeated("<i></i>"),
    "br": repeated("a<br>"),
    "deep": lambda size: "<div>" * (size // 12) + "x" + "</div>" * (size // 12),
    "deep, in turns": repeated("<div>" * 200 + "x" + "</div>" * 200),
    "cells": repeated("<tr><td>1", "<table>{}</table>"),
    "tables in tables": repeated("<table><tr><td>x"),
    "lists in lists": repeated("<ul><li>x"),
    "options": repeated("<option>x", "<select>{}</select>"),
    "links": numbered('<a href="/2024/05/{n}/">read {n}</a> '),
    "links to feeds": numbered('<a href="x{n}/feed/">feed {n}</a>'),
    "links, long": numbered('<a href="/2024/05/{n}/' + "x" * 2_000 + '">read {n}</a> '),
    "class names": lambda size: f"<p class='{numbered('c{n} ')(size)}'>x</p>",
    "class names, a few each": numbered("<p class='a{n} b{n} c{n} d{n} e{n} f{n}'>x</p>"),
    "ids": numbered("<p id=a{n}>x</p>"),
    "style": repeated("color:red;", "<p style='{}'>x</p>"),
    "style elements": numbered("<style>.a{n}{{color:red}}</style>"),
    "one text": repeated("river stone "),
    "one word": repeated("x"),
    "text without spaces": repeated("日本語の文章です。"),
    "marks of comments": repeated("word <!-- no --> "),
    "entities": repeated("&amp;&#228;&nbsp;"),
    "less-than signs": repeated("< "),
    "open comments": repeated("<!--"),
    "open quotes": repeated("<a b=\"<a c='"),
    "times": numbered("<time datetime='2019-03-{day:02}T08:31:00'>March {day}, 2019</time> "),
    "dates in text": numbered("<span>March {day}, 2019</span> "),
    "headings": numbered("<h2>The river {n}</h2>"),
    "JSON-LD": numbered('<script type="application/ld+json">{{"@type":"BlogPosting","headline":"{n}"}}</script>'),
    "JSON-LD, one": lambda size: '<script type="application/ld+json">{"@type":"BlogPosting","comment":['
    + ",".join(f'{{"@type":"Comment","text":"about {n}"}}' for n in range(size // 45)) + "]}</script>",
    "JSON-LD, deep": lambda size: '<script type="application/ld+json">' + '{"a":' * (size // 5) + "</script>",
    "scripts": numbered("<script>var a{n} = 1;</script>x"),
    "meta": numbered('<meta property="article:tag" content="tag {n}">'),
    "srcset": lambda size: f'<img src=/a.png srcset="{numbered("/b-{n}.png {n}w, ")(size)}">',
    "srcset, commas": repeated(",", "<img src=/a.png srcset='{}'>"),
    "pictures": numbered('<img src="/a-{n}.png" data-src="/b-{n}.png">'),
    "noscript": numbered('<img data-src="/a-{n}.png"><noscript><img src="/a-{n}.png"></noscript>'),
    "comments": numbered(COMMENT),
    "comments, short": numbered("<li class=comment id=comment-{n}><p>x</p>"),
    "comments, dated": numbered("<li class=comment id=comment-{n}><b class=fn>A</b><time>March {day}, 2019</time><p>x"),
    "comments, links": numbered("<li class=comment id=c-{n}><cite class=fn><a href=//a{n}.example/>A</a></cite><p>x"),
    "comments, nested": repeated("<ol><li class=comment id=comment-1><p>rain</p>"),
    "repeated structure": numbered(REPLY),
    "behind: repeated structure": numbered(REPLY),
    "behind: lists in lists": repeated("<ul><li><b>Ann</b> <i>March 1, 2019</i><li><b>Bob</b> <i>March 2, 2019</i>"),
    "behind: answers alike": repeated("<li class=comment><p>x<ul><li class=comment><p>x</ul>", "<ol>{}</ol>"),
    "behind: headings of comments": numbered("<h3>{n} comments</h3><div><i>March {day}, 2019</i><p>Well.</p></div>"),
    "preformatted": numbered("<span class=k>x{n}</span>\n"),
    "svg": repeated("<path d='M0 0'/>", "<svg>{}</svg>"),
    "definition lists": numbered("<dt>a{n}<dd>b{n}"),
}
TASKS = ("look", "learn", "alone", "feed")


def page(number: int, inside: str) -> bytes:
    """A post's page with something more in its article."""
    answer = BLOG.answer(BLOG.path(number))
    assert answer is not None
    article, behind = answer[1].split(b"</div></article>")
    if inside.startswith(BEHIND):
        head, rest = behind.split(b"<ol>", 1)
        shown = f"<h2 id=respond>7 comments</h2><div id=comments>{inside}</div>"
        return article + b"</div></article>" + head + shown.encode() + b"<ol>" + rest
    return article + inside.encode() + b"</div></article>" + behind


def feed_bytes() -> bytes:
    """The blog's feed."""
    answer = BLOG.answer("/feed.xml")
    assert answer is not None
    return answer[1]


def measure(task: str, shape: str, size: int, out: Any) -> None:
    """Runs in a process of its own: seconds, MB and what came of it go to `out`."""
    inside = (BEHIND if shape.startswith("behind") else "") + SHAPES[shape](size)
    numbers = range(BLOG.posts - 9, BLOG.posts + 1)
    good = {BLOG.url(number): page(number, "") for number in numbers}
    ready = _ready(task, inside, good)
    # Linux forgets the peak so far, which making the page has set.
    Path("/proc/self/clear_refs").write_text("5", "ascii")
    before, start = _status("VmRSS"), time.process_time()
    try:
        outcome = ready()
    except (EverlogError, RecursionError, MemoryError) as error:
        outcome = f"{type(error).__name__}: {error}"
    out.put((time.process_time() - start, (_status("VmHWM") - before) / 1024, str(outcome)[:160]))


def _ready(task: str, inside: str, good: dict[str, bytes]) -> Callable[[], object]:
    if task == "alone":
        body = page(3, inside)
        return lambda: _told(read_page(body, BLOG.url(3), "text/html", AT))
    if task == "feed":
        entry = f"<item><title>x</title><link>{BLOG.url(3)}</link><description>{inside}</description></item>"
        body = feed_bytes().replace(b"<item>", entry.encode() + b"<item>", 1)
        return lambda: f"{len(parse_feed(body).entries)} entries"
    if task == "learn":
        pages = dict(good)
        for number in range(BLOG.posts - 2, BLOG.posts + 1):
            pages[BLOG.url(number)] = page(number, inside)
        return lambda: f"{len(learn(feed_bytes(), pages).designs)} designs"
    template = learn(feed_bytes(), good)
    classifier = PostClassifier.learn(template, good, home=BLOG.home)
    present = LearnedBlog(template=template, classifier=classifier, learned_at=AT)
    templates, scope = TemplateHistory(present), Scope(BLOG.home)
    hostile = Page(url=BLOG.url(3), body=page(3, inside), content_type="text/html", fetched_at=AT)
    read_of_blog(replace(hostile, body=page(3, "")), templates, scope)
    return lambda: _seen(read_of_blog(hostile, templates, scope))


def _seen(reading: PageReading) -> str:
    if reading.unreadable is not None:
        return f"skipped: {reading.unreadable}"
    return _told(reading.found) if reading.found is not None else f"a {reading.kind}"


def _told(outcome: Post | Skip) -> str:
    if isinstance(outcome, Skip):
        return f"skipped: {outcome.reason}"
    return f"{len(outcome.text):,} characters, {len(outcome.comments):,} comments"


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(name))


def in_a_process(task: str, shape: str, size: int) -> tuple[float, float, str]:
    """What `measure` tells, or that it was given up."""
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    process = context.Process(target=_bounded, args=(task, shape, size, out))
    process.start()
    process.join(GIVEN_UP)
    if process.is_alive():
        process.kill()
        process.join()
        return GIVEN_UP, float("nan"), "given up"
    if process.exitcode:
        return float("nan"), float("nan"), f"died of {process.exitcode}"
    return out.get()  # type: ignore[no-any-return]


def _bounded(task: str, shape: str, size: int, out: Any) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    measure(task, shape, size, out)


def fitting(shape: str) -> int:
    """The size at which a shape makes a page as large as may be, in bytes or in tags."""
    sample = SHAPES[shape](200_000).encode()
    # Numbers grow by two digits from there.
    return int(200_000 * min(0.9 * MAX_PAGE_BYTES / len(sample), 0.99 * MAX_TAGS / max(sample.count(b"<"), 1)))


def parse_seconds(size: int) -> float:
    """Plain parses of an ordinary page of this size, the quickest of three."""
    body, times = page(3, SHAPES["ordinary paragraphs"](size)), []
    for _ in range(3):
        start = time.process_time()
        plain_parse(body)
        times.append(time.process_time() - start)
    return min(times)


def main() -> int:
    """Measures all shapes and prints a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", default="1,fit", help="fit: as large as a page may be that is read at all")
    parser.add_argument("--shapes", default=";".join(SHAPES))
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--most", type=float, default=float("inf"))
    chosen = parser.parse_args()
    rows, slow = [], 0
    unit = parse_seconds(1_000_000) / 1_000_000
    names = [name for name in SHAPES if any(name.startswith(wanted) for wanted in chosen.shapes.split(";"))]
    for task in chosen.tasks.split(","):
        for shape in names:
            for wanted in chosen.megabytes.split(","):
                size = fitting(shape) if wanted == "fit" else int(float(wanted) * 1_000_000)
                seconds, megabytes, outcome = in_a_process(task, shape, size)
                slow += not seconds <= chosen.most
                row = (shape, task, f"{size / 1e6:.2g}", f"{seconds:.2f}", f"{seconds / unit / size:.0f}",
                       f"{megabytes:.0f}", outcome)  # fmt: skip
                print("  ".join(row), file=sys.stderr, flush=True)
                rows.append(row)
    print(machine() + "\n")
    print(markdown_table(("shape", "task", "MB", "seconds", "parses", "peak MB", "outcome"), rows))
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
