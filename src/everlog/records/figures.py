"""Figures of a blog, and how many posts are expected of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# An interface counts its posts; sitemaps name every post; a front page only lets one multiply; a feed shows the newest.
Evidence = Literal["interface", "sitemap", "front page", "feed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Figures of a blog: what is held, what waits and what is missing, as docs/internals/figures.md defines them."""

    # Posts held; the other addresses of a post (`aliases`) are not posts, nor are pages that an interface told.
    posts: int = 0
    # Comments kept, in the current versions of the posts, and told pages, that are held.
    comments: int = 0
    # Pictures, sounds and files held, by their addresses.
    media: int = 0
    aliases: int = 0
    # Style sheets, scripts, fonts, icons and pictures of the design held, by their addresses.
    requisites: int = 0
    # Pages held that are not posts: lists, months, "about"; those that an interface told as well.
    pages: int = 0
    # Addresses of posts and other pages that were asked for and could not be had.
    missing_posts: int = 0
    missing_pages: int = 0
    # Pictures and files that could not be had.
    media_missing: int = 0
    # Requisites that could not be had.
    requisites_missing: int = 0
    # Addresses that are known and were not asked for yet.
    waiting_posts: int = 0
    waiting_pages: int = 0
    waiting_media: int = 0
    waiting_requisites: int = 0
    # Posts held that are gone from the web.
    deleted: int = 0
    # Posts held whose comments could not be had.
    comments_failed: int = 0
    # Posts held that are hidden one by one: neither exported nor shown in public.
    hidden: int = 0

    @property
    def missing(self) -> int:
        """Posts and pages that could not be had; media and requisites are counted apart."""
        return self.missing_posts + self.missing_pages

    @property
    def waiting(self) -> int:
        """All addresses that were not asked for yet."""
        return self.waiting_posts + self.waiting_pages + self.waiting_media + self.waiting_requisites

    @property
    def media_wanted(self) -> int:
        """Pictures and files that the posts name: those that are held, are missing, or wait."""
        return self.media + self.media_missing + self.waiting_media

    @property
    def requisites_wanted(self) -> int:
        """Requisites that are known: those that are held, are missing, or wait."""
        return self.requisites + self.requisites_missing + self.waiting_requisites


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """How many posts a blog has, as one of its ways into the history tells."""

    posts: int
    why: str
    # Older archives know what the front page told.
    evidence: Evidence = "front page"
