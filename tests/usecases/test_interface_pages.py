"""Pages beside the posts ("about", recipes) that a blog's interface tells: kept like posts, and counted apart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from test_told_blog import LONG, Blog, SiteWeb, crawled, held

from everlog.archive import open_archive
from everlog.export import write_posts
from everlog.usecases.reread import reread_blog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive


class WithPages(Blog):
    """A WordPress with pages at addresses of their own, which no list shows and the front page links to."""

    def link(self, post):
        if post.kind == "post":
            return super().link(post)
        return f"{self.home}{'about' if post.kind == 'page' else post.kind}-{post.number}/"

    def newest(self):
        return [post for post in super().newest() if post.kind == "post"]

    def beside(self) -> set[str]:
        return {self.link(post) for post in self.posts.values() if post.kind != "post"}

    def page(self, url):
        for post in self.posts.values():
            if post.kind != "post" and url == self.link(post):
                body = f"<main><h2>{post.title}</h2><div>{post.body}</div></main>"
                return 200, self.page_headers(), self._html(post.title, body)
        return super().page(url)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "a", create=True) as opened:
        yield opened


def a_site(**options) -> WithPages:
    site = WithPages.of(20, comments=6, kinds=("recipes", "e-template"), **options)
    about, recipe = site.publish(kind="page"), site.publish(kind="recipes")
    site.publish(kind="e-template")
    site.comment(about.number)
    site.comment(recipe.number)
    return site


def kinds(archive: Archive) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {"post": set(), "page": set()}
    for url, post in held(archive).items():
        found[post.kind].add(url)
    return found


def wanted(site: WithPages) -> dict[str, set[str]]:
    return {
        "post": {site.link(post) for post in site.posts.values() if post.kind == "post"},
        "page": {url for url in site.beside() if "template" not in url},
    }


@pytest.mark.parametrize("pages", [True, False], ids=["with their pages", "records alone"])
def test_pages_and_types_of_a_blogs_own_are_records_of_their_kind_with_their_comments(archive, pages):
    site = a_site()
    web = SiteWeb(site)
    report = crawled(site, archive, web, pages=pages)
    assert report.ending == "complete"
    assert kinds(archive) == wanted(site)
    for url in wanted(site)["page"]:
        post = held(archive)[url]
        assert (len(post.comments), post.version, post.provenance["text"].method) == (1, 1, "api")
        assert (post.warc is not None, url in web.asked) == (pages, pages)
        assert post.provenance["text"].confidence == (1.0 if pages else 0.95)
    figures = archive.blogs.figures(archive.blogs.find(site.home).id)
    assert (figures.posts, report.held, report.tally.new_posts, figures.comments) == (20, 20, 20, 8)
    # The front page, and both pages.
    assert figures.pages == 3
    assert figures.missing == 0


def test_a_page_is_shown_found_and_exported_as_what_it_is(archive, tmp_path):
    site = a_site()
    crawled(site, archive, pages=False)
    about = next(url for url in site.beside() if "about" in url)
    assert archive.posts.find(about).kind == "page"
    assert about in {hit.url for hit in archive.search("harbour", limit=100)}
    write_posts(archive.posts(), "jsonl", tmp_path / "all.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert {line["url"] for line in lines if line["kind"] == "page"} == wanted(site)["page"]
    assert {(line["origin"], line["captured"]) for line in lines} == {("live", None)}


def test_edits_and_deletions_of_pages_are_noticed_where_posts_changed(archive):
    site = a_site()
    crawled(site, archive)
    about, recipe = (next(post for post in site.posts.values() if post.kind == kind) for kind in ("page", "recipes"))
    site.edit(about.number, f"<p>{LONG} We are four by now.</p>")
    gone = site.link(recipe)
    site.delete(recipe.number)
    site.publish()
    report = crawled(site, archive)
    found = held(archive)
    assert (found[site.link(about)].version, found[site.link(about)].kind) == (2, "page")
    assert "four by now" in found[site.link(about)].text
    assert found[gone].gone is not None
    assert "1 new post, 1 new or changed page" in report.reason
    assert {event.kind for event in archive.events()} == {"edited", "deleted"}


def test_an_update_of_what_did_not_change_asks_for_no_pages(archive):
    site = a_site()
    crawled(site, archive)
    web = SiteWeb(site)
    report = crawled(site, archive, web)
    assert len(web.asked) == 2
    assert report.reason == "up to date: WordPress REST names nothing new"


def test_pages_stay_pages_when_what_is_stored_is_read_again(archive):
    site = a_site()
    crawled(site, archive)
    before = held(archive)
    result = reread_blog(archive.blogs.find(site.home), archive)
    after = held(archive)
    assert (result.changed, result.new, result.no_longer) == (0, 0, 0)
    assert {url: (post.kind, post.text) for url, post in after.items()} == {
        url: (post.kind, post.text) for url, post in before.items()
    }


def test_a_page_that_is_the_front_page_is_no_record(archive):
    site = a_site()
    about = next(post for post in site.posts.values() if post.kind == "page")
    link = site.link
    site.link = lambda post: site.home if post.number == about.number else link(post)
    crawled(site, archive, pages=False)
    assert site.home not in held(archive)
    assert len(held(archive)) == 21
