"""Rendered pages as the browser door writes them down: frames and shadow roots are templates beside their hosts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from everlog.comments.services import SERVICES, read_service
from everlog.core.tree import parse

if TYPE_CHECKING:
    from everlog.comments.comment_markup import Thread
    from everlog.comments.services import Service
    from everlog.core.tree import Element

URL = "https://blog.example/2020/03/tea/"
FETCHED_AT = datetime(2020, 6, 1, 12, 0, tzinfo=UTC)


def service_named(name: str) -> Service:
    return next(service for service in SERVICES if service.name == name)


def fixture(name: str) -> bytes:
    return (Path(__file__).parent / "fixtures" / f"{name}.html").read_bytes()


def page(body: str) -> Element:
    return parse(f"<html data-everlog-rendered=settled><body><p>The post.</p>{body}</body></html>".encode())


def frame(url: str, body: str) -> str:
    return f'<iframe src="{url}"></iframe><template data-everlog-frame="{url}"><body>{body}</body></template>'


def read(name: str, root: Element | None = None) -> Thread | None:
    """What a service's reader makes of its fixture, or of another page."""
    root = parse(fixture(name)) if root is None else root
    return read_service(root, URL, service_named(name), fetched_at=FETCHED_AT)


def threads(thread: Thread | None) -> list[tuple[str | None, str | None, str | None, str]]:
    """Id, id of the answered, author and text of each comment."""
    assert thread is not None
    return [(comment.id, comment.parent, comment.author, comment.text) for comment in thread.comments]


def days(thread: Thread | None) -> list[str | None]:
    """When the comments were written, to the minute."""
    assert thread is not None
    return [comment.published and comment.published.strftime("%Y-%m-%d %H:%M") for comment in thread.comments]
