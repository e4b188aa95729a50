"""An archive as people look at it: 100,000 made posts of 1,000 blogs, in a minute; the same each time.

    python benchmarks/looking_archive.py FOLDER [--posts 100000] [--blogs 1000] [--search]
    python benchmarks/looking_archive.py postgresql://... --files FOLDER

It is what lists, status and the web interface are measured on. Records are written by the archive's own codec and rows
are put in many at a time; the lists are made from them as an upgrade does. No page is fetched: captures have their
rows, and there are no WARC files. Blogs are of all sizes: the largest hundred hold about half of the posts. Posts have
one to two pages of text, titles in six scripts, tags and authors of which few are common and most are rare, links to
each other and to other blogs, comments (every third post, some with hundreds), pictures (every second), a second
version (every tenth), a day without a time (every eighth), no date at all (one in fifty). Every sixth word is one of a
few that a language has everywhere: "the" is in 60,000 of the posts. Some are gone from the web. The addresses of all
of them are in the queue, with lists, and with pages that failed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

from everlog.archive import open_archive
from everlog.archive.db import schema
from everlog.archive.db.column_values import stamp
from everlog.archive.post_codec import write_post
from everlog.core.urls import canonical
from everlog.records import Comment, Media, Post, Provenance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog.archive import Archive

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
FIRST = datetime(2006, 1, 1, 9, tzinfo=UTC)
GROUP = 500
NUMBERED = ("blogs", "posts", "urls", "events", "captures", "warc_files")
# Language, offset in hours, letters that its words are made of, what stands between two of them, and words that are
# everywhere.
LANGUAGES = (
    *(("en", 0, "abcdefghilmnoprstuwy", " ", "the of and to in is that it"),) * 12,
    *(("de", 1, "abcdefghilmnoprstuäöü", " ", "der die und das ist nicht ein mit"),) * 3,
    *(("fr", 1, "abcdefghilmnoprstuéèç", " ", "le la et les des est que une"),) * 2,
    ("ru", 3, "абвгдежзийклмнопрстуя", " ", "и в не на что он с как"),
    ("ja", 9, "あいうえおかきくけこさしすせそ日本語学校山川木", "", "は の が です ます から まで これ"),
    ("ar", 2, "ابتثجحخدذرزسشصضطظعغف", " ", "في من على إلى عن هذا ما لا"),
)
# One word in so many is of those that are everywhere.
COMMON = 6
Rows = dict[Any, list[dict[str, Any]]]


def main() -> None:
    """Make the archive; say how long that took."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("where", metavar="FOLDER|postgresql://...")
    options.add_argument("--files", help="of an archive on a server")
    options.add_argument("--posts", type=int, default=100_000)
    options.add_argument("--blogs", type=int, default=1_000)
    options.add_argument("--search", action="store_true", help="make the search index too, which takes longer")
    given = options.parse_args()
    with open_archive(given.where, create=True, files=given.files) as archive:
        began, used = time.perf_counter(), time.process_time()
        make(archive, posts=given.posts, blogs=given.blogs)
        took = f"{time.perf_counter() - began:.1f} s ({time.process_time() - used:.1f} s of CPU)"
        print(f"{given.posts:,} posts of {given.blogs:,} blogs in {took}")
        print(f"{archive.listing.rebuild():,} posts in lists")
        if given.search:
            print(f"{archive.search.index():,} posts in the search index")


def make(archive: Archive, *, posts: int = 100_000, blogs: int = 1_000, seed: int = 7) -> None:
    """Fill an empty archive with posts, in the order that crawls of one blog after the other bring them."""
    chance = random.Random(seed)  # noqa: S311 - not a secret
    database = archive.backend.database
    worlds = [_world(number, chance) for number in range(1, blogs + 1)]
    with database.writing() as connection:
        connection.execute(schema.blogs.insert(), [world.row for world in worlds])
        connection.execute(schema.polls.insert(), [world.poll for world in worlds])
        connection.execute(schema.warc_files.insert(), {"id": 1, "name": "made.warc.gz", "length": 0, "closed": True})
        connection.execute(schema.archive_state.update().where(schema.archive_state.c.name == "search").values(
            value=f"{database.search_index.kind} filling",
        ))
    rows: Rows = {}
    made, numbers = 0, count(2 * posts + 2)
    for world, size in zip(worlds, _sizes(posts, blogs), strict=True):
        for number in range(1, size + 1):
            made += 1
            _add(rows, world, made, world.post(number, size, worlds))
            if made % GROUP == 0:
                _insert(archive, rows)
        _add_lists(rows, world, size, numbers)
    _insert(archive, rows)
    with database.writing() as connection:
        for table in NUMBERED if connection.dialect.name == "postgresql" else ():
            connection.exec_driver_sql(
                f"select setval(pg_get_serial_sequence('{table}', 'id'), (select max(id) from {table}))",  # noqa: S608 - our own
            )


