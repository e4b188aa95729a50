"""Logs of workers and schedulers on stderr: lines for people, or JSON for programs."""

from __future__ import annotations

import logging
from typing import Literal

from everlog.errors import UsageError

LogFormat = Literal["text", "json"]
# Lines about single pages are only for who asks for more.
LOGGERS = ("everlog.fleet", "everlog", "celery", "kombu", "multiprocessing", "py.warnings")


def log_to_stderr(log_format: str, *, level: int = logging.INFO, worker: str | None = None) -> None:
    """Write each line with its time; as JSON, with all that is known of it (job, blog, fence, counts)."""
    # A warning of a library is a line like others.
    logging.captureWarnings(capture=True)
    handler = logging.StreamHandler()
    handler.setFormatter(_formatter(log_format, worker))
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(level if name == "everlog.fleet" else max(level, logging.WARNING))
    if level <= logging.DEBUG:
        logging.getLogger("everlog").setLevel(logging.INFO)


def _formatter(log_format: str, worker: str | None) -> logging.Formatter:
    if log_format == "text":
        return logging.Formatter("%(asctime)s.%(msecs)03d %(levelname).1s %(message)s", "%Y-%m-%d %H:%M:%S")
    if log_format != "json":
        raise UsageError(f"{log_format!r} is not a log format", advice="write --log-format text or json")
    from pythonjsonlogger.json import JsonFormatter  # noqa: PLC0415 - only where it is asked for

    return JsonFormatter(
        "{asctime}{levelname}{name}{message}", style="{", datefmt="%Y-%m-%dT%H:%M:%S%z",
        rename_fields={"asctime": "at", "levelname": "level", "name": "logger"},
        static_fields={"worker": worker} if worker else {}, json_ensure_ascii=False,
    )
