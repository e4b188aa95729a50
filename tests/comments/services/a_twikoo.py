"""A Twikoo server's answers to readers, after the source of its cloud function 1.7.9 (npm: twikoo-func)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from a_talk import beginning
from service_hosts import said_as_json

if TYPE_CHECKING:
    from a_talk import Said
    from service_hosts import Answer, Host

    from everlog.records import BrowserRequest

# As many comments that answer none are sent at once.
PAGE = 8


def twikoo(paths: dict[str, tuple[Said, ...]]) -> Host:
    """The server with the comments of each path."""

    def answer(asked: BrowserRequest) -> Answer:
        asks = json.loads(asked.body)
        if asks["event"] == "COMMENT_GET":
            return _page(paths[asks["url"]], asks.get("before"))
        return said_as_json({"code": 0, "config": {"VERSION": "1.7.9", "IS_ADMIN": False}})

    return answer


def _page(comments: tuple[Said, ...], before: int | None) -> Answer:
    first = [comment for comment in reversed(comments) if comment.answers is None]
    older = [comment for comment in first if before is None or _milliseconds(comment) < before]
    data = [_comment(comment, comments) | {"replies": _answers(comment, comments)} for comment in older[:PAGE]]
    return said_as_json({"data": data, "more": len(older) > PAGE, "count": len(first)})


def _answers(comment: Said, comments: tuple[Said, ...]) -> list[dict[str, Any]]:
    below = [each for each in comments if each.answers is not None and beginning(each, comments) is comment]
    return [_comment(each, comments) for each in below]


def _comment(comment: Said, comments: tuple[Said, ...]) -> dict[str, Any]:
    answered = next((each for each in comments if each.number == comment.answers), None)
    return {
        "id": f"t{comment.number}x", "nick": comment.author, "link": comment.site, "comment": comment.html,
        "pid": f"t{answered.number}x" if answered else "", "ruser": answered.author if answered else None,
        "rid": f"t{beginning(comment, comments).number}x" if answered else "",
        "created": _milliseconds(comment), "updated": _milliseconds(comment),
        "avatar": "https://pictures.example/", "mailMd5": "", "os": "", "browser": "", "ipRegion": "",
        "like": 0, "ups": 0, "downs": 0, "liked": False, "disliked": False, "replies": [],
        "master": False, "top": False, "isSpam": False, "isOwner": False,
    }


def _milliseconds(comment: Said) -> int:
    return int(comment.at.timestamp() * 1000)
