"""Posts split over several pages, and comments on several pages, are one post each, with all of them."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.db import schema
from everlog.core.urls import canonical
from everlog.records import Failure
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.reread import reread_blog
from everlog.usecases.update.update_blog import refresh_blog
from usecases.a_conversation import said
from usecases.a_paged_site import POSTS, PagedSite
from usecases.a_site import work

KINDS = [
    pytest.param(False, False, id="pretty addresses, classic theme"),
    pytest.param(False, True, id="pretty addresses, block theme"),
    pytest.param(True, False, id="plain addresses, classic theme"),
    pytest.param(True, True, id="plain addresses, block theme"),
]


@pytest.fixture
def archive(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as opened:
        yield opened


def crawl(site, archive, **settings):
    return asyncio.run(archive_blog(a_blog.HOME, work(site.fetcher, archive, **settings)))


def update(site, archive, *requeued):
    (blog,) = archive.blogs()
    archive.urls.requeue(blog.id, list(map(canonical, requeued)))
    return asyncio.run(refresh_blog(blog, work(site.fetcher, archive)))


def reread(archive):
    (blog,) = archive.blogs()
    return reread_blog(blog, archive)


def paragraph(number, place):
    return f"<p>{a_blog.paragraphs(number, 8)[place]}</p>"


def parts(number, count):
    """A post of two paragraphs a page."""
    return [paragraph(number, 2 * place) + paragraph(number, 2 * place + 1) for place in range(count)]


def whole(number, count):
    return a_blog.text(number, 2 * count)


def broken(url):
    return Failure(url=url, trouble="http", reason="answers 503", status=503)


@pytest.mark.parametrize(("plain", "blocks"), KINDS)
def test_a_post_split_over_pages_is_one_post_with_the_whole_text(archive, plain, blocks):
    site = PagedSite(plain=plain, blocks=blocks)
    site.put_split(3, parts(3, 3))
    site.put_split(POSTS, parts(POSTS, 2))
    report = crawl(site, archive)
    assert report.exit_code == 0
    assert len(list(archive.posts())) == POSTS
    for number, pages in ((3, 3), (POSTS, 2)):
        post = archive.posts.find(site.url(number))
        assert post.text == whole(number, pages)
        assert "post-page-numbers" not in post.html
        assert post.html.count("<p>") == 2 * pages
        assert 0 < post.provenance["text"].confidence <= 1
        # What was fetched is kept, and belongs to the post.
        further = range(2, pages + 1)
        assert set(map(canonical, post.aliases)) == {canonical(site.url(number, page)) for page in further}
        for page in further:
            assert site.fetcher.count(site.url(number, page)) == 1
            assert archive.captures.find(1, site.url(number, page)) is not None
            assert archive.posts.find(site.url(number, page)).url == post.url


@pytest.mark.parametrize(("plain", "blocks"), KINDS)
def test_stored_pages_of_a_post_give_the_same_post_when_they_are_read_again(archive, plain, blocks):
    site = PagedSite(plain=plain, blocks=blocks)
    site.put_split(3, parts(3, 3))
    site.put_comments(4, said(4, 25), per_page=10, newest_first=True)
    crawl(site, archive)
    before = {post.url: (post.text, post.html, post.comments) for post in archive.posts()}
    site.fetcher.asked.clear()
    result = reread(archive)
    assert (result.new, result.changed, result.no_longer) == (0, 0, 0)
    assert {post.url: (post.text, post.html, post.comments) for post in archive.posts()} == before
    assert site.fetcher.asked == []


def test_an_edit_of_the_second_page_makes_a_new_version_though_the_first_did_not_change(archive):
    site = PagedSite()
    site.put_split(3, parts(3, 2))
    crawl(site, archive)
    first, second = parts(3, 2)
    site.put_split(3, [first, second + "<p>And one more thing that was forgotten.</p>"])
    update(site, archive, site.url(3))
    post = archive.posts.find(site.url(3))
    assert post.text == whole(3, 2) + "\n\nAnd one more thing that was forgotten."
    assert post.version == 2
    update(site, archive, site.url(3))
    assert archive.posts.find(site.url(3)).version == 2


def test_a_page_that_cannot_be_had_takes_nothing_from_a_whole_post(archive):
    site = PagedSite()
    site.put_split(3, parts(3, 3))
    crawl(site, archive)
    good = site.fetcher.answers[canonical(site.url(3, 2))]
    site.fetcher.answers[canonical(site.url(3, 2))] = broken(site.url(3, 2))
    report = update(site, archive, site.url(3))
    post = archive.posts.find(site.url(3))
    assert (post.text, post.version) == (whole(3, 3), 1)
    assert report.exit_code == 3
    site.fetcher.answers[canonical(site.url(3, 2))] = good
    assert update(site, archive).exit_code == 0


def test_half_a_post_is_kept_said_to_be_half_and_made_whole_by_the_next_update(archive):
    site = PagedSite()
    site.put_split(3, parts(3, 2))
    good = site.fetcher.answers[canonical(site.url(3, 2))]
    site.fetcher.answers[canonical(site.url(3, 2))] = broken(site.url(3, 2))
    report = crawl(site, archive)
    assert archive.posts.find(site.url(3)).text == whole(3, 1)
    assert report.exit_code == 3
    why = "incomplete: page 2 could not be fetched: answers 503"
    assert [(problem.url, problem.reason) for problem in archive.urls.problems(1)] == [(site.url(3), why)]
    assert dict(archive.urls.notes(1))[site.url(3)] == why
    site.fetcher.answers[canonical(site.url(3, 2))] = good
    assert update(site, archive).exit_code == 0
    assert archive.posts.find(site.url(3)).text == whole(3, 2)
    assert not list(archive.urls.problems(1))
    assert site.url(3) not in dict(archive.urls.notes(1))


def test_a_page_that_is_not_there_is_noted_and_not_asked_for_again(archive):
    site = PagedSite()
    site.put_split(3, parts(3, 2))
    del site.fetcher.answers[canonical(site.url(3, 2))]
    assert crawl(site, archive).exit_code == 0
    assert dict(archive.urls.notes(1))[site.url(3)] == "incomplete: page 2 could not be fetched: answers 404"
    site.fetcher.asked.clear()
    update(site, archive)
    assert site.fetcher.count(site.url(3, 2)) == 0


def test_a_stored_page_that_is_lost_takes_nothing_from_the_post_when_it_is_read_again(archive):
    site = PagedSite()
    site.put_split(3, parts(3, 2))
    crawl(site, archive)
    captures = schema.captures
    with archive.backend.database.writing() as connection:
        connection.execute(captures.update().where(captures.c.url == site.url(3, 2)).values(answer=False))
    assert archive.captures.find(1, site.url(3, 2)) is None
    assert reread(archive).changed == 0
    assert archive.posts.find(site.url(3)).text == whole(3, 2)


def test_a_further_page_that_is_met_first_is_no_post_and_leads_to_its_post(archive):
    site = PagedSite()
    site.put_split(3, parts(3, 2))
    home = site.fetcher.answers[canonical(a_blog.HOME)]
    home.body = home.body.replace(b"</body>", f"<a href='{site.url(3, 2)}'>its end</a></body>".encode())
    older = site.fetcher.answers[canonical(a_blog.HOME + "page/2/")]
    older.body = older.body.replace(site.url(3).encode(), site.url(3, 2).encode())
    crawl(site, archive)
    assert len(list(archive.posts())) == POSTS
    assert archive.posts.find(site.url(3)).text == whole(3, 2)


def test_numbered_links_that_are_no_pages_of_the_post_are_posts_as_before(archive):
    site = PagedSite()
    row = "<div class=pages>" + "".join(f"<a href='{site.url(3)}{page}/'>{page}</a> " for page in (1, 2)) + "</div>"
    site.put(3, after=row)
    for page, number in ((1, 101), (2, 102)):
        body = a_blog.page(3, a_blog.article(number), after=row)
        site.fetcher.put(f"{site.url(3)}{page}/", body)
    crawl(site, archive)
    assert archive.posts.find(site.url(3)).text == a_blog.text(3)
    assert {site.fetcher.count(f"{site.url(3)}{page}/") for page in (1, 2)} == {1}


def test_a_second_page_that_repeats_the_text_adds_nothing_to_it(archive):
    site = PagedSite()
    site.put_split(3, [a_blog.article(3), a_blog.article(3) + "<p>Comments are below.</p>"])
    crawl(site, archive)
    assert archive.posts.find(site.url(3)).text == a_blog.text(3)


@pytest.mark.parametrize("newest_first", [False, True], ids=["oldest comments first", "newest first"])
@pytest.mark.parametrize("plain", [False, True], ids=["pretty addresses", "plain"])
def test_all_pages_of_comments_are_fetched_once_and_kept_in_their_order(archive, plain, newest_first):
    site = PagedSite(plain=plain)
    comments = said(3, 150)
    # Pages end with whole threads: every third comment answers the one before.
    site.put_comments(3, comments, per_page=30, newest_first=newest_first)
    report = crawl(site, archive)
    post = archive.posts.find(site.url(3))
    assert [comment.id for comment in post.comments] == [str(comment.id) for comment in comments]
    parents = [comment.parent and str(comment.parent) for comment in comments]
    assert [comment.parent for comment in post.comments] == parents
    assert (post.comments_state, post.comment_count_claimed) == ("complete", 150)
    assert len(list(archive.posts())) == POSTS
    further = [page for page in range(1, 6) if page != (5 if newest_first else 1)]
    assert {site.fetcher.count(site.comment_url(3, page)) for page in further} == {1}
    assert {canonical(url) for url in post.aliases} == {canonical(site.comment_url(3, page)) for page in further}
    assert report.exit_code == 0
    assert reread(archive).changed == 0


def test_an_update_asks_for_pages_of_comments_only_if_some_are_not_held(archive):
    site = PagedSite()
    comments = said(3, 66)
    site.put_comments(3, comments[:63], per_page=21, newest_first=True)
    crawl(site, archive)
    shown = [comments[:21], comments[21:42], comments[42:]]
    site.put_comments(3, comments, per_page=0, newest_first=True, shown=shown)
    site.fetcher.asked.clear()
    update(site, archive, site.url(3))
    post = archive.posts.find(site.url(3))
    assert [comment.id for comment in post.comments] == [str(comment.id) for comment in comments]
    assert (post.version, post.comments_state) == (2, "complete")
    assert not [url for url in site.fetcher.asked if "comment-page" in url]


def test_a_page_of_comments_that_fails_is_asked_for_again(archive):
    site = PagedSite()
    comments = said(3, 63)
    site.put_comments(3, comments, per_page=21)
    good = site.fetcher.answers[canonical(site.comment_url(3, 2))]
    site.fetcher.answers[canonical(site.comment_url(3, 2))] = broken(site.comment_url(3, 2))
    assert crawl(site, archive).exit_code == 3
    assert archive.posts.find(site.url(3)).comments_state == "failed"
    site.fetcher.answers[canonical(site.comment_url(3, 2))] = good
    assert update(site, archive).exit_code == 0
    post = archive.posts.find(site.url(3))
    assert [comment.id for comment in post.comments] == [str(comment.id) for comment in comments]
    assert post.comments_state == "complete"


def test_pages_of_comments_that_never_end_are_left(archive):
    site = PagedSite()
    comments = said(3, 20)
    site.put_comments(3, comments, per_page=20)
    page = site.fetcher.answers[canonical(site.url(3))]
    for number in range(1, 40):
        way = f"<a href='{site.comment_url(3, number + 1)}#comments'>Newer comments</a></body>".encode()
        site.fetcher.put(
            site.url(3) if number == 1 else site.comment_url(3, number), page.body.replace(b"</body>", way),
        )
    crawl(site, archive)
    assert len(archive.posts.find(site.url(3)).comments) == 20
    assert sum("comment-page" in url for url in site.fetcher.asked) <= 2


def test_a_page_of_comments_linked_from_elsewhere_leads_to_its_post(archive):
    site = PagedSite(plain=True)
    site.put_comments(3, said(3, 42), per_page=21)
    older = site.fetcher.answers[canonical(a_blog.HOME + "?paged=2")]
    older.body = older.body.replace(f"'{site.url(3)}'".encode(), f"'{site.comment_url(3, 2)}#comment-3007'".encode())
    crawl(site, archive)
    assert len(list(archive.posts())) == POSTS
    assert len(archive.posts.find(site.url(3)).comments) == 42


def test_without_comments_no_page_of_them_is_asked_for(archive):
    site = PagedSite()
    site.put_comments(3, said(3, 63), per_page=21)
    crawl(site, archive, comments=False)
    assert not [url for url in site.fetcher.asked if "comment-page" in url]
    assert len(list(archive.posts())) == POSTS


INDEX = a_blog.HOME + "wp-json/wp/v2/posts?search=nextpage--&_fields=link&per_page=100"


def put_split_unseen(site, number, pages):
    """A post split in the old editor of WordPress, as a block theme shows it: no page names another."""
    head = f"<link rel=https://api.w.org/ href={a_blog.HOME}wp-json/>"
    for other in range(1, POSTS + 1):
        site.put(other, f"<div class=wp-block-post-content>{a_blog.article(other)}</div>", head=head)
    for page, part in enumerate(parts(number, pages), 1):
        body = f"<div class=wp-block-post-content>{part}</div>"
        site.fetcher.put(site.url(number, page), a_blog.page(number, body, head=head))
    # Behind its last page it leads back to the first.
    site.fetcher.put(site.url(number, pages + 1), "", redirect=site.url(number))
    site.fetcher.put(INDEX, f'[{{"link": "{site.url(number)}"}}]', type="application/json")


@pytest.mark.parametrize("plain", [False, True], ids=["pretty addresses", "plain"])
def test_a_split_that_no_page_shows_is_told_by_the_blogs_interface(archive, plain):
    site = PagedSite(plain=plain)
    put_split_unseen(site, 3, 3)
    crawl(site, archive)
    post = archive.posts.find(site.url(3))
    assert post.text == whole(3, 3)
    assert set(map(canonical, post.aliases)) == {canonical(site.url(3, page)) for page in (2, 3)}
    assert len(list(archive.posts())) == POSTS
    # One request tells of all posts.
    assert site.fetcher.count(INDEX) == 1
    again = reread(archive)
    assert (again.new, again.changed, again.no_longer) == (0, 0, 0)
    assert archive.posts.find(site.url(3)).text == whole(3, 3)
    site.fetcher.asked.clear()
    update(site, archive, site.url(3), site.url(4))
    assert site.fetcher.count(INDEX) == 0
    assert (archive.posts.find(site.url(3)).text, archive.posts.find(site.url(3)).version) == (whole(3, 3), 1)


def test_a_post_that_is_split_no_more_is_read_so_again(archive):
    site = PagedSite()
    put_split_unseen(site, 3, 2)
    crawl(site, archive)
    first, second = parts(3, 2)
    head = f"<link rel=https://api.w.org/ href={a_blog.HOME}wp-json/>"
    body = f"<div class=wp-block-post-content>{first}{second}<p>The end of it.</p></div>"
    site.fetcher.put(site.url(3), a_blog.page(3, body, head=head))
    site.fetcher.put(site.url(3, 2), "", redirect=site.url(3))
    site.fetcher.now += timedelta(days=1)
    update(site, archive, site.url(3))
    text = whole(3, 2) + "\n\nThe end of it."
    assert archive.posts.find(site.url(3)).text == text
    assert reread(archive).changed == 0
    assert archive.posts.find(site.url(3)).text == text


def test_an_interface_that_does_not_tell_is_asked_once(archive):
    site = PagedSite()
    put_split_unseen(site, 3, 2)
    del site.fetcher.answers[canonical(INDEX)]
    assert crawl(site, archive).exit_code == 0
    assert site.fetcher.count(INDEX) == 1
    site.fetcher.asked.clear()
    site.put_feed([99, *range(POSTS, POSTS - 4, -1)])
    site.fetcher.put(site.url(99), site.fetcher.answers[canonical(site.url(4))].body.replace(b"Post 4", b"Post 99"))
    update(site, archive)
    assert site.fetcher.count(INDEX) == 0