def _sizes(posts: int, blogs: int) -> list[int]:
    """How many posts each blog has: by Zipf's law, flattened; at least one."""
    shares = [1 / (number + 60) for number in range(blogs)]
    sizes = [max(1, int(posts * share / sum(shares))) for share in shares]
    sizes[0] += posts - sum(sizes)
    return sizes


@dataclass(frozen=True)
class World:
    """A blog and what its posts are made of."""

    id: int
    language: str
    offset: timezone
    blank: str
    words: tuple[str, ...]
    common: tuple[str, ...]
    tags: tuple[str, ...]
    authors: tuple[str, ...]
    chance: random.Random

    @property
    def home(self) -> str:
        return f"https://blog-{self.id}.example/"

    @property
    def row(self) -> dict[str, Any]:
        checked = json.dumps({
            "posts": "yes", "comments": "unknown", "missing": 0, "excused": 0, "checked_at": NOW.isoformat(),
        })
        return {
            "id": self.id, "key": canonical(self.home), "home": self.home, "title": self._said(3).title(),
            "scope": "path", "state": "finished", "added_at": stamp(NOW - timedelta(days=400)),
            "crawled_at": stamp(NOW - timedelta(hours=self.id % 90)), "completeness": checked,
        }

    @property
    def poll(self) -> dict[str, Any]:
        return {"blog_id": self.id, "due_at": stamp(NOW + timedelta(minutes=self.id)), "state": "{}"}

    @cached_property
    def pieces(self) -> list[str]:
        """Paragraphs, of which no two posts have the same ones in the same order."""
        return [self._said(self.chance.randint(20, 90)) + "." for _ in range(97)]

    def post(self, number: int, size: int, worlds: Sequence[World]) -> Post:
        """One of its posts, the oldest first."""
        chance = self.chance
        paragraphs = [chance.choice(self.pieces) for _ in range(chance.randint(4, 14))]
        paragraphs.append(f"{self._said(6)} {number}.")
        links = [self.url(chance.randint(1, size)) for _ in range(chance.choice((0, 0, 1, 2, 4)))]
        links += [f"{chance.choice(worlds).home}other/{chance.randrange(40)}/" for _ in range(chance.choice((0, 1, 2)))]
        pictures = [f"{self.home}pictures/{number}.jpg"] if number % 2 else []
        html = "".join(f"<p>{each}</p>" for each in paragraphs)
        html += "".join(f'<p><a href="{each}">{self.words[0]}</a></p>' for each in links)
        html += "".join(f'<p><img src="{each}" alt=""></p>' for each in pictures)
        published = FIRST + (NOW - FIRST) * (number - 1) / size + timedelta(minutes=chance.randrange(600))
        is_day, is_undated = number % 8 == 0, number % 50 == 49
        moment = published.astimezone(self.offset).replace(microsecond=0)
        if is_day:
            moment = moment.replace(hour=0, minute=0, second=0)
        many = chance.choice((0, 0, chance.randint(1, 12))) if number % 500 else 300
        sure = round(chance.choice((1.0, 1.0, 0.97, 0.9, chance.random())), 3)
        text = "\n\n".join(paragraphs)
        return Post(
            url=self.url(number), title=self._said(chance.randint(2, 9)).capitalize(), text=text, html=html,
            authors=tuple(dict.fromkeys(self.authors[int(len(self.authors) * chance.random() ** 3)] for _ in range(
                chance.choice((1, 1, 1, 2)),
            ))),
            published=None if is_undated else moment,
            tags=tuple(dict.fromkeys(
                self.tags[int(len(self.tags) * chance.random() ** 3)] for _ in range(chance.choice((0, 2, 3, 5)))
            )),
            language=self.language, summary=None if number % 3 else text[:200],
            comments=tuple(self._comment(place, moment) for place in range(many)),
            comments_state="complete" if many else "none", comment_count_claimed=many or None,
            media=tuple(Media(url=url) for url in pictures),
            provenance={
                "title": Provenance(method="selector", rule="h1.entry-title", confidence=1.0),
                "published": Provenance(
                    method="selector", rule="time", confidence=0.98, precision="day" if is_day else "minute",
                ),
                "text": Provenance(method="selector", rule="div.entry-content", confidence=sure),
                "tags": Provenance(method="selector", rule="a[rel=tag]", confidence=0.93),
            },
            fetched=NOW - timedelta(days=30),
        )

    def url(self, number: int) -> str:
        return f"{self.home}{2006 + number % 20}/a-post-about-{self.id}-{number}/"

    def _comment(self, place: int, moment: datetime) -> Comment:
        text = self._said(self.chance.randint(5, 40))
        return Comment(
            id=str(place), parent=str(place - 1) if place % 3 == 2 else None, author=self.chance.choice(self.authors),
            published=moment + timedelta(hours=place), text=text, html=f"<p>{text}</p>", source="wordpress",
        )

    def _said(self, count: int) -> str:
        said = self.chance.choices(self.words, k=count)
        for place in range(self.chance.randrange(COMMON), count, COMMON):
            said[place] = self.chance.choice(self.common)
        return self.blank.join(said)


