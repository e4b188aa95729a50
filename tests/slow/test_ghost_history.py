"""Ghost's content interface as a source of history, against a real Ghost on loopback."""

from __future__ import annotations

import http.client
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from everlog.history.ghost.ghost_content import SOURCE
from history.driving import changed_since, clues_of, driven, walked
from platforms import ghost
from platforms.content import delete, edit, ghost_oddities, post, years
from platforms.serving import needs
from services import START_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

pytestmark = needs("ghost")


class RealSite:
    """A running site, asked as a site in memory is."""

    def __init__(self, site: ghost.Site) -> None:
        self.site = site
        self.home = site.url + "/"

    def answer(self, url: str, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        parts = urlsplit(url)
        with closing(http.client.HTTPConnection(parts.netloc, timeout=START_SECONDS)) as connection:
            connection.request("GET", parts._replace(scheme="", netloc="").geturl(), headers=dict(headers))
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()


@pytest.fixture
def blog() -> Iterator[RealSite]:
    with ghost.site(filled_with=[*years(130), *ghost_oddities()]) as site:
        yield RealSite(site)


def test_all_that_a_real_ghost_publishes_is_told_and_what_changed_since(blog):
    before = {each.link: each for each in blog.site.truth().posts if each.status == "published"}
    done = walked(SOURCE, blog)
    assert done.urls == before.keys()
    assert done.walk.lists_all
    assert len(done.asked) == 5
    for told in done.posts:
        known = before[told.url]
        locked = known.visibility if known.visibility != "public" else None
        assert (told.entry.title, told.locked, told.is_whole) == (known.title, locked, locked is None)
        assert sorted(told.entry.tags) == sorted(tag for tag in known.tags if not tag.startswith("#"))
        assert [*told.entry.authors] == known.authors

    nothing = changed_since(done, SOURCE, blog)
    assert (nothing.posts, len(nothing.asked)) == ([], 1)

    blog.site.change([post("Brand new", key="new"), edit("p7", content="<p>Anew.</p>"), delete("p9")])
    later = changed_since(done, SOURCE, blog)
    assert {told.entry.content for told in later.posts} == {"<p>Brand new.</p>", "<p>Anew.</p>"}
    assert len(later.asked) == 3
    listing = driven(SOURCE.listing(SOURCE.entrance(clues_of(blog)).url), blog)
    after = {each.link for each in blog.site.truth().posts if each.status == "published" and each.type == "post"}
    assert listing.urls == after
    assert len(listing.asked) == 1
