"""The python blocks of these pages run, in order, and give what the pages say they give."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["internals/how-it-works.md", pytest.param("library.md", marks=pytest.mark.slow)])
def test_the_examples_of_a_page_give_what_it_shows(name):
    page = (DOCS / name).read_text("utf-8")
    known: dict[str, object] = {}
    failures: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for number, block in enumerate(_BLOCK.finditer(page)):
        line = page[: block.start(1)].count("\n")
        if ">>> " not in block[1]:
            exec(compile("\n" * line + block[1], name, "exec"), known)  # noqa: S102 - our own page
            continue
        test = doctest.DocTestParser().get_doctest(block[1], known, f"{name}, block {number}", name, line)
        runner.run(test, out=failures.append, clear_globs=False)
        known = test.globs
    assert not failures, "".join(failures)
    assert runner.tries > 10
