"""A picture of a whole page."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING

from everlog.render.devtools_session import DevToolsSession, Refused
from everlog.render.frames import Stuck

if TYPE_CHECKING:
    from everlog.render.settling import Scene

# Chromium draws into textures of at most 16,384 pixels; what is below is not drawn right.
MAX_HEIGHT = 16_000
MAX_WIDTH = 2_000
PICTURE_SECONDS = 30.0


async def pictured(session: DevToolsSession, scene: Scene) -> bytes | None:
    """A PNG of the page from its top down to `MAX_HEIGHT`; None: it could not be drawn."""
    try:
        async with asyncio.timeout(PICTURE_SECONDS):
            return await _pictured(session, scene)
    except (Refused, Stuck, TimeoutError):
        return None


async def _pictured(session: DevToolsSession, scene: Scene) -> bytes:
    await scene.frames.run(scene.frames.main, "everlog.load")
    await scene.settle()
    metrics = await session.send("Page.getLayoutMetrics")
    size = metrics["cssContentSize"]
    clip = {
        "x": 0, "y": 0, "scale": 1,
        "width": max(min(size["width"], MAX_WIDTH), 1), "height": max(min(size["height"], MAX_HEIGHT), 1),
    }
    drawn = await session.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
    return base64.b64decode(drawn["data"])
