"""Whether the everlog of a container does its work: exits with 0 if so, else with 1 and the reason.

It asks the metrics page of the program that runs as process 1. A program without one, such as `everlog crawl`, is
healthy as long as it runs. So is one whose database or queue is away: it waits for them, and starting it again would
only lose what it has under way. What is unhealthy is a program that does not answer, and a worker that has sent
no heartbeat for a while although database and queue are there.
"""

from __future__ import annotations

import itertools
import sys
import urllib.request
from pathlib import Path

FLAG = "--metrics-port"
# A worker gives the database a word every 3 seconds.
SILENT_SECONDS = 60.0
# The page asks the database and the queue, and each may take seconds to turn out to be away. Less than the image's
# HEALTHCHECK allows, so that the reason is told rather than the time being up.
PATIENCE_SECONDS = 25.0


def main(arguments: list[str]) -> int:
    """Ask the program whose command line is in a file, as Linux keeps it: words that end in NUL."""
    command = Path(arguments[0] if arguments else "/proc/1/cmdline").read_bytes()
    port = metrics_port(command.decode("utf-8", "replace").split("\0"))
    trouble = None if port is None else ask(port)
    if trouble is not None:
        sys.stdout.write(f"{trouble}\n")
    return 1 if trouble is not None else 0


def metrics_port(words: list[str]) -> int | None:
    """The port that a command line names for its metrics, the last if it names several.

    >>> metrics_port(["tini", "--", "everlog", "worker", "--metrics-port", "9464"])
    9464
    >>> metrics_port(["everlog", "watch", "--metrics-port=9465"])
    9465
    >>> metrics_port(["everlog", "crawl", "https://a.blog.example/"])
    """
    named = [value for word, value in itertools.pairwise(words) if word == FLAG]
    named += [word.removeprefix(f"{FLAG}=") for word in words if word.startswith(f"{FLAG}=")]
    return int(named[-1]) if named and named[-1].isdecimal() else None


def ask(port: int) -> str | None:
    """What is wrong with the program behind a metrics page, if anything is."""
    # Never by a proxy that the environment names: the page is this container's own.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_SECONDS) as answer:
            page = answer.read().decode("utf-8", "replace")
    except OSError as error:
        return f"no metrics at port {port}: {error}"
    return judge(page)


def judge(page: str) -> str | None:
    """What a metrics page tells of its program, if it is nothing good.

    >>> judge('everlog_up 1.0\\neverlog_worker_silent_seconds{worker="a-7"} 2.1\\n')
    >>> judge('everlog_up 1.0\\neverlog_worker_silent_seconds{worker="a-7"} 99.0\\n')
    'the worker has sent no heartbeat for 99 seconds'
    >>> judge("everlog_up 0.0")
    """
    samples = [line.rpartition(" ") for line in page.splitlines() if line.startswith("everlog_")]
    if not samples:
        return "the metrics are not everlog's"
    # A scheduler tells of the whole fleet: that another worker timed out is no fault of its own.
    if any(name.startswith("everlog_jobs{") for name, _, _ in samples):
        return None
    silent = [float(value) for name, _, value in samples if name.startswith("everlog_worker_silent_seconds")]
    if silent and max(silent) > SILENT_SECONDS:
        return f"the worker has sent no heartbeat for {max(silent):.0f} seconds"
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
