"""Whether all of a blog is held: what crawls and updates of made blogs come to."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from a_site import a_site, crawl, put_feed
from test_told_blog import Blog, Nameless, SiteWeb, crawled

import a_blog
from everlog.archive import open_archive
from everlog.archive.repos.inventory import InventoryPost
from everlog.core.urls import canonical
from everlog.records import Exchange, Link, Post, Visit
from everlog.usecases.completeness import completeness_document, completeness_of, missing_posts, renew, years_of_blog
from history.sites.wordpress_feeds import WordPressFeeds
from usecases.a_told_site import Broken

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


def answered(url: str, status: int) -> Exchange:
    return Exchange(url=url, status=status, body=url.encode(), fetched_at=datetime(2026, 5, 1, tzinfo=UTC))


def links(site: Blog, *numbers: int) -> set[str]:
    return {site.link(site.posts[number]) for number in numbers}


def in_sitemap(fetcher, *addresses: str) -> None:
    urls = "".join(f"<url><loc>{address}</loc></url>" for address in addresses)
    fetcher.put(a_blog.HOME + "sitemap.xml", f"<urlset>{urls}</urlset>", type="application/xml")


def test_what_an_interface_lists_to_its_end_and_is_held_is_all(archive):
    report = crawled(Blog.of(40, comments=15, traps={"half"}), archive)
    assert (report.ending, report.exit_code) == ("complete", 0)
    assert report.completeness.posts.sentence == "all posts are here: 40 held, as WordPress REST lists them"
    assert (known(archive).posts.answer, known(archive).comments.answer) == ("yes", "yes")
    assert [(each.source, each.grade, each.members) for each in known(archive).inventories] == [
        ("WordPress REST", "A", 40), ("feed", "C", 10), ("crawl", "D", 40),
    ]


def test_posts_behind_a_password_are_excused_by_name(archive):
    site = Blog.of(30, traps={"password"})
    assert crawled(site, archive).exit_code == 0
    verdict = known(archive).posts
    assert verdict.answer == "yes"
    assert {(gap.url, gap.reason, gap.named_by[0]) for gap in verdict.excused} == {
        (url, "password", "WordPress REST") for url in links(site, 10, 20, 30)
    }


def test_posts_behind_a_password_stay_excused_when_the_list_is_read_again(archive):
    """Pages that vanished are a reason to read it again, and it says nothing of passwords."""
    site = Blog.of(30, traps={"password"})
    lost = links(site, 3, 5)
    crawled(site, archive, Broken(site, lost))
    verdict = known(archive).posts
    assert ({gap.url for gap in verdict.missing}, len(verdict.excused)) == (lost, 3)


@pytest.mark.parametrize("status", [403, 404, 410, 500])
def test_posts_whose_pages_cannot_be_had_are_missing_and_no_others(status, archive):
    site = Blog.of(40)
    lost = links(site, *range(1, 21, 2))
    report = crawled(site, archive, Broken(site, lost, status))
    assert (report.ending, report.exit_code, report.tally.now.missing_posts) == ("incomplete", 3, 10)
    assert {gap.url for gap in missing_posts(archive.blogs()[0], archive)} == lost
    verdict = known(archive).posts
    assert {gap.reason for gap in verdict.missing} == {f"HTTP {status}, only its text is held"}
    # The interface told their texts: they are held in part, and counted once.
    assert (verdict.held, verdict.in_part) == (30, 10)
    years = years_of_blog(archive.blogs()[0], archive, known(archive))
    assert (sum(year.held for year in years), sum(year.missing for year in years)) == (30, 10)


@pytest.mark.parametrize(("looks", "is_gone"), [(2, False), (3, True), (4, True)])
def test_a_told_post_stays_missing_however_often_its_page_was_not_there(looks, is_gone, archive):
    """After three looks it is held to be deleted: but the list of all posts has it, and nobody ever had its page."""
    site = Blog.of(40)
    lost = site.link(site.posts[3])
    crawled(site, archive, Broken(site, [lost], 404))
    blog = archive.blogs()[0]
    first = answered(lost, 404).fetched_at
    with archive.lock(blog.id):
        for day in range(1, looks):
            said = replace(answered(lost, 404), fetched_at=first + timedelta(days=2 * day))
            archive.commit([replace(dead(blog, lost), exchanges=(said,))])
    assert (archive.posts.find(lost).gone is not None) is is_gone
    verdict = known(archive).posts
    assert (verdict.answer, verdict.held) == ("no", 39)
    assert [(gap.url, gap.reason) for gap in verdict.missing] == [(lost, "HTTP 404, only its text is held")]


def test_a_post_that_is_gone_and_whose_page_was_had_before_is_held(archive):
    site = Blog.of(40)
    lost = site.link(site.posts[3])
    crawled(site, archive)
    blog = archive.blogs()[0]
    with archive.lock(blog.id):
        archive.commit([replace(dead(blog, lost), exchanges=(answered(lost, 410),))])
    assert archive.posts.find(lost).gone is not None
    assert (known(archive).posts.answer, known(archive).posts.held) == ("yes", 40)


def test_a_post_whose_address_leads_to_one_that_is_called_404_is_not_gone(archive):
    """The list of all posts does not have it any more; its page answers, with something else."""
    site = Blog.of(40)
    url = site.link(site.posts[3])
    crawled(site, archive, Broken(site, [url], 500))
    blog = archive.blogs()[0]
    with archive.lock(blog.id):
        archive.commit([replace(dead(blog, url), exchanges=(), reason=f"redirects to {blog.home}404/")])
    archive.blogs.inventory.remove(blog.id, "WordPress REST", ["3"])
    assert [gap.url for gap in known(archive).posts.missing] == [url]


def test_a_post_that_vanishes_while_the_blog_is_crawled_is_gone(archive):
    site = Blog.of(40)
    web = SiteWeb(site)
    asked = web.fetch

    async def vanishing(url, **how):
        if 7 in site.posts and "/comments?" in url:
            site.delete(7)
        return await asked(url, **how)

    web.fetch = vanishing
    gone = site.link(site.posts[7])
    crawled(site, archive, web)
    verdict = known(archive).posts
    assert (verdict.answer, verdict.missing) == ("yes", ())
    assert [(gap.url, gap.reason) for gap in verdict.excused] == [(gone, "gone, its text is held: HTTP 404")]


def test_with_the_interface_off_the_pages_of_the_feed_tell_all(archive):
    crawled(WordPressFeeds.of(35), archive)
    assert [each.grade for each in known(archive).inventories if each.is_exhaustive] == ["B"]
    assert known(archive).posts.answer == "yes"
    assert known(archive).comments.answer == "unknown"


@pytest.mark.parametrize("hidden", [{5}, {5, 6, 7}])
def test_a_total_that_is_more_than_what_is_listed_is_never_a_yes(hidden, archive):
    site = Blog.of(40, hidden=hidden, traps={"half"})
    crawled(site, archive)
    assert known(archive).posts.answer == "unknown"
    assert "counts 40 posts and lists" in known(archive).posts.sentence


def test_a_blog_without_a_list_of_all_posts_is_unknown_and_ends_well(archive):
    report = crawled(Nameless.of(15), archive)
    verdict = known(archive).posts
    assert (verdict.answer, report.exit_code) == ("unknown", 0)
    assert verdict.settled_by is not None


def test_a_post_that_only_a_sitemap_names_is_visited_and_held(archive):
    fetcher = a_site()
    fetcher.put(a_blog.url(77), a_blog.page(77))
    in_sitemap(fetcher, a_blog.HOME, *map(a_blog.url, (1, 2, 77)))
    crawl(fetcher, archive)
    assert archive.posts.find(a_blog.url(77)) is not None
    assert known(archive).posts.answer == "unknown"


def test_posts_that_a_sitemap_lists_and_the_server_does_not_have_are_missing(archive):
    fetcher = a_site()
    in_sitemap(fetcher, *map(a_blog.url, (1, 2, 77, 78)))
    report = crawl(fetcher, archive)
    assert report.exit_code == 3
    assert [(gap.url, gap.reason, gap.named_by) for gap in known(archive).posts.missing] == [
        (a_blog.url(number), "HTTP 404", ("sitemap", "crawl")) for number in (77, 78)
    ]


def test_posts_that_a_sitemap_lists_in_a_folder_of_another_language_are_missing(archive):
    fetcher = a_site()
    translated = a_blog.url(1).replace(a_blog.HOME, a_blog.HOME + "en/")
    in_sitemap(fetcher, *map(a_blog.url, (1, 2)), translated, a_blog.HOME + "en/")
    crawl(fetcher, archive)
    assert [gap.url for gap in known(archive).posts.missing] == [translated]


def test_pages_of_a_sitemap_that_are_no_posts_are_explained(archive):
    fetcher = a_site()
    in_sitemap(fetcher, a_blog.HOME, a_blog.HOME + "about", a_blog.HOME + "page/2", a_blog.url(3))
    crawl(fetcher, archive)
    assert known(archive).posts.missing == ()


def test_an_entry_of_the_feed_that_is_not_there_is_missing(archive):
    fetcher = a_site()
    put_feed(fetcher, [90, 20, 19, 18, 17, 16])
    crawl(fetcher, archive)
    assert [(gap.url, gap.named_by[0]) for gap in known(archive).posts.missing] == [(a_blog.url(90), "feed")]


@pytest.mark.parametrize(("place", "named"), [("text", []), ("list", ["kleinigkeit"])])
def test_a_dead_word_at_the_root_is_missing_only_where_a_list_has_it(archive, place, named):
    """Where posts stand at the root, every slip of running text looks like one."""
    blog = archive.blogs.add("https://w.example/", scope="path")
    url, on = "https://w.example/kleinigkeit", f"https://w.example/{place}"
    outcome = "listing" if place == "list" else "page"
    visits = [
        Visit(blog_id=blog.id, url=on, key=canonical(on), outcome=outcome, exchanges=(answered(on, 200),),
              links=(Link(url=url, key=canonical(url), lane="post", found_on=on),)),
        Visit(blog_id=blog.id, url=url, key=canonical(url), outcome="failed", reason="HTTP 404", lane="post",
              exchanges=(answered(url, 404),)),
    ]
    with archive.lock(blog.id):
        for visit in visits:
            archive.commit([visit])
    assert [gap.url.rpartition("/")[2] for gap in missing_posts(blog, archive)] == named


def dead(blog, url, **link):
    """The visit of an address like a post's that is not there."""
    return Visit(blog_id=blog.id, url=url, key=canonical(url), outcome="failed", reason="HTTP 404", lane="post",
                 exchanges=(answered(url, 404),), **link)


