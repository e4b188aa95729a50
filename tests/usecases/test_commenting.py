"""A crawl keeps the comments of posts from wherever they are, and asks for no more than it needs."""

from __future__ import annotations

import asyncio
import re

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.core.urls import canonical
from everlog.records import Failure
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.relearn import learn_again
from everlog.usecases.reread import reread_blog
from everlog.usecases.update.update_blog import refresh_blog
from usecases.a_conversation import comment_feed, feed_url, put_comments, said, thread_html
from usecases.a_site import a_site, crawl, put_feed, work

POSTS = 20


@pytest.fixture
def archive(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as opened:
        yield opened


@pytest.fixture
def fetcher():
    """A blog whose posts have as many comments as their number modulo 5."""
    site = a_site(POSTS)
    for number in range(1, POSTS + 1):
        put_comments(site, number, said(number, number % 5))
    return site


def post(archive, number):
    return archive.posts.find(a_blog.url(number))


def feeds_asked(fetcher):
    return [url for url in fetcher.asked if url.endswith("/feed/") and url != a_blog.HOME + "feed/"]


def update(fetcher, archive, **settings):
    (blog,) = archive.blogs()
    return asyncio.run(refresh_blog(blog, work(fetcher, archive, **settings)))


@pytest.mark.parametrize("no_feed", [False, True], ids=["with a feed", "without"])
def test_all_comments_of_all_posts_are_kept_with_their_threads(fetcher, archive, no_feed):
    report = crawl(fetcher, archive, no_feed=no_feed)
    assert report.exit_code == 0
    for number in range(1, POSTS + 1):
        kept, wanted = post(archive, number), said(number, number % 5)
        assert [comment.text for comment in kept.comments] == [comment.text for comment in wanted]
        assert [comment.author for comment in kept.comments] == [comment.author for comment in wanted]
        assert [comment.published.day for comment in kept.comments] == [comment.day for comment in wanted]
        parents = [comment.parent and comment.parent.removeprefix("comment-") for comment in kept.comments]
        assert parents == [comment.parent and str(comment.parent) for comment in wanted]
        assert kept.comments_state == ("complete" if wanted else "none")
    assert report.tally.now.comments == sum(number % 5 for number in range(1, POSTS + 1))


@pytest.mark.parametrize("no_feed", [False, True], ids=["with a feed", "without"])
def test_comments_do_not_leak_into_the_article_nor_the_article_into_comments(fetcher, archive, no_feed):
    crawl(fetcher, archive, no_feed=no_feed)
    for number in (1, 4, 19):
        kept = post(archive, number)
        assert kept.text == a_blog.text(number)
        assert not any(a_blog.paragraphs(number)[0] in comment.text for comment in kept.comments)


def test_comment_feeds_of_the_newest_posts_teach_the_rest_needs_none(fetcher, archive):
    crawl(fetcher, archive)
    (blog,) = archive.blogs()
    assert LearnedBlog.of(blog).template.comments is not None
    asked = feeds_asked(fetcher)
    assert len(asked) == len(set(asked)) <= 10


def test_a_page_that_shows_fewer_than_the_site_counts_is_completed_from_its_feed(fetcher, archive):
    comments = said(3, 8)
    put_comments(fetcher, 3, comments, shown=comments[:5])
    crawl(fetcher, archive)
    kept = post(archive, 3)
    assert [comment.text for comment in kept.comments] == [comment.text for comment in comments]
    assert (kept.comments_state, kept.comment_count_claimed) == ("complete", 8)


def test_what_is_missing_is_said(fetcher, archive):
    comments = said(3, 8)
    put_comments(fetcher, 3, comments[:6], stated=8)
    report = crawl(fetcher, archive)
    assert (post(archive, 3).comments_state, post(archive, 3).comment_count_claimed) == ("partial", 8)
    assert report.tally.comments_missing == 2
    assert report.exit_code == 0


def test_a_comment_feed_that_fails_leaves_the_post_marked_and_is_tried_again(fetcher, archive):
    comments = said(3, 8)
    put_comments(fetcher, 3, comments, shown=comments[:5])
    broken = Failure(url=feed_url(3), trouble="http", reason="answers 503", status=503)
    fetcher.answers["a.blog/3/feed"] = broken
    report = crawl(fetcher, archive)
    assert (len(post(archive, 3).comments), post(archive, 3).comments_state) == (5, "failed")
    assert report.exit_code == 3
    assert "comments of 1 posts could not be fetched" in report.reason
    put_comments(fetcher, 3, comments, shown=comments[:5])
    assert update(fetcher, archive).exit_code == 0
    assert (len(post(archive, 3).comments), post(archive, 3).comments_state) == (8, "complete")


def test_an_update_asks_for_comments_whose_number_changed(fetcher, archive):
    items = [a_blog.item(number) for number in range(POSTS, POSTS - 5, -1)]

    def feed_with(count):
        counted = items[0].replace("</item>", f"<slash:comments>{count}</slash:comments></item>")
        text = a_blog.rss([counted, *items[1:]]).decode().replace(
            "<rss", '<rss xmlns:slash="http://purl.org/rss/1.0/modules/slash/"')
        fetcher.put(a_blog.HOME + "feed.xml", text, type="application/rss+xml")

    put_comments(fetcher, POSTS, said(POSTS, 1))
    feed_with(1)
    crawl(fetcher, archive)
    assert len(post(archive, POSTS).comments) == 1
    put_comments(fetcher, POSTS, said(POSTS, 3))
    feed_with(3)
    fetcher.asked.clear()
    update(fetcher, archive)
    assert len(post(archive, POSTS).comments) == 3
    assert len([url for url in fetcher.asked if url.startswith(a_blog.url(POSTS))]) <= 2


def test_comments_that_are_gone_from_the_page_for_a_reason_are_not_lost(fetcher, archive):
    comments = said(3, 8)
    put_comments(fetcher, 3, comments)
    crawl(fetcher, archive)
    put_feed(fetcher, [21, *range(POSTS, POSTS - 4, -1)], post_3="changed")
    put_comments(fetcher, 3, comments[:2], stated=8)
    (blog,) = archive.blogs()
    archive.urls.requeue(blog.id, ["a.blog/3"])
    update(fetcher, archive)
    assert len(post(archive, 3).comments) == 8


def test_the_second_page_of_comments_is_another_address_whose_comments_belong_to_the_post(fetcher, archive):
    comments = said(3, 12)
    later = f"{a_blog.url(3)}/comment-page-2/"
    link = f"<a href={later}>Older comments</a>"
    put_comments(fetcher, 3, comments[-10:], shown=comments[:6], stated=12, embed=link)
    first = fetcher.answers["a.blog/3"].body
    fetcher.put(a_blog.url(3), first.replace(b"</head>", f"<link rel=canonical href={a_blog.url(3)}></head>".encode()))
    second = first.replace(first[first.index(b"<ol class=comment-list>"):first.index(b"</ol></div>")],
                           b"<ol class=comment-list>" + items_of(comments[6:]))
    fetcher.put(later, second.replace(b"</head>", f"<link rel=canonical href={a_blog.url(3)}></head>".encode()))
    crawl(fetcher, archive)
    kept = post(archive, 3)
    assert len(kept.comments) == 12
    assert kept.comments_state == "complete"


def test_pages_of_comments_that_a_first_crawl_meets_one_by_one_make_one_version_of_the_post(fetcher, archive):
    put_pages_of_comments(fetcher, 3, said(3, 12))
    crawl(fetcher, archive)
    kept = post(archive, 3)
    assert (kept.version, len(kept.comments)) == (1, 12)
    assert not list(archive.events())
    (blog,) = archive.blogs()
    page = archive.captures.find(blog.id, a_blog.url(3))
    assert kept.warc == (page.place.file, page.place.offset)


def test_comments_that_came_after_a_crawl_make_a_version_and_an_event(fetcher, archive):
    put_comments(fetcher, 3, said(3, 2))
    crawl(fetcher, archive)
    put_comments(fetcher, 3, said(3, 3))
    (blog,) = archive.blogs()
    archive.urls.requeue(blog.id, [canonical(a_blog.url(3))])
    update(fetcher, archive)
    assert (post(archive, 3).version, len(post(archive, 3).comments)) == (2, 3)
    assert [event.kind for event in archive.events()] == ["comments"]


def put_pages_of_comments(fetcher, number, comments):
    """A post without a comment feed, whose second page of comments has its canonical address."""
    later = f"{a_blog.url(number)}/comment-page-2/"
    canonical_link = f"<link rel=canonical href={a_blog.url(number)}>"
    for url, shown in ((a_blog.url(number), comments[:6]), (later, comments[6:])):
        after = thread_html(shown, stated=len(comments)) + f"<a href={later}>Older comments</a>"
        fetcher.put(url, a_blog.page(number, head=canonical_link, after=after))


def items_of(comments):
    from usecases.a_conversation import thread_html

    html = thread_html(comments)
    return html[html.index("<ol class=comment-list>") + 23:html.rindex("</ol></div>")].encode()


def test_without_comments_nothing_is_asked_for_and_nothing_kept(fetcher, archive):
    crawl(fetcher, archive, comments=False)
    assert feeds_asked(fetcher) == []
    assert {each.comments_state for each in archive.posts()} == {"off"}
    assert not any(each.comments for each in archive.posts())


def test_a_blog_without_any_comments_costs_three_requests_more(archive):
    site = a_site(POSTS)
    for number in range(1, POSTS + 1):
        put_comments(site, number, [])
    crawl(site, archive)
    assert len(feeds_asked(site)) <= 3
    assert {each.comments_state for each in archive.posts()} == {"none"}


def test_a_blog_whose_pages_hide_their_comments_is_read_from_its_feeds(archive):
    site = a_site(POSTS)
    for number in range(1, POSTS + 1):
        put_comments(site, number, said(number, 2), shown=[])
    crawl(site, archive)
    assert all(len(each.comments) == 2 for each in archive.posts())


def test_stored_pages_and_comment_feeds_are_read_again_without_a_request(fetcher, archive):
    comments = said(3, 8)
    put_comments(fetcher, 3, comments, shown=comments[:5])
    crawl(fetcher, archive)
    before = {each.url: each.comments for each in archive.posts()}
    (blog,) = archive.blogs()
    fetcher.asked.clear()
    result = reread_blog(blog, archive, relearn=True)
    assert (result.changed, result.no_longer) == (0, 0)
    assert {each.url: each.comments for each in archive.posts()} == before
    assert learn_again(blog, archive).template.comments is not None
    assert fetcher.asked == []


def test_pages_read_again_by_the_same_rules_make_no_versions_though_some_were_read_before_these_were_learned(archive):
    fetcher = a_site(POSTS)
    for number in range(1, POSTS + 1):
        # None of the feed's own posts has comments: how the blog writes them is learned on the way.
        put_comments(fetcher, number, said(number, 0 if number > POSTS - 5 else number % 5))
    crawl(fetcher, archive)
    assert {comment.source for each in archive.posts() for comment in each.comments} == {"wordpress", "page"}
    (blog,) = archive.blogs()
    result = reread_blog(blog, archive)
    assert (result.new, result.changed, result.no_longer) == (0, 0, 0)
    assert {each.version for each in archive.posts()} == {1}


def test_a_page_that_does_not_say_when_is_completed_from_its_feed(fetcher, archive):
    put_comments(fetcher, 3, said(3, 4))
    page = fetcher.answers["a.blog/3"].body
    fetcher.put(a_blog.url(3), re.sub(rb"<time datetime=[^>]*>[^<]*</time>", b"<span>3 mesos ago</span>", page))
    crawl(fetcher, archive)
    assert [comment.published.day for comment in post(archive, 3).comments] == [each.day for each in said(3, 4)]


def feed_with_comment_feeds(fetcher, numbers, count):
    """A feed that names the comment feeds of its posts and counts their comments; their pages do not."""
    own = "<wfw:commentRss>{}</wfw:commentRss><slash:comments>{}</slash:comments></item>"
    items = [a_blog.item(number).replace("</item>", own.format(feed_url(number), count)) for number in numbers]
    spaces = (
        '<rss xmlns:slash="http://purl.org/rss/1.0/modules/slash/" xmlns:wfw="http://wellformedweb.org/CommentAPI/"'
    )
    fetcher.put(
        a_blog.HOME + "feed.xml", a_blog.rss(items).decode().replace("<rss", spaces), type="application/rss+xml",
    )
    for number in numbers:
        fetcher.put(feed_url(number), comment_feed(number, said(number, count)), type="application/rss+xml")


def test_comment_feeds_that_only_the_feed_names_are_tried_again_while_the_feed_does_not_change(archive):
    fetcher = a_site(8)
    feed_with_comment_feeds(fetcher, range(8, 3, -1), 3)
    good = fetcher.answers["a.blog/6/feed"]
    fetcher.answers["a.blog/6/feed"] = Failure(url=feed_url(6), trouble="http", reason="answers 503", status=503)
    crawl(fetcher, archive)
    assert post(archive, 6).comments_state == "failed"
    fetcher.answers["a.blog/6/feed"] = good
    report = update(fetcher, archive)
    assert (len(post(archive, 6).comments), post(archive, 6).comments_state) == (3, "complete")
    assert "up to date" not in report.reason


def test_comment_feeds_that_only_the_feed_names_are_known_when_a_crawl_goes_on(archive):
    fetcher = a_site(8)
    feed_with_comment_feeds(fetcher, range(8, 3, -1), 3)
    assert crawl(fetcher, archive, max_pages=6).ending == "limit"
    (blog,) = archive.blogs()
    archive.urls.requeue(blog.id, ["a.blog/8"])
    crawl(fetcher, archive)
    assert len(post(archive, 8).comments) == 3


def test_comments_that_are_held_stay_where_no_more_are_wanted(fetcher, archive):
    put_comments(fetcher, POSTS, said(POSTS, 3))
    crawl(fetcher, archive)
    put_comments(fetcher, POSTS, said(POSTS, 4))
    put_feed(fetcher, range(POSTS, POSTS - 5, -1), **{f"post_{POSTS}": "changed"})
    update(fetcher, archive, comments=False)
    assert (len(post(archive, POSTS).comments), post(archive, POSTS).comments_state) == (3, "complete")


@pytest.mark.slow
def test_comments_are_held_when_a_page_counts_them_and_shows_none(fetcher, archive):
    put_comments(fetcher, POSTS, said(POSTS, 3))
    crawl(fetcher, archive)
    fetcher.put(a_blog.url(POSTS), a_blog.page(POSTS, after=thread_html([], stated=3)))
    del fetcher.answers[f"a.blog/{POSTS}/feed"]
    put_feed(fetcher, range(POSTS, POSTS - 5, -1), **{f"post_{POSTS}": "changed"})
    update(fetcher, archive)
    assert len(post(archive, POSTS).comments) == 3


def test_comments_that_fell_off_their_feed_are_held(archive):
    fetcher = a_site(8)
    for number in range(1, 9):
        put_comments(fetcher, number, said(number, 10), shown=[])
    crawl(fetcher, archive)
    put_comments(fetcher, 8, said(8, 15), shown=[], embed="<p>edited</p>")
    put_feed(fetcher, range(8, 3, -1), post_8="changed")
    update(fetcher, archive)
    assert len(post(archive, 8).comments) == 15


def test_a_copy_that_turns_out_to_be_a_post_has_no_comments_where_none_are_wanted(fetcher, archive):
    copy = fetcher.answers[f"a.blog/{POSTS - 1}"]
    copy.body = copy.body.replace(b"<head>", b"<head><link rel=canonical href=https://a.blog/1>")
    crawl(fetcher, archive, comments=False)
    assert {each.comments_state for each in archive.posts()} == {"off"}


def test_comments_that_were_not_wanted_are_had_when_they_are_wanted_later(fetcher, archive):
    crawl(fetcher, archive, comments=False)
    update(fetcher, archive)
    assert all(len(post(archive, number).comments) == number % 5 for number in range(1, POSTS + 1))


def test_a_missing_browser_uses_up_no_try(fetcher, archive):
    for number in range(1, POSTS + 1):
        fetcher.put(a_blog.url(number), a_blog.page(number, after="<div id=disqus_thread></div>"))
    for _ in range(4):
        crawl(fetcher, archive, render="never")
    (blog,) = archive.blogs()
    assert len(archive.comments.lacking(blog.id, most_tries=3)) == POSTS
    fetcher.asked.clear()
    update(fetcher, archive, render="never")
    assert not [url for url in fetcher.asked if url.removeprefix(a_blog.HOME).isdigit()]


def test_a_date_that_was_read_first_stands(fetcher, archive):
    put_comments(fetcher, 3, said(3, 4))
    crawl(fetcher, archive)
    (blog,) = archive.blogs()
    body = fetcher.answers["a.blog/3"].body
    fetcher.put(a_blog.url(3), body.replace(b"2024-02-", b"2024-03-").replace(b"February", b"March"))
    archive.urls.requeue(blog.id, ["a.blog/3"])
    update(fetcher, archive)
    assert {comment.published.month for comment in post(archive, 3).comments} == {2}


def put_pingbacks(fetcher, post, names, told):
    """A post with pingbacks, of which its page shows the names, and its comment feed the excerpts of some."""
    items = "".join(
        f"<li class='pingback even depth-1' id=comment-{at}><div class=comment-body>Pingback: <a class=url "
        f"rel='external nofollow ugc' href=https://other.example/{at}>{name}</a></div></li>"
        for at, name in enumerate(names, 1)
    )
    thread = f"<div id=comments><h2>{len(names)} Comments</h2><ol class=comment-list>{items}</ol></div>"
    put_comments(fetcher, post, [])
    head = f"<link rel=alternate type=application/rss+xml title='Post {post} Comments Feed' href={feed_url(post)}>"
    fetcher.put(a_blog.url(post), a_blog.page(post, head=head, after=thread))
    feed = "".join(
        f"<item><title>By: {names[at - 1]}</title><link>{a_blog.url(post)}#comment-{at}</link><pubDate>{at:02} Feb "
        f"2024 10:00:00 +0000</pubDate><description>[...] {a_blog.sentence(str(at), 9)} [...]</description></item>"
        for at in told
    )
    body = f"<rss version='2.0'><channel><title>Comments on: Post {post}</title>{feed}</channel></rss>"
    fetcher.put(feed_url(post), body, type="application/rss+xml")


def test_pingbacks_that_a_page_shows_as_names_and_links_are_all_kept_and_counted(fetcher, archive):
    names = [f"A page about post 3, {number}" for number in range(1, 16)]
    put_pingbacks(fetcher, 3, names, told=range(6, 16))
    report = crawl(fetcher, archive)
    kept = post(archive, 3)
    assert [comment.author for comment in kept.comments] == names
    assert [comment.author_url for comment in kept.comments] == [f"https://other.example/{n}" for n in range(1, 16)]
    assert [bool(comment.text) for comment in kept.comments] == [False] * 5 + [True] * 10
    assert (kept.comments_state, kept.comment_count_claimed) == ("complete", 15)
    assert report.tally.comments_missing == 0


def test_what_the_feed_once_told_of_a_pingback_is_kept_when_it_tells_it_no_more(fetcher, archive):
    names = [f"A page about post 3, {number}" for number in range(1, 4)]
    put_pingbacks(fetcher, 3, names, told=range(1, 4))
    crawl(fetcher, archive)
    before = post(archive, 3)
    assert all(comment.text and comment.published for comment in before.comments)
    put_pingbacks(fetcher, 3, [*names, "One more"], told=[4])
    (blog,) = archive.blogs()
    archive.urls.requeue(blog.id, ["a.blog/3"])
    update(fetcher, archive)
    now = post(archive, 3)
    assert [comment.text for comment in now.comments[:3]] == [comment.text for comment in before.comments]
    assert [comment.published for comment in now.comments[:3]] == [each.published for each in before.comments]
    assert (len(now.comments), now.version) == (4, 2)
    assert reread_blog(blog, archive).changed == 0
