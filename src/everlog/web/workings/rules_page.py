"""Page about what was learned of a blog: rules with their scores and an example each, in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from everlog.archive.projection.filters import PostFilter
from everlog.core.listing_words import LISTING_WORDS
from everlog.core.rules import MANUAL
from everlog.usecases.learn.rule_words import address_shape, how_found, ranked_rules
from everlog.web.mementos.capture_times import day_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.extract.template import Template
    from everlog.records import Blog, Post
    from everlog.usecases.learn.rule_words import ToldRule
    from everlog.web.interface.page_maker import PageMaker

# The newest posts that examples are taken from: reading more takes long where posts have thousands of comments.
LOOKED_AT = 20
# Rules of a field that stand open; the others are tried only where these find nothing.
OPEN = 1
# Letters of an example, parts of a page that are cut away, addresses that are named.
LONGEST_EXAMPLE, MOST_CUTS, MOST_ADDRESSES = 140, 40, 5
NAMES = {
    "text": "Text", "title": "Title", "authors": "Authors", "published": "Date", "updated": "Last changed",
    "tags": "Tags", "language": "Language", "summary": "Summary", "comments": "Comments",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRule:
    """A rule of a field with what it read: on which post, and on how many of those that were looked at."""

    rule: ToldRule
    how: str
    used: int = 0
    example: str | None = None
    post: Post | None = None

    @property
    def is_by_hand(self) -> bool:
        return self.rule.method == MANUAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """The rules of one design of a blog: since and until when, and why it ended."""

    since: datetime | None
    until: datetime
    reason: str
    fields: tuple[tuple[str, ToldRule], ...]


class RulesPage:
    """What was learned about a blog."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make

    def routes(self) -> list[Route]:
        return [Route("/rules/{home:path}", self.rules)]

    async def rules(self, request: Request) -> Response:
        """The rules by which a blog is read, those before its redesigns, and which of its pages are posts."""
        blog = await self._make.look(self._make.blog_at, request.path_params["home"])
        if blog is None:
            return await self._make.no_blog(request)
        values = await self._make.look(self._values, blog)
        return await self._make.page(request, "rules.html", **values, headers={"X-Robots-Tag": "noindex"})

    def _values(self, blog: Blog) -> dict[str, Any]:
        # All of learning, which no other page needs: two hundred modules, and numpy.
        from everlog.usecases.learn.learned_blog import LearnedBlog  # noqa: PLC0415
        from everlog.usecases.learn.page_comparison import known_repeats  # noqa: PLC0415

        archive = self._make.archive
        learned = LearnedBlog.of(blog)
        if learned is None:
            return {"blog": blog, "learned": None}
        template, pattern = learned.template, learned.classifier.pattern
        posts = list(self._newest(blog))
        repeats = known_repeats(blog, archive)
        cuts = list(dict.fromkeys(cut for design in template.designs for cut in design.cuts))
        return {
            "blog": blog, "learned": learned, "template": template, "pattern": pattern,
            "shapes": [address_shape(each) for each in (*pattern.telling, *pattern.vague)],
            "examples": [post.url for post in posts[:MOST_ADDRESSES]],
            "barred": sorted(pattern.barred - LISTING_WORDS)[:MOST_CUTS],
            "fields": [
                (NAMES.get(name, name), shown[:OPEN], shown[OPEN:])
                for name, rules in ranked_rules(template).items() if (shown := list(_shown(name, rules, posts)))
            ],
            "posts": posts, "cuts": cuts[:MOST_CUTS], "more_cuts": len(cuts) - MOST_CUTS,
            "repeats": {"pages": len(repeats.pages), "pieces": len(repeats.counts)},
            "generations": [
                Generation(
                    since=each.learned_at, until=each.retired_at, reason=each.reason,
                    fields=tuple(_best(LearnedBlog.from_texts(each.template, each.knowledge).template)),
                ) for each in reversed(archive.blogs.templates(blog.id))
            ],
        }

    def _newest(self, blog: Blog) -> Iterator[Post]:
        """The newest posts that may be shown."""
        chosen = PostFilter(blog_id=blog.id, public=self._make.is_public)
        for summary in self._make.archive.listing(chosen, limit=LOOKED_AT).posts:
            post = self._make.archive.posts.find(summary.url, as_read=True)
            if post is not None:
                yield post


def _shown(name: str, rules: Iterable[ToldRule], posts: Sequence[Post]) -> Iterator[ShownRule]:
    for rule in rules:
        read = [post for post in posts if _is_read_by(rule, post, name)]
        example = next(((post, value) for post in read if (value := _value(post, name))), None)
        yield ShownRule(
            rule=rule, how=how_found(rule.method), used=len(read),
            post=example[0] if example else None, example=example[1] if example else None,
        )


def _is_read_by(rule: ToldRule, post: Post, name: str) -> bool:
    source = post.provenance.get(name)
    if source is None:
        return False
    # Comments are found by one place of several, which is named alone.
    where = rule.where.partition(": ")[0] if name == "comments" else rule.where
    # A date may have been taken from an attribute of its place.
    return (source.rule or "").partition("@")[0] == where.partition("@")[0]


def _best(template: Template) -> Iterator[tuple[str, ToldRule]]:
    for name, rules in ranked_rules(template).items():
        if rules:
            yield NAMES.get(name, name), rules[0]


def _value(post: Post, name: str) -> str:
    """What a field says, on a line."""
    value: Any = getattr(post, name, None)
    if name == "comments":
        first = next(iter(post.comments), None)
        value = f"{first.author or 'Somebody'}: {first.text}" if first is not None else ""
    elif name in {"published", "updated"} and value is not None:
        value = day_in_words(value)
    elif isinstance(value, tuple):
        value = ", ".join(value)
    line = " ".join(str(value or "").split())
    return line if len(line) <= LONGEST_EXAMPLE else f"{line[:LONGEST_EXAMPLE].rstrip()} …"
