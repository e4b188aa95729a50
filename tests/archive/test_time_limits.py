"""Questions that take longer than somebody waits for them."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from everlog.errors import TooSlow

# Longer than any test waits; counting to it takes a database minutes.
ENDLESS = text(
    "with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 10000000000) "
    "select count(*) from numbers"
)


def test_a_question_that_takes_too_long_is_ended_and_the_next_one_is_answered(place):
    with place.open(create=True) as archive:
        database = archive.backend.database
        with pytest.raises(TooSlow, match="longer than readers wait"), database.snapshot(seconds=0.05), (
            database.reading()
        ) as connection:
            connection.execute(ENDLESS).scalar_one()
        for _ in range(20):
            with database.snapshot(seconds=60):
                assert archive.overview.count_blogs() == 0
        with database.reading() as connection:
            # Its time is nobody's limit any more.
            assert connection.execute(text("select count(*) from blogs")).scalar_one() == 0
