"""The fixtures drawn by a real Chromium: what the browser door writes down is what the readers of services expect.

Each fixture is taken apart into a page as it comes from the web and what a script, a frame or a shadow root
would put into it.
"""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime
from html import unescape
from typing import TYPE_CHECKING, NamedTuple

import pytest
from a_rendered_page import URL, days, fixture, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse
from everlog.records import BrowserRequest, Exchange, Failure, Page
from everlog.render import Browser

if TYPE_CHECKING:
    from everlog.records import Rendered

FRAME = re.compile(r'<iframe[^>]*></iframe>\s*<template data-everlog-frame="([^"]*)">(.*?)</template>', re.DOTALL)
SHADOW = re.compile(r'<template shadowrootmode="open">(.*?)</template>', re.DOTALL)
NAMES = ("blogger", "commento", "cusdis", "disqus", "facebook", "hyvor", "livefyre", "livere", "remark42", "youyan")
# What scripts fill where there is neither.
FILLED = {"livefyre": "livefyre-comments", "commento": "commento", "blogger": "comments", "youyan": "uyan_frame"}


class Taken(NamedTuple):
    """A page as it comes, and the documents of its frames by their addresses."""

    page: bytes
    frames: dict[str, bytes]


def taken_apart(name: str) -> Taken:
    text = fixture(name).decode().replace(' data-everlog-rendered="settled"', "")
    frames: dict[str, bytes] = {}

    def framed(match: re.Match[str]) -> str:
        url = unescape(match[1])
        if url == "about:srcdoc":
            return _script(f"const frame = document.createElement('iframe'); frame.srcdoc = {_text(match[2])};"
                           "document.currentScript.parentNode.append(frame);")
        frames[url] = f"<!DOCTYPE html><html>{match[2]}</html>".encode()
        return f'<iframe src="{match[1]}"></iframe>'

    def shadowed(match: re.Match[str]) -> str:
        return _script("const root = document.currentScript.parentNode.attachShadow({mode: 'closed'});"
                       f"root.innerHTML = {_text(match[1])};")

    text = SHADOW.sub(shadowed, FRAME.sub(framed, text))
    if ident := FILLED.get(name):
        start = re.search(rf'<\w+[^>]* id="{ident}"[^>]*>|<\w+ id="{ident}"[^>]*>', text)
        assert start is not None
        end = text.rindex("</div>")
        inner = _script(f"document.currentScript.parentNode.innerHTML = {_text(text[start.end():end])}")
        text = text[: start.end()] + inner + text[end:]
    return Taken(text.encode(), frames)


def _text(markup: str) -> str:
    return json.dumps(markup).replace("</", "<\\/")


def _script(code: str) -> str:
    return f"<script>{code}</script>"


@pytest.fixture(scope="module")
def drawn() -> dict[str, Rendered]:
    return asyncio.run(_draw_all())


async def _draw_all() -> dict[str, Rendered]:
    async with Browser() as browser:
        return {name: await _draw(browser, taken_apart(name)) for name in NAMES}


async def _draw(browser: Browser, taken: Taken) -> Rendered:
    async def fetch(asked: BrowserRequest) -> Exchange | Failure:
        body = taken.frames.get(asked.url)
        return Exchange(
            url=asked.url, status=404 if body is None else 200, headers=(("Content-Type", "text/html; charset=utf-8"),),
            body=body or b"", fetched_at=datetime(2020, 6, 1, tzinfo=UTC),
        )

    page = Page(url=URL, body=taken.page, content_type="text/html; charset=utf-8")
    return await browser.render(page, fetch=fetch, services=embedded(parse(taken.page)))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_a_browser_drew_reads_like_the_fixture(drawn, name):
    assert [service.name for service in embedded(parse(taken_apart(name).page))] == [name]
    thread, expected = read(name, parse(drawn[name].body)), read(name)
    assert drawn[name].settled
    assert thread is not None
    assert expected is not None
    assert threads(thread) == threads(expected)
    assert days(thread) == days(expected)
    assert thread.claimed == expected.claimed
