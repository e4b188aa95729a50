"""Evidence for another name of a blog, asked for with a few requests: what its posts and its home page do there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from everlog.core.links import resolved
from everlog.core.retry_policy import NOT_THERE
from everlog.core.scope import folder_of, is_below, rebased
from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import UnreadablePage
from everlog.extract.classify import canonical_link
from everlog.records import Failure, Fetched, Post
from everlog.schedule.blog_names import LEAST_EQUAL, NameEvidence, is_telling, same_blog
from everlog.usecases.page.post_identity import shows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from everlog.core.fetcher import Fetcher
    from everlog.records import Exchange
    from everlog.schedule.name_candidates import NameCandidate

PERMANENT = frozenset({301, 308})
# Posts that are asked for at another address, before its home: one that links named, and an old one.
POSTS_ASKED = 2
# Links of a front page that are looked up.
LINKS_READ = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class NameFound:
    """What was found out of a candidate, with the number of requests it took; `problem` is why nothing was answered."""

    evidence: NameEvidence
    requests: int = 0
    problem: str = ""


async def ask_evidence(
    candidate: NameCandidate, home: str, held: Callable[[str], Post | None], oldest: Sequence[str], fetcher: Fetcher,
) -> NameFound:
    """What a candidate's own pages say: those of posts that are `held` (by their keys), then its home page.

    `home` is the blog's, `oldest` the keys of its oldest posts. Nothing more is asked once the evidence is enough,
    nor of a host that does not answer, or does not want to be asked.
    """
    evidence = NameEvidence(
        home=candidate.home, own_links=len(candidate.posts), ids=len(candidate.ids),
    )
    requests = 0
    for post, there in _to_ask(candidate, home, held, oldest):
        answer = await fetcher.fetch(there)
        requests += 1
        if isinstance(answer, Failure) and answer.status not in NOT_THERE:
            return NameFound(evidence=evidence, requests=requests, problem=answer.reason)
        evidence = _with_post(evidence, post, answer, home)
        if same_blog(evidence).is_same and evidence.equal_posts in {0, LEAST_EQUAL}:
            return NameFound(evidence=evidence, requests=requests)
    if not same_blog(evidence).is_same and not evidence.other_posts:
        answer = await fetcher.fetch(candidate.home)
        requests += 1
        evidence = _with_home(evidence, answer, home, held)
    return NameFound(evidence=evidence, requests=requests)


def leads_for_good(answer: Fetched, to: str) -> bool:
    """Whether an address redirects permanently to another one."""
    return canonical(answer.page.url) == canonical(to) and is_permanent(answer.exchanges)


def is_permanent(exchanges: Sequence[Exchange]) -> bool:
    """Whether every hop of a redirect is one for good; one that is not makes no promise about the end."""
    return len(exchanges) > 1 and all(each.status in PERMANENT for each in exchanges[:-1])


def _to_ask(
    candidate: NameCandidate, home: str, held: Callable[[str], Post | None], oldest: Sequence[str],
) -> Iterable[tuple[Post, str]]:
    """Posts, and where they are at the candidate: one that is named there, then one that need not be."""
    posts = ((post, there) for key, there in {**candidate.ids, **candidate.posts}.items() if (post := held(key)))
    named = list(islice(posts, POSTS_ASKED))
    others = (
        (post, rebased(post.url, home, candidate.home)) for key in oldest
        if key not in candidate.posts and (post := held(key)) is not None
    )
    # A guest post is at both addresses, and linked; that any other post is there too says more. It is an old one, as
    # an address that the blog left has no others.
    return [*named[:1], *islice(others, POSTS_ASKED - 1 if named else 0), *named[1:]][:POSTS_ASKED]


def _with_home(
    evidence: NameEvidence, answer: Fetched | Failure, home: str, held: Callable[[str], Post | None],
) -> NameEvidence:
    """The evidence with what the front page there does: redirect for good, or list posts."""
    if isinstance(answer, Failure):
        return evidence
    if leads_for_good(answer, home):
        return replace(evidence, home_redirects=True)
    page, folder = answer.page, folder_of(evidence.home)
    try:
        root = parse(page.body, page.content_type)
    except UnreadablePage:
        return evidence
    links = dict(filter(None, (resolved(page.url, anchor.get("href") or "") for anchor in root.iter("a"))))
    listed = [url for url, key in links.items() if is_below(key, folder) and is_telling(url)][:LINKS_READ]
    here = sum(held(canonical(rebased(url, evidence.home, home))) is not None for url in listed)
    return replace(evidence, listed_posts=here, listed_others=len(listed) - here)


def _with_post(evidence: NameEvidence, post: Post, answer: Fetched | Failure, home: str) -> NameEvidence:
    """The evidence with what the address of a post there answers."""
    if isinstance(answer, Failure):
        return replace(evidence, missing_posts=evidence.missing_posts + 1)
    page, own = answer.page, {canonical(url) for url in (post.url, *post.aliases)}
    if canonical(page.url) in own:
        is_moved = is_permanent(answer.exchanges)
        return replace(evidence, posts_redirect=evidence.posts_redirect + is_moved)
    if leads_for_good(answer, home):
        # It sends all its readers to the front page.
        return replace(evidence, home_redirects=True)
    if not shows(page, post):
        return replace(evidence, other_posts=evidence.other_posts + 1)
    try:
        stated = canonical_link(parse(page.body, page.content_type), page.url)
    except UnreadablePage:
        stated = None
    names_here = stated is not None and canonical(stated) in own
    return replace(
        evidence, equal_posts=evidence.equal_posts + 1, canonicals=evidence.canonicals + names_here,
    )
