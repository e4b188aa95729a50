"""Who is answered, and what every answer says."""

from __future__ import annotations

import pytest

from everlog.archive import open_archive
from web.conftest import FILM, FONT, HOME, PICTURE, POST, STYLE, stamp
from web.served_archive import Served, serving

PAGES = ["/", "/blog/a.example/", f"/web/{stamp(0)}/{POST}", f"/web/*/{POST}", f"/read/{POST}", "/nowhere"]
FILES = [f"/web/{stamp(0)}/{url}" for url in (POST, STYLE, PICTURE, FONT)] + ["/nowhere", f"/timemap/link/{POST}"]


@pytest.mark.parametrize("path", PAGES)
def test_pages_of_the_interface_run_only_scripts_of_their_own_and_are_framed_by_nobody(served: Served, path):
    answer = served.page(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'; connect-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "<script" not in answer.said
    assert " style=" not in answer.text
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("path", FILES)
def test_captures_are_sandboxed_and_may_be_loaded_by_captured_pages_only_from_here(served: Served, path):
    answer = served.ask(path)
    if "timemap" not in path:
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("sandbox allow-top-navigation-by-user-activation ")
        assert "allow-scripts" not in policy
        assert "allow-same-origin" not in policy
        assert "default-src 'none'" in policy
        assert "*" not in policy
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("path", [
    f"/web/{stamp(0)}/{POST}", f"/web/{stamp(0)}mp_/{POST}", f"/web/2019/{POST}", f"/web/{stamp(0)}/{HOME}feed",
    f"/web/{stamp(0)}id_/{FONT}", f"/web/2019id_/{FONT}", f"/web/{stamp(0)}/{HOME}gone", "/nowhere",
    f"/timemap/link/{POST}", f"/timemap/json/{POST}", f"/timegate/{POST}",
])
def test_no_other_website_may_read_pages_lists_and_what_is_not_there(served: Served, path):
    for asked in ({}, {"Origin": "https://evil.example", "Sec-Fetch-Dest": "empty"}, {"Sec-Fetch-Dest": "font"}):
        assert served.ask(path, **asked).headers["Access-Control-Allow-Origin"] is None


@pytest.mark.parametrize("url", [STYLE, PICTURE, FONT, FILM])
def test_what_pages_are_shown_with_may_be_read_by_pages_without_an_origin_and_not_by_fetch(served: Served, url):
    # The nearest time is led to, and only who may read the file may know that.
    for path in (f"/web/{stamp(0)}/{url}", f"/web/2019/{url}"):
        for asked in ({}, {"Sec-Fetch-Dest": "font", "Origin": "null"}, {"Sec-Fetch-Dest": "image"}):
            shown = served.ask(path, **asked).headers
            assert shown["Access-Control-Allow-Origin"] == "*"
            # A cache does not hand to one what another was answered.
            assert "Sec-Fetch-Dest" in shown["Vary"]
        fetched = served.ask(path, **{"Sec-Fetch-Dest": "empty", "Origin": "https://evil.example"}).headers
        assert fetched["Access-Control-Allow-Origin"] is None
        assert "Sec-Fetch-Dest" in fetched["Vary"]


def test_a_file_that_a_page_was_shown_with_is_not_confirmed_to_another_website(served: Served):
    path = f"/web/{stamp(0)}/{FONT}"
    known = {"If-None-Match": served.ask(path).headers["ETag"]}
    assert served.ask(path, **known, **{"Sec-Fetch-Dest": "font"}).status == 304
    assert served.ask(path, **known, **{"Sec-Fetch-Dest": "empty"}).status == 200


def test_what_is_public_may_be_read_by_every_website(folder):
    with open_archive(folder, read_only=True) as archive, serving(archive, public=True) as served:
        for path in (f"/web/{stamp(0)}/{POST}", f"/timemap/json/{POST}", f"/timegate/{POST}", "/nowhere"):
            assert served.ask(path, **{"Sec-Fetch-Dest": "empty"}).headers["Access-Control-Allow-Origin"] == "*"


def test_programs_of_other_websites_may_name_a_time_and_are_told_that_of_what_is_public(folder):
    with open_archive(folder, read_only=True) as archive, serving(archive, public=True) as served:
        shown = served.ask(f"/web/{stamp(0)}/{POST}").headers
        assert shown["Access-Control-Expose-Headers"] == "Link, Memento-Datetime"
        # What a browser asks before it lets a script send the header.
        before = served.ask(f"/timegate/{POST}", "OPTIONS", Access_Control_Request_Headers="accept-datetime")
        assert (before.status, before.body) == (204, b"")
        assert before.headers["Access-Control-Allow-Origin"] == "*"
        assert before.headers["Access-Control-Allow-Headers"] == "Accept-Datetime, Range"
        assert served.ask("/", "OPTIONS", at=served.interface).status == 405


@pytest.mark.parametrize("name", [
    "evil.example", "evil.example:80", "localhost.evil.example", "", "a b", "127.0.0.1.evil",
    # Names of this machine to browsers, with signs that mean something in the policies of pages.
    "http;evil.localhost", "*,evil.localhost", "'evil'.localhost",
])
def test_a_name_that_is_not_ours_is_not_answered(served: Served, name):
    for answer in (served.ask(f"/web/{stamp(0)}/{POST}", Host=name), served.page("/", Host=name)):
        assert answer.status in {400, 421}
        assert "A blog" not in answer.text


@pytest.mark.parametrize("name", [
    "localhost", "LOCALHOST:99", "127.0.0.1:1", "[::1]:8080", "192.168.1.7", "a.localhost",
])
def test_this_machine_is_answered_under_its_names_and_numbers(served: Served, name):
    assert served.page("/", Host=name).status == 200


def test_a_name_that_was_allowed_is_answered(folder):
    with open_archive(folder, read_only=True) as archive, serving(archive, allowed=("Archive.LAN",)) as served:
        assert served.page("/", Host="archive.lan:8080").status == 200
        assert served.page("/", Host="other.lan").status == 421
        framed = served.page(f"/web/{stamp(0)}/{POST}", Host="archive.lan").text
        assert f'src="http://archive.lan:{served.replay.rpartition(":")[2]}/web/{stamp(0)}mp_/{POST}"' in framed


def test_browsers_that_ask_for_an_icon_are_led_to_it(served: Served):
    answer = served.page("/favicon.ico")
    assert (answer.status, answer.headers["Location"]) == (301, "/static/icon.svg")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_is_changed_by_any_request(served: Served, method):
    for answer in (served.ask("/", method), served.ask("/", method, at=served.interface)):
        assert answer.status == 405
        assert answer.headers["Allow"] == "GET, HEAD"


def test_behind_a_proxy_all_addresses_are_those_outside(folder):
    outside, pages = "https://archive.example/blogs", "https://pages.example"
    with open_archive(folder, read_only=True) as archive, serving(
        archive, base_url=outside, replay_base_url=pages,
    ) as served:
        framed = served.page(f"/web/{stamp(0)}/{POST}", Host="archive.example")
        assert f'src="{pages}/web/{stamp(0)}mp_/{POST}"' in framed.text
        assert 'href="/blogs/static/everlog.css' in framed.text
        assert f"frame-src {pages}" in framed.headers["Content-Security-Policy"]
        shown = served.ask(f"/web/{stamp(0)}mp_/{POST}", Host="pages.example")
        assert f"//archive.example/blogs/web/{stamp(0)}/http://a.example/about" in shown.text
        assert f"img-src {pages} " in shown.headers["Content-Security-Policy"]


def test_an_address_without_end_is_refused(served: Served):
    assert served.ask("/web/" + "a" * 30_000).status in {400, 414}


def test_both_ports_have_one_look_and_search_engines_are_kept_out_of_captures(served: Served):
    styles = [served.ask("/static/everlog.css", at=each) for each in (served.interface, served.replay)]
    assert styles[0].body == styles[1].body
    assert "Disallow: /\n" in served.ask("/robots.txt").text
    assert "Disallow: /web/\n" in served.page("/robots.txt").text
    assert served.ask("/").headers["Location"] == served.interface + "/"
