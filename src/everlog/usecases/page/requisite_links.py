"""Requisites on their way into the queue: which of those that pages and style sheets name are asked for, and when.

    RequisiteLinks      the memory of one crawl: what it has met, what the archive knows, how much more may be taken in
    keeps_requisites    whether a crawl with these settings keeps them
    file_lanes          the lanes of the queue that it asks for beside its pages
    beyond_remark       what is said of those beyond the limits; `keep_beyond` writes it down
    note_requisites     from when on a blog's pages have theirs, for `everlog verify`
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.records import Link
from everlog.replay.html_places import MEDIA_KINDS

if TYPE_CHECKING:
    from everlog.records import Lane
    from everlog.replay.requisites import Requisites
    from everlog.settings import Settings
    from everlog.usecases.crawl.crawl_context import CrawlContext

# Requisites of one blog, at most. Of 84 blogs, 110 pages each on the average, half name 163 files or fewer with the
# pictures of their articles, nine of ten 704, the richest 2,098. What grows with a blog are pictures of lists and faces
# of commenters; five times the richest leaves room for long blogs, and is three hours at one request a second.
MOST_PER_BLOG = 10_000
# A style sheet that imports one that imports ...: themes nest two or three, and a loop ends as every address is asked
# for once; a server that makes up new addresses ends here.
MOST_DEPTH = 5
# Frames in frames on the blog's own host: as many in each other as replay was seen to need (a player in a preview in a
# page). One that names new ones for ever ends here.
MOST_FRAME_DEPTH = 2
# A requisite that a page fetched anew names is asked for again, with the condition that it changed, when the last look
# is older than this. Designs that change have new addresses as a rule (`?ver=`, a hash in the name), which are fetched
# at once; of forty requisites, this costs one request a day at most, and most of these are answered "not modified".
LOOKED_AT_AGAIN = timedelta(days=30)
# The rank of an address that no page named.
GUESSED = -1.0
# Since its first capture: what is said of a blog of which no page was held before.
EVER = datetime(1970, 1, 1, tzinfo=UTC)
# Pages and style sheets that name more than is kept, of which it is remembered how much more; nearly no blog has any.
BEYOND_KEPT = 1_000
# Addresses as pages write them, of which it is remembered that they were met: most pages name the same forty.
MET_KEPT = 50_000


def keeps_requisites(settings: Settings) -> bool:
    """Whether a crawl with these settings keeps what its pages need to be shown."""
    return settings.requisites and settings.pages and "requisites" in settings.pipeline


def file_lanes(settings: Settings) -> tuple[Lane, ...]:
    """The lanes of files that a crawl with these settings asks for."""
    return (*(("requisite",) if keeps_requisites(settings) else ()), *(("media",) if settings.media else ()))


@dataclass(slots=True, kw_only=True)
class RequisiteLinks:
    """The requisites that one crawl has met."""

    context: CrawlContext
    # Keys that the archive knew when the crawl began, and how many there are by now.
    known: set[str] = field(default_factory=set)
    count: int = 0
    # How many more files pages and style sheets name than the limits let in: as far as the archive remembers, and in
    # this run.
    beyond: dict[str, int] = field(default_factory=dict)
    beyond_now: int = 0
    # Whether those that are held may be asked for again.
    looks_again: bool = True
    _along: list[Link] = field(default_factory=list)
    _own: set[str] = field(default_factory=set)
    _met: set[tuple[str, str]] = field(default_factory=set)
    # What is shown as a document, and how many requisites stand between it and a page.
    _documents: dict[str, int] = field(default_factory=dict)

    def new(self, named: Requisites, *, found_on: str, depth: int = 0) -> list[Link]:
        """Links to those that are not known yet, and to those that are to be looked at again."""
        context = self.context
        without = frozenset[str]()
        if not context.settings.media and not depth:
            # Pictures of pages are media to who wants none; those of style sheets are the design.
            without = MEDIA_KINDS
        beyond = named.beyond
        links: list[Link] = []
        again: dict[str, str] = {}
        for each in named:
            if (each.url, each.kind) in self._met or each.kind in without:
                continue
            if len(self._met) >= MET_KEPT:
                self._met.clear()
            self._met.add((each.url, each.kind))
            key = canonical(each.url)
            if each.is_document:
                self._documents.setdefault(key, depth)
            if context.has_seen(key):
                if key in self.known and key not in self._own:
                    again[key] = each.url
                continue
            if self.count >= MOST_PER_BLOG:
                beyond += 1
                continue
            context.is_new(key)
            self._own.add(key)
            self.count += 1
            rank = GUESSED if each.is_guess else float(depth)
            links.append(Link(url=each.url, key=key, lane="requisite", found_on=found_on, rank=rank))
        if beyond or self.beyond:
            self._note_beyond(found_on, beyond)
        if again and self.looks_again and context.foreign is None:
            links += self._due(again, found_on, depth)
        return links

    def shown_at(self, key: str) -> int | None:
        """How many requisites stand between an address and a page, if this run read that it is shown as a document."""
        return self._documents.get(key)

    def may_be_document(self, key: str) -> bool:
        """Whether what waits in the queue is shown as a document; of what an earlier run put there it is not known."""
        return key in self._documents or key not in self._own

    def _note_beyond(self, found_on: str, count: int) -> None:
        self.beyond_now += count
        if not count:
            self.beyond.pop(found_on, None)
        elif found_on in self.beyond or len(self.beyond) < BEYOND_KEPT:
            self.beyond[found_on] = count

    def take_along(self, named: Requisites, *, found_on: str) -> None:
        """Those of a further page of a post: they go into the queue with the post's own."""
        self._along += self.new(named, found_on=found_on)

    def along(self) -> list[Link]:
        """What was taken along since this was last called."""
        taken, self._along = self._along, []
        return taken

    def holds(self, key: str) -> bool:
        """Whether an address is known as a requisite, and as nothing else."""
        return key in self._own or key in self.known

    def give_up(self, key: str) -> bool:
        """Whether an address was a requisite so far; from now on it is more: a page, or media of an article."""
        if not self.holds(key):
            return False
        self._own.discard(key)
        self.known.discard(key)
        self.count -= 1
        return True

    def _due(self, keys: dict[str, str], found_on: str, depth: int) -> list[Link]:
        """Those whose last look is long ago, or was before the blog was redesigned; back in the queue."""
        context = self.context
        self._own.update(keys)
        before = context.run.now() - LOOKED_AT_AGAIN
        learned_at = context.learned.learned_at
        if context.templates.former and learned_at is not None:
            before = max(before, learned_at)
        rows = context.archive.urls.rows_of(context.blog.id, keys)
        due = [
            key for key, row in rows.items()
            if row.lane == "requisite" and row.state == "done" and row.visited_at is not None
            and row.visited_at < before
        ]
        if due:
            context.archive.urls.requeue(context.blog.id, due)
        return [Link(url=keys[key], key=key, lane="requisite", found_on=found_on, rank=float(depth)) for key in due]


