"""Documentation that is stale fails here."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
import typer

from everlog.archive.db.schema import metadata
from everlog.cli.app import COMMANDS, main, make_app
from everlog.errors import EverlogError
from everlog.evaluate.scoring import FIELDS
from everlog.settings import KNOWN, make_settings

ROOT = Path(__file__).parent.parent
CLI = (ROOT / "docs" / "cli.md").read_text("utf-8")
SETTINGS = (ROOT / "docs" / "settings.md").read_text("utf-8")
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def options() -> set[str]:
    group = typer.main.get_command(make_app())
    commands = [group, *group.commands.values()]
    commands += [inner for command in group.commands.values() for inner in getattr(command, "commands", {}).values()]
    # A hidden flag is one that was removed: whoever still types it is told so.
    params = [param for command in commands for param in command.params if not getattr(param, "hidden", False)]
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


@pytest.mark.parametrize(
    "name",
    [
        "README.md", "docs/install.md", "docs/tutorial.md", "docs/exports.md", "docs/watching.md", "docs/politeness.md",
        "docs/faq.md", "docs/internals/archive-format.md",
    ],
)
def test_the_flags_and_commands_a_page_mentions_exist(name):
    text = (ROOT / name).read_text("utf-8")
    of_others = {"--force", "--reinstall", "--system", "--home", "--create-home", "--now", "--vacuum-time"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) <= options() | {"--help"} | of_others
    code = "\n".join(map("".join, re.findall(r"^```sh\n(.*?)^```|`(everlog [^`]+)`", text, re.MULTILINE | re.DOTALL)))
    assert set(re.findall(r"^everlog ([a-z]+)\b(?!:)", code, re.MULTILINE)) <= set(COMMANDS)


def test_the_readme_starts_with_two_commands_the_first_of_which_is_the_demo():
    first_screen = (ROOT / "README.md").read_text("utf-8").partition("\n## ")[0]
    assert re.findall(r"^```sh\n(.*?)^```", first_screen, re.MULTILINE | re.DOTALL) == [
        "scripts/everlog demo\n", "scripts/test\n",
    ]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "benchmarks" / "README.md"], ids=lambda page: page.name)
def test_no_page_tells_to_install_everlog_from_an_index_that_does_not_have_it(page):
    text = page.read_text("utf-8")
    assert re.findall(r"(?:pip|pipx|uv tool|uv add|uvx)[^\n`]*\binstall\b[^\n`]*['\" ]everlog\b[^\n`]*", text) == []


def test_the_corpus_format_shows_what_evaluating_prints(capsys):
    assert main(["evaluate", str(ROOT / "examples" / "corpus"), "-q"]) == 0
    shown = (ROOT / "docs" / "corpus-format.md").read_text("utf-8")
    assert capsys.readouterr().out in shown, "paste the new table"


def test_every_setting_is_documented_with_its_default_and_meaning():
    rows = {
        name: (default, about) for name, default, _, about in
        re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) ?\| (.*?) \|$", SETTINGS, re.MULTILINE)
    }
    defaults = make_settings()
    expected = {name: (shown(getattr(defaults, name)), each.metadata["about"]) for name, each in KNOWN.items()}
    assert rows == expected


def shown(default: object) -> str:
    """A default as people write it."""
    if default is None or default in ((), {}):
        return "none"
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, tuple):
        return ", ".join(default)
    return f"{default:,}" if isinstance(default, int) and default > 9999 else str(default)


def test_the_flags_of_settings_exist():
    # A flag that has an opposite is documented by the one that changes something.
    assert {name.replace("--no-pages", "--pages") for name in re.findall(r"`(--[a-z-]+)`", SETTINGS)} <= options()


def test_every_table_of_an_archive_is_documented():
    page = (ROOT / "docs" / "internals" / "archive-format.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == set(metadata.tables)


def test_every_kind_of_error_is_documented():
    page = (ROOT / "docs" / "library.md").read_text("utf-8")
    kinds = {kind.__name__ for kind in EverlogError.__subclasses__()}
    assert set(re.findall(r"^[├└]── (\w+)", page, re.MULTILINE)) == kinds


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    listed = [page for page in pages if page != "README.md" and "/decisions/0" not in page]
    assert [page for page in listed if f"]({page})" not in index] == []


def test_every_decision_is_listed():
    folder = ROOT / "docs" / "internals" / "decisions"
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text("utf-8").replace("\n", ""))
    assert listed == sorted(path.name for path in folder.glob("0*.md"))


def test_the_architecture_page_names_every_package():
    page = (ROOT / "docs" / "internals" / "architecture.md").read_text("utf-8")
    source = ROOT / "src" / "everlog"
    packages = {f"{path.parent.name}/" for path in source.glob("*/__init__.py")}
    modules = {path.name for path in source.glob("*.py")} - {"__main__.py"}
    tree = page.partition("```")[2].partition("```")[0]
    assert [name for name in packages if not re.search(rf"^  {name}", tree, re.MULTILINE)] == []
    assert [name for name in modules if name not in page] == []


def test_the_places_that_contributing_names_exist():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = page.partition("## Where a change goes")[2].partition("\n## ")[0]
    places = re.findall(r"`([\w./-]+/|[\w./-]+\.(?:py|md))`", table)
    folders = (ROOT, ROOT / "src" / "everlog")
    assert len(places) > 20
    assert [place for place in places if not any((folder / place).exists() for folder in folders)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_a_part_of_a_page_find_its_heading(page):
    links = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text("utf-8"))
    assert [(path, part) for path, part in links if part not in parts_of(page.parent / path if path else page)] == []


def parts_of(page: Path) -> set[str]:
    """The names by which the headings of a page can be linked to."""
    without_code = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^#+ (.+)$", without_code, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_glossary_has_the_words_of_the_field():
    page = (ROOT / "docs" / "internals" / "glossary.md").read_text("utf-8").partition("## Words of older pages")[0]
    defined = {word.strip() for row in re.findall(r"^\| (.+?) \|", page, re.MULTILINE) for word in row.split(",")}
    expected = {
        "backoff", "classifier", "dynamic", "fetch", "frontier", "heartbeat", "lease", "queue", "render", "repository",
        "retry", "revision", "slot", "snapshot", "task", "throttle", "token", "tokenizer",
    }
    assert expected - defined == set()
