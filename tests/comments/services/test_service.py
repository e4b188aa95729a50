"""What a page embeds, and what a rendered page holds of it."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from a_rendered_page import URL, frame, page, service_named

from everlog.comments.comment_markup import Markup
from everlog.comments.css import Selection
from everlog.comments.services import SERVICES, Service, embedded, read_service
from everlog.core.tree import parse

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "internals" / "comment-services.md"
EMBED = "https://example.disqus.com/embed.js"

INLINE = Service(
    name="inline",
    markup=Markup(name="inline", comment=".said", text="p"),
    ready=(".answered",),
    loading=(".spinner",),
    trouble=(".failed",),
)
FRAMED = Service(
    name="framed",
    markup=Markup(name="framed", comment=".said", text="p", permalink="a"),
    frame=re.compile(r"^https://talk\.example/thread"),
    ready=(".answered",),
)
SAID = '<div class="said" id="said-1"><p>Fine.</p><a href="#said-1">#</a></div>'


def names(static: str) -> list[str]:
    return [service.name for service in embedded(parse(f"<p>The post.</p>{static}".encode()))]


@pytest.mark.parametrize(
    "static",
    [
        "",
        f"<!-- <script src='{EMBED}'></script><div id='disqus_thread'></div> -->",
        f"<noscript><div id='disqus_thread'></div><script src='{EMBED}'></script></noscript>",
        f"<template><div id='disqus_thread'></div><script src='{EMBED}'></script></template>",
        f"<pre><code>&lt;script src='{EMBED}'&gt;&lt;/script&gt; &lt;div id='disqus_thread'&gt;</code></pre>",
        f"<textarea><script src='{EMBED}'></script></textarea>",
        f"<p>Load {EMBED} into #disqus_thread.</p>",
        f"<a href='{EMBED}' id='comments'>the script</a>",
        f"<link rel='preload' href='{EMBED}' as='script'>",
        "<h2 id='waline'>Waline</h2>",
        f"<script type='application/json'>{{\"src\": \"{EMBED}\"}}</script>",
        f"<script type='text/x-template'><script src='{EMBED}'></script>",
        f"<script>\n  // s.src = '{EMBED}';\n  go();\n</script>",
        f"<script>/* s.src = '{EMBED}'; */ go();</script>",
        "<script>var posts = [{title: 'Why I left disqus.com for giscus comments'}];</script>",
    ],
)
def test_what_no_browser_would_run_embeds_nothing(static):
    assert names(static) == []


@pytest.mark.parametrize(
    "static",
    [
        f"<script>/* comments */ s.src = '{EMBED}'; // loads them</script>",
        f"<script>var home = 'http://blog.example/'; s.src = '{EMBED}';</script>",
        f"<script>s.src='//example.disqus.com/embed.js';</script><script>// {EMBED}</script>",
        f"<script type='text/javascript'>s.src = \"{EMBED}\"</script>",
        f"<script type='module' src='{EMBED}'></script>",
        f"<script src='{EMBED}'>\n</script>",
        "<script src='//example.disqus.com/embed.js'>\n</script>",
        f"<script type='rocketlazyloadscript' data-rocket-src='{EMBED}'></script>",
        "<iframe data-src='https://disqus.com/embed/comments/?base=default'></iframe>",
        "<div><template shadowrootmode='open'><div id='disqus_thread'></div></template></div>",
    ],
)
def test_what_a_browser_runs_is_embedded_however_it_is_written(static):
    assert names(static) == ["disqus"]


def test_several_services_are_named_once_each_in_the_order_of_the_table():
    static = (
        f"<div id='lv-container'></div><div id='disqus_thread'></div><script src='{EMBED}'></script>"
        "<div id='cusdis_thread'></div>"
    )
    assert names(static) == ["cusdis", "disqus", "livere"]


def test_a_container_with_the_comments_of_a_saved_page_asks_for_no_browser():
    saved = '<div id="uyan_frame"><div class="uyan_cmt_com"><div class="uyan_cmt_txt">Fine.</div></div></div>'
    loader = '<script src="http://v2.uyan.cc/code/uyan.js?uid=1"></script>'
    assert names(saved + loader) == []
    assert names('<div id="uyan_frame"><p>Loading</p></div>' + loader) == ["youyan"]
    assert [service.name for service in embedded(page(saved + loader))] == ["youyan"]


def test_what_stands_in_a_frame_of_a_rendered_page_is_not_embedded_by_the_page():
    assert embedded(page(frame("https://other.example/", f"<script src='{EMBED}'></script>"))) == ()


def test_comments_in_the_page_are_read_and_those_in_frames_are_somebody_elses():
    thread = read_service(page(SAID + frame("https://talk.example/thread", SAID)), URL, INLINE)
    assert thread is not None
    assert [(comment.text, comment.source) for comment in thread.comments] == [("Fine.", "inline")]


def test_the_page_stays_as_it_is():
    root = page(SAID + frame("https://talk.example/thread", SAID))
    before = len(list(root.iter()))
    read_service(root, URL, INLINE)
    assert len(list(root.iter())) == before


def test_comments_in_a_frame_have_the_address_of_the_frame_where_they_have_no_other():
    root = page(frame("https://ads.example/", SAID) + frame("https://talk.example/thread?of=tea", SAID))
    thread = read_service(root, URL, FRAMED)
    assert thread is not None
    assert [comment.url for comment in thread.comments] == ["https://talk.example/thread?of=tea#said-1"]


def test_of_several_frames_the_one_with_comments_is_read():
    root = page(
        frame("https://talk.example/thread?of=tea", '<p class="answered">None yet.</p>')
        + frame("https://talk.example/thread?of=milk", SAID)
    )
    thread = read_service(root, URL, FRAMED)
    assert thread is not None
    assert len(thread.comments) == 1


@pytest.mark.parametrize(
    "body",
    [
        "",
        '<p class="answered" hidden>None yet.</p>',
        '<div style="display: none"><p class="answered">None yet.</p></div>',
        '<p class="answered">None yet.</p><p class="spinner"></p>',
        '<p class="answered">None yet.</p><p class="failed">Try again later.</p>',
    ],
)
def test_a_service_that_did_not_answer_leaves_the_comments_unknown(body):
    assert read_service(page(body), URL, INLINE) is None


@pytest.mark.parametrize(
    "body",
    [
        '<p class="answered">None yet.</p>',
        '<p class="answered">None yet.</p><p class="spinner" style="display:none"></p><p class="failed" hidden></p>',
    ],
)
def test_a_service_that_answered_has_no_comments(body):
    thread = read_service(page(body), URL, INLINE)
    assert thread is not None
    assert (thread.source, thread.comments) == ("inline", ())


def test_comments_that_came_before_the_trouble_are_kept():
    thread = read_service(page(SAID + '<p class="failed">Could not load more.</p>'), URL, INLINE)
    assert thread is not None
    assert len(thread.comments) == 1


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_every_service_can_be_told_and_says_how_it_was_verified(service):
    assert service.markup.name == service.name
    assert service.ids or service.classes or service.tags or service.scripts
    assert service.ready
    assert service.verified
    assert service.documentation


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_every_selector_of_a_service_is_one_that_the_reader_knows(service):
    nothing = Selection(parse(b"<body></body>"))
    written = [getattr(service.markup, field.name) for field in fields(service.markup)]
    selectors = [text.rpartition("@")[0] or text for text in written[1:] if isinstance(text, str) and text[0] != "@"]
    states = (*service.more, *service.ready, *service.loading, *service.trouble)
    for selector in (*selectors, *service.markup.cut, *states):
        assert nothing.all(selector) == []


def test_names_ids_and_elements_belong_to_one_service_each():
    for held in (
        [service.name for service in SERVICES],
        [ident for service in SERVICES for ident in service.ids],
        [tag for service in SERVICES for tag in service.tags],
    ):
        assert len(held) == len(set(held))


def test_the_table_is_in_the_order_of_the_alphabet():
    assert [service.name for service in SERVICES] == sorted(service.name for service in SERVICES)
    assert service_named("disqus") in SERVICES


@pytest.mark.parametrize("opened", ["/* ", "` ", "\" ' ", "// ", "\\"])
def test_what_is_opened_and_never_closed_is_searched_once(opened):
    # Quadratic, this would take hours.
    assert names(f"<script>s.src = '{EMBED}'; {opened * 200_000}</script>") == ["disqus"]


def test_evidence_that_nobody_wrote_is_not_followed_to_its_end():
    assert names("<noscript>" + "<hyvor-talk-comments>" * 50_000 + "</noscript>") == []


def test_a_page_of_many_scripts_is_looked_at_to_its_end():
    scripts = "".join(f"<script>var a{n} = 'delivered by nobody';</script>" for n in range(12_000))
    assert names(f"{scripts}<script src='{EMBED}'></script>") == ["disqus"]


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_every_service_has_its_rows_in_the_documentation(service):
    rows = [line.lower() for line in DOCUMENTATION.read_text("utf-8").splitlines() if line.startswith("| ")]
    assert sum(row[2:].startswith(service.name) for row in rows) == 2


def test_what_was_not_tried_on_the_service_itself_is_said_in_the_documentation():
    rows = [line.lower() for line in DOCUMENTATION.read_text("utf-8").splitlines() if "**not against" in line.lower()]
    said = {row[2:].split()[0].removesuffix("'s") for row in rows}
    assert said == {service.name for service in SERVICES if "not against" in service.verified}
