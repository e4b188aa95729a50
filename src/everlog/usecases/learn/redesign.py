"""Redesign of a blog: the pages of new entries show it, the blog is learned again, and the old rules are kept.

    look        the pages of new entries are fetched, and read with the rules as they are
    doubt       most of them are read worse than the rules promise: pages of older entries are asked for too
    learn       these are lost as well: the blog is learned from the pages as they are now
    adopt       the new rules read these pages better; the old ones stay, with their dates, for the pages of their time
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from everlog.core.urls import absolute, canonical
from everlog.errors import EverlogError, NoBrowser
from everlog.extract.learn_blog import PAGES_USED
from everlog.records import Blog, Entry, Failure, Feed, Fetched, Link
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.discover.discover_blog import Found
from everlog.usecases.learn.blog_fingerprint import start_page
from everlog.usecases.learn.learned_blog import LearnedBlog, learn_blog, rendered_page, rendered_where_needed
from everlog.usecases.learn.template_history import TemplateHistory, begin_era
from everlog.usecases.page.post_comments import CommentGatherer
from everlog.usecases.page.rendering import Rendering
from everlog.usecases.page.stored_pages import stored_page
from everlog.usecases.update.feed_diff import FeedResponse, feed_now

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from everlog.comments.comment_rules import CommentRules
    from everlog.core.scope import Scope
    from everlog.extract.redesign_check import Fit
    from everlog.usecases.crawl.crawl_context import CrawlRun

    Answers = tuple[tuple[Link, Fetched | Failure], ...]

# New entries whose pages are looked at before the crawl visits them, and older ones that are asked in case of doubt.
MOST_NEW = 5
MOST_OTHERS = 4
NOT_MODIFIED = 304
# Posts that were odd, or of which nothing could be learned, start no second search. More than feeds have need not be
# remembered.
MOST_TRIED = 100
# Addresses of held posts that the new pattern of addresses must know.
MOST_EXAMPLES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Redesign:
    """What reads the blog from now on, and the answers that were fetched to find out, to be taken by the crawl.

    `is_new` says that the blog was redesigned and learned again. `commenting`, where it is set, is what the crawl
    reads comments by.
    """

    learned: LearnedBlog
    answers: Answers = ()
    is_new: bool = False
    commenting: CommentGatherer | None = None


async def read_anew(
    blog: Blog, learned: LearnedBlog, entries: Sequence[Entry], response: FeedResponse, run: CrawlRun, *,
    due: Collection[str] = (),
) -> Redesign:
    """Look at the pages of new entries with the rules as they are; learn the blog again if it was redesigned.

    `due` are keys of older posts that this run asks for anyway: those of them that the feed names are looked at too.
    """
    if learned.without_feed or not (entries or due) or not _can_look(learned, run):
        return Redesign(learned=learned)
    feed_page, feed = feed_now(response, blog, run.archive)
    new = _with_links(entries)[:MOST_NEW]
    again = [entry for entry in _with_links(feed.entries) if _is_among(entry, feed_page, due) and entry not in new]
    again = again[: MOST_NEW - len(new)]
    if not (new or again):
        return Redesign(learned=learned)
    run.tally.doing = "fetching new posts" if new else "fetching posts again"
    check = _RedesignCheck(blog=blog, learned=learned, feed=feed, feed_page=feed_page, run=run)
    return await check.decide(new, again)


def _can_look(learned: LearnedBlog, run: CrawlRun) -> bool:
    """Whether pages can be seen as the rules know them: those that scripts draw need a browser."""
    return not learned.is_scripted or (run.browser is not None and run.settings.render != "never")


def _is_among(entry: Entry, feed_page: Fetched, keys: Collection[str]) -> bool:
    return canonical(absolute(feed_page.answer.url, entry.link) or "") in keys


class _Look(NamedTuple):
    """The page of an entry as it is now, and how well it is read; `is_held`: it did not change since it was stored."""

    entry: Entry
    answer: Fetched
    fit: Fit
    is_held: bool


@dataclass(slots=True, kw_only=True)
class _RedesignCheck:
    """One look at a blog: what was asked for, and what came of it."""

    blog: Blog
    learned: LearnedBlog
    feed: Feed
    feed_page: Fetched
    run: CrawlRun
    answers: dict[str, tuple[Link, Fetched | Failure]] = field(default_factory=dict)
    rendering: Rendering = field(init=False)
    templates: TemplateHistory = field(init=False)

    def __post_init__(self) -> None:
        run = self.run
        self.templates = TemplateHistory.of(self.blog.id, run.archive, self.learned)
        self.rendering = Rendering(
            browser=run.browser, fetcher=run.fetcher, settings=run.settings, is_scripted=self.learned.is_scripted,
        )

    async def decide(self, wanted: Sequence[Entry], again: Sequence[Entry]) -> Redesign:
        """What the pages of these entries say; those of `again` are held, and sent only if they changed."""
        # An update without news does without these.
        from everlog.extract.redesign_check import has_changed, is_suspicious  # noqa: PLC0415

        new, others = await self._look(wanted), await self._look(again, is_conditional=True)
        if not new:
            new, others = others, []
        if not is_suspicious([look.fit for look in new]) or self._was_tried(new):
            return self._as_before()
        entries = _with_links(self.feed.entries)
        rest = [entry for entry in entries if entry not in wanted and entry not in again]
        end, most = max(MOST_OTHERS - len(others), 0), PAGES_USED - len(new) - len(others)
        others += await self._look(rest[:end], is_conditional=True)
        others.sort(key=lambda look: entries.index(look.entry))
        if not has_changed([look.fit for look in new], [look.fit for look in others]):
            self._remember_tried(new)
            return self._as_before()
        self.run.tally.doing = "learning the blog again after a redesign"
        others += await self._look(rest[end:most], is_conditional=True)
        return await self._learn(new, others)

    async def _look(self, entries: Iterable[Entry], *, is_conditional: bool = False) -> list[_Look]:
        """The pages of entries, those that can be had; each is read with the rules as they are."""
        from everlog.extract.redesign_check import fit_of  # noqa: PLC0415 - as above

        wanted = list(entries)
        scope = scope_of(self.blog, self.run.archive)
        fetched = await asyncio.gather(*(self._fetch(entry, scope, is_conditional=is_conditional) for entry in wanted))
        looks = []
        for entry, (answer, is_held) in zip(wanted, fetched, strict=True):
            if answer is not None:
                shown = await rendered_page(answer, self.rendering) if self.rendering.renders_all else answer
                # A page that still wears a design of before is none of the new one.
                learned = self.templates.for_unparsed(shown.page)
                fit = fit_of(entry, shown.page, learned.template, learned.classifier)
                looks.append(_Look(entry, answer, fit, is_held))
        return looks

    async def _fetch(self, entry: Entry, scope: Scope, *, is_conditional: bool) -> tuple[Fetched | None, bool]:
        """The page of an entry; where the server says that it did not change, as it is stored."""
        run, blog = self.run, self.blog
        whole = absolute(self.feed_page.answer.url, entry.link)
        for url in scope.page_urls(whole) if whole else ():
            held = run.archive.captures.find(blog.id, url) if is_conditional else None
            answer = await run.fetcher.fetch(
                url, etag=held.etag if held else None, last_modified=held.last_modified if held else None,
            )
            run.tally.requests += 1
            link = Link(url=url, key=canonical(url), lane="post", found_on=blog.feed_url)
            self.answers[link.key] = link, answer
            if isinstance(answer, Failure) or not scope.is_own(answer.page.url):
                continue
            if answer.answer.status == NOT_MODIFIED:
                return stored_page(url, blog, run.archive, rendered=False), True
            return answer, False
        return None, False

    async def _learn(self, new: Sequence[_Look], others: Sequence[_Look]) -> Redesign:
        """Learn the blog from its pages as they are, and adopt what was learned if it reads them better."""
        from everlog.extract.redesign_check import fit_of, reads_better, shows_everywhere  # noqa: PLC0415 - as above

        # Pages that did not change, and others where only new posts look different, wear the old design.
        everywhere = shows_everywhere([look.fit for look in others])
        looks = (*new, *others)
        taught = [look for look in looks if look.fit.lost is not None or (everywhere and not look.is_held)]
        pages = {look.entry.link or "": look.answer for look in taught}
        try:
            found, shown = await rendered_where_needed(await self._found(), pages, self.rendering)
            scope = scope_of(self.blog, self.run.archive)
            learned = learn_blog(found, shown, scope, is_scripted=self.rendering.is_scripted)
        except NoBrowser:
            # The old rules would pass over the new posts, and the feed does not name them for ever.
            raise
        except EverlogError as error:
            return self._keep_the_old(new, f"the blog could not be learned again: {error.message}")
        before = [look.fit for look in taught]
        seen = [(look.entry, shown[look.entry.link or ""].page) for look in taught]
        after = [fit_of(entry, page, learned.template, learned.classifier) for entry, page in seen]
        if not reads_better(after, before):
            return self._keep_the_old(new, "learning again gave no better rules")
        commenting = await self._study_comments(found, shown)
        learned = replace(learned, template=learned.template.with_comments(commenting.rules))
        learned = learned.with_manual_of(self.learned)
        for look in taught:
            if look.is_held:
                self._hand_on(look)
        return self._adopt(self._with_old_addresses(learned), commenting, before, after)

    def _hand_on(self, look: _Look) -> None:
        """A page that did not change since the old rules failed on it is read again, as if it was sent."""
        link, answer = self.answers[canonical(look.answer.url)]
        if isinstance(answer, Fetched):
            page = replace(look.answer.answer, fetched_at=answer.answer.fetched_at)
            self.answers[link.key] = link, replace(look.answer, exchanges=(page,))

    async def _found(self) -> Found:
        """The blog as it is now; its front page tells menus from posts, and is visited anyway."""
        home, start = self.blog.home, start_page(self.blog, self.run.archive)
        answer = await self.run.fetcher.fetch(start)
        self.run.tally.requests += 1
        self.answers[canonical(start)] = Link(url=start, key=canonical(start), lane="page"), answer
        return Found(
            home=home, home_page=None if isinstance(answer, Failure) else answer, feed=self.feed,
            feed_url=self.feed_page.answer.url, feed_page=self.feed_page,
        )

    async def _study_comments(self, found: Found, shown: Mapping[str, Fetched]) -> CommentGatherer:
        """How the blog writes comments now, from the comment feeds of its newest posts."""
        entries = {entry.link: entry for entry in found.feed.entries if entry.link}
        commenting = self._commenting()
        commenting.entries |= {canonical(page.page.url): entries[link] for link, page in shown.items()}
        if self.run.settings.comments:
            visits = await commenting.study((entries[link], page) for link, page in shown.items())
            self.run.archive.commit(visits)
        return commenting

    def _commenting(self, rules: CommentRules | None = None) -> CommentGatherer:
        """What the crawl reads comments by; it has the pages that were rendered, so that none is rendered twice."""
        feed_url, run = self.feed_page.answer.url, self.run
        return CommentGatherer(
            blog_id=self.blog.id, fetcher=run.fetcher, rendering=self.rendering, tally=run.tally, rules=rules,
            entries={
                canonical(absolute(feed_url, entry.link) or ""): entry for entry in self.feed.entries if entry.link
            },
        )

    def _with_old_addresses(self, learned: LearnedBlog) -> LearnedBlog:
        """What was learned, with the addresses of the posts of before: pages may change and addresses stay."""
        held = self.run.archive.posts.newest(self.blog.id, limit=MOST_EXAMPLES)
        odd = [url for url in map("http://{}".format, held) if not learned.classifier.likely_post(url)]
        return replace(learned, classifier=learned.classifier.with_urls(odd)) if odd else learned

    def _adopt(
        self, learned: LearnedBlog, commenting: CommentGatherer, before: Sequence[Fit], after: Sequence[Fit],
    ) -> Redesign:
        learned = replace(learned, learned_at=self._asked_at())
        reason = begin_era(self.blog.id, learned, before, after, self.run.archive)
        self._keep_tried(())
        self.run.tally.remarks.append(f"{reason}; older pages are still read with the old rules")
        return Redesign(learned=learned, answers=tuple(self.answers.values()), is_new=True, commenting=commenting)

    def _asked_at(self) -> datetime:
        """When the first page was fetched that may show the new design: pages of before it are of the old one."""
        asked = [each.answer.fetched_at for _, each in self.answers.values() if isinstance(each, Fetched)]
        return min(asked, default=self.run.now())

    def _as_before(self) -> Redesign:
        self.rendering.is_scripted = self.learned.is_scripted
        commenting = self._commenting(self.learned.template.comments) if self.rendering.renders_all else None
        return Redesign(learned=self.learned, answers=tuple(self.answers.values()), commenting=commenting)

    def _keep_the_old(self, new: Sequence[_Look], why: str) -> Redesign:
        self._remember_tried(new)
        lost = [look.fit.lost for look in new if look.fit.lost is not None]
        self.run.tally.remarks.append(
            f"{len(lost)} new posts may be wrong ({lost[0]}), and {why}; the old rules are kept"
        )
        return self._as_before()

    def _remember_tried(self, new: Sequence[_Look]) -> None:
        kept = self.run.archive.blogs.state(self.blog.id).relearned_for
        lost = [_key(look.entry) for look in new if look.fit.lost is not None]
        self._keep_tried([*dict.fromkeys((*kept, *lost))][-MOST_TRIED:])

    def _keep_tried(self, keys: Sequence[str]) -> None:
        self.run.archive.blogs.change_state(self.blog.id, lambda state: replace(state, relearned_for=tuple(keys)))

    def _was_tried(self, new: Sequence[_Look]) -> bool:
        """Whether learning again was tried for all of these already, in vain."""
        tried = set(self.run.archive.blogs.state(self.blog.id).relearned_for)
        return all(_key(look.entry) in tried for look in new if look.fit.lost is not None)


def _with_links(entries: Iterable[Entry]) -> list[Entry]:
    """The entries that lead somewhere, each address once."""
    return list({entry.link: entry for entry in entries if entry.link}.values())


def _key(entry: Entry) -> str:
    return canonical(entry.link or "")
