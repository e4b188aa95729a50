"""WordPress.com's interface as a history source: all posts, pages and comments of a blog it hosts, 100 a request.

As documented, and as the code of Jetpack, which shares it, does it:

    page_handle      names the last post of an answer: what is published or deleted meanwhile shifts nothing
    found            counts what is still to come: only the first answer says how many posts there are
    short answers    posts that a stranger may not see are left out; those with a password are not counted either
    modified_after   lists what was edited since; one post in the order of edits tells that nothing was
    comments         have no handle, but `after`, which gives those of that second again; then `found` is -1

The interface is on a host of its own, whatever the blog's address.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlencode, urlsplit

from everlog.feeds.feed_dates import parse_date
from everlog.feeds.labels import plain, tags
from everlog.history.answers import article_of, json_of, number_at, own_url, text_at
from everlog.history.overlap import REPEATS
from everlog.history.page_walk import PageWalk, Step, failed_step
from everlog.history.platforms import platform_of
from everlog.history.source import Entrance, HistoryRequest, ListedComment, ListedPost, Told
from everlog.records import Comment, Entry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from everlog.history.source import BlogClues, Grade, HistoryAnswer, HistoryWalk
    from everlog.records import PostKind

INTERFACE = "https://public-api.wordpress.com/rest/v1.1/sites/"
PER_REQUEST = 100
# 50,000 posts and three times as many comments.
MOST_REQUESTS = 2_000
# The counter of visits in the pages of WordPress.com; blogs elsewhere that use it (Jetpack) say `ext`.
_COUNTED = re.compile(rb"""["']?\bv["']?\s*:\s*["']wpcom["']""")
_LONGEST_HANDLE = 500
# More posts than that nobody publishes while a blog is walked: its handles lead in a circle.
_MOST_NEW = 1_000
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class WordPressCom:
    """The interface for all blogs of WordPress.com."""

    name: str = "WordPress.com"
    grade: Grade = "A"
    most_requests: int = MOST_REQUESTS

    def entrance(self, clues: BlogClues) -> Entrance | None:
        """The blog's part of the interface, if its host or pages are those of WordPress.com.

        >>> from everlog.history.source import BlogClues
        >>> WordPressCom().entrance(BlogClues(home="https://sea.wordpress.com/")).url
        'https://public-api.wordpress.com/rest/v1.1/sites/sea.wordpress.com/'
        """
        found, host = platform_of(clues), urlsplit(clues.home).hostname
        page = clues.home_page.body if clues.home_page is not None else b""
        if found is not None and found.name == "WordPress.com":
            evidence = found.evidence
        elif b"stats.wp.com" in page and _COUNTED.search(page):
            evidence = "the page counts its visits as a blog of WordPress.com"
        else:
            return None
        return Entrance(url=f"{INTERFACE}{quote(host)}/", evidence=evidence) if host else None

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,
    ) -> HistoryWalk:
        """When a post was edited last; then all posts, pages and comments, in the order in which they were made."""
        then = ["posts", "pages", *(["comments"] if wants_comments else [])]
        return self._walk(entrance, cursor, {"part": "newest", "then": then}, lists_all=cursor is None)

    def changes(
        self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True,
    ) -> HistoryWalk | None:
        """The posts that were edited or published since, and the new comments; the total tells of deleted ones."""
        place = {
            "part": "newest", "then": ["edited", "edited pages", *(["comments"] if wants_comments else [])],
            "since": mark.get("modified") or "", "comment": mark.get("comment"), "known": mark.get("known"),
            "count": mark.get("total"),
        }
        walk = self._walk(entrance, None, place)
        walk.notes = dict(mark)
        return walk

    def listing(
        self, entrance: str, *, kind: PostKind = "post", mark: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> HistoryWalk | None:
        """The addresses of all posts, or of all pages."""
        part = "listed" if kind == "post" else "pages"
        return self._walk(entrance, None, {"part": part, "then": []}, lists_all=True)

    def _walk(
        self, entrance: str, cursor: Mapping[str, Any] | None, place: Row, *, lists_all: bool = False,
    ) -> PageWalk:
        return PageWalk.of(
            _Lists(entrance), cursor, place=place, most_requests=self.most_requests, lists_all=lists_all,
        )


@dataclass(frozen=True, slots=True)
class _Lists:
    """The lists of a blog, one part behind the other."""

    root: str

    def request(self, place: Any) -> HistoryRequest:
        part = place.get("part")
        if part == "comments":
            asked = {"number": PER_REQUEST, "order": "ASC", "after": place.get("after"), "offset": place.get("offset")}
            return self._asked("comments", asked)
        asked = {"number": PER_REQUEST, "order_by": "ID", "order": "ASC", "page_handle": place.get("handle")}
        if part == "newest":
            asked = {"number": 1, "order_by": "modified"}
        elif part in {"edited", "edited pages"}:
            asked |= {"order_by": "modified", "order": "DESC", "modified_after": place.get("since")}
            asked |= {"type": "page"} if part == "edited pages" else {}
        elif part == "listed":
            asked["fields"] = "ID,URL,modified,type,status"
        elif part == "pages":
            asked["type"] = "page"
        return self._asked("posts", asked)

    def read(self, answer: HistoryAnswer, place: Any) -> Step:
        part = place.get("part")
        said = json_of(answer.body) if answer.is_ok else None
        found: Row = said if isinstance(said, dict) else {}
        rows = found.get("comments" if part == "comments" else "posts")
        if not isinstance(rows, list):
            return self._failed(answer, place)
        known = [row for row in rows if isinstance(row, dict)]
        count = number_at(found, "found")
        if part == "comments":
            return self._comments(known, count, place)
        return self._newest(known, count, place) if part == "newest" else self._posts(known, count, found, place)

    def _newest(self, rows: Sequence[Row], total: int | None, place: Row) -> Step:
        modified = text_at(rows[0], "modified") if rows else None
        notes = {"modified": modified, "total": total}
        then = list(place.get("then") or ())
        before, now = parse_date(place.get("since") or None), parse_date(modified)
        if then[:1] == ["edited"] and (now is None or (before is not None and now <= before)):
            then = then[2:] if total == place.get("count") else then[1:]
        left = -(-(total or 0) // PER_REQUEST) + max(0, len(then) - 1) if then[:1] == ["posts"] else len(then)
        return replace(_on({**place, "then": then}, Told(total=total), notes), requests_left=left)

    def _posts(self, rows: Sequence[Row], count: int | None, found: Row, place: Row) -> Step:
        posts = tuple(post for row in rows if (post := listed_post(row, self.root)) is not None)
        seen, total = int(place.get("seen") or 0) + len(posts), place.get("total", count)
        is_counted = place.get("part") in {"posts", "listed"}
        told = Told(posts=posts, total=total if is_counted and "total" not in place else None)
        handle = text_at(found, "meta", "next_page")
        if handle is not None and (handle == place.get("handle") or seen > (total or 0) + _MOST_NEW):
            return Step(told=Told(problem=REPEATS))
        if handle is not None and len(handle) <= _LONGEST_HANDLE and rows:
            left = -(-count // PER_REQUEST) - 1 + len(place.get("then") or ()) if count is not None else None
            going = {**place, "handle": handle, "seen": seen, "total": total}
            return Step(told=told, next_place=going, requests_left=left)
        is_partial = is_counted and (total is None or seen < total)
        return _on(place, told, {}, is_partial=is_partial)

    def _comments(self, rows: Sequence[Row], count: int | None, place: Row) -> Step:
        known = set(place.get("known") or ())
        fresh = [row for row in rows if str(row.get("ID")) not in known]
        told = tuple(each for row in fresh if (each := listed_comment(row, self.root)) is not None)
        seen, total = int(place.get("seen") or 0) + len(fresh), place.get("total", count)
        dates = [date for row in rows if (date := text_at(row, "date")) is not None]
        notes: Row = {}
        if fresh and dates:
            last = [str(row.get("ID")) for row in rows if row.get("date") == dates[-1]]
            notes = {"comment": dates[-1], "known": last}
        said = Told(comments=told, comments_total=total if "total" not in place else None)
        going = {**place, "seen": seen, "total": total, "known": [str(row.get("ID")) for row in rows]}
        is_short = len(rows) < PER_REQUEST
        is_all = total is not None and (seen == total or (is_short and seen > total))
        if not rows or is_all or (is_short and place.get("is_look")):
            return _on(place, said, notes)
        if place.get("offset") and going["known"] == place.get("known"):
            return Step(told=Told(problem=REPEATS), notes=notes)
        if is_short or not dates or dates[-1] == place.get("after"):
            # Some rows were left out, or all are of one second: the next ones by their number.
            going["offset"] = int(place.get("offset") or 0) + PER_REQUEST
        else:
            going |= {"after": dates[-1], "offset": None}
        return Step(told=said, next_place=going, notes=notes)

    def _failed(self, answer: HistoryAnswer, place: Row) -> Step:
        failed = failed_step(answer, place, what="the interface", wanted="list of posts")
        is_later = place.get("part") in {"pages", "edited pages", "comments"} and not place.get("seen")
        if failed.is_put_off or not is_later:
            return failed
        # The posts were told; a blog may keep the rest to itself.
        return _on(place, failed.told, {})

    def _asked(self, what: str, asked: Mapping[str, object]) -> HistoryRequest:
        said = urlencode({name: value for name, value in asked.items() if value not in {None, ""}})
        tells: Literal["posts", "comments"] = "comments" if what == "comments" else "posts"
        return HistoryRequest(url=f"{self.root}{what}/?{said}", purpose="api", tells=tells)


def _on(place: Row, told: Told, notes: Mapping[str, Any], *, is_partial: bool = False) -> Step:
    """On to the next part, or to the end."""
    then = list(place.get("then") or ())
    if not then:
        return Step(told=told, is_end=True, is_partial=is_partial, notes=notes)
    following: Row = {name: place[name] for name in ("since", "comment") if name in place}
    following |= {"part": then[0], "then": then[1:]}
    if then[0] == "comments" and place.get("comment"):
        following |= {"after": place["comment"], "known": place.get("known"), "is_look": True}
    elif then[0] in {"edited", "edited pages"}:
        following["known"] = place.get("known")
    return Step(told=told, next_place=following, is_partial=is_partial, notes=notes, requests_left=len(then))


def listed_post(row: Mapping[str, Any], root: str) -> ListedPost | None:
    """A post as the interface tells it; None for one without an address, or one that is not published."""
    url, number = own_url(root, row, "URL"), number_at(row, "ID")
    if url is None or number is None or row.get("status", "publish") != "publish":
        return None
    content, is_locked = text_at(row, "content"), bool(text_at(row, "password"))
    published, changed = parse_date(text_at(row, "date")), parse_date(text_at(row, "modified"))
    discussion = row.get("discussion")
    entry = Entry(
        link=url, title=plain(text_at(row, "title"), is_html=True), content=None if is_locked else content,
        summary=text_at(row, "excerpt"), authors=tuple(filter(None, (plain(text_at(row, "author", "name")),))),
        tags=tags((*_names(row.get("categories")), *_names(row.get("tags")))), published=published, guid=str(number),
        updated=changed if changed is not None and (published is None or changed > published) else None,
        comment_count=number_at(discussion, "comment_count") if isinstance(discussion, dict) else None,
    )
    return ListedPost(
        url=url, id=str(number), entry=entry, is_whole=content is not None and not is_locked, changed=changed,
        kind="page" if row.get("type") == "page" else "post", locked="password" if is_locked else None,
    )


def listed_comment(row: Mapping[str, Any], root: str) -> ListedComment | None:
    """A comment as the interface tells it; None for one that names no post."""
    post, parent, number = row.get("post"), row.get("parent"), number_at(row, "ID")
    on = number_at(post, "ID") if isinstance(post, dict) else None
    if number is None or on is None:
        return None
    url = own_url(root, row, "URL")
    text, html = article_of(text_at(row, "content") or "", url or root)
    answered = number_at(parent, "ID") if isinstance(parent, dict) else None
    comment = Comment(
        id=str(number), parent=str(answered) if answered else None, author=plain(text_at(row, "author", "name")),
        author_url=own_url(root, row, "author", "URL"), published=parse_date(text_at(row, "date")), text=text,
        html=html, url=url, source="api",
    )
    return ListedComment(comment=comment, post_id=str(on))


def _names(value: object) -> tuple[str, ...]:
    """The names of tags: an object has them as its keys; an empty one comes as a list."""
    return tuple(value) if isinstance(value, dict) else ()


SOURCE = WordPressCom()
