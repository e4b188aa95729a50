"""Aliases: blogs whose own pages name another host as theirs. Is it the same blog there, and is it here as well?

Links to such an alias are looked for at the same path on the blog's own host first. The alias itself is asked
where it answers with the same posts; where it does not, what leads there is counted and said.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.links import resolved
from everlog.core.retry_policy import SERVER_ERRORS
from everlog.core.scope import Alias, Scope, folder_of, is_below, rebased, without_file
from everlog.core.tree import Element, parse
from everlog.core.urls import absolute, canonical, host_of
from everlog.errors import UnreadablePage
from everlog.extract.classify import canonical_link
from everlog.extract.classify.scripted import SHOWN, share_shown
from everlog.records import Entry, Failure, Feed, Fetched, Post
from everlog.schedule.blog_names import NameEvidence, is_telling, same_blog
from everlog.usecases.discover.blog_scope import plain_scope
from everlog.usecases.discover.discover_blog import Found
from everlog.usecases.page.post_identity import shows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from everlog.core.fetcher import Fetcher
    from everlog.usecases.discover.front_page import Front
    from everlog.usecases.learn.learned_blog import LearnedBlog

# Pages that are searched for links to other hosts: the front page and a few posts show a blog's menus and lists.
PAGES_READ = 6
# Links to a host before it is looked at: one or two are a mention.
LEAST_LINKS = 3
# Where neither canonical links nor the feed name another host, nearly all inner links must lead there, some of them to
# posts that are here. Of 96 real blogs one is told so, rightly: its pages link to a country's variant of its host.
MOST_INNER, LEAST_INNER = 0.8, 10
LEAST_SAME = 2
# Posts that are asked for on each side, to see whether both show the same.
POSTS_COMPARED = 3
LINKS_TRIED = 3


@dataclass(slots=True, kw_only=True)
class _Named:
    """What a blog's pages and feed say of one other host; `is_own` if it is what they give as their own address."""

    links: dict[str, str] = field(default_factory=dict)
    canonicals: int = 0
    entries: int = 0
    homes: Counter[str] = field(default_factory=Counter)
    is_own: bool = False


async def alias_of_front(front: Front, fetcher: Fetcher) -> tuple[Alias | None, list[Fetched]]:
    """The host that a front page names as its own where no feed tells, if what it links to there is here; as it is."""
    scope = plain_scope(front.home)
    found = Found(home=front.home, home_page=front.page, feed_url=None, feed=Feed(url=None), feed_page=None)
    for each in _named(found, {}, scope, leads_to=True).values():
        alias = Alias(home=_home_there(each, scope), here=True)
        below = [url for key, url in each.links.items() if is_below(key, folder_of(alias.home))]
        answers = [await fetcher.fetch(rebased(url, alias.home, front.home)) for url in below[:LINKS_TRIED]]
        pages = [answer for answer in answers if isinstance(answer, Fetched) and scope.is_own(answer.page.url)]
        if _differ([page.answer.body for page in pages]):
            return alias, pages
    return None, []


def stated_alias(found: Found, scope: Scope) -> Alias | None:
    """The home on another host, at another path, that a front page or feed states and the feed's entries lie below."""
    front = found.home_page
    canonical_home = canonical_link(_root(front), front.page.url) if front is not None else None
    links = [whole for entry in found.feed.entries if (whole := absolute(found.feed_url, entry.link)) is not None]
    for home in filter(None, (canonical_home, found.feed.home)):
        below = sum(is_below(canonical(link), folder_of(home)) for link in links)
        same_path = urlsplit(home).path.rstrip("/") == urlsplit(scope.home).path.rstrip("/")
        if host_of(home) != host_of(scope.home) and below * 2 > len(links) and not same_path:
            return Alias(home=home, here=True)
    return None


def alias_of_entries(found: Found, pages: Mapping[str, Fetched], scope: Scope) -> Alias | None:
    """The host that a feed's entries answer on, where none of them does on the blog's own; None if it is another blog.

    It is the same blog if its home page leads there, to posts that say what the feed says of them.
    """
    hosts = Counter(host_of(answer.page.url) for answer in pages.values())
    host = hosts.most_common(1)[0][0] if hosts else host_of(scope.home)
    if host == host_of(scope.home) or found.home_page is None:
        return None
    there = {link: answer for link, answer in pages.items() if host_of(answer.page.url) == host}
    shown = _links_of([(found.home_page.page.url, _root(found.home_page))])
    entries = {entry.link: entry for entry in found.feed.entries if entry.link}
    same = [
        answer for link, answer in there.items()
        if canonical(link) in shown and _says(entries[link], answer)
    ]
    if len(same) * 2 <= len(pages) or len(same) < min(LEAST_LINKS, len(pages)):
        return None
    base = urlsplit(same[0].page.url)
    home = urlsplit(scope.home)._replace(scheme=base.scheme, netloc=base.netloc).geturl()
    if found.feed.home and host_of(found.feed.home) == host:
        home = found.feed.home
    sameness = same_blog(NameEvidence(home=home, entries=len(there), own_links=len(same), equal_posts=len(same)))
    return Alias(home=home, followed=True, evidence=sameness.signs)


