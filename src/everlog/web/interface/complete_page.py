"""Page about completeness: whether all of a blog is held, who says so, and what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from starlette.routing import Route

from everlog.core.urls import canonical
from everlog.usecases.completeness import completeness_of, names_any
from everlog.usecases.page_doubts import page_doubts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.history.completeness import Gap, Verdict
    from everlog.web.interface.page_maker import PageMaker

# Addresses of missing posts that a page names: 10,000 would be a page of megabytes.
MOST_GAPS = 2_000


class CompletePage:
    """Whether all of a blog is held."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make

    def routes(self) -> list[Route]:
        return [
            Route("/complete/{home:path}", self.complete),
        ]

    async def complete(self, request: Request) -> Response:
        """Whether all of a blog is held: the sentences, who lists its posts, and every address that is missing."""
        blog = await self._make.look(self._make.blog_at, request.path_params["home"])
        if blog is None:
            return await self._make.no_blog(request)
        known = await self._make.look(completeness_of, blog, self._make.archive)
        hidden = await self._make.look(self._make.archive.hidden.posts, blog.id) if self._make.is_public else ()
        known = replace(known, posts=_without(known.posts, hidden)) if hidden else known
        # Notes name addresses, hidden ones too.
        doubts = () if self._make.is_public else await self._make.look(page_doubts, blog.id, self._make.archive)
        return await self._make.page(
            request, "complete.html", blog=blog, known=known, most=MOST_GAPS, doubts=doubts,
            # Sentences and lists count what is held, hidden posts too: without those they would say what is not so.
            is_counted=not hidden,
        )


def _without(verdict: Verdict, hidden: Iterable[str]) -> Verdict:
    """A verdict that names no hidden post: one of which a part is held is missing."""
    keys = {canonical(url) for url in hidden}

    def shown(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
        return tuple(gap for gap in gaps if not names_any(keys, gap.url, gap.reason))

    return replace(verdict, missing=shown(verdict.missing), excused=shown(verdict.excused))