def held(blog, url):
    return Visit(blog_id=blog.id, url=url, key=canonical(url), outcome="post", exchanges=(answered(url, 200),),
                 post=Post(url=url, blog=blog.home, title=url, text=url, html=f"<p>{url}</p>"))


def missing_after(archive, blog, *visits):
    with archive.lock(blog.id):
        for visit in visits:
            archive.commit([visit])
    return [gap.url.removeprefix(blog.home) for gap in missing_posts(blog, archive)]


def test_a_dead_word_at_the_root_of_which_nobody_knows_where_it_stands_is_not_missing(archive):
    blog = archive.blogs.add("https://w.example/", scope="path")
    names = ("kleinigkeit", "404", "20808", "rain-in-the-night")
    dead_ones = (dead(blog, f"https://w.example/{name}") for name in names)
    assert missing_after(archive, blog, *dead_ones) == ["20808", "rain-in-the-night"]


@pytest.mark.parametrize(("held_at", "linked"), [("rain", "rain.html"), ("rain.html", "rain")])
def test_a_dead_link_to_a_post_that_is_held_without_html_or_with_it_is_not_missing(archive, held_at, linked):
    blog = archive.blogs.add("https://w.example/", scope="path")
    posts = [held(blog, f"https://w.example/2020/{held_at}")]
    dead_ones = [dead(blog, f"https://w.example/2020/{linked}"), dead(blog, "https://w.example/2020/snow.html")]
    assert missing_after(archive, blog, *posts, *dead_ones) == ["2020/snow.html"]