async def find_aliases(
    found: Found, pages: Mapping[str, Fetched], learned: LearnedBlog, scope: Scope, fetcher: Fetcher,
) -> tuple[Alias, ...]:
    """The aliases of a blog that was learned: those it has, and those its pages name, looked at more closely."""
    named = _named(found, pages, scope)
    aliases = [
        await _checked(alias, named.pop(host_of(alias.home), _Named()), pages, learned, scope, fetcher)
        for alias in scope.aliases
    ]
    for each in named.values():
        checked = await _checked(Alias(home=_home_there(each, scope)), each, pages, learned, scope, fetcher)
        if checked.here or checked.followed or each.is_own:
            aliases.append(checked)
    return tuple(aliases)


async def _checked(
    alias: Alias, named: _Named, pages: Mapping[str, Fetched], learned: LearnedBlog, scope: Scope, fetcher: Fetcher,
) -> Alias:
    below = [url for key, url in named.links.items() if is_below(key, folder_of(alias.home))]
    here = await _answers_here(below, alias, pages, learned, scope, fetcher)
    if alias.followed:
        return replace(alias, here=here)
    said = NameEvidence(
        home=alias.home, canonicals=named.canonicals, entries=named.entries,
        # Nearly all inner links lead there where it is neither canonical links nor the feed that name it.
        own_links=here * sum(map(is_telling, below)) if named.is_own else len(below),
    )
    return replace(await _compared(alias, said, pages, learned, scope, fetcher), here=here)


async def _answers_here(
    links: list[str], alias: Alias, pages: Mapping[str, Fetched], learned: LearnedBlog, scope: Scope, fetcher: Fetcher,
) -> bool:
    """Whether what is linked at the alias answers at the same path here, and is what it should be."""
    held = {canonical(answer.page.url) for answer in pages.values()}
    here = list({canonical(url): url for url in (rebased(link, alias.home, scope.home) for link in links)}.items())
    if any(key in held for key, _ in here):
        return True
    posts = [url for _, url in here if learned.classifier.likely_post(url)]
    bodies: list[bytes] = []
    for url in (posts or [url for _, url in here])[:LINKS_TRIED]:
        answer = await fetcher.fetch(url)
        if not isinstance(answer, Fetched) or not scope.is_own(answer.page.url):
            continue
        if not posts or learned.classifier.verdict(answer.page.url, _root(answer)).kind == "post":
            bodies.append(answer.answer.body)
    return _differ(bodies)


def _differ(bodies: list[bytes]) -> bool:
    """Whether pages were answered: a server that says the same for any address has none of them."""
    return bool(bodies) and (len(bodies) == 1 or len(set(bodies)) > 1)


async def _compared(
    alias: Alias, said: NameEvidence, pages: Mapping[str, Fetched], learned: LearnedBlog, scope: Scope,
    fetcher: Fetcher,
) -> Alias:
    """An alias that is followed if it answers with posts that are here, else one that says why not.

    `said` is what the blog's own pages say of it; a second post is asked for where one does not settle it.
    """
    reason, answers = "could not be compared: no post of this blog could be read", True
    posts = (learned.template.read(page.body, page.url, page.content_type, page.fetched_at)
             for page in (answer.page for answer in pages.values()))
    own = (post for post in posts if isinstance(post, Post) and is_below(canonical(post.url), folder_of(scope.home)))
    for post in islice(own, POSTS_COMPARED):
        answer = await fetcher.fetch(rebased(post.url, scope.home, alias.home))
        if isinstance(answer, Failure):
            reason, answers = answer.reason, answer.status is not None and answer.status < SERVER_ERRORS
            if not answers:
                break
            said = replace(said, missing_posts=said.missing_posts + 1)
        elif host_of(answer.page.url) != host_of(alias.home):
            reason = f"it redirects to {answer.page.url}"
        elif shows(answer.page, post):
            said = replace(said, equal_posts=said.equal_posts + 1)
            if (sameness := same_blog(said)).is_same:
                return replace(alias, followed=True, evidence=sameness.signs)
        else:
            said = replace(said, other_posts=said.other_posts + 1)
            reason = f"{answer.page.url} is not the same page as {post.url}"
    return replace(alias, reason=reason, answers=answers, evidence=_settled(said))


