"""Comments of a post from wherever they live: its page, its comment feed, a service in the browser.

    page       read with the article, by the rules of the blog or known markup
    pages      further pages of comments, where the page links to them
    feed       asked for where the page may not show all, and while the blog's rules are not learned yet
    service    rendered in the browser where the page embeds one

What they bring is one list of threads, held against the number the site states.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from everlog.comments.comment_feeds import comment_feed_url, read_comment_feed
from everlog.comments.comment_markup import Thread
from everlog.comments.learn.comment_rules_learn import learn_comments
from everlog.comments.mastodon_replies import Toot, read_replies, replies_url, status_url
from everlog.comments.merging import merge
from everlog.comments.services import Service, read_service
from everlog.core.retry_policy import is_passing
from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import UnreadableFeed, UnreadablePage
from everlog.history.told_comments import with_told
from everlog.records import Comment, Entry, Failure, Fetched, Page, Post, Rendered, Visit
from everlog.usecases.page.further_pages import CommentPages, Part
from everlog.usecases.page.merged_comments import Gathered
from everlog.usecases.page.rendering import NotRendered, Rendering, exchanges_of, page_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from everlog.comments.comment_rules import CommentRules
    from everlog.core.fetcher import Fetcher
    from everlog.extract.classify.post_paging import Paging
    from everlog.usecases.crawl.report import Tally
    from everlog.usecases.page.page_reading import Evidence

# Posts with comments whose pages and feeds teach the rules: as many as the feed has entries; more only cost
# requests.
MOST_TAUGHT = 10
# Rules of one post's comments hold what these happen to share; two tell the most of it.
FEWEST_TAUGHT = 2
# Pages without comments whose feeds were empty too, before an empty page is believed.
EMPTY_BELIEVED = 3


class Taught(NamedTuple):
    """A page and what its comment feed says: a lesson in how the blog writes comments."""

    body: bytes
    url: str
    content_type: str | None
    comments: tuple[Comment, ...]


class Further(NamedTuple):
    """The further pages of a post's comments, and how to ask for one."""

    paging: Paging
    ask: Callable[[str], Awaitable[Part]]


