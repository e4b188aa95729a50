"""Requests and answers in DevTools' words."""

from __future__ import annotations

import base64

import pytest
from stage import answer

from everlog.records import Failure
from everlog.render.devtools_messages import browser_request, fulfilment, is_unwanted


def event(kind="XHR", url="https://a.blog/x#part", method="GET", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"resourceType": kind, "request": {"url": url, "method": method, "headers": named}}


def test_a_question_has_no_fragment_and_none_of_the_sender_s_headers():
    sent = event(User_Agent="Chrome", Sec_Fetch_Mode="cors", Accept="*/*", Cookie="a=1", Host="a.blog")
    asked = browser_request(sent)
    assert asked.url == "https://a.blog/x"
    assert asked.headers == (("Accept", "*/*"), ("Cookie", "a=1"))
    assert (asked.method, asked.kind, asked.body) == ("GET", "xhr", b"")


def test_a_posted_body_is_put_together_from_its_parts():
    posted = event(method="POST")
    posted["request"]["postDataEntries"] = [{"bytes": base64.b64encode(part).decode()} for part in (b"\xff\x00", b"b")]
    assert browser_request(posted).body == b"\xff\x00b"
    posted["request"] = {**posted["request"], "postDataEntries": None, "postData": "é"}
    assert browser_request(posted).body == "é".encode()


@pytest.mark.parametrize(
    ("request_event", "expected"),
    [
        (event("Ping"), True), (event("Media"), True), (event("Script"), False), (event("Other"), False),
        (event("Other", Accept="image/avif,*/*"), True), (event("Other", Sec_Purpose="prefetch"), True),
        (event("XHR", Accept="text/event-stream"), True), (event("Document"), False),
    ],
)
def test_what_no_archive_needs_is_not_asked_for(request_event, expected):
    assert is_unwanted(request_event) is expected


def test_an_answer_keeps_its_headers_but_for_those_of_its_way():
    given = answer("https://a.blog/x", "body", "text/css", Content_Encoding="gzip", content_length="9", ETag="e")
    command, parameters = fulfilment(given, is_document=False)
    assert command == "Fetch.fulfillRequest"
    sent = [(header["name"], header["value"]) for header in parameters["responseHeaders"]]
    assert sent == [("Content-Type", "text/css"), ("ETag", "e")]
    assert base64.b64decode(parameters["body"]) == b"body"


@pytest.mark.parametrize(
    ("trouble", "reason"), [("dns", "NameNotResolved"), ("address", "BlockedByClient"), ("tls", "Failed")]
)
def test_a_failure_has_a_reason_the_page_understands(trouble, reason):
    failure = Failure(url="https://a.blog/x", trouble=trouble, reason="no")
    assert fulfilment(failure, is_document=False) == ("Fetch.failRequest", {"errorReason": reason})


def test_closed_shadow_roots_of_documents_are_opened_and_nothing_else_is_touched():
    body = b"<template ShadowRootMode='closed'></template><p>shadowrootmode: closed</p>"
    _, parameters = fulfilment(answer("https://a.blog/x", body), is_document=True)
    assert base64.b64decode(parameters["body"]) == body.replace(b"'closed'", b"'open'")
    _, parameters = fulfilment(answer("https://a.blog/x", body), is_document=False)
    assert base64.b64decode(parameters["body"]) == body
