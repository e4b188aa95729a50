from __future__ import annotations

import json
from dataclasses import replace

import pytest

from everlog.errors import UsageError
from everlog.evaluate.gate import Floors, below, fallen, fingerprint, read_floors
from everlog.evaluate.run import evaluate_blog


def test_a_field_below_its_floor_is_named_with_both_figures(make_blog, learner):
    results = [evaluate_blog(make_blog(files={"2024/two/index.html": "SKIP"}), learner)]
    assert below(results, {"strict": 97.0, "title": 50.0}) == ["strict 50.00 is below its floor of 97.00"]


def test_a_field_exactly_on_its_floor_passes(make_blog, learner):
    assert below([evaluate_blog(make_blog(), learner)], {"strict": 100.0}) == []


def test_a_floor_under_a_field_without_truth_is_reported(make_blog, learner):
    (line,) = below([evaluate_blog(make_blog(), learner)], {"tags": 50.0})
    assert line.startswith("tags has a floor of 50.00 but no truth")


def test_a_single_blog_below_the_floor_of_each_is_named(make_blog, learner):
    results = [evaluate_blog(make_blog("a"), learner), evaluate_blog(make_blog("b"), learner)]
    floors = Floors(fingerprint=None, runs={}, each_blog={"strict": 101.0})
    lines = fallen(results, floors, "normal")
    assert [line.split(":")[0] for line in lines] == ["a", "b"]
    assert fallen(results, floors, "no_feed") == []


def test_confidence_that_is_too_far_from_the_truth_is_reported(make_blog, learner):
    result = replace(evaluate_blog(make_blog("a"), learner), sure=((0.9, False), (0.9, True)))
    assert fallen([result], Floors(fingerprint=None, runs={}, calibration=0.5), "normal") == []
    (line,) = fallen([result], Floors(fingerprint=None, runs={}, calibration=0.05), "normal")
    assert line == "confidence and truth are 0.400 apart, more than 0.050"


def test_the_fingerprint_depends_on_blogs_and_their_numbers_of_posts_only(make_blog, learner):
    one, two = evaluate_blog(make_blog("a"), learner), evaluate_blog(make_blog("b"), learner)
    more = evaluate_blog(make_blog("b", rows=[{"url": "http://tiny.example/2024/two/"}]), learner)
    assert fingerprint([one, two]) == fingerprint([two, one])
    prints = [fingerprint(results) for results in ([one], [two], [one, two], [one, more])]
    assert len(set(prints)) == 4


def test_floors_are_read_for_both_kinds_of_run(tmp_path):
    file = tmp_path / "floors.json"
    content = {"corpus": {"fingerprint": "f"}, "normal": {"strict": 97}, "cut_feeds": {"day": 9.5}}
    file.write_text(json.dumps(content))
    floors = read_floors(file)
    assert (floors.fingerprint, floors.of("normal"), floors.of("cut_feeds")) == ("f", {"strict": 97.0}, {"day": 9.5})


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "cannot be used"),
        ("[]", "cannot be used"),
        ('{"normal": {"strict": "high"}}', "cannot be used"),
        ('{"normal": {"speed": 3}}', "no such field: speed"),
    ],
)
def test_floors_that_make_no_sense_are_an_error(tmp_path, content, problem):
    file = tmp_path / "floors.json"
    file.write_text(content)
    with pytest.raises(UsageError, match=problem):
        read_floors(file)