@pytest.mark.parametrize(("posts", "named"), [(3, ["index.html%3Fp=90.html"]), (2, [])])
def test_copies_of_pages_with_their_queries_are_missing_where_posts_are_held_at_such_addresses(archive, posts, named):
    blog = archive.blogs.add("https://w.example/", scope="path")
    copies = [f"https://w.example/index.html%3F{query}.html" for query in ("p=90", "share=mail", "replytocom=4")]
    found = missing_after(
        archive, blog, *(held(blog, f"https://w.example/index.html%3Fp={number}.html") for number in range(posts)),
        *(dead(blog, url) for url in copies),
    )
    assert found == named


@pytest.mark.parametrize(("posts", "place", "named"), [(3, "list", ["old"]), (2, "list", []), (3, "text", [])])
def test_a_dead_link_of_an_older_kind_is_missing_where_a_list_has_it_among_posts(archive, posts, place, named):
    """The feed shows the newest kind of address alone; three posts in a folder say that posts are there."""
    blog = archive.blogs.add("https://w.example/", scope="path")
    on, url = f"https://w.example/{place}", "https://w.example/it/old"
    outcome = "listing" if place == "list" else "page"
    held = [f"https://w.example/it/{number}-words" for number in range(posts)]
    visits = [
        Visit(blog_id=blog.id, url=on, key=canonical(on), outcome=outcome, exchanges=(answered(on, 200),),
              links=(Link(url=url, key=canonical(url), lane="page", found_on=on),)),
        Visit(blog_id=blog.id, url=url, key=canonical(url), outcome="failed", reason="HTTP 404", lane="page",
              exchanges=(answered(url, 404),)),
        *(Visit(blog_id=blog.id, url=each, key=canonical(each), outcome="post", exchanges=(answered(each, 200),),
                post=Post(url=each, blog=blog.home, title=each, text=each, html=f"<p>{each}</p>")) for each in held),
    ]
    with archive.lock(blog.id):
        for visit in visits:
            archive.commit([visit])
    assert [gap.url.rpartition("/")[2] for gap in missing_posts(blog, archive)] == named


