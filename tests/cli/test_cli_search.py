"""`everlog search` on the demo's blog, and what it says when there is nothing to say."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from cli.program import everlog
from everlog.cli import main
from everlog.demo.site import truth

OLDEST = truth()[-1]


def run(capsys, *words, code=0):
    """What a command prints: data, and talk."""
    capsys.readouterr()
    assert main(["search", *words]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out, err


def test_posts_are_found_by_their_words_and_shown_with_marks(kept, capsys):
    out, err = run(capsys, *OLDEST.title.split()[:2])
    blocks = out.split("\n\n")
    [oldest] = [block for block in blocks if OLDEST.path in block]
    first, second = OLDEST.title.split()[:2]
    assert f"[[{first}]] [[{second}]]" in oldest
    assert OLDEST.published.date().isoformat() in oldest
    assert OLDEST.author in oldest
    assert err.strip().endswith(("posts", "posts; --limit shows more"))


def test_hits_are_data_with_json(kept, capsys):
    out, _ = run(capsys, f'title:"{OLDEST.title}"', "--json")
    shown = json.loads(out)
    assert shown["found"] == 1
    [hit] = shown["posts"]
    assert hit["url"] == kept.rstrip("/") + OLDEST.path
    assert hit["blog"] == kept
    assert hit["marked_title"] == [{"text": OLDEST.title, "marked": True}]
    assert set(hit) == {
        "url", "blog", "title", "authors", "published", "score", "where", "comment_id", "comment_author",
        "marked_title", "snippet",
    }


def test_the_number_of_hits_can_be_limited_and_the_rest_is_counted(kept, capsys):
    out, err = run(capsys, f"author:{OLDEST.author.split()[0]}", "--limit", "2")
    assert out.count("\n\n") == 2
    assert "2 of " in err
    assert "--limit" in err


def test_hits_are_chosen_by_the_filters_that_the_web_interface_has(kept, capsys):
    word = f"author:{OLDEST.author.split()[0]}"
    month = OLDEST.published.strftime("%Y-%m")
    everything = [post for post in truth() if post.author == OLDEST.author]

    def found(*flags):
        out, _ = run(capsys, word, "--json", "--limit", "100", *flags)
        shown = json.loads(out)
        assert shown["found"] == len(shown["posts"])
        return {hit["url"].removeprefix(kept.rstrip("/")) for hit in shown["posts"]}

    assert found("--author", OLDEST.author.upper()) == {post.path for post in everything}
    assert found("--month", month) == {post.path for post in everything if post.published.strftime("%Y-%m") == month}
    tag = OLDEST.tags[0]
    assert found("--tag", tag, "--blog", kept, "--language", "en") == {
        post.path for post in everything if tag in post.tags
    }
    out, err = run(capsys, word, "--tag", tag, "--limit", "1", "--blog", kept)
    assert out.count("\n\n") == 1
    assert err.startswith("1 of ") or err == "1 posts\n"
    assert run(capsys, word, "--tag", "no such tag", code=4)[0] == ""
    assert "is not a month" in run(capsys, word, "--month", "may", code=2)[1]
    assert "http://other.example/" in run(capsys, word, "--blog", "http://other.example/", code=2)[1]


def test_nothing_found_exits_4_with_advice(kept, capsys):
    out, err = run(capsys, "zyzzyva", code=4)
    assert out == ""
    assert err.startswith("nothing found for zyzzyva\n  ")
    assert run(capsys, "zyzzyva", "-q", code=4) == ("", "")
    out, _ = run(capsys, "zyzzyva", "--json", code=4)
    assert json.loads(out) == {"found": 0, "posts": []}


def test_a_query_that_is_none_is_wrong_usage(kept, capsys):
    for words in ([], [" "], ["!!!"], ["before:soon"], ["--limit", "0", "x"], ["--limit", "9" * 20, "x"]):
        out, err = run(capsys, *words, code=2)
        assert out == ""
        assert err


def test_the_index_can_be_made_anew(kept, here, capsys):
    with closing(sqlite3.connect(here / "everlog-archive" / "everlog.sqlite")) as database:
        database.execute("delete from indexed")
        database.execute("insert into search(search) values ('delete-all')")
        database.commit()
    assert main(["verify"]) == 8
    assert "--rebuild" in capsys.readouterr().out
    out, err = run(capsys, "--rebuild")
    assert out == ""
    assert "40 posts are brought into the search index" in err
    assert main(["verify"]) == 0
    run(capsys, "--rebuild", OLDEST.title, "-q")


def test_what_a_stranger_wrote_does_not_steer_the_terminal(kept, here, capsys):
    with closing(sqlite3.connect(here / "everlog-archive" / "everlog.sqlite")) as database:
        database.execute("update versions set record = json_set(record, '$.title', ?)", ("x\x1b[31m\n",))
        database.commit()
    out, _ = run(capsys, OLDEST.title)
    assert "\x1b" not in out


def test_nor_does_it_turn_the_order_of_what_stands_beside_it(kept, here, capsys):
    turning = "\u202e\u202a\u2066\u2069\u200e\u200f\u061c"
    changes = [("title", f"Box{turning}es"), ("text", f"box {turning} lid"), ("title", "")]
    for field, value in changes:
        with closing(sqlite3.connect(here / "everlog-archive" / "everlog.sqlite")) as database:
            database.execute(
                "update versions set record = json_set(record, ?, ?, '$.url', 'http://a.example/' || ?)",
                (f"$.{field}", value, turning),
            )
            database.commit()
        out, _ = run(capsys, OLDEST.title)
        assert "http://a.example/" in out
        assert not set(turning) & set(out)
    assert out.startswith("http://a.example/\n")


def test_a_query_that_begins_with_a_hyphen_goes_behind_two(kept, capsys):
    first, second = OLDEST.title.split()[:2]
    out, err = run(capsys, f"-zyzzyva {first} {second}", code=2)
    assert out == ""
    assert err.startswith("there is no option -z\n  ")
    assert "everlog search -- '-winter tide'" in err
    assert "NOT winter" in err
    behind, _ = run(capsys, "--limit", "40", "--", f"-zyzzyva {first} {second}")
    assert OLDEST.path in behind
    assert run(capsys, "--limit", "40", "NOT", "zyzzyva", first, second)[0] == behind
    assert "No such option: --limt" in run(capsys, "--limt", "3", "x", code=2)[1]


@pytest.mark.parametrize("spells", [
    {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
], ids=["ascii", "locale C"])
def test_a_terminal_that_cannot_spell_a_letter_gets_it_escaped(kept, here, spells):
    with closing(sqlite3.connect(here / "everlog-archive" / "everlog.sqlite")) as database:
        database.execute("update versions set record = json_set(record, '$.title', 'Łódź 🎉')")
        database.commit()
    url = kept.rstrip("/") + OLDEST.path
    for words in (("search", OLDEST.title), ("show", url)):
        done = everlog(*words, folder=here, **spells)
        assert (done.code, "bug" in done.err) == (0, False)
        assert r"\u0141\u00f3d\u017a \ud83c\udf89" in done.out
    assert everlog("show", url, "--json", folder=here, **spells).json["title"] == "Łódź 🎉"


def test_searching_loads_neither_lxml_nor_scrapy(kept, here):
    code = "import sys; from everlog.cli import main; main(['search', 'box', '-q', '--json']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300, cwd=here,
    )
    heavy = {"lxml", "numpy", "babel", "dateparser", "rich", "scrapy", "twisted", "alembic"}
    assert heavy & set(done.stdout.split()) == set()
