"""What is retried, how often and when: one table for pages, lists, feeds, media and jobs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest

from everlog.core.retry_policy import (
    FINAL,
    LONGEST_REMEMBERED,
    PAGE_TRIES,
    PASSING,
    asks_for_patience,
    is_feed_down,
    is_media_final,
    is_passing,
    list_may_pass,
    may_be_elsewhere,
    media_may_pass,
    remembered,
)
from everlog.records import Failure, Trouble

NOW = datetime(2024, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


def failed(trouble: str, status: int | None = None, until: datetime | None = None) -> Failure:
    return Failure(url="https://a.org/x", trouble=trouble, reason="why", status=status, until=until)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("failure", "passes", "media", "feed", "list_passes"),
    [
        (failed("timeout"), True, True, True, True),
        (failed("dns"), True, True, False, True),
        (failed("tls"), True, True, False, True),
        (failed("truncated"), True, True, True, True),
        (failed("http", 500), True, True, True, True),
        (failed("http", 505), True, True, True, True),
        (failed("http", 408), False, True, False, True),
        (failed("http", 403), False, False, False, True),
        (failed("http", 404), False, False, False, False),
        (failed("gone", 410), False, False, False, False),
        (failed("rate-limited", 429, LATER), True, True, True, True),
        (failed("rate-limited"), True, True, True, True),
        (failed("robots"), False, False, False, False),
        (failed("robots", until=LATER), True, True, False, True),
        (failed("too-large"), False, False, False, False),
        (failed("loop", 302), False, False, False, False),
    ],
    ids=lambda value: f"{value.trouble} {value.status or ''} {'later' if value.until else ''}".strip()
    if isinstance(value, Failure) else None,
)
def test_what_passes(failure: Failure, *, passes: bool, media: bool, feed: bool, list_passes: bool) -> None:
    assert is_passing(failure) is passes
    assert media_may_pass(failure) is media
    assert is_feed_down(failure) is feed
    assert list_may_pass(failure, 0) is list_passes


def test_every_trouble_that_is_no_answer_is_final_or_passes() -> None:
    answered = {"http", "gone", "rate-limited"}
    assert set(get_args(Trouble)) == answered | PASSING | FINAL


def test_a_list_is_given_up_after_as_many_tries_as_a_page() -> None:
    assert [list_may_pass(failed("timeout"), tries) for tries in range(PAGE_TRIES)] == [True, True, False]


def test_only_a_robots_txt_that_was_read_forbids_media_for_good() -> None:
    assert is_media_final(failed("robots"))
    assert not is_media_final(failed("robots", until=LATER))
    assert is_media_final(failed("address"))


def test_a_server_is_waited_for_only_if_it_names_a_time() -> None:
    assert asks_for_patience(failed("rate-limited", 503, LATER))
    assert not asks_for_patience(failed("rate-limited", 503))
    assert not asks_for_patience(failed("timeout", until=LATER))


@pytest.mark.parametrize(("failure", "expected"), [(failed("http", 404), True), (failed("http", 403), False)])
def test_what_is_missing_here_may_be_at_an_alias(failure: Failure, *, expected: bool) -> None:
    assert may_be_elsewhere(failure) is expected


@pytest.mark.parametrize("days", [1, 7, 36_500])
def test_no_wait_is_remembered_for_longer_than_a_week(days: int) -> None:
    until: Any = NOW + timedelta(days=days)
    assert remembered(until, NOW) == min(until, NOW + LONGEST_REMEMBERED)
