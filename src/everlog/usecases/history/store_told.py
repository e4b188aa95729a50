"""What a history source tells, into the archive: answers, inventory, posts and their comments.

Each answer is stored before the walk's cursor goes on: a walk that is killed is told the last of them again, which
changes nothing. Comments are kept with their posts: where these become records only when their pages are read, the
walk waits for that (`awaits_pages`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from everlog.archive.repos.inventory import InventoryPost, NotedComment
from everlog.core.urls import canonical
from everlog.history import FEEDS, ListedComment, ListedPost, Told
from everlog.history.told_comments import with_told
from everlog.history.told_post import told_post
from everlog.history.told_text import FEED_METHOD, METHOD, is_without_page
from everlog.records import Blog, Comment, CommentsState, Fetched, Link, Media, Post, Visit
from everlog.usecases.page.copies import FIRST
from everlog.usecases.page.post_media import media_urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from everlog.core.scope import Scope
    from everlog.usecases.crawl.crawl_context import CrawlRun


@dataclass(slots=True, kw_only=True)
class ToldStore:
    """The archive's side of a walk over one source.

    `is_update` says that what is told came after a walk: then new comments are an event of their post.
    """

    source: str
    blog: Blog
    scope: Scope
    run: CrawlRun
    is_update: bool = False
    # Keys of posts that were told: new or changed ones, those that have new comments, and all that were listed.
    news: dict[str, str] = field(default_factory=dict)
    commented: dict[str, str] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)
    # Posts that lie beyond the blog's scope.
    outside: int = 0
    # How many comments the source says there are; None: it did not say.
    comments_total: int | None = None
    # When it told comments, or how many there are.
    comments_read_at: datetime | None = None
    # The keys of posts of the answer at hand that are held, and whose pages were never fetched.
    _without_pages: list[str] = field(default_factory=list)
    # Posts that were not held before this update: their comments are no event of their own.
    _unheld: set[str] = field(default_factory=set)

    def answer(self, url: str, answer: Fetched, told: Told) -> None:
        """Store an answer and what it tells."""
        archive = self.run.archive
        own = [(self._link(post), post) for post in told.posts]
        self.outside += sum(link is None and post.kind == "post" for link, post in own)
        within = [(link, post) for link, post in own if link is not None]
        archive.blogs.inventory.add(self.blog.id, self.source, (
            _outside(post) if link is None else _in_inventory(link, post) for link, post in own
        ))
        self.listed.update(link.key for link, _ in within)
        at = answer.answer.fetched_at
        page = Visit(
            blog_id=self.blog.id, url=url, key=canonical(url), outcome="feed", exchanges=answer.exchanges,
        )
        posts = list(self._posts(within, at))
        if self.run.settings.pages:
            archive.urls.enqueue(self.blog.id, [link for link, _ in within])
            archive.urls.requeue(self.blog.id, self._without_pages)
            self._without_pages.clear()
        kept = archive.commit([page, *posts])
        changed = {each.visit.key for each in kept if each.kept in {"new", "changed"} and each.visit.post is not None}
        for each in kept:
            self.run.tally.count_kept(each.kept, each.visit.post)
        whole = {visit.key for visit in posts}
        self.news |= {link.key: link.url for link, _ in within if link.key in changed or link.key not in whole}
        if self.is_update:
            self._unheld.update(each.visit.key for each in kept if each.kept == "new")
            self._unheld.update(
                link.key for link, _ in within
                if link.key not in whole and archive.posts.key(self.blog.id, link.key) is None
            )
        if told.comments_total is not None:
            self.comments_total = told.comments_total
        if told.comments or told.comments_total is not None:
            self.comments_read_at = at
        if told.comments:
            archive.commit(list(self._comments(told.comments, at)))

    def awaits_pages(self) -> bool:
        """Whether posts that were told become records only when their pages are fetched."""
        return self.run.settings.pages and self.run.archive.blogs.inventory.awaits_pages(self.blog.id, self.source)

    def _link(self, post: ListedPost) -> Link | None:
        """Where the page of a post is; None beyond the blog."""
        url = self.scope.page_urls(post.url)[0]
        key = canonical(url)
        if not self.scope.is_own_key(key) or (post.kind == "page" and key == canonical(self.blog.home)):
            # A page that is the front page is no page beside the posts.
            return None
        if post.kind == "post":
            return Link(url=url, key=key, lane="post", found_on=self.blog.home)
        # Known to be wanted, whatever may be expected of other pages.
        return Link(url=url, key=key, lane="page", found_on=self.blog.home, rank=FIRST)

    def _posts(self, within: Iterable[tuple[Link, ListedPost]], at: datetime) -> Iterable[Visit]:
        archive, settings = self.run.archive, self.run.settings
        for link, listed in within:
            is_wanted = listed.is_whole or (listed.kind == "post" and not settings.pages)
            method = FEED_METHOD if self.source in FEEDS else METHOD
            post = None
            if is_wanted:
                post = told_post(listed, blog=self.blog.home, source=self.source, told_at=at, method=method)
            if post is None:
                continue
            held = archive.posts.find(link.url, as_read=True)
            if held is not None and is_without_page(held):
                self._without_pages.append(link.key)
            media = tuple(Media(url=url) for url in media_urls(post, listed.entry, held)) if settings.media else ()
            post = replace(_with_held(post, held), url=link.url, media=media)
            yield Visit(
                blog_id=self.blog.id, url=link.url, key=link.key, outcome="post", post=post, told_at=at,
                links=tuple(
                    Link(url=each.url, key=canonical(each.url), lane="media", found_on=link.url) for each in media
                ),
            )

    def _comments(self, told: Sequence[ListedComment], at: datetime) -> Iterable[Visit]:
        """The posts that comments are on, with those that are not held."""
        archive = self.run.archive
        keys = archive.blogs.inventory.keys_of(
            self.blog.id, self.source, {each.post_id for each in told if each.post_id is not None},
        )
        by_post: dict[str, list[Comment]] = {}
        noted: list[NotedComment] = []
        for each in told:
            key = keys.get(each.post_id or "") or archive.posts.key(self.blog.id, *map(canonical, each.post_urls))
            noted.append(_noted(each, key))
            if key is not None:
                by_post.setdefault(key, []).append(each.comment)
        archive.blogs.inventory.add_comments(self.blog.id, self.source, noted)
        for key, comments in by_post.items():
            held = archive.posts.find(f"http://{key}", as_read=True)
            if held is None:
                continue
            known = with_told(held.comments, comments)
            if len(known) == len(held.comments):
                continue
            self.commented[key] = held.url
            claimed = held.comment_count_claimed
            state: CommentsState = "complete"
            if claimed is not None and claimed > len(known):
                state = "partial"
            post = replace(held, comments=known, comments_state=state, fetched=at)
            yield Visit(
                blog_id=self.blog.id, url=held.url, key=key, outcome="post", post=post, told_at=at,
                completes=not self.is_update or key in self._unheld,
            )


def _noted(listed: ListedComment, key: str | None) -> NotedComment:
    """A comment as a member of a list, also of a post that is not held."""
    comment = listed.comment
    post = key or next(map(canonical, listed.post_urls), "")
    number = comment.id or comment.url or f"{comment.author} {comment.published}"
    return NotedComment(post_key=post, number=number, url=comment.url or f"http://{post}")


def _in_inventory(link: Link, post: ListedPost) -> InventoryPost:
    return InventoryPost(
        native_id=post.id or link.key, key=link.key, url=link.url, kind=post.kind, changed_at=post.changed,
        locked=post.locked, knows_lock=post.locked is not None or post.is_whole or bool(_text_of(post)),
    )


def _text_of(post: ListedPost) -> str | None:
    return (post.entry.content or post.entry.summary) if post.entry is not None else None


def _outside(post: ListedPost) -> InventoryPost:
    """A post that is listed beyond the blog's scope: it is not archived, and known to be there."""
    key = canonical(post.url)
    kind = "outside" if post.kind == "post" else "page"
    return InventoryPost(native_id=post.id or key, key=key, url=post.url, kind=kind, locked=post.locked)


def _with_held(post: Post, held: Post | None) -> Post:
    """A post that is told anew, with what was read around the version that is held."""
    if held is None:
        return post
    lost = {name: getattr(held, name) for name in ("language", "summary") if not getattr(post, name)}
    around = {name: held.provenance[name] for name in (*lost, "comments") if name in held.provenance}
    return replace(
        post, comments=held.comments, comments_state=held.comments_state,
        comment_count_claimed=held.comment_count_claimed or post.comment_count_claimed,
        provenance={**post.provenance, **around}, **lost,
    )
