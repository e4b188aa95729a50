"""Walks over lists of captures: resume keys, years, circles, and answers that break off."""

from __future__ import annotations

import json

from everlog.history import HistoryAnswer
from everlog.history.memento.capture_walk import MOST_ANSWERS, CaptureWalk, by_page
from everlog.history.memento.memento_lines import Memento
from everlog.history.memento.web_archive import CaptureQuery, possible_archives

WAYBACK = possible_archives("https://w.org")[0]
PYWB = possible_archives("https://w.org/coll")[0]
TIMEMAP = next(each for each in possible_archives("https://w.org/coll") if each.kind == "timemap")
QUERY = CaptureQuery(url="http://a.org/", match="prefix")


def rows(*places, key=None):
    listed = [[f"org,a){path}", stamp, f"http://a.org{path}", "text/html", "200", f"D{path}{stamp}"]
              for path, stamp in places]
    behind = [[], [key]] if key else []
    return HistoryAnswer(url="", status=200, body=json.dumps([*listed, *behind]).encode())


def walk_of(archive=WAYBACK, queries=(QUERY,), **given):
    return CaptureWalk.of(archive, queries, last_year=2024, **given)


def told(captures):
    return [(each.url.removeprefix("http://a.org"), each.stamp) for each in captures]


def test_a_list_goes_on_at_its_resume_key():
    walk = walk_of()
    assert "resumeKey" not in walk.next_request().url
    first = walk.take(rows(("/a", "20200101000000"), ("/b", "20200101000000"), key="k1"))
    assert walk.next_request().url.endswith("&resumeKey=k1")
    second = walk.take(rows(("/b", "20210101000000"), ("/c", "20200101000000")))
    assert walk.next_request() is None
    assert told(first) == [("/a", "20200101000000")]
    # All captures of a page come together, though two answers name them.
    assert told(second) == [("/b", "20200101000000"), ("/b", "20210101000000"), ("/c", "20200101000000")]
    assert walk.problems == []


def test_a_key_that_comes_again_ends_the_list():
    walk = walk_of()
    walk.take(rows(("/a", "20200101000000"), key="k1"))
    walk.take(rows(("/b", "20200101000000"), key="k2"))
    last = walk.take(rows(("/c", "20200101000000"), key="k1"))
    assert walk.next_request() is None
    assert walk.problems == ["its list repeats itself"]
    assert told(last) == [("/c", "20200101000000")]


def test_keys_behind_nothing_end_the_list():
    walk = walk_of()
    walk.take(rows(key="k1"))
    assert walk.next_request() is None
    assert walk.problems == ["its list repeats itself"]


def test_new_keys_without_end_are_not_followed_for_ever():
    walk = walk_of()
    for number in range(MOST_ANSWERS):
        assert walk.next_request() is not None
        walk.take(rows(("/a", "20200101000000"), key=f"k{number}"))
    assert walk.next_request() is None
    assert "more than" in walk.problems[0]


def test_an_answer_that_breaks_off_is_asked_for_once_more():
    walk = walk_of()
    broken = HistoryAnswer(url="", status=200, body=rows(("/a", "20200101000000")).body[:-1])
    asked = walk.next_request()
    assert walk.take(broken) == ()
    assert walk.next_request() == asked
    walk.take(broken)
    assert walk.next_request() is None
    assert walk.problems == ["its list breaks off"]


def test_a_list_that_is_too_large_is_asked_for_by_years():
    walk = walk_of(PYWB)
    walk.split("too large")
    assert "&from=1996&to=2010" in walk.next_request().url
    walk.take(rows(("/a", "20000101000000")))
    assert "&from=2011&to=2024" in walk.next_request().url
    walk.split("too large")
    assert "&from=2011&to=2017" in walk.next_request().url


def test_a_year_that_is_too_large_is_left_out_and_said_so():
    walk = walk_of(PYWB, [CaptureQuery(url="http://a.org/", match="prefix", since="2011", until="2011")])
    walk.split("too large")
    assert walk.next_request() is None
    assert walk.problems == ["its list for 2011 could not be had: too large"]


def test_a_walk_goes_on_where_it_stood():
    walk = walk_of(queries=[QUERY, CaptureQuery(url="http://b.org/", match="prefix")])
    walk.take(rows(("/a", "20200101000000"), key="k1"))
    again = CaptureWalk.of(WAYBACK, (), last_year=2024, cursor=json.loads(json.dumps(walk.cursor)))
    assert again.next_request() == walk.next_request()
    again.take(rows(("/c", "20200101000000")))
    assert "url=http://b.org/" in again.next_request().url


def test_an_error_is_a_problem_and_no_answer_is_none():
    walk = walk_of(queries=[QUERY, QUERY, QUERY])
    walk.take(HistoryAnswer(url="", status=500))
    walk.take(HistoryAnswer(url="", status=500))
    walk.take(HistoryAnswer(url="", status=404))
    assert walk.next_request() is None
    assert walk.problems == ["its list answers with HTTP 500"]


def test_further_time_maps_are_asked_for_and_other_hosts_are_not():
    walk = walk_of(TIMEMAP, [CaptureQuery(url="http://a.org/")])
    body = (f'<{TIMEMAP.index}2/http://a.org/>; rel="timemap",\n<http://evil.org/>; rel="timemap",\n'
            f'<{TIMEMAP.index}http://a.org/>; rel="timemap"')
    walk.take(HistoryAnswer(url="", status=200, body=body.encode()))
    assert walk.next_request().url == f"{TIMEMAP.index}2/http://a.org/"
    walk.take(HistoryAnswer(url="", status=200, body=body.encode()))
    assert walk.next_request() is None


def test_http_and_https_and_www_are_one_page():
    captures = [Memento(url=url, stamp="20200101000000") for url in (
        "http://a.org/x", "https://www.a.org/x/", "http://a.org:80/x?utm_source=y", "http://a.org/y",
    )]
    assert [(key, len(group)) for key, group in by_page(captures)] == [("a.org/x", 3), ("a.org/y", 1)]
