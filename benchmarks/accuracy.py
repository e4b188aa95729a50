"""everlog beside other tools on the same posts, field by field; writes docs/internals/accuracy.md.

    python benchmarks/accuracy.py --markdown docs/internals/accuracy.md             # the whole corpus, all parts
    python benchmarks/accuracy.py --markdown docs/internals/accuracy.md --parts retrieval,noise
    python benchmarks/accuracy.py --blogs 8 --sample 5 --parts reading    # a first look
    python benchmarks/accuracy.py --json > accuracy.json                  # reading, for programs

Each blog is learned from its one feed, and only posts that are not in that feed are read and scored.
The peers read the same pages. The papers' tables are counted on the way. Parts that are not measured
again stay as they are in the file.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import everlog
from accuracy_page import joined, render
from accuracy_papers import PAPERS
from blogs import add_corpus_arguments, chosen_blogs, say, spread, training, unseen_posts
from everlog.core.similarity import similarity
from everlog.core.tree import parse, visible_text
from everlog.evaluate.cut import cut_feed
from everlog.evaluate.scoring import mean, plain, score_post, word_f1
from everlog.evaluate.without_feed import learn_walking
from peers import PEERS, peer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from everlog import Post, Template
    from everlog.core.tree import Element
    from everlog.evaluate.corpus import Blog, Truth

EVERLOG, CUT, NO_FEED = "everlog", "everlog, feeds cut to 55 words", "everlog, no feed"
ARTICLE = ("f1", "strict", "paper")
OWN_FIELDS = ("title", "author", "date", "tags")
TITLE_DICE = 0.5
# A text that shares less than this with the article would be called inappropriate by any reader.
INAPPROPRIATE_F1 = 0.5
# Kinds of pages.jsonl that no reader would call a post; aliases and comment pages are copies of posts.
NOT_POSTS = frozenset({"listing", "page", "other"})
READING = "reading"
# In the order of the page.
PARTS = (READING, *PAPERS)


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What was measured on one blog: tool -> field -> mean over posts, and the papers' counts."""

    blog: Blog
    truth_rows: int
    posts: int = 0
    scores: dict[str, dict[str, float | None]] = field(default_factory=dict)
    key_paths: Counter[str] = field(default_factory=Counter)
    readings: Counter[str] = field(default_factory=Counter)
    wins: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A post of the truth and what each tool made of its page."""

    truth: Truth
    posts: Mapping[str, Post | None]
    root: Element | None


def measure(blog: Blog, sample: int | None) -> Outcome:
    """Everything about one blog."""
    outcome = Outcome(blog=blog, truth_rows=sum(1 for _ in blog.truth()))
    wanted = unseen_posts(blog, sample)
    outcome.posts = len(wanted)
    if not wanted:
        return outcome
    template = _learned(blog, outcome)
    templates = {
        EVERLOG: template, CUT: _learned(blog, outcome, shorten=partial(cut_feed, url=blog.feed_url)),
        NO_FEED: _walked(blog, outcome),
    }
    by_field: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in wanted:
        read = _read(blog, row, templates)
        for tool, post in read.posts.items():
            for name, value in _scored(row, post).items():
                by_field[tool][name].append(value)
        if template is not None:
            _count_detection(outcome, template, read)
            _count_wins(outcome, template, read)
    if template is not None:
        _count_other_pages(outcome, template, sample)
    offered = dict.fromkeys(templates, OWN_FIELDS) | {tool.name: tool.fields for tool in PEERS}
    for tool, fields in offered.items():
        kept = (*ARTICLE, *fields, *(["title_dice"] if "title" in fields else []))
        outcome.scores[tool] = {name: mean(by_field[tool][name]) for name in kept}
    return outcome


def _learned(
    blog: Blog, outcome: Outcome, shorten: Callable[[bytes], bytes] = lambda feed: feed,
) -> Template | None:
    try:
        feed, pages = training(blog)
        return everlog.learn(shorten(feed), pages, feed_url=blog.feed_url)
    except Exception as error:  # noqa: BLE001 - one blog that cannot be learned is a miss, not the end
        outcome.problem = f"not learned: {error}"
        return None


def _walked(blog: Blog, outcome: Outcome) -> Template | None:
    try:
        return learn_walking(blog).template
    except Exception as error:  # noqa: BLE001 - as above
        outcome.problem = f"not learned without a feed: {error}"
        return None


def _read(blog: Blog, row: Truth, templates: Mapping[str, Template | None]) -> _Read:
    page = blog.truth_page(row)
    tools = [*templates, *(tool.name for tool in PEERS)]
    if page is None:
        return _Read(truth=row, posts=dict.fromkeys(tools), root=None)
    posts = {name: _by_everlog(template, page, row.url) for name, template in templates.items()}
    posts |= {tool.name: tool.read(page, row.url) for tool in PEERS}
    return _Read(truth=row, posts=posts, root=_root(page))


def _by_everlog(template: Template | None, page: bytes, url: str) -> Post | None:
    if template is None:
        return None
    try:
        outcome = template.read(page, url)
    except Exception:  # noqa: BLE001 - as for the peers: a crash is a miss
        return None
    return outcome if isinstance(outcome, everlog.Post) else None


def _root(page: bytes) -> Element | None:
    try:
        return parse(page)
    except everlog.EverlogError:
        return None


def _scored(truth: Truth, post: Post | None) -> dict[str, float]:
    scores = score_post(truth, post)
    if truth.title:
        title = post.title if post else None
        alike = plain(truth.title) == plain(title) or similarity(truth.title, title or "") > TITLE_DICE
        scores["title_dice"] = float(alike)
    return scores


def _count_detection(outcome: Outcome, template: Template, read: _Read) -> None:
    """Table 1 of the Adaptive Post paper, once for its key-paths and once for all that was learned."""
    outcome.key_paths["posts"] += 1
    outcome.readings["posts"] += 1
    post = read.posts[EVERLOG]
    if post is not None:
        _count_fields(
            outcome.readings, content=bool(post.text), title=bool(post.title), author=bool(post.authors),
        )
    paths = template.key_paths
    if read.root is not None and paths.matches(read.root):
        _count_fields(outcome.key_paths, **{
            name: paths.node(read.root, name) is not None for name in ("content", "title", "author")
        })


def _count_fields(counts: Counter[str], *, content: bool, title: bool, author: bool) -> None:
    counts["detected"] += 1
    counts["content and title"] += content and title
    counts["content only"] += content and not title
    counts["title only"] += title and not content
    counts["author"] += author


def _count_wins(outcome: Outcome, template: Template, read: _Read) -> None:
    """The survey of the same paper, with the F1 of words as the one who answers."""
    truth = read.truth
    if not truth.text or not truth.text_is_whole:
        return
    rival = read.posts[peer("boilerpy3").name]
    rival_f1 = word_f1(truth.text, rival.text if rival else "")
    own = read.posts[EVERLOG]
    node = None if read.root is None else template.key_paths.node(read.root, "content")
    texts = {"everlog": own.text if own else "", "key-paths": "" if node is None else visible_text(node)}
    for name, text in texts.items():
        outcome.wins[name][_winner(word_f1(truth.text, text), rival_f1)] += 1


def _winner(own: float, rival: float) -> str:
    if max(own, rival) < INAPPROPRIATE_F1:
        return "neither"
    if own == rival:
        return "tie"
    return "own" if own > rival else "rival"


def _count_other_pages(outcome: Outcome, template: Template, sample: int | None) -> None:
    """Pages that are no posts, and how many of them the key-path takes for one."""
    for kind, file in spread(_other_pages(outcome.blog), sample):
        root = _root(file.read_bytes())
        outcome.key_paths[f"{kind} pages"] += 1
        outcome.key_paths[f"{kind} pages detected"] += root is not None and template.key_paths.matches(root)


def _other_pages(blog: Blog) -> list[tuple[str, Path]]:
    """Kind and file of listings, stand-alone pages and the home page, where the corpus names them."""
    named = blog.folder / "pages.jsonl"
    rows = map(json.loads, filter(None, named.read_text("utf-8").split("\n"))) if named.is_file() else ()
    files = {blog.folder / "site" / row["file"]: row["kind"] for row in rows if row["kind"] in NOT_POSTS}
    home = blog.file(blog.origin + "/")
    if home is not None and home not in files:
        files[home] = "listing"
    posts = {blog.file(row.url) for row in blog.truth()}
    return [(kind, file) for file, kind in sorted(files.items())
            if file.is_file() and file not in posts and file.suffix in {".html", ".htm", ""}]


def measure_all(blogs: Sequence[Blog], sample: int | None, jobs: int) -> list[Outcome]:
    """All blogs, a process per blog at a time."""
    outcomes: list[Outcome] = []
    # "spawn": lxml, numpy and the peers start threads of their own, which forked children lose.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        tasks = [pool.submit(partial(measure, sample=sample), blog) for blog in blogs]
        for done, task in enumerate(as_completed(tasks), 1):
            outcome = task.result()
            outcomes.append(outcome)
            strict = outcome.scores.get(EVERLOG, {}).get("strict")
            shown = "-" if strict is None else f"{100 * strict:.1f}"
            say(f"{done}/{len(blogs)} {outcome.blog.id}: {outcome.posts} posts, strict {shown}"
                + (f" ({outcome.problem})" if outcome.problem else ""))
    return sorted((outcome for outcome in outcomes if outcome.posts), key=lambda outcome: outcome.blog.id)


def as_json(outcomes: Sequence[Outcome]) -> str:
    """Per blog, shares in [0, 1]."""
    blogs = {
        outcome.blog.id: {
            "engine": outcome.blog.engine, "language": outcome.blog.language, "feed_is": outcome.blog.feed_is,
            "posts": outcome.posts, "problem": outcome.problem, "scores": outcome.scores,
            "key_paths": outcome.key_paths, "readings": outcome.readings, "wins": outcome.wins,
        }
        for outcome in outcomes
    }
    return json.dumps(blogs, ensure_ascii=False, indent=1)


def read_all(blogs: Sequence[Blog], arguments: argparse.Namespace) -> list[Outcome]:
    """Every field beside the other tools; leaves if there is nothing to read."""
    outcomes = measure_all(blogs, arguments.sample, arguments.jobs)
    if not outcomes:
        sys.exit("none of these blogs has a post outside its feed: nothing to measure")
    return outcomes


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_corpus_arguments(parser)
    parser.add_argument("--sample", type=int, metavar="N", help="only N posts of each blog, where fields are read")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the page to this file")
    parser.add_argument(
        "--parts", type=lambda names: names.split(","), metavar="NAME,...",
        help=f"what to measure, of {', '.join(PARTS)} (default: all; with --json: reading)",
    )
    arguments = parser.parse_args()
    arguments.parts = arguments.parts or ([READING] if arguments.json else list(PARTS))
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if arguments.json and arguments.parts != [READING]:
        parser.error("--json is for reading alone; retrieval.py and peers.py have one of their own")
    blogs = chosen_blogs(arguments)
    if arguments.json:
        print(as_json(read_all(blogs, arguments)))
        return
    page = arguments.markdown.read_text("utf-8") if arguments.markdown and arguments.markdown.is_file() else ""
    try:
        if READING in arguments.parts:
            page = joined(page, render(read_all(blogs, arguments), sample=arguments.sample))
        for name in (name for name in PAPERS if name in arguments.parts):
            say(f"{name}:")
            page = joined(page, PAPERS[name](blogs, arguments.jobs))
    except everlog.EverlogError as error:
        sys.exit(str(error))
    print(page)
    if arguments.markdown:
        arguments.markdown.write_text(page + "\n", "utf-8")


if __name__ == "__main__":
    main()
