"""The services' own clients in a real Chromium: all comments, who answers whom, none, and a service that fails.

The clients come from npm, the server Isso from PyPI (scripts/install-browser-parts); what they ask is answered on
this machine. What is played, because it is not to be had, says so in frames/ and in `Service.verified`.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from a_giscus import giscus
from a_github import github
from a_leancloud import leancloud
from a_talk import heard, said, talk
from a_twikoo import twikoo
from a_waline import waline
from an_isso import isso
from service_hosts import Answer, Hosts, broken, files, forwarded, need

from everlog.comments.services import SERVICES, embedded, read_service
from everlog.core.tree import parse
from everlog.records import Page
from everlog.render import Browser, RenderOptions

if TYPE_CHECKING:
    from a_talk import Said
    from service_hosts import Host

    from everlog.comments.comment_markup import Thread
    from everlog.comments.services import Service
    from everlog.records import Rendered

BLOG = "https://a.blog"
SPOKEN, SILENT = "/a-post/", "/nobody-cared/"
FRAMES = Path(__file__).parent / "frames"
TALK = talk()
BY_NAME: dict[str, Service] = {service.name: service for service in SERVICES}

# The page of a post with the service's own instructions followed.
PAGE = """<!doctype html><html lang=en><head><meta charset=utf-8><title>A post</title></head><body>
<article><h1>A post</h1><p>Words of the article.</p></article>EMBED</body></html>"""

TWIKOO = """<div id=tcomment></div><script src="https://clients.example/dist/twikoo.min.js"></script>
<script>twikoo.init({envId: 'https://comments.example/', el: '#tcomment', lang: 'en'})</script>"""
WALINE = """<div id=waline></div><script type=module>
import { init } from 'https://clients.example/@waline/client/dist/waline.js';
init({el: '#waline', serverURL: 'https://comments.example', lang: 'en'});</script>"""
VALINE = """<div id=vcomments></div><script src="https://clients.example/dist/Valine.min.js"></script>
<script>new Valine({el: '#vcomments', appId: 'a', appKey: 'b', serverURLs: 'https://comments.example', lang: 'en',
pageSize: 5})</script>"""
GITALK = """<div id=gitalk-container></div><script src="https://clients.example/dist/gitalk.min.js"></script>
<script>new Gitalk({clientID: 'a', clientSecret: 'b', repo: 'c', owner: 'b', admin: ['b'], id: location.pathname,
language: 'en', perPage: 7}).render('gitalk-container')</script>"""
UTTERANCES = """<script src="https://utteranc.es/client.js" repo="bb/cc" issue-term="pathname"></script>"""
GISCUS = """<script type=importmap>{"imports": {"lit": "https://clients.example/lit/index.js",
"lit/": "https://clients.example/lit/", "lit-html": "https://clients.example/lit-html/lit-html.js",
"lit-html/": "https://clients.example/lit-html/", "lit-element/": "https://clients.example/lit-element/",
"@lit/reactive-element": "https://clients.example/@lit/reactive-element/reactive-element.js",
"@lit/reactive-element/": "https://clients.example/@lit/reactive-element/"}}</script>
<script type=module src="https://clients.example/giscus/dist/giscus.mjs"></script>
<giscus-widget repo="a/b" repoid="R" category="General" categoryid="C" mapping="pathname"></giscus-widget>"""
ISSO = """<script data-isso="https://comments.example/" data-isso-max-comments-top=4 data-isso-max-comments-nested=2
data-isso-reveal-on-click=3 src="https://comments.example/js/embed.min.js"></script>
<section id=isso-thread data-isso-id="PATH"></section>"""


class Setting(NamedTuple):
    """How a page embeds a service, the hosts it asks and the one of them that knows the comments."""

    embed: str
    hosts: dict[str, Host]
    knows: str = "comments.example"
    # What should be heard, and how much of the threads the service shows.
    words: tuple[Said, ...] = TALK
    threads: str = "all"
    # The host without its comments.
    fails: Host = broken


def clients(folder: str = "", **named: str) -> Host:
    need("node_modules")
    return files(folder, **named)


def waline_setting() -> Setting:
    return Setting(WALINE, {"clients.example": clients(), "comments.example": waline({SPOKEN: TALK, SILENT: ()})})


def twikoo_setting() -> Setting:
    server = twikoo({SPOKEN: TALK, SILENT: ()})
    return Setting(TWIKOO, {"clients.example": clients("twikoo"), "comments.example": server})


def valine_setting() -> Setting:
    hosts = {
        "clients.example": clients("valine"), "comments.example": leancloud({SPOKEN: TALK, SILENT: ()}),
        # Where Valine looks for LeanCloud's own script.
        "cdn.jsdelivr.net": clients("", npm_leancloud_storage="leancloud-storage/dist/av-min.js"),
    }
    authors = {comment.number: comment.author for comment in TALK}
    named = tuple(
        replace(each, paragraphs=(f"@{authors[each.answers]} , {each.paragraphs[0]}", *each.paragraphs[1:]))
        if each.answers else each
        for each in TALK
    )
    return Setting(VALINE, hosts, words=named)


def gitalk_setting() -> Setting:
    hosts = {"clients.example": clients("gitalk"), "api.github.com": github("b/c", {SPOKEN: TALK, SILENT: ()})}
    return Setting(GITALK, hosts, "api.github.com", threads="none")


def utterances_setting() -> Setting:
    hosts = {
        # Two of the package's files are named otherwise than its page names them.
        "utteranc.es": clients("utterances", comments_js="utterances.js", comments_css="utterances.css"),
        "api.github.com": github("bb/cc", {SPOKEN[1:]: TALK}, BLOG),
    }
    return Setting(UTTERANCES, hosts, "api.github.com", threads="none")


def utterances_of_today() -> Setting:
    setting = utterances_setting()
    page = Answer(200, "text/html; charset=utf-8", (FRAMES / "utterances.html").read_bytes())
    client = setting.hosts["utteranc.es"]
    return setting._replace(hosts=setting.hosts | {
        "utteranc.es": lambda asked: page if "/utterances.html" in asked.url else client(asked)
    })


def giscus_setting() -> Setting:
    hosts = {"clients.example": clients(), "giscus.app": giscus({SPOKEN[1:]: TALK})}
    return Setting(GISCUS, hosts, "giscus.app", threads="one", fails=giscus({}, works=False))


SETTINGS = {
    "waline": waline_setting, "twikoo": twikoo_setting, "valine": valine_setting, "gitalk": gitalk_setting,
    "utterances": utterances_setting, "utterances of today": utterances_of_today, "giscus": giscus_setting,
}


def read(name: str, *settings: tuple[str, Setting], blog: str = BLOG) -> list[Thread | None]:
    """What the reader makes of what the browser makes of pages, each at a path of the blog."""
    pages = [
        Page(url=blog + path, body=PAGE.replace("EMBED", setting.embed.replace("PATH", path)).encode())
        for path, setting in settings
    ]
    assert {service.name for page in pages for service in embedded(parse(page.body))} == {name}

    async def rendered() -> list[Rendered]:
        async with Browser(RenderOptions()) as browser:
            return await asyncio.gather(*(
                browser.render(page, fetch=Hosts(setting.hosts).fetch, services=(BY_NAME[name],))
                for page, (_, setting) in zip(pages, settings, strict=True)
            ))

    return [
        read_service(parse(shown.body), shown.url, BY_NAME[name], fetched_at=shown.rendered_at)
        for shown in asyncio.run(rendered())
    ]


@pytest.mark.parametrize("case", [
    "waline", *(pytest.param(each, marks=pytest.mark.slow) for each in SETTINGS if each != "waline"),
])
def test_all_comments_and_none_and_a_service_that_fails(case):
    setting = SETTINGS[case]()
    failing = setting._replace(hosts=setting.hosts | {setting.knows: setting.fails})
    spoken, silent, failed = read(
        case.partition(" ")[0], (SPOKEN, setting), (SILENT, setting), (SPOKEN, failing)
    )
    # All that Gitalk shows of a date is how long ago it was.
    days = case != "gitalk"
    assert heard(spoken, days=days) == said(setting.words, threads=setting.threads, days=days)
    assert silent is not None
    assert silent.comments == ()
    assert failed is None


@pytest.mark.slow
def test_isso_with_its_own_server(tmp_path):
    # Isso asks its blog for the title of a post; there is none at this address, which is one of this machine's own.
    blog = "http://127.6.5.4:8080"
    with isso(tmp_path, blog, "https://comments.example", SPOKEN, TALK) as port:
        setting = Setting(ISSO, {"comments.example": forwarded(port)})
        failing = Setting(ISSO, {"comments.example": without_comments(port)})
        spoken, silent, failed = read("isso", (SPOKEN, setting), (SILENT, setting), (SPOKEN, failing), blog=blog)
    # An answer to an answer is kept as one to the comment that began it.
    assert heard(spoken) == said(TALK, threads="one")
    assert spoken is not None
    assert spoken.claimed == len(TALK)
    assert silent is not None
    assert silent.comments == ()
    assert failed is None


def without_comments(port: int) -> Host:
    """Isso, whose scripts come and whose comments do not."""
    server = forwarded(port)
    return lambda asked: server(asked) if "/js/" in asked.url or "/config" in asked.url else broken(asked)


@pytest.mark.slow
def test_gitalk_tells_how_long_ago_and_what_nobody_opened():
    recent = talk(datetime.now(UTC) - timedelta(days=21))
    setting = gitalk_setting()
    spoken, unheard = read("gitalk", (SPOKEN, setting._replace(hosts=setting.hosts | {
        "api.github.com": github("b/c", {SPOKEN: recent})
    })), ("/unheard-of/", setting))
    assert spoken is not None
    apart = [abs(read.published - each.at) for read, each in zip(spoken.comments, recent, strict=True)]
    # "20 days ago" names a day, not an hour.
    assert max(apart) < timedelta(hours=25)
    assert unheard is not None
    assert unheard.comments == ()
