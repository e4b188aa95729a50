"""Blogs that are redesigned between two polls: is it noticed, and how well are posts read then?

    python benchmarks/redesigns.py                 # the whole corpus, every design
    python benchmarks/redesigns.py --cut           # feeds cut to excerpts
    python benchmarks/redesigns.py --blogs 8 --json

Each blog is learned from ten posts, as a first crawl does it. Then one to five posts are new, and every page of the
feed wears another design (`redesigned_pages`): six that were made, and the blog's own under other names. What an
update does before it visits pages (`everlog.usecases.learn.redesign.read_anew`) is done with a
real archive and a web in memory.
For every blog updates without a redesign are tried as well: new posts as they are, one that is odd (a film and a line
of text), all pages behind a wall. Nothing is to be learned anew from these.

Strict is the share of articles that are right as `everlog evaluate` counts it, in pages that pass for posts: of the
new posts of the poll, and of up to ten posts that come after it. Means over blogs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from blogs import add_corpus_arguments, chosen_blogs, say
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.core.scope import home_scope
from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import EverlogError
from everlog.evaluate.cut import cut_feed
from everlog.evaluate.scoring import mean, score_post
from everlog.feeds import parse_feed
from everlog.records import Exchange, Failure, Fetched, Post
from everlog.settings import make_settings
from everlog.usecases.crawl.crawl_context import CrawlRun
from everlog.usecases.crawl.report import Tally
from everlog.usecases.discover.discover_blog import Found
from everlog.usecases.learn.learned_blog import learn_blog
from everlog.usecases.learn.redesign import read_anew
from everlog.usecases.learn.template_history import TemplateHistory
from everlog.usecases.update.feed_diff import FeedResponse
from processes import over_blogs
from redesigned_pages import DESIGNS, Content, home_in, page_in
from resampled import _known_posts
from rss import write_feed
from tables import markdown_table, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from everlog.archive import Archive
    from everlog.evaluate.corpus import Blog
    from everlog.records import Blog as Archived
    from everlog.usecases.learn.learned_blog import LearnedBlog
    from resampled import _Known as KnownPost

BEFORE = datetime(2024, 3, 1, tzinfo=UTC)
AFTER = BEFORE + timedelta(days=30)
TAUGHT, NEW, LATER = 10, 5, 10
LEAST = TAUGHT + NEW + 1
ODD = b"<html><head><title>A film</title></head><body><div id=player>Now playing: turn on the sound</div></body></html>"
WALL = b"<html><body><div class=wall><p>Please subscribe to go on. You may leave any day.</p></div></body></html>"
QUIET = ("one usual post", "five usual posts", "one odd post", "behind a wall")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One update: what was noticed, what it cost, and how well posts are read. Shares in [0, 1]."""

    is_new: bool
    requests: int
    new: int
    without: float | None = None
    first: float | None = None
    later_without: float | None = None
    later: float | None = None
    old: float | None = None


@dataclass(slots=True, kw_only=True)
class Outcome:
    """All updates of one blog; `before` is how well the blog was read before any of them."""

    before: float | None = None
    runs: dict[str, Run] = field(default_factory=dict)
    problem: str | None = None


@dataclass(slots=True)
class MemoryWeb:
    """What `read_anew` may ask for, as it is after the redesign."""

    pages: dict[str, bytes]
    asked: int = 0

    async def fetch(self, url: str, **_: object) -> Fetched | Failure:
        self.asked += 1
        body = self.pages.get(canonical(url))
        if body is None:
            return Failure(url=url, trouble="http", reason="answers 404", status=404)
        return fetched(url, body, AFTER)


def fetched(url: str, body: bytes, at: datetime) -> Fetched:
    """An answer as it came from the web."""
    return Fetched(url=url, exchanges=(Exchange(url=url, status=200, body=body, fetched_at=at),))


