"""Calendar of a blog: a year at a time, every day with posts a link to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from everlog.web.interface.month_charts import month_grids, year_charts

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.records import Blog
    from everlog.web.interface.page_maker import PageMaker


class CalendarPage:
    """The days on which a blog's posts were published."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make

    def routes(self) -> list[Route]:
        return [
            Route("/calendar/{home:path}", self.calendar),
        ]

    async def calendar(self, request: Request) -> Response:
        """One year; the last one with posts, unless another is asked for."""
        blog = await self._make.look(self._make.blog_at, request.path_params["home"])
        if blog is None:
            return await self._make.no_blog(request)
        values = await self._make.look(self._year, blog, request.query_params.get("year", ""))
        return await self._make.page(request, "calendar.html", **values)

    def _year(self, blog: Blog, asked: str) -> dict[str, Any]:
        overview, public = self._make.archive.overview, self._make.is_public
        months = overview.months([blog.id], public=public)[blog.id]
        charts = year_charts(months)
        years = {chart.year: chart.posts for chart in charts}
        year = asked if asked in years else max(years, default="")
        days = overview.days(blog.id, year, public=public) if year else {}
        names = sorted(years)
        place = names.index(year) if year else 0
        return {
            "blog": blog, "years": years, "year": year, "grids": month_grids(year, days, months) if year else (),
            # Of some posts nobody knows more than the month.
            "without_day": years.get(year, 0) - sum(days.values()), "undated": months.get("", 0),
            "before": names[place - 1] if place else None,
            "after": names[place + 1] if place + 1 < len(names) else None,
        }
