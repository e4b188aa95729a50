"""A newcomer's first hour in a real terminal: what is typed, what is shown, and whether the figures agree.

    python benchmarks/first_hour.py [FOLDER] [--server SERVE.PY] [--out TRANSCRIPTS] [--columns 80,60]

Plays the same commands at each width, with colours and without: the demo and all it says to try next, a look at
a blog, crawls of three real blogs (the corpus's server is their web), Ctrl-C in the middle and the same command
again, status, search, show, exports, an update, wrong addresses, an archive that cannot be written. Every figure
that is shown more than once is compared. The transcripts are for eyes: they are kept in the folder of `--out`.
Ends with 1 if a figure is shown with two values, a command ends otherwise than it should, or anything looks like a
failure of the program.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blogs import DEFAULT_FOLDER, say
from crawl_corpus import SERVER
from terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from terminal import Scene

PROGRAM = Path(__file__).parent.parent / "scripts" / "everlog"
# What nobody should ever see.
ALARMING = ("Traceback (most recent call last)", "a bug in everlog", "Warning:")
# A delay that leaves time to press Ctrl-C in the middle of a blog.
SLOWLY = "0.1"
INTERRUPTED = 130


@dataclass
class Play:
    """One play of the hour: the terminal, what was claimed of each figure, and what went wrong."""

    terminal: Terminal
    claims: dict[tuple[str, str], dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    faults: list[str] = field(default_factory=list)
    transcript: list[str] = field(default_factory=list)
    slowest: list[tuple[float, str]] = field(default_factory=list)

    def type(self, line: str, *, code: int | Iterable[int] = 0, interrupt_at: str | None = None) -> Scene:
        """A command as a person types it; `everlog` is the program of this checkout."""
        words = shlex.split(line)
        words = [str(PROGRAM), *words[1:]] if words[0] == "everlog" else words
        scene = self.terminal.run(words, interrupt_at=interrupt_at)
        seconds = scene.first_output_seconds
        self.transcript.append(f"$ {line}\n{scene.screen}\n[exit {scene.code}, first output after "
                               f"{'-' if seconds is None else f'{seconds:.2f} s'}, {scene.seconds:.1f} s]\n")
        if seconds is not None:
            self.slowest.append((seconds, line))
        wanted = {code} if isinstance(code, int) else set(code)
        if scene.code not in wanted:
            self.fault(f"{line}: exit {scene.code}, not {sorted(wanted)}")
        for word in ALARMING:
            if word in scene.written:
                self.fault(f"{line}: says {word!r}")
        return scene

    def ask(self, *words: str) -> Any:
        """What the program says to programs: JSON, from a pipe."""
        done = subprocess.run(
            [str(PROGRAM), *words], cwd=self.terminal.folder, env=self.terminal.environment, capture_output=True,
            text=True, check=False,
        )
        try:
            return json.loads(done.stdout)
        except ValueError:
            self.fault(f"{' '.join(words)}: no JSON document ({done.stderr.strip()[:200]})")
            return {}

    def claim(self, blog: str, where: str, **figures: int | None) -> None:
        """What some output says of a blog."""
        for name, value in figures.items():
            if value is not None:
                self.claims[blog, name][where] = value

    def fault(self, what: str) -> None:
        self.faults.append(what)

    def compare(self, stage: str) -> int:
        """Whether all that was claimed agrees; the claims are dropped. How many figures were compared."""
        compared = 0
        for (blog, name), said in self.claims.items():
            compared += len(said) > 1
            if len(set(said.values())) > 1:
                told = ", ".join(f"{where} {value}" for where, value in said.items())
                self.fault(f"{stage}: {name} of {blog}: {told}")
        self.claims.clear()
        return compared


def number(pattern: str, text: str) -> int | None:
    """The number that a text states; commas part thousands."""
    found = re.search(pattern, text, re.MULTILINE)
    return int(found[1].replace(",", "")) if found else None


def figures_of(text: str) -> dict[str, int | None]:
    """The figures of one blog as the summary of a crawl and `status BLOG` print them."""
    media = re.search(r"^\s*media\s+([\d,]+)(?: of ([\d,]+))? pictures? (?:and|or) files?(?:, ([\d,]+) wait)?", text,
                      re.MULTILINE)
    held = int(media[1].replace(",", "")) if media else None
    return {
        "posts": number(r"^\s*posts\s+([\d,]+) held", text), "comments": number(r"^\s*comments\s+([\d,]+)", text),
        "media": held,
    }


def claims_of(row: dict[str, Any]) -> dict[str, int | None]:
    """The figures of one blog as JSON has them."""
    return {"posts": row.get("posts"), "comments": row.get("comments"), "media": row.get("media")}


def the_demo(play: Play) -> None:
    scene = play.type("everlog demo")
    # Each step is a line of its own that begins with the program; long ones run over the edge of the screen.
    steps = re.findall(r"^ +((?:\S*/)?everlog [a-z].*?)\s*$", scene.written.replace("\r", ""), re.MULTILINE)
    if len(steps) < 3:
        play.fault(f"demo: names {len(steps)} next steps")
    for step in steps:
        if "YOUR" in step or "example" in step:
            continue
        line = re.sub(r"^\S+", "everlog", step)
        if " serve " in line:
            # It answers until it is stopped, and says how. Another play may have the port.
            play.type(f"{line} --port 0", code=INTERRUPTED, interrupt_at="Ctrl-C")
        else:
            play.type(line)
    play.type("everlog demo")
    rows = play.ask("status", "--archive", "everlog-demo", "--json")
    if len(rows) != 1:
        play.fault(f"two demos leave {len(rows)} blogs")


def the_blogs(play: Play, homes: list[str]) -> None:
    """Three blogs into one archive: one by one, the last with an interruption."""
    first, second, third = homes
    play.type(f"everlog inspect {first} --delay 0")
    for home in (first, second):
        scene = play.type(f"everlog {home} --delay 0", code=(0, 3))
        play.claim(home, "summary", **figures_of(scene.screen))
        check_progress(play, home, scene)
    scene = play.type(
        f"everlog crawl {third} --delay {SLOWLY}", code=INTERRUPTED, interrupt_at=r"\b[2-9] of \d+ posts",
    )
    if "Ctrl-C again" not in scene.written:
        play.fault("Ctrl-C: nothing says that it is heeded")
    scene = play.type(f"everlog crawl {third} --delay 0", code=(0, 3))
    play.claim(third, "summary", **figures_of(scene.screen))
    check_progress(play, third, scene)
    look_at_figures(play, homes)
    say(f"  {play.compare('after the crawls')} figures compared after the crawls")


def check_progress(play: Play, home: str, scene: Scene) -> None:
    """Progress never shows more than is there in the end."""
    for name, pattern in (("posts", r"(\d+) of \d+ posts\b"), ("comments", r"\bposts, (\d+) comments\b")):
        shown = [int(found) for found in re.findall(pattern, scene.written)]
        final = figures_of(scene.screen)[name]
        if shown and final is not None and max(shown) > final:
            play.fault(f"progress of {home}: {max(shown)} {name}, in the end {final}")
    for held, expected in re.findall(r"(\d+) of (\d+) posts\b", scene.written):
        if int(held) > int(expected):
            play.fault(f"progress of {home}: {held} of {expected} posts")


def look_at_figures(play: Play, homes: list[str]) -> None:
    """All that tells figures of the blogs, side by side."""
    play.type("everlog status")
    rows = {row["blog"]: row for row in play.ask("status", "--json")}
    for home in homes:
        scene = play.type(f"everlog status {home}")
        play.claim(home, "status BLOG", **figures_of(scene.screen))
        detail = play.ask("status", home, "--json")
        play.claim(home, "status BLOG --json", **claims_of(detail))
        play.claim(home, "status --json", **claims_of(rows.get(detail.get("blog"), {})))
        listed = [each["url"] for each in detail.get("missing", ())]
        if len(listed) != len(set(listed)):
            play.fault(f"status {home}: addresses are listed twice as missing")
    exported(play, homes)


def exported(play: Play, homes: list[str]) -> None:
    """What an export holds, beside what it says it holds."""
    scene = play.type("everlog export -o posts.jsonl")
    posts = [json.loads(line) for line in (play.terminal.folder / "posts.jsonl").read_text("utf-8").splitlines()]
    play.claim("all blogs", "export says", posts=number(r"([\d,]+) posts", scene.screen))
    play.claim("all blogs", "export holds", posts=len(posts))
    for home in homes:
        own = [post for post in posts if post["blog"].rstrip("/") == home.rstrip("/")]
        play.claim(home, "export", posts=len(own), comments=sum(len(post["comments"]) for post in own))
    if posts:
        most = max(posts, key=lambda post: len(post["comments"]))
        scene = play.type(f"everlog show {shlex.quote(most['url'])}")
        play.claim(most["url"], "show", comments=number(r"^-- ([\d,]+) comments?", scene.written))
        play.claim(most["url"], "export", comments=len(most["comments"]))


def looking_around(play: Play, homes: list[str]) -> None:
    play.type("everlog search the", code=(0, 4))
    play.type("everlog search zxqvbn", code=4)
    play.type("everlog export --format csv -o posts.csv")
    play.type("everlog export --format markdown -o notes")
    play.type(f"everlog rules {homes[0]}")
    play.type("everlog update --delay 0", code=(0, 3))
    for report in play.ask("update", "--delay", "0", "--json"):
        if report.get("requests", 0) < 10 and "every" in str(report.get("reason")):
            play.fault(f"update: {report['requests']} requests, and it says {report['reason']!r}")
        play.claim(report["url"], "update --json", posts=report.get("held"), comments=report.get("comments"))
    for home in homes:
        play.claim(home, "status BLOG --json", **claims_of(play.ask("status", home, "--json")))
    say(f"  {play.compare('after the updates')} figures compared after the updates")
    play.type("everlog verify")
    play.type("everlog watch --once", code=(0, 2, 3, 5))


def wrong_turns(play: Play, homes: list[str]) -> None:
    """What people type by mistake."""
    for line, code in (
        (f"everlog craw {homes[0]}", 2), ("everlog frobnicate", 2), ("everlog crawl", 2),
        ("everlog serve --archive typo", 2),
        ("everlog http://127.0.0.1:9/ --archive nowhere", 4), ("everlog no.such.host.invalid --archive nowhere", 4),
        ("everlog status --archive typo", 2), (f"everlog show {homes[0]}no/such/post/", 2),
        ("everlog --help", 0), ("everlog crawl --help", 0), ("everlog status --jsonn", 2),
    ):
        play.type(line, code=code)
    if (play.terminal.folder / "typo").exists():
        play.fault("a mistyped name made an archive")


def read_only(play: Play, homes: list[str]) -> None:
    """The archive on a disk that cannot be written."""
    with mounted_read_only(play.terminal.folder / "everlog-archive", play.terminal.folder / "master") as master:
        if master is None:
            play.transcript.append("(no mount is allowed here: the archive that cannot be written was left out)\n")
            return
        for line in (
            "status", f"status {homes[0]}", "search the --limit 2", f"rules {homes[0]}", "export -o again.jsonl",
            "verify",
        ):
            play.type(f"everlog {line} --archive {master}", code=(0, 4))
        play.type(f"everlog update {homes[0]} --archive {master}", code=2)
        rows = play.ask("status", "--archive", str(master), "--json")
        for row in rows:
            play.claim(row["blog"], "status of the master", **claims_of(row))
        for row in play.ask("status", "--json"):
            play.claim(row["blog"], "status", **claims_of(row))
    say(f"  {play.compare('read-only')} figures compared on the archive that cannot be written")


@contextlib.contextmanager
def mounted_read_only(folder: Path, where: Path) -> Iterator[Path | None]:
    """The folder under another name, where nothing can be written; None where no mount is allowed."""
    where.mkdir()
    mounts = (["mount", "--bind", str(folder), str(where)], ["mount", "-o", "remount,bind,ro", str(where)])
    done = [subprocess.run(words, capture_output=True, check=False).returncode for words in mounts]
    try:
        yield where if not any(done) else None
    finally:
        subprocess.run(["umount", str(where)], capture_output=True, check=False)


def chosen_homes(folder: Path) -> list[str]:
    """Three blogs: the one with most comments, one with a map of its site, one that lives below a path."""
    told = []
    for file in sorted(folder.glob("*/blog.json")):
        blog = json.loads(file.read_text("utf-8"))
        if not blog.get("big"):
            has_map = any("sitemap" in each.name for each in (file.parent / "site").iterdir())
            home = f"{blog['origin'].removesuffix(blog.get('prefix') or '')}{blog.get('prefix') or ''}/"
            told.append((home, blog.get("comments") or 0, has_map, bool(blog.get("prefix"))))
    talked = max(told, key=lambda each: each[1])[0]
    mapped = next(home for home, _, has_map, below in told if has_map and not below and home != talked)
    below = next((home for home, _, _, is_below in told if is_below and home != talked), told[0][0])
    return [talked, mapped, below]


@contextlib.contextmanager
def proxy(folder: Path, server: Path) -> Iterator[str]:
    """The corpus's server on a port of its own, as the proxy through which its hosts are reached."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, str(server), str(folder), "--port", str(port)], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def environment(proxy_url: str, home: Path, *, coloured: bool) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EVERLOG_", "NO_COLOR"))}
    own = {"http_proxy": proxy_url, "TERM": "xterm-256color", "HOME": str(home), "LC_ALL": "C.UTF-8"}
    return kept | own | ({} if coloured else {"NO_COLOR": "1"})


