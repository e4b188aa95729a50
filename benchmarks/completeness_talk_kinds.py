"""Kinds of gaps in comments: lists that leave some out, count others, or change while they are walked.

They stand beside the other kinds in the table. `talk` is what the verdict on comments may say; what is lost is counted
by the site, as it is of posts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from completeness_kinds import MOST, YES, Case, is_further, kind, some
from completeness_odd_kinds import KINDS
from completeness_sites import MadeWeb, MadeWordPress

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from history.sites.blog import SiteComment, SitePost

__all__ = ["KINDS"]

ALL, OPEN = ("yes",), ("unknown",)
FEW, MANY = 15, 130


@dataclass
class _Talk(MadeWordPress):
    """A WordPress with comments.

    Its interface counts `untold` comments and leaves them out, and knows nothing of `uncounted` ones. `has_threads`
    says that pages show comments, `linkbacks` are those that came from other sites: interfaces refuse them.
    """

    untold: set[int] = field(default_factory=set)
    uncounted: set[int] = field(default_factory=set)
    linkbacks: set[int] = field(default_factory=set)
    has_threads: bool = True

    @property
    def readable(self) -> set[int]:
        """The comments that strangers may read somewhere."""
        refused = self.untold | self.uncounted | self.linkbacks
        return set(self.comments) - (set() if self.has_threads else refused)

    def _comments(self) -> list[dict[str, Any]]:
        rows = (row for row in super()._comments() if row["id"] not in self.uncounted | self.linkbacks)
        return [row | {"hidden": row["hidden"] or row["id"] in self.untold} for row in rows]

    def _comment_count(self, post: SitePost) -> int:
        """What the feed counts are comments that somebody sees."""
        seen = self.readable
        return sum(each.post == post.number and each.number in seen for each in self.comments.values())

    def comment_item(self, each: SiteComment) -> str:
        if each.number in self.linkbacks:
            link = f'<a href="https://b.example/{each.number}/">What another page is called</a>'
            return f'<li class="pingback" id="comment-{each.number}">Pingback: {link}</li>'
        return super().comment_item(each)

    def _article(self, post: SitePost) -> str:
        article = super()._article(post)
        return article if self.has_threads else article.partition('<ol class="comments">')[0]


def talk(random: Random, comments: int = FEW, **options: Any) -> _Talk:
    return _Talk.of(random.randint(12, MOST), comments, **options)


def _case(
    site: _Talk, answers: tuple[str, ...], later: Callable[[], object] | None = None, *, pages: bool = True,
    **options: Any,
) -> Case:
    return Case(
        web=MadeWeb(site, **options), answers=(YES,), talk=answers, later=later,
        settings={} if pages else {"pages": False},
    )


@kind("comments: REST lists all of them")
def _all(random: Random) -> Case:
    return _case(talk(random, random.choice([FEW, MANY])), ALL)


@kind("comments: pages show none, REST lists all of them")
def _told(random: Random) -> Case:
    return _case(talk(random, has_threads=False), ALL)


@kind("comments: REST counts some that pages alone show")
def _untold(random: Random) -> Case:
    site = talk(random)
    site.untold = set(some(random, site.comments))
    return _case(site, OPEN)


@kind("comments: REST knows nothing of some that pages show")
def _uncounted(random: Random) -> Case:
    site = talk(random)
    site.uncounted = set(some(random, site.comments))
    return _case(site, OPEN)


@kind("comments: REST counts some that nobody sees")
def _unseen(random: Random) -> Case:
    site = talk(random, has_threads=False)
    site.untold = set(some(random, site.comments))
    return _case(site, OPEN)


@kind("comments: as many are deleted before an update as nobody sees")
def _fewer(random: Random) -> Case:
    site = talk(random, has_threads=False)
    site.untold = set(some(random, site.comments))
    others = random.sample(sorted(set(site.comments) - site.untold), len(site.untold))
    # Without the pages: what these count would tell that some are missing.
    return _case(site, OPEN, lambda: [site.comments.pop(number) for number in others], pages=False)


@kind("comments: new ones are written before an update")
def _more(random: Random) -> Case:
    site = talk(random, random.choice([FEW, MANY]), has_threads=False)
    numbers = some(random, site.posts)
    return _case(site, ALL, lambda: [site.comment(number) for number in numbers])


@kind("comments: one is written while they are walked")
def _written(random: Random) -> Case:
    site = talk(random, MANY)
    number = random.choice(sorted(site.posts))
    return _case(site, ("yes", "unknown"), events=[(_is_further_talk, lambda: site.comment(number))])


@kind("comments: one is deleted while they are walked")
def _deleted(random: Random) -> Case:
    site = talk(random, MANY)
    number = random.choice(sorted(site.comments)[:50])
    return _case(site, OPEN, events=[(_is_further_talk, lambda: site.comments.pop(number))])


@kind("comments: REST refuses them")
def _refused(random: Random) -> Case:
    return _case(talk(random, traps=("comments-401",)), OPEN)


@kind("comments: links from elsewhere that REST refuses")
def _linkbacks(random: Random) -> Case:
    site = talk(random)
    site.linkbacks = set(some(random, site.comments))
    return _case(site, ALL)


def _is_further_talk(asked: str) -> bool:
    return "/comments" in asked and is_further(asked)