def test_a_page_that_a_post_calls_its_neighbour_and_that_is_no_post_is_none_that_is_missing(archive):
    fetcher = a_site()
    page = str(a_blog.page(4))
    fetcher.put(a_blog.url(4), page.replace("</body>", f'<a rel="next" href="{a_blog.HOME}about">Newer</a></body>'))
    crawl(fetcher, archive)
    assert known(archive).posts.missing == ()


def test_a_link_to_the_next_post_that_leads_nowhere_names_a_missing_post(archive):
    fetcher = a_site()
    page = str(a_blog.page(4))
    fetcher.put(a_blog.url(4), page.replace("</body>", f'<a rel="next" href="{a_blog.url(91)}">Newer</a></body>'))
    crawl(fetcher, archive)
    assert [(gap.url, gap.named_by[0]) for gap in known(archive).posts.missing] == [
        (a_blog.url(91), "previous and next links"),
    ]


def inventory(archive, source):
    return next((each for each in known(archive).inventories if each.source == source), None)


def with_chain(fetcher, *numbers: int) -> None:
    """Posts whose pages link to the one before."""
    for number in numbers:
        link = f'<a rel="prev" href="{a_blog.url(number - 1)}">Older</a></body>'
        fetcher.put(a_blog.url(number), str(a_blog.page(number)).replace("</body>", link))


def test_the_links_between_posts_list_what_they_lead_to_held_or_not(archive):
    fetcher = a_site()
    with_chain(fetcher, 5, 4, 3)
    crawl(fetcher, archive)
    chain = inventory(archive, "previous and next links")
    assert (chain.members, chain.is_exhaustive, chain.is_stable) == (3, True, None)
    assert chain.walked_at is not None


