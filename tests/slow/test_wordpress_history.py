"""Whole crawls and updates of a real WordPress and a real Ghost through their own interfaces, on loopback."""

from __future__ import annotations

from contextlib import contextmanager
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

import everlog
from cli.program import everlog as run_everlog
from everlog.core.words import words
from everlog.history.answers import article_of
from platforms import ghost, wordpress
from platforms.content import comment, delete, edit, ghost_oddities, oddities, post, trash, years
from platforms.serving import needs
from platforms.wordpress import BLOCKS, CLASSIC, PLAIN, PRETTY, Options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Requests that are no page of the blog.
INTERFACES = ("/wp-json/", "rest_route=", "/comments/feed", "/wp-sitemap", "/robots.txt")


def crawled(site: Any, folder: Path, *flags: str) -> list[str]:
    """Crawl or update a site; what was asked of it meanwhile."""
    site.forget_requests()
    done = run_everlog("crawl", site.url, "--archive", "a", "--delay", "0", "--render", "never", *flags, folder=folder)
    assert done.code in {0, 3}, done.err
    return [request.target for request in site.requests()]


@contextmanager
def held_in(folder: Path, kind: str = "post") -> Iterator[dict[str, everlog.Post]]:
    with everlog.open_archive(folder / "a") as archive:
        yield {held.url: held for held in archive.posts() if held.kind == kind}


def public(truth: Any) -> dict[str, Any]:
    return {each.link: each for each in truth.posts if each.type == "post" and each.visible}


def beside(truth: Any) -> dict[str, Any]:
    """Pages and books, which stand beside the posts."""
    return {each.link: each for each in truth.posts if each.type in {"page", "book"} and each.visible}


def pages_are_held(folder: Path, truth: Any) -> None:
    """Every page and book is a record of its kind, as the database has it, with its comments."""
    wanted = beside(truth)
    with held_in(folder, "page") as held:
        assert held.keys() == wanted.keys()
        for url, each in wanted.items():
            assert words(held[url].text) == words(article_of(each.content, url)[0])
            said = {str(one.id) for one in truth.comments if one.post == each.id and one.visible}
            assert {one.id for one in held[url].comments} == said


@needs("wordpress")
def test_two_thousand_posts_and_all_their_comments_take_at_most_70_requests(tmp_path):
    with wordpress.site(Options(), filled_with=[*years(2_000, 3_000), *oddities()]) as site:
        asked = crawled(site, tmp_path, "--no-pages")
        truth = site.truth()
        wanted = public(truth)
        numbers = {each.id for each in wanted.values()}
        comments = {str(each.id) for each in truth.comments
                    if each.visible and each.type == "comment" and each.post in numbers}
        with held_in(tmp_path) as held:
            assert held.keys() == wanted.keys()
            assert {each.id for found in held.values() for each in found.comments} == comments
            assert {found.version for found in held.values()} == {1}
        assert {each.type for each in beside(truth).values()} == {"page", "book"}
        pages_are_held(tmp_path, truth)
        assert len(asked) <= 70


@needs("wordpress")
def test_with_rest_switched_off_the_pages_of_its_feed_tell_all_posts(tmp_path):
    with wordpress.site(Options(rest=401), filled_with=[*years(2_000, 3_000), *oddities()]) as site:
        asked = crawled(site, tmp_path, "--no-pages")
        wanted = public(site.truth())
        with held_in(tmp_path) as held:
            assert wanted.keys() <= held.keys()
        assert len(asked) <= 230


