"""LearnedBlog: what is known about a blog once it was learned, how to read its posts and how to classify pages."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.tree import Element, parse
from everlog.core.urls import absolute, canonical, host_of
from everlog.errors import NothingToLearn, UnreadablePage
from everlog.extract.classify import PostClassifier
from everlog.extract.classify.scripted import needs_browser
from everlog.extract.learn_blog import PAGES_USED, learn, learn_entries
from everlog.extract.template import Template
from everlog.records import Blog, Entry, Failure, Feed, Fetched, Page
from everlog.usecases.page.rendering import HTML, NotRendered, Rendering

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from everlog.core.fetcher import Fetcher
    from everlog.core.scope import Scope
    from everlog.usecases.discover.discover_blog import Found

# Hosts that an error names.
NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedBlog:
    """A learned blog: its template reads posts, its judge tells them from other pages.

    `is_scripted` says that its pages show nothing before their scripts ran, `without_feed` that its own
    pages taught all this, and no feed. `learned_at` is when the first of the pages was fetched that look like this;
    None where an older version did not write it down.
    """

    template: Template
    classifier: PostClassifier
    is_scripted: bool = False
    without_feed: bool = False
    learned_at: datetime | None = None

    def knowledge(self) -> str:
        """The judge as JSON text; the template has a place of its own in the archive."""
        own = {
            "scripted": self.is_scripted, "without_feed": self.without_feed,
            "learned_at": self.learned_at.isoformat() if self.learned_at is not None else None,
        }
        said = {name: value for name, value in own.items() if value}
        return json.dumps(self.classifier.to_dict() | said, ensure_ascii=False)

    def with_manual_of(self, before: LearnedBlog | None) -> LearnedBlog:
        """What was learned anew, with the rules that were set by hand before."""
        return self if before is None else replace(self, template=self.template.with_manual(before.template.manual))

    @classmethod
    def of(cls, blog: Blog) -> LearnedBlog | None:
        """What an archive remembers of a blog; None for one that was not learned yet."""
        if blog.template is None or blog.knowledge is None:
            return None
        return cls.from_texts(blog.template, blog.knowledge)

    @classmethod
    def from_texts(cls, template: str, knowledge: str) -> LearnedBlog:
        """The same from the texts themselves, as an archive keeps them of a blog's former designs too."""
        said = json.loads(knowledge)
        since = said.get("learned_at")
        return cls(
            template=Template.from_json(template), classifier=PostClassifier.from_dict(said),
            is_scripted=bool(said.get("scripted")), without_feed=bool(said.get("without_feed")),
            learned_at=datetime.fromisoformat(since) if since is not None else None,
        )


async def fetch_entries(found: Found, fetcher: Fetcher, scope: Scope) -> dict[str, Fetched]:
    """The pages of the feed's newest entries, under the entries' links; those that led out of the scope as well."""
    if found.explored is not None:
        answered = {answer.page.url: answer for _, answer in found.explored.answers if isinstance(answer, Fetched)}
        return {link: answered[link] for entry in found.feed.entries if (link := entry.link) in answered}
    wanted = [entry.link for entry in found.feed.entries if entry.link][:PAGES_USED]
    answers = await asyncio.gather(*(_fetch_entry(link, found, fetcher, scope) for link in dict.fromkeys(wanted)))
    return {link: answer for link, answer in zip(dict.fromkeys(wanted), answers, strict=True) if answer is not None}


def learn_blog(found: Found, pages: Mapping[str, Fetched], scope: Scope, *, is_scripted: bool = False) -> LearnedBlog:
    """Learn the blog from its feed and the pages its entries link to."""
    if not pages:
        raise nothing_fetched(found)
    bodies = {answer.page.url: answer.answer.body for answer in pages.values()}
    since = min(answer.answer.seen_at for answer in pages.values())
    others = {found.home_page.page.url: found.home_page.answer.body} if found.home_page else {}
    if found.feed_page is None:
        template = _learn_from_pages(found, _under_links(pages))
        stated = _stated(pages.values(), scope)
        classifier = PostClassifier.learn(template, bodies, home=found.home, feed_urls=stated, others=others)
        return LearnedBlog(
            template=template, classifier=classifier, is_scripted=is_scripted, without_feed=True, learned_at=since,
        )
    template = learn(found.feed_page.answer.body, _under_links(pages), found.feed_url)
    # A crawl asks the feed itself, as it is at the time (`entries`).
    template = replace(template, entries=MappingProxyType({}))
    classifier = PostClassifier.learn(template, bodies, home=found.home, others=others)
    return LearnedBlog(template=template, classifier=classifier, is_scripted=is_scripted, learned_at=since)


