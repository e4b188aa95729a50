"""Articles that may be the wrong text: they are kept, marked, told of, and never take the place of surer ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import a_blog
from described_blogs import Writer
from everlog import Template
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.cli import main
from everlog.core.rules import Rule
from everlog.usecases.reread import reread_blog
from usecases.a_site import POSTS, a_site, crawl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.records import Blog


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


def the_blog(archive: Archive) -> Blog:
    return archive.blogs()[0]


def prose(seed: str) -> str:
    writer = Writer(seed)
    return "".join(f"<p>{writer.paragraph(5)}</p>" for _ in range(5))


def in_another_dress(number: int, inside: str) -> bytes:
    """The page of a post that no rule of the blog can read."""
    page = a_blog.page(number, inside)
    for ours, other in ((b"class=entry", b"class=story"), (b"class=post>", b"class=piece>"), (b"class=title", b"id=t")):
        page = page.replace(ours, other)
    return page


def test_a_post_that_no_rule_can_read_is_kept_as_other_methods_read_it(archive):
    fetcher = a_site()
    for number in (2, 3):
        fetcher.put(a_blog.url(number), in_another_dress(number, prose(f"{number}")))
    report = crawl(fetcher, archive)
    assert report.held == POSTS
    odd, usual = archive.posts.find(a_blog.url(2)), archive.posts.find(a_blog.url(1))
    assert Writer("2").paragraph(5) in odd.text
    assert odd.provenance["text"].confidence <= usual.provenance["text"].confidence


def test_a_post_without_an_article_is_kept_with_its_title_and_marked(archive):
    fetcher = a_site()
    fetcher.put(a_blog.url(2), a_blog.page(2, "<div class=player data-id=7></div>"))
    report = crawl(fetcher, archive)
    post = archive.posts.find(a_blog.url(2))
    assert report.held == POSTS
    assert post.title == "Post 2 of ours"
    assert post.provenance["text"].confidence < 0.5
    assert dict(archive.posts.unsure(the_blog(archive).id)) == {a_blog.url(2): "the article's usual place is empty"}
    assert report.tally.unsure == {"the article's usual place is empty": 1}


def test_something_else_in_the_place_of_an_article_does_not_replace_it(crawled):
    fetcher, archive = crawled
    before = archive.posts.find(a_blog.url(2))
    fetcher.put(
        a_blog.url(2), a_blog.page(2, "<div class=player></div>", after=f"<div class=wall>{prose('wall')}</div>"),
    )
    crawl(fetcher, archive, exhaustive=True)
    assert archive.posts.find(a_blog.url(2)).text == before.text


def test_rules_that_read_a_small_part_of_the_pages_are_told_of(archive, tmp_path, capsys):
    fetcher = a_site()
    for number in range(1, POSTS + 1):
        fetcher.put(a_blog.url(number), a_blog.page(number, prose(f"{number}")))
    crawl(fetcher, archive)
    blog = the_blog(archive)
    template = Template.from_json(blog.template)
    small = replace(template.designs[0], places=(Rule(method="selector", where="p.meta"),), cuts=())
    archive.blogs.update(blog.id, template=replace(template, designs=(small,)).to_json())
    reread_blog(the_blog(archive), archive)
    assert all(post.provenance["text"].confidence < 0.5 for post in archive.posts())
    assert main(["status", a_blog.HOME, "--archive", str(tmp_path / "archive")]) == 0
    said = "the article is a small part of the page's text; other methods find another text"
    assert f"on {POSTS} of {POSTS} posts {said}" in capsys.readouterr().out
