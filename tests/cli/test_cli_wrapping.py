"""Texts of posts on a terminal: wrapped at words to its width; in a pipe as they are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from cli.program import everlog
from cli.terminal import on_terminal
from everlog.archive import open_archive
from everlog.core.urls import canonical
from everlog.records import Comment, Exchange, Post, Visit

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://a.example/the-night-train-and-a-name-that-is-longer-than-sixty-columns-of-a-terminal"
WORDS = "The night train left the harbour behind and nobody at the window knew where it went until morning came. "
CHINESE = "夜行列車は港を後にし、朝が来るまで窓辺の誰もその行き先を知らなかった。" * 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    text = f"{WORDS * 3}\n\n{CHINESE}\n\nSee {URL} for more."
    post = Post(url=URL, title="The night train", text=text, comments=(Comment(id="1", author="Jo", text=WORDS),))
    page = Exchange(url=URL, status=200, body=b"<p>the page", fetched_at=datetime(2024, 5, 1, tzinfo=UTC))
    with open_archive(tmp_path / "everlog-archive", create=True) as opened:
        blog = opened.blogs.add("https://a.example/", scope="path").id
        with opened.lock(blog):
            opened.commit([Visit(
                blog_id=blog, url=URL, key=canonical(URL), outcome="post", exchanges=(page,), post=post,
            )])
    return tmp_path


@pytest.mark.parametrize("columns", [80, 40])
@pytest.mark.parametrize("words", [("show", URL), ("search", "harbour")], ids=["show", "search"])
def test_lines_end_between_words_and_are_no_wider_than_the_terminal(folder, columns, words):
    with on_terminal(*words, folder=folder, columns=columns, NO_COLOR="1") as running:
        assert running.wait_for_end() == 0
        lines = running.screen.written.replace("\r", "").split("\n")
    wide = [line for line in lines if cell_len(line) > columns]
    # An address alone is wider, and whole: it can be copied.
    assert {line.strip() for line in wide} <= {URL}
    assert any(URL in line for line in lines)
    known = set(WORDS.replace(".", "").split())
    told = [line for line in lines if "night train" in line and "://" not in line]
    assert len(told) >= 1
    assert {word.strip("[].…") for line in told for word in line.split()} <= known | {""}


def test_in_a_pipe_every_paragraph_is_one_line(folder):
    done = everlog("show", URL, folder=folder)
    assert CHINESE in done.out.splitlines()
    assert f"See {URL} for more." in done.out.splitlines()
    assert f"  {WORDS}" in done.out.splitlines()