def beyond_remark(count: int) -> str | None:
    """What is said of files that pages name beyond the limits; nothing, if there are none.

    >>> print(beyond_remark(1_011))
    1,011 more files were beyond the limits of one page, one style sheet or one blog: pages are shown without them
    """
    if not count:
        return None
    files = "1 more file was" if count == 1 else f"{count:,} more files were"
    return f"{files} beyond the limits of one page, one style sheet or one blog: pages are shown without them"


def keep_beyond(context: CrawlContext) -> None:
    """Write down how much was beyond the limits, and say so of this run."""
    needed = context.requisites
    context.tally.requisites_beyond = sum(needed.beyond.values())
    if remark := beyond_remark(needed.beyond_now):
        context.tally.remarks.append(remark)
    if context.archive.blogs.state(context.blog.id).requisites_beyond != needed.beyond:
        said = dict(needed.beyond)
        context.archive.blogs.change_state(context.blog.id, lambda state: replace(state, requisites_beyond=said))


def note_requisites(context: CrawlContext) -> None:
    """Write down from when on the pages of a blog have their requisites; one crawl without them begins anew."""
    settings, archive, blog = context.settings, context.archive, context.blog
    state = archive.blogs.state(blog.id)
    if not settings.pages:
        return
    if not keeps_requisites(settings):
        since = None
    elif state.requisites_since is not None:
        since = state.requisites_since
    else:
        since = context.run.now() if next(iter(archive.captures(blog.id)), None) is not None else EVER
    is_without_media = state.requisites_without_media or not settings.media
    if (since, is_without_media) != (state.requisites_since, state.requisites_without_media):
        archive.blogs.change_state(blog.id, lambda state: replace(
            state, requisites_since=since, requisites_without_media=is_without_media,
        ))
