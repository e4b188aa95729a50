"""Results as text: a row for the mean over blogs, and a row per blog or group where asked for."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from everlog.evaluate.calibration import calibration_bins, calibration_error
from everlog.evaluate.grouping import Grouping, group
from everlog.evaluate.run import Result, total_scores
from everlog.evaluate.scoring import FIELDS

NAME_WIDTH = 32
_HEADS = {"com_author": "com_au", "com_date": "com_da"}


def render(results: Sequence[Result], *, per_blog: bool = False, by: Grouping | None = None) -> str:
    """The table in per cent; the mean over blogs stands last. Worst blogs come first."""
    scored = [result for result in results if result.posts]
    total = total_scores(scored)
    fields = [name for name in FIELDS if not name.startswith(("com_", "seen_")) or total[name] is not None]
    lines = [_cell("") + f"{'posts':>7}" + "".join(f"{_HEADS.get(name, name):>8}" for name in fields)]
    if per_blog:
        worst_first = sorted(scored, key=lambda result: (result.scores["strict"] or 0.0, result.blog.id))
        lines += [_row(result.blog.id, result.posts, result.scores, fields) for result in worst_first]
    for name, members in group(scored, by).items() if by else ():
        title = f"{by} {name} ({len(members)})"
        lines.append(_row(title, _posts(members), total_scores(members), fields))
    lines.append(_row(f"mean over {len(scored)} blogs", _posts(scored), total, fields))
    return "\n".join(lines)


def render_calibration(results: Sequence[Result], *, bins: bool = False) -> str:
    """How far the confidence of the articles can be believed; with `bins` also where it errs."""
    sure = [one for result in results for one in result.sure]
    error = calibration_error(sure)
    if error is None:
        return "calibration error of the article's confidence: -"
    lines = [f"calibration error of the article's confidence: {error:.3f} ({len(sure)} articles)"]
    if bins:
        lines += [f"  {one.posts:6} articles marked {one.confidence:.3f}: {one.right:.3f} right"
                  for one in calibration_bins(sure)]
    return "\n".join(lines)


def as_dict(results: Sequence[Result], *, by: Grouping | None = None) -> dict[str, Any]:
    """The same for programs: shares in [0, 1], null where there is no truth."""
    scored = sorted((result for result in results if result.posts), key=lambda result: result.blog.id)
    out: dict[str, Any] = {
        "total": {"blogs": len(scored), "posts": _posts(scored), **total_scores(scored)},
        "calibration_error": calibration_error([one for result in scored for one in result.sure]),
        "blogs": {result.blog.id: _blog_dict(result) for result in scored},
    }
    if by:
        out["groups"] = {
            name: {"blogs": len(members), "posts": _posts(members), **total_scores(members)}
            for name, members in group(scored, by).items()
        }
    return out


def _blog_dict(result: Result) -> dict[str, Any]:
    out: dict[str, Any] = {
        "posts": result.posts,
        **result.scores,
        "learn_seconds": round(result.learn_seconds, 3),
        "read_seconds": round(result.read_seconds, 3),
    }
    if result.problem:
        out["problem"] = result.problem
    return out


def _posts(results: Sequence[Result]) -> int:
    return sum(result.posts for result in results)


def _row(name: str, posts: int, scores: Mapping[str, float | None], fields: Sequence[str]) -> str:
    return _cell(name) + f"{posts:>7}" + "".join(f"{_percent(scores[field]):>8}" for field in fields)


def _cell(name: str) -> str:
    """Names are padded by the columns they take on a terminal: wide characters take two."""
    width, shown = 0, ""
    for character in name:
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if width > NAME_WIDTH:
            break
        shown += character
    return shown + " " * (NAME_WIDTH - min(width, NAME_WIDTH))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"
