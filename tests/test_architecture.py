"""Who may import whom, and who may touch the world. A new package is one line in PACKAGES."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).parent.parent / "src" / "everlog"

# The packages and modules directly below everlog, from the ground up: each may import those above it in this list, and
# none below. An order leaves no room for cycles, on one floor either.
PURE = (
    "records", "errors", "core", "markup", "languages", "dates", "feeds", "search", "versions", "schedule", "comments",
    "frontier", "extract", "history", "replay",
)
DOORS = ("settings", "extras", "export", "fetch", "render", "importing", "archive")
USE_CASES = ("usecases", "library")
EDGES = ("demo", "fleet", "evaluate", "web", "cli", "__main__")
PACKAGES = (*PURE, *DOORS, *USE_CASES, *EDGES)
# The public names are handed on, nothing else happens there; who measures reads with them as others do.
FRONT_DOOR = "__init__"
# A folder with more modules than this wants folders inside it.
MOST_MODULES = 21

WORLDLY_MODULES = {
    "asyncio", "ctypes", "ftplib", "glob", "http", "httpx", "multiprocessing", "os", "pathlib", "playwright",
    "psycopg", "random", "redis", "requests", "scrapy", "shutil", "socket", "sqlalchemy", "sqlite3", "ssl",
    "subprocess", "tempfile", "threading", "time", "twisted", "urllib.request", "warcio",
}
WORLDLY_CALLS = {"open", "input", "print", "exec", "eval"}
WORLDLY_METHODS = {
    "now", "utcnow", "today", "environ", "getenv", "read_text", "read_bytes", "write_text", "write_bytes",
}


def test_imports_go_down_only():
    upward = [
        f"{name_of(file)} imports {name}"
        for file in modules()
        if package_of(file) != FRONT_DOOR
        for name in imports(parsed(file), types=True)
        if name.split(".")[0] == "everlog" and floor(name) > PACKAGES.index(package_of(file))
    ]
    assert upward == []


def test_no_module_needs_itself_to_be_imported():
    files = {dotted(file): file for file in modules()}
    needs = {
        name: {module_of(wanted, files) for wanted in imports(parsed(file, types=False), types=False)} - {name, None}
        for name, file in files.items()
    }
    # A package's own front page gathers its modules, and they stand below it.
    needs = {name: {n for n in needed if not name.startswith(f"{n}.")} for name, needed in needs.items()}
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other: {' -> '.join(error.args[1])}")


def test_pure_packages_do_not_touch_the_world():
    found = [f"{name_of(file)}: {what}" for file in modules(*PURE) for what in worldly(parsed(file, types=False))]
    assert found == []


def test_folders_are_small_and_modules_have_names_of_their_own():
    everything = [file for file in modules() if file.stem not in {"__init__", "__main__"}]
    folders = Counter(str(file.parent.relative_to(SOURCE)) for file in everything)
    assert {name: count for name, count in folders.items() if count > MOST_MODULES} == {}
    # A command is called like what it does, an export like its format, a repository like its attribute of the archive.
    apart = {"export", *EDGES}
    names = Counter(file.stem for file in everything if package_of(file) not in apart and file.parent.name != "repos")
    assert [name for name, count in names.items() if count > 1] == []


def test_every_package_says_what_is_inside():
    silent = [
        name_of(file) for file in modules()
        if file.name == "__init__.py" and not (ast.get_docstring(parsed(file)) or "").strip()
    ]
    assert silent == []


@pytest.mark.parametrize(
    "source",
    [
        "import sqlite3", "from urllib.request import urlopen", "from pathlib import Path", "import os.path",
        "open('x')", "datetime.now()", "os.environ['X']", "def f():\n    import socket",
    ],
)
def test_the_check_itself_sees_what_it_should(source):
    assert list(worldly(ast.parse(source)))


@pytest.mark.parametrize(
    "source", ["from urllib.parse import urljoin", "import re", "datetime.fromisoformat('x')"],
)
def test_the_check_itself_lets_the_rest_pass(source):
    assert not list(worldly(ast.parse(source)))


def modules(*packages: str) -> list[Path]:
    files = sorted(SOURCE.rglob("*.py"))
    unknown = {package_of(file) for file in files} - {*PACKAGES, FRONT_DOOR}
    assert not unknown, f"add to PACKAGES: {unknown}"
    return [file for file in files if not packages or package_of(file) in packages]


def package_of(file: Path) -> str:
    """The package or module directly below everlog."""
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def name_of(file: Path) -> str:
    return str(file.relative_to(SOURCE))


def dotted(file: Path) -> str:
    return ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


def module_of(name: str, files: dict[str, Path]) -> str | None:
    """The module of everlog that an import loads last; None: it is somebody else's."""
    while name and name not in files:
        name = name.rpartition(".")[0]
    return name or None


def floor(name: str) -> int:
    _, _, rest = name.partition(".")
    package = rest.split(".")[0]
    return PACKAGES.index(package) if package in PACKAGES else PACKAGES.index(EDGES[0])


@cache
def parsed(file: Path, *, types: bool = True) -> ast.Module:
    """A module; without `types`, less what only the type checker runs."""
    return without_types(parsed(file)) if not types else ast.parse(file.read_text("utf-8"))


def without_types(tree: ast.Module) -> ast.Module:
    """Such blocks stand at the top of a module, on its first floor."""
    kept = [
        node for node in tree.body
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING")
    ]
    return ast.Module(body=kept, type_ignores=[])


def imports(tree: ast.AST, *, types: bool) -> Iterator[str]:
    """Full names of all that is imported; without `types`, of what importing the module itself loads."""
    yield from (name for node in (ast.walk(tree) if types else at_import(tree)) for name in imported(node))


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from at_import(child)


def imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def worldly(tree: ast.AST) -> Iterator[str]:
    for name in imports(tree, types=True):
        if any(name == module or name.startswith(module + ".") for module in WORLDLY_MODULES):
            yield f"imports {name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WORLDLY_CALLS:
            yield f"line {node.lineno} calls {node.func.id}()"
        if isinstance(node, ast.Attribute) and node.attr in WORLDLY_METHODS:
            yield f"line {node.lineno} uses .{node.attr}"
