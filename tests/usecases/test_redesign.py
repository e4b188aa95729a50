"""A blog that is redesigned between two updates: read as before within one poll, its old pages by their own rules."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.core.rules import MANUAL, Rule
from everlog.core.urls import canonical
from everlog.records import Fetched
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.redesign import read_anew
from everlog.usecases.learn.relearn import learn_again
from everlog.usecases.reread import reread_blog
from everlog.usecases.update.feed_diff import diff_feed, read_response
from everlog.usecases.update.update_blog import refresh_blog
from usecases.a_site import FEED, POSTS, a_site, crawl, put_feed, work
from usecases.a_web import NOW, MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.records import Failure
    from everlog.usecases.crawl.crawl_context import CrawlRun
    from everlog.usecases.learn.redesign import Redesign

DAY = timedelta(days=1)


@dataclass
class ClockedWeb(MemoryWeb):
    """A web whose answers say when they were given."""

    now: datetime = NOW

    async def fetch(self, url: str, **how: Any) -> Fetched | Failure:
        answer = await super().fetch(url, **how)
        if not isinstance(answer, Fetched):
            return answer
        return replace(answer, exchanges=tuple(replace(each, fetched_at=self.now) for each in answer.exchanges))


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


@pytest.fixture
def fetcher() -> ClockedWeb:
    return ClockedWeb(answers=a_site().answers)


def new_look(number: int, inside: str | None = None) -> str:
    """The same post in another design, with things inside the article's element that are none of it."""
    return (
        f"<!doctype html><html lang=en><head><title>A Blog: Post {number} of ours</title></head><body class=fresh>"
        "<header><a href=/>Front</a> <a href=/about>Who</a></header><main><section class=sheet>"
        f"<div class=story><div class=kicker>Number {number} of many</div>"
        f"{a_blog.article(number) if inside is None else inside}"
        "<aside class=next>Read this next, dear reader</aside></div>"
        f"<h2 class=headline>Post {number} of ours</h2><span class=when>2024-01-{number:02}</span>"
        "</section></main></body></html>"
    )


def redesign(fetcher: MemoryWeb, numbers: Iterable[int]) -> None:
    for number in numbers:
        fetcher.put(a_blog.url(number), new_look(number))


def at_work(fetcher: ClockedWeb, archive: Archive) -> CrawlRun:
    return replace(work(fetcher, archive), now=lambda: fetcher.now)


def update(fetcher: ClockedWeb, archive: Archive) -> tuple[bool, CrawlRun]:
    """One update; whether the blog was learned anew, and what the update was given."""
    given = at_work(fetcher, archive)
    blog = archive.blogs()[0]
    before = len(archive.blogs.templates(blog.id))
    asyncio.run(refresh_blog(blog, given))
    return len(archive.blogs.templates(blog.id)) > before, given


async def look(fetcher: ClockedWeb, archive: Archive, **how: Any) -> Redesign:
    """What an update does before it visits any page, and nothing else."""
    blog = archive.blogs()[0]
    known = LearnedBlog.of(blog)
    answer = await fetcher.fetch(FEED)
    assert known is not None
    assert isinstance(answer, Fetched)
    told = read_response(answer)
    assert told is not None
    fresh = diff_feed(blog, told, archive).fresh
    with archive.lock(blog.id):
        return await read_anew(blog, known, fresh, told, at_work(fetcher, archive), **how)


def held(archive: Archive, number: int) -> Any:
    post = archive.posts.find(a_blog.url(number))
    assert post is not None
    return post


def redesigned_blog(fetcher: ClockedWeb, archive: Archive, new: Iterable[int] = (21,)) -> tuple[bool, CrawlRun]:
    """Crawled, then redesigned with some new posts, then updated a day later."""
    crawl(fetcher, archive)
    fetcher.now += DAY
    newest = sorted(new, reverse=True)
    redesign(fetcher, (*newest, *range(1, POSTS + 1)))
    put_feed(fetcher, [*newest, 20, 19, 18, 17][:5] if len(newest) < 5 else newest)
    return update(fetcher, archive)


@pytest.mark.parametrize("new", [(21,), (21, 22), (21, 22, 23), range(21, 27)], ids=len)
def test_new_posts_of_a_redesigned_blog_are_read_as_well_as_before_in_the_same_update(fetcher, archive, new):
    is_new, given = redesigned_blog(fetcher, archive, new)
    assert is_new
    for number in new:
        post = held(archive, number)
        assert (post.text, post.title) == (a_blog.text(number), f"Post {number} of ours")
    assert any("was redesigned" in remark for remark in given.tally.remarks)


