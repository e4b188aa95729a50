"""`everlog inspect`: what a crawl would find."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlog.cli.contact import remind_of_contact
from everlog.cli.flags import Flags, takes
from everlog.cli.options import refuse_both
from everlog.cli.program import as_typed
from everlog.cli.terminal.text import json_text, open_with
from everlog.cli.terminal.wrapping import print_wrapped
from everlog.cli.typed_command import refuse_file
from everlog.errors import EverlogError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from everlog.core.scope import Alias
    from everlog.fetch import HttpClient
    from everlog.settings import Settings
    from everlog.usecases.crawl.report import Tally
    from everlog.usecases.history.probe_sources import FoundSource
    from everlog.usecases.inspection import Inspection

WORDS_SHOWN = 40
COLUMN = 14


@takes("feed no_feed scope also delay header cookies ignore_robots allow archive config json quiet verbose")
def inspect(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address of a blog.")],
    *, given: Flags,
) -> None:
    """Show what a crawl of a blog would find and fetch. Writes nothing.

    \b
    Example:
      everlog inspect https://a.blog.example/
    """
    refuse_both(given.feed, no_feed=given.no_feed)
    refuse_file(url)
    open_with(f"looking at {url}: starting", quiet=given.quiet)
    settings = given.settings()
    remind_of_contact([url], settings, None, quiet=given.quiet)
    [found] = look_at([url], settings, typed=[url], quiet=given.quiet)
    if isinstance(found, EverlogError):
        raise found
    if given.json:
        print(json_text(as_dict(found), ensure_ascii=False, indent=1))
    else:
        print_look(found)


def look_at(
    urls: Sequence[str], settings: Settings, *, typed: Collection[str], quiet: bool = False,
) -> list[Inspection | EverlogError]:
    """A look at each of some blogs, or why there is none. What it fetches is kept nowhere."""
    from everlog.cli.terminal.crawl_progress import crawl_display
    from everlog.fetch import with_http_client

    with crawl_display(quiet=quiet) as display:

        async def looked(fetcher: HttpClient) -> list[Inspection | EverlogError]:
            # A process opens the web once, so it is open for all of them.
            found: list[Inspection | EverlogError] = []
            for url in urls:
                try:
                    found.append(await _look(url, settings, fetcher, display, is_typed=url in typed))
                except EverlogError as error:
                    found.append(error)
            return found

        return with_http_client(looked)


async def _look(
    url: str, settings: Settings, fetcher: HttpClient, on_start: Callable[[Tally], None], *, is_typed: bool,
) -> Inspection:
    from everlog.archive import open_archive
    from everlog.render import Browser
    from everlog.usecases.crawl.report import Tally
    from everlog.usecases.discover.stored_allowlist import note_typed
    from everlog.usecases.discover.typed_address import fetchable, other_spellings
    from everlog.usecases.inspection import inspect_blog
    from everlog.usecases.runner import render_options, waits_shown
    from everlog.usecases.sessions import open_session

    whole = fetchable(url)
    own = settings.for_blog(whole)
    with tempfile.TemporaryDirectory(prefix="everlog-") as folder, open_archive(folder, create=True) as scratch:
        others = other_spellings(url, own)
        note_typed([*((whole, *others) if is_typed else ()), *filter(None, [own.feed])], scratch)
        tally = Tally(blog=whole)
        on_start(tally)
        session = open_session(whole, own, scratch, fetcher, others=others)
        try:
            now = fetcher.timekeeper.now
            async with Browser(render_options(own)) as browser, waits_shown(tally, session, now, browser):
                return await inspect_blog(url, session, own, browser, tally=tally)
        finally:
            tally.doing = "done"


def print_look(found: Inspection) -> None:
    """What was found, for people."""
    for name, value in _rows(found):
        print_wrapped(value, margin=f"{name:<{COLUMN}}", hanging=COLUMN * " ")


def as_dict(found: Inspection) -> dict[str, Any]:
    """What was found, for programs."""
    from everlog.records import Post

    sample = found.sample
    return {
        "home": found.home, "title": found.title, "platform": found.platform,
        "platform_evidence": found.evidence, "history": [_source(each) for each in found.sources],
        "feed": found.feed_url, "feeds": list(found.feeds), "feed_entries": found.feed_entries, "robots": found.robots,
        "url_pattern": found.learned.classifier.pattern.regex, "confidence": found.learned.template.confidence(),
        "estimates": [{"posts": each.posts, "why": each.why} for each in found.estimates],
        "estimated_posts": found.estimate.posts, "estimated_requests": found.requests_expected,
        "requests_made": found.requests, "comments": list(found.comments),
        "needs_browser": found.learned.is_scripted, "noarchive": found.noarchive, "remarks": list(found.remarks),
        "also": list(found.scope.also),
        "aliases": [
            {"home": each.home, "here": each.here, "followed": each.followed, "reason": each.reason or None,
             "evidence": "; ".join(each.evidence) or None}
            for each in found.scope.aliases
        ],
        "sample": sample.to_dict() if isinstance(sample, Post) else {"url": sample.url, "skipped": sample.reason},
    }


def _alias_line(alias: Alias) -> str:
    ways = [
        *(["its posts are fetched from here"] if alias.here else []),
        *(["fetched as well"] if alias.followed else []),
    ]
    said = " and ".join(ways) or f"not followed: {alias.reason}"
    why = f"the same blog: {'; '.join(alias.evidence)}" if alias.evidence else "which its pages name as their address"
    return f"{alias.home}, {why}  ({said})"


def _noarchive_line(found: Inspection) -> str:
    """How many posts ask not to be kept, of those that were looked at, and what keeps them."""
    said = f"{found.noarchive} of {found.pages} posts looked at ask not to be kept"
    return f"{said}; if the blog is yours:  everlog crawl {found.home} --ignore-robots"


def _rows(found: Inspection) -> list[tuple[str, str]]:
    from everlog.records import Post

    rows = [
        ("blog", f"{found.home}  {found.title or ''}".rstrip()),
        *(("note", remark.replace(": archiving that blog", ", which a crawl archives")) for remark in found.remarks),
        *(("also at", home) for home in found.scope.also),
        *(("also at", _alias_line(alias)) for alias in found.scope.aliases),
        ("platform", f"{found.platform or 'unknown'}{f' ({found.evidence})' if found.evidence else ''}"),
        *(("history" if place == 0 else "", _of_source(each)) for place, each in enumerate(found.sources)),
        ("feed", f"{found.feed_url}  ({found.feed_entries} entries)" if found.feed_url else
                 f"none: posts are recognised by their pages ({found.feed_entries} so far)"),
        ("other feeds", ", ".join(url for url in found.feeds if url != found.feed_url) or "none"),
        ("robots.txt", found.robots),
        *([("noarchive", _noarchive_line(found))] if found.noarchive else []),
        ("posts at", found.learned.classifier.pattern.regex),
        ("posts", f"about {found.estimate.posts} ({found.estimate.why})"),
        *(("", f"{each.posts} by {each.why}") for each in found.estimates if each is not found.estimate),
        ("comments", "; ".join(found.comments) or "on the pages, if there are any"),
        *([("browser", "needed: the pages are empty until their scripts run")] if found.learned.is_scripted else []),
        ("requests", f"about {found.requests_expected} for the whole blog; {found.requests} made so far"),
    ]
    sample = found.sample
    if isinstance(sample, Post):
        words = sample.text.split()
        rows += [
            ("sample post", sample.url), ("  title", sample.title or "-"),
            ("  authors", ", ".join(sample.authors) or "-"),
            ("  published", sample.published.isoformat() if sample.published else "-"),
            ("  tags", ", ".join(sample.tags) or "-"),
            ("  text", f"{' '.join(words[:WORDS_SHOWN])} ... ({len(words)} words)"),
        ]
    else:
        rows.append(("sample post", f"{sample.url} could not be read: {sample.reason}"))
    way = "" if found.feed_url or not found.feeds else " --no-feed"
    rows.append(("to archive it", as_typed(f"everlog crawl {found.home}{way}")))
    return rows


def _source(found: FoundSource) -> dict[str, object]:
    return {
        "source": found.name, "evidence": found.evidence, "posts": found.total, "requests": found.requests,
        "problem": found.problem,
    }


def _of_source(found: FoundSource) -> str:
    if found.problem is not None:
        return f"{found.name}: cannot be used, {found.problem}"
    posts = f"{found.total:,} posts" if found.total is not None else "all posts, it does not say how many"
    needs = f" in about {found.requests:,} requests" if found.requests is not None else ""
    return f"{found.name}: {posts}{needs} ({found.evidence})"
