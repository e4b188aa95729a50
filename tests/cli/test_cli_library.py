"""The crawls as functions of the library, called as programs call them."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import a_blog
import everlog
from cli.sites import POSTS, put_feed, put_post, serve_small
from fetch.servers import reply

if TYPE_CHECKING:
    from fetch.servers import Server

FAST = {"delay": 0}
ROOT = Path(__file__).parent.parent.parent
ALL = {f"Post {number} of ours" for number in range(1, POSTS + 1)}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_a_crawl_without_an_archive_gives_every_post_and_leaves_nothing(server, here):
    posts = list(everlog.crawl(serve_small(server), settings=FAST))
    assert {post.title for post in posts} == ALL
    assert posts[0].text
    assert list(here.iterdir()) == []


@pytest.mark.slow
def test_two_crawls_in_one_process_the_second_gives_what_is_new(server, here):
    url = serve_small(server)
    assert len(list(everlog.crawl(url, "kept", FAST))) == POSTS
    assert list(everlog.crawl(url, "kept", FAST)) == []


def test_a_crawl_can_run_inside_an_event_loop(server, here):
    url = serve_small(server)

    async def titles() -> set[str | None]:
        return {post.title for post in everlog.crawl(url, here / "kept", FAST)}

    assert asyncio.run(titles()) == ALL


@pytest.mark.slow
def test_an_update_gives_what_is_new_since_a_date(server, here):
    url = serve_small(server)
    whole = everlog.update(url, datetime(2024, 1, 6, tzinfo=UTC), "kept", FAST)
    assert {post.title for post in whole} == {f"Post {number} of ours" for number in (6, 7, 8)}
    put_post(server, 9)
    put_feed(server, [a_blog.item(number, link=f"{url}{number}") for number in (9, 8, 7, 6, 5)])
    [new] = everlog.update(url, datetime(2024, 1, 6, tzinfo=UTC), "kept", FAST)
    assert new.title == "Post 9 of ours"


@pytest.mark.slow
def test_an_archive_can_be_opened_and_handed_over(server, here):
    url = serve_small(server)
    with everlog.open_archive("kept", create=True) as archive:
        assert len(list(everlog.crawl(url, archive, FAST))) == POSTS
        assert archive.posts.find(f"{url}1").title == "Post 1 of ours"


@pytest.mark.slow
def test_a_reader_that_loses_interest_leaves_a_sound_archive_that_goes_on(server, here):
    url = serve_small(server)
    first = everlog.crawl(url, "kept", FAST)
    next(first)
    first.close()
    list(everlog.crawl(url, "kept", FAST))
    with everlog.open_archive("kept") as archive:
        assert {post.title for post in archive.posts()} == ALL


def test_a_blog_that_cannot_be_crawled_raises_what_the_command_line_prints(server: Server, here):
    server.routes["/"] = reply(200, "<p>No feed here.</p>")
    with pytest.raises(everlog.EverlogError, match="no feed found") as raised:
        list(everlog.crawl(server.url(), settings=FAST))
    assert raised.value.exit_code == 4
    assert "--feed" in raised.value.advice


def test_an_unknown_setting_raises_before_anything_starts(here):
    with pytest.raises(everlog.EverlogError, match="did you mean 'delay'"):
        next(everlog.crawl("https://a.blog.example/", settings={"deley": 1}))


@pytest.mark.slow
def test_since_is_a_date_a_datetime_or_a_text(server, here):
    url = serve_small(server)
    with everlog.open_archive("kept", create=True) as archive:
        list(everlog.crawl(url, archive, FAST))
        for since in (date(2024, 1, 6), datetime(2024, 1, 6, tzinfo=UTC), "2024-01-06", "2024-01-06T00:00:00+00:00"):
            assert {post.title for post in archive.posts(since=since)} == {f"Post {n} of ours" for n in (6, 7, 8)}
            assert archive.export("jsonl", here / "posts.jsonl", since=since) == 3
            assert list(everlog.update(url, since, archive, FAST)) == []


@pytest.mark.slow
def test_what_is_exported_is_what_a_post_gives_as_plain_data(server, here):
    url = serve_small(server)
    posts = {post.url: post for post in everlog.crawl(url, "kept", FAST)}
    with everlog.open_archive("kept") as archive:
        archive.export("jsonl", here / "posts.jsonl")
    lines = [json.loads(line) for line in (here / "posts.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == POSTS
    assert [posts[line["url"]].to_dict() for line in lines] == lines


@pytest.mark.slow
def test_the_example_of_the_readme_runs_on_a_blog_that_has_a_post_without_a_title(server, here, capsys):
    url = serve_small(server)
    untitled = a_blog.page(8).replace(b"<title>Post 8 of ours - A Blog</title>", b"").replace(
        b"<h1 class=title>Post 8 of ours</h1>", b"",
    )
    server.routes["/8"] = reply(200, untitled)
    put_feed(server, [
        a_blog.item(number, link=f"{url}{number}").replace("<title>Post 8 of ours</title>", "")
        for number in (8, 7, 6, 5, 4)
    ])
    [example] = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    # A blog of our own needs no manners.
    example = example.replace('archive="my-blogs"', 'archive="my-blogs", settings={"delay": 0}')
    [address] = set(re.findall(r"https?://[^\s\"')]+", example))
    exec(compile(example.replace(address, url), "README.md", "exec"), {})  # noqa: S102 - it is our own
    assert "Post 1 of ours" in capsys.readouterr().out
    with everlog.open_archive("my-blogs") as kept:
        assert sorted(str(post.title) for post in kept.posts()) == ["None", *(f"Post {n} of ours" for n in range(1, 8))]
