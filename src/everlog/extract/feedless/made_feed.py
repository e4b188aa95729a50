"""The feed that a blog without one would have: its posts as their own pages tell of them.

Titles are guessed by agreement; dates, authors and tags are left out on purpose, for the learner finds the places
where pages state them whenever a feed is silent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.core.links import resolved
from everlog.core.scope import Scope
from everlog.core.urls import canonical
from everlog.core.words import comparable
from everlog.errors import NothingToLearn
from everlog.extract.classify import PostClassifier
from everlog.extract.classify.page_statements import canonical_link
from everlog.extract.feedless.feedless_titles import guess_titles
from everlog.extract.feedless.recognise import Explored, recognise
from everlog.extract.fields.small_texts_read import short_text
from everlog.extract.learn_blog import learn_entries
from everlog.records import Entry, Feed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from everlog.core.tree import Element
    from everlog.extract.feedless.explorer import Explorer
    from everlog.extract.template import Template


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """A blog learned without a feed: its template, its classifier, and the feed that was made up for it."""

    template: Template
    classifier: PostClassifier
    feed: Feed


def learn_explored(explorer: Explorer) -> Learned:
    """Learns a blog from pages that were walked; `NothingToLearn` if no posts are recognised among them."""
    home, pages = explorer.home, explorer.pages
    feed = made_up_feed(pages, home)
    if not feed.entries:
        raise NothingToLearn(
            f"none of the {len(pages)} pages fetched from {home} looks like a post",
            advice="pass the address of the page that lists the posts, or a feed with --feed",
        )
    posts = {entry.link: explorer.bodies[entry.link] for entry in feed.entries if entry.link}
    template = learn_entries(feed, posts)
    front = {page.url: explorer.bodies[page.url] for page in pages if page.key == canonical(home)}
    stated = own_addresses(((page.url, page.root) for page in pages if page.url in posts), Scope(home))
    classifier = PostClassifier.learn(template, posts, home=home, feed_urls=stated, others=front)
    return Learned(template=template, classifier=classifier, feed=feed)


def own_addresses(posts: Iterable[tuple[str, Element]], scope: Scope) -> list[str]:
    """The addresses within the blog that posts, given as URL and page, call their own, where each names another one.

    >>> from lxml import etree
    >>> pages = [(f"https://a.org/?p={n}", etree.HTML(f"<link rel=canonical href=/post-{n}>")) for n in (1, 2)]
    >>> own_addresses(pages, Scope("https://a.org/")), own_addresses(pages, Scope("https://a.org/blog/"))
    (['https://a.org/post-1', 'https://a.org/post-2'], [])
    """
    stated = [link for url, root in posts if (link := canonical_link(root, url))]
    times = Counter(map(canonical, stated))
    front = canonical(scope.home)
    return [link for link in stated if times[key := canonical(link)] == 1 and scope.is_own_key(key) and key != front]


def made_up_feed(pages: Sequence[Explored], home: str) -> Feed:
    """A feed of the posts among some pages of the blog at `home`; without entries if there are none."""
    posts = recognise(pages, home)
    titles = guess_titles([post.view for post in posts], _anchors(posts, pages))
    entries = tuple(Entry(link=post.url, title=title) for post, title in zip(posts, titles, strict=True))
    return Feed(url=None, home=home, title=_blog_title(pages, home), entries=entries, kind="made up")


def _anchors(posts: Sequence[Explored], pages: Sequence[Explored]) -> Mapping[str, frozenset[str]]:
    """URL -> the texts of the links by which other pages lead to it."""
    wanted = {post.key: post.url for post in posts}
    found: dict[str, set[str]] = defaultdict(set)
    for page in pages:
        for anchor in page.root.iter("a"):
            target = resolved(page.url, anchor.get("href") or "")
            if target is not None and target[1] in wanted and target[1] != page.key:
                found[wanted[target[1]]].add(comparable(short_text(anchor)))
    return {url: frozenset(texts - {""}) for url, texts in found.items()}


def _blog_title(pages: Sequence[Explored], home: str) -> str | None:
    front = next((page for page in pages if page.url == home), None)
    if front is None:
        return None
    return (*front.view.meta.get("og:site_name", ()), front.view.head_title, "")[0] or None
