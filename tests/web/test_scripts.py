"""The scripts of the pages: vendored as they were published, run by name alone, and never on captured pages."""

from __future__ import annotations

import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from web.conftest import POST, stamp
from web.served_archive import OWN_SCRIPT, Served

STATIC = files("everlog.web").joinpath("static")
DOCS = Path(__file__).parents[2] / "docs" / "serving.md"
PATHS = ["/", "/blog/a.example", "/captures/a.example", "/complete/a.example", "/search?q=hello", "/keys", "/nowhere",
         f"/web/{stamp(10)}/{POST}", f"/web/*/{POST}", f"/read/{POST}", f"/diff/1/2/{POST}"]


def test_htmx_is_the_one_whose_hash_and_licence_are_noted():
    note = STATIC.joinpath("vendored.md").read_text()
    body = STATIC.joinpath("htmx.min.js").read_bytes()
    assert f"`{hashlib.sha256(body).hexdigest()}`" in note
    version = re.search(r"htmx\]\(https://htmx\.org\) ([0-9.]+),", note)[1]
    assert f'version:"{version}"'.encode() in body
    assert "Zero-Clause BSD" in note


@pytest.mark.parametrize("path", PATHS)
def test_every_page_names_its_scripts_and_has_none_within(served: Served, path):
    text = served.page(path).text
    # A captured page has one more, for the places in it that addresses lead to.
    assert len(OWN_SCRIPT.findall(text)) == text.count("<script") == (4 if "<iframe" in text else 3)
    assert "<style" not in text
    assert not re.search(r"<[^>]*\s(style|on\w+|hx-on[^=]*|hx-vals|hx-vars)=", text)
    config = json.loads(re.search(r"name=\"htmx-config\" content='([^']*)'", text)[1])
    assert config["allowEval"] is config["allowScriptTags"] is config["includeIndicatorStyles"] is False
    assert config["selfRequestsOnly"] is True


def test_scripts_are_sent_as_scripts_and_may_be_kept(served: Served):
    for name in ("htmx.min.js", "swaps.js", "keys.js"):
        answer = served.page(f"/static/{name}")
        assert answer.status == 200
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert "max-age" in answer.headers["Cache-Control"]
    assert served.page("/static/vendored.md").status == 404


def test_captured_pages_run_no_script_at_all(served: Served):
    policy = served.ask(f"/web/{stamp(10)}/{POST}").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'none'" in policy
    assert "allow-scripts" not in policy


def test_the_keys_are_told_on_a_page_of_their_own_and_below_every_page(served: Served):
    text = served.page("/keys").text
    assert text.count("<kbd>") == 12
    start = served.page("/").text
    assert '<a href="/keys" data-keys>Keys</a>' in start
    assert '<dialog id="keys" aria-labelledby="keys-name">' in start


def test_the_documentation_has_the_same_keys(served: Served):
    page = served.page("/keys").text.partition("<dialog")[0].replace("</dt><dd>", "</dt> <dd>")
    shown = [re.sub(r"<[^>]+>", "", row) for row in re.findall(r"<dt>.*?</dd>", page)]
    table = DOCS.read_text("utf-8").partition("| key | |\n|---|---|\n")[2].partition("\n\n")[0]
    told = [re.sub(r"[`,]", "", row).strip("| ").replace(" | ", " ") for row in table.splitlines()]
    assert [re.sub(r"[`,]", "", row) for row in shown] == told


def test_what_a_stranger_wrote_asks_htmx_for_nothing(served: Served):
    text = served.page(f"/read/{POST}").text
    assert re.search(r'<div class="article"[^>]* hx-disable>', text)
    assert re.search(r'<div class="words"[^>]* hx-disable>', text)
