"""One browser for each module of tests: starting one takes a second."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from stage import Stage, staged

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with staged() as found:
        yield found
