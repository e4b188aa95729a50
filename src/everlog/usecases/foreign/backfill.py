"""Backfill from a web archive: posts, pictures and earlier versions that are gone from the web.

    backfill_blog    all of it, for a blog that is learned
    Restored         what it brought, and how it ended

Posts come first, then pictures, then earlier versions of posts that are held. Where it stands is kept with the blog
after every batch: a run that is stopped goes on there. Nothing is taken in place of a live copy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from everlog.archive.repos.urls import FILES
from everlog.core.links import trap
from everlog.core.urls import canonical
from everlog.history.memento.capture_choice import earlier_versions, next_to_try, pages_of, shared_digests
from everlog.history.memento.capture_walk import CaptureWalk, by_page
from everlog.history.memento.web_archive import blog_queries, single_queries
from everlog.history.told_text import is_without_page
from everlog.records import Exchange, Fetched
from everlog.usecases.crawl.left_out import left_to_robots
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.foreign.archive_client import ArchiveClient, Halt
from everlog.usecases.foreign.archived_web import ArchivedWeb
from everlog.usecases.foreign.backfill_state import BackfillState
from everlog.usecases.foreign.capture_judge import CaptureJudge
from everlog.usecases.foreign.restore_media import restore_media
from everlog.usecases.foreign.take_captures import ForeignCapture, Won, take_captures

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from everlog.core.scope import Scope
    from everlog.history.memento.memento_lines import Memento
    from everlog.records import Blog
    from everlog.usecases.crawl.crawl_context import CrawlRun
    from everlog.usecases.crawl.report import Ending

# Captures that are stored together: a run that is killed asks for so many again.
BATCH_CAPTURES = 20
BATCH_BYTES = 20_000_000
# Requests without anything to store, after which it is noted all the same how far they came.
NOTED_EVERY = 20
# Posts that are asked for one by one; for more of them the list of the whole blog is fewer requests.
MOST_SINGLE = 10


@dataclass(slots=True, kw_only=True)
class Restored:
    """What a web archive brought to a blog: `ways` has, by the key of each post that was won, when it was captured."""

    archive: str
    won: Won = field(default_factory=Won)
    ways: dict[str, str] = field(default_factory=dict)
    requests: int = 0
    ending: Ending = "complete"
    reason: str = ""
    problems: tuple[str, ...] = ()

    def remark(self) -> str:
        """What was brought, in a sentence."""
        problem = f" ({'; '.join(self.problems)})" if self.problems else ""
        return f"from the web archive {self.archive}: {self.won.summary()}{problem}"


async def backfill_blog(
    blog: Blog, run: CrawlRun, *, only: Mapping[str, str] | None = None, is_dead: bool = False,
    look_live: Callable[[], Awaitable[None]] | None = None, client: ArchiveClient | None = None,
) -> Restored:
    """Take what is gone from the web archive that the settings name; the caller holds the blog's lock.

    `only` are the posts that are wanted, by their keys, with their addresses; else all that it has of the blog.
    `look_live` is called behind the posts: what they show may still be there. A blog that `is_dead` has nothing live.
    """
    client = client or client_of(run)
    work = _Backfill(blog=blog, run=run, client=client, only=only, is_dead=is_dead)
    run.stop.begin(client)
    try:
        await work.run_all(look_live)
    except Halt as halt:
        work.restored.ending, work.restored.reason = halt.ending, halt.reason
        await work.store_batch()
    work.restored.requests = client.requests
    return work.restored


def client_of(run: CrawlRun) -> ArchiveClient:
    """The client of the web archive that the settings of a run name."""
    assert run.web_archive is not None  # noqa: S101 - for the type checker
    assert run.settings.from_wayback is not None  # noqa: S101 - for the type checker
    return ArchiveClient(given=run.settings.from_wayback, fetcher=run.web_archive, run=run)


@dataclass(slots=True, kw_only=True)
class _Backfill:
    """One run over what a web archive has of a blog."""

    blog: Blog
    run: CrawlRun
    client: ArchiveClient
    only: Mapping[str, str] | None
    is_dead: bool
    restored: Restored = field(init=False)
    scope: Scope = field(init=False)
    judge: CaptureJudge = field(init=False)
    state: BackfillState = field(init=False)
    phase: str = "posts"
    # Captures on their way into the archive, those of one address in a row.
    batch: list[Exchange] = field(default_factory=list)
    # Addresses with captures that were asked for in vain, and when the newest of these was made.
    vain: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    left_out: set[str] = field(default_factory=set)
    _noted_at: int = 0
    # The last page of the archive's list that is done.
    _place: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        blog, archive = self.blog, self.run.archive
        self.restored = Restored(archive=self.client.name)
        self.scope = scope_of(blog, archive)
        self.judge = CaptureJudge.of(blog, self.scope, self.run)
        self.state = BackfillState(blog=blog, run=self.run, endpoint=self.client.given, is_kept=self.only is None)
        self.vain = self.state.vain()
        self.refused.update(map(canonical, left_to_robots(blog, archive)))
        self.left_out.update(
            canonical(problem.url) for problem in archive.urls.problems(blog.id)
            if problem.lane not in FILES and not problem.is_missing
        )

    async def run_all(self, look_live: Callable[[], Awaitable[None]] | None) -> None:
        self.run.tally.doing = f"asking {self.client.name} what it has"
        await self.client.recognise(self.blog.home)
        cursor = self.state.cursor()
        self.phase = cursor.get("phase", "posts")
        if self.phase == "posts":
            await self._walk(self._restore, cursor)
            self._next_phase("media")
        if look_live is not None and not self.is_dead:
            await look_live()
            self.run.stop.begin(self.client)
        if self.phase == "media":
            if self.run.settings.media:
                self.restored.won.media += await restore_media(self.blog, self.client, is_dead=self.is_dead)
            self._next_phase("versions")
        if self.only is None and self.run.settings.wayback_versions and self.client.archive.lists_folders:
            await self._walk(self._add_versions, cursor if cursor.get("phase") == "versions" else {})
        self.state.keep(None, self.restored.problems, is_over=True)

    async def _walk(
        self, take: Callable[[str, Sequence[Memento], frozenset[str]], Awaitable[None]], cursor: Mapping[str, Any],
    ) -> None:
        """Go through all captures, page by page; where it stands is kept with every batch."""
        walk = CaptureWalk.of(
            self.client.archive, self._queries(), last_year=self.run.now().year, cursor=cursor.get("walk"),
        )
        done = cursor.get("done")
        while True:
            # An answer is asked for again after a crash: its pages up to the last that is done are passed over.
            place = walk.cursor
            captures = await self.client.listed(walk)
            if captures is None:
                break
            shared = shared_digests(captures)
            groups = list(by_page(captures))
            start = next((at + 1 for at, (key, _) in enumerate(groups) if key == done), 0)
            done = None
            for key, group in groups[start:]:
                if self.scope.is_own_key(key):
                    await take(key, group, shared)
                self._place = {"phase": self.phase, "walk": place, "done": key}
                await self._store_if_full()
        await self.store_batch()
        self._place = None
        self.restored.problems = tuple(dict.fromkeys((*self.restored.problems, *walk.problems)))

    async def _restore(self, key: str, group: Sequence[Memento], shared: frozenset[str]) -> None:
        """A post that is not held, from the newest of its captures that shows it, with some that are earlier."""
        pages = pages_of(group, besides=shared)
        if not pages or not self._is_wanted(key, pages[-1].url) or self.vain.get(key) == pages[-1].stamp:
            return
        self.state.name_post(key, pages[-1])
        tried: dict[int, bool] = {}
        found: dict[int, Exchange] = {}
        is_sure = True
        while (place := next_to_try(len(pages), tried)) is not None:
            self._say()
            answer = await self.client.capture(pages[place])
            is_post = isinstance(answer, Exchange) and self.judge.is_post(answer)
            if isinstance(answer, Exchange) and is_post:
                found[place] = answer
            elif isinstance(answer, str):
                is_sure = is_sure and not _may_pass(answer)
            tried[place] = is_post
        if not found:
            if is_sure:
                self.state.name_post(key, pages[-1], is_vain=True)
            return
        newest = max(found)
        self.restored.ways[key] = f"captured {pages[newest].captured_at:%Y-%m-%d}"
        most = self.run.settings.wayback_versions
        for each in earlier_versions(pages[:newest], before=pages[newest].captured_at, most=most):
            place = pages.index(each)
            answer = await self.client.capture(each) if place not in tried else ""
            if isinstance(answer, Exchange) and self.judge.is_post(answer):
                found[place] = answer
        self.batch += [found[place] for place in sorted(found)]

    async def _add_versions(self, key: str, group: Sequence[Memento], shared: frozenset[str]) -> None:
        """Earlier versions of a post that was held before."""
        archive = self.run.archive
        pages = pages_of(group, besides=shared)
        held = archive.posts.find("http://" + key) if pages else None
        if held is None or key in self.restored.ways:
            return
        versions = [each.post for each in archive.posts.history(held.url)] or [held]
        first = min([each for each in versions if each.origin == "live"] or versions, key=lambda each: each.version)
        before = first.captured or first.fetched
        if before is None:
            return
        known = {f"{moment:%Y%m%d%H%M%S}" for moment in archive.captures.foreign_moments(self.blog.id, key)}
        most = self.run.settings.wayback_versions
        for each in earlier_versions(pages, before=before, most=most, known=known):
            self._say()
            answer = await self.client.capture(each)
            if isinstance(answer, Exchange) and self.judge.is_post(answer):
                self.batch.append(answer)

    def _is_wanted(self, key: str, url: str) -> bool:
        """Whether a page that is not held may be a post that is gone."""
        archive = self.run.archive
        if key in self.refused and self.run.settings.robots:
            # Whoever asks not to be archived is not archived by way of others.
            return False
        if self.only is not None:
            return key in self.only and self._is_unheld(key)
        if trap(url) is not None or not self.judge.templates.present.classifier.likely_post(url):
            return False
        row = archive.urls.state(self.blog.id, key)
        state = row[0] if row is not None else None
        is_live = state == "done" and key not in self.left_out
        if is_live or (state == "queued" and not self.is_dead):
            # It answers, and is no post; or its turn has not come.
            return False
        return self._is_unheld(key)

    def _is_unheld(self, key: str) -> bool:
        """Whether no page of a post is held: one that an interface told may have none, but that of a capture."""
        archive = self.run.archive
        held = archive.posts.find("http://" + key)
        if held is None or not is_without_page(held):
            return held is None
        return all(is_without_page(each.post) for each in archive.posts.history(held.url))

    async def _store_if_full(self) -> None:
        is_full = len(self.batch) >= BATCH_CAPTURES or sum(each.size for each in self.batch) >= BATCH_BYTES
        if is_full or self.client.requests - self._noted_at >= NOTED_EVERY:
            await self.store_batch()

    async def store_batch(self) -> None:
        """Store what is at hand, then how far this came."""
        if self.batch:
            captures = [ForeignCapture.of(Fetched(url=each.url, exchanges=(each,))) for each in self.batch]
            around = max(each.seen_at for each in self.batch)
            others = ArchivedWeb(
                client=self.client, around=around, purposes=frozenset({"page"}), is_needed=False,
            )
            won = await take_captures(self.blog, captures, self.run, source=self.client.name, others=others)
            self.restored.won.add(won)
            self.batch.clear()
        self._noted_at = self.client.requests
        if self._place is not None:
            self.state.keep(self._place, self.restored.problems)

    def _next_phase(self, phase: str) -> None:
        self.phase = phase
        self.state.keep({"phase": phase}, self.restored.problems)

    def _queries(self) -> list[Any]:
        if self.only is not None and len(self.only) <= MOST_SINGLE:
            return single_queries(self.only.values())
        if self.client.archive.lists_folders:
            return blog_queries(self.scope)
        # An archive that lists single addresses is asked for those that somebody has named.
        archive = self.run.archive
        named = [each.url for each in archive.urls.problems(self.blog.id) if each.lane not in FILES]
        for state in archive.blogs.state(self.blog.id).history:
            for kind in ("post", "address"):
                named += [each.url for each in archive.blogs.inventory.of(self.blog.id, state.source, kind=kind)]
        wanted = self.only.values() if self.only is not None else dict.fromkeys(named)
        return single_queries(url for url in wanted if self._is_unheld(canonical(url)))

    def _say(self) -> None:
        won = self.restored.won
        self.run.tally.doing = f"asking {self.client.name}: {self.client.requests:,} requests, {won.summary()} so far"


def _may_pass(reason: str) -> bool:
    """Whether a capture that could not be had now may be had later: the archive's own trouble, not what it said."""
    return not reason.startswith(("HTTP 4", "captured as", "the archive", "redirects"))
