"""What the sites of all platforms have in common: posts that come, change and go, and pages that show them."""

from __future__ import annotations

import html
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

START = datetime(2020, 1, 1, 9, 30, tzinfo=UTC)
Answer = tuple[int, "Mapping[str, str]", bytes]


@dataclass(frozen=True)
class SitePost:
    """A post of a site; `number` counts them from 1 on, in the order in which they were published."""

    number: int
    title: str
    body: str
    published: datetime
    updated: datetime
    author: str = "Ada Finch"
    tags: tuple[str, ...] = ("Weather",)
    kind: str = "post"


@dataclass(frozen=True)
class SiteComment:
    """A comment on the post of this number."""

    number: int
    post: int
    author: str
    body: str
    published: datetime
    parent: int | None = None


@dataclass
class Blog:
    """A blog that people write, comment and delete in. Its clock goes on by an hour with everything that happens."""

    home: str = "https://blog.example/"
    title: str = "Sea & Rain"
    posts: dict[int, SitePost] = field(default_factory=dict)
    comments: dict[int, SiteComment] = field(default_factory=dict)
    traps: frozenset[str] = frozenset()
    requests: list[str] = field(default_factory=list)
    _count: int = 0
    _clock: datetime = START

    @classmethod
    def of(cls, count: int, comments: int = 0, **options: object):
        """A blog with this many posts and comments."""
        options["traps"] = frozenset(options.get("traps") or ())
        blog = cls(**options)
        for _ in range(count):
            blog.publish()
        numbers = list(blog.posts)
        for number in range(comments):
            blog.comment(numbers[number * 7 % len(numbers)])
        return blog

    def tick(self) -> datetime:
        self._clock += timedelta(hours=1)
        return self._clock

    def publish(self, **said: object) -> SitePost:
        """A new post."""
        self._count += 1
        number, now = self._count, self.tick()
        body = f"<p>On day {number} the <em>sea</em> was calm, and nobody spoke.</p>"
        post = SitePost(number, f"Day {number} & night", body, now, now)
        self.posts[number] = replace(post, **said)
        return self.posts[number]

    def edit(self, number: int, body: str = "<p>Written anew.</p>") -> None:
        self.posts[number] = replace(self.posts[number], body=body, updated=self.tick())

    def delete(self, number: int) -> None:
        del self.posts[number]
        self.comments = {key: each for key, each in self.comments.items() if each.post != number}

    def comment(self, post: int, parent: int | None = None) -> SiteComment:
        number = max(self.comments, default=0) + 1
        body = f"<p>Comment {number}.</p>"
        self.comments[number] = SiteComment(number, post, f"Bea {number}", body, self.tick(), parent)
        return self.comments[number]

    def newest(self) -> list[SitePost]:
        """The posts, the newest first."""
        return sorted(self.posts.values(), key=lambda post: (post.published, post.number), reverse=True)

    def newest_comments(self) -> list[SiteComment]:
        return sorted(self.comments.values(), key=lambda each: each.number, reverse=True)

    def link(self, post: SitePost) -> str:
        """The address of a post."""
        return f"{self.home}{post.published:%Y/%m}/day-{post.number}/"

    @property
    def links(self) -> set[str]:
        """The addresses of all posts."""
        return {self.link(post) for post in self.posts.values()}

    # What a platform's pages have in their head, beside what all pages have.
    def head(self) -> str:
        return ""

    def page_headers(self) -> dict[str, str]:
        return {"Content-Type": "text/html; charset=UTF-8"}

    def answer(self, url: str, headers: Mapping[str, str]) -> Answer:
        """What the site answers: its interface, else a page, else that there is none."""
        self.requests.append(url)
        return self.interface(url, headers) or self.page(url) or (404, self.page_headers(), b"<h1>Not found</h1>")

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:  # noqa: ARG002
        return None

    def page(self, url: str) -> Answer | None:
        """The front page, or that of a post. With the trap "half" only every second post is linked to."""
        shown = self.newest()
        if url == self.home:
            linked = shown[::2] if "half" in self.traps else shown
            items = "".join(f'<li><a href="{self.link(post)}">{html.escape(post.title)}</a></li>' for post in linked)
            return 200, self.page_headers(), self._html(self.title, f"<ul>{items}</ul>")
        for post in shown:
            if url == self.link(post):
                return 200, self.page_headers(), self._html(post.title, self._article(post))
        return None

    def comment_item(self, each: SiteComment) -> str:
        """A comment as the page of its post shows it."""
        return f'<li id="comment-{each.number}"><cite>{each.author}</cite>{each.body}</li>'

    def _article(self, post: SitePost) -> str:
        comments = "".join(self.comment_item(each) for each in self.comments.values() if each.post == post.number)
        return (
            f'<article><h1>{html.escape(post.title)}</h1><time datetime="{post.published.isoformat()}"></time>'
            f'<div class="entry">{post.body}</div></article><ol class="comments">{comments}</ol>'
        )

    def _html(self, title: str, body: str) -> bytes:
        head = f"<title>{html.escape(title)}</title>{self.head()}"
        return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode()
