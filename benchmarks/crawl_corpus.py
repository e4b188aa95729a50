"""Crawls real blogs whose posts are known, and counts what the archive holds of them.

    benchmarks/crawl_corpus.py [FOLDER...] [--server SERVE.PY] [--blogs N] [--keep ARCHIVES] [--no-feed]

Each blog is crawled by the command line of everlog, under its own address, through the corpus's server
as a forward proxy. Per blog: recall of the posts known by their truth and reachable by links, and of the
post pages of `pages.jsonl`; the share of stored posts that are no posts (where `pages.jsonl` says what
each page is); requests until 90 % of the posts were there, over the lower bound of one request each.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogs import add_corpus_arguments, chosen_blogs
from everlog.archive import open_archive
from everlog.core.links import page_links, trap
from everlog.core.scope import Scope
from everlog.core.tree import parse
from everlog.errors import UnreadablePage
from everlog.feeds import parse_feed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.evaluate.corpus import Blog

SERVER = Path(__file__).parent.parent.parent / "shared" / "corpus" / "serve.py"
# Kinds of pages.jsonl that are the post itself under another address, so that storing them as it is right.
COPIES = frozenset({"post", "alias", "comment-page"})
NAMED = 12
# What a crawl must show: the share of posts found, and of stored posts that are none, macro over blogs.
RECALL = 0.99
WRONG = 0.01


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How the crawl of one blog went."""

    blog: str
    big: bool
    wanted: int
    missing: tuple[str, ...]
    pages_wanted: int
    pages_missing: tuple[str, ...]
    stored: int
    wrong: tuple[str, ...] | None
    requests: int
    requests_for_90: int | None
    exit_code: int
    seconds: float
    ended: str

    @property
    def recall(self) -> float:
        return 1 - len(self.missing) / self.wanted if self.wanted else 1.0

    @property
    def pages_recall(self) -> float:
        return 1 - len(self.pages_missing) / self.pages_wanted if self.pages_wanted else 1.0

    @property
    def ratio_for_90(self) -> float | None:
        wanted = self.pages_wanted or self.wanted
        return self.requests_for_90 / -(-wanted * 9 // 10) if self.requests_for_90 and wanted else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--server", type=Path, default=SERVER, help="the corpus's server script")
    parser.add_argument("--keep", type=Path, help="keep the archives in this folder")
    parser.add_argument("--no-feed", action="store_true", help="crawl as if no blog had a feed")
    parser.add_argument("--jobs", type=int, default=2, help="crawls at once")
    parser.add_argument("-v", "--verbose", action="store_true", help="name what is missing and what is wrong")
    parser.add_argument("--gate", action="store_true", help=f"exit 1 under {RECALL:.0%} recall, over {WRONG:.0%} wrong")
    arguments = parser.parse_args()
    chosen = chosen_blogs(arguments)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(arguments.jobs) as pool:
        where = arguments.keep or Path(scratch)
        log = Path(scratch) / "log.tsv"
        with served({blog.folder.parent for blog in chosen}, arguments.server, log) as proxy:
            flags = ("--no-feed",) if arguments.no_feed else ()
            outcomes = list(pool.map(lambda blog: crawled(blog, proxy, log, where, flags), chosen))
    if arguments.json:
        print(json.dumps([vars(outcome) | {"recall": outcome.recall} for outcome in outcomes], indent=1))
    else:
        print_table(outcomes, verbose=arguments.verbose)
    if arguments.gate:
        hold(outcomes)


def hold(outcomes: list[Outcome]) -> None:
    """Leave with 1 if the crawls miss too many posts, or keep too many pages that are none."""
    recall = mean(each.recall for each in outcomes if each.wanted)
    shares = [len(each.wrong) / each.stored for each in outcomes if each.wrong is not None and each.stored]
    wrong = mean(shares) if shares else 0.0
    if recall < RECALL or wrong > WRONG:
        sys.exit(f"recall {recall:.2%} (floor {RECALL:.0%}), {wrong:.2%} wrong (at most {WRONG:.0%})")


@contextmanager
def served(folders: set[Path], script: Path, log: Path) -> Iterator[str]:
    """The corpus behind a forward proxy on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, script, *map(str, folders), "--port", str(port), "--log", str(log)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as server:
        assert server.stderr is not None
        server.stderr.readline()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def crawled(blog: Blog, proxy: str, log: Path, where: Path, flags: Iterable[str] = ()) -> Outcome:
    """One blog, crawled and compared."""
    info = json.loads((blog.folder / "blog.json").read_text("utf-8"))
    archive = where / blog.id
    command = [
        sys.executable, "-m", "everlog", "crawl", info["origin"].rstrip("/") + "/", "--archive", str(archive),
        "--delay", "0", "--no-media", "--json", "-q", *flags,
    ]
    environment = {**os.environ, "http_proxy": proxy, "no_proxy": ""}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    try:
        report = json.loads(done.stdout)[0]
    except (ValueError, IndexError):
        report = {"reason": done.stderr[-300:]}
    held = held_posts(archive, blog)
    truths = [truth for truth in blog.truth() if truth.reachable]
    kinds = page_kinds(blog, info)
    linked = reachable(blog, info) if kinds else set()
    post_pages = [key for key, kind in kinds.items() if kind == "post" and key in linked]
    wanted = {next(blog.keys(truth)) for truth in truths}
    asked = requests_of(info, log)
    wrong = {url for url in held.values() if kinds.get(blog.key(url), "unknown") not in COPIES}
    return Outcome(
        blog=blog.id, big=bool(info.get("big")), wanted=len(truths),
        missing=tuple(truth.url for truth in truths if not any(key in held for key in blog.keys(truth))),
        pages_wanted=len(post_pages), pages_missing=tuple("".join(key) for key in post_pages if key not in held),
        stored=len(set(held.values())), wrong=tuple(sorted(wrong)) if kinds else None, requests=len(asked),
        requests_for_90=until_90([blog.key(url) for url in asked], set(post_pages) or wanted),
        exit_code=done.returncode, seconds=report.get("seconds", 0.0), ended=report["reason"],
    )


def held_posts(archive: Path, blog: Blog) -> dict[tuple[str, str], str]:
    """The posts of an archive under the keys of all their addresses."""
    held: dict[tuple[str, str], str] = {}
    if archive.is_dir():
        with open_archive(archive, create=True) as opened:
            for post in opened.posts():
                held |= {blog.key(address): post.url for address in (post.url, *post.aliases)}
    return held


def reachable(blog: Blog, info: dict[str, str]) -> set[tuple[str, str]]:
    """All that links lead to, from the home page and the feed's entries on, but for links that are actions.

    Exports of WordPress hold a file per `?replytocom=` link: copies of posts that no crawl should ask for.
    """
    home = info["origin"].rstrip("/") + "/"
    scope = Scope(home)
    waiting = [home, *(entry.link for entry in parse_feed(blog.feed(), blog.feed_url).entries if entry.link)]
    seen: set[tuple[str, str]] = set()
    while waiting:
        url = waiting.pop()
        key = blog.key(url)
        if key in seen:
            continue
        body = blog.page(url)
        if body is None:
            continue
        seen.add(key)
        try:
            links = page_links(parse(body), url, within=scope)
            waiting += [link.url for link in links if trap(link.url) != "an action, not a page"]
        except UnreadablePage:
            continue
    return seen


def page_kinds(blog: Blog, info: dict[str, str]) -> dict[tuple[str, str], str]:
    """What `pages.jsonl` says each page of a blog is."""
    file = blog.folder / "pages.jsonl"
    if not file.is_file():
        return {}
    rows = map(json.loads, file.read_text("utf-8").splitlines())
    host = urlsplit(info["origin"]).netloc
    return {blog.key(f"http://{host}{row['path']}"): row["kind"] for row in rows}


def requests_of(info: dict[str, str], log: Path) -> list[str]:
    """The addresses asked for at this blog, in order."""
    host = urlsplit(info["origin"]).netloc.lower().removeprefix("www.")
    prefix = urlsplit(info["origin"]).path.rstrip("/")
    lines = (line.split("\t") for line in log.read_text("utf-8", "surrogateescape").splitlines())
    return [
        f"http://{line[1]}{line[2]}" for line in lines
        if line[1].removeprefix("www.") == host and line[2].startswith((prefix or "/", "/robots.txt"))
    ]


def until_90(asked: list[tuple[str, str]], wanted: set[tuple[str, str]]) -> int | None:
    """How many requests it took to have nine tenths of the wanted posts."""
    goal = -(-len(wanted) * 9 // 10)
    seen: set[tuple[str, str]] = set()
    for count, key in enumerate(asked, 1):
        seen |= {key} & wanted
        if len(seen) >= goal:
            return count
    return None


def print_table(outcomes: list[Outcome], *, verbose: bool) -> None:
    """Worst first, then the means."""
    print("| blog | posts | recall | pages | recall | stored | no posts | requests | for 90 % over bound | s | exit |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for each in sorted(outcomes, key=lambda outcome: (outcome.recall, outcome.pages_recall)):
        ratio = f"{each.ratio_for_90:.2f}" if each.ratio_for_90 else "-"
        wrong = len(each.wrong) if each.wrong is not None else "-"
        pages = f"{each.pages_wanted} | {each.pages_recall:.1%}" if each.pages_wanted else "- | -"
        name = f"{each.blog}{' (big)' if each.big else ''}"
        print(f"| {name} | {each.wanted} | {each.recall:.1%} | {pages} | {each.stored} | {wrong} | {each.requests} | "
              f"{ratio} | {each.seconds:.1f} | {each.exit_code} |")
        if verbose:
            print_names(each)
    counted = [each for each in outcomes if each.wanted]
    listed = [each for each in outcomes if each.wrong is not None and each.stored and each.pages_wanted]
    print(f"\nrecall, macro over {len(counted)} blogs: {mean(each.recall for each in counted):.2%}")
    if listed:
        shares = mean(len(each.wrong or ()) / each.stored for each in listed)
        print(f"recall of post pages that links lead to, macro over {len(listed)} blogs: "
              f"{mean(each.pages_recall for each in listed):.2%}")
        print(f"stored posts that are no posts: {sum(len(each.wrong or ()) for each in listed)} of "
              f"{sum(each.stored for each in listed)} ({shares:.2%} macro)")
    requests, seconds = sum(each.requests for each in outcomes), sum(each.seconds for each in outcomes)
    print(f"{requests} requests, {seconds:.0f} s of crawling")


def print_names(each: Outcome) -> None:
    """What is missing and what is wrong, on stderr."""
    names = (("missing", each.missing), ("missing page", each.pages_missing), ("no post", each.wrong or ()))
    for what, urls in names:
        for url in urls[:NAMED]:
            print(f"    {what}: {url}", file=sys.stderr)
    print(f"    {each.blog}: {each.ended}", file=sys.stderr)


if __name__ == "__main__":
    main()
