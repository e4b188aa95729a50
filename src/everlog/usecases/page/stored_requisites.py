"""Requisites of what is stored: what captured pages and style sheets need, and whether that is held or explained.

    needed_by_stored    what a stored page or style sheet needs, as a crawl finds it
    check_requisites    every requisite that a held page names is held, or there is a reason why not (`everlog verify`)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from everlog.archive.verify import Finding
from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import UnreadablePage
from everlog.replay.html_decode import html_text, query_encoding
from everlog.replay.html_places import MEDIA_KINDS
from everlog.replay.requisites import NONE_NEEDED, requisites_of
from everlog.replay.shown_files import shown_on_page
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.page.requisite_links import MOST_PER_BLOG, beyond_remark
from everlog.usecases.page.requisite_visits import HTML, NOT_MODIFIED, needed_by
from everlog.usecases.page.stored_pages import stored_exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.archive.models import Capture
    from everlog.records import Blog, Exchange
    from everlog.replay.requisites import Requisite, Requisites

OK = 200
# Requisites of one blog of which it is remembered that they are in order: most pages need the same.
REMEMBERED = 50_000
# Pages of one blog that are read a second time, as replay reads them, at 4 ms each: what the finder of requisites
# cannot find is missing from most pages of a design. (On 198 pages of 33 blogs both agree.)
LOOKED_TWICE = 100


def needed_by_stored(
    capture: Capture, blog: Blog, archive: Archive, *, is_scripted: bool, shown_at: int | None,
) -> Requisites:
    """What a stored page or requisite needs to be shown; nothing if it cannot be read.

    On blogs whose pages a browser renders that is what the rendered page needs. Of a requisite that is
    shown as a document `shown_at` tells how many others stand between it and a page; None of all others.
    """
    answer = _shown(capture, blog, archive, is_scripted=is_scripted)
    if answer is None:
        return NONE_NEEDED
    if capture.purpose != "page":
        return needed_by(
            replace(answer, status=OK), home=blog.home, depth=shown_at or 0, is_document=shown_at is not None,
        )
    return _needed_by_page(answer)


def _shown(capture: Capture, blog: Blog, archive: Archive, *, is_scripted: bool) -> Exchange | None:
    """What is stored of a capture, as it is shown."""
    shown = capture
    if is_scripted and capture.purpose == "page":
        shown = archive.captures.rendering(blog.id, capture.url) or capture
    answer = stored_exchange(shown, archive)
    return replace(answer, url=capture.url) if answer is not None else None


def _needed_by_page(answer: Exchange) -> Requisites:
    kind = (answer.header("content-type") or HTML[0]).partition(";")[0].strip().lower()
    if kind and not kind.startswith(HTML):
        return NONE_NEEDED
    try:
        root = parse(answer.body, answer.header("content-type"))
    except UnreadablePage:
        return NONE_NEEDED
    return requisites_of(root, answer.url, answer.body, content_type=answer.header("content-type"))


def check_requisites(
    archive: Archive, remarks: list[str], progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Finding]:
    """Requisites that should be held and are not; what is explained for a whole blog is added to the remarks."""
    for blog in archive.blogs():
        yield from _Check(blog=blog, archive=archive).findings(remarks, progress)


@dataclass(slots=True, kw_only=True)
class _Check:
    """The check of one blog."""

    blog: Blog
    archive: Archive
    since: datetime | None = field(init=False)
    # Whether the limit of requisites of a blog was reached, and whether pictures were left out.
    is_full: bool = field(init=False)
    is_without_media: bool = field(init=False)
    _fine: set[str] = field(default_factory=set)
    # What pages and frames show as documents, with how many others stand between it and a page; and how much more they
    # name than the limits let in.
    _documents: dict[str, int] = field(default_factory=dict)
    _beyond: dict[str, int] = field(default_factory=dict)
    _beyond_blog: set[str] = field(default_factory=set)
    # Files that replay would show and the finder does not find, by their keys: a page that names each.
    _overlooked: dict[str, str] = field(default_factory=dict)
    _looked_twice: int = 0

    def __post_init__(self) -> None:
        state = self.archive.blogs.state(self.blog.id)
        self.since, self.is_without_media = state.requisites_since, state.requisites_without_media
        self.is_full = sum(1 for _ in self.archive.urls.requisites(self.blog.id)) >= MOST_PER_BLOG

    def findings(self, remarks: list[str], progress: Callable[[str], None]) -> Iterator[Finding]:
        learned = LearnedBlog.of(self.blog)
        is_scripted = learned is not None and learned.is_scripted
        before = 0
        captures, number = self.archive.captures, self.blog.id
        for capture in chain(captures(number), self._drawings(), captures(number, purpose="requisite")):
            if capture.purpose != "media":
                progress(capture.url)
            if not self._is_to_have_all(capture):
                before += capture.purpose == "page"
                continue
            key = canonical(capture.url)
            named = needed_by_stored(
                capture, self.blog, self.archive, is_scripted=is_scripted, shown_at=self._documents.get(key),
            )
            below = self._documents.get(key, 0) + 1 if capture.purpose != "page" else 0
            for each in named:
                if each.is_document:
                    self._documents.setdefault(canonical(each.url), below)
            if named.beyond:
                self._beyond[key] = max(named.beyond, self._beyond.get(key, 0))
            if capture.purpose == "page" and self._looked_twice < LOOKED_TWICE and not named.beyond:
                self._look_twice(capture, named, is_scripted=is_scripted)
            for each in self._lacking(named):
                text = f"needs {each.url}, which is neither held nor in the queue"
                yield Finding(kind="requisite", where=capture.url, text=text)
        if remark := beyond_remark(sum(self._beyond.values()) + len(self._beyond_blog)):
            remarks.append(f"{self.blog.home}: {remark}")
        if self._overlooked:
            example, page = next(iter(self._overlooked.items()))
            files = "1 file" if len(self._overlooked) == 1 else f"{len(self._overlooked):,} files"
            remarks.append(
                f"{self.blog.home}: {files} that replay would show and no crawl looked for, such as {example} of "
                f"{page}: everlog reads these pages in two ways that do not agree; please report one of them",
            )
        if before:
            pages = "1 page" if before == 1 else f"{before:,} pages"
            remarks.append(
                f"{self.blog.home}: {pages} captured without what they need to be shown; to fetch that:  "
                f"everlog update --requisites {self.blog.home}",
            )

    def _drawings(self) -> Iterator[Capture]:
        """Pictures of articles that a page shows as documents; to be asked for when the pages were read."""
        media = self.archive.captures(self.blog.id, purpose="media")
        return (capture for capture in media if canonical(capture.url) in self._documents)

    def _look_twice(self, capture: Capture, named: Requisites, *, is_scripted: bool) -> None:
        """Whether replay would show files with a page that nobody looked for: a mistake of the finder, not of a crawl.

        The finder cannot tell, as it would make the mistake again; the rewriter of replay reads pages in its own way.
        """
        self._looked_twice += 1
        answer = _shown(capture, self.blog, self.archive, is_scripted=is_scripted)
        kind = (answer.header("content-type") or HTML[0]) if answer is not None else ""
        if answer is None or kind.partition(";")[0].strip().lower() not in HTML:
            return
        shown = shown_on_page(
            html_text(answer.body, kind), answer.url, is_xml=kind.startswith(HTML[1]),
            encoding=query_encoding(answer.body, kind),
        )
        unsaid = shown - {canonical(each.url) for each in named}
        known = self.archive.urls.rows_of(self.blog.id, unsaid) if unsaid else {}
        self._overlooked.update((key, capture.url) for key in sorted(unsaid) if key not in known)

    def _is_to_have_all(self, capture: Capture) -> bool:
        """Whether a crawl that keeps requisites read this page; captures of others have what their files had."""
        if self.since is None or capture.origin != "live":
            return False
        if capture.status != NOT_MODIFIED:
            return capture.fetched_at >= self.since
        body = self.archive.captures.held_answer(self.blog.id, canonical(capture.url))
        return body is not None and body.fetched_at >= self.since

    def _lacking(self, named: Requisites) -> list[Requisite]:
        """Those that should be held and are not."""
        by_key = {canonical(each.url): each for each in named}
        unsure = {key: each for key, each in by_key.items() if key not in self._fine}
        if not unsure:
            return []
        rows = self.archive.urls.rows_of(self.blog.id, unsure)
        done = [key for key, row in rows.items() if row.state == "done" and row.outcome in {"requisite", "media"}]
        held = self.archive.captures.held_of(self.blog.id, done)
        lacking: list[Requisite] = []
        for key, each in unsure.items():
            if key in rows:
                is_fine = key not in done or key in held
            else:
                is_fine = self.is_without_media and each.kind in MEDIA_KINDS
                if not is_fine and self.is_full:
                    is_fine = True
                    self._beyond_blog.add(key)
            if not is_fine:
                lacking.append(each)
            elif len(self._fine) < REMEMBERED:
                self._fine.add(key)
        return lacking
