"""Pictures and files that are gone from the web, from a web archive: those of posts, near the time of their capture."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from everlog.archive.repos.inventory import InventoryPost
from everlog.core.urls import canonical
from everlog.history.memento import WEB_ARCHIVE
from everlog.records import Exchange, Visit
from everlog.usecases.page.requisite_visits import stands_for_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from everlog.records import Blog
    from everlog.usecases.foreign.archive_client import ArchiveClient

# Pictures that an archive did not have are asked for again after this long: it may have captured them since.
ASKED_AGAIN = timedelta(days=30)
# Kept beside the posts that a web archive names.
VAIN_MEDIA = "no medium"
WAITING_AT_ONCE = 10_000


async def restore_media(blog: Blog, client: ArchiveClient, *, is_dead: bool) -> int:
    """Take what is missing; how many were had. Of a blog that is dead, what waits to be fetched is missing too."""
    run = client.run
    archive = run.archive
    vain = {
        each.key: each.changed_at for each in archive.blogs.inventory.of(blog.id, WEB_ARCHIVE, kind=VAIN_MEDIA)
    }
    won = 0
    for url, around in list(_missing(blog, client, is_dead=is_dead)):
        key = canonical(url)
        asked_at = vain.get(key)
        if asked_at is not None and run.now() - asked_at < ASKED_AGAIN:
            continue
        run.tally.doing = f"asking {client.name} for pictures and files: {won:,} had"
        found = await _captured(url, around, client)
        if isinstance(found, Exchange):
            archive.commit([Visit(
                blog_id=blog.id, url=url, key=key, lane="media", outcome="media", exchanges=(found,), foreign="done",
            )])
            won += 1
        else:
            archive.blogs.inventory.add(blog.id, WEB_ARCHIVE, [
                InventoryPost(native_id=f"media {key}", key=key, url=url, kind=VAIN_MEDIA, changed_at=run.now()),
            ])
    return won


async def _captured(url: str, around: datetime, client: ArchiveClient) -> Exchange | None:
    found = await client.nearest(url, around, purpose="media")
    if not isinstance(found, Exchange) or stands_for_file(found):
        # What is nearest may be an error; there may be a good answer of another time.
        found = await client.newest_good(url, purpose="media")
    return found if isinstance(found, Exchange) and found.size and not stands_for_file(found) else None


def _missing(blog: Blog, client: ArchiveClient, *, is_dead: bool) -> Iterator[tuple[str, datetime]]:
    """Media that are not held, each with the time at which the post was seen that shows it."""
    archive, now = client.run.archive, client.run.now()
    seen: dict[str, datetime] = {}
    for post in archive.posts(blog_id=blog.id):
        moment = post.captured or post.fetched or now
        for each in post.media:
            if each.path is None:
                seen.setdefault(canonical(each.url), moment)
    for problem in archive.urls.problems(blog.id):
        if problem.lane == "media" and problem.is_missing:
            yield problem.url, seen.get(canonical(problem.url), now)
    if is_dead:
        for _, link in archive.urls.queued(blog.id, "media", limit=WAITING_AT_ONCE, now=now):
            yield link.url, seen.get(link.key, now)
