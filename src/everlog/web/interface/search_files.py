"""Files of results: what a search finds, for programs (JSON Lines) and for spreadsheets (CSV)."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from everlog.errors import UsageError
from everlog.export.csv import guard
from everlog.web.interface.post_list import Asked
from everlog.web.interface.search_results import found_by

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.search.hit import Hit
    from everlog.web.interface.page_maker import PageMaker

COLUMNS = ("url", "blog", "title", "authors", "published", "score", "where", "comment_author", "snippet")
# Results whose texts are read at once: a page is sent while the next one is looked for.
PORTION = 50


class SearchFiles:
    """What is found in all blogs, as files. The same filters as those of the page, and the same best 2,000."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make

    def routes(self) -> list[Route]:
        return [
            Route("/search.jsonl", self.as_jsonl),
            Route("/search.csv", self.as_csv),
        ]

    async def as_jsonl(self, request: Request) -> Response:
        """A line of JSON for each post."""
        return await self._file(request, "jsonl", "application/jsonl; charset=utf-8", _json_lines)

    async def as_csv(self, request: Request) -> Response:
        """A row for each post."""
        return await self._file(request, "csv", "text/csv; charset=utf-8; header=present", _rows, first=_row(COLUMNS))

    async def _file(
        self, request: Request, suffix: str, kind: str, make: Callable[[Iterable[Hit]], str], *, first: str = "",
    ) -> Response:
        asked, archive = Asked(dict(request.query_params)), self._make.archive
        if not asked.get("q").strip():
            return PlainTextResponse(
                f"Nothing is searched for. Words go behind ?q=, such as /search.{suffix}?q=tide\n", status_code=400,
            )
        try:
            found, _ = await self._make.look(found_by, archive, asked, public=self._make.is_public)
        except UsageError as error:
            return PlainTextResponse(f"{error.message[:1].upper()}{error.message[1:]}.\n", status_code=400)
        return StreamingResponse(self._pieces(asked.get("q").strip(), found, make, first), media_type=kind, headers={
            "Content-Disposition": f'attachment; filename="search.{suffix}"', "Cache-Control": "no-cache",
            "X-Robots-Tag": "noindex", "Content-Security-Policy": "sandbox; default-src 'none'",
        })

    async def _pieces(
        self, query: str, found: Sequence[tuple[int, float]], make: Callable[[Iterable[Hit]], str], first: str,
    ) -> AsyncIterator[bytes]:
        yield first.encode()
        for start in range(0, len(found), PORTION):
            hits = await self._make.look(self._make.archive.search.hits, query, found[start:start + PORTION])
            yield self._make.shown(make(hits)).encode("utf-8", "replace")


def _values(hit: Hit) -> dict[str, Any]:
    return {
        "url": hit.url, "blog": hit.blog, "title": hit.title, "authors": list(hit.authors),
        "published": hit.published.isoformat() if hit.published else None, "score": round(hit.score, 4),
        "where": hit.where, "comment_author": hit.comment_author, "snippet": "".join(text for text, _ in hit.snippet),
    }


def _json_lines(hits: Iterable[Hit]) -> str:
    return "".join(json.dumps(_values(hit), ensure_ascii=False) + "\n" for hit in hits)


def _rows(hits: Iterable[Hit]) -> str:
    return "".join(
        _row([
            guard("; ".join(value) if isinstance(value, list) else "" if value is None else str(value))
            for value in _values(hit).values()
        ])
        for hit in hits
    )


def _row(cells: Sequence[str]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(cells)
    return text.getvalue()
