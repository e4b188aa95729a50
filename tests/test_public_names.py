"""What `import everlog` gives. Taking a name away breaks somebody; adding one is a promise."""

from __future__ import annotations

import subprocess
import sys

import everlog

NAMES = {
    "Archive", "Blog", "Comment", "Entry", "EverlogError", "Feed", "Hit", "Media", "Page", "Post", "Provenance", "Skip",
    "Template", "learn", "new_crawl", "open_archive", "read_page", "update_crawl",
}


def test_the_public_names_are_exactly_these():
    assert set(everlog.__all__) == NAMES


def test_every_public_name_is_there():
    for name in NAMES:
        assert getattr(everlog, name).__module__.startswith("everlog.")


EVERY_MODULE_FIRST = """
import importlib, pkgutil, everlog
for module in pkgutil.walk_packages(everlog.__path__, "everlog."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
template = everlog.learn
assert callable(template), template
from everlog import learn
assert learn is template
"""


def test_learning_is_a_function_even_after_the_room_of_the_same_name_was_imported():
    # Importing everlog.learning.anything makes Python set the attribute `learn` of the package.
    subprocess.run([sys.executable, "-c", EVERY_MODULE_FIRST], check=True, timeout=300)
