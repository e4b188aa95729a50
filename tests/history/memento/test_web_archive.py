"""Which interface an address stands for, and what is asked of it."""

from __future__ import annotations

import pytest

from everlog.core.scope import Alias, Scope
from everlog.history import HistoryAnswer
from everlog.history.memento.web_archive import (
    CaptureQuery,
    blog_queries,
    is_index,
    possible_archives,
    single_queries,
)

GIVEN = [
    ("https://web.archive.org", "wayback", "https://web.archive.org/cdx/search/cdx", "https://web.archive.org/web/"),
    ("https://web.archive.org/web/", "wayback", "https://web.archive.org/cdx/search/cdx", "https://web.archive.org/web/"),
    ("https://web.archive.org/web/20200101000000/http://a.org/x", "wayback", "https://web.archive.org/cdx/search/cdx",
     "https://web.archive.org/web/"),
    ("https://web.archive.org/web/*/a.org/*", "wayback", "https://web.archive.org/cdx/search/cdx",
     "https://web.archive.org/web/"),
    ("https://web.archive.org/cdx/search/cdx", "wayback", "https://web.archive.org/cdx/search/cdx",
     "https://web.archive.org/web/"),
    ("http://localhost:8080/coll", "pywb", "http://localhost:8080/coll/cdx", "http://localhost:8080/coll/"),
    ("http://localhost:8080/coll/cdx", "pywb", "http://localhost:8080/coll/cdx", "http://localhost:8080/coll/"),
    ("http://localhost:8080/coll/2020/http://a.org/", "pywb", "http://localhost:8080/coll/cdx",
     "http://localhost:8080/coll/"),
    ("http://localhost:8080/coll/timemap/link/", "pywb", "http://localhost:8080/coll/cdx", "http://localhost:8080/coll/"),
]


@pytest.mark.parametrize(("given", "kind", "index", "replay"), GIVEN, ids=[each[0] for each in GIVEN])
def test_an_address_stands_for_its_likeliest_interface_first(given, kind, index, replay):
    first = possible_archives(given)[0]
    assert (first.kind, first.index, first.replay) == (kind, index, replay)


def test_every_kind_is_tried_for_every_address():
    for given in ("https://w.org", "https://w.org/coll/"):
        assert {each.kind for each in possible_archives(given)} == {"wayback", "pywb", "timemap"}


def test_lists_are_asked_for_in_the_words_of_each_kind():
    query = CaptureQuery(url="http://a.org/blog/", match="prefix", since="2010", until="2012")
    archives = {each.kind: each for each in possible_archives("https://w.org/coll")}
    wayback, pywb = archives["wayback"].index_url(query, "org%2Ca%29%2F+1"), archives["pywb"].index_url(query)
    assert "url=http://a.org/blog/&matchType=prefix&output=json" in wayback
    assert wayback.endswith("&showResumeKey=true&from=2010&to=2012&resumeKey=org%2Ca%29%2F+1")
    assert "fl=urlkey,timestamp,url,mime,status,digest" in pywb
    assert "resumeKey" not in pywb
    assert archives["timemap"].index_url(CaptureQuery(url="http://a.org/x?y")).endswith("/timemap/link/http://a.org/x?y")


def test_an_address_with_a_query_is_escaped():
    archive = possible_archives("https://web.archive.org")[0]
    assert "url=http://a.org/%3Fp=7%26x=1&" in archive.index_url(CaptureQuery(url="http://a.org/?p=7&x=1"))


def test_all_homes_and_folders_of_a_blog_are_listed():
    scope = Scope(
        "https://a.org/blog/", former=("http://old.org/",), also=("https://a.org/notes/", "https://a.org/blog"),
        aliases=(Alias(home="https://a.example/", followed=True), Alias(home="https://b.example/")),
    )
    assert [(each.url, each.match) for each in blog_queries(scope)] == [
        ("https://a.org/blog", "prefix"), ("http://old.org/", "prefix"), ("https://a.example/", "prefix"),
        ("https://a.org/notes", "prefix"),
    ]
    assert blog_queries(Scope("https://a.org/blog/", "host"))[0].match == "host"
    assert single_queries(["http://a.org/x"]) == [CaptureQuery(url="http://a.org/x")]


def answer(status=200, body=b"", kind="text/html"):
    return HistoryAnswer(url="http://w.org/", status=status, body=body, headers=(("Content-Type", kind),))


ROW = b'[["urlkey","timestamp","original"],["org,a)/","20200102030405","http://a.org/"]]'
LINE = b'{"urlkey": "org,a)/", "timestamp": "20200102030405", "url": "http://a.org/"}\n'
MAP = b'<http://a.org/>; rel="original",\n<http://w.org/1/>; rel="memento"; datetime="Thu, 02 Jan 2020 03:04:05 GMT"'


@pytest.mark.parametrize(("kind", "said", "is_one"), [
    ("wayback", answer(body=ROW, kind="application/json"), True),
    ("wayback", answer(body=b"[]\n", kind="application/json"), True),
    ("wayback", answer(body=b"<html>Welcome</html>"), False),
    ("wayback", answer(404, ROW), False),
    ("pywb", answer(body=LINE, kind="text/x-ndjson"), True),
    ("pywb", answer(kind="text/x-ndjson"), True),
    ("pywb", answer(), False),
    ("pywb", answer(body=b"<html>rel=stylesheet</html>"), False),
    ("timemap", answer(body=MAP, kind="application/link-format"), True),
    ("timemap", answer(404, kind="application/link-format"), True),
    ("timemap", answer(404), False),
    ("timemap", answer(body=MAP, kind="text/plain"), True),
    ("timemap", answer(500, MAP, "application/link-format"), False),
])
def test_an_interface_is_recognised_by_what_it_says(kind, said, is_one):
    archive = next(each for each in possible_archives("https://w.org/coll") if each.kind == kind)
    assert is_index(archive, said) is is_one
