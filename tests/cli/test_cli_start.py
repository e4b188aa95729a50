"""What a command loads: one that only reads an archive needs nothing of fetching, learning or rendering."""

from __future__ import annotations

import subprocess
import sys

import pytest

from everlog.archive import open_archive
from everlog.demo.site import truth

HEAVY = {
    "scrapy", "twisted", "numpy", "babel", "dateparser", "rich", "alembic", "psycopg",
    "starlette", "uvicorn", "jinja2", "everlog.web", "everlog.replay",
    "sqlalchemy.dialects.postgresql", "everlog.extract", "everlog.fetch", "everlog.render", "everlog.fleet",
    "everlog.usecases.runner", "everlog.usecases.crawl.crawl_blog", "everlog.usecases.learn", "everlog.usecases.update",
}
# Packages and modules of everlog that are loaded to export posts, some of which have pictures.
MOST_TO_EXPORT = 70
LOADED = "import sys; from everlog.cli import main; code = main(sys.argv[1:]); print(*sys.modules); sys.exit(code)"


def loaded_by(*words: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=True, timeout=60,
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("words", [
    ("export",), ("export", "--blog", "BLOG"), ("status",), ("status", "BLOG"), ("search", "the"), ("show", "POST"),
], ids=" ".join)
def test_reading_an_archive_loads_neither_scrapy_nor_learning_nor_a_browser(kept, words):
    places = {"BLOG": kept, "POST": kept.rstrip("/") + truth()[-1].path}
    assert HEAVY & loaded_by(*(places.get(word, word) for word in words)) == set()


def test_exporting_loads_few_modules(kept):
    own = {name for name in loaded_by("export") if name.split(".")[0] == "everlog"}
    assert len(own) <= MOST_TO_EXPORT, sorted(own)


SERVED = """import sys
from everlog.archive import open_archive
from everlog.web.server import ArchiveServer, ServeOptions
with open_archive(sys.argv[1], read_only=True) as archive:
    server = ArchiveServer(archive, ServeOptions(port=0))
    server.run(lambda origins: (print(*sys.modules), server.stop()))
"""


def test_the_web_interface_begins_without_learning_fetching_pages_and_what_compares_versions(tmp_path):
    """Its address is to be there at once; what few pages need is loaded by them."""
    with open_archive(tmp_path / "archive", create=True):
        pass
    done = subprocess.run(
        [sys.executable, "-c", SERVED, str(tmp_path / "archive")], capture_output=True, text=True, check=True,
        timeout=60,
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "everlog.web.interface.interface_app" in loaded
    late = HEAVY - {"starlette", "uvicorn", "jinja2", "everlog.web", "everlog.replay", "everlog.fetch", "everlog.fleet"}
    # These hold small modules about words and times, which pages tell.
    late -= {"everlog.usecases.learn"}
    assert (late | {"everlog.versions", "playwright", "everlog.usecases.learn.learned_blog"}) & loaded == set()
