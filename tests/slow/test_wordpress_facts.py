"""What reading the history of a WordPress blog relies on, asserted of a real one.

Where an answer looks like a mistake (totals that nobody gets, feeds that repeat), that is what real blogs do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from platforms import wordpress
from platforms.content import comment, delete, edit, oddities, post, trash, years
from platforms.serving import ask, needs
from platforms.wordpress import CLASSIC, PLAIN, Options, Site

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs("wordpress")

POSTS, COMMENTS = 230, 400
CONTENT = [*years(POSTS, COMMENTS), *oddities()]
# The post that a tenth of the comments are on.
BUSY = f"p{POSTS // 2}"
REST = "/wp-json/wp/v2"


@pytest.fixture(scope="module")
def blog() -> Iterator[Site]:
    with wordpress.site(Options(comments_per_page=10), filled_with=CONTENT) as site:
        yield site


@pytest.fixture(scope="module")
def plain() -> Iterator[Site]:
    options = Options(permalinks=PLAIN, theme=CLASSIC, comments_per_page=10, feed_excerpts=True)
    with wordpress.site(options, filled_with=CONTENT) as site:
        yield site


def link_of(site: Site, key: str) -> str:
    return next(post.link for post in site.truth().posts if post.id == site.keys[key])


def test_rest_tells_how_many_posts_there_are_and_the_pages_hold_them_all(blog: Site) -> None:
    pages = [ask(blog.url, f"{REST}/posts?per_page=100&orderby=id&order=asc&page={page}") for page in (1, 2, 3)]
    published = [post for post in blog.truth().posts if post.type == "post" and post.status == "publish"]
    assert [len(page.json) for page in pages] == [100, 100, len(published) - 200]
    assert {page.headers["X-WP-Total"] for page in pages} == {str(len(published))}
    assert pages[0].headers["X-WP-TotalPages"] == "3"
    assert 'page=2>; rel="next"' in pages[0].headers["Link"]
    assert 'rel="next"' not in pages[2].headers["Link"]
    found = {entry["id"]: entry for page in pages for entry in page.json}
    for true in published:
        assert found[true.id]["link"] == true.link
        assert found[true.id]["modified_gmt"] + "Z" == true.modified
        assert found[true.id]["content"]["rendered"] == (true.content if true.visible else "")
        assert found[true.id]["content"]["protected"] is not true.visible


def test_rest_refuses_pages_past_the_end_and_more_than_100_posts(blog: Site) -> None:
    assert ask(blog.url, f"{REST}/posts?per_page=100&page=4").status == 400
    assert ask(blog.url, f"{REST}/posts?per_page=100&page=4").json["code"] == "rest_post_invalid_page_number"
    assert ask(blog.url, f"{REST}/posts?per_page=101").status == 400


def test_rest_gives_chosen_fields_the_whole_text_of_paged_posts_and_other_types(blog: Site) -> None:
    assert ask(blog.url, f"{REST}/posts?per_page=1&_fields=id,link").json[0].keys() == {"id", "link"}
    for key, parts in (("paged", 3), ("folded", 2)):
        [entry] = ask(blog.url, f"{REST}/posts?include={blog.keys[key]}").json
        assert len(set(re.findall(r"of entry (\d+)", entry["content"]["rendered"]))) == parts
    assert [entry["id"] for entry in ask(blog.url, f"{REST}/pages").json] == [blog.keys["page"]]
    assert [entry["id"] for entry in ask(blog.url, f"{REST}/books").json] == [blog.keys["book"]]
    assert ask(blog.url, f"{REST}/types").json["book"]["rest_base"] == "books"
    assert {user["name"] for user in ask(blog.url, f"{REST}/users").json} == {"Ann Archer", "Bo Björk", "Chidi Okafor"}


def test_rest_keeps_what_strangers_may_not_read(blog: Site) -> None:
    assert ask(blog.url, f"{REST}/posts/{blog.keys['private']}").status == 401
    assert ask(blog.url, f"{REST}/posts/{blog.keys['draft']}").status == 401
    assert ask(blog.url, f"{REST}/posts/{blog.keys['scheduled']}").status == 401
    assert ask(blog.url, f"{REST}/posts?status=any").status == 400
    assert ask(blog.url, f"{REST}/comments?post={blog.keys['private']}").status == 401
    assert ask(blog.url, f"{REST}/comments?post={blog.keys['locked']}").status == 401


def test_rest_counts_comments_that_it_does_not_deliver(blog: Site) -> None:
    pages = [ask(blog.url, f"{REST}/comments?per_page=100&page={page}") for page in range(1, 7)]
    claimed = int(pages[0].headers["X-WP-Total"])
    delivered = {entry["id"] for page in pages for entry in page.json}
    true = {one.id for one in blog.truth().comments if one.visible and one.type == "comment"}
    assert delivered == true
    # On a private and on a locked post: a page is short, and the total is not what can be had.
    assert claimed == len(true) + 2
    assert [len(page.json) for page in pages] == [100, 100, 100, 100, 2, 0]
    assert pages[5].status == 200


def test_rest_tells_strangers_nothing_of_pingbacks(blog: Site) -> None:
    for kind in ("pingback", "trackback", "all"):
        assert ask(blog.url, f"{REST}/comments?type={kind}").status == 401
    listed = ask(blog.url, f"{REST}/comments?post={blog.keys['paged']}").json
    assert {entry["id"] for entry in listed}.isdisjoint({blog.keys["pingback"], blog.keys["trackback"]})
    pingback = f"comment-{blog.keys['pingback']}"
    assert f'id="{pingback}"' in ask(blog.url, link_of(blog, "paged")).text
    assert f"#{pingback}" in ask(blog.url, link_of(blog, "paged") + "feed/").text


@pytest.mark.parametrize("status", [401, 403, 404])
def test_rest_that_is_switched_off_refuses_everything_while_feeds_go_on(status: int) -> None:
    with wordpress.site(Options(rest=status), filled_with=CONTENT) as site:
        assert ask(site.url, "/wp-json/").status == status
        assert ask(site.url, f"{REST}/posts").status == status
        assert ask(site.url, "/?rest_route=/wp/v2/comments").status == status
        assert 'rel="https://api.w.org/"' in ask(site.url, "/").headers["Link"]
        assert ask(site.url, "/feed/").status == 200


def test_edits_new_posts_and_deletions_show_in_rest() -> None:
    with wordpress.site(filled_with=CONTENT) as site:
        total = int(ask(site.url, f"{REST}/posts?per_page=1").headers["X-WP-Total"])
        site.change([
            edit("p3", content="<p>Otherwise.</p>", modified="2026-01-01 12:00:00"),
            post("New", key="new", date="2026-01-02 00:00:00"),
            trash("p4"), delete("p5"), comment("p3", "Late.", key="late", date="2026-01-03 00:00:00"),
        ])
        newest = ask(site.url, f"{REST}/posts?orderby=modified&per_page=1&_fields=id,modified_gmt")
        assert newest.json == [{"id": site.keys["new"], "modified_gmt": "2026-01-02T00:00:00"}]
        assert int(newest.headers["X-WP-Total"]) == total + 1 - 2
        edited = ask(site.url, f"{REST}/posts?modified_after=2026-01-01T00:00:00Z&_fields=id").json
        assert {entry["id"] for entry in edited} == {site.keys["p3"], site.keys["new"]}
        # It means later, not the same second; and without an offset it is the blog's own time (here one hour ahead).
        for moment, found in (("12:00:00Z", 1), ("11:59:59Z", 2), ("13:00:00", 1), ("12:59:59", 2)):
            later = ask(site.url, f"{REST}/posts?modified_after=2026-01-01T{moment}&_fields=id").json
            assert len(later) == found, moment
        late = ask(site.url, f"{REST}/comments?after=2026-01-01T00:00:00Z").json
        assert [entry["id"] for entry in late] == [site.keys["late"]]
        assert ask(site.url, f"{REST}/posts/{site.keys['p4']}").status == 401
        assert ask(site.url, f"{REST}/posts/{site.keys['p5']}").status == 404


def test_the_feed_has_pages_and_ends_with_a_404_that_is_a_feed(blog: Site) -> None:
    assert [ask(blog.url, f"/feed/?paged={page}").text.count("<item>") for page in (2, 23, 24, 25)] == [10, 10, 5, 0]
    end = ask(blog.url, "/feed/?paged=25")
    assert end.status == 404
    assert end.headers["Content-Type"].startswith("application/rss+xml")
    assert end.text.rstrip().endswith("</rss>")
    # The first page has two addresses: 6.1 redirects from one to the other, 7.1 does not.
    assert ask(blog.url, "/feed/?paged=1").status in {200, 301}


def test_the_feed_can_be_had_by_last_edit_and_oldest_first() -> None:
    with wordpress.site(filled_with=CONTENT) as site:
        site.change([edit("p3", title="Otherwise", modified="2026-01-01 12:00:00")])
        assert "<title>Otherwise</title>" not in ask(site.url, "/feed/").text
        first_titles = re.findall("<title>(.*?)</title>", ask(site.url, "/feed/?orderby=modified").text)[:2]
        assert first_titles == ["A blog", "Otherwise"]
        _, oldest = min((true.date, true.link) for true in site.truth().posts if true.visible and true.type == "post")
        assert re.findall("<link>(.*?)</link>", ask(site.url, "/feed/?order=asc").text)[1] == oldest


def test_validators_of_feeds_are_those_of_the_whole_site(blog: Site) -> None:
    first, second, end = (ask(blog.url, f"/feed/{page}") for page in ("", "?paged=2", "?paged=99"))
    assert first.headers["ETag"] == second.headers["ETag"] == end.headers["ETag"]
    assert first.headers["Last-Modified"] == second.headers["Last-Modified"]
    assert ask(blog.url, "/feed/?paged=2", If_None_Match=first.headers["ETag"]).status == 304


def test_the_feed_of_all_comments_has_ten_and_no_second_page(blog: Site) -> None:
    assert ask(blog.url, "/comments/feed/").text.count("<item>") == 10
    assert ask(blog.url, "/comments/feed/?paged=2").status == 404


def test_the_comment_feed_of_a_post_repeats_itself_without_end(blog: Site) -> None:
    address = link_of(blog, BUSY) + "feed/"
    first = ask(blog.url, address)
    assert first.text.count("<item>") == 10
    for page in (2, 3, 50):
        again = ask(blog.url, f"{address}?paged={page}")
        assert again.status == 200
        assert re.findall("<guid.*?</guid>", again.text) == re.findall("<guid.*?</guid>", first.text)


def test_comment_pages_count_threads_and_go_on_past_their_end(blog: Site) -> None:
    address = link_of(blog, BUSY)
    pages = [ask(blog.url, f"{address}comment-page-{page}/") for page in (1, 2, 9)]
    assert [page.status for page in pages] == [200, 200, 200]
    # Ten threads, however long they are; past the end the page has none, and names the one before as if it had some.
    assert [page.count(r'id="(comment-\d+)"') for page in pages] == [41, 1, 0]
    assert f"{address}comment-page-8/#comments" in pages[2].text
    # The post's own page shows the last of them.
    assert ask(blog.url, address).count(r'id="(comment-\d+)"') == 1


def test_a_long_post_has_pages_and_redirects_past_their_end(blog: Site) -> None:
    address = link_of(blog, "paged")
    parts = [set(re.findall(r"of entry (900\d)", ask(blog.url, f"{address}{page}").text)) for page in ("", "2/", "3/")]
    assert parts == [{"9001"}, {"9002"}, {"9003"}]
    assert ask(blog.url, f"{address}4/").status == 301
    assert ask(blog.url, f"{address}4/").headers["Location"] == address


def test_the_sitemap_lists_posts_with_the_time_of_their_last_edit(blog: Site) -> None:
    assert f"{blog.url}/wp-sitemap-posts-post-1.xml" in ask(blog.url, "/wp-sitemap.xml").text
    listed = ask(blog.url, "/wp-sitemap-posts-post-1.xml").text
    published = [true for true in blog.truth().posts if true.type == "post" and true.status == "publish"]
    assert set(re.findall("<loc>(.*?)</loc>", listed)) == {true.link for true in published}
    assert listed.count("<lastmod>") == len(published)
    assert "<lastmod>" not in ask(blog.url, "/wp-sitemap.xml").text
    assert ask(blog.url, "/wp-sitemap-posts-post-2.xml").status == 404
    assert f"Sitemap: {blog.url}/wp-sitemap.xml" in ask(blog.url, "/robots.txt").text


def test_plain_permalinks_have_everything_in_the_query(plain: Site) -> None:
    posts = ask(plain.url, "/?rest_route=/wp/v2/posts&per_page=100&page=2&_fields=id,link")
    assert len(posts.json) == 100
    assert posts.json[0]["link"] == f"{plain.url}/?p={posts.json[0]['id']}"
    assert f"{plain.url}/index.php?rest_route=%2Fwp%2Fv2%2Fposts&per_page=100&page=3" in posts.headers["Link"]
    assert f'<{plain.url}/index.php?rest_route=/>; rel="https://api.w.org/"' in ask(plain.url, "/").headers["Link"]
    assert ask(plain.url, "/?feed=rss2&paged=25").status == 404
    assert ask(plain.url, "/?sitemap=posts&sitemap-subtype=post&paged=1").text.count("<loc>") == 235
    for nothing in ("/wp-json/", "/feed/", "/wp-sitemap.xml", "/robots.txt"):
        assert ask(plain.url, nothing).status == 404


def test_a_classic_theme_pages_comments_and_long_posts_in_the_query(plain: Site) -> None:
    busy, paged = (f"/?p={plain.keys[key]}" for key in (BUSY, "paged"))
    counts = [ask(plain.url, f"{busy}&cpage={page}").count(r'id="(comment-\d+)"') for page in (1, 2, 9)]
    assert counts == [41, 1, 0]
    assert set(re.findall(r"of entry (900\d)", ask(plain.url, f"{paged}&page=2").text)) == {"9002"}
    assert ask(plain.url, f"{paged}&page=9").headers["Location"] == plain.url + paged
    assert "twentytwentyone" in ask(plain.url, paged).text


def test_feeds_of_excerpts_have_no_whole_text(blog: Site, plain: Site) -> None:
    assert "<content:encoded>" in ask(blog.url, "/feed/").text
    assert "<content:encoded>" not in ask(plain.url, "/?feed=rss2").text


def test_each_request_is_in_the_log_with_its_status() -> None:
    with wordpress.site() as site:
        assert site.requests() == []
        ask(site.url, "/feed/?x=1", User_Agent="a reader")
        ask(site.url, "/nowhere/")
        assert [(one.method, one.target, one.status) for one in site.requests()] == [
            ("GET", "/feed/?x=1", 200), ("GET", "/nowhere/", 404),
        ]
        assert site.requests()[0].headers["user-agent"] == "a reader"
        site.forget_requests()
        assert site.requests() == []
