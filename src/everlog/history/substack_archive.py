"""Substack's archive as a history source: all posts by their titles and addresses, 12 a request, and their comments.

What those who use the interface say of it:

    archive    a list, the newest first, without a total; its end is an empty list
    limit      pages may be shorter than was asked for, in the middle too, so that a short one is no end
    texts      not in it: they are in the pages, or one by one; those for subscribers are cut (`audience`)
    comments   a tree of each post; `token` has to be there, and empty
    refusals   429 and 403 are common: the walk is put off
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from everlog.feeds.feed_dates import parse_date
from everlog.feeds.labels import plain
from everlog.history.answers import json_of, number_at, own_url, rows_of, text_at
from everlog.history.overlap import fit_page
from everlog.history.page_walk import PageWalk, Step
from everlog.history.platforms import platform_of
from everlog.history.source import Entrance, HistoryRequest, ListedComment, ListedPost, Told
from everlog.records import Comment, Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from everlog.history.source import BlogClues, Grade, HistoryAnswer

PER_PAGE = 12
# 3,000 posts, and the comments of 50.
MOST_REQUESTS = 330
# Comments are asked for post by post: those of the newest posts that have any.
MOST_COMMENTED = 50
# Those whose count of comments changed, at an update.
MOST_NEW_COMMENTED = 10
MOST_COMMENTS = 5_000
_PUT_OFF = frozenset({0, 403, 429, 500, 502, 503, 504})
_LOCKED = {"only_paid": "paid", "founding": "paid", "only_free": "members"}


@dataclass(frozen=True, slots=True)
class SubstackArchive:
    """The list that Substack's own archive page is made from."""

    name: str = "Substack archive"
    grade: Grade = "B"
    most_requests: int = MOST_REQUESTS

    def entrance(self, clues: BlogClues) -> Entrance | None:
        """The archive of a site that is made by Substack, by its host or, with a name of its own, by its files.

        >>> from everlog.history.source import BlogClues
        >>> SubstackArchive().entrance(BlogClues(home="https://jo.substack.com/")).url
        'https://jo.substack.com/api/v1/archive'
        """
        platform = platform_of(clues)
        if platform is None or platform.name != "Substack":
            return None
        is_sure = (urlsplit(clues.home).hostname or "").endswith(".substack.com")
        return Entrance(url=urljoin(clues.home, "/api/v1/archive"), evidence=platform.evidence, is_sure=is_sure)

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,
    ) -> PageWalk:
        """All posts, then the comments of the newest ones."""
        reader = _Archive(entrance, MOST_COMMENTED if wants_comments else 0)
        return PageWalk.of(reader, cursor, place={"at": 0}, most_requests=self.most_requests)

    def changes(self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True) -> PageWalk | None:
        """The posts that are newer than those of the mark, and new comments on the newest. Edits are not told."""
        if not isinstance(mark.get("counts"), dict):
            return None
        reader = _Archive(entrance, MOST_NEW_COMMENTED if wants_comments else 0, dict(mark["counts"]))
        return PageWalk.of(reader, None, place={"at": 0}, most_requests=self.most_requests)


