"""kill -9 in the middle of an import: nothing is lost or there twice, and the same command goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from everlog.archive import open_archive
from everlog.archive.verify import verify
from everlog.settings import make_settings
from everlog.usecases.foreign.import_files import import_files
from usecases.a_site import a_site
from usecases.conftest import OPTIONS
from usecases.test_import_files import captured

TESTS = Path(__file__).parent.parent
POSTS = 12
# What every answer passes that is stored, and the passages at which the program dies, one run after the other.
POINTS = ("warc-half-record", "committed")
KILLS = (1, 2, 1, 2)
# An import that kills itself at a passage of a write point.
DYING = """
import itertools, os, signal, sys
from everlog.archive.archive import ArchiveOptions, open_archive
from everlog.settings import make_settings
from everlog.usecases.foreign.import_files import import_files

folder, file, point, passage = sys.argv[1:]
passages = itertools.count(1)

def at(reached):
    if reached == point and next(passages) >= int(passage):
        os.kill(os.getpid(), signal.SIGKILL)

with open_archive(folder, create=True, options=ArchiveOptions(min_free_bytes=0, at=at)) as archive:
    import_files([file], archive, make_settings({"min_free_bytes": 0}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_an_import_that_is_killed_goes_on_with_the_same_command(point, tmp_path):
    file = captured(a_site(POSTS)).write(tmp_path / "site.warc.gz")
    folder = tmp_path / "killed"
    deaths = 0
    for passage in KILLS:
        command = [sys.executable, "-c", DYING, str(folder), str(file), point, str(passage)]
        code = subprocess.run(command, cwd=TESTS, check=False).returncode
        assert code in {0, -signal.SIGKILL}
        deaths += code == -signal.SIGKILL
        with open_archive(folder, create=True, options=OPTIONS) as archive:
            assert list(verify(archive)) == []
    assert deaths >= 2
    assert held(folder, file) == held(tmp_path / "at once", file)


def held(folder: Path, file: Path) -> tuple[dict[str, object], int]:
    """The posts of an archive after an import to its end, without where their bytes lie, and how many versions."""
    with open_archive(folder, create=True, options=OPTIONS) as archive:
        import_files([str(file)], archive, make_settings({"min_free_bytes": 0}))
        assert list(verify(archive)) == []
        posts = {post.url: replace(post, warc=None, fetched=None) for post in archive.posts()}
        assert len(posts) == POSTS
        return posts, archive.blogs.counts(1).versions
