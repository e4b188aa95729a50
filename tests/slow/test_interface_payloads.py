"""Script payloads in every field and address that the interface shows, in a real browser: none of them runs.

What counts is seen from outside of the pages: requests that reach the server that plays the live web, requests to
anything but the two ports, windows, dialogs and downloads. What the policy had to stop counts as well: a browser that
complains of it has met markup that should have been text.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "replay"))
from payload_stage import Stage, staged
from payloads import Payload, payloads

from archive import some_visits as some
from everlog.archive import open_archive
from everlog.records import Comment, Event, Media, Provenance
from web.served_archive import Served, serving
from web.some_blogs import published

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog.archive import Archive

# The interface has a script of its own that heeds attributes.
FOR_HTMX = tuple(
    f'<{element} {prefix}{attribute}>x</{element}>'
    for element in ("div", "p", "a", "section", "span")
    for prefix in ("", "data-")
    for attribute in (
        'hx-get="{hit}" hx-trigger="load"', 'hx-post="{hit}" hx-trigger="load"', 'hx-on:htmx:load="{js}"',
        'hx-on::load="{js}"', 'hx-vals="js:{{a: {js}}}" hx-get="/" hx-trigger="load"', 'hx-boost="true" href="{hit}"',
        'hx-trigger="load[{js}]" hx-get="/"', 'hx-ext="{hit}"', 'hx-swap-oob="true" id="content" onclick="{js}"',
    )
)
# In one field: a list of names, tags or comments.
BUNDLE = 25
# Of blogs, and of pages that show a whole blog.
BLOGS = 12
# Of all payloads those that are an article or in an address by themselves, each blog's with the same steps between
# them: in bundles all of them are. An address holds fewer.
ARTICLES_STEP, ADDRESSES_STEP = 5, 10
ADDRESS_BUNDLE = 10
LOAD_MILLISECONDS = 120_000
# Pages that say back what they are asked for: where the payload stands, in the path or behind the question mark.
ADDRESSES = (
    "/{}", "/search?q={}", "/search?q=word3&tag={}", "/search?q=word3&blog={}", "/blog/b0.example?tag={}",
    "/blog/b0.example?author={}", "/blog/b0.example?month={}", "/blog/b0.example?after={}", "/blog/{}", "/read/{}",
    "/read/http://b0.example/{}", "/web/{}", "/web/*/http://b0.example/{}", "/web/2024/http://b0.example/{}",
    "/captures/b0.example?q={}", "/captures/b0.example?kind={}", "/complete/{}", "/timeline/b0.example?kind={}",
    "/timeline/{}", "/diff/1/2/http://b0.example/{}", "/diff/{}/2/http://b0.example/bundle", "/go?url={}",
    "/rules/{}", "/requests/b0.example?page={}", "/calendar/b0.example?month={}", "/fleet?{}",
    "/comments/{}/http://b0.example/bundle", "/comment/{}/http://b0.example/bundle", "/?after={}", "/feed/posts/{}",
)


def _htmx(text: str) -> Payload:
    def make(hit: str) -> str:
        return text.replace("{{", "{").replace("}}", "}").replace("{js}", f"fetch(`{hit}`)").replace("{hit}", hit)

    return Payload(name=f"htmx {text}", make=make)


ALL: tuple[Payload, ...] = (*payloads(), *map(_htmx, FOR_HTMX))


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with staged(ALL) as found:
        yield found


@pytest.fixture(scope="module")
def texts(stage: Stage) -> tuple[str, ...]:
    return tuple(payload.make(f"{stage.live}/hit/{number}") for number, payload in enumerate(ALL))


@pytest.fixture(scope="module")
def served(texts: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("payloads") / "archive"
    with open_archive(place, create=True) as archive:
        for number in range(BLOGS):
            _fill(archive, number, texts[number::BLOGS])
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


def _fill(archive: Archive, number: int, texts: Sequence[str]) -> None:
    """A blog of which everything is payloads."""
    home = f"http://b{number}.example/"
    blog = archive.blogs.add(home, scope="path").id
    archive.blogs.update(blog, title=" ".join(texts[:BUNDLE]), state="finished", gone=" ".join(texts[:3]))
    bundles = [texts[start:start + BUNDLE] for start in range(0, len(texts), BUNDLE)]
    with archive.lock(blog):
        for place, bundle in enumerate(bundles):
            url = f"{home}bundle{place or ''}"
            for version in (1, 2):
                archive.commit([_visit(blog, url, bundle, version)])
            archive.events.add([
                Event(blog_id=blog, kind=kind, at=some.START, reason=" ".join(bundle))
                for kind in ("redesigned", "moved", "dead")
            ])
        chosen = texts[::ARTICLES_STEP]
        archive.commit([
            some.page(blog, f"{home}article{place}", outcome="post", exchanges=(
                some.exchange(f"{home}article{place}", text.encode("utf-8", "replace"), at=place),
            ), post=some.post(f"{home}article{place}", title=text, html=text, text=f"{text} {some.LONG}", comments=(
                Comment(id="1", author=text, text=text, html=text),
            ), comments_state="complete"))
            for place, text in enumerate(chosen)
        ])
        # File names, types and other headers.
        archive.commit([
            some.page(blog, f"{home}{quote(text[:150])}.bin", outcome="media", exchanges=(some.exchange(
                f"{home}{quote(text[:150])}.bin", b"x", headers=(
                    ("Content-Type", text.replace("\n", " ").replace("\r", " ").replace("\0", " ")),
                    ("Content-Disposition", f'attachment; filename="{quote(text)}"'), ("X-Powered-By", quote(text)),
                ), purpose="media",
            ),)) for text in texts[:BUNDLE]
        ])


def _visit(blog: int, url: str, bundle: Sequence[str], version: int):
    joined = " ".join(bundle)
    return some.page(blog, url, outcome="post", exchanges=(
        some.exchange(url, joined.encode("utf-8", "replace"), at=version * 86_400),
    ), post=some.post(
        url, title=f"{joined} {version}", authors=tuple(bundle), tags=tuple(bundle), language=bundle[0],
        text=f"version{version} {joined} {some.LONG}", html=f"<p>{joined}</p>", summary=joined,
        published=published(version), comments_state="complete",
        comments=tuple(
            Comment(id=text, parent=bundle[place - 1] if place % 3 else None, author=text, author_url=text,
                    url=text, text=f"{text} {version}", html=text)
            for place, text in enumerate(bundle)
        ),
        media=tuple(Media(url=f"{url}/{quote(text)}", path=text, type=text) for text in bundle),
        provenance={
            name: Provenance(method=text, rule=text, confidence=0.1, disagrees=text)
            for name, text in zip(("title", "authors", "text", "tags"), bundle, strict=False)
        } | {bundle[-1]: Provenance(method=bundle[-1])},
    ))


@contextmanager
def watched(stage: Stage, served: Served) -> Iterator[list[str]]:
    """What a page should not have done: asked elsewhere, opened a window, met the policy."""
    done: list[str] = []
    ours = (served.interface + "/", served.replay + "/", "data:", "about:")

    def asked(request) -> None:
        if not request.url.startswith(ours):
            done.append(f"asked for {request.url} on {stage.page.url}")

    def said(message) -> None:
        # A page that is not there, or a file of a strange type whose download the sandbox of its frame stops.
        if not message.text.startswith((
            "Failed to load resource: the server responded with a status of", "Download is disallowed.",
        )):
            done.append(f"{message.text} on {stage.page.url}")

    stage.page.on("request", asked)
    stage.page.on("console", said)
    stage.happened.clear()
    stage.asked.clear()
    try:
        yield done
    finally:
        stage.page.remove_listener("request", asked)
        stage.page.remove_listener("console", said)
        stage.page.goto("about:blank")


def shown(stage: Stage, served: Served, paths: Sequence[str]) -> list[str]:
    """What happened that should not have, while these pages were shown."""
    with watched(stage, served) as done:
        for path in paths:
            stage.page.goto(served.interface + path, wait_until="load", timeout=LOAD_MILLISECONDS)
            # What is folded away is shown too, and pictures that are loaded late.
            stage.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
            assert stage.page.locator("main script, main iframe:not([sandbox])").count() == 0
        stage.page.wait_for_load_state("networkidle", timeout=LOAD_MILLISECONDS)
    return [*done, *stage.happened, *sorted(stage.asked)]


def test_the_control_fires_where_nothing_is_escaped(stage: Stage):
    numbers = range(0, len(ALL) - len(FOR_HTMX), 8)
    assert len(stage.run(numbers, is_rewritten=False, has_policy=False)) > len(numbers) * 0.75


def test_there_are_enough_of_them():
    assert len(ALL) >= 2_500


def test_nothing_runs_in_pages_about_blogs_and_lists(stage: Stage, served: Served):
    homes = [f"b{number}.example" for number in range(BLOGS)]
    kinds = ("blog", "timeline", "calendar", "complete", "captures", "rules", "requests")
    paths = [
        "/", "/fleet", *(f"/{kind}/{home}" for kind in kinds for home in homes),
        *(f"/captures/{home}?kind={kind}" for home in homes for kind in ("media", "all")),
        *(f"/blog/{home}?more={kind}" for home in homes for kind in ("tag", "author")),
        *(f"/search?q=word3&blog={home}&page={page}" for home in homes for page in range(1, 12)),
    ]
    assert shown(stage, served, paths) == []


def test_nothing_runs_in_posts_with_their_comments_and_versions(stage: Stage, served: Served):
    bundles = -(-(len(ALL) // BLOGS) // BUNDLE)
    paths = [
        f"{way}/http://b{number}.example/bundle{place or ''}" for number in range(BLOGS) for place in range(bundles)
        for way in ("/read", "/diff/1/2")
    ]
    assert shown(stage, served, paths) == []


def test_no_article_runs(stage: Stage, served: Served):
    paths = [
        f"/read/http://b{number}.example/article{place}" for number in range(BLOGS)
        for place in range(len(ALL[number::BLOGS][::ARTICLES_STEP]))
    ]
    assert shown(stage, served, paths) == []


def test_nothing_runs_that_stands_in_an_address(stage: Stage, served: Served, texts: tuple[str, ...]):
    bundles = [" ".join(texts[start:start + ADDRESS_BUNDLE]) for start in range(0, len(texts), ADDRESS_BUNDLE)]
    paths = [
        ADDRESSES[number % len(ADDRESSES)].format(quote(text, safe="" if number // 2 % 2 else "/<>'\"()=;:"))
        for number, text in enumerate([*bundles, *texts[::ADDRESSES_STEP]])
    ]
    assert shown(stage, served, [path for path in paths if "/feed/" not in path or "%" in path]) == []


def test_files_of_captured_pages_are_shown_with_their_types(stage: Stage, served: Served):
    held = served.page("/captures/b0.example?kind=media").text
    assert ".bin" in held
    links = sorted({each.split('"')[0] for each in held.split('href="')[1:] if each.startswith("/web/2")})
    assert links
    assert shown(stage, served, links[:BUNDLE]) == []