def measure(blog: Blog, *, cut: bool) -> Outcome:
    """All updates of one blog."""
    outcome = Outcome()
    posts = sorted(_known_posts(blog), key=lambda post: str(post.truth.published or ""))
    if len(posts) < LEAST:
        outcome.problem = "too few posts"
        return outcome
    story = _Story(blog, posts, cut=cut)
    try:
        story.learn()
    except EverlogError as error:
        outcome.problem = f"not learned: {error.message}"
        return outcome
    later = [(post, post.page) for post in story.later]
    outcome.before = _strict(later, lambda _: story.known)
    for number, name in enumerate(DESIGNS):
        outcome.runs[name] = story.redesigned(name, new=1 + number % NEW)
    outcome.runs["new posts only"] = story.redesigned("classic", new=3, only_new=True)
    for name in QUIET:
        outcome.runs[name] = story.quiet(name)
    return outcome


class _Story:
    """One blog before and after."""

    def __init__(self, blog: Blog, posts: Sequence[KnownPost], *, cut: bool) -> None:
        self.blog, self.cut = blog, cut
        self.new, self.taught = posts[-NEW:], posts[-NEW - TAUGHT : -NEW]
        self.later = posts[: -NEW - TAUGHT][-LATER:]
        self.home = blog.origin.rstrip("/") + "/"
        self.home_page = blog.page(self.home) or b"<html><body></body></html>"
        self.known: LearnedBlog

    def told(self, posts: Sequence[KnownPost], at: datetime) -> FeedResponse:
        """A feed of these posts, the newest first."""
        body = write_feed(post.entry for post in reversed(posts))
        body = cut_feed(body, self.blog.feed_url) if self.cut else body
        return FeedResponse(answer=fetched(self.blog.feed_url, body, at), feed=parse_feed(body, self.blog.feed_url))

    def learn(self) -> None:
        """As the first crawl does it."""
        told = self.told(self.taught, BEFORE)
        pages = {post.truth.url: fetched(post.truth.url, post.page, BEFORE) for post in self.taught}
        options = ArchiveOptions(min_free_bytes=0)
        with tempfile.TemporaryDirectory() as folder, open_archive(folder, create=True, options=options) as archive:
            added = archive.blogs.add(self.home, scope="host")
            assert told.feed is not None
            self.known = learn_blog(
                Found(
                    home=self.home, home_page=fetched(self.home, self.home_page, BEFORE), feed=told.feed,
                    feed_url=self.blog.feed_url, feed_page=told.answer,
                ),
                pages, home_scope(added),
            )

    def redesigned(self, name: str, *, new: int, only_new: bool = False) -> Run:
        """An update after a redesign of all pages of the feed, or only of those of new posts."""
        fresh = self.new[-new:]
        listed = [*self.taught[new:], *fresh]
        look = {post.truth.url: self._page_in(name, post) for post in (*listed, *self.later)}
        pages = {post.truth.url: post.page if only_new and post not in fresh else look[post.truth.url]
                 for post in listed}
        pages[self.home] = home_in(name, [post.truth.title or "" for post in listed], self.home_page)
        return self._update(listed, fresh, pages, look)

    def quiet(self, name: str) -> Run:
        """An update without a redesign."""
        fresh = list(self.new) if name == "five usual posts" else [self.new[0]]
        listed = [*self.taught[len(fresh):], *fresh]
        pages = {post.truth.url: WALL if name == "behind a wall" else post.page for post in listed}
        if name == "one odd post":
            pages[fresh[0].truth.url] = ODD
        pages[self.home] = self.home_page
        return self._update(listed, fresh, pages, {})

    def _page_in(self, name: str, post: KnownPost) -> bytes:
        truth = post.truth
        others = [other.truth.title for other in self.taught if other.truth.title and other is not post]
        return page_in(name, Content(
            title=truth.title or "", html=post.entry.content or "", author=(truth.authors or ("Someone",))[0],
            published=post.entry.published, tags=truth.tags, others=others, page=post.page,
        ))

    def _update(
        self, listed: Sequence[KnownPost], fresh: Sequence[KnownPost], pages: Mapping[str, bytes],
        look: Mapping[str, bytes],
    ) -> Run:
        fetcher = MemoryWeb({canonical(url): body for url, body in pages.items()})
        told = self.told(listed, AFTER)
        assert told.feed is not None
        links = {post.truth.url for post in fresh}
        entries = [entry for entry in told.feed.entries if entry.link in links]
        options = ArchiveOptions(min_free_bytes=0)
        with tempfile.TemporaryDirectory() as folder, open_archive(folder, create=True, options=options) as archive:
            added = self._archived(archive)
            work = CrawlRun(
                fetcher=fetcher, archive=archive, tally=Tally(blog=self.home), now=lambda: AFTER,  # type: ignore[arg-type]
                settings=make_settings({"min_free_bytes": 0, "comments": False, "render": "never"}),
            )
            with archive.lock(added.id):
                found = asyncio.run(read_anew(added, self.known, entries, told, work))
            templates = TemplateHistory.of(added.id, archive, found.learned)
        new, later = ([(post, look[post.truth.url]) for post in some if post.truth.url in look]
                      for some in (fresh, self.later))
        return Run(
            is_new=found.is_new, requests=fetcher.asked, new=len(entries),
            without=_strict(new, lambda _: self.known),
            first=_strict(new, partial(_at, templates, AFTER)),
            later_without=_strict(later, lambda _: self.known),
            later=_strict(later, partial(_at, templates, AFTER)),
            old=_strict([(post, post.page) for post in self.later], partial(_at, templates, BEFORE)),
        )

    def _archived(self, archive: Archive) -> Archived:
        added = archive.blogs.add(self.home, scope="host")
        return archive.blogs.update(
            added.id, feed_url=self.blog.feed_url, template=self.known.template.to_json(),
            knowledge=self.known.knowledge(), state="finished",
        )