@dataclass(slots=True, kw_only=True)
class CommentGatherer:
    """What one crawl knows about where its blog's comments are."""

    blog_id: int
    fetcher: Fetcher
    rendering: Rendering
    tally: Tally
    # What the blog's feed says of its entries, by their keys.
    entries: dict[str, Entry] = field(default_factory=dict)
    rules: CommentRules | None = None
    # What the feed of all comments says that is not held, by the keys of the posts.
    announced: Mapping[str, tuple[Comment, ...]] = field(default_factory=dict)
    # Whether the blog's interface tells its comments: then a feed is asked for what it leaves out alone.
    is_told: bool = False
    # Whether it tells them when the pages of its posts are held: then no feed is asked before.
    are_to_come: bool = False
    _read: dict[str, Thread | Failure | None] = field(default_factory=dict)
    _lessons: list[Taught] = field(default_factory=list)
    # How many lessons the last try to learn was given: the same ones teach no more.
    _studied: int = 0
    _empty: int = 0
    _pages_hide: bool = False

    async def gather(
        self, post: Post, evidence: Evidence, answer: Fetched, held: Post | None, further: Further | None = None,
    ) -> Gathered:
        """Ask for all that may be missing on the page."""
        gathered = Gathered(threads=[Thread(source="page", comments=post.comments, claimed=post.comment_count_claimed)])
        gathered.threads += evidence.threads
        self._add_told(gathered, held)
        answered = {thread.source for thread in evidence.threads}
        missing = [service for service in evidence.services if service.name not in answered]
        if missing:
            await self._from_services(missing, answer.page, gathered)
        if evidence.toot is not None:
            await self._from_toot(evidence.toot, gathered)
        claimed = self.claimed(post, gathered)
        # Of a post whose comments are held the newest are missing at most, and these are in its feed.
        feed_first = held is not None and bool(held.comments)
        if further is not None and not feed_first:
            await self._from_pages(post, further, gathered)
        is_read = evidence.feed is not None and canonical(evidence.feed) in self._read
        may_ask = evidence.feed is not None and not self.are_to_come
        if evidence.feed is not None and may_ask and (is_read or self._wants_feed(gathered, claimed, held)):
            await self._from_feed(evidence.feed, post, answer, gathered)
        if further is not None and feed_first and not _are_all(gathered, claimed, held):
            await self._from_pages(post, further, gathered)
            self._add_told(gathered, held)
        announced = self.announced.get(canonical(post.url))
        if announced and claimed is not None and len(merge(gathered.threads, claimed=claimed).comments) < claimed:
            gathered.threads.append(Thread(source="feed", comments=announced))
        return gathered

    def _add_told(self, gathered: Gathered, held: Post | None) -> None:
        """The comments that the blog's interface told are held already, and need not stand on the page."""
        if self.is_told and held is not None:
            page = gathered.threads[0]
            gathered.threads[0] = replace(page, comments=with_told(page.comments, held.comments))

    def claimed(self, post: Post, gathered: Gathered) -> int | None:
        """How many comments the site says the post has: the service knows best, then the page, then the feed."""
        services = [thread.claimed for thread in gathered.threads[1:] if thread.claimed is not None]
        if services:
            return max(services)
        if post.comment_count_claimed is not None:
            return post.comment_count_claimed
        entry = self.entries.get(canonical(post.url))
        return entry.comment_count if entry is not None else None

    def lesson_learned(self) -> bool:
        """Learn the blog's rules from the feeds read so far, once there are enough; whether there are new ones."""
        if self.rules is not None or len(self._lessons) < max(FEWEST_TAUGHT, self._studied + 1):
            return False
        return self.learn()

    def learn(self) -> bool:
        """Learn the blog's rules from the feeds read so far, however few."""
        pairs = [(parse(each.body, each.content_type), each.url, each.comments) for each in self._lessons]
        self.rules = learn_comments(pairs) if pairs else None
        self._studied = len(pairs)
        if self.rules is not None:
            self._lessons.clear()
        return self.rules is not None

    async def study(self, pages: Iterable[tuple[Entry, Fetched]]) -> list[Visit]:
        """Read the comment feeds of the feed's own entries, and learn from them. The feeds, to be stored."""
        visits: list[Visit] = []
        for entry, answer in pages:
            if entry.comment_count == 0 or len(self._lessons) >= MOST_TAUGHT or self._empty >= EMPTY_BELIEVED:
                continue
            try:
                root = parse(answer.page.body, answer.page.content_type)
            except UnreadablePage:
                continue
            url = comment_feed_url(root, answer.page.url, entry=entry)
            if url is None:
                continue
            thread = self._read[canonical(url)] = await self._feed(url, visits)
            if isinstance(thread, Thread) and thread.comments:
                self._learn_from(thread, answer.page)
            else:
                self._empty += 1
        self._empty = 0
        self.learn()
        return visits

    async def _from_toot(self, toot: Toot, gathered: Gathered) -> None:
        """The replies to the toot that a post names; how many there are where they are not all told."""
        bodies: list[bytes] = []
        for url in (replies_url(toot), status_url(toot)):
            answer = await self.fetcher.fetch(url, purpose="api")
            self.tally.requests += 1
            if isinstance(answer, Failure):
                if is_passing(answer) and not bodies:
                    gathered.failures.append(f"replies on {toot.origin}: {answer.reason}")
                    gathered.tried = True
                break
            gathered.visits.append(Visit(
                blog_id=self.blog_id, url=url, key=canonical(url), outcome="feed", exchanges=answer.exchanges,
            ))
            bodies.append(answer.answer.body)
        thread = read_replies(bodies[0], toot, status=bodies[1] if len(bodies) > 1 else None) if bodies else None
        if thread is not None:
            gathered.threads.append(thread)

    async def _from_services(self, services: Sequence[Service], page: Page, gathered: Gathered) -> None:
        wanted = self.rendering.worth_rendering(services)
        found: dict[str, Thread] = {}
        # A service that is down was asked for other posts; a browser that is missing has asked nobody.
        gathered.tried = self.rendering.settings.render != "never"
        if wanted:
            try:
                rendered = await self.rendering.render(page, wanted)
            except NotRendered as error:
                gathered.failures.append(f"the page could not be rendered: {error.reason}")
            else:
                self.tally.rendered += 1
                gathered.exchanges = exchanges_of(rendered)
                root = parse(rendered.body, page_of(rendered).content_type)
                for service in wanted:
                    thread = read_service(root, page.url, service, fetched_at=rendered.rendered_at)
                    if thread is not None:
                        found[service.name] = thread
                        gathered.failures += _unfinished(thread, rendered)
            for service in wanted:
                self.rendering.note_answer(service.name, answered=service.name in found)
        gathered.tried = gathered.tried and self.rendering.missing is None
        gathered.threads += found.values()
        gathered.failures += [self.rendering.why_not(each.name) for each in services if each.name not in found]

    async def _from_pages(self, post: Post, further: Further, gathered: Gathered) -> None:
        """Read the further pages of comments, each of which may name others."""
        pages = CommentPages.of(post, further.paging)
        while (step := pages.trail.next()) is not None:
            number, url = step
            part = await further.ask(url)
            if part.failure is not None and is_passing(part.failure):
                gathered.failures.append(f"page {number} of the comments: {part.failure.reason}")
                gathered.tried = True
                break
            if pages.take(number, part):
                gathered.parts.append(part.visit(self.blog_id, f"page {number} of the comments of {post.url}"))
        gathered.threads[0] = replace(gathered.threads[0], comments=pages.comments())

    def _wants_feed(self, gathered: Gathered, claimed: int | None, held: Post | None) -> bool:
        """Whether a post's comment feed may say more than its pages."""
        found = len(gathered.on_pages)
        if self.is_told or (claimed == 0 and not found):
            # Links from elsewhere are what an interface may not tell; what a page counts beyond all is looked for.
            return len(merge(gathered.threads, claimed=claimed).comments) < (claimed or 0)
        if held is not None and held.comment_count_claimed is not None and held.comment_count_claimed != claimed:
            return True
        if self.rules is None and len(self._lessons) < MOST_TAUGHT:
            return bool(found or claimed) or self._pages_hide or self._empty < EMPTY_BELIEVED
        announced = {each.id for each in held.comments if not _is_vague(each)} if held is not None else set()
        if any(_is_vague(comment) and comment.id not in announced for comment in gathered.on_pages):
            return True
        if claimed is not None:
            return found < claimed
        return not found and (self._pages_hide or self._empty < EMPTY_BELIEVED)

    async def _from_feed(self, url: str, post: Post, answer: Fetched, gathered: Gathered) -> None:
        thread = await self._feed(url, gathered.visits)
        if isinstance(thread, Failure):
            if is_passing(thread):
                gathered.failures.append(f"comment feed: {thread.reason}")
                gathered.tried = True
            return
        if thread is None:
            return
        gathered.threads.append(thread)
        if thread.comments:
            self._pages_hide = self._pages_hide or not post.comments
            self._learn_from(thread, answer.page)
        elif not post.comments:
            self._empty += 1

    async def _feed(self, url: str, visits: list[Visit]) -> Thread | Failure | None:
        key = canonical(url)
        if key in self._read:
            return self._read.pop(key)
        answer = await self.fetcher.fetch(url, purpose="feed")
        self.tally.requests += 1
        if isinstance(answer, Failure):
            return answer
        visits.append(Visit(blog_id=self.blog_id, url=url, key=key, outcome="feed", exchanges=answer.exchanges))
        try:
            return read_comment_feed(answer.answer.body, answer.answer.url)
        except UnreadableFeed:
            return None

    def _learn_from(self, thread: Thread, page: Page) -> None:
        is_known = any(lesson.url == page.url for lesson in self._lessons)
        if self.rules is None and not is_known and len(self._lessons) < MOST_TAUGHT:
            self._lessons.append(Taught(page.body, page.url, page.content_type, thread.comments))


def _are_all(gathered: Gathered, claimed: int | None, held: Post | None) -> bool:
    """Whether as many comments are known as the site counts, with those that are held."""
    known = Thread(source="held", comments=held.comments if held is not None else ())
    return claimed is not None and len(merge([*gathered.threads, known], claimed=claimed).comments) == claimed


def _is_vague(comment: Comment) -> bool:
    """Whether a page does not say who wrote a comment, or when, in a way that can be read."""
    return comment.author is None or comment.published is None


def _unfinished(thread: Thread, rendered: Rendered) -> list[str]:
    """Why a thread that a restless page showed is not taken for all there is."""
    short = thread.claimed is not None and len(thread.comments) < thread.claimed
    if not short or rendered.settled:
        return []
    return [f"{thread.source} was still loading when the time limit was reached"]
