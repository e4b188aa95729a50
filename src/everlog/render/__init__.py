"""Pages as a browser shows them: the door for what scripts fill in."""

from __future__ import annotations

from everlog.errors import NoBrowser
from everlog.render.browser import Browser
from everlog.render.render_options import Fetch, RenderFailed, RenderOptions

__all__ = ["Browser", "Fetch", "NoBrowser", "RenderFailed", "RenderOptions"]
