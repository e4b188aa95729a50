"""Documents as they are replayed, with what they need of other captures: encodings of pages, signs of sprites."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from archive import some_visits as some
from archive.some_visits import HOME
from everlog.archive import open_archive
from web.conftest import PNG, answer
from web.served_archive import Served, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHEET, SPRITE = HOME + "old.css", HOME + "signs.svg"
PAGE = '<html><head><title>雨</title></head><body><svg><use href="/signs.svg#leaf"></use></svg></body></html>'
SIGNS = b'<svg xmlns="http://www.w3.org/2000/svg"><symbol id="leaf"><path d="M0 0"/></symbol></svg>'


def test_a_page_is_shown_with_signs_of_another_file_and_sheets_in_its_encoding(tmp_path: Path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([
                some.page(blog, HOME, exchanges=(
                    answer(HOME, PAGE.encode("shift_jis"), "text/html; charset=Shift_JIS"),
                )),
                some.page(blog, SHEET, outcome="media", exchanges=(
                    answer(SHEET, 'a::before { content: "「" }'.encode("shift_jis"), "text/css", purpose="requisite"),
                )),
                some.page(blog, SPRITE, outcome="media", exchanges=(
                    answer(SPRITE, SIGNS, "image/svg+xml", purpose="requisite"),
                )),
            ])
    with open_archive(tmp_path / "archive", read_only=True) as archive, serving(archive) as served:
        page = served.ask(served.ask(f"/web/{HOME}").headers["Location"].removeprefix(served.replay))
        assert "雨" in page.text
        assert '<use href="#everlog-0-leaf">' in page.text
        assert '<symbol id="everlog-0-leaf"><path d="M0 0">' in page.text
        sheet = served.ask(served.ask(f"/web/{SHEET}").headers["Location"].removeprefix(served.replay))
        assert sheet.text == 'a::before { content: "「" }'
        assert sheet.headers["Content-Type"] == "text/css; charset=utf-8"


@pytest.mark.parametrize(("name", "body", "said", "sent"), [
    # Browsers look at how pictures and fonts begin, unless they are told not to; a page without an origin is given none
    # of these under the types that their servers say.
    ("cat", PNG, "text/html", "image/png"),
    ("cat.jpg", PNG, "text/plain; charset=utf-8", "image/png"),
    ("cat.xml", b"GIF89a", "application/xml", "image/gif"),
    ("cat.json", b"RIFF\0\0\0\0WEBPVP8 ", "application/json", "image/webp"),
    ("a.woff2", b"wOF2", "text/html", "font/woff2"),
    ("f", b"\0\1\0\0\0\x12", "text/plain", "font/ttf"),
    # What is none of these stays what it is said to be.
    ("words", b"Hello", "text/plain", "text/plain"),
    ("page", b"<p>Hello", "text/html", "text/html; charset=utf-8"),
    ("data", b"{}", "application/json", "application/json"),
    # A type that nobody can read is none.
    ("odd", b"Hello", "text/plain; charset=\u96e8", "text/plain"),
])
def test_a_file_is_sent_as_what_it_is_where_its_servers_word_would_hide_it(tmp_path: Path, name, body, said, sent):
    with one_file(tmp_path, name, body, said) as served:
        shown = served.ask(served.ask(f"/web/{HOME}{name}").headers["Location"].removeprefix(served.replay))
        assert (shown.status, shown.headers["Content-Type"]) == (200, sent)
        assert shown.body == body


def test_a_style_sheet_whose_server_says_no_type_is_one(tmp_path: Path):
    with one_file(tmp_path, "a.css?v=1", b"p { background: url(b.png) }", None) as served:
        shown = served.ask(served.ask(f"/web/{HOME}a.css?v=1").headers["Location"].removeprefix(served.replay))
        assert (shown.text, shown.headers["Content-Type"]) == (
            'p { background: url("data:,") }', "text/css; charset=utf-8",
        )


def test_the_bytes_as_stored_have_the_type_that_was_said(tmp_path: Path):
    with one_file(tmp_path, "cat", PNG, "text/html") as served:
        stored = served.ask(f"/web/20240501120000id_/{HOME}cat")
        assert (stored.body, stored.headers["Content-Type"]) == (PNG, "text/plain; charset=utf-8")


def test_programs_are_led_to_an_address_that_was_stored_with_letters_beyond_ascii(tmp_path: Path):
    with one_file(tmp_path, "\u96e8?\u96e8", b"<p>Rain", "text/html") as served:
        spelled = HOME + "%E9%9B%A8?%E9%9B%A8"
        led = served.ask(f"/timegate/{spelled}")
        assert (led.status, led.headers["Location"]) == (302, f"{served.replay}/web/20240501120000/{spelled}")
        assert f'<{spelled}>; rel="original"' in led.headers["Link"]
        assert f'{spelled}>; rel="first last memento"' in led.headers["Link"]


@contextmanager
def one_file(folder: Path, name: str, body: bytes, said: str | None) -> Iterator[Served]:
    """An archive of one file, served."""
    url = HOME + name
    headers = (("Content-Type", said),) if said is not None else ()
    with open_archive(folder / "archive", create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.page(blog, url, outcome="media", exchanges=(
                some.exchange(url, body, headers=headers, purpose="requisite"),
            ))])
    with open_archive(folder / "archive", read_only=True) as archive, serving(archive) as served:
        yield served
