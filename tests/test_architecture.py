"""Who may import whom, and who may touch the world. A new room is one line in ROOMS."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).parent.parent / "src" / "everlog"

# Floors of the house, from the ground up: a room may import rooms of its own floor and below.
GROUND, MATTER, READING, LEARNING, DOOR, FLOW, EDGE = range(7)
PURE = (GROUND, MATTER, READING, LEARNING)

ROOMS = {
    "records": GROUND,
    "errors": GROUND,
    "moments": GROUND,
    "plain": GROUND,
    "web": GROUND,
    "addresses": MATTER,
    "aliases": MATTER,
    "attributes": MATTER,
    "dates": MATTER,
    "feeds": MATTER,
    "keypaths": MATTER,
    "layout": MATTER,
    "noise": MATTER,
    "outline": MATTER,
    "politeness": MATTER,
    "rules": MATTER,
    "selectors": MATTER,
    "settings": MATTER,
    "signatures": MATTER,
    "similarity": MATTER,
    "terminal": MATTER,
    "tree": MATTER,
    "urls": MATTER,
    "watching": MATTER,
    "words": MATTER,
    "changes": READING,
    "comments": READING,
    "lines": READING,
    "reading": READING,
    "repeats": READING,
    "scripted": READING,
    "search": READING,
    "template": READING,
    "feedless": LEARNING,
    "learning": LEARNING,
    "frontier": LEARNING,
    "links": LEARNING,
    "media": LEARNING,
    "posts": LEARNING,
    "archive": DOOR,
    "installing": DOOR,
    "crawl": DOOR,
    "export": DOOR,
    "render": DOOR,
    "warc": DOOR,
    "flow": FLOW,
    "library": FLOW,
    "fleet": EDGE,
    "demo": EDGE,
    "evaluate": EDGE,
    "cli": EDGE,
    "__main__": EDGE,
}

# The public names are handed on, nothing else happens there.
FRONT_DOOR = "__init__"

WORLDLY_MODULES = {
    "asyncio", "ctypes", "ftplib", "glob", "http", "httpx", "multiprocessing", "os", "pathlib", "playwright",
    "psycopg", "random", "redis", "requests", "scrapy", "shutil", "socket", "sqlalchemy", "sqlite3", "ssl",
    "subprocess", "tempfile", "threading", "time", "twisted", "urllib.request", "warcio",
}
WORLDLY_CALLS = {"open", "input", "print", "exec", "eval"}
WORLDLY_METHODS = {
    "now", "utcnow", "today", "environ", "getenv", "read_text", "read_bytes", "write_text", "write_bytes",
}


def modules(*floors: int) -> list[Path]:
    return [file for file in sorted(SOURCE.rglob("*.py")) if ROOMS.get(room_of(file)) in floors]


def room_of(file: Path) -> str:
    """The package or module directly below everlog."""
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def name_of(file: Path) -> str:
    return str(file.relative_to(SOURCE))


def imports(tree: ast.AST) -> Iterator[str]:
    """Full names of everything that is imported, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def worldly(tree: ast.AST) -> Iterator[str]:
    for name in imports(tree):
        if any(name == module or name.startswith(module + ".") for module in WORLDLY_MODULES):
            yield f"imports {name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WORLDLY_CALLS:
            yield f"line {node.lineno} calls {node.func.id}()"
        if isinstance(node, ast.Attribute) and node.attr in WORLDLY_METHODS:
            yield f"line {node.lineno} uses .{node.attr}"


def test_every_module_belongs_to_a_room():
    rooms = {room_of(file) for file in SOURCE.rglob("*.py")} - {FRONT_DOOR}
    assert rooms <= set(ROOMS), "add the new room to ROOMS"


@pytest.mark.parametrize("file", modules(*PURE, DOOR, FLOW, EDGE), ids=name_of)
def test_no_room_imports_one_above_it(file):
    own = ROOMS[room_of(file)]
    for name in imports(ast.parse(file.read_text("utf-8"))):
        package, *rest = name.split(".")
        if package != "everlog":
            continue
        floor = ROOMS.get(rest[0], EDGE) if rest else EDGE  # the front door opens onto all rooms
        assert floor <= own, f"{name_of(file)} imports {name} from a floor above"


@pytest.mark.parametrize("file", modules(*PURE), ids=name_of)
def test_pure_rooms_do_not_touch_the_world(file):
    assert list(worldly(ast.parse(file.read_text("utf-8")))) == []


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
