from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_the_bundled_corpus_is_what_its_script_makes(tmp_path):
    subprocess.run([sys.executable, "-B", EXAMPLES / "make_corpus.py", tmp_path], check=True, timeout=300)
    assert files_below(tmp_path) == files_below(EXAMPLES / "corpus")


def test_the_bundled_corpus_stays_small():
    assert sum(map(len, files_below(EXAMPLES / "corpus").values())) < 600_000
