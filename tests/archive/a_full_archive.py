"""An archive with something in every table, and ways to look at two of them side by side."""

from __future__ import annotations

import io
import os
import signal
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import some_visits as some
from some_visits import HOME, LONG, START
from sqlalchemy import select

from everlog.archive.blog_state import ListWalk
from everlog.archive.copy import copied_rows
from everlog.archive.copy.copy_archive import copy_archive, open_target
from everlog.archive.models import Poll
from everlog.archive.repos.inventory import InventoryPost
from everlog.core.fetcher import HostStats, Waited
from everlog.records import Comment, Event, Media
from everlog.schedule.poll_schedule import first_polling

if TYPE_CHECKING:
    from places import Place

    from everlog.archive import Archive
    from everlog.archive.copy.copy_archive import Copied, Progress

STRANGE = "Zero \x00 width \u202eright to left\u202c, \U0001f469\u200d\U0001f680, \ufeff, \\N, \\., a\tb\r\nc"
PICTURE = bytes(range(256)) * 700
QUERIES = ("word7", "edited", "Zuerst", '"word1 word2"', "right", "blog:b.example", "-edited word3", "第一")


def fill(archive: Archive) -> None:
    """Two blogs: edited and gone posts, comments, media, aliases, redirects, failures, what is waited for."""
    blog = archive.blogs.add(HOME, scope="path")
    other = archive.blogs.add("http://b.example/", scope="host")
    with archive.lock(blog.id):
        archive.commit(list(_visits(blog.id)))
        archive.commit([some.post_visit(blog.id, HOME + "0", f"0 {LONG} edited", at=60), _unchanged(blog.id, 70)])
        archive.commit([some.page(
            blog.id, HOME + "1", outcome="failed", reason="not there (410)",
            exchanges=(some.exchange(HOME + "1", b"no", status=410, at=80),),
        )])
    with archive.lock(other.id):
        archive.commit([some.post_visit(other.id, "http://b.example/first", f"Zuerst 第一 {LONG}", at=90)])
    archive.hidden.set_post(archive.listing.find("http://b.example/first").id, hidden=True)
    _watch(archive, blog.id)
    _account(archive, blog.id)


def _visits(blog_id: int) -> Any:
    yield some.page(blog_id, HOME, links=tuple(some.link(f"{HOME}later-{number}") for number in range(3)))
    picture = HOME + "picture.png"
    comments = (
        Comment(id="1", author="Ann", text=STRANGE, published=START, source="page"),
        Comment(id="2", parent="1", author="Bob", text="Yes.", source="page"),
    )
    for number in range(6):
        visit = some.post_visit(
            blog_id, f"{HOME}{number}", f"{number} {LONG}", at=number, media=(Media(url=picture),),
            published=START - timedelta(days=number), tags=("sea", f"tag {number}"), comments=comments[: number % 3],
        )
        html = f'{visit.post.html}<p><a href="{HOME}{number + 1}">next</a></p>'
        yield replace(visit, post=replace(visit.post, html=html))
    yield some.post_visit(blog_id, HOME + "copy", f"2 {LONG}", at=10)
    yield some.post_visit(blog_id, HOME + "strange", STRANGE * 3, at=11, title=STRANGE)
    yield some.media_visit(blog_id, picture, PICTURE, at=12)
    yield some.media_visit(blog_id, HOME + "same.png", PICTURE, at=13)
    hops = (some.exchange(HOME + "old", b"", status=301, at=14), some.exchange(HOME + "3", f"3 {LONG}".encode(), at=14))
    yield replace(some.post_visit(blog_id, HOME + "old", f"3 {LONG}"), exchanges=hops, post_key="a.example/3")
    yield some.page(blog_id, HOME + "broken", outcome="failed", reason="timeout", exchanges=())


def _unchanged(blog_id: int, at: int) -> Any:
    """The same page again: its capture refers to the one before."""
    return some.post_visit(blog_id, HOME + "4", f"4 {LONG}", at=at)


def _watch(archive: Archive, blog_id: int) -> None:
    archive.blogs.update(blog_id, title=STRANGE, template='{"a": 1}', knowledge='{"b": 2}', state="finished")
    archive.blogs.change_template(blog_id, template="{}", knowledge="{}", at=START, reason="it looks otherwise")
    archive.polls.set(Poll(blog_id=blog_id, polling=first_polling([], START, seed="a"), etag='"x"', digest="d"))
    archive.events.add([Event(blog_id=blog_id, kind="moved", at=START, reason="it said so", detail={"to": "x"})])
    archive.posts.rechecks.plan(blog_id, now=START, most=timedelta(days=90))


def _account(archive: Archive, blog_id: int) -> None:
    waited = Waited(reason="429", signal=STRANGE, seconds=0.1 + 0.2, first_at=START, last_at=START)
    archive.hosts.add([HostStats(
        host="a.example", requests=2**40, bytes=3, waited_seconds=1 / 3, slowed=1, delay_seconds=2.5, asked_at=START,
        waits=(waited,),
    )], START)
    run = archive.blogs.begin_run(blog_id, "crawl")
    archive.blogs.end_run(run, reason="done", counts={"posts": 7})
    archive.blogs.change_state(blog_id, lambda state: replace(state, walk=ListWalk(waiting=(STRANGE,))))
    archive.blogs.keep_address(STRANGE, "http://a.example/")
    archive.blogs.inventory.add(blog_id, STRANGE, [InventoryPost(native_id=STRANGE, key=STRANGE, url=STRANGE)])
    archive.hosts.cache({"robots http://a.example": "User-agent: *"})
    archive.backend.state.tell_contact()


def rows_of(archive: Archive) -> dict[str, list[tuple[Any, ...]]]:
    """All rows that belong to an archive, by table, in one order."""
    with archive.backend.database.reading() as connection:
        return {
            table.name: sorted(
                (tuple(row) for row in connection.execute(select(copied_rows.wanted(table).subquery()))), key=repr,
            )
            for table in copied_rows.TABLES
        }


def outside_of(archive: Archive) -> dict[str, Any]:
    """What users see of an archive."""
    exported = io.BytesIO()
    archive.export("jsonl", exported)
    return {
        "export": exported.getvalue(),
        "found": {query: sorted(hit.url for hit in archive.search(query)) for query in QUERIES},
        "counts": [archive.blogs.counts(blog.id) for blog in archive.blogs(forgotten=True)],
        "history": [archive.posts.history(post.url) for post in archive.posts()],
        "ledger": list(archive.hosts.stats()), "events": list(archive.events()),
        "templates": [archive.blogs.templates(blog.id) for blog in archive.blogs()],
        "polls": [archive.polls.of(blog.id) for blog in archive.blogs()],
        "pages": [
            archive.files.exchange(capture).body for blog in archive.blogs() for capture in archive.captures(blog.id)
        ],
    }


def copy(source: Place, target: Place, progress: Progress | None = None) -> Copied:
    """Copy an archive to another place, as the command does."""
    where = target.url or str(target.folder)
    with source.open(create=False) as opened, open_target(where, files=target.files) as empty:
        return copy_archive(opened, empty, progress)


def die_copying(source: Place, target: Place, what: str, share: float) -> None:
    """Copy, and be killed when such a share of something is done."""

    def tell(now: str, done: int, total: int) -> None:
        if now == what and done >= share * total:
            os.kill(os.getpid(), signal.SIGKILL)

    copy(source, target, tell)