def test_links_between_posts_with_a_hole_were_not_followed_to_their_end(archive):
    fetcher = a_site()
    with_chain(fetcher, 5, 4)
    page = str(a_blog.page(3)).replace("</body>", f'<a rel="prev" href="{a_blog.url(91)}">Older</a></body>')
    fetcher.put(a_blog.url(3), page)
    crawl(fetcher, archive)
    chain = inventory(archive, "previous and next links")
    assert (chain.members, chain.is_exhaustive) == (3, False)


def test_posts_that_were_not_visited_because_of_a_limit_are_missing(archive):
    crawl(a_site(), archive, max_pages=10)
    verdict = known(archive).posts
    assert verdict.answer == "no"
    assert {gap.reason for gap in verdict.missing} == {"not visited yet"}


def test_told_posts_whose_pages_were_not_visited_because_of_a_limit_are_missing(archive):
    site = Blog.of(40)
    crawled(site, archive, max_pages=12)
    verdict = known(archive).posts
    assert (verdict.answer, verdict.held + len(verdict.missing)) == ("no", 40)
    assert {gap.reason for gap in verdict.missing} == {"not visited yet, only its text is held"}
    crawled(site, archive)
    assert (known(archive).posts.answer, known(archive).posts.held) == ("yes", 40)


def test_records_alone_need_no_pages_to_be_all(archive):
    report = crawled(Blog.of(30, comments=4), archive, pages=False)
    assert (report.exit_code, known(archive).posts.answer, known(archive).comments.answer) == (0, "yes", "yes")


def test_posts_beyond_the_scope_are_named_as_such(archive):
    site = Blog.of(30)
    crawled(site, archive)
    blog = archive.blogs()[0]
    archive.blogs.inventory.add(blog.id, "WordPress REST", [
        InventoryPost(native_id="99", key="other.example/x", url="https://other.example/x", kind="outside"),
    ])
    assert [(gap.url, gap.reason) for gap in known(archive).posts.missing] == [
        ("https://other.example/x", "on another host, other.example"),
    ]


def test_an_update_renews_the_verdict_and_notes_that_it_changed(archive):
    site = Blog.of(40)
    lost = links(site, 3)
    crawled(site, archive, Broken(site, lost, 500))
    assert archive.blogs.inventory.last_verdict(archive.blogs()[0].id)["posts"] == "no"
    assert [event.kind for event in archive.events()] == []
    crawled(site, archive)
    assert known(archive).posts.answer == "yes"
    events = [event for event in archive.events() if event.kind == "completeness"]
    assert [(event.detail["of"], event.detail["before"], event.detail["answer"]) for event in events] == [
        ("posts", "no", "yes"), ("comments", "unknown", "yes"),
    ]
    crawled(site, archive)
    assert len([event for event in archive.events() if event.kind == "completeness"]) == len(events)


def test_a_crawl_that_is_not_over_notes_no_change(archive):
    for _ in range(3):
        crawl(a_site(), archive, max_pages=7)
    assert [event.kind for event in archive.events()] == []
    assert archive.blogs.inventory.last_verdict(archive.blogs()[0].id)["posts"] in {"no", "unknown"}


def test_a_verdict_that_stays_as_it_is_is_not_written_again(archive):
    crawled(Blog.of(12), archive)
    blog = archive.blogs()[0]
    before = archive.blogs.inventory.last_verdict(blog.id)
    renew(blog, archive)
    assert archive.blogs.inventory.last_verdict(blog.id) == before


def test_a_deletion_between_two_updates_leaves_the_blog_complete(archive):
    site = Blog.of(40)
    crawled(site, archive)
    site.delete(9)
    site.publish()
    crawled(site, archive)
    assert (known(archive).posts.answer, known(archive).posts.missing) == ("yes", ())


def test_what_stands_beside_an_export_is_json_and_years_are_counted(archive):
    crawled(Blog.of(12), archive)
    blog = archive.blogs()[0]
    document = json.loads(json.dumps(completeness_document([blog], archive)))
    assert document["blogs"][0]["completeness"]["posts"]["answer"] == "yes"
    assert [(year.year, year.held) for year in years_of_blog(blog, archive, known(archive))] == [(2020, 12)]
