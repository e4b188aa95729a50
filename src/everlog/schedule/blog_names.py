"""Names of a blog: whether another address is the same blog under another name, decided by evidence.

    NameEvidence    what pages, feeds, redirects and posts say of another address
    same_blog       whether that makes it the same blog, and by which signs

An owner's other blog has the same author, the same design, often the same menu, and links to this one. None of that
counts. What counts is what only a name of the same blog does: it redirects here, names these pages as its own, or
shows these posts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.core.words import words
from everlog.schedule.ownership import GENERIC, GENERIC_PLACES

if TYPE_CHECKING:
    from collections.abc import Callable

# Each sign alone is somebody's whim or mistake: a configuration copied from another blog names its canonical links, an
# old home is sent on to a new and different blog, a post is printed in two blogs.
LEAST_SIGNS = 2
# Links to a host, or entries of a feed, that agree before they are a sign: one or two are a mention.
LEAST_LINKS = 3
LEAST_ENTRIES = 2
# One post that stands in two blogs is a guest post or a translation kept at one path; two are a habit.
LEAST_EQUAL = 2
# Words of an address that tell a post: "/about/", "/2020/05/" and "/?p=12" are addresses of any blog.
LEAST_WORDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class NameEvidence:
    """What is known of another address that may be a name of the blog; counts are of different posts or pages.

    `known_by` is what the blog at the address has in common with this one by its looks: its name, its people, its
    design. It is said and never counted, since other blogs of the same owner have it too.
    """

    home: str
    # The home page there redirects for good to this one, or this one there.
    home_redirects: bool = False
    # Posts that redirect for good to the same post here, whatever the address.
    posts_redirect: int = 0
    # Pages there whose canonical links name the same pages here, or the other way round.
    canonicals: int = 0
    # The feed there calls this home its own, or this feed that one.
    feed_home: bool = False
    # Entries of the feed that link to posts there which are held here; entries whose ids are addresses there.
    entries: int = 0
    ids: int = 0
    # Links of the blog's own pages that lead there, to addresses that posts have here.
    own_links: int = 0
    # Posts that were compared under both names: they say the same, something else, or are not there.
    equal_posts: int = 0
    other_posts: int = 0
    missing_posts: int = 0
    # Posts that the front page there lists, and that are here; and those that are not.
    listed_posts: int = 0
    listed_others: int = 0
    # A platform serves every blog under this name and that one.
    is_platform_name: bool = False
    known_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sameness:
    """Whether an address is a name of the blog: `signs` say why in words, `reason` why not."""

    is_same: bool
    signs: tuple[str, ...] = ()
    reason: str = ""


def same_blog(evidence: NameEvidence) -> Sameness:
    """Whether another address is the same blog: two signs of different kinds, one of them about its posts.

    >>> same_blog(NameEvidence(home="http://old.example/", home_redirects=True, posts_redirect=1)).is_same
    True
    >>> same_blog(NameEvidence(home="http://old.example/", home_redirects=True, known_by=("people", "design"))).reason
    'its home page redirects permanently, and nothing else says that it is the same blog'
    """
    if evidence.is_platform_name:
        return Sameness(is_same=True, signs=("the platform serves each of its blogs under both names",))
    if (against := _against(evidence)) is not None:
        return Sameness(is_same=False, reason=against)
    about_posts = _said(evidence, _ABOUT_POSTS)
    signs = (*_said(evidence, _ABOUT_BLOG), *about_posts)
    if len(signs) >= LEAST_SIGNS and about_posts:
        return Sameness(is_same=True, signs=signs)
    if not signs:
        return Sameness(is_same=False, reason="nothing says that it is the same blog")
    if len(signs) >= LEAST_SIGNS:
        return Sameness(is_same=False, signs=signs, reason=f"{' and '.join(signs)}, but none of its posts is here")
    return Sameness(is_same=False, signs=signs, reason=f"{signs[0]}, and nothing else says that it is the same blog")


def is_telling(address: str) -> bool:
    """Whether an address tells one post from those of all other blogs: it holds words that are its own.

    >>> is_telling("https://a.org/2009/05/rain-and-stones/"), is_telling("https://a.org/2009/05/")
    (True, False)
    >>> is_telling("https://a.org/?p=12"), is_telling("https://a.org/about/contact/")
    (False, False)
    """
    path = canonical(address).partition("/")[2].partition("?")[0]
    own = {word for word in words(path) if not word.isdigit() and word not in GENERIC and word not in GENERIC_PLACES}
    return len(own) >= LEAST_WORDS


def _against(evidence: NameEvidence) -> str | None:
    """What makes it another blog, whatever else is said."""
    if evidence.other_posts >= max(evidence.equal_posts + evidence.posts_redirect, 1):
        return "its pages are not the same posts as here"
    is_whole = evidence.home_redirects or evidence.posts_redirect > 0 or _lists_same_posts(evidence)
    if not is_whole and 0 < evidence.equal_posts <= evidence.missing_posts:
        return "only some of the posts are there, as in a blog that prints them too"
    return None


def _said(evidence: NameEvidence, signs: tuple[tuple[str, Callable[[NameEvidence], bool]], ...]) -> tuple[str, ...]:
    return tuple(text for text, holds in signs if holds(evidence))


def _shows_same_posts(evidence: NameEvidence) -> bool:
    """Two posts, or one where that is all that was compared."""
    is_all = evidence.equal_posts > 0 and not evidence.missing_posts and not evidence.other_posts
    return evidence.equal_posts >= LEAST_EQUAL or is_all


def _lists_same_posts(evidence: NameEvidence) -> bool:
    return evidence.listed_posts >= max(LEAST_LINKS, evidence.listed_others + 1)


# Each line is one kind of sign: those of one kind have one cause, and count once.
_ABOUT_BLOG: tuple[tuple[str, Callable[[NameEvidence], bool]], ...] = (
    ("its home page redirects permanently", lambda said: said.home_redirects),
    ("canonical links name the same pages", lambda said: said.canonicals > 0),
    ("the feed names it", lambda said: said.feed_home or max(said.entries, said.ids) >= LEAST_ENTRIES),
)
_ABOUT_POSTS: tuple[tuple[str, Callable[[NameEvidence], bool]], ...] = (
    ("posts redirect permanently to the same posts", lambda said: said.posts_redirect > 0),
    ("posts are the same under both", _shows_same_posts),
    ("its front page lists the same posts", _lists_same_posts),
    ("the blog's own posts link there for posts that are here", lambda said: said.own_links >= LEAST_LINKS),
)
