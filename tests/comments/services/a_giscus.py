"""giscus.app: the page of its frame, and the API that the frame asks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from a_talk import beginning
from service_hosts import Answer, query, said_as_json

if TYPE_CHECKING:
    from a_talk import Said
    from service_hosts import Host

    from everlog.records import BrowserRequest

FRAME = Path(__file__).parent / "frames" / "giscus.html"
# As many comments that answer none are sent at once.
PAGE = 5


def giscus(terms: dict[str, tuple[Said, ...]], *, works: bool = True) -> Host:
    """The host with the comments of each term; where it does not work, the frame comes and its comments do not."""

    def answer(asked: BrowserRequest) -> Answer:
        path, asks = urlsplit(asked.url).path, query(asked)
        if path == "/en/widget":
            return Answer(200, "text/html; charset=utf-8", FRAME.read_bytes())
        if path != "/api/discussions":
            return Answer(404, "text/plain", b"not found")
        if not works:
            return said_as_json({"error": "Internal server error"}, 500)
        comments = terms.get(asks["term"])
        if comments is None:
            return said_as_json({"error": "Discussion not found"}, 404)
        first = [comment for comment in comments if comment.answers is None]
        after = int(asks["after"])
        shown = [_with_answers(comment, comments) for comment in first[after : after + PAGE]]
        return said_as_json({"comments": shown, "total": len(first)})

    return answer


def _with_answers(comment: Said, comments: tuple[Said, ...]) -> dict[str, Any]:
    below = [each for each in comments if each.answers is not None and beginning(each, comments) is comment]
    return _comment(comment) | {"replies": [_comment(each) for each in below]}


def _comment(comment: Said) -> dict[str, Any]:
    return {
        "author": {"login": comment.author, "url": f"https://github.com/{comment.author}"},
        "url": f"https://github.com/a/b/discussions/1#discussioncomment-{700 + comment.number}",
        "createdAt": comment.at.strftime("%Y-%m-%dT%H:%M:%SZ"), "bodyHTML": comment.html, "isMinimized": False,
    }
