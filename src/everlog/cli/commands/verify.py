"""`everlog verify`: every record, file and digest of an archive checked."""

from __future__ import annotations

import shutil
import sys
from itertools import chain
from tempfile import TemporaryFile

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of
from everlog.cli.terminal.text import json_text, open_with

VERIFY_FAILED = 8


@takes("archive files spool config json quiet verbose")
def verify(*, given: Flags) -> None:
    """Check the archive: every record, WARC pointer, digest and media file. Exits 8 if something is wrong.

    Every file that a held page needs to be shown is held, or there is a reason why it is not.

    \b
    Example:
      everlog verify
    """
    open_with("verifying: opening the archive", quiet=given.quiet)
    from everlog.archive.verify import count_to_verify
    from everlog.archive.verify import verify as findings_of
    from everlog.cli.terminal.progress import progress
    from everlog.usecases.page.stored_requisites import check_requisites

    found = 0
    remarks: list[str] = []
    settings = given.settings()
    with (
        archive_of(settings, reading=True, quiet=given.quiet) as opened,
        TemporaryFile("w+", encoding="utf-8") as document,
    ):
        total = count_to_verify(opened)
        with progress(total + opened.captures.count_shown(), "records checked", quiet=given.quiet) as step:
            for finding in chain(findings_of(opened, progress=step), check_requisites(opened, remarks, step)):
                found += 1
                if given.json:
                    # A ruined archive may have millions, and a check that breaks off prints no half document.
                    print(("," if found > 1 else "") + json_text(finding.to_dict()), file=document)
                else:
                    print(finding)
        if given.json:
            document.seek(0)
            print(f'{{"checked": {total}, "found": {found}, "findings": [')
            shutil.copyfileobj(document, sys.stdout)
            print(f'], "remarks": {json_text(remarks)}}}')
    if not given.quiet:
        for remark in remarks:
            print(remark, file=sys.stderr)
        print(f"{total} records checked, {found} findings", file=sys.stderr)
    if found:
        told = "restore damaged files from a backup; a crawl continues without them:  everlog crawl BLOG"
        print(f"  {told}", file=sys.stderr)
        raise typer.Exit(VERIFY_FAILED)
