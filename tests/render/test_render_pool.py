"""Many pages at once, browsers that are replaced, browsers that die, and nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from stage import Site, page, staged

from everlog.errors import EverlogError
from everlog.render import Browser, NoBrowser, RenderFailed, RenderOptions
from everlog.render.devtools_session import DevToolsSession
from everlog.render.tab import Tab

if TYPE_CHECKING:
    from collections.abc import Iterable

SCRIPTED = "<body><script src=/a.js></script></body>"


def pages(count: int, body: str = SCRIPTED):
    return [page(body, f"https://a.blog/{number}") for number in range(count)]


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    # One that ended and that nobody has asked about yet is a zombie.
    return state != "Z"


def have_ended(processes: Iterable[int]) -> bool:
    """Whether all have ended. The browser's other processes end with it, which takes them a moment."""
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            waiter = os.pidfd_open(pid)
            select.select([waiter], [], [], 30)
            os.close(waiter)
    return not any(is_alive(pid) for pid in processes)


@pytest.fixture
def scratch(monkeypatch):
    """Where this test's browsers, and nobody else's, keep their files."""
    with tempfile.TemporaryDirectory(prefix="e-") as path:
        monkeypatch.setattr(tempfile, "tempdir", path)
        yield Path(path)


def drivers() -> list[tuple[str, int]]:
    """Playwright's own processes, which stand between us and the browser."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()
    return [("driver", int(pid)) for pid in children if "node" in Path(f"/proc/{pid}/comm").read_text("utf-8")]


def killing(stage, kind: str, times: int) -> Site:
    """A site that kills a process of the browser while it is asked."""
    left = [times]

    async def kill(asked):
        if left[0]:
            left[0] -= 1
            processes = (*await stage.browser.processes(), *drivers())
            os.kill(next(pid for name, pid in reversed(processes) if name == kind), signal.SIGKILL)
            await asyncio.Event().wait()
        return "document.body.append('done')"

    return Site({"https://a.blog/a.json": kill})


KILLED = "<body><script>fetch('/a.json').then(r => r.text()).then(eval)</script></body>"


@pytest.mark.slow
def test_a_page_whose_browser_is_killed_is_rendered_in_a_new_one():
    with staged() as stage:
        for kind in ("browser", "renderer", "driver"):
            rendered = stage.render(KILLED, killing(stage, kind, 1))
            assert b"done" in rendered.body, kind
            assert rendered.settled, kind


@pytest.mark.slow
def test_a_page_that_ends_two_browsers_is_given_up_and_the_next_is_not():
    with staged() as stage:
        with pytest.raises(RenderFailed) as error:
            stage.render(KILLED, killing(stage, "browser", 2))
        assert "twice" in error.value.reason
        assert not isinstance(error.value, EverlogError)
        assert b"<p>next</p>" in stage.render("<p>next</p>").body


@pytest.mark.slow
def test_the_pages_beside_the_one_that_dies_are_not_lost():
    with staged() as stage:
        site = killing(stage, "browser", 1)
        site.answers["https://a.blog/a.js"] = "document.body.append('ran')"

        async def all_of_them():
            works = [stage.browser.render(one, fetch=site.fetch) for one in (*pages(6), page(KILLED))]
            return await asyncio.gather(*works)

        rendered = stage.run(all_of_them())
        assert [b"ran" in one.body or b"done" in one.body for one in rendered] == [True] * 7


@pytest.mark.slow
@pytest.mark.parametrize("command", [
    "Page.navigate", "Runtime.evaluate", "Storage.clearDataForOrigin", "Network.clearBrowserCookies",
])
def test_a_page_that_was_shown_is_not_lost_when_the_browser_dies_while_it_is_put_away(command, monkeypatch):
    with staged(RenderOptions(tabs=1)) as stage:
        tell, is_shown, killed = DevToolsSession.send, [False], []

        async def send(session, told, **parameters):
            if is_shown[0] and told == command and not killed:
                killed.append(next(pid for kind, pid in await stage.browser.processes() if kind == "browser"))
                os.kill(killed[0], signal.SIGKILL)
            return await tell(session, told, **parameters)

        async def clean(tab):
            is_shown[0] = True
            await tidy(tab)

        tidy = Tab.clean
        monkeypatch.setattr(DevToolsSession, "send", send)
        monkeypatch.setattr(Tab, "clean", clean)
        assert b"<p>shown</p>" in stage.render("<script>localStorage.seen = 1</script><p>shown</p>").body
        assert killed
        assert b"<p>next</p>" in stage.render("<p>next</p>").body


@pytest.mark.parametrize("command", [pytest.param("Fetch.enable", marks=pytest.mark.slow), "Browser.getVersion"])
def test_a_browser_that_dies_at_its_start_is_followed_by_another(command, monkeypatch):
    tell, killed = DevToolsSession.send, []

    async def send(session, told, **parameters):
        if told == command and not killed:
            processes = (await tell(session, "SystemInfo.getProcessInfo"))["processInfo"]
            killed.append(next(process["id"] for process in processes if process["type"] == "browser"))
            os.kill(killed[0], signal.SIGKILL)
        return await tell(session, told, **parameters)

    monkeypatch.setattr(DevToolsSession, "send", send)
    with staged() as stage:
        assert b"<p>shown</p>" in stage.render("<p>shown</p>").body
    assert killed


@pytest.mark.slow
def test_no_more_pages_are_open_at_once_than_there_are_tabs():
    open_now, most = [0], [0]

    async def count(asked):
        open_now[0] += 1
        most[0] = max(most[0], open_now[0])
        await asyncio.sleep(0)
        open_now[0] -= 1
        return "1"

    with staged(RenderOptions(tabs=2)) as stage:
        site = Site({f"https://a.blog/{number}.json": count for number in range(8)})
        bodies = [page(f"<script>fetch('/{number}.json')</script>", f"https://a.blog/{number}") for number in range(8)]

        async def all_of_them():
            return await asyncio.gather(*(stage.browser.render(one, fetch=site.fetch) for one in bodies))

        assert [one.settled for one in stage.run(all_of_them())] == [True] * 8
        assert most[0] <= 2
        assert sum(kind == "browser" for kind, _ in stage.run(stage.browser.processes())) == 1


@pytest.mark.slow
def test_the_browser_is_replaced_in_good_time_and_no_page_is_dropped():
    with staged(RenderOptions(tabs=3, recycle_pages=3)) as stage:
        site = Site({"https://a.blog/a.js": "document.body.append('ran')"})
        browsers = set()

        async def all_of_them():
            async def one(shown):
                rendered = await stage.browser.render(shown, fetch=site.fetch)
                browsers.update(pid for kind, pid in await stage.browser.processes() if kind == "browser")
                return rendered

            return await asyncio.gather(*(one(shown) for shown in pages(7)))

        assert [b"ran" in rendered.body for rendered in stage.run(all_of_them())] == [True] * 7
        assert len(browsers) >= 2
    assert have_ended(browsers)


def test_a_cancelled_page_makes_room_for_the_next():
    with staged(RenderOptions(tabs=1)) as stage:
        asked, ended = asyncio.Event(), []

        async def never(_):
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("fetch")

        async def cancel():
            site = Site({"https://a.blog/a.js": never})
            work = asyncio.ensure_future(stage.browser.render(page(SCRIPTED), fetch=site.fetch))
            await asked.wait()
            work.cancel()
            with pytest.raises(asyncio.CancelledError):
                await work

        stage.run(cancel())
        assert ended == ["fetch"]
        assert b"<p>next</p>" in stage.render("<p>next</p>").body
        assert sum(kind == "renderer" for kind, _ in stage.run(stage.browser.processes())) <= 2


def test_nothing_is_left_behind(scratch):
    with staged(RenderOptions(tabs=2)) as stage:
        stage.render(KILLED, killing(stage, "browser", 1))
        processes = [pid for _, pid in stage.run(stage.browser.processes())]
        assert all(is_alive(pid) for pid in processes)
    assert have_ended(processes)
    assert list(scratch.iterdir()) == []


@pytest.mark.slow
def test_leaving_while_a_page_is_open_ends_everything():
    asked, processes = asyncio.Event(), []

    async def never(_):
        asked.set()
        await asyncio.Event().wait()

    async def leave():
        async with Browser() as browser:
            site = Site({"https://a.blog/a.js": never})
            work = asyncio.ensure_future(browser.render(page(SCRIPTED), fetch=site.fetch))
            await asked.wait()
            processes.extend(pid for _, pid in await browser.processes())
        with pytest.raises(RenderFailed):
            await work

    with asyncio.Runner() as runner:
        runner.run(leave())
    assert have_ended(processes)


def test_a_browser_that_is_not_used_is_not_started():
    async def nothing():
        async with Browser(RenderOptions(executable="/nowhere/chromium")):
            pass

    with asyncio.Runner() as runner:
        runner.run(nothing())


def test_where_there_is_no_browser_the_error_says_how_to_get_one():
    with staged(RenderOptions(executable="/nowhere/chromium")) as stage, pytest.raises(NoBrowser) as error:
        stage.render("<p>x</p>")
    assert "EVERLOG_CHROMIUM" in str(error.value)
    assert "apt install chromium" in str(error.value)


@pytest.mark.parametrize("executable", [
    "/bin/false", *(pytest.param(each, marks=pytest.mark.slow) for each in (sys.executable, "/bin/ls")),
])
def test_a_browser_that_does_not_start_is_an_error_with_its_own_words(executable, scratch):
    with staged(RenderOptions(executable=executable)) as stage, pytest.raises(NoBrowser) as error:
        stage.render("<p>x</p>")
    assert f"{executable} does not start: " in error.value.message
    assert "EVERLOG_CHROMIUM" in (error.value.advice or "")
    assert "\n" not in error.value.message
    assert list(scratch.iterdir()) == []


@pytest.mark.slow
def test_a_page_that_was_left_asks_for_nothing_more_and_leads_nowhere(stage):
    restless = Site()
    stage.render("""<body><script>setInterval(() => fetch('/again'), 50); addEventListener('pagehide', () => {
      fetch('/last', {keepalive: true}); localStorage.a = sessionStorage.a = 'late';
    }); setInterval(() => { location.href = '/away'; }, 1)</script></body>""", restless)
    site = Site({"https://a.blog/look.json": "1"})
    look = "fetch('/look.json'); document.body.append('[' + localStorage.a + sessionStorage.a + ']')"
    for _ in range(3):
        assert "[undefinedundefined]" in stage.html(f"<body><script>{look}</script>", site)
    assert set(site.urls()) == {"https://a.blog/look.json"}


def test_the_workers_of_a_page_that_was_left_ask_for_nothing_more(stage):
    worker = "setInterval(() => fetch('/tick'), 20)"
    stage.render("<body><script>new Worker('/w.js')</script>", Site({"https://a.blog/w.js": worker}))
    for _ in range(3):
        site = Site({"https://a.blog/look.json": "1"})
        stage.render("<body><script>fetch('/look.json')</script>", site)
        assert set(site.urls()) == {"https://a.blog/look.json"}


@pytest.mark.parametrize("url", [
    "file:///etc/passwd",
    *(pytest.param(each, marks=pytest.mark.slow) for each in ("http://", "chrome://version", "about:blank")),
])
def test_an_address_that_is_not_of_the_web_is_an_error_of_the_page(stage, url):
    with pytest.raises(RenderFailed):
        stage.render(page("<p>x</p>", url))
    assert b"<p>next</p>" in stage.render("<p>next</p>").body


def test_a_frame_sees_nothing_of_what_it_stored_in_a_page_of_another_site(stage):
    site = Site({"https://t.example/": """<body><script>
        document.body.append('[' + localStorage.a + sessionStorage.a + ']');
        localStorage.a = sessionStorage.a = 1;
        </script>"""})
    for home in ("https://one.example/", "https://two.example/", "https://one.example/"):
        rendered = stage.render(page("<iframe src=https://t.example/></iframe>", home), site)
        assert b"[undefinedundefined]" in rendered.body


KILLED_PROGRAM = """
import asyncio, sys
from everlog.records import Page
from everlog.render import Browser

async def never(asked):
    print(*(pid for _, pid in await browser.processes()), flush=True)
    await asyncio.Event().wait()

async def main():
    global browser
    async with Browser() as browser:
        await browser.render(Page(url="https://a.blog/", body=b"<script src=/a.js></script>"), fetch=never)

asyncio.run(main())
"""


@pytest.mark.slow
def test_a_killed_program_takes_its_browser_along_and_the_next_one_sweeps_up(scratch):
    environment = {**os.environ, "TMPDIR": str(scratch)}
    command = [sys.executable, "-c", KILLED_PROGRAM]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as program:
        processes = [int(pid) for pid in program.stdout.readline().split()]
        program.kill()
    assert processes
    assert have_ended(processes)
    told = "from everlog.render.scratch import Scratch; import asyncio; asyncio.run(Scratch().remove())"
    subprocess.run([sys.executable, "-c", told], check=True, env=environment)
    assert list(scratch.iterdir()) == []