def test_a_rule_set_by_hand_outlives_the_redesign_and_does_not_cause_one(fetcher, archive):
    crawl(fetcher, archive)
    blog = archive.blogs()[0]
    known = LearnedBlog.of(blog)
    assert known is not None
    rules = {"title": Rule(method=MANUAL, where="p.meta")}
    archive.blogs.update(blog.id, template=known.template.with_manual(rules).to_json())
    fetcher.now += DAY
    fetcher.put(a_blog.url(21), a_blog.page(21))
    put_feed(fetcher, [21, 20, 19, 18, 17])
    is_new, _ = update(fetcher, archive)
    assert not is_new
    assert held(archive, 21).title.startswith("By Ann Lee")
    fetcher.now += DAY
    redesign(fetcher, range(1, 23))
    put_feed(fetcher, [22, 21, 20, 19, 18])
    is_new, _ = update(fetcher, archive)
    assert is_new
    after = LearnedBlog.of(archive.blogs()[0])
    assert after is not None
    assert after.template.manual == rules
    assert held(archive, 22).title == "Post 22 of ours"


def test_nothing_is_asked_twice(fetcher, archive):
    redesigned_blog(fetcher, archive)
    update_began = len(fetcher.asked) - fetcher.asked[::-1].index(FEED)
    asked = fetcher.asked[update_began:]
    assert len(asked) == len(set(asked)) > 1


def test_a_redesign_is_in_the_ledger_with_its_scores_and_the_old_rules_keep_their_dates(fetcher, archive):
    crawl(fetcher, archive)
    old = archive.blogs()[0].template
    fetcher.now += DAY
    redesign(fetcher, (21, *range(1, POSTS + 1)))
    put_feed(fetcher, [21, 20, 19, 18, 17])
    update(fetcher, archive)
    blog = archive.blogs()[0]
    event, = archive.events(blog_id=blog.id, kinds=["redesigned"])
    assert event.detail["before"] < 0.5 < event.detail["after"]
    former, = archive.blogs.templates(blog.id)
    assert former.template == old
    assert (former.learned_at, former.retired_at) == (NOW, NOW + DAY)
    assert former.reason == event.reason


def test_old_pages_are_read_again_with_their_own_rules_and_new_ones_with_theirs(fetcher, archive):
    redesigned_blog(fetcher, archive)
    for relearn in (False, True):
        result = reread_blog(archive.blogs()[0], archive, relearn=relearn)
        assert (result.changed, result.new, result.no_longer) == (0, 0, 0)
    assert {post.text for post in archive.posts()} == {a_blog.text(number) for number in range(1, 22)}
    assert len(archive.blogs.templates(archive.blogs()[0].id)) == 1


def test_learning_again_after_a_redesign_is_about_the_present_design(fetcher, archive):
    redesigned_blog(fetcher, archive)
    blog = archive.blogs()[0]
    known = learn_again(blog, archive)
    assert known.learned_at == NOW + DAY
    assert "story" in known.template.to_json()
    assert "div.entry" not in known.template.to_json()


def test_a_page_that_kept_the_old_design_is_still_read_by_the_old_rules(fetcher, archive):
    redesigned_blog(fetcher, archive, (21, 22, 23))
    fetcher.now += DAY
    fetcher.put(a_blog.url(19), a_blog.page(19, a_blog.article(19) + "<p>one more line</p>"))
    put_feed(fetcher, [23, 22, 21, 20, 19], post_19=a_blog.article(19) + "<p>one more line</p>")
    assert not update(fetcher, archive)[0]
    assert held(archive, 19).text == a_blog.text(19) + "\n\none more line"


def test_a_design_for_new_posts_only_is_learned_from_them(fetcher, archive):
    crawl(fetcher, archive)
    fetcher.now += DAY
    redesign(fetcher, (21, 22, 23))
    put_feed(fetcher, [23, 22, 21, 20, 19])
    assert update(fetcher, archive)[0]
    assert {held(archive, number).text for number in (21, 22, 23)} == {a_blog.text(number) for number in (21, 22, 23)}
    assert held(archive, 20).text == a_blog.text(20)


def test_a_design_that_new_posts_show_one_by_one_is_learned_at_the_third(fetcher, archive):
    crawl(fetcher, archive)
    found = []
    for number in (21, 22, 23):
        fetcher.now += DAY
        redesign(fetcher, [number])
        put_feed(fetcher, range(number, number - 5, -1))
        found.append(update(fetcher, archive)[0])
    assert found == [False, False, True]
    assert {held(archive, number).text for number in (21, 22, 23)} == {a_blog.text(number) for number in (21, 22, 23)}


