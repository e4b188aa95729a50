"""Replay against the live page: sites are crawled, looked at, shut down, and looked at again as they are replayed."""

from __future__ import annotations

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args
from urllib.parse import urlsplit

from cli.program import command, environment
from made_sites.looking import WIDTHS, Look, elsewhere
from made_sites.making import SITES, draw_pictures
from made_sites.posts import CDN, SITE, posts
from made_sites.serving import served
from platforms import content, ghost, wordpress
from platforms.serving import folder_of, running
from services import held_port

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from made_sites.looking import Difference, Eyes
    from platforms.content import Change

CRAWL_SECONDS = 400
PLATFORMS = ("wordpress-blocks", "wordpress-classic", "ghost")
# A font that is `optional` is shown if it comes within a tenth of a second. Live pages preload it; players give a
# preload another address than the style sheet has, so theirs comes too late: as for readers with a slow connection.
OPTIONAL_FONTS = frozenset(("ghost",))
# By address, and by width or the way in which a page was looked at in a window on a desk: with scripts, as players have
# it, or without its fonts, as who gets them too late.
Way = Literal["scripts", "no fonts", "scripts, no fonts"]
WAYS: tuple[Way, ...] = get_args(Way)
Looks = dict[tuple[str, int | Way], Look]
NAMES = (*PLATFORMS, *(site.name for site in SITES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A site that runs: where it is, and the addresses of the pages that are compared."""

    name: str
    url: str
    pages: tuple[str, ...]
    allow: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One page at one width, live and replayed; `asked_elsewhere` is what replay asked of others than its server."""

    name: str
    path: str
    width: int
    difference: Difference
    missing: tuple[str, ...]
    asked_elsewhere: tuple[str, ...]


@contextmanager
def subjects(names: Iterable[str] = NAMES) -> Iterator[tuple[Subject, ...]]:
    """Sites that run until the block ends."""
    wanted = list(names)
    with ExitStack() as open_sites:
        found = [open_sites.enter_context(_platform(name)) for name in wanted if name in PLATFORMS]
        for site in SITES:
            if site.name in wanted:
                at = open_sites.enter_context(served(site))
                pages = tuple(at.url + path for path in site.pages)
                found.append(Subject(name=site.name, url=f"{at.url}/", pages=pages, allow=at.allow))
        yield tuple(found)


def crawl(sites: Sequence[Subject], archive: Path) -> None:
    """All of them into one archive, as somebody would who types the command."""
    words = ["crawl", *(site.url for site in sites), "--archive", str(archive), "--delay", "0", "-q"]
    for host in sorted({host for site in sites for host in site.allow}):
        words += ["--allow", host]
    done = subprocess.run(
        command(*words), cwd=archive.parent, env=environment(), stdin=subprocess.DEVNULL, capture_output=True,
        timeout=CRAWL_SECONDS, check=False, text=True,
    )
    if done.returncode:
        raise RuntimeError(f"the crawl ended with {done.returncode}:\n{done.stderr[-4_000:]}")


def captured(
    names: Iterable[str], archive: Path, eyes: Eyes, *, times: int = 1, ways: Sequence[Way] = (),
) -> tuple[tuple[Subject, ...], Looks]:
    """Crawl sites, and look at them while that goes on; both are over, and the sites gone, when this returns."""

    def crawls(sites: Sequence[Subject]) -> None:
        for _ in range(times):
            crawl(sites, archive)

    with subjects(names) as sites, ThreadPoolExecutor(1) as beside:
        crawled = beside.submit(crawls, sites)
        looks: Looks = {}
        for width in WIDTHS:
            with eyes.looking(width) as viewer:
                looks |= {(page, width): viewer.look(page, revealed=True) for site in sites for page in site.pages}
        for way in ways:
            with eyes.looking(max(WIDTHS), scripts="scripts" in way, fonts="no fonts" not in way) as viewer:
                seen = [site for site in sites if "no fonts" not in way or site.name in OPTIONAL_FONTS]
                looks |= {(page, way): viewer.look(page, revealed=True) for site in seen for page in site.pages}
        crawled.result()
        return sites, looks


@contextmanager
def replaying(archive: Path) -> Iterator[str]:
    """`everlog serve` on an archive: the address of its captured pages."""
    with held_port() as port, held_port() as replay_port:
        words = ("serve", "--archive", str(archive), "--port", str(port), "--replay-port", str(replay_port), "-q")
        url = f"http://127.0.0.1:{replay_port}"
        with running(
            command(*words), url=url, log=archive.parent / "serve.log", environment=environment(),
            folder=archive.parent,
        ):
            yield url


def compared(
    sites: Sequence[Subject], live: Looks, archive: Path, eyes: Eyes, *, drawn: bool = False,
) -> Iterator[Comparison]:
    """Every page at every width, as it was and as it is replayed."""
    with replaying(archive) as url:
        for width in WIDTHS:
            with eyes.looking(width, only=urlsplit(url).netloc) as viewer:
                for site in sites:
                    for page in site.pages:
                        before = len(viewer.refused)
                        shown = viewer.look(f"{url}/web/{page}")
                        yield Comparison(
                            name=site.name, path=page.removeprefix(site.url.rstrip("/")), width=width,
                            difference=eyes.compare(live[page, width].png, shown.png, drawn=drawn),
                            missing=shown.failed,
                            asked_elsewhere=(*elsewhere(shown.asked, url), *viewer.refused[before:]),
                        )


@contextmanager
def _platform(name: str) -> Iterator[Subject]:
    if name == "ghost":
        with ghost.site(filled_with=_changes("/content/images/")) as blog:
            draw_pictures(blog.folder / "content" / "images" / "pictures")
            links = [post.link for post in blog.truth().posts if post.type == "post"]
            archive = f"{blog.url}/tag/weather/"
            yield _subject(name, blog.url, links, archive)
    else:
        theme = wordpress.BLOCKS if name == "wordpress-blocks" else wordpress.CLASSIC
        options = wordpress.Options(theme=theme)
        with wordpress.site(options, filled_with=_changes("/wp-content/uploads/")) as blog:
            draw_pictures(blog.folder / "www" / "wp-content" / "uploads" / "pictures")
            links = [post.link for post in blog.truth().posts if post.type == "post"]
            yield _subject(name, blog.url, links, f"{blog.url}/category/notes/")


def _subject(name: str, url: str, links: Sequence[str], archive: str) -> Subject:
    pages = (f"{url}/", links[2], links[6], archive)
    return Subject(name=name, url=f"{url}/", pages=pages, allow=(urlsplit(url).netloc,))


def _changes(uploads: str) -> list[Change]:
    """The sites' posts for software that keeps them in a database: their pictures are among its uploads."""
    changes = []
    for post in posts():
        plain = [block for block in post.blocks if block[0] not in "->"]
        blocks = [block if block.startswith("<") else f"<p>{block}</p>" for block in plain]
        text = "\n".join(blocks).replace(SITE, "").replace(CDN, "").replace(CDN.removeprefix("http:"), "")
        text = re.sub(r"(?:\.\./)+pictures/|/pictures/", f"{uploads}pictures/", text)
        changes.append(content.post(
            post.title, text, key=post.slug, slug=post.slug, date=f"{post.published:%Y-%m-%d %H:%M:%S}",
            tags=list(post.tags), categories=["Notes"], author=content.AUTHORS[post.number % 3],
        ))
    if "wp-content" in uploads:
        changes += [
            content.comment(
                post.slug, comment.text, author=comment.author, date=f"{comment.made:%Y-%m-%d %H:%M:%S}",
            )
            for post in posts() for comment in post.comments
        ]
    return changes


def installed(name: str) -> bool:
    """Whether a platform is there to be compared."""
    return name not in PLATFORMS or folder_of(name.partition("-")[0]).exists()


def as_line(found: Comparison) -> str:
    """A line of the table: how many of the page's pixels differ, and where they begin and end."""
    told = found.difference
    where = f"lines {told.top}-{told.bottom}" if told.visible else ""
    return (
        f"{found.name:<18} {found.width:>5} {100 * told.share:>8.3f} % {100 * told.strict / told.pixels:>8.3f} %  "
        f"{found.path:<34} {where}"
    ).rstrip()


def as_json(found: Comparison) -> str:
    told = found.difference
    return json.dumps({
        "site": found.name, "page": found.path, "width": found.width, "pixels": told.pixels, "visible": told.visible,
        "strict": told.strict, "share": told.share, "missing": found.missing, "elsewhere": found.asked_elsewhere,
    })
