from __future__ import annotations

import dataclasses

import pytest

from everlog.evaluate.grouping import group
from everlog.evaluate.run import Result
from everlog.evaluate.scoring import FIELDS
from everlog.evaluate.table import as_dict, render


@pytest.fixture
def make_result(make_blog):
    def make(name, strict, *, posts=2, **about):
        scores = dict.fromkeys(FIELDS) | {"found": 1.0, "strict": strict, "title": 0.5}
        return Result(blog=make_blog(name, **about), truth_rows=4, posts=posts, scores=scores)

    return make


def test_the_table_ends_with_the_mean_over_blogs(make_result):
    table = render([make_result("a", 1.0), make_result("b", 0.5, posts=40)]).splitlines()
    assert table[0].split() == [
        "posts", "found", "strict", "f1", "paper", "title", "author", "date", "day", "tags",
    ]
    assert len(table) == 2
    assert table[1].startswith("mean over 2 blogs")
    assert table[1].split()[4:] == ["42", "100.0", "75.0", "-", "-", "50.0", "-", "-", "-", "-"]


def test_blogs_come_worst_first(make_result):
    table = render([make_result("good", 1.0), make_result("bad", 0.1)], per_blog=True).splitlines()
    assert [line.split()[0] for line in table[1:]] == ["bad", "good", "mean"]


def test_columns_of_comments_stand_only_where_there_are_some(make_result):
    result = make_result("a", 1.0)
    result = dataclasses.replace(result, scores={**result.scores, "com_r": 0.5, "com_author": 1.0})
    assert render([result]).splitlines()[0].split()[-2:] == ["com_r", "com_au"]


def test_blogs_without_posts_that_count_are_left_out(make_result):
    empty = dataclasses.replace(make_result("empty", None), posts=0)
    assert as_dict([make_result("a", 1.0), empty])["total"]["blogs"] == 1
    assert "mean over 1 blogs" in render([make_result("a", 1.0), empty])


def test_groups_fold_spelling_variants(make_result):
    results = [
        make_result("a", 1.0, engine="WordPress", language="pt-BR", feed_is="full"),
        make_result("b", 0.0, engine="wordpress (hosted)", language="pt", feed_is="excerpt"),
        make_result("c", 0.0),
    ]
    assert {name: len(members) for name, members in group(results, "engine").items()} == {
        "wordpress": 2, "unknown": 1,
    }
    assert list(group(results, "language")) == ["pt", "unknown"]
    assert "engine wordpress (2)" in render(results, by="engine")
    assert as_dict(results, by="feed")["groups"]["full"]["strict"] == 1.0


def test_wide_characters_do_not_shift_the_columns(make_result):
    results = [make_result("ab", 1.0), make_result("海辺" * 20, 1.0)]
    latin, wide = render(results, per_blog=True).splitlines()[1:3]
    assert latin.index("2  ") == 38
    assert wide.index("2  ") == 38 - 16


def test_the_same_figures_for_programs(make_result):
    shown = as_dict([dataclasses.replace(make_result("a", 0.25), problem="not learned: x")])
    assert shown["total"]["strict"] == 0.25
    assert shown["blogs"]["a"]["problem"] == "not learned: x"
    assert shown["blogs"]["a"]["author"] is None
