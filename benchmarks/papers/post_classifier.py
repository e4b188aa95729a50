"""How well posts are told from other pages, page by page, on blogs whose pages are labelled (`pages.jsonl`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.errors import EverlogError, UsageError
from everlog.evaluate.scoring import mean
from everlog.evaluate.without_feed import home_of, learn_walking
from everlog.extract.classify import PostClassifier
from everlog.extract.learn_blog import learn
from everlog.feeds import parse_feed
from processes import over_blogs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from everlog.evaluate.corpus import Blog

# Copies of posts (aliases, pages of comments) are neither; feeds are no pages.
KINDS = ("post", "listing", "page", "other")


@dataclass(frozen=True, slots=True)
class Told:
    """What a judge made of one blog's pages: how many there are, and how many of each mistake it made."""

    pages: int = 0
    posts_missed: int = 0
    others_taken: int = 0

    @property
    def right(self) -> float:
        """The share of pages told rightly."""
        return 1 - (self.posts_missed + self.others_taken) / self.pages if self.pages else 0.0


def telling_rows(
    blogs: Sequence[Blog], *, jobs: int = 1, done: Callable[[str], None] = lambda _: None,
) -> list[dict[str, str | int | float | None]]:
    """A row for blogs learned with their feed, and one without: means over blogs."""
    labelled = [blog for blog in blogs if (blog.folder / "pages.jsonl").is_file()]
    if not labelled:
        raise UsageError(
            "none of these blogs says which of its pages are posts", advice="pass folders of blogs with a pages.jsonl",
        )
    told: dict[str, list[Told]] = {"with the feed": [], "without": []}
    for _, found in over_blogs(tell, labelled, jobs=jobs):
        for name, one in zip(told, found, strict=True):
            told[name].append(one)
        done("")
    return [
        {
            "learned": name, "blogs": len(ours), "pages": sum(one.pages for one in ours),
            "right %": round(100 * share, 2) if (share := mean(one.right for one in ours)) is not None else None,
            "posts missed": sum(one.posts_missed for one in ours),
            "others taken for posts": sum(one.others_taken for one in ours),
        }
        for name, ours in told.items()
    ]


def tell(blog: Blog) -> tuple[Told, Told]:
    """One blog, with its feed and without."""
    rows = list(labelled_pages(blog))
    return _told(rows, lambda: _judge_of_feed(blog)), _told(rows, lambda: learn_walking(blog).classifier)


def _told(rows: Sequence[tuple[str, bytes, bool]], learned: Callable[[], PostClassifier]) -> Told:
    try:
        classifier = learned()
    except EverlogError:
        # A blog that cannot be learned tells nothing: all of its posts are missed.
        return Told(len(rows), sum(is_post for _, _, is_post in rows), 0)
    taken = [(classifier.verdict(url, page).kind == "post", is_post) for url, page, is_post in rows]
    missed = sum(is_post and not was for was, is_post in taken)
    return Told(len(rows), missed, sum(was and not is_post for was, is_post in taken))


def _judge_of_feed(blog: Blog) -> PostClassifier:
    feed = blog.feed()
    pages = blog.linked_pages(entry.link for entry in parse_feed(feed, blog.feed_url).entries)
    home = home_of(blog)
    front = blog.page(home)
    template = learn(feed, pages, blog.feed_url)
    return PostClassifier.learn(template, pages, home=home, others={home: front} if front else {})


def labelled_pages(blog: Blog) -> Iterator[tuple[str, bytes, bool]]:
    """URL, bytes and label of the pages that are posts or surely none."""
    parts = urlsplit(blog.origin)
    with (blog.folder / "pages.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            file = blog.folder / "site" / row["file"]
            if row["kind"] in KINDS and file.is_file():
                yield f"{parts.scheme}://{parts.netloc}{row['path']}", file.read_bytes(), row["kind"] == "post"
