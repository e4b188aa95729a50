"""Pages without an end: each is kept as far as it came, in its time."""

from __future__ import annotations

import asyncio

import pytest
from stage import Site, staged

from everlog.core.tree import parse
from everlog.render import RenderFailed, RenderOptions
from everlog.render.settling import Scene


@pytest.fixture(scope="module")
def short():
    # Long enough for a page to be opened on a busy machine; what never ends takes all of it.
    with staged(RenderOptions(page_seconds=3.0, max_bytes=300_000)) as found:
        yield found


@pytest.fixture(scope="module")
def small():
    with staged(RenderOptions(max_bytes=300_000)) as found:
        yield found


# Each goes on by the page's own clock, or by answers that are waited for: on a busy machine none seems to be at rest.
ENDLESS = {
    "nodes": "setInterval(() => document.body.append(document.createElement('p')), 10)",
    "frames of an animation": """
        const more = () => { document.body.insertAdjacentHTML('beforeend', '<p>x</p>'); requestAnimationFrame(more); };
        more();
        setInterval(() => document.body.append('.'), 20)""",
    "requests": """
        (async () => { for (let n = 1;; n++) { await fetch('/' + 'x'.repeat(n)); document.body.append('.'); } })();""",
    "requests and nodes": """
        const pause = () => new Promise((done) => setTimeout(done, 50));
        (async () => { for (;;) await fetch('/x.json').then(pause); })();
        setInterval(() => document.body.append(document.createElement('i')), 20)""",
    "frames": r"""
        const frame = document.createElement('iframe');
        frame.srcdoc = '<script>document.body.append("inside")<\/script>';
        setInterval(() => document.body.append(frame.cloneNode()), 100)""",
}


@pytest.mark.slow
def test_a_page_that_never_settles_is_kept_as_it_is_after_its_time(short):
    pages = {name: f"<body><p>here</p><script>{endless}</script></body>" for name, endless in ENDLESS.items()}
    for name, rendered in short.render_all(pages).items():
        assert b"<p>here</p>" in rendered.body, name
        assert not rendered.settled, name
        assert b'data-everlog-rendered="unsettled"' in rendered.body, name


TICKING = {
    "clock": """
        const clock = document.body.appendChild(document.createElement('i'));
        setInterval(() => { clock.textContent = new Date().toISOString(); }, 20)""",
    "counter": """
        const text = document.createTextNode('0');
        document.body.append(text);
        setInterval(() => { text.data = +text.data + 1; }, 20)""",
    "slides": """
        let n = 0;
        const slides = document.body.appendChild(document.createElement('div'));
        setInterval(() => { slides.innerHTML = `<b>slide ${n++}</b>`; }, 30)""",
    "blinking": "setInterval(() => document.body.classList.toggle('blink'), 10)",
    "pulse": "setInterval(() => fetch('/pulse.json?t=' + Date.now()), 15)",
}


def test_a_clock_in_the_page_is_not_waited_for(stage, monkeypatch):
    # Long for a busy machine with five of them, and less than a page's time: one that is waited for does not settle.
    monkeypatch.setitem(Scene.settle.__kwdefaults__, "longest_seconds", 30.0)
    pages = {name: f"<body><p>here</p><script>{ticking}</script></body>" for name, ticking in TICKING.items()}
    assert {name: rendered.settled for name, rendered in stage.render_all(pages).items()} == dict.fromkeys(pages, True)


def test_an_answer_that_never_comes_ends_with_the_page_s_time(short):
    async def never(asked):
        await asyncio.Event().wait()

    rendered = short.render("<body><p>here</p><script>fetch('/never')</script>", Site({"https://a.blog/never": never}))
    assert b"<p>here</p>" in rendered.body
    assert not rendered.settled


def test_a_page_whose_answer_never_comes_shows_its_comments_all_the_same(stage, monkeypatch):
    monkeypatch.setattr("everlog.render.settling.STALLED_SECONDS", 0.5)

    async def never(asked):
        await asyncio.Event().wait()

    rendered = stage.render(
        """<body><section id=comments><button>Load more comments</button></section><script>
        fetch('/never');
        const section = document.querySelector('#comments');
        section.onclick = () => { section.innerHTML = '<p>more</p>'; };
        </script></body>""", Site({"https://a.blog/never": never}),
    )
    assert b"<p>more</p>" in rendered.body
    assert (rendered.clicks, rendered.settled) == (1, False)


def test_infinite_scroll_is_not_followed(short):
    rendered = short.render(
        """<body><article style='height: 2000px'>post</article><div id=comments style='height: 10px'></div>
        <div id=end style='height: 10px'></div><script>
        const end = document.querySelector('#end');
        new IntersectionObserver(([entry]) => {
          if (entry.isIntersecting) end.insertAdjacentHTML('beforebegin', '<article>next</article>');
        }).observe(end)</script><style>article {height: 2000px}</style>""",
    )
    assert rendered.body.count(b"</article>") < 5


STUCK = {
    "at once": "while (true) {}",
    "later": "setTimeout(() => { while (true) {} }, 50)",
    "in promises": "const again = () => Promise.resolve().then(again); again()",
}


@pytest.mark.parametrize("stuck", [
    "at once", *(pytest.param(each, marks=pytest.mark.slow) for each in ("later", "in promises")),
])
def test_a_page_whose_script_never_pauses_is_interrupted(short, stuck):
    rendered = short.render(f"<body><p>here</p><script>{STUCK[stuck]}</script><p>after</p></body>")
    assert b"<p>here</p>" in rendered.body
    assert not rendered.settled


@pytest.mark.slow
def test_a_page_that_is_stuck_again_and_again_is_given_up(short, monkeypatch):
    # Several, as an interruption that comes before a script has begun takes that one away, and leaves the others.
    stuck = "<script>setInterval(() => { while (true) {} }, 0)</script>" * 6
    with monkeypatch.context() as impatient:
        impatient.setattr("everlog.render.frames.STUCK_SECONDS", 1.0)
        # A browser that is slow to interrupt is not one that is lost.
        impatient.setattr("everlog.render.frames._INTERRUPT_SECONDS", 60.0)
        with pytest.raises(RenderFailed) as error:
            short.render(f"<body>{stuck}")
    assert "never stop running" in error.value.reason
    assert b"<p>next</p>" in short.render("<p>next</p>").body


@pytest.mark.slow
def test_a_huge_page_is_cut_to_size_and_stays_well_formed(small):
    rendered = small.render(
        """<body><ul></ul><script>const items = '<li><b>word</b> &lt;and&gt; ümläut</li>'.repeat(15_000);
        document.querySelector('ul').insertAdjacentHTML('beforeend', items)</script><p>end</p></body>"""
    )
    assert 150_000 < len(rendered.body) <= 300_500
    assert not rendered.settled
    assert rendered.body.endswith(b"</ul></body></html>")


@pytest.mark.slow
def test_a_huge_frame_is_cut_and_its_page_is_not(small):
    site = Site({"https://b.example/": "<ul>" + f"<li>{'x' * 100}</li>" * 5_000 + "</ul>"})
    rendered = small.render("<iframe src='https://b.example/'></iframe><p id=end>end</p>", site)
    assert len(rendered.body) <= 300_500
    assert not rendered.settled
    assert len(parse(rendered.body).xpath("/html/body/p[@id='end']")) == 1


@pytest.mark.slow
def test_a_very_deep_page_is_kept(small):
    rendered = small.render(
        """<body><script>let at = document.body;
        for (let n = 0; n < 1500; n++) at = at.appendChild(document.createElement('div'));
        at.append('bottom')</script></body>"""
    )
    assert b"bottom" in rendered.body
