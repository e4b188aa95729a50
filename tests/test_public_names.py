"""What `import everlog` gives. Taking a name away breaks somebody; adding one is a promise."""

from __future__ import annotations

import subprocess
import sys

import pytest

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


OF_AN_ARCHIVE = {
    # What it holds, each a repository.
    "blogs", "urls", "captures", "posts", "comments", "events", "search", "polls", "hosts", "jobs", "leases", "workers",
    "listing", "overview", "hidden", "mementos",
    # What can be done with it.
    "versions", "export", "lock", "commit", "close",
    # What it is.
    "files", "is_read_only", "backend", "writers",
}


def test_an_archive_has_these_names_and_answers_to_its_earlier_ones(tmp_path):
    with everlog.open_archive(tmp_path / "archive", create=True) as archive:
        assert {name for name in dir(archive) if not name.startswith("_")} == OF_AN_ARCHIVE
        blog = archive.blogs.add("http://a.example/", scope="path")
        assert (archive.find_post("http://a.example/1"), archive.history("http://a.example/1")) == (None, ())
        assert (archive.count_found("word"), archive.index_posts()) == (0, 0)
        assert (archive.counts(blog.id).posts, list(archive.problems(blog.id))) == (0, [])
        assert archive.folder == tmp_path / "archive"
        with pytest.raises(AttributeError, match="no attribute 'find_blog'"):
            archive.find_blog("http://a.example/")


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


@pytest.mark.slow
def test_the_functions_stay_functions_whatever_modules_were_imported():
    # Importing a package everlog.crawl would make Python set the attribute `crawl` of everlog.
    subprocess.run([sys.executable, "-c", EVERY_MODULE_FIRST], check=True, timeout=300)
