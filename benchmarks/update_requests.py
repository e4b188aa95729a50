"""What an update of an unchanged blog costs: how many requests it makes, and what it adds.

    python benchmarks/update_requests.py [FOLDER...] [--server SERVE.PY] [--blogs N] [--archives FOLDER]

Each blog of the corpus is crawled through the corpus's server as a forward proxy (or taken from the
archives that `crawl_corpus.py --keep` left, of which copies are used), then updated. Requests are counted in the
server's log. The update is made as if a day had passed, so that robots.txt is asked for again; besides it only
the feed needs to be. No post, version, address or stored body may be added. A record that says "asked for again,
unchanged" (a revisit) may.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blogs import add_corpus_arguments, chosen_blogs, say
from crawl_corpus import SERVER, served

if TYPE_CHECKING:
    from everlog.evaluate.corpus import Blog

MOST_REQUESTS = 2
# What may not grow; revisits are captures with an original.
COUNTED = {
    "posts": "select count(*) from posts",
    "versions": "select count(*) from versions",
    "addresses": "select count(*) from urls",
    "bodies": "select count(*) from captures where original_id is null",
    "revisits": "select count(*) from captures where original_id is not null",
}


@dataclass(frozen=True, kw_only=True)
class Update:
    """How the update of one blog went."""

    blog: str
    exit_code: int
    requests: tuple[str, ...]
    added: dict[str, int]

    @property
    def well(self) -> bool:
        new = sum(count for name, count in self.added.items() if name != "revisits")
        return self.exit_code in {0, 3} and len(self.requests) <= MOST_REQUESTS and not new


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--server", type=Path, default=SERVER, help="the corpus's server script")
    parser.add_argument("--archives", type=Path, help="archives of crawls that were kept")
    arguments = parser.parse_args()
    chosen = chosen_blogs(arguments)
    updates: list[Update] = []
    left_out: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "log.tsv"
        with served({blog.folder.parent for blog in chosen}, arguments.server, log) as proxy:
            for blog in chosen:
                update = updated(blog, proxy, log, Path(scratch), arguments.archives)
                say(f"{blog.id}: {f'{len(update.requests)} requests' if update else 'not crawled to its end'}")
                if update is None:
                    left_out.append(blog.id)
                else:
                    updates.append(update)
    if arguments.json:
        print(json.dumps([asdict(update) for update in updates], indent=1))
    else:
        print_table(updates, left_out)
    sys.exit(not all(update.well for update in updates))


def updated(blog: Blog, proxy: str, log: Path, scratch: Path, archives: Path | None) -> Update | None:
    """One blog, crawled if it must be, then updated; None if it cannot be crawled to its end."""
    info = json.loads((blog.folder / "blog.json").read_text("utf-8"))
    archive = scratch / blog.id
    if archives is not None and (archives / blog.id).is_dir():
        shutil.copytree(archives / blog.id, archive)
    home = info["origin"].rstrip("/") + "/"
    database = archive / "everlog.sqlite"
    try:
        if not is_finished(database):
            everlog("crawl", home, archive, proxy)
        if not is_finished(database):
            return None
        forget_robots(database)
        before, asked = counts(database), len(requests(log))
        exit_code = everlog("update", home, archive, proxy)
        after = counts(database)
        added = {name: after[name] - before[name] for name in COUNTED}
        return Update(blog=blog.id, exit_code=exit_code, requests=tuple(requests(log)[asked:]), added=added)
    finally:
        shutil.rmtree(archive, ignore_errors=True)


def everlog(command: str, home: str, archive: Path, proxy: str) -> int:
    """A command of everlog, through the proxy."""
    line = [sys.executable, "-m", "everlog", command, home, "--archive", str(archive)]
    line += ["--delay", "0", "--no-media", "-q"]
    environment = {**os.environ, "http_proxy": proxy, "no_proxy": ""}
    return subprocess.run(line, env=environment, capture_output=True, check=False).returncode


def is_finished(database: Path) -> bool:
    """Whether the archive's blog was crawled to its end."""
    if not database.is_file():
        return False
    with closing(sqlite3.connect(database)) as opened:
        return opened.execute("select state from blogs").fetchall() == [("finished",)]


def forget_robots(database: Path) -> None:
    """As if a day had passed: robots.txt is to be asked for again."""
    with closing(sqlite3.connect(database)) as opened, opened:
        opened.execute("delete from host_cache where name like 'robots %'")


def counts(database: Path) -> dict[str, int]:
    """What an archive holds."""
    with closing(sqlite3.connect(database)) as opened:
        return {name: opened.execute(statement).fetchone()[0] for name, statement in COUNTED.items()}


def requests(log: Path) -> list[str]:
    """All that was asked of the server so far."""
    lines = log.read_text("utf-8", "surrogateescape").splitlines() if log.exists() else []
    return ["".join(line.split("\t")[1:3]) for line in lines]


def print_table(updates: list[Update], left_out: list[str]) -> None:
    """Those that are not as they should be by name, then the totals."""
    for update in updates:
        if not update.well:
            print(f"- {update.blog}: exit {update.exit_code}, {len(update.requests)} requests, added {update.added}")
            print("".join(f"    {request}\n" for request in update.requests[:8]), end="")
    for blog in left_out:
        print(f"- {blog}: not crawled to its end")
    most = max((len(update.requests) for update in updates), default=0)
    print(f"\n{len(updates)} updates, {sum(update.well for update in updates)} with at most {MOST_REQUESTS} requests "
          f"and nothing added; most requests {most}")
    print("added in all: " + ", ".join(f"{sum(each.added[name] for each in updates)} {name}" for name in COUNTED))


if __name__ == "__main__":
    main()
