"""What is known about a blog once it was learned: how to read its posts, and how to tell them."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, replace
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.errors import NothingToLearn, UsageError
from everlog.feeds import parse_feed
from everlog.flow.discover import Found
from everlog.learning.blog import PAGES_USED, learn
from everlog.links import Scope
from everlog.posts import PostJudge
from everlog.records import Failure, Fetched
from everlog.rules import Rule
from everlog.template import Template
from everlog.urls import absolute, canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from everlog.archive import Archive
    from everlog.records import Blog, Entry, Feed
    from everlog.web import Web

FIELDS = ("text", "title", "authors", "published", "updated", "tags", "summary")
DATES = frozenset({"published", "updated"})
# The notation of `everlog.selectors`, as far as people write it by hand.
_ONE = r"[a-z][a-z0-9]*(?:#[\w-]+|\.[\w-]+|\[(?:itemprop|role|rel|property)=[\w:.-]+\])?"
SELECTOR = re.compile(rf"{_ONE}(?:>{_ONE})*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A learned blog: its template reads posts, its judge tells them from other pages."""

    template: Template
    judge: PostJudge

    def knowledge(self) -> str:
        """The judge as JSON text; the template has a place of its own in the archive."""
        return json.dumps(self.judge.to_dict(), ensure_ascii=False)

    @classmethod
    def of(cls, blog: Blog) -> Known | None:
        """What an archive remembers of a blog; None for one that was not learned yet."""
        if blog.template is None or blog.knowledge is None:
            return None
        return cls(
            template=Template.from_json(blog.template), judge=PostJudge.from_dict(json.loads(blog.knowledge)),
        )


async def fetch_entries(found: Found, web: Web, scope: Scope) -> dict[str, Fetched]:
    """The pages of the feed's newest entries, under the entries' links."""
    wanted = [entry.link for entry in found.feed.entries if entry.link][:PAGES_USED]
    answers = await asyncio.gather(*(_fetch_entry(link, found, web, scope) for link in dict.fromkeys(wanted)))
    return {link: answer for link, answer in zip(dict.fromkeys(wanted), answers, strict=True) if answer is not None}


def learn_blog(found: Found, pages: Mapping[str, Fetched]) -> Known:
    """Learn the blog from its feed and the pages its entries link to."""
    if not pages:
        raise NothingToLearn(
            f"none of the {len(found.feed.entries)} pages that {found.feed_url} lists can be fetched",
            advice=f"open {found.feed.entries[0].link or found.home} in a browser; is the blog still there?",
        )
    template = learn(found.feed_page.answer.body, _under_links(pages), found.feed_url)
    bodies = {answer.page.url: answer.answer.body for answer in pages.values()}
    others = {found.home: found.home_page.answer.body} if found.home_page else {}
    return Known(template=template, judge=PostJudge.learn(template, bodies, home=found.home, others=others))


def entry_urls(link: str, home: str, scope: Scope) -> tuple[str, ...]:
    """Where the page of a feed's entry may be: its link, and the same path on the blog's own host.

    Feeds written by a build on somebody's machine link to that machine, feeds of a moved blog to its
    old host; the path is right in both.
    """
    if scope.holds(link):
        return (link,)
    here, there = urlsplit(home), urlsplit(link)
    moved = there._replace(scheme=here.scheme, netloc=here.netloc).geturl()
    return (moved, link) if scope.holds(moved) else (link,)


def entry_marks(feed: Feed) -> dict[str, str]:
    """A short mark per entry that changes with the entry: what an update compares."""
    return {canonical(entry.link): _mark(entry) for entry in feed.entries if entry.link}


def _mark(entry: Entry) -> str:
    parts: Iterable[object] = (entry.title, entry.content or entry.summary, entry.updated)
    return blake2b(repr(tuple(parts)).encode("utf-8", "replace"), digest_size=8).hexdigest()


async def _fetch_entry(link: str, found: Found, web: Web, scope: Scope) -> Fetched | None:
    whole = absolute(found.feed_url, link)
    if whole is None:
        return None
    for url in entry_urls(whole, found.home, scope):
        answer = await web.fetch(url)
        if not isinstance(answer, Failure) and scope.holds(answer.page.url):
            return answer
    return None


def _under_links(pages: Mapping[str, Fetched]) -> dict[str, bytes]:
    return {link: answer.answer.body for link, answer in pages.items()}


def learn_again(blog: Blog, archive: Archive) -> Known:
    """Learn a blog anew from its stored feed and pages; no request is made."""
    capture = archive.capture_of(blog.id, blog.feed_url or "")
    if capture is None:
        raise NothingToLearn(f"no feed of {blog.home} is stored", advice=f"everlog crawl {blog.home}")
    feed_page = archive.exchange(capture)
    feed = parse_feed(feed_page.body, feed_page.url)
    scope = Scope(blog.home, blog.scope)
    pages: dict[str, Fetched] = {}
    for entry in feed.entries:
        whole = absolute(feed_page.url, entry.link)
        for url in entry_urls(whole, blog.home, scope) if whole else ():
            stored = archive.capture_of(blog.id, url)
            if stored is not None:
                pages[entry.link or url] = Fetched(url=url, exchanges=(archive.exchange(stored),))
                break
    home = archive.capture_of(blog.id, blog.home)
    return learn_blog(Found(
        home=blog.home, home_page=Fetched(url=blog.home, exchanges=(archive.exchange(home),)) if home else None,
        feed_url=feed_page.url, feed=feed, feed_page=Fetched(url=feed_page.url, exchanges=(feed_page,)),
    ), pages)


def corrected(known: Known, name: str, selector: str) -> Known:
    """The same knowledge with one rule set by hand, ahead of the learned ones."""
    template = known.template
    if name not in FIELDS:
        raise UsageError(
            f"unknown field {name!r}\n  known are: {', '.join(FIELDS)}", advice="everlog rules BLOG shows them",
        )
    if not selector.strip() or not SELECTOR.fullmatch(selector.strip()):
        raise UsageError(
            f"{selector!r} is not a selector everlog reads",
            advice="give tag#id, tag.class, tag[itemprop=x] or a tag, with '>' between parents and children",
        )
    if name == "text":
        first, *others = template.designs
        rule = Rule(method="selector", where=selector.strip())
        designs = (replace(first, places=(rule, *first.places)), *others)
        return replace(known, template=replace(template, designs=designs))
    ranked = template.fields.get(name, ())
    # How a date is written stays the same wherever it stands.
    detail = next((dict(rule.detail) for rule in ranked if "formats" in rule.detail), {}) if name in DATES else {}
    rule = Rule(method="selector", where=selector.strip(), detail=MappingProxyType(detail))
    fields = MappingProxyType({**template.fields, name: (rule, *ranked)})
    return replace(known, template=replace(template, fields=fields))
