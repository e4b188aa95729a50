"""Whether all comments are held: what interfaces list, what pages show, and what the feed of all comments names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from test_told_blog import crawled

from everlog.archive import open_archive
from everlog.usecases.comment_lists import NOT_NOTED
from everlog.usecases.completeness import completeness_of
from usecases.a_told_site import SiteWeb, ToldBlog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.history.completeness import Completeness

@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "a", create=True) as opened:
        yield opened


def known(archive: Archive) -> Completeness:
    return completeness_of(archive.blogs()[0], archive)


class Announcing(SiteWeb):
    """A blog whose feed of all comments names some that nobody else has, by their numbers, the newest first."""

    def __init__(self, site: ToldBlog, *numbers: int) -> None:
        super().__init__(site)
        self.numbers = numbers

    async def fetch(self, url, **how):
        answer = await super().fetch(url, **how)
        if not url.endswith("/comments/feed/"):
            return answer
        post = self.site.link(self.site.posts[3])
        items = "".join(
            f"<item><title>Comment on Day by: Zed {number}</title><link>{post}#comment-{number}</link>"
            f"<guid>{post}#comment-{number}</guid><description>Number {number}.</description></item>"
            for number in self.numbers
        )
        body = f"<rss><channel>{items}</channel></rss>".encode()
        return replace(answer, exchanges=(replace(answer.exchanges[-1], status=200, body=body),))


def test_an_interface_that_lists_what_pages_show_has_all_comments(archive):
    crawled(ToldBlog.of(12, comments=20), archive)
    [listed] = known(archive).comment_inventories
    assert (listed.source, listed.members, listed.claimed_before, listed.claimed_after) == (
        "WordPress REST", 20, 20, 20,
    )
    assert known(archive).comments.sentence == "all comments are here: 20 held, as WordPress REST lists them"


def test_an_interface_that_leaves_out_comments_that_pages_show_lists_not_all(archive):
    """It counts them, which says nothing."""
    crawled(ToldBlog.of(12, comments=20, traps={"private"}), archive)
    [listed] = known(archive).comment_inventories
    assert (listed.members, listed.claimed_after, listed.unlisted) == (14, 20, 6)
    verdict = known(archive).comments
    assert (verdict.answer, verdict.held) == ("unknown", 20)
    assert "WordPress REST leaves out 6 comments that are held" in verdict.sentence


def test_new_comments_that_an_update_is_told_are_on_the_list(archive):
    site = ToldBlog.of(12, comments=5)
    crawled(site, archive)
    site.comment(4)
    crawled(site, archive)
    [listed] = known(archive).comment_inventories
    assert (listed.members, listed.claimed_after, listed.unlisted) == (6, 6, 0)
    assert known(archive).comments.answer == "yes"


def test_a_comment_that_only_the_feed_of_all_comments_names_is_missing(archive):
    site = ToldBlog.of(12, comments=5, traps={"talk"})
    crawled(site, archive)
    crawled(site, archive, Announcing(site, 999))
    verdict = known(archive).comments
    assert verdict.answer == "no"
    assert [(gap.url, gap.comments, gap.named_by) for gap in verdict.missing] == [
        (site.link(site.posts[3]), 1, ("comment feed",)),
    ]
    assert [(each.source, each.members) for each in known(archive).comment_inventories][1:] == [("comment feed", 1)]


@pytest.mark.parametrize(
    ("now", "missing"), [((998,), 1), ((1_001, 1_000), 4)], ids=["deleted", "pushed out"],
)
def test_a_comment_that_its_feed_names_no_more_was_deleted_if_older_ones_are_still_in_it(now, missing, archive):
    site = ToldBlog.of(12, comments=5, traps={"talk"})
    crawled(site, archive)
    crawled(site, archive, Announcing(site, 999, 998))
    assert [gap.comments for gap in known(archive).comments.missing] == [2]
    crawled(site, archive, Announcing(site, *now))
    assert [gap.comments for gap in known(archive).comments.missing] == [missing]


def test_a_list_that_an_earlier_version_read_without_keeping_it_is_no_proof(archive):
    crawled(ToldBlog.of(12, comments=5), archive)
    blog = archive.blogs()[0]
    archive.blogs.change_state(blog.id, lambda state: replace(
        state, history=tuple(replace(each, comments_before=None) for each in state.history),
    ))
    verdict = known(archive).comments
    assert (verdict.answer, NOT_NOTED in verdict.sentence) == ("unknown", True)
