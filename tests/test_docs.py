"""Documentation that is stale fails here."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
import typer

from everlog.cli.app import COMMANDS, app, main
from everlog.evaluate.scoring import FIELDS

ROOT = Path(__file__).parent.parent
CLI = (ROOT / "docs" / "cli.md").read_text("utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def options() -> set[str]:
    group = typer.main.get_command(app)
    params = [param for command in (group, *group.commands.values()) for param in command.params]
    return {name for param in params for name in param.opts if name.startswith("-")}


def test_every_command_and_flag_is_documented():
    missing = [name for name in COMMANDS if f"`everlog {name}" not in CLI]
    missing += [name for name in options() if not re.search(rf"`{name}[ `]", CLI)]
    assert missing == []


def test_every_documented_command_and_flag_exists():
    assert set(re.findall(r"`everlog ([a-z]+)[ `]", CLI)) <= set(COMMANDS)
    assert set(re.findall(r"`(--?[a-z][a-z-]*)", CLI)) <= options() | {"-h", "--help"}


def test_the_command_line_reference_is_what_the_program_gives():
    reference = runpy.run_path(str(ROOT / "scripts" / "make_cli_docs.py"))["reference"]
    assert reference() == CLI, "run scripts/make_cli_docs.py"


def test_the_corpus_format_explains_every_column():
    page = (ROOT / "docs" / "corpus-format.md").read_text("utf-8")
    heads = {"com_author": "com_au", "com_date": "com_da"}
    assert [name for name in FIELDS if f"`{heads.get(name, name)}`" not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_flags_in_the_readme_exist():
    flags = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", (ROOT / "README.md").read_text("utf-8")))
    assert flags <= options() | {"--help"}


def test_the_readme_shows_what_its_first_command_prints(capsys):
    assert main(["evaluate", str(ROOT / "examples" / "corpus"), "-q"]) == 0
    assert capsys.readouterr().out in (ROOT / "README.md").read_text("utf-8"), "paste the new table"
