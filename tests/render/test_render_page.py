"""What becomes of a page: scripts, frames and shadow roots in one document."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from dataclasses import replace

import pytest
from stage import HOME, Site, answer, page, redirect

from everlog.core.tree import parse
from everlog.records import Failure
from everlog.render.settling import QUIET_SECONDS


def texts(html: str, path: str) -> list[str]:
    return ["".join(element.itertext()).strip() for element in parse(html.encode()).xpath(path)]


def test_a_page_without_scripts_stays_what_it_is(stage):
    rendered = stage.render("<!DOCTYPE html><html lang=de><head><title>T</title></head><body><p>Grüße</body></html>")
    assert rendered.body.decode() == (
        '<!DOCTYPE html><html lang="de" data-everlog-rendered="settled">'
        '<head><meta charset="utf-8"><title>T</title></head><body><p>Grüße</p></body></html>'
    )
    assert (rendered.url, rendered.settled, rendered.clicks, rendered.requests) == (HOME, True, 0, 0)
    assert rendered.screenshot is None


def test_the_page_itself_is_not_asked_for_again(stage):
    site = Site()
    stage.render("<p>x", site)
    assert site.asked == []


def test_what_scripts_fetch_and_write_is_there(stage):
    site = Site({
        "https://a.blog/app.js": "fetch('/api/post.json').then(r => r.json()).then(p => {"
        "document.querySelector('#app').innerHTML = `<h1>${p.title}</h1><article>${p.text}</article>`})",
        "https://a.blog/api/post.json": '{"title": "Über", "text": "<p>Long text</p>"}',
    })
    html = stage.html('<div id="app"></div><script src="/app.js"></script>', site)
    assert '<div id="app"><h1>Über</h1><article><p>Long text</p></article></div>' in html
    assert site.urls() == ["https://a.blog/app.js", "https://a.blog/api/post.json"]


def test_what_a_chain_of_answers_and_timers_writes_is_there(stage):
    site = Site({f"https://a.blog/{n}.json": f'{{"n": {n}}}' for n in range(5)})
    html = stage.html(
        """<ul></ul><script>
        async function go(n) {
          const answer = await (await fetch(`/${n}.json`)).json();
          setTimeout(() => {
            document.querySelector('ul').innerHTML += `<li>${answer.n}</li>`;
            if (n < 4) go(n + 1);
          }, 100);
        }
        addEventListener('load', () => requestIdleCallback(() => go(0)));
        </script>""", site,
    )
    assert texts(html, "//li") == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<p>Füße</p>".encode("iso-8859-1"), "text/html; charset=ISO-8859-1"),
        ("<meta charset=iso-8859-1><p>Füße</p>".encode("iso-8859-1"), None),
        ("<p>Füße</p>".encode(), "application/xhtml+xml; charset=utf-8"),
    ],
)
def test_any_encoding_becomes_utf8_and_says_so(stage, body, content_type):
    rendered = stage.render(page(body, content_type=content_type))
    assert parse(rendered.body).findtext("body/p") == "Füße"
    assert rendered.body.count(b"charset") == 1


def test_a_frame_of_another_site_stands_in_a_template_after_its_element(stage):
    site = Site({
        "https://talk.example/embed": "<head><title>Talk</title><base href='https://elsewhere.example/'>"
        "<link rel=canonical href='/x'></head><body><p>One</p><a href='next'>n</a>"
        "<iframe src='https://deep.example/'></iframe></body>",
        "https://deep.example/": "<p>Two</p>",
    })
    html = stage.html("<div><iframe src='https://talk.example/embed'></iframe></div><p>End</p>", site)
    root = parse(html.encode())
    assert root.xpath("//@data-everlog-frame") == ["https://talk.example/embed", "https://deep.example/"]
    assert texts(html, "//div/iframe/following-sibling::template/p") == ["One"]
    assert texts(html, "//template/template/p") == ["Two"]
    assert texts(html, "/html/body/p") == ["End"]
    assert root.xpath("//title|//base|//link") == []
    assert root.xpath("//a/@href") == ["https://elsewhere.example/next"]


def test_frames_with_written_and_scripted_documents_are_kept(stage):
    html = stage.html(
        """<iframe srcdoc='<p>written</p>'></iframe><iframe id=s></iframe>
        <iframe sandbox srcdoc='<p>boxed</p>'></iframe>
        <script>s.contentDocument.body.innerHTML = '<p>scripted</p>'</script>"""
    )
    assert texts(html, "//template[@data-everlog-frame='about:srcdoc']/p") == ["written", "boxed"]
    assert texts(html, "//template[@data-everlog-frame='about:blank']/p") == ["scripted"]


def test_shadow_roots_are_kept_the_closed_ones_too(stage):
    html = stage.html(
        """<x-open>light</x-open><x-closed></x-closed>
        <div><template shadowrootmode=closed><p>declared</p></template></div>
        <script>for (const mode of ['open', 'closed']) customElements.define('x-' + mode, class extends HTMLElement {
          connectedCallback() {
            const root = this.attachShadow({mode});
            root.innerHTML = `<p>${mode}</p><span></span>`;
            root.querySelector('span').attachShadow({mode}).innerHTML = '<b>inner</b>';
          }
        })</script>"""
    )
    inner = '<span><template shadowrootmode="open"><b>inner</b></template></span>'
    assert f'<x-open><template shadowrootmode="open"><p>open</p>{inner}</template>light</x-open>' in html
    assert f'<x-closed><template shadowrootmode="open"><p>closed</p>{inner}</template></x-closed>' in html
    assert '<div><template shadowrootmode="open"><p>declared</p></template></div>' in html


def test_a_frame_in_a_shadow_root_is_kept_there(stage):
    site = Site({"https://giscus.example/w": "<p>Talk</p>"})
    html = stage.html(
        """<x-w></x-w><script>customElements.define('x-w', class extends HTMLElement {
          connectedCallback() {
            this.attachShadow({mode: 'open'}).innerHTML = '<iframe src="https://giscus.example/w"></iframe>';
          }
        })</script>""", site,
    )
    assert texts(html, "//x-w/template[@shadowrootmode]/template[@data-everlog-frame]/p") == ["Talk"]


TRAPS = (
    "<script>var a = '</temp' + 'late>'; /* </template> */</script>",
    """<script>const s = document.createElement('script'); s.type = 'x';
    s.textContent = '</script\\u003E</template>'; document.body.append(s)</script>""",
    "<noscript></template></noscript>",
    "<xmp></template></xmp>",
    "<script>document.body.append(document.createComment('--></template>'))</script>",
    "<style>a::before {content: '</template>'}</style>",
    "<textarea></template></textarea>",
    "<p title='</template>'>&lt;/template&gt;</p>",
    "</template></body></html>",
    "<iframe></template></iframe>",
    """<script>const t = document.createElement('template'); t.innerHTML = '<xmp></temp' + 'late></xmp>';
    document.body.append(t)</script>""",
    "<plaintext></template>",
)


def test_nothing_in_a_frame_breaks_out_of_its_template(stage):
    site = Site({f"https://talk.example/{number}": f"<i>in</i>{trap}" for number, trap in enumerate(TRAPS)})
    frames = "".join(f"<iframe src='https://talk.example/{number}'></iframe><b>out</b>" for number in range(len(TRAPS)))
    root = parse(stage.html(f"<body>{frames}</body>", site).encode())
    assert len(root.xpath("/html/body/template/i[.='in']")) == len(TRAPS)
    assert [element.tag for element in root.find("body")] == ["iframe", "template", "b"] * len(TRAPS)


def test_a_redirected_frame_stands_under_the_address_it_ends_at(stage):
    site = Site({
        "https://short.example/1": lambda asked: redirect(asked.url, "https://long.example/a/b", 301),
        "https://long.example/a/b": lambda asked: redirect(asked.url, "../c?x=1"),
        "https://long.example/c": "<script src='d.js'></script>",
        "https://long.example/d.js":
            "document.write(`<p>${location.href} ${origin} ${new URL('e', document.baseURI)}</p>`)",
    })
    html = stage.html("<iframe src='https://short.example/1'></iframe>", site)
    assert texts(html, "//template[@data-everlog-frame='https://long.example/c?x=1']/p") == [
        "https://long.example/c?x=1 https://long.example https://long.example/e"
    ]
    assert site.urls()[:3] == ["https://short.example/1", "https://long.example/a/b", "https://long.example/c?x=1"]


def test_a_loop_of_redirects_ends(stage):
    site = Site({
        "https://b.example/": lambda asked: redirect(asked.url, f"https://b.example/?n={len(asked.url)}"),
        "https://a.blog/loop.json": lambda asked: redirect(asked.url, "/loop.json"),
    })
    body = "<p>x</p><iframe src=https://b.example/></iframe><script>fetch('/loop.json')</script>"
    rendered = stage.render(body, site)
    assert rendered.settled
    assert len(site.asked) <= 2 * 21


def test_a_redirected_script_and_answer_know_where_they_came_from(stage):
    def script(text):
        return lambda asked: answer(asked.url, text, "text/javascript", Access_Control_Allow_Origin="*")

    site = Site({
        "https://a.blog/old.js": lambda asked: redirect(asked.url, "https://cdn.example/dir/new.js"),
        "https://cdn.example/dir/new.js": script("""
            import {word} from './word.js';
            const answer = await fetch('/old.json');
            const said = [word, answer.url, answer.redirected, await answer.text(), import.meta.url];
            document.body.append(said.join(' '))"""),
        "https://cdn.example/dir/word.js": script("export const word = 'hello'"),
        "https://a.blog/old.json": lambda asked: redirect(asked.url, "/new.json", 307),
        "https://a.blog/new.json": "5",
    })
    html = stage.html("<body><script type=module src='/old.js'></script></body>", site)
    assert "hello https://a.blog/new.json true 5 https://cdn.example/dir/new.js" in html


def test_questions_carry_method_headers_and_body_and_follow_the_rules_of_other_sites(stage):
    def api(asked):
        return answer(
            asked.url, f"{asked.method} {asked.body.decode()}", "text/plain",
            Access_Control_Allow_Origin="https://a.blog", Access_Control_Allow_Methods="PUT",
            Access_Control_Allow_Headers="x-token, content-type",
        )

    site = Site({"https://api.example/q": api, "https://closed.example/q": "secret"})
    html = stage.html(
        """<body><p id=a></p><p id=b></p><script>
        const headers = {'x-token': 't', 'content-type': 'application/json'};
        fetch('https://api.example/q', {method: 'PUT', headers, body: '{"é": 1}'})
          .then(answer => answer.text()).then(text => a.textContent = text);
        fetch('https://closed.example/q')
          .then(answer => answer.text(), () => 'not for us').then(text => b.textContent = text);
        </script></body>""", site,
    )
    assert texts(html, "//p") == ['PUT {"é": 1}', "not for us"]
    put = next(asked for asked in site.asked if asked.method == "PUT")
    assert {name.lower(): value for name, value in put.headers} == {
        "accept": "*/*", "content-type": "application/json", "origin": "https://a.blog",
        "referer": "https://a.blog/", "x-token": "t",
    }
    assert [asked.method for asked in site.asked if "api" in asked.url] == ["OPTIONS", "PUT"]


def test_cookies_that_answers_set_are_sent_back_during_the_page_and_no_longer(stage):
    login = answer("https://a.blog/login.json", "{}", "application/json")
    site = Site({
        "https://a.blog/login.json": replace(
            login, headers=(*login.headers, ("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/"))
        ),
        "https://a.blog/data.json": "{}",
    })
    body = "<script>fetch('/login.json').then(() => fetch('/data.json'))</script>"
    for _ in range(2):
        site.asked.clear()
        stage.html(body, site)
        cookies = [dict(asked.headers).get("Cookie") for asked in site.asked]
        assert cookies == [None, "a=1; b=2"]


def test_failures_and_error_answers_reach_the_page_as_they_are(stage):
    site = Site({
        "https://a.blog/dead": Failure(url="https://a.blog/dead", trouble="dns", reason="no such host"),
        "https://a.blog/broken": Failure(
            url="https://a.blog/broken", trouble="http", reason="500", status=500,
            exchanges=(answer("https://a.blog/broken", "oops", status=500),),
        ),
        "https://a.blog/odd": lambda asked: answer(asked.url, "odd", status=799),
    })
    html = stage.html(
        """<body><script>for (const path of ['dead', 'broken', 'missing', 'odd']) {
          const said = fetch('/' + path).then(answer => answer.status, () => 'no');
          said.then(word => document.body.append(`[${path} ${word}]`));
        }</script></body>""", site,
    )
    for expected in ("[dead no]", "[broken 500]", "[missing 404]"):
        assert expected in html
    assert "[odd" in html


def test_what_came_over_a_connection_that_was_just_closed_is_asked_for_again(stage):
    def closing(times, text):
        left = [times]

        def closed(asked):
            left[0] -= 1
            return text if left[0] < 0 else Failure(url=asked.url, trouble="connection", reason="closed")

        return closed

    site = Site({
        "https://a.blog/a.js": closing(1, "document.body.append('[ran]'); fetch('/b.json').then(r => r.text())"
                                          ".then(text => document.body.append(text))"),
        "https://a.blog/b.json": closing(1, "[told]"), "https://b.example/": closing(9, "[never]"),
        "https://a.blog/c.json": closing(9, "[never]"),
    })
    html = stage.html(
        """<body><script src=/a.js></script><iframe src=https://b.example/></iframe>
        <script>fetch('/c.json', {method: 'POST', body: 'x'}).catch(() => document.body.append('[lost]'))</script>""",
        site,
    )
    assert all(word in html for word in ("[ran]", "[told]", "[lost]"))
    asked = Counter(site.urls())
    assert asked == {"https://a.blog/a.js": 2, "https://a.blog/b.json": 2, "https://b.example/": 2,
                     "https://a.blog/c.json": 1}


def test_a_frame_that_cannot_be_reached_is_empty_and_not_the_browser_s_own_words(stage):
    site = Site({"https://b.example/": Failure(url="https://b.example/", trouble="dns", reason="no such host")})
    rendered = stage.render("<body><iframe src=https://b.example/></iframe><p>End</p></body>", site)
    assert rendered.settled
    assert b"data-everlog-frame" not in rendered.body
    assert len(rendered.body) < 500


@pytest.mark.parametrize("kind", ["NetworkService", "renderer"])
def test_an_answer_that_is_long_on_its_way_through_the_browser_is_waited_for(stage, kind):
    async def stopped(asked):
        processes = [pid for name, pid in await stage.browser.processes() if name.endswith(kind)]
        assert processes
        for pid in processes:
            os.kill(pid, signal.SIGSTOP)
            # Longer than a page is quiet before it counts as being at rest.
            asyncio.get_running_loop().call_later(4 * QUIET_SECONDS, os.kill, pid, signal.SIGCONT)
        return '{"next": "/2.json"}'

    site = Site({"https://a.blog/1.json": stopped, "https://a.blog/2.json": "2", "https://b.example/": stopped})
    scripted = """<body><script>
        fetch('/1.json').then(r => r.json()).then(({next}) => fetch(next)).then(r => r.text())
          .then(text => document.body.append(`[${text}]`))</script>"""
    assert "[2]" in stage.html(scripted, site)
    assert '{"next": "/2.json"}</template>' in stage.html("<body><iframe src=https://b.example/></iframe>", site)


def test_an_error_of_who_fetches_is_raised_to_who_asked(stage):
    class Full(Exception):
        pass

    def full(asked):
        raise Full

    with pytest.raises(Full):
        stage.render("<script src='/a.js'></script>", Site({"https://a.blog/a.js": full}))
    assert "<p>x</p>" in stage.html("<p>x")


def test_pictures_are_not_loaded_and_not_missed(stage):
    site = Site()
    html = stage.html(
        """<img src='/a.png' onload='this.alt = "there"' onerror='this.remove()'>
        <img crossorigin src='https://b.example/a.png' onerror='this.remove()'>""", site,
    )
    assert html.count("<img") == 2
    assert 'alt="there"' in html
    assert site.asked == []


def test_scripts_and_styles_are_asked_for_once_for_all_pages(stage):
    site = Site({
        "https://a.blog/shared.js": "document.body.append('ran')", "https://a.blog/shared.css": "p {color: red}",
        "https://a.blog/data.json": "1",
    })
    body = """<body><link rel=stylesheet href=/shared.css><script src=/shared.js></script>
    <script>fetch('/data.json')</script>"""
    for number in range(3):
        assert "ran" in stage.html(page(body, f"https://a.blog/{number}"), site)
    assert Counter(site.urls()) == {
        "https://a.blog/data.json": 3, "https://a.blog/shared.css": 1, "https://a.blog/shared.js": 1,
    }


def test_the_scripts_of_one_crawl_are_not_given_to_another(stage):
    body = "<body><script src=https://c.example/a.js></script>"
    for number in range(2):
        site = Site({"https://c.example/a.js": f"document.body.append('for {number}')"})
        assert f"for {number}" in stage.html(body, site)


def test_a_page_sees_nothing_of_the_page_before_it(stage):
    look = """<body><script>(async () => {
      const kept = [(await indexedDB.databases()).length, (await caches.keys()).length];
      const seen = [document.cookie, localStorage.a, sessionStorage.a, window.name, ...kept, history.state];
      document.body.append('[' + seen.join() + ']');
      document.cookie = 'a=1';
      localStorage.a = sessionStorage.a = window.name = 'a';
      indexedDB.open('a');
      await caches.open('a');
      history.replaceState('a', '');
    })()</script>"""
    for number in range(3):
        html = stage.html(page(look, f"https://a.blog/{number}"))
        assert "[,,,,0,0,]" in html


def test_a_screenshot_shows_the_whole_page_with_its_pictures(stage):
    site = Site({"https://a.blog/a.png": "", "https://a.blog/far.png": ""})
    rendered = stage.render(
        """<body style='margin: 0'><div style='height: 3000px; background: red'></div><img src=/a.png>
        <div style='height: 3000px'></div><img loading=lazy src=/far.png></body>""", site, screenshot=True,
    )
    assert rendered.screenshot is not None
    assert rendered.screenshot.startswith(b"\x89PNG")
    width, height = (int.from_bytes(rendered.screenshot[at : at + 4], "big") for at in (16, 20))
    assert width == 1280
    assert 6000 <= height <= 6200
    assert sorted(site.urls()) == ["https://a.blog/a.png", "https://a.blog/far.png"]


def test_a_screenshot_ends_where_chromium_draws_no_more(stage):
    rendered = stage.render("<div style='height: 100000px'></div>", screenshot=True)
    assert rendered.screenshot is not None
    assert int.from_bytes(rendered.screenshot[20:24], "big") == 16_000
