"""Copies: pages that call themselves a copy of another page, until that one was seen.

Canonical links are wrong often enough (one for all pages, the last post's on every page) that
believing them unseen would lose posts; not believing them would keep print views and pages of
comments as posts of their own. So a copy waits for its original: if both say the same, it is another
address of that post, else a post of its own. Until then its row stays in the queue, so that a crash or
a pause in between costs one more request and nothing else; the queue puts such rows off until nothing
else is left.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field, replace

from everlog.comments.comment_markup import Thread
from everlog.comments.merging import merge
from everlog.records import Link, Post, Visit

# Share of words that a post and its copy (a print view, a page of its comments) have in common. Two posts
# of one blog rarely share half of their words; a copy differs by a line or two.
COPY_LIKENESS = 0.8
# Pages that wait for their originals; beyond this, pages are kept as posts of their own at once.
MOST_WAITING = 1_000
# The rank of an original that nothing but its copy leads to.
FIRST = -1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A page read as a post, which says it is the one at `original`."""

    link: Link
    post: Post
    own_key: str
    original: str


@dataclass(slots=True)
class Copies:
    """The copies of one crawl that wait for their originals."""

    blog_id: int
    _waiting: dict[str, list[Copy]] = field(default_factory=dict)

    def has_room(self) -> bool:
        return sum(map(len, self._waiting.values())) < MOST_WAITING

    def wait(self, copy: Copy) -> None:
        self._waiting.setdefault(copy.original, []).append(copy)

    def settled_by(self, key: str, original: Post | None) -> Iterator[Visit]:
        """The visits of copies whose original is now known: the post at `key`, or that there is none."""
        for copy in self._waiting.pop(key, ()):
            yield self.settled(copy, original)

    def all_settled(self, held: Callable[[str], Post | None]) -> Iterator[Visit]:
        """Those whose originals never came are posts of their own."""
        for key in list(self._waiting):
            yield from self.settled_by(key, held(key))

    def settled_so_far(
        self, held: Callable[[str], Post | None], was_visited: Callable[[str], bool], taken_up: Container[str],
    ) -> Iterator[Visit]:
        """At a pause: those whose originals are known, or known to be no posts; the others are asked for again.

        Those that were asked for again (`taken_up`) waited until nothing else was left. They do not wait for ever.
        """
        for key, copies in tuple(self._waiting.items()):
            original = held(key)
            is_known = original is not None or was_visited(key)
            for copy in copies:
                if is_known or copy.link.key in taken_up:
                    yield self.settled(copy, original)

    def settled(self, copy: Copy, original: Post | None) -> Visit:
        """What a copy turns out to be: another address of the original, or a post of its own."""
        visit = Visit(blog_id=self.blog_id, url=copy.link.url, key=copy.link.key, outcome="post", settles=True)
        if original is not None and say_the_same(original, copy.post):
            return replace(
                visit, post=_with_more_comments(original, copy.post), post_key=copy.original,
                reason=f"a copy of {original.url}",
            )
        return replace(visit, post=copy.post, post_key=copy.own_key if copy.own_key != copy.link.key else None)


def _with_more_comments(original: Post, copy: Post) -> Post | None:
    """The original with comments that only its copy shows, as the second page of comments does; None if it has all."""
    if not copy.comments:
        return None
    claimed = original.comment_count_claimed
    threads = [Thread(source="held", comments=post.comments) for post in (original, copy)]
    merged = merge(threads, claimed=claimed)
    if len(merged.comments) <= len(original.comments):
        return None
    state = original.comments_state if original.comments_state == "failed" else merged.state
    return replace(original, comments=merged.comments, comments_state=state)


def say_the_same(one: Post, other: Post) -> bool:
    """Whether two posts are one: the same title, and nearly the same words.

    >>> from everlog.records import Post
    >>> say_the_same(Post(url="a", title="Rain", text="it rains a lot today"),
    ...              Post(url="b", title="Rain", text="it rains a lot today 3 comments"))
    True
    """
    words, others = set(one.text.split()), set(other.text.split())
    return one.title == other.title and 2 * len(words & others) >= COPY_LIKENESS * (len(words) + len(others))
