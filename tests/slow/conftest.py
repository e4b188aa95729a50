"""The slow tests look at whole blogs: those that come with everlog, and a corpus if one is named."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from everlog.evaluate.corpus import find_blogs

ROOT = Path(__file__).parent.parent.parent
# `import reference`: Algorithm 1 lives beside the ordinary tests.
sys.path.insert(0, str(ROOT / "tests"))


@pytest.fixture(scope="session")
def blogs():
    folders = [ROOT / "examples" / "corpus"]
    if os.environ.get("EVERLOG_CORPUS"):
        folders.append(Path(os.environ["EVERLOG_CORPUS"]))
    return find_blogs(folders)