def _settled(said: NameEvidence) -> tuple[str, ...]:
    """The signs by which an alias is the same blog though none of its pages shows that; none where they are too few."""
    sameness = same_blog(said)
    return sameness.signs if sameness.is_same else ()


def _named(
    found: Found, pages: Mapping[str, Fetched], scope: Scope, *, leads_to: bool = False,
) -> dict[str, _Named]:
    """The other hosts that a blog's pages lead to as if they were its own; with `leads_to` also if no post tells."""
    front = (found.home_page,) if found.home_page is not None else ()
    parsed = [(answer.page.url, _root(answer)) for answer in (*front, *pages.values())][:PAGES_READ]
    hosts: dict[str, _Named] = defaultdict(_Named)
    for key, url in _links_of(parsed).items():
        hosts[host_of(url)].links[key] = url
    stated = [(url, whole) for url, root in parsed if (whole := canonical_link(root, url)) is not None]
    linked = [(pages[link].page.url, whole) for link in pages if (whole := absolute(found.feed_url, link)) is not None]
    for _, whole in stated:
        hosts[host_of(whole)].canonicals += 1
    for _, whole in linked:
        hosts[host_of(whole)].entries += 1
    for here, there in (*stated, *linked):
        if (home := _home_by(here, there, scope.home)) is not None:
            hosts[host_of(there)].homes[home] += 1
    own = len(hosts.pop(host_of(scope.home), _Named()).links)
    for each in hosts.values():
        by_most = each.canonicals * 2 > len(stated) or each.entries * 2 > len(linked)
        each.is_own = by_most and (bool(each.homes) or len(each.links) > own)
    return {
        host: each for host, each in hosts.items()
        if len(each.links) >= LEAST_LINKS and not scope.is_own(next(iter(each.links.values())))
        and (each.is_own or (len(each.links) >= max(LEAST_INNER, MOST_INNER * (len(each.links) + own))
                             and (leads_to or _leads_to(pages, each, scope))))
    }


def _leads_to(pages: Mapping[str, Fetched], each: _Named, scope: Scope) -> bool:
    """Whether links to another host are those of posts that are here: the same paths."""
    held = {canonical(answer.page.url) for answer in pages.values()}
    home = _home_there(each, scope)
    return sum(canonical(rebased(url, home, scope.home)) in held for url in each.links.values()) >= LEAST_SAME


def _home_there(each: _Named, scope: Scope) -> str:
    """Where the home of the blog is at an alias: as its pages' addresses there and here tell, else at the same path."""
    if each.homes:
        return each.homes.most_common(1)[0][0]
    base = urlsplit(next(iter(each.links.values())))
    return urlsplit(scope.home)._replace(scheme=base.scheme, netloc=base.netloc).geturl()


def _home_by(here: str, there: str, home: str) -> str | None:
    """The home at an alias, told by one page that has an address here and another there.

    >>> _home_by("http://a.org/mirror/2020/x/", "https://b.org/2020/x/", "http://a.org/mirror/")
    'https://b.org/'
    """
    own, other = urlsplit(here).path, urlsplit(there)
    folder = without_file(urlsplit(home).path.rstrip("/"))
    below = own.removeprefix(folder)
    if host_of(here) != host_of(home) or not own.startswith(folder) or len(below) < 2:
        return None
    if not other.path.rstrip("/").endswith(below.rstrip("/")):
        return None
    above = other.path.rstrip("/").removesuffix(below.rstrip("/"))
    return other._replace(path=above + "/", query="", fragment="").geturl()


def _links_of(parsed: Iterable[tuple[str, Element]]) -> dict[str, str]:
    """All links of some pages, by their keys."""
    found: dict[str, str] = {}
    for url, root in parsed:
        for anchor in root.iter("a"):
            target = resolved(url, anchor.get("href") or "")
            if target is not None:
                found.setdefault(target[1], target[0])
    return found


def _says(entry: Entry, answer: Fetched) -> bool:
    """Whether a page says what a feed's entry does: its text, or its title where that is all."""
    share = share_shown(entry, answer.page)
    if share is not None:
        return share >= SHOWN
    text = " ".join(" ".join(map(str, _root(answer).itertext())).split()).casefold()
    return bool(entry.title) and " ".join((entry.title or "").split()).casefold() in text


def _root(answer: Fetched) -> Element:
    try:
        return parse(answer.page.body, answer.page.content_type)
    except UnreadablePage:
        return parse(b"<html></html>")
