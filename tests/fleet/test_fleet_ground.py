"""What fleets are measured on waits for all of their jobs."""

from __future__ import annotations

from collections import Counter
from itertools import chain, cycle, islice, repeat

from fleet_ground import Fleet


def test_a_job_that_changes_its_state_at_every_look_is_waited_for(tmp_path):
    moving = islice(cycle(["parked", "queued"]), 4)

    class Moving(Fleet):
        looks = chain((Counter({state: 1}) for state in moving), repeat(Counter()))

        def jobs(self) -> Counter[str]:
            return next(self.looks)

    assert Moving(archive="", broker="", folder=tmp_path, proxy="").wait(seconds=60) == Counter()
