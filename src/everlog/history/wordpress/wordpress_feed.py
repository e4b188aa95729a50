"""Feeds of WordPress as a history source, for blogs whose REST interface is switched off: `/feed/?paged=2` and so on.

What was seen of them (WordPress 6.1, and its code):

    pages       ten posts each, or as the site is set; page 1 by its number redirects to the feed
    the end     a 404 that has the body of a feed
    headers     `ETag` and `Last-Modified` are of the whole site: when any post was edited last
    order       `orderby=modified` is heard by feeds too, and the Atom feed says when each post was edited

So the mark of a walk is that header, and one conditional request tells that nothing was edited or published since.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from everlog.core.retry_policy import NOT_THERE
from everlog.feeds.feed_dates import parse_date
from everlog.history.feed_posts import feed_of, ids_of, is_same_site, listed_posts
from everlog.history.overlap import turn_page
from everlog.history.page_walk import PageWalk, Step, failed_step
from everlog.history.platforms import platform_of
from everlog.history.source import BlogClues, Entrance, Grade, HistoryAnswer, HistoryRequest, HistoryWalk, Told

# 20,000 posts, ten each.
MOST_REQUESTS = 2_000
_NOT_MODIFIED = 304
_FORMAT = r"(?:rss2?|rdf|atom)"
_PATH = re.compile(rf"feed(?:/{_FORMAT})?/?$", re.IGNORECASE)
_QUERY = re.compile(rf"(?:^|&)feed=({_FORMAT})(?=&|$)", re.IGNORECASE)
# The ids that WordPress gives its posts, whatever their addresses look like.
_GUID = re.compile(r"^https?://[^/?#]+/(?:[^?#]*/)?\?(?:post_type=\w+&)?(?:p|page_id)=\d+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WordPressFeed:
    """The pages of a WordPress blog's feed, the newest first."""

    name: str = "WordPress feed"
    grade: Grade = "B"
    most_requests: int = MOST_REQUESTS

    def entrance(self, clues: BlogClues) -> Entrance | None:
        """The blog's own feed, if the front page or the ids of the feed's entries are of WordPress.

        >>> from everlog.core.tree import parse
        >>> from everlog.history.source import BlogClues
        >>> page = parse(b'<script src="/blog/wp-includes/js/a.js"></script>')
        >>> WordPressFeed().entrance(BlogClues(home="https://a.org/blog/", root=page)).url
        'https://a.org/blog/feed/'
        """
        found = platform_of(clues)
        guids = [entry.guid or "" for entry in clues.feed.entries] if clues.feed is not None else []
        if found is not None and found.name in {"WordPress", "WordPress.com"}:
            evidence = found.evidence
        elif any(map(_GUID.match, guids)):
            evidence = "the ids of the feed's entries are those of WordPress"
        else:
            return None
        if clues.feed_url is not None and _is_of_blog(clues.feed_url, clues.home):
            return Entrance(url=clues.feed_url, evidence=evidence)
        return Entrance(url=urljoin(clues.home, "feed/"), evidence=evidence, is_sure=False)

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,  # noqa: ARG002
    ) -> HistoryWalk:
        """Page by page, until there is none; then the first page once more."""
        return PageWalk.of(
            _Pages(entrance), cursor, place={"kind": "first", "page": 1}, most_requests=self.most_requests,
        )

    def changes(
        self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True,  # noqa: ARG002
    ) -> HistoryWalk | None:
        """The posts in the order of their last edit, as far back as the mark; None if the site sends no such header."""
        modified = mark.get("last_modified")
        since = parse_date(modified) if isinstance(modified, str) else None
        if since is None:
            return None
        walk = PageWalk.of(
            _Edited(entrance, since), None, place={"page": 1, "etag": mark.get("etag"), "last_modified": modified},
            most_requests=self.most_requests,
        )
        walk.notes = dict(mark)
        return walk

    def listing(self, entrance: str) -> HistoryWalk | None:  # noqa: ARG002
        """None: to list the posts costs as much as to read them."""
        return None


