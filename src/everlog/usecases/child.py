"""The child process of `everlog.crawl` and `everlog.update`: a job from stdin, a line of JSON a post to stdout."""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from everlog.archive import open_archive
from everlog.errors import EverlogError
from everlog.settings import make_settings
from everlog.usecases.discover.held_blog import home_known_as
from everlog.usecases.discover.typed_address import fetchable
from everlog.usecases.runner import Job, run_jobs

if TYPE_CHECKING:
    from everlog.archive.write.record_batch import Acknowledged


def main() -> None:
    """Do the job; the parent reads what is safe, line by line."""
    errand = json.load(sys.stdin)
    job = errand["job"]
    since = datetime.fromisoformat(job["since"]) if job.get("since") else None

    def tell(what: dict[str, Any]) -> None:
        try:
            sys.stdout.write(json.dumps(what) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:  # the parent lost interest: what is stored is safe
            os._exit(0)

    def on_safe(safe: Acknowledged) -> None:
        if safe.kept in {"new", "changed"}:
            tell({"post": safe.post_id})

    try:
        with open_archive(errand["archive"], create=True, **errand["place"]) as archive:
            is_known = home_known_as(fetchable(job["url"]), archive) is not None
            kind: Literal["crawl", "update"] = "update" if job["kind"] == "update" and is_known else "crawl"
            chosen = Job(url=job["url"], kind=kind, since=since, typed=kind == "crawl")
            [report] = run_jobs([chosen], archive, make_settings(errand["settings"]), on_safe=on_safe)
    except EverlogError as error:
        report = error
    if isinstance(report, EverlogError):
        tell({"error": report.message, "advice": report.advice, "exit_code": report.exit_code})
    else:
        tell({"ending": report.ending, "reason": report.reason, "blog": report.blog})


if __name__ == "__main__":
    main()
