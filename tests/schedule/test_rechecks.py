"""When posts are looked at again."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from everlog.schedule.rechecks import FIRST, JITTER, MOST_AT_ONCE, first_rechecks, next_recheck

FOUND = datetime(2024, 5, 1, tzinfo=UTC)
MOST = timedelta(days=90)


@given(st.integers(0, 10**9), st.floats(0, 2000))
def test_looks_are_a_day_to_the_longest_time_apart(number, days):
    now = FOUND + timedelta(days=days)
    gap = next_recheck(FOUND, now, MOST, number=number) - now
    assert FIRST * (1 - JITTER) <= gap <= MOST * (1 + JITTER)


def test_the_time_between_looks_doubles():
    now, gaps = FOUND + FIRST, []
    for _ in range(8):
        due = next_recheck(FOUND, now, MOST, number=5)
        gaps.append((due - now) / FIRST)
        now = due
    assert all(1.8 <= later / earlier <= 2.2 for earlier, later in pairwise(gaps[:5]))
    assert 81 <= gaps[-1] <= 99


def test_a_whole_blog_does_not_come_due_at_once():
    planned = list(first_rechecks(FOUND, FOUND, MOST, 1000))
    days = Counter((moment - FOUND).days for moment in planned)
    assert planned == sorted(planned)
    assert days[1] <= MOST_AT_ONCE + 12
    assert max(count for day, count in days.items() if day > 1) <= 12


def test_a_few_new_posts_are_looked_at_a_day_after_they_were_found():
    assert set(first_rechecks(FOUND, FOUND, MOST, 7)) == {FOUND + FIRST}
    assert set(first_rechecks(FOUND - MOST, FOUND, MOST, 7)) == {FOUND}