@dataclass(frozen=True, slots=True)
class _Pages:
    """The pages of a feed, by their numbers."""

    feed: str

    def request(self, place: Any) -> HistoryRequest:
        page = place.get("page")
        return HistoryRequest(url=_asked(self.feed, paged=page) if page != 1 else self.feed, purpose="feed")

    def read(self, answer: HistoryAnswer, place: Any) -> Step:
        page = int(place.get("page") or 1)
        feed = feed_of(answer) if answer.is_ok else None
        posts = listed_posts(feed) if feed is not None else ()
        if page > 1 and (answer.status in NOT_THERE or (feed is not None and not posts)):
            return self._ended(place)
        if feed is None:
            return failed_step(answer, place)
        turn = turn_page(place, ids_of(posts))
        told = Told(posts=tuple(posts[number] for number in turn.fresh), problem=turn.problem)
        notes = _condition(answer) if place.get("kind") == "first" else {}
        if turn.is_over:
            return Step(told=told, is_end=turn.problem is None)
        return Step(told=told, next_place={"kind": "page", "page": page + 1, **turn.kept}, notes=notes)

    def _ended(self, place: Mapping[str, Any]) -> Step:
        """Nothing is behind the last page: whether all before it was seen, the first page tells."""
        if place.get("page") == 2:
            return Step(is_end=True)
        return Step(next_place={**place, "kind": "check", "page": 1})


@dataclass(frozen=True, slots=True)
class _Edited:
    """The posts of the Atom feed in the order of their last edit, back to a moment."""

    feed: str
    since: datetime

    def request(self, place: Any) -> HistoryRequest:
        page = place.get("page")
        url = _asked(_atom(self.feed), orderby="modified", **({"paged": page} if page != 1 else {}))
        return HistoryRequest(
            url=url, purpose="feed", etag=place.get("etag"), last_modified=place.get("last_modified"),
        )

    def read(self, answer: HistoryAnswer, place: Any) -> Step:
        page = int(place.get("page") or 1)
        if answer.status == _NOT_MODIFIED or (page > 1 and answer.status in NOT_THERE):
            return Step(is_end=True)
        feed = feed_of(answer) if answer.is_ok else None
        if feed is None:
            return failed_step(answer, place)
        posts = listed_posts(feed)
        edited = tuple(post for post in posts if post.changed is not None and post.changed > self.since)
        notes = _condition(answer) if page == 1 else {}
        if not _is_ordered([post.changed for post in posts]):
            # A cache or a plugin gives the usual feed: what else was edited is not to be seen.
            return Step(told=Told(posts=edited, problem="the feed is not in the order of the posts' edits"))
        if not posts or len(edited) < len(posts):
            return Step(told=Told(posts=edited), is_end=True, notes=notes)
        return Step(told=Told(posts=edited), next_place={"page": page + 1}, notes=notes)


def _asked(url: str, **wanted: object) -> str:
    parts = urlsplit(url)
    query = "&".join(filter(None, (parts.query, urlencode(wanted))))
    return parts._replace(query=query, fragment="").geturl()


def _atom(feed: str) -> str:
    """The Atom form of a feed.

    >>> _atom("https://a.org/blog/feed/"), _atom("https://a.org/?feed=rss2")
    ('https://a.org/blog/feed/atom/', 'https://a.org/?feed=atom')
    """
    parts = urlsplit(feed)
    if _QUERY.search(parts.query):
        return parts._replace(query=_QUERY.sub(lambda found: found[0].replace(found[1], "atom"), parts.query)).geturl()
    return parts._replace(path=_PATH.sub("feed/atom/", parts.path)).geturl()


def _is_of_blog(feed: str, home: str) -> bool:
    """Whether this is the feed of all posts of the blog, not of a category or of another service.

    >>> _is_of_blog("https://a.org/feed/", "https://a.org/"), _is_of_blog("https://a.org/tag/x/feed/", "https://a.org/")
    (True, False)
    """
    parts, folder = urlsplit(feed), urlsplit(home).path.rpartition("/")[0] + "/"
    if not is_same_site(feed, home):
        return False
    if _QUERY.search(parts.query):
        return not re.search(r"(?:^|&)(?:cat|tag|author|p|page_id)=", parts.query)
    below = parts.path.removeprefix(folder).removeprefix("index.php/")
    return parts.path.startswith(folder) and _PATH.fullmatch(below) is not None


def _condition(answer: HistoryAnswer) -> dict[str, str]:
    said = {"etag": answer.header("ETag"), "last_modified": answer.header("Last-Modified")}
    return {name: value for name, value in said.items() if value}


def _is_ordered(moments: Sequence[datetime | None]) -> bool:
    known = [moment for moment in moments if moment is not None]
    return len(known) == len(moments) and all(one >= other for one, other in pairwise(known))


SOURCE = WordPressFeed()
