"""Walks over Ghost's content interface.

    GhostWalk      all posts, all pages, then what changed since the walk began
    GhostChanges   what was published or edited since a mark
    GhostListing   the numbers and addresses of all posts: one that is held and not among them is gone

A draft that is published while its list is walked may have an id that was passed already: it is told at the end, by
when it changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from everlog.history.ghost.ghost_list import Place, PostList
from everlog.history.ghost.ghost_rows import (
    BY_CHANGE,
    LISTED,
    Kind,
    Rows,
    id_of,
    listed_posts,
    request_for,
    rows_told,
    updated_of,
)
from everlog.history.source import NOTHING_TOLD, HistoryAnswer, HistoryRequest, Told

# Where the interface was before Ghost 5: the first is in Ghost 3 and 4, the other in 2 to 4.
_FORMER = {"/ghost/api/content/": "/ghost/api/v3/content/", "/ghost/api/v3/content/": "/ghost/api/v2/content/"}
_NOT_FOUND = 404
# What a part of the interface answers that is not there, or not for strangers.
_CLOSED = frozenset({400, 401, 403, 404, 422})
# Posts whose change is looked at in the request that most often says that there is none: few blogs have more news.
FIRST_LOOK = 15
# Without texts a row has 150 bytes. Ghost gives what is asked for, or 100.
LISTED_PER_PAGE = 1_000


@dataclass(slots=True, kw_only=True)
class GhostWalk:
    """The walk over a whole blog."""

    root: str
    key: str
    most_requests: int
    start: dict[str, Any] | None = None
    phase: Literal["start", "list", "check", "over"] = "start"
    is_exhaustive: bool = False
    asked: int = 0
    told: int = 0
    # It takes no filters, so it cannot be asked what changed; walked by pages, its beginning was looked at twice.
    is_by_pages: bool = False
    _list: PostList = field(default_factory=PostList)
    _check: GhostChanges | None = None
    _has_failed: bool = False

    @classmethod
    def of(cls, root: str, key: str, cursor: Mapping[str, Any] | None, *, most_requests: int) -> GhostWalk:
        """A walk from the beginning, or from a cursor."""
        walk = cls(root=root, key=key, most_requests=most_requests)
        if cursor:
            walk.root, walk.start, walk.phase = cursor["root"], cursor["start"], cursor["phase"]
            walk.asked, walk.told, walk.is_exhaustive = cursor["asked"], cursor["told"], cursor["is_exhaustive"]
            walk._list = PostList(place=Place(**cursor["place"]), total=cursor["total"])
            walk.is_by_pages = cursor["is_by_pages"]
            if cursor["check"] is not None:
                walk._check = GhostChanges.resumed(walk.root, key, cursor["check"])
        return walk

    @property
    def cursor(self) -> Mapping[str, Any]:
        return {
            "root": self.root, "start": self.start, "phase": self.phase, "asked": self.asked, "told": self.told,
            "is_exhaustive": self.is_exhaustive, "place": asdict(self._list.place), "total": self._list.total,
            "is_by_pages": self.is_by_pages, "check": self._check.cursor if self._check is not None else None,
        }

    @property
    def mark(self) -> Mapping[str, Any] | None:
        return self._check.mark if self._check is not None and self.is_exhaustive else None

    @property
    def lists_all(self) -> bool:
        """Whether as many posts were told as the interface counts in the end."""
        total = self._check.latest.get("total") if self._check is not None else None
        return self.is_exhaustive and isinstance(total, int) and self.told >= total

    @property
    def requests_left(self) -> int | None:
        total = (self.start or {}).get("total")
        if total is None or self.phase == "over":
            return 0 if self.phase == "over" else None
        lists = -(-max(0, int(total) - self.told) // self._list.place.limit)
        return lists + (self._list.place.kind == "posts") + 1

    def next_request(self) -> HistoryRequest | None:
        """The next request of the list that is walked."""
        if self._has_failed or self.phase == "over" or self.asked >= self.most_requests:
            return None
        if self.phase == "start":
            return newest_request(self.root, self.key)
        return self._checking().next_request() if self.phase == "check" else self._list.request(self.root, self.key)

    def take(self, answer: HistoryAnswer) -> Told:
        """Read the answer to the last request."""
        self.asked += 1
        if self.phase == "start":
            return self._take_start(answer)
        if self.phase == "check":
            told = self._checking().take(answer)
            self.told += sum(post.kind == "post" for post in told.posts)
            if self._checking().next_request() is None:
                self.phase, self.is_exhaustive = "over", self._checking().is_exhaustive
            return told
        rows, problem = self._list.take(answer)
        kind = self._list.place.kind
        posts = listed_posts(rows, self.root, kind)
        if problem is not None and (kind == "posts" or answer.status not in _CLOSED):
            self._has_failed = True
            return Told(posts=posts, problem=problem)
        if kind == "posts":
            self.told += len(rows)
        if self._list.is_over or problem is not None:
            self._go_on()
        return Told(posts=posts, total=self._list.total if kind == "posts" else None)

    def _take_start(self, answer: HistoryAnswer) -> Told:
        if answer.status == _NOT_FOUND and (former := former_root(self.root)) is not None:
            self.root = former
            return NOTHING_TOLD
        told = rows_told(answer, "posts")
        if told.problem is not None:
            self._has_failed = True
            return Told(problem=told.problem)
        self.start, self.phase = newest_of(told), "list"
        return Told(total=told.total)

    def _go_on(self) -> None:
        self.is_by_pages = self.is_by_pages or self._list.place.page > 0
        if self._list.place.kind == "posts":
            self._list = PostList(place=Place(kind="pages", limit=self._list.place.limit), total=self._list.total)
        elif self.is_by_pages:
            self.phase, self.is_exhaustive = "over", True
        else:
            self.phase = "check"

    def _checking(self) -> GhostChanges:
        if self._check is None:
            self._check = GhostChanges.of(self.root, self.key, self.start or {})
        return self._check


@dataclass(slots=True, kw_only=True)
class GhostChanges:
    """What is new since a mark: which posts changed last, and their texts if any did; then pages."""

    root: str
    key: str
    before: Mapping[str, Any]
    latest: dict[str, Any] = field(default_factory=dict)
    phase: Literal["newest", "list", "over"] = "newest"
    is_exhaustive: bool = False
    lists_all: bool = False
    _list: PostList = field(default_factory=PostList)

    @classmethod
    def of(cls, root: str, key: str, mark: Mapping[str, Any]) -> GhostChanges:
        """Changes since a mark."""
        return cls(root=str(mark.get("root") or root), key=key, before=mark, latest=dict(mark))

    @classmethod
    def resumed(cls, root: str, key: str, cursor: Mapping[str, Any]) -> GhostChanges:
        """Those that a cursor stands in the middle of."""
        walk = cls(root=root, key=key, before=cursor["before"], latest=dict(cursor["latest"]), phase=cursor["phase"])
        walk.is_exhaustive = cursor["is_exhaustive"]
        walk._list = PostList(place=Place(**cursor["place"]), since=walk._filter())
        return walk

    @property
    def cursor(self) -> Mapping[str, Any]:
        return {
            "before": dict(self.before), "latest": dict(self.latest), "phase": self.phase,
            "is_exhaustive": self.is_exhaustive, "place": asdict(self._list.place),
        }

    @property
    def mark(self) -> Mapping[str, Any] | None:
        return {**self.latest, "root": self.root} if self.is_exhaustive else None

    @property
    def requests_left(self) -> int | None:
        return 0 if self.phase == "over" else None

    def next_request(self) -> HistoryRequest | None:
        """What changed last; then the texts of what changed since."""
        if self.phase == "newest":
            return newest_request(self.root, self.key)
        return self._list.request(self.root, self.key) if self.phase == "list" else None

    def take(self, answer: HistoryAnswer) -> Told:
        """Read the answer to the last request."""
        if self.phase == "newest":
            return self._take_newest(answer)
        rows, problem = self._list.take(answer)
        kind = self._list.place.kind
        if problem is not None or self._list.is_over:
            self.phase, self.is_exhaustive = "over", problem is None
            if kind == "posts" and problem is None:
                self.phase, self._list = "list", PostList(place=Place(kind="pages"), since=self._filter())
        at, known = str(self.before.get("updated") or ""), set(self.before.get("ids") or ())
        fresh = [row for row in rows if updated_of(row) > at or (updated_of(row) == at and id_of(row) not in known)]
        return Told(posts=listed_posts(fresh, self.root, kind), problem=problem)

    def _take_newest(self, answer: HistoryAnswer) -> Told:
        told = rows_told(answer, "posts")
        if told.problem is not None:
            self.phase = "over"
            return Told(problem=told.problem)
        self.latest = newest_of(told)
        at, ids = str(self.before.get("updated") or ""), self.before.get("ids")
        is_same = self.latest["updated"] == at and (ids is None or self.latest["ids"] in (ids, None))
        # Where the last change is earlier than it was, the post that had it is gone.
        if is_same or self.latest["updated"] < at:
            self.phase, self.is_exhaustive = "over", True
        else:
            self.phase, self._list = "list", PostList(since=self._filter())
        return Told(total=told.total)

    def _filter(self) -> str:
        at = self.before.get("updated")
        return f"updated_at:>='{at}'" if at else ""


@dataclass(slots=True, kw_only=True)
class GhostListing:
    """All posts by their ids and addresses."""

    root: str
    key: str
    is_exhaustive: bool = False
    _list: PostList = field(default_factory=PostList)
    _is_over: bool = False

    @classmethod
    def of(cls, root: str, key: str, kind: Kind = "posts") -> GhostListing:
        return cls(root=root, key=key, _list=PostList(place=Place(kind=kind, limit=LISTED_PER_PAGE), fields=LISTED))

    @property
    def cursor(self) -> Mapping[str, Any]:
        """None: it is begun anew."""
        return {}

    @property
    def mark(self) -> None:
        return None

    @property
    def lists_all(self) -> bool:
        return self.is_exhaustive

    @property
    def requests_left(self) -> int | None:
        return 0 if self._is_over else None

    def next_request(self) -> HistoryRequest | None:
        """The next addresses."""
        return None if self._is_over else self._list.request(self.root, self.key)

    def take(self, answer: HistoryAnswer) -> Told:
        """Read the answer."""
        if answer.status == _NOT_FOUND and (former := former_root(self.root)) is not None:
            self.root = former
            return NOTHING_TOLD
        rows, problem = self._list.take(answer)
        self._is_over = problem is not None or self._list.is_over
        self.is_exhaustive = problem is None and self._list.is_over
        kind = self._list.place.kind
        total = self._list.total if kind == "posts" else None
        return Told(posts=listed_posts(rows, self.root, kind), total=total, problem=problem)


def former_root(root: str) -> str | None:
    """Where an earlier Ghost has its interface.

    >>> former_root("https://a.org/ghost/api/content/"), former_root("https://a.org/ghost/api/v2/content/")
    ('https://a.org/ghost/api/v3/content/', None)
    """
    path = next((path for path in _FORMER if root.endswith(path)), None)
    return root.removesuffix(path) + _FORMER[path] if path is not None else None


def newest_request(root: str, key: str) -> HistoryRequest:
    """The posts that changed last, without their texts, and the number of all."""
    return request_for(root, key, "posts", limit=FIRST_LOOK, **LISTED, order=BY_CHANGE)


def newest_of(told: Rows) -> dict[str, Any]:
    """When the last change was, which posts changed then, and how many posts there are.

    More than are looked at may have changed at once, as after an import: then it is not said which.
    """
    stamps = [updated_of(row) for row in told.rows]
    newest = max(stamps, default="")
    ids = sorted(id_of(row) for row, stamp in zip(told.rows, stamps, strict=True) if stamp == newest)
    return {"updated": newest, "ids": ids if len(ids) < FIRST_LOOK else None, "total": told.total}
