"""Floors under the accuracy: a change that makes everlog read worse does not go in unseen.

    {"corpus": {"fingerprint": "…", "blogs": 82, "posts": 3400},
     "normal":    {"strict": 97.0, "title": 98.0},
     "cut_feeds": {"strict": 95.0},
     "no_feed":   {"strict": 95.0},
     "each_blog": {"strict": 75.0}, "calibration": 0.05}

Floors are per cent as the table prints them. All runs are means over blogs; `each_blog` holds for every single blog of
the normal run, and `calibration` is the most that confidence and truth may be apart in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from everlog.errors import UsageError
from everlog.evaluate.calibration import calibration_error
from everlog.evaluate.run import Result, total_scores
from everlog.evaluate.scoring import FIELDS

RUNS = ("normal", "cut_feeds", "no_feed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """The least per cent for each field, and the corpus they were measured on."""

    fingerprint: str | None
    runs: Mapping[str, Mapping[str, float]]
    each_blog: Mapping[str, float] = field(default_factory=dict)
    calibration: float | None = None

    def of(self, run: str) -> Mapping[str, float]:
        """The floors of one run: `normal`, `cut_feeds` or `no_feed`."""
        return self.runs.get(run, {})


def read_floors(file: Path) -> Floors:
    """The floors of a JSON file."""
    try:
        content = json.loads(file.read_text("utf-8"))
        floors = Floors(
            fingerprint=content.get("corpus", {}).get("fingerprint"),
            runs={run: _numbers(content.get(run, {})) for run in RUNS},
            each_blog=_numbers(content.get("each_blog", {})),
            calibration=float(most) if (most := content.get("calibration")) is not None else None,
        )
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{file} cannot be used: {type(error).__name__}: {error}",
            advice='it must hold JSON: {"normal": {"strict": 97.0}, "cut_feeds": {"strict": 95.0}}',
        ) from error
    unknown = {name for run in (*floors.runs.values(), floors.each_blog) for name in run} - set(FIELDS)
    if unknown:
        raise UsageError(
            f"{file}: no such field: {', '.join(sorted(unknown))}",
            advice=f"the fields are {', '.join(FIELDS)}",
        )
    return floors


def fingerprint(results: Sequence[Result]) -> str:
    """Which blogs with how many known posts: two runs with the same one can be compared."""
    rows = sorted(f"{result.blog.id}\t{result.truth_rows}\n" for result in results)
    return hashlib.sha256("".join(rows).encode()).hexdigest()[:16]


def fallen(results: Sequence[Result], floors: Floors, run: str) -> list[str]:
    """One line for all that is not held in one run."""
    lines = below(results, floors.of(run))
    if run != "normal":
        return lines
    for name, floor in floors.each_blog.items():
        for result in results:
            got = result.scores[name]
            if result.posts and got is not None and 100 * got < floor - 1e-9:
                lines.append(f"{result.blog.id}: {name} {100 * got:.2f} is below its floor of {floor:.2f}")
    error = calibration_error([one for result in results for one in result.sure])
    if floors.calibration is not None and error is not None and error > floors.calibration:
        lines.append(f"confidence and truth are {error:.3f} apart, more than {floors.calibration:.3f}")
    return lines


def _numbers(content: Mapping[str, float]) -> dict[str, float]:
    return {str(name): float(value) for name, value in content.items()}


def below(results: Sequence[Result], floors: Mapping[str, float]) -> list[str]:
    """One line for each field that is below its floor; a field without any truth is below."""
    total = total_scores([result for result in results if result.posts])
    lines = []
    for name, floor in floors.items():
        got = total[name]
        if got is None:
            lines.append(f"{name} has a floor of {floor:.2f} but no truth in these folders")
        elif 100 * got < floor - 1e-9:
            lines.append(f"{name} {100 * got:.2f} is below its floor of {floor:.2f}")
    return lines