def _at(templates: TemplateHistory, moment: datetime, page: bytes) -> LearnedBlog:
    return templates.for_page(parse(page), moment)


def _strict(posts: Sequence[tuple[KnownPost, bytes]], known_for: Callable[[bytes], LearnedBlog]) -> float | None:
    """The share of articles that are right, in pages that pass for posts."""
    scores = []
    for post, page in posts:
        known, read = known_for(page), None
        if known.classifier.verdict(post.truth.url, page).kind == "post":
            got = known.template.read(page, post.truth.url)
            read = got if isinstance(got, Post) else None
        scores.append(score_post(post.truth, read).get("strict"))
    return mean(scores)


def table(outcomes: Mapping[str, Outcome]) -> str:
    """A row for each kind of update."""
    told = {blog: outcome for blog, outcome in outcomes.items() if outcome.runs}
    before = mean(outcome.before for outcome in told.values())
    rows = []
    for name in (*DESIGNS, "new posts only", *QUIET):
        runs = [outcome.runs[name] for outcome in told.values()]
        needed = [run for run in runs if run.without is not None and (run.without < 1 or (run.later_without or 0) < 1)]
        rows.append([
            name, len(runs), len(needed) if name not in QUIET else 0, sum(run.is_new for run in runs),
            sum(run.is_new for run in needed) if name not in QUIET else None,
            *(percent(mean(getattr(run, what) for run in runs))
              for what in ("without", "first", "later_without", "later", "old")),
            f"{(mean(run.requests - run.new for run in runs) or 0):.1f}",
        ])
    heads = ["update", "blogs", "lost posts", "learned anew", "of those", "new posts, old rules", "new posts",
             "later posts, old rules", "later posts", "old pages", "more requests"]
    return markdown_table(heads, rows) + f"\n\n{len(told)} blogs; strict before any redesign {percent(before)} %."


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--cut", action="store_true", help="cut the feeds to excerpts")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    arguments = parser.parse_args()
    outcomes: dict[str, Outcome] = {}
    for blog, outcome in over_blogs(partial(measure, cut=arguments.cut), chosen_blogs(arguments), jobs=arguments.jobs):
        outcomes[blog.id] = outcome
        noticed = sum(run.is_new for run in outcome.runs.values())
        say(f"{len(outcomes)} {blog.id}: {outcome.problem or f'{noticed} of {len(outcome.runs)} learned anew'}")
    if not any(outcome.runs for outcome in outcomes.values()):
        sys.exit(f"none of these blogs has {LEAST} posts with HTML and whole text")
    if arguments.json:
        print(json.dumps({blog: _plain(outcome) for blog, outcome in sorted(outcomes.items())}, indent=1))
    else:
        print(table(outcomes))


def _plain(outcome: Outcome) -> dict[str, object]:
    runs = {name: {what: getattr(run, what) for what in Run.__slots__} for name, run in outcome.runs.items()}
    return {"before": outcome.before, "problem": outcome.problem, "runs": runs}


if __name__ == "__main__":
    main()
