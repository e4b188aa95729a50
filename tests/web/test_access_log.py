"""The access log: a line a request, and nothing that is nobody's business."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from starlette.datastructures import Headers

from everlog.archive import open_archive
from everlog.errors import UsageError
from everlog.web.access_log import AccessLog, opened_access_log
from web.conftest import POST, stamp
from web.served_archive import serving

# As programs for statistics read it.
LINE = re.compile(
    r'(\S+) - - \[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000)\] "([A-Z]+) (\S+) HTTP/[\d.]+" (\d{3}) (\d+|-) '
    r'"((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"',
)


def noted(path: str = "/", *, is_public: bool = False, **headers: str) -> str:
    lines: list[str] = []
    log = AccessLog(lines.append, is_public=is_public, now=lambda: datetime(2026, 5, 1, 12, tzinfo=UTC))
    scope = {"path": path, "method": "GET", "http_version": "1.1", "client": ("203.0.113.77", 1)}
    log.note(scope, Headers({name.replace("_", "-"): value for name, value in headers.items()}), None, 200, 12)
    [line] = lines
    return line


def test_a_line_is_in_the_combined_format():
    assert noted("/blog/a.example", user_agent="Browser 1.0", referer="http://b.example/x") == (
        '203.0.113.77 - - [01/May/2026:12:00:00 +0000] "GET /blog/a.example HTTP/1.1" 200 12 "http://b.example/x" '
        '"Browser 1.0"'
    )


def test_in_public_neither_the_reader_nor_the_way_is_noted():
    line = noted(is_public=True, user_agent="Browser 1.0", referer="http://b.example/x")
    assert line == '203.0.113.0 - - [01/May/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 12 "-" "-"'


@pytest.mark.parametrize("strange", ['"\n1.2.3.4 - - ', "\x1b[2J", "\\", "ä\u202e", "x" * 5_000])
def test_what_a_client_writes_stays_in_its_field_and_on_its_line(strange):
    sent = strange.encode().decode("latin-1")
    line = noted("/" + strange, user_agent=sent, referer=sent)
    assert LINE.fullmatch(line)
    assert line.isascii()
    assert len(line) < 4_000


def test_requests_of_both_ports_are_written_and_no_query_nor_password(folder, tmp_path):
    file = tmp_path / "access.log"
    with open_archive(folder, read_only=True) as archive, serving(archive, access_log=str(file)) as served:
        served.page("/search?q=secret-word&token=secret-token", Referer="http://x.example/?key=secret-key")
        served.page("/web/2024/http://me:secret-password@a.example/about")
        served.ask(f"/web/{stamp(0)}/{POST}?sid=secret-session")
        served.ask("/", "POST")
        # Logs are moved away by others: the next line begins a new one. A line is written when its answer is sent.
        file.rename(tmp_path / "old.log")
        served.page("/")
    lines = [line for each in (tmp_path / "old.log", file) for line in each.read_text().splitlines()]
    assert len(lines) == 5
    assert all(map(LINE.fullmatch, lines))
    assert "secret" not in "".join(lines)
    paths = {LINE.fullmatch(line)[4] for line in lines}
    assert {"/search", "/web/2024/http://a.example/about", "/"} <= paths


def test_a_log_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(UsageError, match="access log"), opened_access_log(str(tmp_path / "nowhere" / "access.log")):
        pass
