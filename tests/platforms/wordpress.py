"""A real WordPress on loopback: PHP's own web server, WordPress, and SQLite in place of MySQL.

WordPress itself is shared and read only. A site is a folder with a database, which is copied from an empty installed
or filled one, so it is there in about a second.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from platforms.serving import Request, RequestLog, ShutPages, copy_database, installed, kept_database, running
from services import START_SECONDS, held_port

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from platforms.content import Change

PHP = Path(__file__).with_name("php")
PRETTY, PLAIN, WITHOUT_REWRITES = "/%year%/%monthnum%/%postname%/", "", "/index.php/%year%/%monthnum%/%postname%/"
BLOCKS, CLASSIC = "twentytwentyfive", "twentytwentyone"
# As many requests at once as everlog makes to one host, and one for the test.
WORKERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the owner of a blog sets up."""

    permalinks: str = PRETTY
    theme: str = BLOCKS
    # What strangers get from REST: 200, or 401, 403, 404 as where plugins switch it off.
    rest: int = 200
    # None: all of them on the post's page.
    comments_per_page: int | None = None
    threaded: bool = True
    feed_excerpts: bool = False
    feed_posts: int = 10
    timezone: str = "Europe/Berlin"

    def changes(self) -> list[Change]:
        values = {
            "permalink_structure": self.permalinks, "template": self.theme, "stylesheet": self.theme,
            "everlog_rest": self.rest, "page_comments": int(self.comments_per_page is not None),
            "comments_per_page": self.comments_per_page or 50, "thread_comments": int(self.threaded),
            "rss_use_excerpt": int(self.feed_excerpts), "posts_per_rss": self.feed_posts,
            "timezone_string": self.timezone,
        }
        return [{"do": "option", "name": name, "value": value} for name, value in values.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class TruePost:
    """A post, page or book as WordPress itself has it, whether readers may see it or not."""

    id: int
    type: str
    status: str
    password: bool
    # To strangers, with its text.
    visible: bool
    link: str
    title: str
    content: str
    author: str
    tags: list[str]
    categories: list[str]
    date: str
    modified: str
    sticky: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueComment:
    """A comment, pingback or trackback as WordPress itself has it."""

    id: int
    post: int
    parent: int
    type: str
    status: str
    visible: bool
    author: str
    content: str
    date: str
    link: str
    post_link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """All that is in a site, told by its own functions."""

    posts: tuple[TruePost, ...]
    comments: tuple[TrueComment, ...]


class Site:
    """A WordPress site: what is in it, changes of it, and the requests that were made to it."""

    def __init__(self, folder: Path, software: Path, url: str) -> None:
        self.folder = folder
        self.url = url
        # The ids of what was made under a key.
        self.keys: dict[str, int] = {}
        self._software = software
        self._log = RequestLog(folder / "requests.log")
        self._shut = ShutPages(folder / "shut.json")

    def change(self, changes: Sequence[Change]) -> None:
        """Do them all in one transaction, in order."""
        self._run(changes, truth=False)

    def truth(self) -> Truth:
        told = self._run([], truth=True)
        return Truth(
            posts=tuple(TruePost(**post) for post in told["posts"]),
            comments=tuple(TrueComment(**comment) for comment in told["comments"]),
        )

    def requests(self) -> list[Request]:
        """What was asked since the site came up, or since they were forgotten."""
        return self._log.read()

    def forget_requests(self) -> None:
        self._log.clear()

    def shut(self, links: Iterable[str], *, status: int = 403) -> None:
        """Make pages unreachable behind the site's back: it lists them as before."""
        self._shut.shut(links, status=status)

    @property
    def database(self) -> Path:
        return self.folder / "database" / "site.sqlite"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"], "EVERLOG_SITE": str(self.folder), "EVERLOG_SITE_URL": self.url,
            "EVERLOG_WORDPRESS": str(self._software / "wordpress"),
            "EVERLOG_WORDPRESS_CONFIG": str(PHP / "wp-config.php"), "PHP_CLI_SERVER_WORKERS": str(WORKERS),
        }

    def _run(self, changes: Sequence[Change], *, truth: bool) -> Any:
        asked = json.dumps({"changes": list(changes), "truth": truth})
        ended = subprocess.run(
            [*php(self._software), str(PHP / "run.php")], env=self.environment, input=asked, capture_output=True,
            text=True, timeout=START_SECONDS, check=False,
        )
        if ended.returncode or not ended.stdout.startswith("{"):
            raise RuntimeError(f"WordPress failed:\n{ended.stderr}{ended.stdout[-4_000:]}")
        told = json.loads(ended.stdout)
        self.keys = told["keys"]
        return told["truth"]


@contextmanager
def site(options: Options | None = None, *, filled_with: Sequence[Change] = ()) -> Iterator[Site]:
    """A running WordPress site, empty or filled. What fills it is done once on a machine, and copied after that."""
    software, options = installed("wordpress"), options or Options()
    begin_with = _filled(software, options.timezone, filled_with) if filled_with else software / "empty.sqlite"
    with _made(software, begin_with) as made:
        made.change([{"do": "move"}, *options.changes()])
        rewrites = options.permalinks and options.permalinks != WITHOUT_REWRITES
        environment = made.environment | {"EVERLOG_REWRITES": "1" if rewrites else ""}
        command = [
            *php(software), "-S", made.url.removeprefix("http://"), "-t", str(made.folder / "www"),
            str(PHP / "router.php"),
        ]
        log = made.folder / "server.log"
        with running(command, url=made.url, log=log, environment=environment, folder=made.folder):
            made.forget_requests()
            yield made


@contextmanager
def _made(software: Path, begin_with: Path) -> Iterator[Site]:
    """A folder with WordPress by links, a database, and a place for what is uploaded; and a port for it."""
    with TemporaryDirectory(prefix="everlog-wordpress-", ignore_cleanup_errors=True) as folder, held_port() as port:
        made = Site(Path(folder), software, f"http://127.0.0.1:{port}")
        made.database.parent.mkdir()
        shutil.copyfile(begin_with, made.database)
        (content := made.folder / "www" / "wp-content").mkdir(parents=True)
        for entry in (software / "wordpress").iterdir():
            if entry.name != content.name:
                (content.parent / entry.name).symlink_to(entry)
        for name in ("themes", "plugins", "db.php"):
            (content / name).symlink_to(software / "wordpress" / content.name / name)
        yield made


def _filled(software: Path, timezone: str, changes: Sequence[Change]) -> Path:
    """The database of a site after changes. Times of WordPress are local ones, too, so the timezone comes first."""
    asked = [{"do": "move"}, {"do": "option", "name": "timezone_string", "value": timezone}, *changes]

    def fill(database: Path) -> None:
        with _made(software, software / "empty.sqlite") as made:
            made.change(asked)
            copy_database(made.database, database)

    return kept_database(software, made_from=json.dumps(asked).encode() + (PHP / "run.php").read_bytes(), make=fill)


def php(software: Path) -> list[str]:
    """PHP with settings of its own: what was compiled once is kept beside WordPress for every later process."""
    settings = {
        "memory_limit": "512M", "display_errors": "stderr", "opcache.enable_cli": 1, "opcache.jit": "off",
        "opcache.file_cache": software / "compiled", "date.timezone": "UTC",
    }
    return ["php", *(part for name, value in settings.items() for part in ("-d", f"{name}={value}"))]

