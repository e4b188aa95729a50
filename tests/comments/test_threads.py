"""Ids and parents."""

from __future__ import annotations

import pytest

from everlog.comments.threads import by_depth, short_id, threaded
from everlog.records import Comment


@pytest.mark.parametrize(
    ("written", "ident"),
    [
        ("comment-12", "12"), ("li-comment-012", "012"), ("c7", "7"), ("#comment-7", "7"), ("/a/#c7", "7"),
        ("post-3-comment-12", "12"), ("a3f9e12", "a3f9e12"), ("550e8400-e29b-41d4-a716-446655440000",) * 2,
        ("reply", "reply"), ("12", "12"), ("", None), ("  ", None), (None, None),
    ],
)
def test_an_id_is_its_number_where_it_has_one(written, ident):
    assert short_id(written) == ident


def test_depths_may_start_anywhere_and_skip():
    assert by_depth([3, 5, 4, 1, 2]) == [None, 0, 0, None, 3]
    assert by_depth([]) == []


def comments(*ids: str | None) -> list[Comment]:
    return [Comment(id=ident, text=f"text {place}") for place, ident in enumerate(ids)]


def test_parents_are_named_by_their_ids():
    found = threaded(comments("a", "b", "c"), [None, 0, 1], [None, None, "a"])
    assert [(c.id, c.parent) for c in found] == [("a", None), ("b", "a"), ("c", "a")]


def test_a_parent_that_is_not_there_leaves_the_nesting():
    found = threaded(comments("a", "b"), [None, 0], [None, "gone"])
    assert found[1].parent == "a"


def test_a_comment_that_is_answered_gets_an_id_that_no_other_has():
    found = threaded(comments(None, "b", None), [None, 0, 0], [None] * 3)
    made = found[0].id
    assert made is not None
    assert [c.parent for c in found] == [None, made, made]
    assert found[2].id is None
    again = threaded([*comments(None), *comments(made)], [None, 0], [None] * 2)
    assert again[0].id not in {None, made}


def test_a_second_comment_with_the_same_id_has_none():
    assert [c.id for c in threaded(comments("a", "a", "b"), [None] * 3, [None] * 3)] == ["a", None, "b"]


def test_nobody_answers_himself_however_long_the_way_round():
    found = threaded(comments("a", "b", "c"), [None] * 3, ["c", "a", "b"])
    parents = {c.id: c.parent for c in found}
    for start in parents:
        way = [start]
        while (above := parents[way[-1]]) is not None:
            assert above not in way
            way.append(above)
    assert threaded(comments("a"), [None], ["a"])[0].parent is None
