"""What a crawl leaves on the screen when it ends. docs/internals/figures.md defines its figures."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from everlog.cli.program import as_typed
from everlog.cli.terminal.text import console
from everlog.cli.terminal.wrapping import wrapped
from everlog.core.terminal import harmless
from everlog.errors import EverlogError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable

    from rich.console import Console

    from everlog.usecases.crawl.report import Report, Tally

REASONS_SHOWN = 8
DEFAULT_ARCHIVE = "everlog-archive"
# A label, and where what it labels begins.
LABEL = 12
# Kinds of trouble, as the JSON of a crawl names them, in words.
TROUBLES = {
    "robots": "robots.txt disallows", "rate-limited": "the server asked us to wait", "gone": "gone",
    "address": "at an address that is not allowed", "dns": "DNS lookup failed", "connection": "no connection",
    "proxy": "the proxy is not reachable", "tls": "TLS error", "timeout": "timed out", "too-large": "too large",
    "truncated": "the answer was cut off", "loop": "redirects in a circle", "protocol": "the answer is no valid HTTP",
}
COLUMNS = ("posts", "complete", "new", "changed", "comments", "media", "missing", "blog")


def print_summary(
    reports: list[Report | EverlogError], *, verbose: bool = False, archive: str = DEFAULT_ARCHIVE,
) -> None:
    """How each crawl ended and what it brought, on stderr: a table where it fits, else a few lines for each blog."""
    done = [report for report in reports if not isinstance(report, EverlogError)]
    # Long lines are wrapped at words by us; an address that runs over the edge is left whole, to be clicked and copied.
    screen = console(soft_wrap=True)
    lines = _table(done)
    fits = not screen.is_terminal or max(map(len, lines)) <= screen.width
    is_table = len(done) > 1 and fits
    for line in lines if is_table else ():
        screen.print(line)
    for report in done:
        _print_report(screen, report, in_detail=not is_table, verbose=verbose)
        now = report.tally.now
        if not verbose and (now.missing or now.media_missing or now.requisites_missing):
            named = archive_named(archive)
            screen.print(f"  what is missing:  everlog status {report.blog}{named}")
            if report.tally.now.missing_posts:
                screen.print(f"  to go after it:   everlog repair {report.blog}{named}")


def archive_named(archive: str) -> str:
    """The flag that a command to copy needs for it to find the same archive; nothing for the usual one.

    The address of a database is not repeated, as it may hold a password.

    >>> archive_named("everlog-archive"), archive_named("my blogs"), archive_named("postgresql://db/everlog")
    ('', " --archive 'my blogs'", '')
    """
    return "" if archive == DEFAULT_ARCHIVE or "://" in archive else f" --archive {quote(archive)}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number and what it counts.

    >>> counted(1, "post"), counted(1234, "post"), counted(0, "picture or file", "pictures and files")
    ('1 post', '1,234 posts', '0 pictures and files')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def reason_in_words(reason: str) -> str:
    """Why pages were not kept, for people: a kind of trouble in words, with its status; other reasons as they are.

    >>> reason_in_words("robots"), reason_in_words("http 500"), reason_in_words("rate-limited 429")
    ('robots.txt disallows', 'HTTP 500', 'the server asked us to wait (HTTP 429)')
    >>> reason_in_words("not fetched: a feed")
    'not fetched: a feed'
    """
    trouble, _, status = reason.partition(" ")
    if trouble == "http":
        return f"HTTP {status}" if status else "HTTP error"
    if trouble not in TROUBLES or (status and not status.isdecimal()):
        return reason
    return f"{TROUBLES[trouble]} (HTTP {status})" if status else TROUBLES[trouble]


def held_of(posts: int, in_part: int) -> str:
    """How many posts are held. Those in part are not among them: the verdict counts them as missing.

    >>> held_of(64, 0), held_of(64, 3)
    ('64 held', '61 held, and 3 in part')
    """
    return f"{posts - in_part:,} held, and {in_part:,} in part" if in_part else f"{posts:,} held"


def posts_of(posts: int, in_part: int) -> str:
    """How many posts are held, in a table of blogs: beside those that are missing stand no others twice.

    >>> posts_of(1064, 0), posts_of(64, 3)
    ('1,064', '61 + 3 in part')
    """
    return f"{posts - in_part:,} + {in_part:,} in part" if in_part else f"{posts:,}"


def missing_of(posts: int, pages: int) -> str:
    """How many posts and pages are missing, in words; nothing if none is.

    >>> missing_of(2, 1), missing_of(0, 0)
    ('2 posts, 1 other page', '')
    """
    parts = ((posts, "post"), (pages, "other page"))
    return ", ".join(counted(count, name) for count, name in parts if count)


def media_of(held: int, missing: int, waiting: int) -> str:
    """How many pictures and files are held of those that are named.

    >>> media_of(42, 0, 0), media_of(0, 180, 0), media_of(3, 1, 2)
    ('42 pictures and files', '0 of 180 pictures and files', '3 of 6 pictures and files, 2 wait')
    """
    wanted = held + missing + waiting
    said = f"{held:,} of " if wanted > held else ""
    later = f", {waiting:,} wait" if waiting else ""
    return f"{said}{counted(wanted, 'picture or file', 'pictures and files')}{later}"


def asked_of(pages: int, files: int) -> str:
    """How many requests a run made, and for what: pages with feeds and comments, and pictures and files of any kind.

    >>> asked_of(5, 801), asked_of(1, 0)
    ('5 requests for pages and feeds, 801 for files', '1 request for pages and feeds')
    >>> asked_of(0, 93), asked_of(0, 0)
    ('93 requests for files', 'no requests for pages, feeds and files')
    """
    if not pages:
        return f"{counted(files, 'request')} for files" if files else "no requests for pages, feeds and files"
    return f"{counted(pages, 'request')} for pages and feeds" + (f", {files:,} for files" if files else "")


def design_of(held: int, missing: int, waiting: int) -> str:
    """How many files that pages need to be shown (requisites) are held, and what of the others.

    >>> print(design_of(42, 0, 0))
    42 files that show pages as they were: style sheets, fonts, pictures
    >>> print(design_of(1, 80, 0))
    1 file that shows pages as they were; 80 could not be had, and pages are shown without them
    >>> design_of(0, 0, 1_200), design_of(0, 0, 0)
    ('none yet of the files that show pages as they were; 1,200 wait', 'none')
    """
    others = []
    if missing:
        others.append(f"{missing:,} could not be had, and pages are shown without them")
    if waiting:
        others.append(f"{waiting:,} wait")
    if not held:
        return "; ".join(("none yet of the files that show pages as they were", *others)) if others else "none"
    shows = "shows" if held == 1 else "show"
    what = "" if others else ": style sheets, fonts, pictures"
    return "; ".join((f"{counted(held, 'file')} that {shows} pages as they were{what}", *others))


def unsure_lines(kinds: Counter[str], posts: int) -> list[str]:
    """What is to be said about posts whose article may be the wrong text.

    >>> from collections import Counter
    >>> unsure_lines(Counter({"the article's usual place is empty": 2}), 61)
    ["on 2 of 61 posts the article's usual place is empty"]
    """
    return [f"on {count} of {posts} posts {kind}" for kind, count in kinds.most_common()]


def comment_lines(tally: Tally) -> list[str]:
    """What is to be said about comments that are not kept."""
    lines = []
    if tally.comments_missing:
        lines.append(f"the site counts {counted(tally.comments_missing, 'comment')} more than were found")
    if tally.now.comments_failed:
        posts = counted(tally.now.comments_failed, "post")
        lines.append(f"the comments of {posts} could not be fetched; the next update tries again")
    return lines


def media_lines(tally: Tally) -> list[str]:
    """What is to be said about pictures and files that are neither held nor given up.

    >>> from datetime import UTC, datetime
    >>> from everlog.usecases.crawl.report import Tally
    >>> until = datetime(2024, 6, 2, tzinfo=UTC)
    >>> media_lines(Tally(blog="http://a.example/", media_held_off=7, media_held_until=until))
    ['7 pictures or files wait: their hosts asked us to wait; updates after 2024-06-02 00:00:00 UTC fetch them']
    """
    if not tally.media_held_off or tally.media_held_until is None:
        return []
    until = f"{tally.media_held_until:%Y-%m-%d %H:%M:%S} UTC"
    waiting = f"{tally.media_held_off} pictures or files wait"
    return [f"{waiting}: their hosts asked us to wait; updates after {until} fetch them"]


def _table(reports: list[Report]) -> list[str]:
    """One line a blog, below their names."""
    rows: list[tuple[str, ...]] = [COLUMNS]
    for report in reports:
        tally, now = report.tally, report.tally.now
        media = f"{now.media:,}" + (f" of {now.media_wanted:,}" if now.media_wanted > now.media else "")
        figures = (tally.new_posts, tally.changed_posts, now.comments)
        known = report.completeness.posts if report.completeness is not None else None
        answer, in_part = (known.answer, known.in_part) if known is not None else ("-", 0)
        rows.append((
            posts_of(now.posts, in_part), answer, *(f"{each:,}" for each in figures), media, f"{now.missing_posts:,}",
            report.blog,
        ))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = (
            text.ljust(width) if name == "blog" else text.rjust(width)
            for name, text, width in zip(COLUMNS, row, widths, strict=True)
        )
        lines.append("  ".join(cells).rstrip())
    return lines


def _print_report(screen: Console, report: Report, *, in_detail: bool, verbose: bool) -> None:
    """Why a crawl ended, what is held now, and what is not."""
    tally = report.tally
    _print_wrapped(screen, f"{report.blog}: {_headline(report)}", indent="  ", first="")
    if in_detail:
        for label, said in (*_verdict(report), *_figures(report)):
            _print_wrapped(screen, said, indent=" " * (LABEL + 2), first=f"  {label:<{LABEL}}")
    notes = (*tally.remarks, *unsure_lines(tally.unsure, tally.now.posts), *comment_lines(tally), *media_lines(tally))
    for line in notes:
        _print_wrapped(screen, line, indent="    ", first="  ")
    limit = None if verbose else REASONS_SHOWN
    if tally.reasons:
        screen.print("  not kept in this run, by reason")
    for reason, count in tally.reasons.most_common(limit):
        _print_wrapped(screen, reason_in_words(reason), indent=" " * 10, first=f"  {count:>6,}  ")
    if limit and len(tally.reasons) > limit:
        screen.print(f"  and {len(tally.reasons) - limit} other reasons (-v shows them)")
    if verbose:
        for url, reason in tally.failures:
            screen.print(f"  not archived: {url} ({reason})")


def _headline(report: Report) -> str:
    """What is said first: of a crawl whether all posts are held now, of an update what it found."""
    if report.completeness is not None and not report.is_update and report.ending in {"complete", "incomplete"}:
        return report.completeness.posts.sentence
    return _ended(report)


def _ended(report: Report) -> str:
    """How a run ended. That the queue ran empty does not make a blog complete: the verdict tells that."""
    # Some reasons begin with how it ended.
    is_said = report.ending == "complete" or report.reason.startswith(report.ending)
    return report.reason if is_said else f"{report.ending}, {report.reason}"


def _verdict(report: Report) -> Iterable[tuple[str, str]]:
    """What the headline does not say: how a crawl ended, or whether all posts are held; and what would settle it."""
    known = report.completeness
    if known is None:
        return
    if _headline(report) == known.posts.sentence:
        yield "ended", _ended(report)
    else:
        yield "complete", f"{known.posts.answer}: {known.posts.sentence}"
    if known.posts.settled_by is not None:
        yield "", f"to settle it: {known.posts.settled_by}"


def _figures(report: Report) -> Iterable[tuple[str, str]]:
    """The figures of one blog, with their labels."""
    tally = report.tally
    held = held_of(tally.now.posts, report.completeness.posts.in_part if report.completeness is not None else 0)
    more = f", of about {tally.expected:,} expected" if (tally.expected or 0) > tally.now.posts else ""
    yield "posts", f"{held}{more} ({tally.new_posts:,} new, {tally.changed_posts:,} changed)"
    yield "comments", f"{tally.now.comments:,}"
    yield "media", media_of(tally.now.media, tally.now.media_missing, tally.now.waiting_media)
    now = tally.now
    yield "design", design_of(now.requisites, now.requisites_missing, now.waiting_requisites)
    yield "pages", f"{counted(tally.now.pages, 'other page')}: lists, archives and the like"
    missing = missing_of(tally.now.missing_posts, tally.now.missing_pages)
    if missing:
        yield "missing", missing
    waiting = tally.now.waiting_posts + tally.now.waiting_pages
    if waiting:
        yield "waiting", f"{counted(waiting, 'address', 'addresses')} not visited yet"
    yield "this run", f"{asked_of(tally.requests, tally.file_requests)} in {tally.seconds:.1f} s"


def _print_wrapped(screen: Console, text: str, *, indent: str, first: str) -> None:
    """A text wrapped at words; on what is no terminal, and has no edge, in one line."""
    if not screen.is_terminal:
        screen.print(first + text)
        return
    from rich.text import Text

    for line in wrapped(Text(as_typed(harmless(text))), screen, margin=first, hanging=indent):
        screen.print(line)
