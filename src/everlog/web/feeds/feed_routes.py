"""Feeds of new posts and of changes: of a blog, and of all."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Route

from everlog.archive.projection.filters import PostFilter
from everlog.replay import View
from everlog.web.feeds.atom_feed import CONTENT_TYPE, FeedEntry, FeedHead, atom_feed, urn_of
from everlog.web.interface.event_list import EventList
from everlog.web.interface.page_maker import safe, short
from everlog.web.mementos.capture_times import http_date, timestamp
from everlog.web.page_templates import ended_at_a_word, is_language
from everlog.web.posts.reading_view import shown_article

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.requests import Request

    from everlog.archive.projection.summaries import PostSummary
    from everlog.records import Blog
    from everlog.web.interface.event_list import Happening
    from everlog.web.interface.page_maker import PageMaker

POSTS, CHANGES = 20, 50
# Articles that are longer are read on their page: 20 of these are 2 MB of feed.
LONGEST_ARTICLE = 100_000


class FeedRoutes:
    """What feed readers ask for."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make
        self._events = EventList(make.archive, public=make.is_public)

    def routes(self) -> list[Route]:
        return [
            Route("/feed/posts.atom", self.all_posts),
            Route("/feed/changes.atom", self.all_changes),
            Route("/feed/posts/{home:path}", self.posts),
            Route("/feed/changes/{home:path}", self.changes),
        ]

    async def all_posts(self, request: Request) -> Response:
        """The posts that came into the archive last."""
        return await self._posts(request, None)

    async def all_changes(self, request: Request) -> Response:
        """What happened to posts and blogs lately."""
        return await self._changes(request, None)

    async def posts(self, request: Request) -> Response:
        """The newest posts of a blog."""
        blog = await self._make.look(self._make.blog_at, request.path_params["home"])
        return await self._posts(request, blog) if blog is not None else await self._make.no_blog(request)

    async def changes(self, request: Request) -> Response:
        """What happened to a blog and its posts lately."""
        blog = await self._make.look(self._make.blog_at, request.path_params["home"])
        return await self._changes(request, blog) if blog is not None else await self._make.no_blog(request)

    async def _posts(self, request: Request, blog: Blog | None) -> Response:
        found = await self._make.look(self._newest, blog)
        known = [(post.id, post.changed_at.isoformat()) for post in found]
        head = self._head(request, blog, "New posts of all blogs", "posts")

        def entries() -> list[FeedEntry]:
            blogs = self._make.archive.overview.blogs(ids=sorted({post.blog_id for post in found}))
            names = {each.id: each.title or short(each.home) for each in blogs}
            return [self._post_entry(request, post, names.get(post.blog_id, "")) for post in found]

        return await self._answer(request, head, known, max((post.changed_at for post in found), default=None), entries)

    async def _changes(self, request: Request, blog: Blog | None) -> Response:
        found = (await self._make.look(
            self._events.page, blog_id=None if blog is None else blog.id, limit=CHANGES,
        )).happenings
        known = [(each.event.id or 0, each.event.at.isoformat()) for each in found]
        head = self._head(request, blog, "What changed in all blogs", "changes")
        here = self._make.interface(request)
        return await self._answer(
            request, head, known, max((each.event.at for each in found), default=None),
            lambda: [_change_entry(here, each) for each in found],
        )

    def _newest(self, blog: Blog | None) -> tuple[PostSummary, ...]:
        listing, public = self._make.archive.listing, self._make.is_public
        if blog is None:
            return listing.newest(public=public, limit=POSTS)
        return listing(PostFilter(blog_id=blog.id, public=public), limit=POSTS).posts

    def _head(self, request: Request, blog: Blog | None, title: str, kind: str) -> FeedHead:
        here = self._make.interface(request)
        if blog is None:
            return FeedHead(
                title=title, self_link=f"{here}/feed/{kind}.atom", link=f"{here}/", author="everlog",
                icon=f"{here}/static/icon.svg",
            )
        name, place = blog.title or short(blog.home), safe(short(blog.home))
        return FeedHead(
            title=name if kind == "posts" else f"What changed: {name}", self_link=f"{here}/feed/{kind}/{place}",
            link=f"{here}/blog/{place}", author=name, icon=f"{here}/static/icon.svg",
        )

    def _post_entry(self, request: Request, post: PostSummary, blog: str) -> FeedEntry:
        here = self._make.interface(request)
        return FeedEntry(
            id=safe(post.url), title=post.title or "Without a title", updated=post.changed_at,
            published=post.published, link=f"{here}/read/{safe(post.url)}", via=safe(post.url),
            authors=post.authors or ((blog,) if blog else ()), tags=post.tags, summary=ended_at_a_word(post.excerpt),
            language=post.language if is_language(post.language) else None, html=self._article(request, post),
        )

    def _article(self, request: Request, post: PostSummary) -> str | None:
        """The article as its page has it, with pictures from the archive; None if it is too long for a feed."""
        if post.characters > LONGEST_ARTICLE:
            return None
        archive, host = self._make.archive, request.headers["host"]
        read = archive.posts.find(post.url, as_read=True)
        if read is None or len(read.html) > 4 * LONGEST_ARTICLE:
            return None
        at = read.fetched or datetime.now(UTC)
        view = View(
            prefix=self._make.origins.replay(host), timestamp=timestamp(at), modifier="mp_",
            interface=self._make.origins.interface(host),
        )
        return str(shown_article(archive, read, at, view))

    async def _answer(
        self, request: Request, head: FeedHead, known: Sequence[tuple[int, str]], changed: datetime | None,
        entries: Callable[[], list[FeedEntry]],
    ) -> Response:
        """A feed; or that it is the one that the reader has, for which no entry is made."""
        told = hashlib.sha256(json.dumps([head.self_link, head.title, *known]).encode()).hexdigest()
        headers = {"ETag": f'"{told[:32]}"', "Cache-Control": "public, max-age=300", "X-Robots-Tag": "noindex"}
        if changed is not None:
            headers["Last-Modified"] = http_date(changed)
        asked = request.headers.get("if-none-match", "")
        if headers["ETag"] in {each.strip().removeprefix("W/") for each in asked.split(",")}:
            return Response(status_code=304, headers=headers)
        body = await self._make.look(lambda: atom_feed(head, entries()))
        return Response(self._make.shown(body.decode()), headers=headers | {"Content-Type": CONTENT_TYPE})


def _change_entry(here: str, found: Happening) -> FeedEntry:
    event, post, blog = found.event, found.post, found.blog
    home = blog.home if blog is not None else ""
    blog_name = blog.title or short(home) if blog is not None else ""
    link = f"{here}/blog/{safe(short(home))}"
    if post is not None:
        place = f"/diff/{found.diff[0]}/{found.diff[1]}" if found.diff is not None else "/read"
        link = f"{here}{place}/{safe(post.url)}"
    return FeedEntry(
        id=urn_of("everlog event", event.kind, event.at.isoformat(), post.url if post is not None else home),
        updated=event.at, title=f"{found.word[:1].upper()}{found.word[1:]}: {_name(post) if post else blog_name}",
        link=link, via=safe(post.url) if post is not None else None, authors=(blog_name,), summary=event.reason,
    )


def _name(post: PostSummary) -> str:
    return post.title or short(post.url)
