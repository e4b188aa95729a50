"""GitHub's API as its documentation describes it: one repository whose issues are the comments of posts.

https://docs.github.com/en/rest/issues/issues, .../issues/comments, .../search/search, .../repos/contents
"""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from service_hosts import query, said_as_json

if TYPE_CHECKING:
    from a_talk import Said
    from service_hosts import Answer, Host

    from everlog.records import BrowserRequest

API = "https://api.github.com"


def github(repository: str, issues: dict[str, tuple[Said, ...]], origin: str = "") -> Host:
    """The API with an issue for each term; `origin` may embed them with utterances."""
    numbers = dict(enumerate(issues, 1))

    def answer(asked: BrowserRequest) -> Answer:
        path, asks = urlsplit(asked.url).path, query(asked)
        if path == f"/repos/{repository}/contents/utterances.json":
            return said_as_json({"content": base64.b64encode(json.dumps({"origins": [origin]}).encode()).decode()})
        if path == f"/repos/{repository}/issues":
            labels = asks["labels"].split(",")
            return said_as_json([_issue(number) for number, term in numbers.items() if term in labels])
        if path == "/search/issues":
            found = [_issue(number) for number, term in numbers.items() if f'"{term}"' in asks["q"]]
            return said_as_json({"total_count": len(found), "items": found})
        if match := re.fullmatch(rf"/repos/{repository}/issues/(\d+)/comments", path):
            return _comments(int(match[1]), int(asks.get("page", 1)), int(asks.get("per_page", 30)))
        return said_as_json({"message": "Not Found"}, 404)

    def _issue(number: int) -> dict[str, Any]:
        page = f"https://github.com/{repository}/issues/{number}"
        return {
            "number": number, "title": numbers[number], "html_url": page, "comments": len(issues[numbers[number]]),
            "comments_url": f"{API}/repos/{repository}/issues/{number}/comments", "locked": False, "state": "open",
        }

    def _comments(number: int, page: int, size: int) -> Answer:
        everything = issues[numbers[number]]
        shown = everything[(page - 1) * size : page * size]
        return said_as_json([_comment(repository, number, comment) for comment in shown])

    return answer


def _comment(repository: str, issue: int, comment: Said) -> dict[str, Any]:
    login = comment.author
    return {
        "id": 9000 + comment.number, "body": comment.text, "body_html": comment.html,
        "html_url": f"https://github.com/{repository}/issues/{issue}#issuecomment-{9000 + comment.number}",
        "created_at": comment.at.strftime("%Y-%m-%dT%H:%M:%SZ"), "author_association": "NONE",
        "user": {"login": login, "html_url": f"https://github.com/{login}", "avatar_url": "https://pictures.example/"},
    }