def test_an_edit_of_an_old_page_does_not_bring_the_old_design_back(fetcher, archive):
    crawl(fetcher, archive)
    fetcher.now += DAY
    redesign(fetcher, (21, 22, 23))
    put_feed(fetcher, [23, 22, 21, 20, 19, 18, 17, 16])
    update(fetcher, archive)
    fetcher.now += DAY
    line = a_blog.article(18) + "<p>one more line</p>"
    fetcher.put(a_blog.url(18), a_blog.page(18, line))
    put_feed(fetcher, [23, 20, 19, 18, 17, 16], post_18=line)
    assert not update(fetcher, archive)[0]
    assert held(archive, 18).text == a_blog.text(18) + "\n\none more line"
    assert len(archive.blogs.templates(archive.blogs()[0].id)) == 1


def test_what_a_redesign_leaves_inside_old_posts_is_no_edit_of_them(fetcher, archive):
    redesigned_blog(fetcher, archive)
    assert held(archive, 20).version == 1
    assert not list(archive.events(kinds=["edited"]))


def test_a_redesign_that_old_posts_show_first_is_no_edit_of_them(fetcher, archive):
    crawl(fetcher, archive)
    fetcher.now += 30 * DAY
    for number in range(1, 11):
        # Other names for the same elements: the article's rule fails, and a rougher one takes the heading with it.
        fetcher.put(a_blog.url(number), a_blog.page(number).decode().replace("entry", "prose").replace("post", "card"))
    fetcher.asked.clear()
    update(fetcher, archive)
    assert {a_blog.url(number) for number in range(1, 11)} & set(fetcher.asked)
    assert not list(archive.events(kinds=["edited"]))


def test_one_odd_post_is_no_redesign_and_older_pages_are_asked_for_it_only_once(fetcher, archive):
    crawl(fetcher, archive)
    fetcher.now += DAY
    fetcher.put(
        a_blog.url(21), "<html><title>Film</title><body><div id=player>Now playing, with sound</div></body></html>",
    )
    put_feed(fetcher, [21, 20, 19, 18, 17])
    fetcher.asked.clear()
    assert not asyncio.run(look(fetcher, archive)).is_new
    assert len(fetcher.asked) == 1 + 1 + 4
    fetcher.asked.clear()
    assert not asyncio.run(look(fetcher, archive)).is_new
    assert fetcher.asked == [FEED, a_blog.url(21)]
    is_new, given = update(fetcher, archive)
    assert not is_new
    assert not given.tally.remarks
    assert archive.blogs.templates(archive.blogs()[0].id) == ()


def test_pages_that_teach_nothing_leave_the_old_rules_in_force(fetcher, archive):
    crawl(fetcher, archive)
    blog = archive.blogs()[0]
    fetcher.now += DAY
    for number in range(1, 22):
        fetcher.put(
            a_blog.url(number), "<html><body><div class=wall>Please subscribe to read on, it is cheap</div></html>",
        )
    put_feed(fetcher, [21, 20, 19, 18, 17])
    is_new, given = update(fetcher, archive)
    assert not is_new
    assert archive.blogs()[0].template == blog.template
    assert any("the old rules are kept" in remark for remark in given.tally.remarks)
    assert {held(archive, number).text for number in (20, 3)} == {a_blog.text(number) for number in (20, 3)}


def test_a_kill_after_the_rules_changed_loses_nothing(fetcher, archive, tmp_path):
    crawl(fetcher, archive)
    fetcher.now += DAY
    redesign(fetcher, (21, *range(1, POSTS + 1)))
    put_feed(fetcher, [21, 20, 19, 18, 17])

    assert asyncio.run(look(fetcher, archive)).is_new
    archive.close()
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as again:
        assert not update(fetcher, again)[0]
        assert held(again, 21).text == a_blog.text(21)
        assert held(again, 3).text == a_blog.text(3)
        assert len(again.blogs.templates(again.blogs()[0].id)) == 1


def test_a_redesign_shows_on_older_posts_that_are_looked_at_again(fetcher, archive):
    crawl(fetcher, archive)
    fetcher.now += DAY
    redesign(fetcher, range(1, POSTS + 1))

    due = [canonical(a_blog.url(number)) for number in (18, 3)]
    assert asyncio.run(look(fetcher, archive, due=due)).is_new


def test_a_second_redesign_leaves_two_former_templates(fetcher, archive):
    redesigned_blog(fetcher, archive)
    fetcher.now += DAY
    for number in range(1, 23):
        page = a_blog.page(number).decode().replace("class=entry", "class=words").replace("class=post", "class=leaf")
        fetcher.put(a_blog.url(number), page.replace("h1", "h3").replace("class=title", "class=top"))
    put_feed(fetcher, [22, 21, 20, 19, 18])
    assert update(fetcher, archive)[0]
    blog = archive.blogs()[0]
    assert [each.retired_at for each in archive.blogs.templates(blog.id)] == [NOW + DAY, NOW + 2 * DAY]
    result = reread_blog(blog, archive)
    assert (result.changed, result.no_longer) == (0, 0)
    assert {post.text for post in archive.posts()} == {a_blog.text(number) for number in range(1, 23)}
