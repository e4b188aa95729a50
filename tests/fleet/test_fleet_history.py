"""Workers walk a blog's own interface, as a crawl and an update by hand do: the same posts, the same requests."""

from __future__ import annotations

from collections import Counter

import pytest

from cli.program import everlog
from everlog.archive import open_archive
from everlog.archive.db import schema
from everlog.archive.verify import verify
from fleet.a_fleet import no_job_left, until
from history.served import served_site
from usecases.a_told_site import LONG, ToldBlog

POSTS, COMMENTS = 30, 10


def a_site() -> ToldBlog:
    """A blog whose links lead to half of its posts."""
    return ToldBlog.of(POSTS, comments=COMMENTS, traps={"half", "talk"})


def change(site: ToldBlog) -> None:
    """An edit and a deletion of old posts, a comment on one, and a new post."""
    site.edit(2, f"<p>{LONG} Written anew.</p>")
    site.delete(3)
    site.comment(5)
    site.publish()


def kept(archive) -> dict[str, tuple[str, int, bool, int]]:
    return {
        post.url.partition("//")[2].partition("/")[2]: (
            post.text, post.version, post.gone is not None, len(post.comments),
        ) for post in archive.posts()
    }


def asked(server) -> Counter[str]:
    found = Counter(seen.path for seen in server.seen if seen.path != "/robots.txt")
    server.seen.clear()
    return found


@pytest.mark.slow
def test_workers_crawl_and_update_through_an_interface_as_the_commands_do(fleet, tmp_path):
    alone, shared = a_site(), a_site()
    with served_site(alone) as one, served_site(shared) as other:
        crawl = ("--delay", "0", "-q", "--archive", "alone")
        everlog("crawl", alone.home, *crawl, folder=tmp_path)
        fleet.run("enqueue", shared.home)
        fleet.worker("only")
        with fleet.open() as archive, open_archive(tmp_path / "alone", create=True) as by_hand:
            until(lambda: no_job_left(archive))
            assert kept(archive) == kept(by_hand)
            assert len(kept(archive)) == POSTS
            assert asked(other) == asked(one)
            [state] = archive.blogs.state(archive.blogs()[0].id).history
            assert (state.source, state.is_exhaustive, state.cursor) == ("WordPress REST", True, None)
            for site in (alone, shared):
                change(site)
            everlog("update", alone.home, *crawl, folder=tmp_path)
            fleet.run("enqueue", "--update", shared.home)
            until(lambda: no_job_left(archive))
            assert kept(archive) == kept(by_hand)
            assert {event.kind for event in archive.events()} == {"edited", "deleted", "comments"}
            assert asked(other) == asked(one)
            # A poll that falls due asks the interface as well, and when nothing changed nothing else.
            fleet.run("watch", "--once")
            with archive.backend.database.writing() as connection:
                connection.execute(schema.polls.update().values(due_at="2020-01-01T00:00:00.000000Z"))
            shared.edit(4, f"<p>{LONG} Another one.</p>")
            fleet.run("watch", "--once")
            until(lambda: "Another one." in kept(archive)[shared.link(shared.posts[4]).removeprefix(shared.home)][0])
            until(lambda: no_job_left(archive))
            assert f"/{shared.link(shared.posts[4]).removeprefix(shared.home)}" in asked(other)
            assert list(verify(archive)) == []
