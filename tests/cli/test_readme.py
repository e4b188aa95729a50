"""What the README shows can be done, and is shown as it is."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import a_blog
from cli.sites import conditional
from fetch.servers import reply

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
EXAMPLE = "https://a.blog.example/"
POSTS = 3


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_the_example_in_python_runs_on_posts_without_a_title(server, here, capsys):
    url = serve_untitled(server)
    [block] = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    # Only the pace is another.
    code = block.replace(EXAMPLE, url).replace('archive="my-blogs"', 'archive="my-blogs", settings={"delay": 0}')
    assert code.count(url) == code.count("delay") == 1
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own page
    printed = capsys.readouterr().out
    assert [number for number in range(1, POSTS + 1) if f"{url}{number} " not in printed] == []
    assert "text was found by" in printed
    assert "None" not in printed


def serve_untitled(server) -> str:
    """A blog of notes: neither its pages nor its feed have titles."""
    home = server.url("/")
    links = "".join(f"<p><a href='{home}{number}'>{number} January</a></p>" for number in range(1, POSTS + 1))
    feed = f"<link rel=alternate type=application/rss+xml href={home}feed.xml>"
    server.routes["/"] = reply(200, f"<html><head>{feed}</head><body>{links}</body></html>")
    items = []
    for number in range(1, POSTS + 1):
        page = re.sub(rb"<title>.*?</title>|<h1 .*?</h1>", b"", a_blog.page(number))
        server.routes[f"/{number}"] = reply(200, page)
        items.append(re.sub("<title>.*?</title>", "", a_blog.item(number, link=f"{home}{number}")))
    body = a_blog.rss(items)
    server.routes["/feed.xml"] = lambda seen: conditional(body, seen, "application/rss+xml")
    return home


@pytest.mark.slow
def test_the_picture_is_drawn_from_a_real_run_and_loads_nothing(tmp_path):
    # The first picture is the terminal; the others show web pages and come from scripts/make_web_screenshots.py.
    picture = re.findall(r"^!\[.+\]\((.+)\)$", README, re.MULTILINE)[0]
    script = runpy.run_path(str(ROOT / "scripts" / "make_screenshot.py"))
    assert ROOT / picture == script["PICTURE"]
    drawn = tmp_path / "demo.svg"
    assert script["main"]([str(drawn)]) == 0
    for file in (drawn, ROOT / picture):
        text = file.read_text("utf-8")
        shown = "\n".join(ET.fromstring(text).itertext()).replace("\N{NO-BREAK SPACE}", " ")  # noqa: S314 - our own
        assert "$ scripts/everlog demo" in shown.replace("\n", "")
        assert "posts" in shown
        assert "url(http" not in text
        assert "@font-face" not in text
        assert not re.search(r"/(home|root|tmp|work)/", shown)


def test_the_figures_of_the_comparison_are_those_that_were_measured():
    table = (ROOT / "docs" / "internals" / "accuracy.md").read_text("utf-8")
    measured = {
        name: re.search(rf"^\| {name} \|(.*)\|$", table, re.MULTILINE)[1].replace(" ", "").split("|")
        for name in ("everlog", r"trafilatura \(precision\)")
    }
    rows = {cells[1].strip(" *"): cells for cells in (row.split("|") for row in README.splitlines()) if len(cells) == 8}
    for column, name in ((2, "everlog"), (5, r"trafilatura \(precision\)")):
        strict, _, _, title, _, author, date, _ = measured[name]
        assert rows["articles read almost word for word"][column].strip(" *") == f"{strict} %"
        assert rows["titles read exactly"][column].strip() == f"{title} %"
        assert rows["authors, dates"][column].strip() == f"{author} %, {date} %"
