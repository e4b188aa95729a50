from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from everlog.cli import main
from everlog.cli.app import COMMANDS
from everlog.cli.planned import LATER
from everlog.cli.typed_command import with_command

EXAMPLES = Path(__file__).parent.parent / "examples" / "corpus"


def test_the_version_is_data(capsys):
    assert main(["--version"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("everlog ")
    assert err == ""


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in LATER])
def test_help_comes_with_an_example(capsys, name):
    assert main([name, "--help"]) == 0
    out, err = capsys.readouterr()
    assert f"  everlog {name}" in out.partition("Example")[2]
    assert err == ""


@pytest.mark.parametrize("name", LATER)
def test_a_command_of_a_later_version_says_so_in_one_line_and_exits_2(capsys, name):
    assert main([name, "http://a.example/", "--some-flag", "-q"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"everlog {name} is not in this version yet;")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["http://a.example/"], ["a.blog.example"], ["a.blog.example/path"], ["localhost:8000"], ["127.0.0.1:8000/blog"],
        ["--delay", "1", "https://a.example/"], ["--delay", "0", "a.blog.example"], ["-q", "a.blog.example", "--json"],
        ["--dely", "0", "a.blog.example"],
    ],
)
def test_a_bare_address_is_crawled(words):
    assert with_command(words, COMMANDS, {"--delay"}) == ["crawl", *words]


def test_a_misspelt_command_crawls_nothing_and_names_the_one_that_was_meant(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["craw", "http://127.0.0.1:9/"]) == 2
    out, err = capsys.readouterr()
    assert (out, list(tmp_path.iterdir())) == ("", [])
    assert err.splitlines() == [
        "no command 'craw'; did you mean crawl?", "  everlog crawl http://127.0.0.1:9/",
        "  all commands:  everlog --help",
    ]


@pytest.mark.parametrize(("word", "near"), [("stauts", "status"), ("Inspect", "inspect"), ("evalute", "evaluate")])
def test_a_slip_in_a_command_is_told_with_the_nearest(capsys, word, near):
    assert main([word]) == 2
    assert f"did you mean {near}" in capsys.readouterr().err


def test_a_word_that_is_neither_command_nor_address_leads_to_the_help(capsys):
    assert main(["hello"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "no command 'hello', and it is not the address of a blog", "  a blog:        everlog https://a.blog.example/",
        "  all commands:  everlog --help",
    ]


@pytest.mark.parametrize("command", [[], ["crawl"], ["inspect"]])
def test_a_file_in_place_of_an_address_says_how_lists_are_read(capsys, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.blogs").write_text("http://a.example/")
    for name in ("my.blogs", "blogs.opml"):
        assert main([*command, name]) == 2
        assert f"everlog crawl -i {name}\n" in capsys.readouterr().err


def test_options_before_a_command_are_put_in_their_place(capsys):
    assert main(["--archive", "kept", "status", "-v"]) == 2
    assert capsys.readouterr().err == "options stand behind the command status\n  everlog status --archive kept -v\n"


def test_a_misspelt_option_is_told_with_the_nearest(capsys):
    assert main(["--dely", "0", "http://127.0.0.1:9/"]) == 2
    assert "--delay" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["fleet"]])
def test_no_words_at_all_show_the_help_and_exit_2(capsys, words):
    assert main(words) == 2
    assert "Commands:" in capsys.readouterr().err


def test_the_help_names_no_command_that_is_not_there(capsys):
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.partition("Commands:")[2].splitlines()
    listed = {line.split()[0] for line in lines if line.strip()}
    assert "serve" in listed
    assert not listed & set(LATER)


@pytest.mark.parametrize("words", [["evaluate"], ["evaluate", "--by", "colour", "."], ["--frobnicate"]])
def test_wrong_usage_exits_2(capsys, words):
    assert main(words) == 2
    assert "Usage: everlog" in capsys.readouterr().err


def test_every_command_is_printed_as_it_can_be_typed(tmp_path):
    program = Path(sys.executable).with_name("everlog")
    texts = [f"everlog {name} x" for name in COMMANDS]
    code = f"import sys; from everlog.cli.program import as_typed; print(*map(as_typed, {texts}), sep=chr(10))"
    bare = {name: value for name, value in os.environ.items() if name != "PATH"}
    shown = {
        "scripts/everlog": bare | {"EVERLOG_COMMAND": "scripts/everlog"},
        "uv run everlog": bare | {"UV_RUN_RECURSION_DEPTH": "1"},
        "everlog": bare | {"PATH": str(program.parent)},
        str(program): bare,
    }
    for name, environment in shown.items():
        told = f"import sys; sys.argv[0] = {str(program)!r}; {code}"
        done = subprocess.run(
            [sys.executable, "-c", told], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True,
            timeout=300,
        )
        assert done.stdout.splitlines() == [f"{name} {command} x" for command in COMMANDS]


def test_run_as_a_module_it_says_so_in_its_errors_and_its_help(tmp_path):
    bare = {name: value for name, value in os.environ.items() if name != "EVERLOG_COMMAND"}
    for words in (["crwl", "http://127.0.0.1:9/"], ["crawl", "--help"]):
        done = subprocess.run(
            [sys.executable, "-m", "everlog", *words], env=bare, cwd=tmp_path, capture_output=True, text=True,
            check=False, timeout=300,
        )
        assert f"{sys.executable} -m everlog crawl http" in done.stdout + done.stderr


