"""Flags that several commands share, declared once: `archive: flags.Archive = None`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Archive = Annotated[
    str | None,
    typer.Option(
        "--archive", metavar="WHERE",
        help="The archive: a folder (default: everlog-archive here), or postgresql://USER@HOST/NAME.",
    ),
]
Files = Annotated[
    str | None,
    typer.Option(
        "--files", metavar="WHERE",
        help="Where a postgresql:// archive has its files: a folder, or s3://BUCKET/PATH. Stored in the archive.",
    ),
]
Spool = Annotated[
    str | None,
    typer.Option(
        "--spool", metavar="FOLDER", help="A folder on this machine for WARC files until they are uploaded.",
    ),
]
Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="Settings file (default: ./everlog.toml, if any)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print no progress and no notes.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Print more; with a bug, the traceback.")]
Render = Annotated[
    str | None,
    typer.Option(
        "--render", metavar="auto|always|never",
        help="Render pages in a browser: where needed (the default), all, or none.",
    ),
]
Feed = Annotated[
    str | None, typer.Option("--feed", metavar="URL", help="The blog's feed, if you know it."),
]
NoFeed = Annotated[
    bool, typer.Option("--no-feed", help="Crawl without a feed: posts are recognised by their pages."),
]
Also = Annotated[
    list[str] | None,
    typer.Option(
        "--also", metavar="URL",
        help="Another address of the same blog: a host, or a folder on its host (repeatable).",
    ),
]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow", metavar="HOST[:PORT]",
        help="Allow a host at a private address, or at this port (repeatable).",
    ),
]
NoComments = Annotated[bool, typer.Option("--no-comments", help="Do not collect comments.")]
Blogs = Annotated[
    list[str] | None, typer.Argument(metavar="BLOG", help="Blogs in the archive (default: all)."),
]
Scope = Annotated[
    str | None,
    typer.Option("--scope", metavar="path|host|subdomains", help="What belongs to the blog (default: path)."),
]
Header = Annotated[
    list[str] | None,
    typer.Option("--header", metavar="'NAME: VALUE'", help="An HTTP header to send to the blog's own host."),
]
Cookies = Annotated[
    str | None,
    typer.Option("--cookies", metavar="FILE", help="Cookies for the blog's own host (Netscape format)."),
]
MaxPages = Annotated[int | None, typer.Option("--max-pages", metavar="N", help="Stop after N pages.")]
MaxTime = Annotated[float | None, typer.Option("--max-time", metavar="S", help="Stop after S seconds.")]
Delay = Annotated[
    float | None, typer.Option("--delay", metavar="S", help="Seconds between requests to one host (default: 1)."),
]
NoMedia = Annotated[bool, typer.Option("--no-media", help="Do not fetch images, audio, video or files.")]
Broker = Annotated[
    str | None, typer.Option("--broker", metavar="URL", help="The fleet's queue: redis://HOST:6379/0."),
]
Metrics = Annotated[
    int | None, typer.Option("--metrics-port", metavar="PORT", min=0, max=65535, help="Serve Prometheus metrics here."),
]
LogFormat = Annotated[
    str, typer.Option("--log-format", metavar="text|json", help="Log as text (the default) or as JSON."),
]
