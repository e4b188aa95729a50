"""The papers' experiments from the command line: the scripts of benchmarks/, and where `everlog evaluate` points."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

from everlog.cli import main

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


@pytest.fixture
def script(capsys, monkeypatch):
    """Runs a script of benchmarks/ and gives what it prints."""

    def run(name: str, *words: object) -> str:
        monkeypatch.setattr("sys.argv", [f"benchmarks/{name}.py", *map(str, words)])
        import_module(name).main()
        return capsys.readouterr().out

    return run


def test_search_is_measured_and_printed(script, birds):
    pytest.importorskip("scipy")
    out = script("retrieval", birds, "--jobs", "1")
    assert out.startswith("## What noise does to search\n\nThe same queries on the same 96 posts")
    assert "By kind of query:" in out
    assert "two-tailed paired t-test" in out


def test_search_is_measured_for_programs_too(script, birds):
    pytest.importorskip("scipy")
    (asked,) = json.loads(script("retrieval", birds, "--json", "--jobs", "1"))
    assert set(asked) >= {"means", "by kind", "differences", "queries"}
    figures = {row["edition"]: row for row in asked["means"]}
    # Four birds, of which the one in the menu is found in all pages and stands in a quarter of them.
    assert figures["raw pages"]["queries"] == 4
    assert figures["raw pages"]["P"] == pytest.approx((1 + 1 + 1 + 0.25) / 4)
    assert figures["everlog"]["P"] == figures["everlog"]["R"] == figures["everlog"]["MAP"] == 1.0


def test_a_corpus_too_small_to_search_is_an_error_with_advice(script):
    with pytest.raises(SystemExit, match="there is no query to run\n  pass a corpus with more posts"):
        script("retrieval", EXAMPLES)


def test_other_tools_are_measured_and_printed(script):
    for package in ("boilerpy3", "goose3", "justext", "readability", "resiliparse", "trafilatura"):
        pytest.importorskip(package)
    out = script("peers", EXAMPLES / "umibe", "--jobs", "1")
    assert out.startswith("## Without a feed, beside other tools")
    assert "jusText" in out
    assert set(json.loads(script("peers", EXAMPLES / "umibe", "--jobs", "1", "--json"))) == {"means", "sites"}


def test_noise_is_measured_and_printed(script):
    out = script("noise", EXAMPLES / "umibe", "--jobs", "1")
    assert out.startswith("| posts | comments are | comparison pages |")
    assert "\n\n| text outside links |" in out


def test_posts_are_told_from_other_pages_where_these_are_labelled(script, birds):
    with pytest.raises(SystemExit, match=r"pages\.jsonl"):
        script("post_classifier", birds)
    pages = [page.parent.name for page in (birds / "site").glob("*/index.html")]
    labels = [{"path": f"/{name}/", "file": f"{name}/index.html", "kind": "post"} for name in pages]
    (birds / "pages.jsonl").write_text("\n".join(map(json.dumps, labels)), encoding="utf-8")
    rows = json.loads(script("post_classifier", birds, "--json", "--jobs", "1"))
    assert [(row["learned"], row["pages"]) for row in rows] == [("with the feed", len(pages)), ("without", len(pages))]


@pytest.mark.parametrize(("flag", "name"), [
    ("--peers", "peers"), ("--retrieval", "retrieval"), ("--noise", "noise"), ("--telling", "post_classifier"),
])
def test_a_flag_of_old_says_which_script_to_run_and_exits_2(capsys, flag, name):
    assert main(["evaluate", "a corpus", flag]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"moved to the benchmarks: {flag}\n  in a clone of everlog, run:\n    scripts/install benchmark\n"
        f"    .venv/bin/python benchmarks/{name}.py 'a corpus'\n"
    )
    assert (EXAMPLES.parents[1] / "benchmarks" / f"{name}.py").is_file()


def test_flags_of_old_can_be_combined_as_they_could_and_are_not_shown(capsys):
    assert main(["evaluate", "x", "--peers", "--noise", "-v"]) == 2
    assert "benchmarks/peers.py x\n    .venv/bin/python benchmarks/noise.py x\n" in capsys.readouterr().err
    assert main(["evaluate", "--help"]) == 0
    assert "--peers" not in capsys.readouterr().out