def test_a_folder_without_blogs_is_an_error_with_advice_and_no_traceback(capsys, tmp_path):
    assert main(["evaluate", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[1].startswith("no blogs")
    assert "Traceback" not in err


def test_blogs_are_evaluated_without_their_feeds(capsys):
    assert main(["evaluate", str(EXAMPLES / "harbour-notes"), "--no-feed", "--json", "-q"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["total"]["strict"] == 1.0
    assert 0 <= shown["calibration_error"] < 0.05


def test_no_feed_and_a_cut_feed_exclude_each_other(capsys):
    assert main(["evaluate", str(EXAMPLES), "--no-feed", "--cut-feeds"]) == 2
    assert "cannot be combined" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_an_error(capsys, tmp_path):
    assert main(["evaluate", str(EXAMPLES), "--posts", str(tmp_path / "no" / "posts.jsonl")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.slow
def test_the_bundled_blogs_are_evaluated_in_two_processes(capsys, tmp_path):
    posts, misses = tmp_path / "posts.jsonl", tmp_path / "misses.jsonl"
    files = ["--posts", str(posts), "--misses", str(misses)]
    assert main(["evaluate", str(EXAMPLES), "--jobs", "2", "--json", *files]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["total"]["blogs"], shown["total"]["posts"]) == (3, 36)
    assert set(shown["blogs"]) == {"harbour-notes", "umibe", "werkbank"}
    assert len(posts.read_text("utf-8").splitlines()) == round(36 * shown["total"]["found"])
    missed = [json.loads(line) for line in misses.read_text("utf-8").splitlines()]
    assert {"blog", "url", "strict"} <= set.intersection(*map(set, missed)) if missed else True


def test_quiet_says_nothing_but_the_table(capsys):
    assert main(["evaluate", str(EXAMPLES / "umibe"), "-q"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-2].startswith("mean over 1 blogs")
    assert out.splitlines()[-1].startswith("calibration error")
    assert err == ""


def test_a_field_below_its_floor_exits_3_and_another_corpus_is_remarked_on(capsys, tmp_path):
    floors = tmp_path / "floors.json"
    floors.write_text(json.dumps({"corpus": {"fingerprint": "other"}, "normal": {"strict": 100.5}}))
    assert main(["evaluate", str(EXAMPLES / "umibe"), "--floors", str(floors)]) == 3
    err = capsys.readouterr().err
    assert "the floors were measured on another corpus" in err
    assert "is below its floor of 100.50" in err


def test_floors_that_are_kept_exit_0(tmp_path):
    floors = tmp_path / "floors.json"
    floors.write_text('{"cut_feeds": {"strict": 100.5}, "normal": {"found": 0}}')
    assert main(["evaluate", str(EXAMPLES / "umibe"), "--floors", str(floors)]) == 0


def test_the_program_runs_as_a_module_too():
    done = subprocess.run(
        [sys.executable, "-m", "everlog", "crawl"], capture_output=True, text=True, check=False, timeout=300,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("no blog given")


def test_starting_up_loads_nothing_heavy():
    code = "import sys; from everlog.cli import main; main(['--version']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300,
    )
    heavy = {
        "lxml", "numpy", "babel", "dateparser", "rich", "py3langid", "multiprocessing", "scrapy", "twisted",
        "sqlalchemy", "pydantic", "warcio",
    }
    assert heavy & set(done.stdout.split()) == set()


BROKEN = """
import sys
import everlog.evaluate.corpus
def find_blogs(folders):
    raise {}
everlog.evaluate.corpus.find_blogs = find_blogs
from everlog.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run_broken(raised: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """The program with something going wrong deep inside."""
    return subprocess.run(
        [sys.executable, "-c", BROKEN.format(raised), "evaluate", ".", *flags],
        capture_output=True, text=True, check=False, timeout=300,
    )


@pytest.mark.parametrize(("flags", "traceback"), [((), False), (("-v",), True)])
def test_a_bug_exits_1_and_says_how_to_report_it(flags, traceback):
    done = run_broken('ZeroDivisionError("deep inside")', *flags)
    assert done.returncode == 1
    assert "this is a bug in everlog: ZeroDivisionError: deep inside" in done.stderr
    assert "open an issue" in done.stderr
    assert ("Traceback" in done.stderr) is traceback


def test_an_interrupt_exits_130_without_a_traceback():
    done = run_broken("KeyboardInterrupt")
    assert (done.returncode, done.stderr) == (130, "evaluating .: starting\ninterrupted\n")


def test_a_flag_wins_over_a_blogs_own_table(tmp_path, monkeypatch):
    from everlog.cli.options import settings_from

    monkeypatch.chdir(tmp_path)
    (tmp_path / "everlog.toml").write_text('[blog."https://a.example/"]\ndelay = 5\nscope = "host"\n')
    assert settings_from(None).for_blog("https://a.example/").delay == 5
    own = settings_from(None, delay=0.5).for_blog("https://a.example/")
    assert (own.delay, own.scope) == (0.5, "host")