@needs("wordpress")
@pytest.mark.parametrize(("permalinks", "theme"), [(PRETTY, BLOCKS), (PLAIN, CLASSIC)], ids=["blocks", "classic"])
def test_records_are_what_the_database_says_pingbacks_included(permalinks, theme, tmp_path):
    options = Options(permalinks=permalinks, theme=theme, comments_per_page=20)
    with wordpress.site(options, filled_with=[*years(200, 300), *oddities()]) as site:
        crawled(site, tmp_path)
        truth = site.truth()
        wanted = public(truth)
        with held_in(tmp_path) as held:
            assert held.keys() == wanted.keys()
            for url, each in wanted.items():
                found = held[url]
                assert found.title == (unescape(each.title) or None)
                assert found.authors == (each.author,)
                assert set(found.tags) == {*map(unescape, each.tags), *map(unescape, each.categories)}
                assert found.published.timestamp() == everlog_time(each.date)
                assert words(found.text) == words(article_of(each.content, url)[0])
                said = {str(one.id) for one in truth.comments if one.post == each.id and one.visible}
                assert {one.id for one in found.comments} == said
                assert found.provenance["text"].method == "api"
                assert found.warc is not None
        pages_are_held(tmp_path, truth)
        with held_in(tmp_path, "page") as held:
            assert all(found.warc is not None for found in held.values())


@needs("wordpress")
def test_an_update_notices_edits_deletions_and_comments_of_old_posts_in_six_requests(tmp_path):
    about = post("About", "<p>We are three.</p>", key="about", type="page")
    with wordpress.site(Options(theme=CLASSIC), filled_with=[*years(200, 200), about]) as site:
        crawled(site, tmp_path)
        assert len(crawled(site, tmp_path)) <= 2

        before = sorted(public(site.truth()).values(), key=lambda each: each.id)
        site.change([
            post("New one", "<p>It came by night.</p>"), post("New two", "<p>So did it.</p>"),
            post("New three", "<p>And it, too.</p>"), edit(before[0].id, content="<p>Written anew, and late.</p>"),
            edit(before[-1].id, content="<p>Written anew, and soon.</p>"), trash(before[1].id), delete(before[-2].id),
            comment(before[2].id, "Late."), comment(before[3].id, "Later."), comment(before[-3].id, "Soon."),
            comment(before[-4].id, "At once."),
            comment(before[4].id, "[…] linked here […]", type="pingback", author="Another blog",
                    author_url="http://another.example/"),
            edit("about", content="<p>We are four by now.</p>"), comment("about", "So many!"),
        ])
        asked = crawled(site, tmp_path)
        assert sum(any(part in target for part in INTERFACES) for target in asked) <= 6, "\n".join(asked)
        truth = site.truth()
        with held_in(tmp_path) as held:
            for url, each in public(truth).items():
                assert words(held[url].text) == words(article_of(each.content, url)[0])
                said = {str(one.id) for one in truth.comments if one.post == each.id and one.visible}
                assert {one.id for one in held[url].comments} == said
            assert {url for url, found in held.items() if found.gone} == {before[1].link, before[-2].link}
        pages_are_held(tmp_path, truth)
        assert len(crawled(site, tmp_path)) <= 2


@needs("ghost")
def test_all_that_a_ghost_publishes_is_archived(tmp_path):
    with ghost.site(filled_with=[*years(100), *ghost_oddities()]) as site:
        # Its own robots.txt keeps strangers from the interface: this is for the owner of the blog.
        crawled(site, tmp_path, "--ignore-robots")
        wanted = {each.link for each in site.truth().posts if each.status == "published" and each.type == "post"}
        with held_in(tmp_path) as held:
            told = {url for url, found in held.items() if found.provenance["text"].method == "api"}
            assert len(told) >= 100
            assert told <= wanted
        pages = {each.link for each in site.truth().posts if each.status == "published" and each.type == "page"}
        with held_in(tmp_path, "page") as held:
            assert pages
            assert held.keys() == pages


@needs("ghost")
def test_robots_txt_of_a_ghost_is_obeyed_and_its_links_lead_to_all_posts(tmp_path):
    with ghost.site(filled_with=years(100)) as site:
        asked = crawled(site, tmp_path)
        wanted = {each.link for each in site.truth().posts if each.status == "published" and each.type == "post"}
        assert not any("/ghost/api/" in target for target in asked)
        with held_in(tmp_path) as held:
            assert wanted <= held.keys()


def everlog_time(text: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(text).timestamp()
