"""The contact of the User-Agent: asked for once, and only where strangers are asked."""

from __future__ import annotations

import pytest

from everlog.archive import open_archive
from everlog.cli.contact import remind_of_contact
from everlog.settings import make_settings

STRANGER = "https://a.blog.example/"


@pytest.fixture
def archive(here):
    with open_archive(here / "everlog-archive", create=True) as opened:
        yield opened


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


def test_who_crawls_without_a_contact_is_told_once_how_to_set_one(archive, capsys):
    remind_of_contact([STRANGER], make_settings(), archive, quiet=False)
    said = told(capsys)
    assert 'contact = "you@example.org"' in said
    assert "EVERLOG_CONTACT" in said
    remind_of_contact([STRANGER], make_settings(), archive, quiet=False)
    assert told(capsys) == ""


@pytest.mark.parametrize("values", [{"contact": "me@a.example"}, {"user_agent": "mine/1"}])
def test_who_has_one_is_not_told(archive, capsys, values):
    remind_of_contact([STRANGER], make_settings(values), archive, quiet=False)
    assert told(capsys) == ""


@pytest.mark.parametrize("url", ["http://127.0.0.1:8642/", "http://localhost/", "http://[::1]:8080/", "localhost:8000"])
def test_who_asks_only_their_own_machine_is_not_told(archive, capsys, url):
    remind_of_contact([url], make_settings(), archive, quiet=False)
    assert told(capsys) == ""


def test_quiet_says_nothing_and_does_not_count_as_told(archive, capsys):
    remind_of_contact([STRANGER], make_settings(), archive, quiet=True)
    assert told(capsys) == ""
    remind_of_contact([STRANGER], make_settings(), archive, quiet=False)
    assert "contact" in told(capsys)


def test_a_look_says_so_while_there_is_no_archive(here, capsys):
    remind_of_contact([STRANGER], make_settings(), None, quiet=False)
    assert "contact" in told(capsys)
    open_archive(here / "everlog-archive", create=True).close()
    remind_of_contact([STRANGER], make_settings(), None, quiet=False)
    assert told(capsys) == ""