@dataclass(frozen=True, slots=True)
class _Archive:
    """The list and the comments. `before` are the posts that were the newest, with their counts of comments."""

    url: str
    most_commented: int
    before: Mapping[str, Any] | None = None

    def request(self, place: Mapping[str, Any]) -> HistoryRequest:
        if place.get("list_is_over"):
            number = place["commented"][0][0]
            return HistoryRequest(
                url=urljoin(self.url, f"/api/v1/post/{number}/comments?token=&all_comments=true&sort=oldest_first"),
                tells="comments",
            )
        return HistoryRequest(url=f"{self.url}?sort=new&offset={place['at']}&limit={PER_PAGE}")

    def read(self, answer: HistoryAnswer, place: Mapping[str, Any]) -> Step:
        if answer.status in _PUT_OFF:
            why = f"it answers with HTTP {answer.status}" if answer.status else "no answer"
            return Step(told=Told(problem=why), next_place=place, is_put_off=True)
        return self._read_comments(answer, place) if place.get("list_is_over") else self._read_list(answer, place)

    def _read_list(self, answer: HistoryAnswer, place: Mapping[str, Any]) -> Step:
        rows = rows_of(answer)
        if rows is None:
            return Step(told=Told(problem=f"it answers with something that is no list (HTTP {answer.status})"))
        posts = [post for post in (_listed(row, answer.url) for row in rows) if post is not None]
        ids = [post.id or "" for post in posts]
        fit = fit_page(place, ids)
        fresh = [posts[number] for number in fit.fresh] if not fit.is_lost else []
        place = self._commented(place, fresh)
        notes = {"counts": _counts(posts)} if not place["at"] else {}
        if self.before is not None:
            known = [post for post in posts if post.id in self.before]
            fresh = [post for post in fresh if post.id not in self.before]
            if known or not posts:
                return self._end(place, fresh, notes, is_end=True)
        if not posts or not (fit.fresh or fit.is_lost):
            # Posts that are hidden leave gaps, so that a page without news is the end if the one behind it has none.
            if place.get("blank"):
                return self._end(place, fresh, notes, is_end=not place.get("gap"))
            beyond = {**place, "at": place["at"] + PER_PAGE, "last": [], "blank": True}
            return Step(told=Told(posts=tuple(fresh)), next_place=beyond, notes=notes)
        following = {**place, **(fit.next_place or {}), "blank": False, "commented": place["commented"]}
        return Step(told=Told(posts=tuple(fresh)), next_place=following, notes=notes)

    def _commented(self, place: Mapping[str, Any], posts: list[ListedPost]) -> Mapping[str, Any]:
        """A place with the posts whose comments are to be asked for."""
        commented = list(place.get("commented") or [])
        for post in posts:
            count = post.entry.comment_count if post.entry is not None else None
            if count and count != (self.before or {}).get(post.id or "") and len(commented) < self.most_commented:
                commented.append([post.id, post.url])
        return {**place, "commented": commented}

    def _end(self, place: Mapping[str, Any], posts: list[ListedPost], notes: dict[str, Any], *, is_end: bool) -> Step:
        """The end of the list: what is left are comments, which do not make it longer."""
        told = Told(posts=tuple(posts))
        if not place["commented"]:
            return Step(told=told, notes=notes, is_end=is_end)
        rest = {"list_is_over": True, "commented": place["commented"], "is_end": is_end}
        return Step(told=told, notes=notes, next_place=rest, requests_left=len(place["commented"]))

    def _read_comments(self, answer: HistoryAnswer, place: Mapping[str, Any]) -> Step:
        (number, url), *rest = place["commented"]
        found = json_of(answer.body) if answer.is_ok else None
        tree = found.get("comments") if isinstance(found, dict) else None
        comments = tuple(_comments(tree, str(number), url)) if isinstance(tree, list) else ()
        problem = None if isinstance(tree, list) else f"comments of {url}: it answers with HTTP {answer.status}"
        told = Told(comments=comments, problem=problem)
        if not rest:
            return Step(told=told, is_end=bool(place.get("is_end")))
        return Step(told=told, next_place={**place, "commented": rest}, requests_left=len(rest))


def _listed(row: Mapping[str, Any], base: str) -> ListedPost | None:
    number, slug = number_at(row, "id"), text_at(row, "slug")
    url = own_url(base, row, "canonical_url") or (urljoin(base, f"/p/{slug}") if slug else None)
    if number is None or url is None:
        return None
    entry = Entry(
        link=url, title=plain(text_at(row, "title")), summary=plain(text_at(row, "subtitle")
        or text_at(row, "description")), authors=_names(row, "publishedBylines"), tags=_names(row, "postTags"),
        published=parse_date(text_at(row, "post_date")), comment_count=number_at(row, "comment_count"),
    )
    audience = text_at(row, "audience") or "everyone"
    return ListedPost(
        url=url, id=str(number), entry=entry, changed=parse_date(text_at(row, "updated_at")),
        locked=None if audience == "everyone" else _LOCKED.get(audience, "paid"),
    )


def _names(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    rows = row.get(name)
    named = (plain(text_at(each, "name")) for each in (rows if isinstance(rows, list) else ()))
    return tuple(dict.fromkeys(filter(None, named)))


def _counts(posts: list[ListedPost]) -> dict[str, int]:
    return {post.id: (post.entry.comment_count if post.entry else None) or 0 for post in posts if post.id is not None}


def _comments(tree: list[Any], post: str, post_url: str) -> Iterator[ListedComment]:
    """The comments of a post, each behind the one that it answers; however deep they are."""
    waiting: list[tuple[Any, str | None]] = [(row, None) for row in reversed(tree)]
    told = 0
    while waiting and told < MOST_COMMENTS:
        row, parent = waiting.pop()
        if not isinstance(row, dict):
            continue
        number, body = number_at(row, "id"), text_at(row, "body")
        own = str(number) if number is not None else parent
        children = row.get("children")
        waiting += [(child, own) for child in reversed(children)] if isinstance(children, list) else []
        if number is None or body is None or row.get("deleted") is True:
            continue
        told += 1
        yield ListedComment(post_id=post, post_urls=(post_url,), comment=Comment(
            id=str(number), parent=parent, author=plain(text_at(row, "name")), text=body.strip(),
            html="".join(f"<p>{html.escape(each.strip())}</p>" for each in body.split("\n") if each.strip()),
            published=parse_date(text_at(row, "date")), url=f"{post_url}/comment/{number}", source="api",
        ))


SOURCE = SubstackArchive()
