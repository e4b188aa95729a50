"""Whether all comments are held: what interfaces list, what pages show, and what the feed of all comments names."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from test_told_blog import crawled

from everlog.archive import open_archive
from everlog.core.urls import canonical
from everlog.records import Comment, Visit
from everlog.usecases.comment_lists import NOT_NOTED
from everlog.usecases.completeness import completeness_of
from history.sites.wordpress_com import WordPressComBlog
from usecases.a_told_site import NOW, SiteWeb, ToldBlog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.history.completeness import Completeness

pytestmark = pytest.mark.slow

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


class Uncounted(WordPressComBlog):
    """A WordPress.com whose posts do not say how many comments they have."""

    def _row(self, post, kind="post"):
        return super()._row(post, kind) | {"discussion": None}


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


def short_by(archive: Archive) -> tuple[int, int | None, int]:
    [listed] = known(archive).comment_inventories
    return listed.members, listed.claimed_after, listed.shortfall


def test_new_comments_do_not_stand_for_those_that_nobody_could_read(archive):
    """WordPress.com does not count comments when it is asked for new ones."""
    site = Uncounted.of(12, comments=40, traps={"comments-short"})
    crawled(site, archive, pages=False)
    assert short_by(archive) == (36, 40, 4)
    for _ in range(5):
        site.comment(4)
    crawled(site, archive, pages=False)
    members, counted, shortfall = short_by(archive)
    assert (members > 40, counted - members, shortfall) == (True, 4, 4)
    assert known(archive).comments.answer == "unknown"


def test_new_comments_that_were_not_counted_are_more_of_them(archive):
    site = WordPressComBlog.of(12, comments=20)
    crawled(site, archive, pages=False)
    site.comment(4)
    crawled(site, archive, pages=False)
    assert (short_by(archive), known(archive).comments.answer) == ((21, 21, 0), "yes")


def test_deleted_comments_do_not_stand_for_those_that_nobody_could_read(archive):
    site = ToldBlog.of(12, comments=20, traps={"private"})
    crawled(site, archive, pages=False)
    assert short_by(archive) == (14, 20, 6)
    for number in sorted(set(site.comments) - _private(site))[:6]:
        del site.comments[number]
    crawled(site, archive, pages=False)
    assert short_by(archive) == (14, 14, 6)
    verdict = known(archive).comments
    assert (verdict.answer, "WordPress REST counted 6 comments more than it listed" in verdict.sentence) == (
        "unknown", True,
    )


def test_comments_that_are_counted_later_and_not_listed_are_noticed_though_others_were_deleted(archive):
    site = ToldBlog.of(12, comments=20)
    crawled(site, archive, pages=False)
    for number in sorted(site.comments)[:6]:
        del site.comments[number]
    crawled(site, archive, pages=False)
    assert (short_by(archive), known(archive).comments.answer) == ((20, 14, 0), "yes")
    site.traps = {"private"}
    for _ in range(6):
        site.comment(4)
    crawled(site, archive, pages=False)
    members, counted, shortfall = short_by(archive)
    assert (counted, shortfall) == (20, 26 - members)
    assert known(archive).comments.answer == "unknown"


def _private(site: ToldBlog) -> set[int]:
    return {row["id"] for row in site._comments() if row["hidden"]}


def test_a_list_of_comments_was_read_when_it_told_comments(archive):
    """Where the feed of all comments names none, updates ask for posts alone."""
    site = ToldBlog.of(12, comments=5, traps={"talk"})
    crawled(site, archive, SiteWeb(site, NOW))
    crawled(site, archive, SiteWeb(site, NOW))
    later = NOW + timedelta(days=3)
    crawled(site, archive, SiteWeb(site, later))
    assert known(archive).comment_inventories[0].walked_at == NOW
    site.comment(4)
    crawled(site, archive, SiteWeb(site, later))
    assert known(archive).comment_inventories[0].walked_at == later


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


def test_a_comment_feed_that_names_the_same_was_read_when_it_first_named_it(archive):
    site = ToldBlog.of(12, comments=5, traps={"talk"})
    crawled(site, archive)
    times = []
    for days, numbers in enumerate([(), (), (999,), (999,)]):
        web = Announcing(site, *numbers)
        web.now = NOW + timedelta(days=days)
        crawled(site, archive, web)
        feed = archive.blogs.state(archive.blogs()[0].id).comment_feed
        times.append((feed.read_at - NOW).days if feed is not None and feed.read_at is not None else None)
    assert times == [0, 0, 2, 2]


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


@pytest.mark.parametrize(("named", "now"), [((999,), ()), ((999, 998), (999,))], ids=["only", "oldest"])
def test_a_comment_at_the_old_end_of_its_feed_was_deleted_if_no_new_one_pushed_it_out(named, now, archive):
    site = ToldBlog.of(12, comments=5, traps={"talk"})
    crawled(site, archive)
    crawled(site, archive, Announcing(site, *named))
    assert [gap.comments for gap in known(archive).comments.missing] == [len(named)]
    crawled(site, archive, Announcing(site, *now))
    assert [gap.comments for gap in known(archive).comments.missing] == [len(now)] * bool(now)


def test_a_comment_of_its_feed_that_is_held_under_another_number_is_not_missing(archive):
    site = ToldBlog.of(12, comments=5, traps={"talk"})
    crawled(site, archive)
    crawled(site, archive, Announcing(site, 999))
    assert [gap.comments for gap in known(archive).comments.missing] == [1]
    post = archive.posts.find(site.link(site.posts[3]), as_read=True)
    found = replace(post, comments=(*post.comments, Comment(id="7", author="Zed 999", text="Number 999.")))
    blog = archive.blogs()[0]
    with archive.lock(blog.id):
        archive.commit([Visit(
            blog_id=blog.id, url=post.url, key=canonical(post.url), outcome="post", post=found, told_at=NOW,
        )])
    crawled(site, archive, Announcing(site, 998, 999))
    assert [gap.comments for gap in known(archive).comments.missing] == [1]
    assert [*archive.blogs.state(blog.id).comment_feed.unheld] == [f"{post.url}#comment-998"]


def test_a_list_that_an_earlier_version_read_without_keeping_it_is_no_proof(archive):
    crawled(ToldBlog.of(12, comments=5), archive)
    blog = archive.blogs()[0]
    archive.blogs.change_state(blog.id, lambda state: replace(
        state, history=tuple(replace(each, comments_before=None) for each in state.history),
    ))
    verdict = known(archive).comments
    assert (verdict.answer, NOT_NOTED in verdict.sentence) == ("unknown", True)


def test_an_update_does_not_make_a_proof_of_a_list_that_was_not_kept(archive):
    site = ToldBlog.of(12, comments=5)
    crawled(site, archive)
    blog = archive.blogs()[0]
    archive.blogs.inventory.remove(blog.id, "WordPress REST", [
        f"comment {number}" for number in archive.blogs.inventory.comments_of(blog.id, "WordPress REST")
    ])
    archive.blogs.change_state(blog.id, lambda state: replace(
        state, history=tuple(replace(each, comments_before=None) for each in state.history),
    ))
    site.comment(4)
    crawled(site, archive)
    [listed] = known(archive).comment_inventories
    assert (listed.problem, listed.claimed_after) == (NOT_NOTED, 6)
    assert known(archive).comments.answer == "unknown"
