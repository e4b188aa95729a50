"""One browser for all tests of a worker: starting and ending one takes seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from stage import Stage, staged

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    with staged() as found:
        yield found
