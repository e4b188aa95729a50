"""Comments that come into view, or after a click on "show more"."""

from __future__ import annotations

import json
import re

import pytest
from stage import Site, answer, page, staged

from everlog.comments.comment_markup import Markup
from everlog.comments.services import Service
from everlog.core.tree import parse
from everlog.render import RenderOptions
from everlog.render.scripts import script

MARKUP = Markup(name="talk", comment="li.c", text="p")
FRAMED = Service(
    name="talk", ids=frozenset({"talk"}), frame=re.compile(r"^https://talk\.example/embed"), markup=MARKUP,
    more=(".more",), ready=("#list", "#none"), loading=(".wait",), trouble=(".failed",),
)
INLINE = Service(name="talk", ids=frozenset({"talk"}), markup=MARKUP, more=(".more",), ready=("#list",))
SHADOWED = Service(name="talk", tags=frozenset({"talk-box"}), markup=MARKUP, more=(".more",), ready=("#list",))

EMBED = """<div id=talk></div><script>
const frame = document.createElement('iframe');
frame.src = 'https://talk.example/embed?u=' + encodeURIComponent(location.href);
document.getElementById('talk').append(frame);
addEventListener('message', ({data}) => { frame.style.height = data + 'px'; });
</script>"""

# Twenty-five at a time, as the service's own client shows them.
CLIENT = """
const list = document.querySelector('#list'), more = document.querySelector('.more');
let at = 0;
async function load() {
  const answer = await (await fetch('https://talk.example/api.json?from=' + at)).json();
  for (const n of answer.comments) {
    list.insertAdjacentHTML('beforeend', `<li class=c id=c${n}><p>Comment ${n}</p></li>`);
  }
  at += answer.comments.length;
  more.hidden = !answer.more;
  parent.postMessage(document.body.scrollHeight, '*');
}
more.onclick = load;
load();
"""


def talk(total: int) -> Site:
    def api(asked):
        start = int(asked.url.partition("from=")[2])
        numbers = list(range(start, min(start + 25, total)))
        return json.dumps({"comments": numbers, "more": start + 25 < total})

    return Site({
        "https://talk.example/embed": "<body><ul id=list></ul><button class=more hidden>Load more</button>"
        f"<script>{CLIENT}</script></body>",
        "https://talk.example/api.json": lambda asked: _json(asked, api(asked)),
    })


def _json(asked, body):
    return answer(asked.url, body, "application/json", Access_Control_Allow_Origin="*")


def comments(body: bytes) -> list[str]:
    return [element.get("id") for element in parse(body).xpath("//li[@class='c']")]


def test_a_frame_of_another_site_is_clicked_until_it_shows_all(stage):
    rendered = stage.render(f"<body><p>Post</p>{EMBED}</body>", talk(100), services=[FRAMED])
    assert comments(rendered.body) == [f"c{n}" for n in range(100)]
    assert (rendered.clicks, rendered.settled) == (3, True)


def test_a_frame_that_shows_all_at_once_is_not_clicked(stage):
    rendered = stage.render(f"<body>{EMBED}</body>", talk(20), services=[FRAMED])
    assert len(comments(rendered.body)) == 20
    assert rendered.clicks == 0


def test_comments_in_a_closed_shadow_root_are_clicked_to_the_last(stage):
    rendered = stage.render(
        """<body><talk-box></talk-box><script>customElements.define('talk-box', class extends HTMLElement {
          connectedCallback() {
            const root = this.attachShadow({mode: 'closed'});
            let n = 0;
            root.innerHTML = '<ul id=list></ul><a class=more href="#">More</a>';
            const load = () => {
              for (let i = 0; i < 10; i++) root.querySelector('ul').innerHTML += `<li class=c id=c${n++}><p>x</p></li>`;
              if (n === 40) root.querySelector('a').remove();
            };
            root.querySelector('a').onclick = load;
            load();
          }
        })</script></body>""", services=[SHADOWED],
    )
    assert comments(rendered.body) == [f"c{n}" for n in range(40)]
    assert rendered.clicks == 3


