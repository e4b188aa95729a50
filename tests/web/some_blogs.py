"""Archives for pages that list and show posts: ordinary ones, and one in which every field wants to be markup."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from archive import some_visits as some
from everlog.records import Comment, Event, Provenance

if TYPE_CHECKING:
    from everlog.archive import Archive

HOSTILE = "http://hostile.example/"
# Each closes what it may stand in: an element, an attribute, a script, a style, a comment, a template.
PAYLOADS = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'onmouseover='alert(1)",
    "</title><script>x</script>", "--><svg onload=alert(1)>", "{{ 7*7 }}{% raw %}", "javascript:alert(1)",
    "]]><script>x</script>", "<!--", "&lt;b&gt;", "\u202eevil\u202c <iframe src=//evil.example>",
)


def published(number: int) -> datetime:
    return datetime(2020, 1, 15, 12, tzinfo=UTC) + timedelta(days=9 * number)


def add_posts(archive: Archive, home: str, count: int, *, title: str | None = None) -> int:
    """A blog with so many posts, nine days apart: of two authors, with two tags, every tenth one unsure."""
    blog = archive.blogs.add(home, scope="path").id
    archive.blogs.update(blog, title=title, state="finished")
    with archive.lock(blog):
        archive.commit([some.page(blog, f"{home}{number}", outcome="post", exchanges=(
            some.exchange(f"{home}{number}", f"<p>page {number}".encode(), at=number),
        ), post=some.post(
            f"{home}{number}", title=f"Post {number}", text=f"Words of number{number}. {some.LONG}",
            published=published(number), authors=("Ann Lee" if number % 3 else "Bob",), language="en",
            tags=("even",) if number % 2 == 0 else ("odd", "Maps"),
            provenance={"text": Provenance(method="selector", rule="article", confidence=0.9 if number % 10 else 0.2)},
        )) for number in range(count)])
    return blog


def add_hostile(archive: Archive, home: str = HOSTILE) -> int:
    """A blog whose every field is one of the payloads; and a post that has nothing at all."""
    blog = archive.blogs.add(home, scope="path").id
    archive.blogs.update(blog, title=" ".join(PAYLOADS), state="finished")
    with archive.lock(blog):
        for number, payload in enumerate(PAYLOADS):
            for version in (1, 2):
                url = f"{home}{number}"
                archive.commit([some.page(blog, url, outcome="post", exchanges=(
                    some.exchange(url, f"<p>{payload}{version}".encode(), at=number + 1_000 * version),
                ), post=some.post(
                    url, title=f"{payload} {version}", authors=(payload, f"{payload} & sons"),
                    tags=(payload, "hostile"), language=payload, text=f"hostile {payload} version{version} {some.LONG}",
                    html=f"<p>{payload}</p>", summary=payload, published=published(number), comments_state="complete",
                    comments=(
                        Comment(id=payload, author=payload, author_url="javascript:alert(1)", text=payload,
                                html=payload, url=payload),
                        Comment(id="2", parent=payload, author=payload, text=f"{payload} {version}"),
                    ),
                    provenance={"title": Provenance(method=payload, rule=payload, confidence=0.1, disagrees=payload)},
                ))])
        archive.commit([some.page(blog, home + "empty", outcome="post", exchanges=(some.exchange(home + "empty"),),
                                  post=some.post(home + "empty", title=None, text="", html=""))])
    return blog


def add_events(archive: Archive, home: str) -> None:
    """A blog's post that was edited three times, deleted and came back; and a blog that moved and was redesigned."""
    blog = archive.blogs.find(home)
    with archive.lock(blog.id):
        for number in range(1, 4):
            url, at = f"{home}0", 5_000 * number
            archive.commit([some.page(blog.id, url, outcome="post", exchanges=(
                some.exchange(url, f"<p>edited {number}".encode(), at=at),
            ), post=some.post(
                url, title=f"Post 0 in its form {number}", text=f"Other words {number}. {some.LONG}",
                published=published(0), language="en", fetched=some.START + timedelta(seconds=at),
            ))])
    post = archive.listing.find(home + "0")
    archive.events.add([
        Event(blog_id=blog.id, post_id=number, kind=kind, at=some.START + timedelta(days=day), reason=reason)
        for day, (kind, number, reason) in enumerate((
            ("deleted", post.id, "its page said 410 Gone"), ("back", post.id, "its page answers again"),
            ("moved", None, f"the blog moved to {home}"), ("redesigned", None, "the blog was redesigned"),
            ("completeness", None, "12 posts are missing"), ("dropped", post.id, "it left the feed"),
        ), start=1)
    ])