def play_once(columns: int, *, coloured: bool, homes: list[str], proxy_url: str, out: Path) -> Play:
    folder = Path(tempfile.mkdtemp(prefix="everlog-first-hour-"))
    terminal = Terminal(columns=columns, folder=folder, environment=environment(proxy_url, folder, coloured=coloured))
    play = Play(terminal=terminal)
    try:
        the_demo(play)
        the_blogs(play, homes)
        looking_around(play, homes)
        wrong_turns(play, homes)
        read_only(play, homes)
    finally:
        name = f"{columns}-{'colour' if coloured else 'plain'}.txt"
        (out / name).write_text("\n".join(play.transcript), "utf-8")
        shutil.rmtree(folder, ignore_errors=True)
    return play


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="a corpus (default: $EVERLOG_CORPUS)")
    parser.add_argument("--server", type=Path, default=SERVER)
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "everlog-first-hour")
    parser.add_argument("--columns", default="80,60")
    parser.add_argument("--only", choices=("colour", "plain"))
    arguments = parser.parse_args()
    folder = arguments.folder or Path(os.environ.get("EVERLOG_CORPUS") or DEFAULT_FOLDER).expanduser()
    arguments.out.mkdir(parents=True, exist_ok=True)
    homes = chosen_homes(folder)
    faults = 0
    with proxy(folder, arguments.server) as proxy_url:
        for columns in map(int, arguments.columns.split(",")):
            for coloured in (True, False):
                if arguments.only and (arguments.only == "colour") != coloured:
                    continue
                say(f"{columns} columns, {'with' if coloured else 'without'} colours")
                play = play_once(columns, coloured=coloured, homes=homes, proxy_url=proxy_url, out=arguments.out)
                for fault in play.faults:
                    print(f"  {fault}")
                faults += len(play.faults)
                seconds, line = max(play.slowest)
                say(f"  {len(play.slowest)} commands; the first output came last with {seconds:.2f} s ({line})")
    print(f"{faults} faults; transcripts in {arguments.out}")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
