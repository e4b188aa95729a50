"""The papers' experiments from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everlog.cli import main
from everlog.evaluate.papers import render_rows

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "corpus"
BIRDS = ("kestrel", "plover", "heron", "dipper")


@pytest.fixture
def birds(make_blog):
    """A hundred posts about four birds, one of which is in the menu of every page."""
    files, rows, items = {}, [], []
    for number in range(100):
        bird, place = BIRDS[number % 4], "".join("bdfghklmnp"[int(digit)] + "a" for digit in str(number + 100))
        text = f"At {place} somebody saw the {bird} again, and whoever lives near {place} may have looked up."
        url = f"http://tiny.example/{place}/"
        files[f"{place}/index.html"] = (
            f"<html><body><div><p>The heron club</p></div><div class=post><p>{text}</p></div></body></html>"
        )
        rows.append({"url": url, "in_feed": number < 4, "title": f"A {bird} at {place}", "text": text})
        if number < 4:
            items.append(f"<item><title>{place}</title><link>{url}</link><description>{text}</description></item>")
    feed = f"<rss version='2.0'><channel><title>Birds</title>{''.join(items)}</channel></rss>"
    return make_blog("birds", rows=rows, files={**files, "feed.xml": feed}, language="en").folder


def test_search_is_measured_and_printed(capsys, birds):
    pytest.importorskip("scipy")
    assert main(["evaluate", str(birds), "--retrieval", "-q", "--jobs", "1"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("retrieval\n\nposts  comments  queries  edition")
    assert "\n\ndifferences\n\n" in out
    assert "by kind of query" not in out


def test_search_is_measured_for_programs_too(capsys, birds):
    pytest.importorskip("scipy")
    assert main(["evaluate", str(birds), "--retrieval", "-q", "--json", "--jobs", "1"]) == 0
    tables = json.loads(capsys.readouterr().out)
    assert set(tables) == {"retrieval", "by kind of query", "differences"}
    figures = {row["edition"]: row for row in tables["retrieval"]}
    # Four birds, of which the one in the menu is found in all pages and stands in a quarter of them.
    assert figures["raw pages"]["queries"] == 4
    assert figures["raw pages"]["P"] == pytest.approx((1 + 1 + 1 + 0.25) / 4)
    assert figures["everlog"]["P"] == figures["everlog"]["R"] == figures["everlog"]["MAP"] == 1.0


def test_a_corpus_too_small_to_search_is_an_error_with_advice(capsys):
    assert main(["evaluate", str(EXAMPLES), "--retrieval", "-q"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "there is no query to run" in err
    assert "Traceback" not in err


def test_other_tools_are_measured_and_printed_with_each_site_where_asked_for(capsys):
    for package in ("boilerpy3", "justext", "readability", "trafilatura"):
        pytest.importorskip(package)
    assert main(["evaluate", str(EXAMPLES / "umibe"), "--peers", "-q", "--jobs", "1"]) == 0
    short = capsys.readouterr().out
    assert short.startswith("extractors without a feed\n\ntool")
    assert "jusText" in short
    assert "each site" not in short
    assert main(["evaluate", str(EXAMPLES / "umibe"), "--peers", "-q", "-v", "--jobs", "1"]) == 0
    assert "each site\n\nblog" in capsys.readouterr().out


def test_noise_is_measured_and_printed(capsys):
    assert main(["evaluate", str(EXAMPLES / "umibe"), "--noise", "-q", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("noise\n\n")
    assert "\n\nanchor-text ratio\n\n" in out


def test_columns_of_figures_stand_to_the_right_and_wide_names_keep_them_there():
    rows = [{"tool": "海辺", "P": 0.5, "p": 0.0000123}, {"tool": "a", "P": 1.0, "p": 0.0}]
    assert render_rows(rows) == "tool      P      p\n海辺  0.500  1e-05\na     1.000  0.000"
