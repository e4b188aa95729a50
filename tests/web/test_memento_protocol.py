"""What programs that speak Memento (RFC 7089) are answered."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from archive.some_visits import HOME
from web.conftest import POST, STYLE, day, stamp

if TYPE_CHECKING:
    from web.served_archive import Served

NOT_HELD = "/web/" + HOME + "nothing"


def relations(answer) -> dict[str, str]:
    """The addresses in a Link header by their relations."""
    return {
        relation: address
        for address, relation in re.findall(r'<([^>]+)>; rel="([^"]+)"', answer.headers["Link"])
    }


def test_a_memento_says_when_it_was_captured_and_what_is_around_it(served: Served):
    answer = served.ask(f"/web/{stamp(10)}/{POST}")
    assert answer.status == 200
    assert answer.headers["Memento-Datetime"] == "Sat, 11 May 2024 12:00:00 GMT"
    named = relations(answer)
    assert named["original"] == POST
    assert named["timegate"] == f"{served.replay}/timegate/{POST}"
    assert named["timemap"] == f"{served.replay}/timemap/link/{POST}"
    assert named["first memento"] == f"{served.replay}/web/{stamp(0)}/{POST}"
    assert named["memento"] == f"{served.replay}/web/{stamp(10)}/{POST}"
    assert named["next last memento"] == f"{served.replay}/web/{stamp(20)}/{POST}"
    assert b"Day 10" in answer.body


@pytest.mark.parametrize(("asked", "shown"), [
    ("", 20), ("2023/", 0), ("20240511/", 10), ("2024051112/", 10), (f"{stamp(9)}/", 10), (f"{stamp(400)}/", 20),
], ids=["latest", "a year", "a day", "an hour", "a second", "later than all"])
def test_a_time_that_is_not_a_capture_leads_to_the_nearest(served: Served, asked, shown):
    answer = served.ask(f"/web/{asked}{POST}")
    assert (answer.status, answer.headers["Location"]) == (302, f"{served.replay}/web/{stamp(shown)}/{POST}")
    assert "Memento-Datetime" not in answer.headers


def test_every_spelling_of_an_address_is_the_same_page(served: Served):
    for spelling in ("https://www.a.example/2024/a-post/", "a.example/2024/a-post", "http:/a.example/2024//a-post"):
        answer = served.ask(f"/web/{stamp(10)}/{spelling}")
        assert answer.status == 200, spelling
        assert b"Day 10" in answer.body


def test_the_timegate_leads_to_the_time_that_is_asked_for(served: Served):
    asked = {"Accept_Datetime": "Fri, 10 May 2024 00:00:00 GMT"}
    answer = served.ask(f"/timegate/{POST}", **asked)
    assert (answer.status, answer.headers["Location"]) == (302, f"{served.replay}/web/{stamp(10)}/{POST}")
    assert answer.headers["Vary"] == "accept-datetime"
    assert relations(answer)["original"] == POST
    latest = served.ask(f"/timegate/{POST}")
    assert latest.headers["Location"] == f"{served.replay}/web/{stamp(20)}/{POST}"
    assert served.ask(f"/timegate/{POST}", Accept_Datetime="last week").status == 400
    assert served.ask("/timegate/" + HOME + "nothing").status == 404


def test_a_timemap_names_all_captures(served: Served):
    answer = served.ask(f"/timemap/link/{POST}")
    assert answer.headers["Content-Type"].startswith("application/link-format")
    lines = answer.text.strip().split(",\n")
    assert lines[0] == f'<{POST}>; rel="original"'
    assert 'from="Wed, 01 May 2024 12:00:00 GMT"; until="Tue, 21 May 2024 12:00:00 GMT"' in lines[1]
    assert 'rel="first memento"' in lines[3]
    assert 'rel="last memento"' in lines[-1]
    told = json.loads(served.ask(f"/timemap/json/{POST}").body)
    listed = re.findall(r'<([^>]+)>; rel="[^"]*memento', answer.text)
    assert [each["uri"] for each in told["mementos"]["list"]] == listed
    assert told["mementos"]["first"]["datetime"] == "2024-05-01T12:00:00Z"
    assert served.ask("/timemap/link/" + HOME + "nothing").status == 404
    assert served.ask(f"/timemap/pdf/{POST}").status == 404


def test_a_redirect_is_followed_inside_the_archive(served: Served):
    stored_with_target = served.ask(f"/web/{stamp(0)}/{HOME}old")
    assert stored_with_target.status == 302
    assert stored_with_target.headers["Location"].endswith(f"/{POST}")
    by_its_header = served.ask(f"/web/{stamp(10)}/{HOME}left")
    assert by_its_header.headers["Location"] == f"{served.replay}/web/{stamp(10)}/{POST}"
    away = served.ask("/web/" + HOME + "away")
    assert away.status == 404
    assert "http://elsewhere.example/x" in away.text


def test_an_error_page_keeps_its_status(served: Served):
    place = served.ask("/web/" + HOME + "gone").headers["Location"]
    answer = served.ask(place.removeprefix(served.replay))
    assert (answer.status, answer.body) != (200, b"")
    assert answer.status == 404
    assert "Memento-Datetime" in answer.headers
    assert "Not here" in answer.text


def test_the_query_of_an_address_belongs_to_it(served: Served):
    assert served.ask(f"/web/{stamp(0)}/{STYLE}").status == 200
    assert served.ask(f"/web/{stamp(0)}/{HOME}style.css?ver=3").status == 404


@pytest.mark.parametrize("path", [
    NOT_HELD, "/web/", "/web/2024", "/web/javascript:alert(1)", "/web/20241399000000/" + POST, "/web/*/" + POST,
    "/web/%00", "/web/http://[", "/nowhere", "/static/../server.py", "/static/nothing.css",
])
def test_what_is_not_there_is_said_to_be_missing(served: Served, path):
    answer = served.ask(path)
    assert answer.status == 404
    assert answer.text


def test_times_in_addresses_are_those_of_the_nearest_capture(served: Served):
    answer = served.ask(f"/web/{stamp(20)}/{POST}")
    assert f"{served.replay}/web/{day(0):%Y%m%d%H%M%S}/{STYLE}" in answer.text
