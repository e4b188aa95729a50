"""Replay beside the live page: the tree that Chromium builds of captured pages, and of what replay makes of them.

Scripts are off on both sides, and nothing is on the web: only what the parser makes of the text is compared. With
`--parser` the other way to rewrite is measured too: a parse with an HTML5 parser (lexbor) that is written out again.

    python benchmarks/replay_dom.py FOLDER --pages 300 --parser

With `--marks` the places and sizes of all elements are compared instead: of pages all of whose links are held, and of
the same pages when none is, so that all of them are marked.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

from playwright.sync_api import Route, sync_playwright

from everlog.render.chromium import find_chromium
from everlog.replay import Replayed, View, html_text, rewrite_html

URL = "https://blog.example/2020/01/post/"
VIEW = View(prefix="https://replay.example", timestamp="20200101000000")
# Elements and texts in the order of the document, without what replay is there to change.
WALK = """() => {
  const changed = new Set(`href src srcset style integrity crossorigin nonce action method enctype target download ping
    content charset http-equiv rel media poster background data sandbox srcdoc class title manifest referrerpolicy type
    profile longdesc fill stroke filter mask clip-path cursor codebase classid archive base formaction formmethod
    formtarget formenctype imagesrcset`.split(/\\s+/));
  const isKept = ({ localName }) => !changed.has(localName) && !/^(on|data-)/.test(localName);
  const lines = [];
  const walk = (node, depth) => {
    let text = "";
    const flush = () => { if (text.trim()) lines.push(depth + " " + text.replace(/\\s+/g, " ").trim()); text = ""; };
    for (const child of node.childNodes) {
      if (child.nodeType === 3 || child.nodeType === 4) { text += child.data; continue; }
      if (child.nodeType !== 1) continue;
      const name = child.localName;
      if (name === "base" || child.hasAttribute("data-everlog")) continue;
      flush();
      const kept = [...child.attributes].filter((each) => name !== "script" && isKept(each))
        .map((each) => each.name + "=" + each.value).sort();
      const space = child.namespaceURI.slice(-4);
      lines.push(depth + "<" + (name === "xmp" ? "pre" : name) + " " + space + " " + kept.join(" "));
      if (["script", "style", "iframe", "noembed", "noframes"].includes(name)) continue;
      walk(child, depth + 1);
      if (name === "template") walk(child.content, depth + 1);
      if (child.shadowRoot) walk(child.shadowRoot, depth + 1);
    }
    flush();
  };
  walk(document, 0);
  return [document.compatMode, ...lines];
}"""

BOXES = """() => [...document.querySelectorAll("body, body *")].map((each) => {
  const { x, y, width, height } = each.getBoundingClientRect();
  return each.localName + [x, y, width, height].map((side) => side.toFixed(2)).join(" ");
})"""

ATTRIBUTE = r"\b[^>]* "
ADDRESS = r'(?:https:)?//replay\.example/web/\d+/([^"#]+)'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    default = os.environ.get("EVERLOG_CORPUS") or str(Path.home() / ".cache" / "everlog-corpus")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(default))
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--parser", action="store_true", help="also a parse with lexbor, written out again")
    parser.add_argument("--marks", action="store_true", help="whether marks of links that are not held move anything")
    parser.add_argument("-v", dest="verbose", action="store_true", help="name the pages that differ, and where")
    options = parser.parse_args()
    makers: dict[str, Callable[[str], str]] = {"in place": in_place}
    if options.parser:
        makers["lexbor"] = reserialised
    pages = list(sample(options.folder, options.pages))
    print(f"{len(pages)} pages, median {statistics.median(len(body) for _, body in pages) / 1000:.0f} kB")
    with sync_playwright() as playwright:
        executable = find_chromium(None, playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        tab = browser.new_page(java_script_enabled=False)
        if options.marks:
            compare_marks(tab, pages)
            makers.clear()
        for name, make in makers.items():
            compare(tab, name, make, pages, is_verbose=options.verbose)
        browser.close()


def compare(
    tab: Any, name: str, make: Callable[[str], str], pages: Sequence[tuple[Path, bytes]], *, is_verbose: bool
) -> None:
    times, differing = [], 0
    for path, body in pages:
        text = html_text(body)
        before = time.process_time()
        made = make(text)
        times.append((time.process_time() - before) * 1000)
        live, shown = tree(tab, text), tree(tab, made)
        if live != shown:
            differing += 1
            if is_verbose:
                print(f"  {path}: {first_difference(live, shown)}")
    cut = statistics.quantiles(times, n=100)
    print(
        f"{name}: {differing} of {len(pages)} pages differ; processor time p50 {cut[49]:.1f} ms, p90 {cut[89]:.1f} ms, "
        f"p99 {cut[98]:.1f} ms"
    )


def compare_marks(tab: Any, pages: Sequence[tuple[Path, bytes]]) -> None:
    marked = moved = elements = 0
    for path, body in pages:
        text = html_text(body)
        whole = in_place(text)
        shown_too = set(re.findall(rf'{ATTRIBUTE}(?:src|srcset|poster|data)="{ADDRESS}', whole))
        links = {unescape(link) for link in set(re.findall(rf'<a{ATTRIBUTE}href="{ADDRESS}', whole)) - shown_too}
        marked_text = rewrite_html(text, url=URL, resolve=partial(without, links), view=VIEW)
        plain, shown = tree(tab, whole, BOXES), tree(tab, marked_text, BOXES)
        marked += marked_text.count("data-everlog-missing=")
        elements += len(plain)
        if plain != shown:
            moved += 1
            print(f"  {path}: {first_difference(plain, shown)}")
    print(f"{marked} links marked, {elements} elements: {moved} of {len(pages)} pages differ in a place or size")


def without(links: set[str], urls: Sequence[str]) -> dict[str, Replayed]:
    return everything([url for url in urls if url not in links])


def tree(tab: Any, text: str, script: str = WALK) -> list[str]:
    def answer(route: Route) -> None:
        if route.request.url == URL:
            route.fulfill(body=text.encode("utf-8", "replace"), content_type="text/html; charset=utf-8")
        else:
            route.abort()

    tab.route("**/*", answer)
    tab.goto(URL, wait_until="load" if script == BOXES else "domcontentloaded")
    found: list[str] = tab.evaluate(script)
    tab.unroute("**/*")
    tab.goto("about:blank")
    return found


def first_difference(live: list[str], shown: list[str]) -> str:
    for number, (one, other) in enumerate(zip(live, shown, strict=False)):
        if one != other:
            return f"line {number} of {len(live)}: {one[:120]!r} became {other[:120]!r}"
    return f"{len(live)} lines became {len(shown)}"


def in_place(text: str) -> str:
    return rewrite_html(text, url=URL, resolve=everything, view=VIEW)


def everything(urls: Sequence[str]) -> dict[str, Replayed]:
    return {url: Replayed(timestamp="20200101000000", url=url) for url in urls}


def reserialised(text: str) -> str:
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - only this comparison needs it

    return LexborHTMLParser(text).html or ""


def sample(folder: Path, wanted: int) -> Iterator[tuple[Path, bytes]]:
    kinds = {".html", ".htm", ""}
    files = sorted(path for path in folder.rglob("site/**/*") if path.is_file() and path.suffix in kinds)
    random.Random(1).shuffle(files)  # noqa: S311 - the same sample each time
    found = 0
    for path in files:
        if found >= wanted:
            return
        body = path.read_bytes()
        if len(body) > 3_000 and b"<html" in body[:3_000].lower():
            found += 1
            yield path, body


if __name__ == "__main__":
    main()
