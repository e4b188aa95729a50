"""A page as one HTML document: its final DOM, with its frames and shadow roots inside."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from everlog.render.devtools_session import Refused

if TYPE_CHECKING:
    from everlog.render.frames import Frame, Frames


async def written(frames: Frames, *, max_bytes: int, settled: bool) -> tuple[bytes, bool]:
    """The HTML of a page in UTF-8, and whether something had to be cut off.

    Each frame's document stands in a `template` after the frame's element. It is written by the frame
    itself, so it is whole and closes all it opens; what it is put for is a mark no page can know.
    """
    marks = await _placed(frames)
    state = "settled" if settled else "unsettled"
    text, is_cut = await frames.run(frames.main, "everlogKeep.write", max_bytes, state, name="keep")
    page = _utf8(text)
    for frame, mark in marks.items():
        if mark not in page:
            continue
        inner = b""
        room = max_bytes - len(page)
        if room > 0:
            try:
                text, is_part = await frames.run(frame, "everlogKeep.write", room, None, name="keep")
                inner, is_cut = _utf8(text), is_cut or is_part
            except Refused:
                pass
        page = page.replace(mark, inner)
    return page, is_cut


async def _placed(frames: Frames) -> dict[Frame, bytes]:
    """Leave a mark in each document for the frames in it; outer frames come first."""
    known = {frame.id: frame for frame in frames.all()}
    inside = [(frame, known[frame.parent]) for frame in known.values() if frame.parent in known]
    marks = {frame: f"everlog-{secrets.token_hex(16)}" for frame, _ in inside}
    if not inside:
        return {}
    await asyncio.gather(*(_place(frames, frame, parent, marks[frame]) for frame, parent in inside))
    return {frame: mark.encode() for frame, mark in marks.items()}


async def _place(frames: Frames, frame: Frame, parent: Frame, mark: str) -> None:
    with suppress(Refused):
        await frames.mark(frame, parent, mark)


def _utf8(text: str) -> bytes:
    # Half a pair of surrogates is no character; pages with cut-off emoji have them.
    return text.encode("utf-8", "replace")
