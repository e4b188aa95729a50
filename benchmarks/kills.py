"""kill -9 of the whole crawler at random moments, a thousand times: is anything lost, doubled or dangling?

    python benchmarks/kills.py [1000] [--seed 1] [--posts 150]

A made blog of posts with pictures is crawled in a process that is killed a random time after its start;
the next one goes on, until a crawl comes to its end, and a new one begins. After every kill the archive is
verified and compared with what was acknowledged; after every end it must hold each post and picture once,
and `warcio check` must accept its files. The crawls are children of a process with all imports done
(`tests/usecases/kill_harness.py`), so that a kill takes about a second.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from blogs import say
from made_blog import served

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from usecases.kill_harness import Crawler, Death, Place, damage, shortfall

if TYPE_CHECKING:
    from made_blog import MadeBlog

# From the start of a child: learning a blog takes half of it, so that some die before anything is stored.
LONGEST_LIFE_SECONDS = 1.2
KINDS = ("lost", "doubled", "dangling", "at the end", "warcio")


class Trial:
    """Crawls of one blog, killed again and again; `found` is what should not be."""

    def __init__(self, blog: MadeBlog, crawler: Crawler, seed: int) -> None:
        self.blog, self.crawler = blog, crawler
        self.chance = random.Random(seed)  # noqa: S311 - not a secret
        self.kills = self.ends = self.acknowledged = 0
        # How far the archives were when their crawls were killed: by how many visits were acknowledged.
        self.reached: Counter[int] = Counter()
        self.found: list[str] = []

    def one_crawl(self, folder: Path, most_kills: int) -> None:
        """One archive from its first kill to its end."""
        place = Place(folder=folder / "archive", log=folder / "log")
        while self.kills < most_kills:
            life = self.chance.uniform(0, LONGEST_LIFE_SECONDS)
            if not self.crawler.killed(self.blog.home, place, Death(seconds=life)):
                break
            self.kills += 1
            self.reached[len(place.acknowledged()) // 50 * 50] += 1
            self.found += damage(place)
        else:
            self.crawler.killed(self.blog.home, place)
        self.ends += 1
        self.acknowledged += len(place.acknowledged())
        self.found += damage(place)
        numbers = range(1, self.blog.posts + 1)
        pictures = [f"{self.blog.home}pictures/{number}.png" for number in numbers]
        self.found += [f"at the end: {text}" for text in shortfall(place, map(self.blog.url, numbers), pictures)]
        files = sorted(place.folder.glob("warc/*.warc.gz"))
        command = [sys.executable, "-m", "warcio.cli", "check", *map(str, files)]
        checked = subprocess.run(command, capture_output=True, check=False)
        if checked.returncode or checked.stdout:
            self.found.append(f"warcio: {checked.stdout[-300:]!r} {checked.stderr[-300:]!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kills", nargs="?", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--posts", type=int, default=150)
    parser.add_argument("--json", action="store_true", help="print JSON, not text")
    arguments = parser.parse_args()
    began = time.monotonic()
    with served(arguments.posts, page_bytes=8_000, pictures=True) as blog, Crawler() as crawler:
        trial = Trial(blog, crawler, arguments.seed)
        while trial.kills < arguments.kills:
            with tempfile.TemporaryDirectory() as folder:
                trial.one_crawl(Path(folder), arguments.kills)
            spent = time.monotonic() - began
            say(f"{trial.kills} kills, {trial.ends} crawls, {len(trial.found)} findings, {spent:.0f} s")
    report(trial, time.monotonic() - began, as_json=arguments.json)
    sys.exit(bool(trial.found))


def report(trial: Trial, seconds: float, *, as_json: bool) -> None:
    """The totals; every finding by name."""
    counts = {kind: sum(text.startswith(kind) for text in trial.found) for kind in KINDS}
    figures = {
        "kills": trial.kills, "crawls": trial.ends, "acknowledged": trial.acknowledged, "seconds": round(seconds),
    }
    if as_json:
        print(json.dumps(figures | counts | {"reached": trial.reached, "found": trial.found}, indent=1))
        return
    print(", ".join(f"{name} {count}" for name, count in (figures | counts).items()))
    reached = ", ".join(f"{low}+: {trial.reached[low]}" for low in sorted(trial.reached))
    print(f"visits acknowledged before the kill: {reached}")
    for text in trial.found[:50]:
        print(f"  {text}")


if __name__ == "__main__":
    main()