def test_a_control_that_does_nothing_is_clicked_once(stage):
    rendered = stage.render("<div id=talk><ul id=list></ul><button class=more>More</button></div>", services=[INLINE])
    assert (rendered.clicks, rendered.settled) == (1, True)


def test_a_control_that_turns_into_hide_is_not_clicked_again(stage):
    rendered = stage.render(
        """<div id=talk><ul id=list></ul><button class=more>Show 3 replies</button></div><script>
        const button = document.querySelector('.more'), list = document.querySelector('#list');
        button.onclick = () => {
          const isShown = list.firstChild;
          list.innerHTML = isShown ? '' : '<li class=c id=a><p>long enough to be seen</p></li>';
          button.textContent = isShown ? 'Show 3 replies' : 'Hide replies';
        }</script>""", services=[INLINE],
    )
    assert comments(rendered.body) == ["a"]
    assert rendered.clicks == 1


def test_controls_that_bring_controls_are_all_clicked(stage):
    rendered = stage.render(
        """<div id=talk><ul id=list></ul></div><script>
        function comment(name, depth) {
          const li = document.createElement('li');
          li.className = 'c';
          li.id = name;
          li.innerHTML = '<p>text</p><ul></ul>' + (depth ? '<button class=more>2 replies</button>' : '');
          const button = li.querySelector('button'), replies = li.querySelector('ul');
          if (button) button.onclick = () => {
            button.remove();
            replies.append(comment(name + 1, depth - 1), comment(name + 2, depth - 1));
          };
          return li;
        }
        document.querySelector('#list').append(comment('r', 3), comment('s', 3));
        </script>""", services=[INLINE],
    )
    assert len(comments(rendered.body)) == 30
    assert rendered.clicks == 14


def test_hidden_and_disabled_controls_are_left_alone(stage):
    rendered = stage.render(
        """<div id=talk><ul id=list></ul><button class=more style='display: none'>a</button>
        <button class=more disabled>b</button><button class=more aria-expanded=true>c</button>
        <div style='visibility: hidden'><button class=more>d</button></div></div>""", services=[INLINE],
    )
    assert rendered.clicks == 0


def test_a_control_that_is_a_link_elsewhere_does_not_lead_there(stage):
    site = Site()
    rendered = stage.render(
        "<div id=talk><ul id=list></ul><a class=more href='/page-2'>More</a></div>", site, services=[INLINE]
    )
    assert rendered.clicks == 1
    assert site.asked == []


@pytest.mark.slow
def test_endless_more_ends_at_the_cap_of_clicks():
    with staged(RenderOptions(max_clicks=12)) as small:
        rendered = small.render(
            "<div id=talk><ul id=list></ul><button class=more onclick='list.innerHTML += `<li class=c><p>x</p></li>`'>"
            "More</button></div>", services=[INLINE],
        )
        assert (rendered.clicks, rendered.settled) == (12, False)
        assert len(parse(rendered.body).xpath("//li")) == 12


def test_a_service_that_loads_when_it_comes_into_view_is_brought_into_view(stage):
    rendered = stage.render(
        """<body><div style='height: 9000px'></div><div id=talk></div><script>
        const talk = document.querySelector('#talk');
        new IntersectionObserver(([entry]) => {
          if (entry.isIntersecting) talk.innerHTML = '<iframe src="https://talk.example/embed"></iframe>';
        }).observe(talk)</script></body>""", talk(30), services=[FRAMED],
    )
    assert len(comments(rendered.body)) == 30


DRAWN = """<ul id=list></ul><script>
const watch = new IntersectionObserver((seen) => {
  for (const {isIntersecting, target} of seen) if (isIntersecting) target.innerHTML = '<p>drawn</p>';
});
for (let n = 0; n < 60; n++) {
  const li = document.createElement('li');
  li.style.height = '150px';
  document.querySelector('#list').append(li);
  watch.observe(li);
}
</script>"""


@pytest.fixture
def unhurried(monkeypatch):
    """A busy machine draws late: what comes into view is waited for as long as a page's scripts may take at all."""
    def patient(name):
        return script(name).replace("pause(isDrawn ? 2000 : 150)", "pause(60_000)")

    assert patient("page") != script("page")
    monkeypatch.setattr("everlog.render.frames.script", patient)


