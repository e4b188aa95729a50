"""A Waline server's answers to readers: those that @waline/vercel 1.39.3 gave for the same comments.

The server itself is not run by the tests: it brings 600 packages, and its database must be compiled.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from a_talk import beginning
from service_hosts import query, said_as_json

if TYPE_CHECKING:
    from a_talk import Said
    from service_hosts import Answer, Host

    from everlog.records import BrowserRequest


def waline(paths: dict[str, tuple[Said, ...]]) -> Host:
    """The server with the comments of each path."""

    def answer(asked: BrowserRequest) -> Answer:
        asks = query(asked)
        comments = paths[asks["path"]]
        page, size = int(asks["page"]), int(asks["pageSize"])
        # The newest first, as the client asks; answers in their order below the comment that began it.
        first = [comment for comment in reversed(comments) if comment.answers is None]
        data = {
            "page": page, "totalPages": ceil(len(first) / size), "pageSize": size, "count": len(comments),
            "data": [_with_answers(comment, comments) for comment in first[(page - 1) * size : page * size]],
        }
        return said_as_json({"errno": 0, "errmsg": "", "data": data})

    return answer


def _with_answers(comment: Said, comments: tuple[Said, ...]) -> dict[str, Any]:
    below = [each for each in comments if each.answers is not None and beginning(each, comments) is comment]
    return _comment(comment, comments) | {"children": [_comment(each, comments) for each in below]}


def _comment(comment: Said, comments: tuple[Said, ...]) -> dict[str, Any]:
    answered = next((each for each in comments if each.number == comment.answers), None)
    told = {
        "objectId": f"w{comment.number}x", "nick": comment.author, "link": comment.site, "comment": comment.html,
        "time": int(comment.at.timestamp() * 1000), "status": "approved", "like": 0, "url": "/",
        "avatar": "https://pictures.example/", "browser": "", "os": "", "addr": "", "pid": None, "rid": None,
    }
    if answered is not None:
        told |= {
            "pid": f"w{answered.number}x", "rid": f"w{beginning(comment, comments).number}x",
            "reply_user": {"nick": answered.author, "link": answered.site, "avatar": ""},
        }
    return told
