"""Pages a second in the browser, and the memory it holds on its way.

    python benchmarks/render_speed.py [--pages 1000] [--tabs 4]
    python benchmarks/render_speed.py --kind talk --pages 200     # a frame of another site, "show more" three times

A loopback server (a process of its own) has a blog whose posts are written by a script: a page is a shell, a
script and a style that all pages share, and one JSON answer of its own. With `--kind talk` posts are plain HTML
and their hundred comments stand in a frame of another site, twenty-five at a time; with `--kind plain` nothing
is scripted at all. All that pages ask for goes through the crawl's own `Session`, without a delay between requests.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import resource
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everlog.comments.comment_markup import Markup
from everlog.comments.services import Service
from everlog.core.fetcher import FetchPolicy
from everlog.fetch import HttpClient, with_http_client
from everlog.records import Page
from everlog.render import Browser, RenderOptions
from tables import machine, markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator

FLOOR = 2.0
STEPS = (100, 500, 1_000)
WORDS = "river stone lantern garden winter copper meadow harbour thunder willow candle orchard violin marble".split()
HEAD = "<!DOCTYPE html><html lang=en><head><title>Post</title><link rel=stylesheet href=/style.css></head><body>"
STYLE = "body {font: 16px serif} article {max-width: 40em; margin: auto} .c {border: 1px solid #ccc}" * 20
APP = """
const number = location.pathname.split("/").pop();
fetch(`/api/${number}.json`).then((answer) => answer.json()).then((post) => {
  const app = document.querySelector("#app");
  app.innerHTML = `<article><h1>${post.title}</h1><time>${post.date}</time></article>`;
  for (const text of post.paragraphs) {
    const p = document.createElement("p"); p.textContent = text; app.firstChild.append(p);
  }
});
""" + "function unused() { return 'a library of some size'; }\n" * 2_000
TALK = """<ul id=list></ul><button class=more hidden>Load more</button><script>
const list = document.querySelector('#list'), more = document.querySelector('.more'); let at = 0;
async function load() {
  const answer = await (await fetch('/api/comments.json?from=' + at)).json();
  for (const n of answer.comments) {
    list.insertAdjacentHTML('beforeend', `<li class=c id=c${n}><p>Comment ${n}</p></li>`);
  }
  at += answer.comments.length; more.hidden = at >= 100;
}
more.onclick = load; load();
</script>"""
SERVICE = Service(
    name="talk", ids=frozenset({"talk"}), frame=re.compile(r"/embed$"), more=(".more",), ready=("#list",),
    markup=Markup(name="talk", comment="li.c", text="p"),
)
EXPECTED = {"scripted": (b"<article><h1>", 1), "talk": (b'class="c"', 100), "plain": (b"<article><h1>", 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--tabs", type=int, default=4)
    parser.add_argument("--kind", choices=sorted(EXPECTED), default="scripted")
    parser.add_argument("--json", action="store_true", help="print JSON, not Markdown")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(serve())
        return
    with served() as homes:
        figures = with_http_client(lambda fetcher: measure(fetcher, homes, arguments))
    print(json.dumps(figures, indent=1) if arguments.json else table(figures))
    assert figures["pages_per_second"] >= FLOOR, f"fewer than {FLOOR} pages a second"


async def measure(fetcher: HttpClient, homes: tuple[str, str], arguments: argparse.Namespace) -> dict[str, Any]:
    """Render all pages; the clock starts with the first one, before the browser does."""
    home, talk = homes
    policy = FetchPolicy(typed=(home, talk), user_agent="everlog benchmark", delay_seconds=0.0, concurrency=64)
    session = fetcher.session(policy)
    numbers = iter(range(1, arguments.pages + 1))
    marker, times = EXPECTED[arguments.kind]
    services = (SERVICE,) if arguments.kind == "talk" else ()
    steps: list[dict[str, Any]] = []
    done = 0

    async with Browser(RenderOptions(tabs=arguments.tabs)) as browser:
        async def worker() -> None:
            nonlocal done
            for number in numbers:
                page = Page(url=f"{home}post/{number}", body=shell(arguments.kind, number, talk).encode())
                rendered = await browser.render(page, fetch=session.request, services=services)
                assert rendered.settled, rendered.url
                assert rendered.body.count(marker) == times, rendered.body
                done += 1
                if done in STEPS:
                    steps.append({"page": done, **await memory(browser)})

        began = time.monotonic()
        await asyncio.gather(*(worker() for _ in range(arguments.tabs)))
        seconds = time.monotonic() - began
        if done not in STEPS:
            steps.append({"page": done, **await memory(browser)})
    own = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "kind": arguments.kind, "pages": done, "tabs": arguments.tabs, "seconds": round(seconds, 1),
        "pages_per_second": round(done / seconds, 2),
        "own_cpu_ms_per_page": round(1000 * (own.ru_utime + own.ru_stime) / done, 1), "memory": steps,
    }


async def memory(browser: Browser) -> dict[str, Any]:
    """What all processes of Chromium hold: RSS counts shared memory in each, PSS shares it out."""
    processes = await browser.processes()
    rss = pss = 0
    for _, pid in processes:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
            rss += int(re.findall(r"^Rss:\s+(\d+)", lines, re.MULTILINE)[0])
            pss += int(re.findall(r"^Pss:\s+(\d+)", lines, re.MULTILINE)[0])
    return {"processes": len(processes), "rss_mb": round(rss / 1024), "pss_mb": round(pss / 1024)}


def table(figures: dict[str, Any]) -> str:
    head = (
        f"{figures['pages']} {figures['kind']} pages, {figures['tabs']} tabs: {figures['seconds']} s, "
        f"**{figures['pages_per_second']} pages/s** (floor {FLOOR}); "
        f"{figures['own_cpu_ms_per_page']} ms of our own processor time a page. {machine()}"
    )
    rows = [[str(row["page"]), row["processes"], row["rss_mb"], row["pss_mb"]] for row in figures["memory"]]
    return head + "\n\n" + markdown_table(["page", "processes", "RSS, MB", "PSS, MB"], rows)


def shell(kind: str, number: int, talk: str) -> str:
    if kind == "scripted":
        return f"{HEAD}<div id=app></div><script src=/app.js></script></body></html>"
    article = f"<article><h1>Post {number}</h1>{''.join(f'<p>{text}</p>' for text in paragraphs(number))}</article>"
    frame = f"<div id=talk><iframe src='{talk}embed'></iframe></div>" if kind == "talk" else ""
    return f"{HEAD}{article}{frame}</body></html>"


def paragraphs(number: int) -> list[str]:
    return [
        " ".join(WORDS[(number * 7 + row * 5 + word * word) % len(WORDS)] for word in range(60)) + "."
        for row in range(12)
    ]


def answer(path: str) -> tuple[str, str] | None:
    if path == "/style.css":
        return "text/css", STYLE
    if path == "/app.js":
        return "text/javascript", APP
    if path == "/embed":
        return "text/html", TALK
    if path.startswith("/api/comments.json"):
        start = int(path.rpartition("=")[2])
        return "application/json", json.dumps({"comments": list(range(start, start + 25))})
    if path.startswith("/api/"):
        number = int(path.removeprefix("/api/").removesuffix(".json"))
        post = {"title": f"Post {number}", "date": "2024-05-01", "paragraphs": paragraphs(number)}
        return "application/json", json.dumps(post)
    return None


@contextmanager
def served() -> Iterator[tuple[str, str]]:
    """The addresses of the blog and of the service, while a process serves both."""
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        home, talk = server.stdout.readline().split()
        try:
            yield home, talk
        finally:
            server.kill()


async def serve() -> None:
    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                found = answer(request.split(b" ", 2)[1].decode())
                kind, body = found or ("text/plain", "nothing here")
                data = body.encode()
                status = b"200 OK" if found else b"404 Not Found"
                head = b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
                writer.write(head % (status, kind.encode(), len(data)) + data)
                await writer.drain()
        writer.close()

    servers = [await asyncio.start_server(visit, "127.0.0.1", 0) for _ in range(2)]
    print(*(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/" for server in servers), flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


if __name__ == "__main__":
    main()