@pytest.mark.usefixtures("unhurried")
def test_comments_that_draw_themselves_when_they_come_into_view_are_all_drawn(stage):
    rendered = stage.render(
        f"<body><div style='height: 3000px'></div><div id=talk>{DRAWN}</div></body>", services=[INLINE]
    )
    assert len(parse(rendered.body).xpath("//li/p[.='drawn']")) == 60


@pytest.mark.usefixtures("unhurried")
def test_comments_that_draw_themselves_in_a_low_frame_are_all_drawn(stage):
    site = Site({"https://talk.example/embed": f"<body>{DRAWN}</body>"})
    rendered = stage.render(f"<body>{EMBED}</body>", site, services=[FRAMED])
    assert len(parse(rendered.body).xpath("//li/p[.='drawn']")) == 60


def test_scripts_that_wait_for_a_reader_are_woken(stage):
    rendered = stage.render(
        """<body><div id=talk></div><script>addEventListener('mousemove', () => {
          document.querySelector('#talk').innerHTML = '<ul id=list><li class=c id=a><p>x</p></li></ul>';
        }, {once: true})</script></body>""", services=[INLINE],
    )
    assert comments(rendered.body) == ["a"]


def test_a_service_that_takes_its_time_is_waited_for(stage):
    rendered = stage.render(
        """<body><div id=talk></div><script>setTimeout(() => {
          document.querySelector('#talk').innerHTML = '<ul id=list><li class=c id=a><p>x</p></li></ul>';
        }, 1200)</script></body>""", services=[INLINE],
    )
    assert comments(rendered.body) == ["a"]


@pytest.mark.parametrize("status", [500, pytest.param(404, marks=pytest.mark.slow)])
def test_a_service_that_fails_leaves_the_page_as_it_is(stage, status):
    sorry = answer("https://talk.example/embed", "<p class=failed>Sorry</p>", status=status)
    site = Site({"https://talk.example/embed": sorry})
    rendered = stage.render(f"<body><p>Post</p>{EMBED}</body>", site, services=[FRAMED])
    assert comments(rendered.body) == []
    assert b"<p>Post</p>" in rendered.body
    assert rendered.settled


OWN = (
    "<button>Load more comments</button>", "<a href='#'>Show all 25 comments</a>", "<a>Voir plus de commentaires</a>",
    "<span role=button>Weitere Kommentare anzeigen</span>", "<button aria-label='Ver más comentarios'>+</button>",
    "<button>加载更多评论</button>", "<button>Показать ещё</button>", "<button>もっと見る</button>",
    "<button>Older comments</button>",
)
OTHERS = (
    "<form><button>Load more comments</button></form>", "<a href='/page2'>More comments</a>",
    "<button>Hide comments</button>", "<button>Post comment</button>", "<button>Reply</button>",
    "<button>Show all comments, and what we think of them, and what you should think</button>",
    "<button>Report comment</button>", "<button>Allow replies</button>",
)


def clicked(stage, controls: tuple[str, ...]) -> list[bool]:
    """Which of the controls in a section of comments are clicked."""
    sections = "".join(f"<section class=comments>{control}</section>" for control in controls)
    rendered = stage.render(
        f"""<body>{sections}<script>for (const section of document.querySelectorAll('section')) {{
          section.addEventListener('click', (event) => {{ event.preventDefault(); section.innerHTML = 'clicked'; }});
        }}</script></body>"""
    )
    return ["clicked" in element.itertext() for element in parse(rendered.body).iter("section")]


def test_the_page_s_own_show_more_is_clicked_in_many_languages(stage):
    assert clicked(stage, OWN) == [True] * len(OWN)


def test_what_is_not_show_more_is_not_clicked(stage):
    assert clicked(stage, OTHERS) == [False] * len(OTHERS)


def test_show_more_outside_of_comments_is_not_clicked(stage):
    assert stage.render("<main><button onclick='this.remove()'>Show more</button></main>").clicks == 0


def test_the_page_before_does_not_count(stage):
    body = page("<div id=talk><ul id=list></ul><button class=more>More</button></div>")
    assert [stage.render(body, services=[INLINE]).clicks for _ in range(2)] == [1, 1]
