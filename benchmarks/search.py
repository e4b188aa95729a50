"""How fast and how large search is: 100,000 made posts in the embedded archive.

    python benchmarks/search.py                    # about five minutes; --posts 10000 for a first look

The posts are made up, but not simple: about 300 words each, drawn by Zipf's law from 40,000 words of a
language and from those of a topic, six kinds of scripts (Chinese, Japanese and Korean are a fifth),
names, tags, some comments. The queries are drawn as for the evaluation of retrieval
(docs/internals/evaluation.md), from the titles of a thousand of the posts: 50 of one word, 100 of two,
50 names, each with at least 20 posts in the archive that fit.

*Indexing* is what an older archive's first search does: read each post's record, cut it, write the index in
groups, sync. A crawl does the same in smaller groups; the second figure is for these. *Query* is one call of
the library: query understood, index asked, the 20 best posts read, snippets made. Times are the clock's; on a
machine that is busy with other things look at those of the processor too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from everlog.archive import open_archive
from everlog.archive.db import schema
from everlog.archive.db.column_values import stamp
from everlog.archive.post_codec import write_post
from everlog.archive.repos import search_index as searching
from everlog.core.words import is_unspaced
from everlog.records import Comment, Post
from everlog.search.query import ask
from papers.retrieval_queries import Document, Plan, draw_queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from papers.retrieval_index import Query

SHARES = {"latin": 0.6, "accents": 0.12, "cyrillic": 0.08, "chinese": 0.08, "japanese": 0.06, "korean": 0.06}
UNSPACED = {"chinese", "japanese"}
VOCABULARY, TOPICS, TOPIC_WORDS, NAMES, BLOGS = 40_000, 100, 200, 1_000, 50
CONSONANTS = "b c d f g h j k l m n p r s t v w z br ch cl dr fl gr kr pl sh sk st th tr".split()
VOWELS = "a e i o u ai ea ee io ou".split()
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщыэюя"
KANA = [chr(number) for number in range(0x3042, 0x3093)]
# Posts whose titles queries are drawn from.
TITLES = 1_000
# Posts a crawl stores at once (archive/write/batch_writer.py).
CRAWL_GROUP = 64


@dataclass(frozen=True, slots=True)
class Language:
    """Words in order of how common they are, the sums of their shares, and the words of each topic."""

    name: str
    words: list[str]
    sums: np.ndarray
    topics: np.ndarray


class Maker:
    """Makes posts; the same seed makes the same ones."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - not a secret
        self.numbers = np.random.default_rng(seed)
        self.han = [chr(0x4E00 + place) for place in self.chance.sample(range(20_000), 3_500)]
        self.han_sums = list(accumulate((place + 1) ** -0.8 for place in range(len(self.han))))
        self.names = [f"{self._syllables(2).title()} {self._syllables(2).title()}" for _ in range(NAMES)]
        self.languages = {name: self._language(name) for name in SHARES}

    def posts(self, count: int) -> Iterator[tuple[Post, str]]:
        """Posts, each with its language."""
        chosen = self.chance.choices(list(SHARES), list(SHARES.values()), k=count)
        for number, kind in enumerate(chosen):
            language, topic = self.languages[kind], self.chance.randrange(TOPICS)
            title = self._words(language, self.chance.randint(3, 8), topic)
            name = self.names[int(NAMES * self.chance.random() ** 3)] if self.chance.random() < 0.15 else None
            body = self._words(language, max(20, int(self.numbers.lognormal(5.6, 0.5))), topic)
            if name or self.chance.random() < 0.3:
                body.insert(len(body) // 2, name or self.names[int(NAMES * self.chance.random() ** 3)])
            author = self.names[number % 300]
            comments = tuple(
                Comment(id=str(place), author=self.chance.choice(self.names), text=_joined(
                    language, self._words(language, self.chance.randint(5, 50), topic),
                ))
                for place in range(self.chance.choice((0, 0, 0, 1, 4)))
            )
            yield Post(
                url=f"http://{number % BLOGS}.example/{number}", text=_joined(language, body), html="",
                title=_joined(language, [*title, *([name] if name else [])]).rstrip(".。"), authors=(author,),
                published=datetime(2010, 1, 1, tzinfo=UTC) + timedelta(hours=number), comments=comments,
                tags=tuple(language.words[place] for place in language.topics[topic][:2]),
            ), kind

    def _words(self, language: Language, count: int, topic: int) -> list[str]:
        places = np.searchsorted(language.sums, self.numbers.random(count)).clip(0, VOCABULARY - 1)
        of_topic = self.numbers.random(count) < 0.2
        places[of_topic] = language.topics[topic][(self.numbers.random(of_topic.sum()) ** 2 * TOPIC_WORDS).astype(int)]
        return [language.words[place] for place in places]

    def _language(self, name: str) -> Language:
        words: dict[str, None] = {}
        while len(words) < VOCABULARY:
            words[self._word(name, len(words))] = None
        shares = 1 / (np.arange(VOCABULARY) + 3.7)
        topics = self.numbers.integers(100, VOCABULARY, (TOPICS, TOPIC_WORDS))
        return Language(name, list(words), (shares / shares.sum()).cumsum(), topics)

    def _word(self, language: str, rank: int) -> str:
        chance = self.chance
        if language == "chinese":
            size = chance.choice((1, 2, 2, 2, 3, 4))
            return "".join(chance.choices(self.han, cum_weights=self.han_sums, k=size))
        if language == "japanese":
            size = chance.choice((0, 1, 2)) if rank > 60 else 0
            stem = "".join(chance.choices(self.han, cum_weights=self.han_sums, k=size))
            return stem + "".join(chance.choices(KANA, k=chance.randint(0 if stem else 1, 3)))
        if language == "korean":
            return "".join(chr(0xAC00 + 28 * chance.randrange(399)) for _ in range(chance.randint(1 + (rank > 100), 4)))
        if language == "cyrillic":
            return "".join(chance.choices(CYRILLIC, k=chance.randint(2, 3 + min(8, rank // 20))))
        word = self._syllables(chance.randint(1, 1 + min(3, rank // 20)))
        return word[:1] + chance.choice("äöüéèçñå") + word[1:] if language == "accents" and rank % 3 == 0 else word

    def _syllables(self, count: int) -> str:
        made = "".join(self.chance.choice(CONSONANTS) + self.chance.choice(VOWELS) for _ in range(count))
        return made + self.chance.choice(("", "n", "r", "s", "t"))


def _joined(language: Language, words: list[str]) -> str:
    blank, stop = ("", "。") if language.name in UNSPACED else (" ", ". ")
    return stop.join(blank.join(words[start : start + 13]) for start in range(0, len(words), 13))


@dataclass(slots=True)
class Stored:
    """What is known of the stored posts: the bytes of their text, the language of each, and some as documents."""

    size: int
    languages: dict[int, str]
    titled: list[Document]


def store(archive: Archive, maker: Maker, count: int) -> Stored:
    """Put posts into the archive as one without an index has them."""
    for number in range(BLOGS):
        archive.blogs.add(f"http://{number}.example/", scope="path")
    stored, rows = Stored(0, {}, []), []
    for number, (post, language) in enumerate(maker.posts(count), 1):
        written = write_post(post, {})
        said = [part for comment in post.comments for part in (comment.author or "", comment.text)]
        parts = (post.text, post.title or "", *post.authors, *post.tags, *said)
        stored.size += sum(len(part.encode()) for part in parts)
        stored.languages[number] = language
        if number % max(1, count // TITLES) == 0:
            stored.titled.append(Document(
                number=number, blog=str(number % BLOGS), language=language, title=post.title or "",
                authors=post.authors, text=post.text,
            ))
        rows.append((number, post, written))
        if len(rows) == 1_000 or number == count:
            _insert(archive, rows)
            rows = []
    return stored


def _insert(archive: Archive, rows: list) -> None:
    now = stamp(datetime.now(UTC))
    with archive.backend.database.writing() as connection:
        connection.execute(schema.posts.insert(), [
            {"id": number, "blog_id": number % BLOGS + 1, "key": post.url, "version": 1, "digest": written.digest,
             "published": written.published, "comments": written.comments, "found_at": now}
            for number, post, written in rows
        ])
        connection.execute(schema.versions.insert(), [
            {"post_id": number, "version": 1, "record": written.record, "read_at": now} for number, _, written in rows
        ])


class Found:
    """The archive as the generator of queries asks it."""

    def __init__(self, archive: Archive, posts: int) -> None:
        self._database = archive.backend.database
        self._posts = posts

    def matching(self, query: Query) -> frozenset[int]:
        asked = ask(typed(query))
        with self._database.reading() as connection:
            found = self._database.search_index.find(connection, asked, {}, limit=self._posts, offset=0)
        return frozenset(number for number, _ in found)


def typed(query: Query) -> str:
    """A query as a reader would type it.

    >>> from papers.retrieval_index import Query
    >>> typed(Query(kind="", phrases=(("sea",), ("ada", "vale"), ("海", "岸"))))
    'sea "ada vale" 海岸'
    """
    texts = ["".join(phrase) if is_unspaced("".join(phrase)) else " ".join(phrase) for phrase in query.phrases]
    return " ".join(f'"{text}"' if " " in text else text for text in texts)


def queries(archive: Archive, stored: Stored) -> dict[str, list[str]]:
    """Kind -> queries, drawn as for the evaluation of retrieval."""
    found: dict[str, list[str]] = {}
    finder = Found(archive, len(stored.languages))
    for query in draw_queries(stored.titled, finder, Plan(), languages=stored.languages):
        found.setdefault(query.kind, []).append(typed(query))
    return found


def used(archive: Archive) -> int:
    """Bytes of the database that are in use."""
    with archive.backend.database.reading() as connection:
        pages, free, size = (
            connection.exec_driver_sql(f"pragma {name}").scalar_one()
            for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * size)


def in_crawl_groups(archive: Archive, count: int) -> float:
    """Posts a second when the index is written as by a crawl; it is emptied again."""
    statement = schema.versions.select().where(schema.versions.c.post_id <= count)
    with archive.backend.database.reading() as connection:
        latest = [
            searching.Latest(row.post_id, row.post_id % BLOGS + 1, 1, row.record)
            for row in connection.execute(statement)
        ]
    archive.search.forget()
    begun = time.perf_counter()
    for start in range(0, len(latest), CRAWL_GROUP):
        with archive.backend.database.writing() as connection:
            searching.index(connection, archive.backend.database, latest[start : start + CRAWL_GROUP])
    took = time.perf_counter() - begun
    archive.search.forget()
    return len(latest) / took


def timed(archive: Archive, asked: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """Milliseconds of the library's call, by kind of query; each is asked once before it counts."""
    figures: dict[str, dict[str, float]] = {}
    clocks: dict[str, list[tuple[float, float]]] = {kind: [] for kind in asked}
    for kind, texts in asked.items():
        for text in texts:
            archive.search(text)
            begun, worked = time.perf_counter(), time.process_time()
            archive.search(text)
            clocks[kind].append((1000 * (time.perf_counter() - begun), 1000 * (time.process_time() - worked)))
    clocks["all"] = [pair for pairs in clocks.values() for pair in pairs]
    for kind, pairs in clocks.items():
        wall = sorted(pair[0] for pair in pairs)
        figures[kind] = {
            "queries": len(pairs), "median_ms": statistics.median(wall), "p95_ms": wall[int(len(wall) * 0.95)],
            "max_ms": wall[-1], "median_cpu_ms": statistics.median(pair[1] for pair in pairs),
        }
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="folder for the archive (default: a temporary one)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, open_archive(options.keep or place, create=True) as archive:
        stored = store(archive, Maker(options.seed), options.posts)
        crawl_speed = in_crawl_groups(archive, min(10_000, options.posts))
        without = used(archive)
        begun, worked = time.perf_counter(), time.process_time()
        archive.search.index()
        took, cpu = time.perf_counter() - begun, time.process_time() - worked
        index_size = used(archive) - without
        figures = {
            "posts": options.posts, "text_mb": stored.size / 1e6, "index_mb": index_size / 1e6,
            "index_to_text": index_size / stored.size, "posts_per_second": options.posts / took,
            "posts_per_cpu_second": options.posts / cpu, "posts_per_second_in_crawl_groups": crawl_speed,
            "load": os.getloadavg()[0], "queries": timed(archive, queries(archive, stored)),
        }
    if options.json:
        print(json.dumps(figures, indent=1))
        return
    for name, value in figures.items():
        if not isinstance(value, dict):
            print(f"{name.replace('_', ' '):<34} {value:12,.2f}")
    for kind, row in figures["queries"].items():
        print(f"{kind:<12}" + "  ".join(f"{name.replace('_', ' ')} {value:.1f}" for name, value in row.items()))


if __name__ == "__main__":
    main()
