from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.errors import UsageError
from everlog.export import FORMATS, format_for, write_posts
from everlog.export.csv import COLUMNS, write_csv
from everlog.records import Comment, Media, Post


def rows(posts: list[Post], **how: bool) -> list[dict[str, str]]:
    out = io.BytesIO()
    assert write_csv(posts, out, **how) == len(posts)
    return list(csv.DictReader(io.StringIO(out.getvalue().decode(), newline="")))


def test_a_post_is_a_row_with_all_columns():
    post = Post(
        url="https://a.blog/1", blog="https://a.blog/", title="One, two", authors=("Ann Lee", "Bo"),
        published=datetime(2024, 3, 1, 8, 30, tzinfo=timezone(timedelta(hours=9))), tags=("sea", "海"), language="en",
        text='He said "so".\n\nThen\tno more.', summary="So", comments=(Comment(text="x"),),
        media=(Media(url="u"), Media(url="v")), version=3, fetched=datetime(2024, 4, 1, tzinfo=UTC), gone="404",
    )
    [row] = rows([post])
    assert tuple(row) == COLUMNS
    assert row["updated"] == ""
    assert list(filter(None, row.values())) == [
        "https://a.blog/1", "https://a.blog/", "One, two", "Ann Lee; Bo", "2024-03-01T08:30:00+09:00", "sea; 海", "en",
        'He said "so".\n\nThen\tno more.', "So", "1", "2", "3", "2024-04-01T00:00:00+00:00", "404",
        "post", "live",
    ]


def test_no_posts_are_a_header():
    out = io.BytesIO()
    assert write_csv([], out) == 0
    assert out.getvalue() == (",".join(COLUMNS) + "\r\n").encode()


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "=HYPERLINK(\"http://x\")"])
def test_no_cell_is_a_formula(text):
    [row] = rows([Post(url="u", title=text, text=text, authors=(text,))])
    assert row["title"] == row["text"] == row["authors"] == f"'{text}"
    [plain] = rows([Post(url="u", title=text)], guarded=False)
    assert plain["title"] == text


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_any_text_comes_back(texts):
    found = rows([Post(url="u", text=text) for text in texts], guarded=False)
    assert [row["text"] for row in found] == texts


def test_the_stream_stays_open_and_gets_posts_as_they_come():
    out = io.BytesIO()
    seen: list[int] = []

    def posts():
        for number in range(3):
            seen.append(len(out.getvalue()))
            yield Post(url=str(number), text="x" * 20_000)

    assert write_csv(posts(), out) == 3
    assert seen == sorted(set(seen))
    assert not out.closed


def test_a_file_is_replaced_only_by_a_whole_one(tmp_path):
    file = tmp_path / "posts.csv"

    def broken():
        yield Post(url="1")
        raise UsageError("the archive is away")

    write_posts([Post(url="old")], "csv", file)
    with pytest.raises(UsageError, match="away"):
        write_posts(broken(), "csv", file)
    assert "old" in file.read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["posts.csv"]


def test_jsonl_and_csv_go_to_stdout_when_no_place_is_named(capfdbinary):
    assert write_posts([Post(url="u1"), Post(url="u2")], "jsonl") == 2
    assert capfdbinary.readouterr().out.count(b"\n") == 2


def test_a_format_is_chosen_by_name_or_by_the_file():
    assert [format_for(None, name) for name in ("a.csv", "A.MD", "a.jsonl", "a.x", "-", "notes")] == [
        "csv", "markdown", "jsonl", "jsonl", "jsonl", "jsonl",
    ]
    with pytest.raises(UsageError, match="choose one of jsonl, csv, markdown"):
        format_for("docx", "-")
    assert all(kind.about for kind in FORMATS.values())


@pytest.mark.parametrize("place", ["missing/posts.csv", "."])
def test_a_place_that_cannot_be_written_is_told_with_advice(tmp_path, place):
    with pytest.raises(UsageError, match="-o"):
        write_posts([], "csv", tmp_path / place)
