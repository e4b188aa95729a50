"""LeanCloud's storage API as its documentation describes it, with the class `Comment` that Valine keeps there.

https://docs.leancloud.cn/en/sdk/storage/guide/rest/: /1.1/classes/Comment and /1.1/cloudQuery
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from a_talk import beginning
from service_hosts import query, said_as_json

if TYPE_CHECKING:
    from a_talk import Said
    from service_hosts import Answer, Host

    from everlog.records import BrowserRequest


def leancloud(paths: dict[str, tuple[Said, ...]]) -> Host:
    """The API with the comments of each path."""
    rows = [_row(path, comment, comments) for path, comments in paths.items() for comment in reversed(comments)]

    def answer(asked: BrowserRequest) -> Answer:
        asks = query(asked)
        if urlsplit(asked.url).path == "/1.1/cloudQuery":
            wanted = set(re.findall(r'"(\w+)"', asks["cql"]))
            return said_as_json({"className": "Comment", "results": [row for row in rows if row.get("rid") in wanted]})
        where = json.loads(asks["where"])
        found = [row for row in rows if row["url"] == where["url"] and "rid" not in row]
        skip, limit = int(asks.get("skip", 0)), int(asks.get("limit", 100))
        return said_as_json({"className": "Comment", "results": found[skip : skip + limit], "count": len(found)})

    return answer


def _row(path: str, comment: Said, comments: tuple[Said, ...]) -> dict[str, Any]:
    at = comment.at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    row = {
        "objectId": _id(comment), "nick": comment.author, "link": comment.site, "mail": "", "ua": "", "url": path,
        "comment": comment.html, "createdAt": at, "updatedAt": at, "insertedAt": {"__type": "Date", "iso": at},
    }
    answered = next((each for each in comments if each.number == comment.answers), None)
    if answered is not None:
        # Valine itself puts the name before the words when an answer is sent.
        name = f'<a class="at" href="#{_id(answered)}">@{answered.author}</a> , '
        row |= {
            "pid": _id(answered), "rid": _id(beginning(comment, comments)),
            "comment": comment.html.replace("<p>", f"<p>{name}", 1),
        }
    return row


def _id(comment: Said) -> str:
    return f"5f{comment.number:021}a"
