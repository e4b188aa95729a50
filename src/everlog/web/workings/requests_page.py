"""Page about requests and waits: what was asked for a blog, what was answered, and how long was waited and why."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from everlog.usecases.request_ledger import hosts_of_blog, span_in_words, times_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.archive.models import Problem
    from everlog.records import Blog
    from everlog.web.interface.page_maker import PageMaker

# Runs, days and reasons that stand on the page, the latest or the most frequent ones; and addresses of one reason.
MOST_RUNS, MOST_DAYS, MOST_REASONS, MOST_NAMED = 30, 60, 40, 10
_UNITS = ("kB", "MB", "GB", "TB")
LANES = {"post": "Posts", "page": "Other pages", "media": "Pictures and files", "requisite": "Files of the design"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Addresses that could not be had, of one kind and for one reason; the first of them by name."""

    lane: str
    reason: str
    count: int
    named: tuple[Problem, ...]


class RequestsPage:
    """Requests and waits of a blog; it tells of the machine that made them, and is not there in public."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make

    def routes(self) -> list[Route]:
        return [Route("/requests/{home:path}", self.requests)]

    async def requests(self, request: Request) -> Response:
        """What was asked for a blog, of whom, and what came of it."""
        if self._make.is_public:
            return await self._make.nothing_here(request)
        blog = await self._make.look(self._make.blog_at, request.path_params["home"])
        if blog is None:
            return await self._make.no_blog(request)
        values = await self._make.look(self._values, blog)
        return await self._make.page(request, "requests.html", **values, headers={"X-Robots-Tag": "noindex"})

    def _values(self, blog: Blog) -> dict[str, Any]:
        archive = self._make.archive
        poll = archive.polls.of(blog.id)
        runs = archive.blogs.runs(blog.id, limit=MOST_RUNS + 1)[::-1]
        days = archive.captures.answers_by_day(blog.id)
        total: Counter[int] = Counter()
        for day in days:
            total.update(day.statuses)
        problems = list(archive.urls.problems(blog.id))
        return {
            "blog": blog, "hosts": sorted(hosts_of_blog(blog, archive), key=lambda each: -each.requests),
            "poll": poll.polling if poll is not None else None, "runs": runs[:MOST_RUNS],
            "has_more_runs": len(runs) > MOST_RUNS, "days": days[:MOST_DAYS], "all_days": len(days),
            "answers": total.total(), "statuses": sorted(total.items()), "bytes": sum(day.bytes for day in days),
            "failed": list(_grouped((each.reason, each) for each in problems if each.is_missing)),
            # Of what was left out, each address has a reason of its own behind the colon.
            "left_out": list(_grouped(
                (each.reason.partition(": ")[0], each) for each in problems if not each.is_missing
            )),
            "lanes": LANES, "span": span_in_words, "times": times_in_words, "size": size_in_words,
            "status_class": status_class, "phrase": phrase,
        }


def size_in_words(count: int) -> str:
    """A number of bytes, as people say it.

    >>> size_in_words(0), size_in_words(999), size_in_words(12_345), size_in_words(3_200_000), size_in_words(10**10)
    ('0 bytes', '999 bytes', '12 kB', '3.2 MB', '10 GB')
    """
    if count < 1_000:
        return f"{count} bytes"
    power = min(int(math.log(count * 1.0005, 1_000)), len(_UNITS))
    value, unit = count / 1_000**power, _UNITS[power - 1]
    return f"{value:.1f} {unit}" if value < 9.95 and power > 1 else f"{value:.0f} {unit}"


def status_class(status: int) -> str:
    """How an answer is to be looked at: good, elsewhere, poor.

    >>> [status_class(each) for each in (200, 304, 301, 404, 503)]
    ['good', 'good', '', 'poor', 'poor']
    """
    return "good" if 200 <= status < 300 or status == 304 else "poor" if status >= 400 else ""


def phrase(status: int) -> str:
    """What a status means.

    >>> phrase(404), phrase(299)
    ('Not Found', '')
    """
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _grouped(problems: Iterable[tuple[str, Problem]]) -> Iterator[Failures]:
    """By kind and reason, the most frequent first."""
    found: dict[tuple[str, str], list[Problem]] = {}
    for reason, each in problems:
        found.setdefault((each.lane, reason), []).append(each)
    ranked = sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    for (lane, reason), of_reason in ranked[:MOST_REASONS]:
        yield Failures(lane=lane, reason=reason, count=len(of_reason), named=tuple(of_reason[:MOST_NAMED]))
