"""What changed between versions of a post, as the command line tells it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from cli.program import command, environment
from everlog.archive import open_archive
from everlog.cli import main
from everlog.records import Comment, Exchange, Post, Visit

HOME = "https://a.blog.example/"
URL = HOME + "a-post"
START = datetime(2024, 5, 1, 12, tzinfo=UTC)
FIRST = Post(
    url=URL, title="A day", tags=("sea",),
    text="\n\n".join(f"Paragraph number {number} about the sea." for number in range(9)),
    comments=(Comment(id="1", author="Jo", text="Nice."), Comment(id="2", author="Al", text="Spam\x1b[31m!")),
)
VERSIONS = [
    FIRST,
    Post(
        url=URL, title="A night", tags=("sea", "sky"), text=FIRST.text.replace("number 4 about", "number 4, all about"),
        comments=(Comment(id="1", author="Jo", text="Very nice."), Comment(id="3", author="Bo", text="Oh.")),
    ),
    Post(url=URL, title="A night", tags=("sea", "sky"), text=FIRST.text, comments=(Comment(id="1", text="Nice."),)),
]


@pytest.fixture
def edited(here):
    """An archive with a post of three versions, and one with one."""
    keep(VERSIONS, URL)
    keep(VERSIONS[:1], HOME + "another")


def keep(versions, url):
    with open_archive("everlog-archive", create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            for number, post in enumerate(versions):
                answer = Exchange(
                    url=url, status=200, body=f"{url} {number}".encode(), fetched_at=START + timedelta(days=number),
                )
                key = url.removeprefix("https://")
                at_home = replace(post, url=url, text=post.text if url == URL else post.text + " Elsewhere.")
                archive.commit([Visit(
                    blog_id=blog, url=url, key=key, outcome="post", exchanges=(answer,), post=at_home,
                )])


def run(capsys, *words, code=0):
    capsys.readouterr()
    assert main(list(words)) == code, capsys.readouterr().err
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out if code == 0 else err


def test_the_last_two_versions_are_compared_by_default(edited, capsys):
    out = run(capsys, "diff", URL)
    assert out.splitlines()[:4] == [
        URL, "version 2, read 2024-05-02 12:00:00 UTC", "version 3, read 2024-05-03 12:00:00 UTC",
        "changed: text: 1 word removed; 1 comment removed, 1 edited",
    ]
    assert "Paragraph number 4 [-, all-] about the sea." in out


def test_any_two_versions_can_be_compared_in_words(edited, capsys):
    out = run(capsys, "diff", URL + "?utm_source=x", "--from", "1", "--to", "2")
    assert "title: [-A day-]{+A night+}\n" in out
    assert "tags: {+sky+}\n" in out
    assert "Paragraph number 4{+, all+} about the sea." in out
    assert "Bo, new:\n  {+Oh.+}\n" in out
    assert "Al, removed:\n  [-Spam[31m!-]\n" in out
    assert "Jo, edited:\n  [-Nice-]{+Very nice+}.\n" in out
    assert "{+A day+}" in run(capsys, "diff", URL, "--from", "2", "--to", "1")
    assert "changed: nothing" in run(capsys, "diff", URL, "--from", "2", "--to", "2")


def test_only_the_paragraphs_around_a_change_are_shown_unless_all_are_wanted(edited, capsys):
    out = run(capsys, "diff", URL, "--to", "2")
    assert "number 7" not in out
    assert "[...]" in out
    assert "number 7" in run(capsys, "diff", URL, "--to", "2", "-v")


def test_the_pieces_of_the_json_give_both_texts_back(edited, capsys):
    told = json.loads(run(capsys, "diff", URL, "--from", "1", "--to", "2", "--json"))
    assert (told["from"]["version"], told["to"]["read_at"]) == (1, "2024-05-02T12:00:00+00:00")
    assert "".join(piece["old"] for piece in told["text"]["pieces"]) == VERSIONS[0].text
    assert "".join(piece["new"] for piece in told["text"]["pieces"]) == VERSIONS[1].text
    assert told["fields"] == {"title": {"old": "A day", "new": "A night"}, "tags": {"old": [], "new": ["sky"]}}
    assert [each["new"]["text"] for each in told["comments"]["edited"]] == ["Very nice."]
    assert told["summary"] == "title, tags; text: 1 word added; 1 comment new, 1 removed, 1 edited"


def test_a_post_with_one_version_has_nothing_to_compare(edited, capsys):
    out = run(capsys, "diff", HOME + "another")
    assert "only one version, read 2024-05-01 12:00:00 UTC" in out
    assert json.loads(run(capsys, "diff", HOME + "another", "--json"))["summary"] == "nothing"


@pytest.mark.parametrize("words", [("diff", HOME + "nowhere"), ("show", HOME + "nowhere", "--versions")])
def test_a_post_that_is_not_there_is_an_error_with_advice(edited, capsys, words):
    assert "everlog export" in run(capsys, *words, code=2)


def test_a_version_that_is_not_there_is_an_error_that_says_how_many_there_are(edited, capsys):
    assert "it has 3" in run(capsys, "diff", URL, "--to", "4", code=2)
    assert "it has 3" in run(capsys, "diff", URL, "--from", "9", code=2)


def test_on_a_terminal_changes_are_coloured_and_strangers_cannot_steer_it(edited, here):
    ours, its = pty.openpty()
    words = command("diff", URL, "--from", "1", "--to", "2")
    variables = {name: value for name, value in environment(TERM="xterm-256color").items() if name != "NO_COLOR"}
    subprocess.run(words, cwd=here, env=variables, stdout=its, stdin=subprocess.DEVNULL, check=True, timeout=300)
    os.close(its)
    shown = read_all(ours)
    assert "\x1b[32mA night\x1b[0m" in shown
    assert "{+" not in shown
    assert "Spam\x1b[31m" not in shown


def read_all(terminal):
    parts = []
    with os.fdopen(terminal, "rb", buffering=0) as file:
        try:
            while part := file.read(65_536):
                parts.append(part)
        except OSError:  # Linux says so at the end of a terminal
            pass
    return b"".join(parts).decode()


def test_the_versions_are_listed_with_their_times_and_what_changed(edited, capsys):
    lines = run(capsys, "show", URL, "--versions").splitlines()
    assert lines == [
        "version 1  2024-05-01 12:00:00 UTC  as it was found",
        "version 2  2024-05-02 12:00:00 UTC  title, tags; text: 1 word added; 1 comment new, 1 removed, 1 edited",
        "version 3  2024-05-03 12:00:00 UTC  text: 1 word removed; 1 comment removed, 1 edited",
    ]
    main(["show", URL, "--versions"])
    assert f"everlog diff {URL}" in capsys.readouterr().err
    main(["show", URL, "--versions", "-q"])
    assert capsys.readouterr().err == ""


def test_all_versions_can_be_had_whole_with_the_times_they_were_read(edited, capsys):
    versions = json.loads(run(capsys, "show", URL, "--versions", "--json"))
    assert [each["version"] for each in versions] == [1, 2, 3]
    assert [each["text"] for each in versions] == [each.text for each in VERSIONS]
    assert versions[1]["read_at"] == "2024-05-02T12:00:00+00:00"
    assert "read_at" not in json.loads(run(capsys, "show", URL, "--json"))


def test_a_version_that_only_other_rules_made_is_not_told_as_an_edit(kept, capsys):
    run(capsys, "rules", kept, "--set", "title", "p.byline")
    [result] = json.loads(run(capsys, "reread", kept, "--json"))
    assert result["changed"] > 0
    changed = next(json.loads(line)["url"] for line in run(capsys, "export").splitlines() if '"version": 2' in line)
    assert "(the same page, read by other rules)" in run(capsys, "show", changed, "--versions").splitlines()[1]
    assert "(the same page, read by other rules)" in run(capsys, "diff", changed)


def test_a_change_of_nothing_but_control_characters_leaves_no_empty_marks(here, capsys):
    keep([FIRST, replace(FIRST, title="A night", text=FIRST.text + " \x07")], URL)
    shown = run(capsys, "diff", URL)
    assert "{+A night+}" in shown
    assert "{++}" not in shown