def nothing_fetched(found: Found, elsewhere: Iterable[Fetched] = ()) -> NothingToLearn:
    """Why a blog cannot be learned of whose feed no page could be had, or none that belongs to it."""
    hosts = [urlsplit(answer.page.url).netloc for answer in elsewhere]
    hosts = sorted(set(hosts), key=lambda host: (-hosts.count(host), host))
    first = found.feed.entries[0].link or found.home
    if not hosts:
        return NothingToLearn(
            f"none of the {len(found.feed.entries)} pages listed in {found.feed_url} can be fetched",
            advice=f"open {first} in a browser; is the blog still there?\n"
                   f"  to crawl without the feed: everlog crawl {found.home} --no-feed",
        )
    flag = "--scope host" if host_of(f"http://{hosts[0]}") == host_of(found.home) else f"--also {hosts[0]}"
    return NothingToLearn(
        f"the pages listed in {found.feed_url} are not part of {found.home}: they are at {', '.join(hosts[:NAMED])}",
        advice=f"to crawl them as the same blog:  everlog crawl {found.home} {flag}\n"
               f"  to crawl without the feed:  everlog crawl {found.home} --no-feed",
    )


def _learn_from_pages(found: Found, pages: Mapping[str, bytes]) -> Template:
    try:
        return learn_entries(found.feed, pages)
    except NothingToLearn as error:
        raise NothingToLearn(
            f"the {len(pages)} pages of {found.home} that may be posts gave no rules: {error.message}",
            advice=f"if you know its feed:  everlog crawl {found.home} --feed FEED_URL",
        ) from error


def _stated(pages: Iterable[Fetched], scope: Scope) -> list[str]:
    """Other addresses that posts call their own: they teach the pattern too."""
    # Only blogs without a feed need this, and it is slow to load.
    from everlog.extract.feedless import own_addresses  # noqa: PLC0415

    return own_addresses(_parsed({answer.page.url: answer.page for answer in pages}.values()), scope)


def _parsed(pages: Iterable[Page]) -> Iterator[tuple[str, Element]]:
    for page in pages:
        with suppress(UnreadablePage):
            yield page.url, parse(page.body, page.content_type)


def entry_marks(feed: Feed) -> dict[str, str]:
    """A short mark per entry that changes with the entry: what an update compares."""
    return {canonical(entry.link): _mark(entry) for entry in feed.entries if entry.link}


def _mark(entry: Entry) -> str:
    parts: Iterable[object] = (entry.title, entry.content or entry.summary, entry.updated)
    text = blake2b(repr(tuple(parts)).encode("utf-8", "replace"), digest_size=8).hexdigest()
    # A new comment is news too.
    return text if entry.comment_count is None else f"{text} {entry.comment_count}"


async def _fetch_entry(link: str, found: Found, fetcher: Fetcher, scope: Scope) -> Fetched | None:
    whole = absolute(found.feed_url, link)
    if whole is None:
        return None
    elsewhere: Fetched | None = None
    for url in scope.page_urls(whole):
        answer = await fetcher.fetch(url)
        if isinstance(answer, Failure):
            continue
        if scope.is_own(answer.page.url):
            return answer
        elsewhere = answer
    return elsewhere


async def rendered_where_needed(
    found: Found, pages: Mapping[str, Fetched], rendering: Rendering,
) -> tuple[Found, Mapping[str, Fetched]]:
    """The same blog with its pages as a browser shows them, where they show nothing without one.

    Whether they do is a question of evidence: what the feed says of its posts must stand on their pages.
    """
    if found.explored is not None:
        shown = found.explored.shown
        home_page = shown.get(found.home, found.home_page)
        return replace(found, home_page=home_page), {link: shown.get(link, page) for link, page in pages.items()}
    rendering.is_scripted = rendering.settings.render == "auto" and needs_browser(_pairs(found, pages))
    if not rendering.renders_all:
        return found, pages
    home = (found.home_page,) if found.home_page is not None else ()
    rendered = await asyncio.gather(*(rendered_page(answer, rendering) for answer in (*pages.values(), *home)))
    shown = dict(zip(pages, rendered, strict=False))
    if rendering.is_scripted and needs_browser(_pairs(found, shown)):
        # A browser shows no more of it: the feed speaks of something else than the pages.
        rendering.is_scripted = False
        return found, pages
    return replace(found, home_page=rendered[-1] if home else None), shown


async def rendered_page(answer: Fetched, rendering: Rendering) -> Fetched:
    """The answer with what a browser shows in place of its body; as it is if it cannot be rendered."""
    try:
        rendered = await rendering.render(answer.page)
    except NotRendered:
        return answer
    rendering.keep_for_later(rendered)
    kept = tuple(pair for pair in answer.answer.headers if pair[0].lower() != "content-type")
    last = replace(answer.answer, body=rendered.body, headers=(*kept, ("Content-Type", HTML)))
    return replace(answer, exchanges=(*answer.exchanges[:-1], last))


def _pairs(found: Found, pages: Mapping[str, Fetched]) -> list[tuple[Entry, Page]]:
    entries = {entry.link: entry for entry in found.feed.entries if entry.link}
    return [(entries[link], answer.page) for link, answer in pages.items() if link in entries]


def _under_links(pages: Mapping[str, Fetched]) -> dict[str, bytes]:
    return {link: answer.answer.body for link, answer in pages.items()}
