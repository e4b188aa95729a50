"""The slow tests look at whole blogs: those that come with everlog, and a corpus if one is named.

All that is in this folder is marked `slow`, and is not even imported where such tests are left out.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from everlog.evaluate.corpus import find_blogs

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
# `import reference`: Algorithm 1 lives beside the ordinary tests.
sys.path.insert(0, str(ROOT / "tests"))


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    return True if config.getoption("markexpr") == "not slow" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def blogs():
    folders = [ROOT / "examples" / "corpus"]
    if os.environ.get("EVERLOG_CORPUS"):
        folders.append(Path(os.environ["EVERLOG_CORPUS"]))
    return find_blogs(folders)
