"""Scope of a blog, built: what was typed, what its feed's entries span, what the user and its pages call its own.

    plain_scope     of an address alone
    new_scope       of a blog that was found, with what the user says belongs to it
    scope_of        of a blog of an archive, with all that was found to belong to it
    wanted_scope    the same, with what the user says now
    widened         with the folders that the feed's entries stand in
    keep_places     writes it down for later runs
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.archive.blog_state import Places
from everlog.core.scope import Alias, Scope, home_scope, is_within
from everlog.core.urls import absolute, canonical, host_of
from everlog.usecases.discover.held_blog import common_name, home_known_as, is_home_of_another
from everlog.usecases.discover.typed_address import fetchable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.archive import Archive
    from everlog.records import Blog, Feed
    from everlog.settings import Settings


# Why an address is a name of the blog that the user calls one.
GIVEN = ("it was given with --also",)
# Why an address is one of which no more is known than that.
NAMED_BY_PAGES = "its pages name it as their own address"


def plain_scope(home: str, settings: Settings | None = None) -> Scope:
    """What belongs to an address, as far as it tells itself."""
    return Scope(home) if settings is None else Scope(home, settings.scope)


def new_scope(home: str, settings: Settings) -> Scope:
    """What belongs to a blog that was found, before its feed and pages were read."""
    return _with_given_places(plain_scope(home, settings), settings)


def scope_of(blog: Blog, archive: Archive) -> Scope:
    """What belongs to a blog of an archive, wherever it has lived, and whatever its pages call their own."""
    places = archive.blogs.state(blog.id).places
    return replace(home_scope(blog), also=places.also, aliases=places.aliases)


def wanted_scope(before: Scope, typed: str, settings: Settings) -> Scope:
    """What belongs to a blog of an archive from now on, by what the user typed and says now."""
    mode = settings.scope if "scope" in settings.given else before.mode
    scope = _with_given_places(replace(before, mode=mode), settings)
    if may_widen(settings) and is_within(scope.home, typed) and not scope.is_own(typed):
        # What was typed leads to a page below it, which an older version took for all of the blog.
        return replace(scope, also=(*scope.also, typed))
    return scope


def widened(scope: Scope, feed: Feed, feed_url: str | None, answered: Mapping[str, str] | None = None) -> Scope:
    """The scope with the folders of its host that the feed's entries stand in; `answered` says where links led."""
    whole = ((answered or {}).get(entry.link or "") or absolute(feed_url, entry.link) for entry in feed.entries)
    return scope.widened([url for url in whole if url is not None])


def scope_found(home: str, feed: Feed, feed_url: str | None, settings: Settings) -> Scope:
    """What belongs to a blog that was found, as far as its feed tells, before its pages were read."""
    scope = new_scope(home, settings)
    return widened(scope, feed, feed_url) if may_widen(settings) else scope


def may_widen(settings: Settings) -> bool:
    """Whether the scope follows the feed: not where the user asked for what lies below the address alone."""
    return "scope" not in settings.given or settings.scope != "path"


def keep_places(blog: Blog, scope: Scope, archive: Archive) -> None:
    """Write down what belongs to a blog beyond its home; it is found by its other names from now on.

    The home of another blog of the archive is no name of this one, whatever its pages say, unless the user says so.
    """
    scope = replace(scope, aliases=tuple(
        alias for alias in scope.aliases
        if not alias.is_name or alias.evidence == GIVEN or not is_home_of_another(alias.home, blog, archive)
    ))
    places = Places(also=scope.also, aliases=scope.aliases)
    archive.blogs.change_state(blog.id, lambda state: replace(state, places=places))
    for name in (common_name(blog.home), *(alias.home for alias in scope.aliases if alias.is_name)):
        # Who lives there in this archive goes on living there, and an address that led elsewhere goes on doing so.
        is_free = archive.blogs.home_at(name) is None and home_known_as(name, archive) is None
        if is_free and canonical(name) != canonical(blog.home):
            archive.blogs.keep_address(name, blog.home)


def names_of(scope: Scope) -> dict[str, str]:
    """The other names of a blog, past and present, each with why it is believed to be one, in words.

    >>> alias = Alias(home="http://old.example/", here=True, evidence=("the feed names it", "posts redirect"))
    >>> names_of(Scope("https://a.example/", former=("https://b.example/",), aliases=(alias,)))
    {'https://b.example/': 'it moved from there', 'http://old.example/': 'the feed names it; posts redirect'}
    """
    former = dict.fromkeys(scope.former, "it moved from there")
    named = {alias.home: "; ".join(alias.evidence) or NAMED_BY_PAGES for alias in scope.aliases if alias.is_name}
    return former | named


def _with_given_places(scope: Scope, settings: Settings) -> Scope:
    """The scope with what the user says belongs to the blog: folders of its host, and other hosts."""
    homes = [fetchable(each) for each in settings.also]
    also = [home for home in homes if host_of(home) == host_of(scope.home) and not scope.is_own(home)]
    named = {host_of(home): home for home in homes if host_of(home) != host_of(scope.home)}
    held = {host_of(alias.home) for alias in scope.aliases}
    aliases = [
        replace(alias, followed=True, reason="", evidence=alias.evidence or GIVEN) if host_of(alias.home) in named
        else alias for alias in scope.aliases
    ]
    aliases += [Alias(home=home, followed=True, evidence=GIVEN) for host, home in named.items() if host not in held]
    return replace(scope, also=(*scope.also, *also), aliases=tuple(aliases))
