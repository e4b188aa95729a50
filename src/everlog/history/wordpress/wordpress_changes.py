"""Changes of a WordPress blog since a walk, and the list of all its posts, by its REST interface.

    RestChanges   posts in the order of their last change, as far back as the mark; then pages, then the newest comments
    RestListing   the numbers and addresses of all posts, or pages: one that is held and not among them is gone

An update of a blog whose posts are as they were asks for no pages: that would be a request for every update, and few
of them change. Where posts did, pages are asked for as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from everlog.history.answers import count_of, number_at, text_at
from everlog.history.source import NOTHING_TOLD, HistoryAnswer, HistoryRequest, Told
from everlog.history.wordpress.wordpress_rows import (
    COMMENT_FIELDS,
    LISTED_FIELDS,
    PAGES,
    PER_PAGE,
    POST_FIELDS,
    SMALLER,
    TOO_MUCH,
    WITH_NAMES,
    NamedRows,
    Names,
    Row,
    listed_address,
    listed_comment,
    listed_post,
    request_for,
    rows_told,
)

if TYPE_CHECKING:
    from everlog.records import PostKind

# Posts whose change is looked at in the request that most often says that there is none: few blogs have more news.
FIRST_LOOK = 10


def newest_request(root: str, count: int, offset: int = 0) -> HistoryRequest:
    """The posts that changed last, without their texts; the answer's headers have the number of all."""
    return request_for(
        root, "posts", per_page=count, **({"offset": offset} if offset else {}), orderby="modified", order="desc",
        _fields=LISTED_FIELDS,
    )


