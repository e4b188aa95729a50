"""What `import everlog` gives. Taking a name away breaks somebody; adding one is a promise."""

from __future__ import annotations

import subprocess
import sys

import everlog

NAMES = {
    "Archive", "Blog", "Comment", "Entry", "EverlogError", "Feed", "Hit", "Media", "Page", "Post", "Provenance", "Skip",
    "Template", "crawl", "learn", "new_crawl", "open_archive", "read_page", "update", "update_crawl",
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
for name in ("crawl", "learn", "update"):
    function = getattr(everlog, name)
    assert callable(function), function
from everlog import crawl, learn, update
assert (crawl, learn, update) == (everlog.crawl, everlog.learn, everlog.update)
"""


def test_the_older_names_of_the_crawls_still_work():
    assert everlog.new_crawl is everlog.crawl
    assert everlog.update_crawl is everlog.update


def test_the_functions_stay_functions_whatever_modules_were_imported():
    # Importing a package everlog.crawl would make Python set the attribute `crawl` of everlog.
    subprocess.run([sys.executable, "-c", EVERY_MODULE_FIRST], check=True, timeout=300)