def _world(number: int, chance: random.Random) -> World:
    own = random.Random(chance.random())  # noqa: S311 - not a secret
    language, hours, letters, blank, common = own.choice(LANGUAGES)

    def word(most: int = 9) -> str:
        return "".join(own.choices(letters, k=own.randint(2, most)))

    return World(
        id=number, language=language, offset=timezone(timedelta(hours=hours)), blank=blank,
        words=tuple(word() for _ in range(600)), common=tuple(common.split()),
        tags=tuple(dict.fromkeys(word(12) for _ in range(own.randint(5, 250)))),
        authors=tuple(f"{word().title()} {word().title()}" for _ in range(own.choice((1, 1, 2, 5, 30)))), chance=own,
    )


def _add(rows: Rows, world: World, post_id: int, post: Post) -> None:
    written = write_post(post, {item.url: canonical(item.url) for item in post.media})
    key, read_at = canonical(post.url), stamp(NOW - timedelta(days=30, minutes=-post_id % 9_000))
    versions = 2 if post_id % 10 == 0 else 1
    is_gone = post_id % 97 == 0
    of = rows.setdefault
    of(schema.posts, []).append({
        "id": post_id, "blog_id": world.id, "key": key, "version": versions, "digest": written.digest,
        "content": written.content, "published": written.published, "comments": written.comments,
        "gone": "deleted from the blog" if is_gone else None, "found_at": read_at,
        "comments_state": post.comments_state, "gone_at": read_at if is_gone else None,
    })
    of(schema.versions, []).extend(
        {"post_id": post_id, "version": version, "record": written.record, "read_at": read_at}
        for version in range(1, versions + 1)
    )
    of(schema.urls, []).append(_url(world, key, post.url, lane="post", outcome="post") | {"id": 2 * post_id})
    of(schema.captures, []).append(_capture(world, 2 * post_id, post.url, "page", "text/html", read_at))
    if post_id % 20 == 0:
        of(schema.aliases, []).append({
            "key": f"{key}?p={post_id}", "blog_id": world.id, "url": f"{post.url}?p={post_id}", "post_id": post_id,
        })
    for item in post.media:
        sha256 = hashlib.sha256(item.url.encode()).hexdigest()
        of(schema.media_files, []).append({
            "sha256": sha256, "path": f"media/{sha256[:2]}/{sha256}.jpg", "type": "image/jpeg", "bytes": 20_000,
        })
        medium = canonical(item.url)
        of(schema.media, []).append({
            "key": medium, "blog_id": world.id, "url": item.url, "sha256": sha256, "fetched_at": read_at,
        })
        url = _url(world, medium, item.url, lane="media", outcome="media")
        of(schema.urls, []).append(url | {"id": 2 * post_id + 1})
        of(schema.captures, []).append(_capture(world, 2 * post_id + 1, item.url, "media", "image/jpeg", read_at))
    if versions > 1 or is_gone:
        kind = "deleted" if is_gone else "edited"
        of(schema.events, []).append({
            "blog_id": world.id, "post_id": post_id, "kind": kind, "at": read_at, "reason": f"it was {kind}",
        })


def _add_lists(rows: Rows, world: World, size: int, numbers: Iterator[int]) -> None:
    for number in range(1, size // 10 + 2):
        url = f"{world.home}page/{number}/"
        listed = _url(world, canonical(url), url, lane="page", outcome="listing")
        rows.setdefault(schema.urls, []).append(listed | {"id": next(numbers)})
    url = f"{world.home}not-there/"
    failed = _url(world, canonical(url), url, lane="page", outcome="failed")
    rows[schema.urls].append(failed | {"id": next(numbers), "state": "failed", "reason": "404", "status": 404})


def _url(world: World, key: str, url: str, *, lane: str, outcome: str) -> dict[str, Any]:
    return {
        "blog_id": world.id, "key": key, "url": url, "lane": lane, "rank": 0.0, "state": "done", "outcome": outcome,
        "tries": 1, "new_posts": 0, "queued_at": stamp(NOW - timedelta(days=31)),
        "visited_at": stamp(NOW - timedelta(days=30)), "reason": None, "status": 200,
    }


def _capture(world: World, url_id: int, url: str, purpose: str, kind: str, at: str) -> dict[str, Any]:
    return {
        "blog_id": world.id, "url_id": url_id, "url": url, "purpose": purpose, "answer": True, "status": 200,
        "content_type": kind, "digest": f"sha256:{url_id:064x}", "bytes": 20_000, "fetched_at": at, "warc_id": 1,
        "offset": url_id, "length": 1,
    }


def _insert(archive: Archive, rows: Rows) -> None:
    with archive.backend.database.writing() as connection:
        for table in _in_order(rows):
            if rows[table]:
                connection.execute(table.insert(), rows[table])
                rows[table] = []


def _in_order(rows: Rows) -> Iterator[Any]:
    return (table for table in schema.metadata.sorted_tables if table in rows)


if __name__ == "__main__":
    main()
