"""A blog of the old days: its front page links to the months, whose pages link to the posts."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from history.sites.blog import Answer, Blog, SitePost

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class ArchiveSite(Blog):
    """Posts over some years. `spelling` is how the page of a month is called; `unlinked` months are linked by nobody.

    `traps`: `slugs` (posts lie beside the front page), `paged` (5 posts a page), `years` (years in place of months),
    `same` (every month shows the front page), `broken` (the second newest month answers 500).
    """

    home: str = "https://old.example/"
    spelling: str = "/{year}/{month:02}/"
    unlinked: set[tuple[int, int]] = field(default_factory=set)

    @classmethod
    def over(cls, first: tuple[int, int], months: int, per_month: int = 3, **options: object):
        """So many posts in each month."""
        site = cls.of(0, **options)
        for at in range(months):
            year, month = divmod(first[0] * 12 + first[1] - 1 + at, 12)
            for day in range(per_month):
                site.publish(published=datetime(year, month + 1, day + 1, 9, tzinfo=UTC))
        return site

    def link(self, post: SitePost) -> str:
        if "slugs" in self.traps:
            return f"{self.home}day-{post.number}/"
        return f"{self.home}{post.published:%Y/%m/%d}/day-{post.number}/"

    def archives(self) -> dict[str, list[SitePost]]:
        found: dict[str, list[SitePost]] = {}
        for post in self.newest():
            year, month = post.published.year, post.published.month
            path = f"/{year}/" if "years" in self.traps else self.spelling.format(year=year, month=month)
            found.setdefault(path, []).append(post)
        return found

    def page(self, url: str) -> Answer | None:
        parts = urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        number = re.search(r"page/(\d+)/$", path)
        bare = re.sub(r"page/\d+/$", "", path)
        archives = self.archives()
        if "broken" in self.traps and bare == list(archives)[1]:
            return 500, self.page_headers(), b"oops"
        if url == self.home or ("same" in self.traps and bare in archives):
            return 200, self.page_headers(), self._html(self.title, self._list(self.newest()[:5]) + self._sidebar())
        if bare not in archives:
            return super().page(url)
        at, size = int(number[1]) if number else 1, 5 if "paged" in self.traps else 1_000
        posts = archives[bare][(at - 1) * size:at * size]
        more = f'<a rel="next" href="{bare}page/{at + 1}/">Older</a>' if len(archives[bare]) > at * size else ""
        return 200, self.page_headers(), self._html(self.title, self._list(posts) + more + self._sidebar())

    def _list(self, posts: list[SitePost]) -> str:
        return "".join(f'<h2><a href="{self.link(post)}">{html.escape(post.title)}</a></h2>' for post in posts)

    def _sidebar(self) -> str:
        hidden = {self.spelling.format(year=year, month=month) for year, month in self.unlinked}
        months = "".join(f'<li><a href="{path}">{path}</a>' for path in self.archives() if path not in hidden)
        other = '<a href="/about/">About</a><a href="/2009/03/05/">Day</a><a href="/feed/">Feed</a>'
        return f"<ul>{months}</ul>{other}"

    def head(self) -> str:
        return '<link rel="alternate" type="application/rss+xml" href="/feed/" title="RSS">'

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:  # noqa: ARG002
        if url != self.home + "feed/":
            return None
        items = "".join(
            f"<item><title>{html.escape(post.title)}</title><link>{self.link(post)}</link></item>"
            for post in self.newest()[:10]
        )
        return 200, {"Content-Type": "application/rss+xml"}, f"<rss><channel>{items}</channel></rss>".encode()
