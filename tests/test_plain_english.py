"""What everlog says to people is plain English, in the words of the field.

The texts are taken out of the source by their place (arguments of errors, reasons, remarks, phases, help), so a new one
is held to the same rule without being listed here.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).parent.parent / "src" / "everlog"
# Riddles that were seen on screens, and what a stranger understands instead.
BANNED = {
    r"no address is known": "DNS lookup failed for",
    r"be left alone": "the server asked us to wait",
    r"\bstay out\b": "not crawling: robots.txt returned 502",
    r"nobody (?:answers|knows)": "does not respond, DNS lookup failed",
    r"cannot prove who": "TLS error",
    r"\bbroke off\b|\bbroken off\b": "was cut off, was interrupted",
    r"not to be had|cannot be had|it could not be had": "could not be fetched",
    r"\basked? for\b": "fetched, requested",
    r"give the same command": "run the same command again",
    r"same command goes on": "run the same command to continue",
    r"\bgo(?:es)? on\b": "continue",
    r"bring (?:it|that one|the file|them) back": "restore from a backup",
    r"whom .* belongs": "check the owner and permissions",
    r"not let in": "access denied",
    r"does not answer\b": "is not reachable",
    r"what was acknowledged": "everything stored so far is safe",
    r"\bstands? in\b": "is in",
    r"can be told|could be told|told (?:among|by their pages)": "are recognised",
    r"not (?:be )?drawn|\bdraws?\b|\bdrew\b": "render",
    r"\bof before\b": "old",
    r"no word (?:could|can)|last word": "heartbeat",
    r"\bsilent\b|\bsilence\b": "no heartbeat, failed requests",
    r"\bis (?:not|no longer) there\b|\bare not there\b": "missing, does not exist",
    r"no room left|some room": "disk full, free some space",
    r"looks over": "checks over",
    r"\bmay not be\b": "access denied, is not allowed",
    r"answers \d|answers \{": "returned HTTP",
}
# Calls whose texts are read by people.
SPOKEN = re.compile(
    r"(Error|Feed|Page|Template|Learn|Archive|Unreachable|Blocked|Busy|Full|Browser|Down|Lost|Uploaded|Hitch|Odd\w+|"
    r"Failure|Skip|Cause|Finding|Verdict|Estimate|Happening|SliceEnd|Failed|Broken|NotRendered|Allowed)$"
    r"|(^|\.)(say|hold|happened|print|append|fail|info|warning|error|debug|exception|Option|Argument|Typer)$",
)
# Keywords and names that texts for people are given under, wherever they stand.
NAMES = frozenset(
    {"reason", "advice", "help", "why", "doing", "message", "text", "signal", "note", "what", "said", "told", "shown"},
)
# Read by programs or by developers alone: SQL, and errors of mistakes in the code.
OTHERS = frozenset({"ValueError", "TypeError", "AssertionError", "AttributeError", "exec_driver_sql"})


def test_what_is_said_to_people_has_no_riddles() -> None:
    found = [
        f"{where}: {text!r} - say: {instead}"
        for where, text in _spoken()
        for pattern, instead in BANNED.items() if re.search(pattern, text)
    ]
    assert not found, "\n".join(found)


def test_the_scan_sees_errors_reasons_phases_and_help() -> None:
    texts = [text for _, text in _spoken()]
    for known in (
        "DNS lookup failed for {host}", "fetching pages", "run the same command to continue",
        "backing off after failed requests", "Show what would be done; store nothing.",
    ):
        assert any(known in text for text in texts), known
    assert len(texts) > 600


@cache
def _spoken() -> tuple[tuple[str, str], ...]:
    """Every text that people read, with where it stands."""
    return tuple(_found())


def _found() -> Iterator[tuple[str, str]]:
    for file in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                text = _text(node)
                if " " in text and _is_spoken(node, parents):
                    yield f"{file.relative_to(SOURCE)}:{node.lineno}", text


def _text(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)


def _is_spoken(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a text is given to what people read: climbs to the call, the keyword or the name it is given to."""
    while (parent := parents.get(node)) is not None:
        if isinstance(parent, ast.FormattedValue | ast.Subscript | ast.Compare):
            return False
        if isinstance(parent, ast.keyword) and parent.arg in NAMES:
            return True
        if isinstance(parent, ast.Call):
            called = ast.unparse(parent.func)
            return called.rpartition(".")[2] not in OTHERS and SPOKEN.search(called) is not None
        if isinstance(parent, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            return any(_name(target) in NAMES or _name(target).isupper() for target in targets)
        if isinstance(parent, ast.stmt):
            return isinstance(parent, ast.Return) and isinstance(node, ast.JoinedStr)
        node = parent
    return False


def _name(target: ast.expr) -> str:
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""
