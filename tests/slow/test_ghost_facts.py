"""What reading the history of a Ghost blog relies on, asserted of a real one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from platforms import ghost
from platforms.content import delete, edit, ghost_oddities, post, years
from platforms.serving import ask, needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from platforms.ghost import Site

pytestmark = needs("ghost")

CONTENT = [*years(130), *ghost_oddities()]
# With those for members and for those who pay, and the one on top.
PUBLISHED = 133


@pytest.fixture(scope="module")
def blog() -> Iterator[Site]:
    with ghost.site(filled_with=CONTENT) as site:
        yield site


def key_of(site: Site) -> str:
    found = re.search(r'data-key="([0-9a-f]+)"', ask(site.url, "/").text)
    assert found
    return found[1]


def content(site: Site, query: str, kind: str = "posts") -> Any:
    answer = ask(site.url, f"/ghost/api/content/{kind}/?key={key_of(site)}&{query}")
    assert answer.status == 200
    return answer.json


def test_every_page_has_the_public_key_of_the_content_api(blog: Site) -> None:
    assert key_of(blog) == blog.truth().content_key
    some_post = next(true for true in blog.truth().posts if true.visible)
    for page in ("/", some_post.link):
        text = ask(blog.url, page).text
        assert f'data-key="{key_of(blog)}"' in text
        assert f'data-ghost="{blog.url}/"' in text
        assert '<meta name="generator" content="Ghost 5.130">' in text
    assert ask(blog.url, "/ghost/api/content/posts/").status == 403
    assert ask(blog.url, "/ghost/api/content/posts/?key=0123456789abcdef0123456789").status == 401


def test_the_content_api_tells_how_many_posts_there_are_and_the_pages_hold_them_all(blog: Site) -> None:
    pages = [content(blog, f"limit=100&include=tags,authors&formats=html&page={page}") for page in (1, 2)]
    assert [len(page["posts"]) for page in pages] == [100, PUBLISHED - 100]
    assert pages[0]["meta"]["pagination"]["total"] == PUBLISHED
    assert [page["meta"]["pagination"]["next"] for page in pages] == [2, None]
    found = {entry["id"]: entry for page in pages for entry in page["posts"]}
    for true in blog.truth().posts:
        if true.visible and true.type == "post":
            entry = found.pop(true.id)
            assert (entry["url"], entry["title"], entry["html"]) == (true.link, true.title, true.content)
            assert [tag["name"] for tag in entry["tags"]] == true.tags
            # Readers do not see those that begin with #, and here they are.
            assert all((tag["visibility"] == "internal") == (tag["name"][0] == "#") for tag in entry["tags"])
            assert [author["name"] for author in entry["authors"]] == true.authors
            assert entry["updated_at"].replace("+00:00", "Z") == true.modified
    assert set(found) == {blog.keys["members"], blog.keys["paid"]}


def test_past_the_end_the_content_api_has_no_posts_and_names_a_next_page_all_the_same(blog: Site) -> None:
    past = content(blog, "limit=100&page=3")
    assert past["posts"] == []
    assert past["meta"]["pagination"] | {"limit": 100} == {
        "page": 3, "limit": 100, "pages": 2, "total": PUBLISHED, "next": 4, "prev": 2,
    }


def test_posts_for_members_are_counted_and_told_without_their_text(blog: Site) -> None:
    closed = content(blog, "filter=visibility:-public")["posts"]
    assert {entry["id"] for entry in closed} == {blog.keys["members"], blog.keys["paid"]}
    assert {(entry["access"], entry["html"]) for entry in closed} == {(False, "")}


def test_pages_are_apart_and_more_authors_are_counted_than_told(blog: Site) -> None:
    assert [entry["id"] for entry in content(blog, "limit=100", "pages")["pages"]] == [blog.keys["page"]]
    authors = content(blog, "limit=100", "authors")
    assert {author["name"] for author in authors["authors"]} >= {"Ann Archer", "Bo Björk", "Chidi Okafor"}
    assert len(authors["authors"]) <= authors["meta"]["pagination"]["total"]


def test_edits_new_posts_and_deletions_show_in_the_content_api_and_in_the_sitemap() -> None:
    with ghost.site(filled_with=CONTENT) as site:
        site.change([
            edit("p3", content="<p>Otherwise.</p>", modified="2026-01-01 12:00:00"),
            post("New", key="new", date="2026-01-02 00:00:00"),
            delete("p5"),
        ])
        newest = content(site, "limit=1&order=updated_at%20desc&fields=id,updated_at")
        assert [entry["id"] for entry in newest["posts"]] == [site.keys["new"]]
        assert newest["meta"]["pagination"]["total"] == PUBLISHED
        for after, found in (
            (">'2026-01-01 12:00:00'", {"new"}), (">='2026-01-01 12:00:00'", {"new", "p3"}),
            # With a T it is compared as text, at least on SQLite: the rest of that day is missed.
            (">'2026-01-01T11:59:59.000Z'", {"new"}),
        ):
            told = content(site, f"fields=id&filter=updated_at:{after.replace(' ', '%20')}")["posts"]
            assert {entry["id"] for entry in told} == {site.keys[key] for key in found}, after
        sitemap = ask(site.url, "/sitemap-posts.xml").text
        links = {true.link for true in site.truth().posts if true.type == "post" and true.status == "published"}
        assert set(re.findall("<loc>(.*?)</loc>", sitemap)) == links
        assert "<lastmod>2026-01-01T12:00:00.000Z</lastmod>" in sitemap


def test_an_edit_without_a_time_is_one_of_now() -> None:
    with ghost.site(filled_with=CONTENT) as site:
        before = {true.id: true.modified for true in site.truth().posts}
        site.change([edit("p3", title="Otherwise")])
        changed = [true for true in site.truth().posts if true.modified != before[true.id]]
        assert [(true.id, true.title) for true in changed] == [(site.keys["p3"], "Otherwise")]
        assert changed[0].modified > "2025"


def test_the_sitemap_lists_posts_with_the_time_of_their_last_edit(blog: Site) -> None:
    sitemap = ask(blog.url, "/sitemap-posts.xml").text
    assert sitemap.count("<loc>") == sitemap.count("<lastmod>") == PUBLISHED
    assert f"{blog.url}/sitemap-posts.xml" in ask(blog.url, "/sitemap.xml").text
    assert f"Sitemap: {blog.url}/sitemap.xml" in ask(blog.url, "/robots.txt").text


def test_the_feed_has_one_page_and_pages_of_posts_end_with_a_404(blog: Site) -> None:
    assert ask(blog.url, "/rss/").text.count("<item>") == 15
    assert ask(blog.url, "/rss/2/").status == 404
    assert ask(blog.url, "/feed/").headers["Location"] == "/rss/"
    assert ask(blog.url, "/page/2/").status == 200
    assert ask(blog.url, "/page/99/").status == 404


def test_each_request_is_in_the_log_with_its_status(blog: Site) -> None:
    blog.forget_requests()
    ask(blog.url, "/rss/?x=1", User_Agent="a reader")
    ask(blog.url, "/nowhere/")
    assert [(one.method, one.target, one.status) for one in blog.requests()] == [
        ("GET", "/rss/?x=1", 200), ("GET", "/nowhere/", 404),
    ]
    assert blog.requests()[0].headers["user-agent"] == "a reader"
