"""Import of WARC and WACZ files: read once to see what is in them, then taken blog by blog. No request is made."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.importing.file_fetcher import FileFetcher
from everlog.importing.import_index import ImportIndex
from everlog.importing.no_web import NoWeb
from everlog.importing.open_files import Part, Unreadable, opened, parts_of, refused, unpacked_part
from everlog.importing.warc_records import PackedAsWhole, read_records
from everlog.usecases.completeness import renew_offline
from everlog.usecases.crawl.crawl_context import CrawlRun
from everlog.usecases.crawl.report import Tally
from everlog.usecases.discover.typed_address import fetchable
from everlog.usecases.foreign.find_blogs import BlogFinder, FoundBlog
from everlog.usecases.foreign.take_captures import ForeignCapture, Won, take_captures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from everlog.archive import Archive
    from everlog.core.scope import Scope
    from everlog.importing.import_index import IndexedCapture
    from everlog.records import Fetched
    from everlog.settings import Settings

    Step = Callable[[str], None]
    Progress = Callable[[int, str], AbstractContextManager[Step]]

COMPLETE, INCOMPLETE, NOTHING = 0, 3, 4
# Files that an event names.
NAMED = 3


@dataclass(slots=True, kw_only=True)
class FileRead:
    """What a file held: captures, records that could not be read, by reasons; `problem`: why nothing could be."""

    name: str
    captures: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedBlog:
    """A blog that something was imported of."""

    home: str
    is_new: bool
    won: Won


@dataclass(slots=True, kw_only=True)
class Imported:
    """What an import did."""

    files: list[FileRead] = field(default_factory=list)
    blogs: list[ImportedBlog] = field(default_factory=list)
    # Pages that belong to no blog; and what the user should know.
    pages_left: int = 0
    remarks: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0 complete, 3 something could not be read, 4 no post was found."""
        if not any(_has_posts(each.won) for each in self.blogs):
            return NOTHING
        is_damaged = any(each.problem or each.skipped for each in self.files)
        return INCOMPLETE if is_damaged or any(each.won.lost for each in self.blogs) else COMPLETE


def import_files(
    paths: Sequence[str], archive: Archive, settings: Settings, *, blog: str | None = None,
    progress: Progress = lambda _total, _what: nullcontext(lambda _note: None),
) -> Imported:
    """Bring the blogs that are in some files into the archive, or the one at `blog`; what is there adds nothing."""
    done = Imported()
    with tempfile.TemporaryDirectory(prefix="everlog-import-") as folder, ExitStack() as stack:
        scratch = Path(folder)
        index = ImportIndex(scratch)
        stack.callback(index.close)
        parts = _read_all([Path(path) for path in paths], index, scratch, done, progress)
        run = CrawlRun(fetcher=NoWeb(), archive=archive, settings=settings, tally=Tally(blog=blog or ""))
        fetcher = FileFetcher(
            index, parts, now=run.now(), scratch=scratch, max_page_bytes=settings.max_page_bytes,
            max_media_bytes=settings.max_media_bytes, max_requisite_bytes=settings.max_requisite_bytes,
        )
        stack.callback(fetcher.close)
        finder = BlogFinder(index=index, fetcher=fetcher, archive=archive, settings=settings)
        taking = _Taking(finder, run, done, progress, source=_named(done.files))
        asyncio.run(taking.take(fetchable(blog) if blog is not None else None))
    return done


def _read_all(paths: list[Path], index: ImportIndex, scratch: Path, done: Imported, progress: Progress) -> list[Part]:
    """Where each capture of all files stands; the files that can be read."""
    parts: list[Part] = []
    with progress(len(paths), "files read") as step:
        for path in paths:
            report = FileRead(name=str(path))
            done.files.append(report)
            try:
                for part in parts_of(path, scratch):
                    report.captures += _read_part(part, parts, index, scratch, report)
            except Unreadable as error:
                report.problem = str(error)
            step(path.name)
    if all(each.problem is not None for each in done.files):
        raise refused([each.problem or "" for each in done.files])
    index.finish()
    return parts


def _read_part(part: Part, parts: list[Part], index: ImportIndex, scratch: Path, report: FileRead) -> int:
    def on_bad(reason: str) -> None:
        report.skipped[reason] += 1

    # A file that turns out to be packed as a whole does so before the first of its captures is kept twice.
    parts.append(part)
    try:
        with opened(part) as file:
            return index.add(len(parts) - 1, read_records(file, on_bad))
    except PackedAsWhole:
        index.drop(len(parts) - 1)
        parts[-1] = unpacked_part(part, scratch)
        with opened(parts[-1]) as file:
            return index.add(len(parts) - 1, read_records(file, on_bad))


@dataclass(slots=True)
class _Taking:
    """The second half of an import: what is known to be in the files is taken, blog by blog."""

    finder: BlogFinder
    run: CrawlRun
    done: Imported
    progress: Progress
    source: str

    async def take(self, url: str | None) -> None:
        finder, done = self.finder, self.done
        found = [await finder.named(url)] if url is not None else await finder.all(done.remarks)
        for each in found:
            done.blogs.append(await self._blog(each))
        scopes = [each.scope for each in found]
        last: str | None = None
        for page in finder.index.pages():
            key = canonical(page.url)
            done.pages_left += key != last and not any(scope.is_own_key(key) for scope in scopes)
            last = key

    async def _blog(self, found: FoundBlog) -> ImportedBlog:
        archive = self.run.archive
        total = sum(1 for _ in self._pages(found.scope))
        with self.progress(total, f"pages of {found.blog.home}") as step, archive.lock(found.blog.id):
            won = await take_captures(
                found.blog, self._captures(found.scope, step), self.run, source=self.source, others=found.fetcher,
            )
            renew_offline(found.blog, archive, now=self.run.now())
        return ImportedBlog(home=found.blog.home, is_new=found.is_new, won=won)

    def _pages(self, scope: Scope) -> Iterator[IndexedCapture]:
        return (page for page in self.finder.index.pages() if scope.is_own(page.url))

    def _captures(self, scope: Scope, step: Step) -> Iterator[ForeignCapture]:
        for page in self._pages(scope):
            yield ForeignCapture(url=page.url, captured_at=page.at, open=self._opener(page))
            step(page.url)

    def _opener(self, page: IndexedCapture) -> Callable[[], Fetched | None]:
        def open_page() -> Fetched | None:
            # What else belongs to the page is looked for at its own time.
            self.finder.fetcher.moment = page.at
            return self.finder.fetcher.page(page)

        return open_page


def _named(files: Sequence[FileRead]) -> str:
    names = [Path(each.name).name for each in files if each.problem is None]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _has_posts(won: Won) -> bool:
    return bool(won.posts or won.changed or won.earlier or won.known or won.same)