@dataclass(slots=True, kw_only=True)
class RestChanges:
    """What is new since a mark: posts that were published or edited, then comments."""

    root: str
    before: Mapping[str, Any]
    wants_comments: bool
    is_exhaustive: bool = False
    lists_all: bool = False
    _phase: Literal["newest", "texts", "pages", "comments", "over"] = "newest"
    _offset: int = 0
    _changed: list[int] = field(default_factory=list)
    # How many posts are asked for in one request: fewer where the server cannot put so many together.
    _at_once: int = PER_PAGE
    # The routes of pages that are still to be looked at.
    _routes: list[str] = field(default_factory=list)
    _new_pages: int = 0
    _now: dict[str, Any] = field(default_factory=dict)
    _named: NamedRows = field(default_factory=NamedRows)

    @classmethod
    def of(
        cls, root: str, mark: Mapping[str, Any], *, wants_comments: bool, names: Names | None = None,
    ) -> RestChanges:
        return cls(
            root=root, before=mark, wants_comments=wants_comments, _now=dict(mark),
            _named=NamedRows(names=names or Names.kept(mark.get("names"))),
        )

    @property
    def cursor(self) -> Mapping[str, Any]:
        """None: changes are few, and asked for again from the mark."""
        return {}

    @property
    def mark(self) -> Mapping[str, Any] | None:
        return {**self._now, "names": self._named.names.to_keep()} if self.is_exhaustive else None

    @property
    def requests_left(self) -> int | None:
        return -(-len(self._changed) // self._at_once) if self._phase == "texts" else None

    def next_request(self) -> HistoryRequest | None:
        """What changed, then the texts of that, then comments."""
        if (wanted := self._named.request(self.root)) is not None:
            return wanted
        if self._phase == "newest":
            return newest_request(self.root, self._at_once if self._offset else FIRST_LOOK, self._offset)
        if self._phase == "texts":
            chosen = self._changed[:self._at_once]
            fields = WITH_NAMES if len(self._changed) <= FIRST_LOOK else {"_fields": POST_FIELDS}
            return request_for(
                self.root, "posts", per_page=len(chosen), include=",".join(map(str, chosen)), **fields,
            )
        if self._phase == "pages":
            return request_for(
                self.root, self._routes[0], per_page=FIRST_LOOK, **({"offset": self._offset} if self._offset else {}),
                orderby="modified", order="desc", **WITH_NAMES,
            )
        if self._phase == "comments":
            # By their numbers and not by their dates: one that was approved late is among them.
            return request_for(
                self.root, "comments", per_page=PER_PAGE, offset=self._offset, orderby="id", order="desc",
                _fields=COMMENT_FIELDS,
            )
        return None

    def take(self, answer: HistoryAnswer) -> Told:
        """Read the answer to the last request."""
        if self._named.is_waiting:
            self._named.take(answer)
            return self._tell_named()
        rows, problem = rows_told(answer)
        if problem is not None:
            return self._take_failure(answer, problem)
        total = count_of(answer.header("X-WP-Total"))
        if self._phase == "newest":
            return self._take_newest(rows, total)
        if self._phase == "texts":
            del self._changed[:self._at_once]
            self._named.wait(rows, "post", None)
            if not self._changed:
                self._go_to_pages()
            return self._tell_named()
        if self._phase == "pages":
            return self._take_pages(rows, total)
        return self._take_comments(rows, total)

    def _take_failure(self, answer: HistoryAnswer, problem: str) -> Told:
        is_large = self._phase == "texts" or (self._phase == "newest" and self._offset)
        if is_large and answer.status in TOO_MUCH and self._at_once in SMALLER:
            self._at_once = SMALLER[self._at_once]
            return NOTHING_TOLD
        if self._phase == "pages":
            # They may be switched off by now; the news of posts stand.
            self._end_route()
            return NOTHING_TOLD
        # What comments there are is the smaller part: the news of posts stand.
        self.is_exhaustive = self._phase == "comments"
        self._phase = "over"
        return Told(problem=problem)

    def _take_newest(self, rows: list[Row], total: int | None) -> Told:
        known, at = set(self.before.get("ids") or ()), str(self.before.get("modified") or "")
        asked = self._at_once if self._offset else FIRST_LOOK
        if not self._offset and rows:
            newest = text_at(rows[0], "modified_gmt") or ""
            same = [number_at(row, "id") for row in rows if text_at(row, "modified_gmt") == newest]
            self._now |= {"modified": newest, "ids": same, "total": total}
        if not rows:
            self._now |= {"total": total}
        stamps = [text_at(row, "modified_gmt") or "" for row in rows]
        self._changed += [
            number for row, stamp in zip(rows, stamps, strict=True)
            if (number := number_at(row, "id")) is not None and (stamp > at or (stamp == at and number not in known))
        ]
        self._offset += len(rows)
        if len(rows) < asked or any(stamp < at for stamp in stamps):
            self._offset, self._phase = 0, "texts"
            if not self._changed:
                self._go_to_comments() if total == self.before.get("total") else self._go_to_pages()
        return Told(total=total)

    def _take_pages(self, rows: list[Row], total: int | None) -> Told:
        """Pages that were published or edited since, with their texts; and whether some are gone."""
        route, routes = self._routes[0], dict(self._now.get("routes") or {})
        before = (self.before.get("routes") or {}).get(route) or {}
        at = str(before.get("modified") or "")
        changed = [row for row in rows if (text_at(row, "modified_gmt") or "") > at]
        self._new_pages += sum((text_at(row, "date_gmt") or "") > at for row in changed)
        self._offset += len(rows)
        is_over = len(changed) < FIRST_LOOK
        if rows and self._offset == len(rows):
            routes[route] = {"total": total, "modified": max(at, text_at(rows[0], "modified_gmt") or "")}
            self._now["routes"] = routes
        has_lost = False
        if is_over:
            has_lost = total is not None and total < int(before.get("total") or 0) + self._new_pages
            self._end_route()
        self._named.wait(changed, "page", None)
        told = self._tell_named()
        return replace(told, has_lost_pages=has_lost)

    def _end_route(self) -> None:
        del self._routes[0]
        self._offset = self._new_pages = 0
        if not self._routes:
            self._go_to_comments()

    def _take_comments(self, rows: list[Row], total: int | None) -> Told:
        last = int(self.before.get("comment") or 0)
        numbers = [number_at(row, "id") or 0 for row in rows]
        self._now["comment"] = max((int(self._now.get("comment") or 0), *numbers))
        self._offset += PER_PAGE
        is_over = min(numbers, default=0) <= last or (total is not None and self._offset >= total)
        if is_over:
            self._phase, self.is_exhaustive = "over", True
        told = (listed_comment(row, self.root) for row in rows)
        return Told(comments=tuple(each for each in told if each is not None), comments_total=total)

    def _tell_named(self) -> Told:
        if self._named.is_waiting:
            return NOTHING_TOLD
        rows, kind, _ = self._named.told()
        posts = (listed_post(row, self.root, self._named.names, kind) for row in rows)
        return Told(posts=tuple(post for post in posts if post is not None))

    def _go_to_pages(self) -> None:
        routes = self.before.get("routes")
        self._offset, self._phase = 0, "pages"
        # Marks of earlier versions say nothing of pages.
        self._routes = list(dict.fromkeys((PAGES, *routes))) if isinstance(routes, dict) else []
        if not self._routes:
            self._go_to_comments()

    def _go_to_comments(self) -> None:
        self._offset = 0
        self._phase = "comments" if self.wants_comments else "over"
        self.is_exhaustive = not self.wants_comments


@dataclass(slots=True)
class RestListing:
    """All posts, or pages, by their numbers and addresses, in the order of their numbers; `routes` are their lists."""

    root: str
    routes: tuple[str, ...] = ("posts",)
    is_exhaustive: bool = False
    _offset: int = 0
    _per_page: int = PER_PAGE
    _total: int | None = None
    _is_over: bool = False

    @property
    def cursor(self) -> Mapping[str, Any]:
        return {}

    @property
    def mark(self) -> None:
        return None

    @property
    def lists_all(self) -> bool:
        return self.is_exhaustive

    @property
    def requests_left(self) -> int | None:
        return None if self._total is None else -(-max(0, self._total - self._offset) // self._per_page)

    def next_request(self) -> HistoryRequest | None:
        """The next hundred, or fewer where the server cannot put so many together."""
        if self._is_over:
            return None
        return request_for(
            self.root, self.routes[0], per_page=self._per_page, offset=self._offset, orderby="id", order="asc",
            _fields=LISTED_FIELDS,
        )

    def take(self, answer: HistoryAnswer) -> Told:
        """Read the answer; a list that became shorter meanwhile is no list of all."""
        rows, problem = rows_told(answer)
        if problem is not None and answer.status in TOO_MUCH and self._per_page in SMALLER:
            self._per_page = SMALLER[self._per_page]
            return NOTHING_TOLD
        total = count_of(answer.header("X-WP-Total"))
        if problem is not None or total is None or (self._total is not None and total < self._total):
            self._is_over = True
            return Told(problem=problem or "the list of all posts changed while it was read")
        kind: PostKind = "post" if self.routes[0] == "posts" else "page"
        self._total, self._offset = total, self._offset + self._per_page
        if self._offset >= total:
            self.routes, self._offset, self._total = self.routes[1:], 0, None
            self._is_over = self.is_exhaustive = not self.routes
        told = (listed_address(row, self.root, kind) for row in rows)
        posts = tuple(post for post in told if post is not None)
        return Told(posts=posts, total=total if kind == "post" else None)
