"""Replies to the toot that a post names become its comments, and are said to be partial where they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import a_blog
from cli.program import everlog
from cli.sites import serve_small
from everlog.archive import open_archive
from fetch.servers import Server, reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.records import Post
    from fetch.servers import Seen

# What a server of Mastodon shows to strangers.
MOST_SHOWN = 60
TOOTS = {3: "110605586119723003", 5: "110605586119723005", 6: "110605586119723006"}


def status(number: int, parent: str, *, replies: int = 0) -> dict[str, object]:
    """A reply as the interface of Mastodon tells it."""
    return {
        "id": str(number), "in_reply_to_id": parent, "created_at": f"2024-02-01T10:00:{number % 60:02}.000Z",
        "visibility": "public", "url": f"https://m.example/@bo/{number}", "content": f"<p>Reply {number}.</p>",
        "replies_count": replies, "account": {"display_name": f"Bo {number}", "url": "https://m.example/@bo"},
    }


# Two replies, one of them answered; more than a stranger is shown; none at all.
REPLIES = {
    TOOTS[3]: [status(701, TOOTS[3], replies=1), status(702, "701"), status(703, TOOTS[3])],
    TOOTS[5]: [status(1000 + number, TOOTS[5]) for number in range(MOST_SHOWN)],
    TOOTS[6]: [],
}
COUNTS = {TOOTS[3]: 2, TOOTS[5]: 75, TOOTS[6]: 0}


def mastodon(seen: Seen) -> bytes:
    """The interface of a server of Mastodon, for strangers."""
    path = seen.path.removeprefix("/api/v1/statuses/")
    toot = path.removesuffix("/context")
    if toot not in REPLIES:
        return reply(404, '{"error": "Record not found"}', Content_Type="application/json")
    is_context = path.endswith("/context")
    itself = {"id": toot, "replies_count": COUNTS[toot]}
    said = {"ancestors": [], "descendants": REPLIES[toot]} if is_context else itself
    return reply(200, json.dumps(said), Content_Type="application/json; charset=utf-8")


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server, dict[int, Post], Path]]:
    """A blog on loopback, some of whose posts name their toot, crawled; and the server of the toots."""
    folder = tmp_path_factory.mktemp("toots")
    with Server() as blog, Server({"*": mastodon}) as toots:
        home = serve_small(blog)
        for number, toot in TOOTS.items():
            call = f"<p><a href='{toots.url(f'/@ann/{toot}')}'>Reply on Mastodon</a></p>"
            blog.routes[f"/{number}"] = reply(200, a_blog.page(number, after=call))
        done = everlog(
            "crawl", home, "--delay", "0", "--allow", f"127.0.0.1:{toots.port}", "--archive", "kept", folder=folder,
        )
        assert done.code in {0, 3}, done.err
        with open_archive(folder / "kept", create=False) as archive:
            posts = {int(post.url.rpartition("/")[2]): post for post in archive.posts()}
        yield blog, toots, posts, folder


def test_replies_to_the_toot_are_comments_of_the_post_with_their_parents(web):
    _, _, posts, _ = web
    assert [(each.id, each.parent, each.author, each.text, each.source) for each in posts[3].comments] == [
        ("701", None, "Bo 701", "Reply 701.", "mastodon"), ("702", "701", "Bo 702", "Reply 702.", "mastodon"),
        ("703", None, "Bo 703", "Reply 703.", "mastodon"),
    ]
    assert posts[3].comments_state == "complete"
    assert posts[3].text == a_blog.text(3)


def test_replies_that_a_stranger_is_not_shown_make_the_comments_partial(web):
    _, _, posts, _ = web
    assert len(posts[5].comments) == MOST_SHOWN
    assert (posts[5].comments_state, posts[5].comment_count_claimed) == ("partial", 75)


def test_a_toot_without_replies_is_no_comment_and_other_posts_have_none(web):
    _, _, posts, _ = web
    assert [posts[number].comments for number in (1, 2, 4, 6)] == [()] * 4
    assert posts[6].comments_state == "none"


def test_a_toot_is_asked_for_once_and_its_answers_are_in_the_archive_and_the_ledger(web):
    blog, toots, _, folder = web
    counts = {path: count for path, count in toots.counts().items() if path != "/robots.txt"}
    assert counts == {f"/api/v1/statuses/{toot}{part}": 1 for toot in TOOTS.values() for part in ("", "/context")}
    with open_archive(folder / "kept", create=False) as archive:
        [kept] = archive.blogs()
        for path in counts:
            assert archive.captures.find(kept.id, toots.url(path)) is not None
    ledger = everlog("status", "--politeness", "--json", "--archive", "kept", folder=folder).json
    assert sum(row["requests"] for row in ledger) == len(toots.seen) + len(blog.seen)
