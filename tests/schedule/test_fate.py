"""What it means that a post or a blog does not answer as before."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.records import Exchange, Failure
from everlog.schedule.liveness import (
    APART,
    CROWD_PROOF,
    DAY,
    PROOFS,
    Failing,
    Look,
    Missing,
    after_answers,
    after_look,
    answer_of,
    is_crowd,
    next_look_at_missing,
)

START = datetime(2024, 5, 6, 12, tzinfo=UTC)
VANISHED = ["gone", "not-found", "led-away", "no-post"]
SIGHTS = ["there", "unclear", *VANISHED]


def looks(*seen, in_crowd=False):
    """What is told after each of these (day, sight)."""
    known, told = Missing(), []
    for day, sight in seen:
        verdict = after_look(known, Look(sight=sight, in_crowd=in_crowd), START + day * DAY)
        known = verdict.known
        told.append(verdict.kind)
    return told


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        ([(0, "gone")], ["deleted"]),
        ([(0, "not-found"), (1, "not-found"), (2, "not-found")], ["missing", "missing", "deleted"]),
        ([(0, "not-found"), (0.1, "not-found"), (0.9, "not-found")], ["missing", None, None]),
        ([(0, "not-found"), (1.5, "not-found"), (1.9, "not-found")], ["missing", "missing", None]),
        ([(0, "not-found"), (0.2, "gone")], ["missing", "deleted"]),
        ([(0, "led-away"), (0.5, "led-away"), (1, "led-away")], ["missing", None, "deleted"]),
        ([(0, "no-post"), (1, "no-post"), (2, "no-post")], ["missing", "missing", "deleted"]),
        ([(0, "not-found"), (1, "there"), (2, "not-found")], ["missing", "back", "missing"]),
        ([(0, "gone"), (9, "there"), (10, "there")], ["deleted", "back", None]),
        ([(0, "gone"), (1, "gone"), (2, "not-found")], ["deleted", None, None]),
        ([(0, "not-found"), (1, "unclear"), (2, "unclear"), (3, "unclear")], ["missing", None, None, None]),
        ([(0, "there")], [None]),
    ],
)
def test_what_is_seen_of_a_post_is_told_as_what_it_proves(seen, told):
    assert looks(*seen) == told


def test_posts_that_vanish_together_are_believed_gone_only_after_two_weeks():
    days = [0, 1, 2, 4, 8, 16]
    assert looks(*((day, "not-found") for day in days), in_crowd=True) == ["missing"] * 5 + ["deleted"]
    assert looks((0, "gone"), (1, "gone"), in_crowd=True) == ["missing", "missing"]


@given(st.lists(st.tuples(st.floats(0, 3), st.sampled_from(SIGHTS), st.booleans()), max_size=30))
def test_whatever_is_seen_nothing_is_deleted_without_its_proof_nor_twice(seen):
    known, now, since, vanishings = Missing(), START, None, 0
    for days, sight, in_crowd in seen:
        now += days * DAY
        before = known
        verdict = after_look(known, Look(sight=sight, in_crowd=in_crowd), now)
        known = verdict.known
        if sight == "there":
            since, vanishings = None, 0
            assert known == Missing()
            assert (verdict.kind == "back") == (before != Missing())
        elif sight == "unclear":
            assert (known, verdict.kind) == (before, None)
        else:
            since, vanishings = since or now, vanishings + 1
            proof = CROWD_PROOF if in_crowd else PROOFS[sight]
            if verdict.kind == "deleted":
                assert not before.is_gone
                assert vanishings >= proof.looks
                assert now - since >= proof.over
            assert known.is_gone == (before.is_gone or verdict.kind == "deleted")
            assert known.since == since


@given(st.integers(1, 40))
def test_a_missing_post_is_looked_at_when_the_look_counts(tries):
    known = Missing(since=START, looks=tries)
    verdict = after_look(known, Look(sight="not-found", in_crowd=True), next_look_at_missing(known))
    assert verdict.known.looks == tries + 1


def test_what_is_gone_or_well_has_no_next_look():
    assert next_look_at_missing(Missing()) is None
    assert next_look_at_missing(Missing(since=START, looks=3, is_gone=True)) is None


def test_a_few_posts_are_no_crowd_and_neither_is_a_minority():
    assert [is_crowd(*each) for each in ((4, 0), (5, 0), (5, 5), (20, 19))] == [False, True, False, True]


# Blogs


def fates(*seen):
    known, told = Failing(), []
    for day, feed, home in seen:
        verdict = after_answers(known, feed, home, START + day * DAY)
        known = verdict.known
        told.append(verdict.kind)
    return told


@pytest.mark.parametrize(
    ("seen", "last"),
    [
        ([(0, "gone", "gone")], "dead"),
        ([(0, "gone", "well")], "feed-gone"),
        ([(0, "gone", "passing")], "passing"),
        ([(day, "not-found", "not-found") for day in (0, 1, 3, 5, 7)], "dead"),
        ([(day, "not-found", "not-found") for day in (0, 1, 3, 5, 6.9)], "passing"),
        ([(day, "not-found", "not-found") for day in (0, 3, 5, 8)], "passing"),
        ([(day, "no-name", "no-name") for day in (0, 2, 4, 6, 8)], "dead"),
        ([(day, "refused", "refused") for day in (0, 2, 4, 6, 8)], "passing"),
        ([(day, "refused", "refused") for day in range(0, 33, 3)], "dead"),
        ([(day, "passing", "passing") for day in range(100)], "passing"),
        ([(day, "not-found", "well") for day in range(0, 20, 2)], "passing"),
        ([(day, "not-found", "well") for day in range(0, 33, 3)], "feed-gone"),
        ([(0, "not-found", "not-found"), (4, "not-found", "well"), (8, "not-found", "not-found")], "passing"),
    ],
)
def test_a_blog_is_given_up_only_when_it_is_proved(seen, last):
    told = fates(*seen)
    assert told[-1] == last
    assert set(told[:-1]) <= {"passing"}


def test_one_refused_connection_among_missing_names_asks_for_the_longer_proof():
    seen = [(day, "no-name", "no-name") for day in (0, 2, 4)] + [(6, "refused", "refused"), (8, "no-name", "no-name")]
    assert fates(*seen)[-1] == "passing"


def test_looks_that_follow_each_other_quickly_count_once():
    known = Failing()
    for minutes in range(20):
        known = after_answers(known, "not-found", "not-found", START + timedelta(minutes=minutes)).known
    assert known.looks == 1
    assert known.seen("blog", (), START + timedelta(minutes=19) + APART).looks == 2


@pytest.mark.parametrize(
    ("trouble", "status", "answer"),
    [
        ("http", 404, "not-found"), ("gone", 410, "gone"), ("http", 403, "passing"), ("http", 401, "passing"),
        ("http", 503, "passing"), ("rate-limited", 429, "passing"), ("robots", None, "passing"),
        ("dns", None, "no-name"), ("connection", None, "refused"), ("timeout", None, "passing"),
        ("tls", None, "passing"), ("protocol", None, "passing"),
    ],
)
def test_failures_are_told_apart(trouble, status, answer):
    assert answer_of(Failure(url="http://a.example/", trouble=trouble, reason="", status=status)) == answer


def test_a_page_in_place_of_the_feed_is_no_feed():
    page = Exchange(url="http://a.example/feed", status=200, body=b"<p>hello", fetched_at=START)
    failure = Failure(url=page.url, trouble="protocol", reason="no feed", exchanges=(page,))
    assert (answer_of(failure), answer_of(None)) == ("no-feed", "well")
