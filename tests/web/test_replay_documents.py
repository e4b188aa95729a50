"""Documents as they are replayed, with what they need of other captures: encodings of pages, signs of sprites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from archive import some_visits as some
from archive.some_visits import HOME
from everlog.archive import open_archive
from web.conftest import answer
from web.served_archive import serving

if TYPE_CHECKING:
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
