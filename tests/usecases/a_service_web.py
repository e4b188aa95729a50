"""Comment services as their documentation describes them, and a blog that is written by its script.

Each of them is a handful of answers in a `MemoryWeb`: the page's embed, the service's script, its frame,
and batches of comments that it fetches when "more" is clicked. Chromium runs all of it.
"""

# ruff: noqa: E501 - scripts are easier to read unbroken
from __future__ import annotations

import json
from typing import TYPE_CHECKING

import a_blog
from usecases.a_site import FEED, PER_LIST, put_feed
from usecases.a_web import MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from usecases.a_conversation import Said

JSON = "application/json"
SCRIPT = "text/javascript"
HTML = "text/html; charset=utf-8"

# What all these scripts need: build a comment, hang it below the one it answers, ask for the next batch.
_COMMON = """
async function batch(base, number) {
  const answer = await fetch(`${base}/${number}.json`);
  if (!answer.ok) throw new Error(answer.status);
  return answer.json();
}
function element(html) { const box = document.createElement('template'); box.innerHTML = html.trim();
                         return box.content.firstElementChild; }
"""

DISQUS_PAGE = "<div id=disqus_thread></div><script src=//a-blog.disqus.com/embed.js async></script>"
_DISQUS_EMBED = """
const frame = document.createElement('iframe');
frame.src = 'https://disqus.com/embed/comments/?f=a-blog&t_u=' + encodeURIComponent(location.pathname.slice(1));
document.getElementById('disqus_thread').append(frame);
"""
_DISQUS_FRAME = """<!doctype html><html><body><div id=conversation><nav><span class=comment-count></span></nav>
<ul id=post-list class=post-list hidden></ul><div id=no-posts hidden>Be the first to comment.</div>
<div class=load-more data-role=more hidden><a href="#" data-action=more-posts class=load-more__button>Load more
comments</a></div></div><script>""" + _COMMON + """
const post = new URLSearchParams(location.search).get('t_u'), list = document.getElementById('post-list');
let next = 0;
function draw(said) {
  const item = element(`<li class=post id=post-${said.id}><div class=post-content data-role=post-content>
    <header><span class=post-byline><span class=author><a href="https://disqus.com/by/r${said.id}/">${said.author}</a>
    </span></span> <a class=time-ago href="https://a.blog/${post}#comment-${said.id}"
    title="${said.title}">9 months ago</a></header><div class=post-body-inner><div data-role=message-content>
    <div data-role=message class=post-message><p>${said.text}</p></div></div></div>
    <footer><a href="#" data-action=reply>Reply</a></footer></div><ul class=children></ul></li>`);
  const above = said.parent && document.querySelector(`#post-${said.parent} > ul.children`);
  (above || list).append(item);
}
async function more() {
  const found = await batch('https://disqus.com/api/' + post, next++);
  document.querySelector('.comment-count').textContent = found.total + ' Comments';
  found.comments.forEach(draw);
  list.hidden = found.total == 0;
  document.getElementById('no-posts').hidden = found.total > 0;
  document.querySelector('.load-more').hidden = !found.more;
}
document.querySelector('[data-action=more-posts]').onclick = (event) => { event.preventDefault(); more(); };
more();
</script></body></html>"""

LIVEFYRE_PAGE = "<div id=livefyre-comments></div><script src=//zor.livefyre.com/wjs/v3.0/javascripts/livefyre.js></script>"
_LIVEFYRE = _COMMON + """
const home = document.getElementById('livefyre-comments');
home.innerHTML = `<div class=fyre><div class=fyre-comment-count><span></span></div><div class=fyre-stream-content></div>
  <div class=fyre-stream-more><div class=fyre-stream-more-container>Show More Comments</div></div></div>`;
let next = 0;
function draw(said) {
  const item = element(`<article class=fyre-comment-article data-message-id="${said.id}"><div class=fyre-comment-wrapper>
    <header><a class=fyre-comment-username href="http://www.livefyre.com/profile/${said.id}/">${said.author}</a>
    <meta itemprop=dateCreated content="${said.date}"><a class=fyre-comment-date>9 months ago</a></header>
    <section class=fyre-comment><p>${said.text}</p></section></div><div class=fyre-comment-replies></div></article>`);
  const above = said.parent && home.querySelector(`[data-message-id="${said.parent}"] .fyre-comment-replies`);
  (above || home.querySelector('.fyre-stream-content')).append(item);
}
async function more() {
  const found = await batch('//bootstrap.livefyre.com/bs3' + location.pathname, next++);
  home.querySelector('.fyre-comment-count').textContent = found.total + ' comments';
  found.comments.forEach(draw);
  if (!found.more) home.querySelector('.fyre-stream-more').remove();
}
home.querySelector('.fyre-stream-more-container').onclick = more;
more();
"""

GISCUS_PAGE = (
    "<script src=https://giscus.app/client.js data-repo=a/blog data-repo-id=R1 data-category-id=C1 "
    "data-mapping=pathname async></script>"
)
_GISCUS_CLIENT = """
const script = document.currentScript, box = document.createElement('div'), frame = document.createElement('iframe');
box.className = 'giscus'; frame.className = 'giscus-frame';
frame.src = 'https://giscus.app/en/widget?repo=a%2Fblog&repoId=R1&categoryId=C1&term=' + location.pathname.slice(1);
box.append(frame); script.after(box);
"""
_GISCUS_FRAME = """<!doctype html><html><body><main class=gsc-main><div class=gsc-comments><div class=gsc-header>
<h4 class=gsc-comments-count></h4></div><div class=gsc-timeline></div></div></main><script>""" + _COMMON + """
const term = new URLSearchParams(location.search).get('term'), line = document.querySelector('.gsc-timeline');
let next = 0;
function draw(said) {
  const kind = said.parent ? 'reply' : 'comment';
  const item = element(`<div class="gsc-${kind}" data-id="${said.id}"><div class="gsc-${kind}-author">
    <a class=link-primary href="https://github.com/r${said.id}"><span>${said.author}</span></a>
    <a class=link-secondary href="https://github.com/a/blog/discussions/1#discussioncomment-${said.id}">
    <time datetime="${said.date}">9 months ago</time></a></div>
    <div class="gsc-${kind}-content markdown"><p>${said.text}</p></div></div>`);
  if (!said.parent) item.append(element('<div class=gsc-replies></div>'));
  const above = said.parent && line.querySelector(`[data-id="${said.parent}"] > .gsc-replies`);
  (above || line).append(item);
}
async function more() {
  document.querySelector('.gsc-pagination')?.remove();
  const found = await batch('https://giscus.app/api/discussions/' + term, next++);
  const tops = found.total ? `<a href="#">${found.total} comments</a>` : '0 comments';
  document.querySelector('.gsc-comments-count').innerHTML = tops;
  found.comments.forEach(draw);
  if (!found.total) line.after(element('<form class=gsc-comment-box></form>'));
  if (found.more) {
    const button = element('<div class=gsc-pagination><button class=gsc-pagination-button>Load more</button></div>');
    button.firstElementChild.onclick = more; line.after(button);
  }
}
more();
</script></body></html>"""

_APP = """
const app = document.getElementById('app');
async function show() {
  const data = await (await fetch('/data' + (location.pathname == '/' ? '/1list' : location.pathname) + '.json')).json();
  document.title = data.title;
  app.innerHTML = data.html;
}
show();
"""


def put_disqus(fetcher: MemoryWeb, post: int, comments: Sequence[Said], *, steps: int = 3) -> None:
    """The thread of a post: one batch at once, the others after a click each."""
    fetcher.put("https://a-blog.disqus.com/embed.js", _DISQUS_EMBED, type=SCRIPT)
    fetcher.put(f"https://disqus.com/embed/comments/?f=a-blog&t_u={post}", _DISQUS_FRAME, type=HTML)
    _put_batches(fetcher, f"https://disqus.com/api/{post}", comments, steps)


def put_livefyre(fetcher: MemoryWeb, post: int, comments: Sequence[Said], *, steps: int = 3) -> None:
    fetcher.put("https://zor.livefyre.com/wjs/v3.0/javascripts/livefyre.js", _LIVEFYRE, type=SCRIPT)
    _put_batches(fetcher, f"https://bootstrap.livefyre.com/bs3/{post}", comments, steps)


def put_giscus(fetcher: MemoryWeb, post: int, comments: Sequence[Said], *, steps: int = 3) -> None:
    fetcher.put("https://giscus.app/client.js", _GISCUS_CLIENT, type=SCRIPT)
    address = f"https://giscus.app/en/widget?repo=a%2Fblog&repoId=R1&categoryId=C1&term={post}"
    fetcher.put(address, _GISCUS_FRAME, type=HTML)
    _put_batches(fetcher, f"https://giscus.app/api/discussions/{post}", comments, steps)


def scripted_site(posts: int = 12, *, in_feed: int = PER_LIST) -> MemoryWeb:
    """A blog whose every address answers the same empty shell; a script fetches what to show."""
    fetcher = MemoryWeb()
    shell = "<!doctype html><html><head></head><body><div id=app></div><script src=/app.js></script></body></html>"
    head = f"<head><title>A Blog</title><link rel=alternate type=application/rss+xml href={FEED}></head>"
    numbers = list(range(posts, 0, -1))
    lists = [numbers[start : start + PER_LIST] for start in range(0, posts, PER_LIST)]
    for place, shown in enumerate(lists, 1):
        links = "".join(f"<h2><a href=/{number}>Post {number} of ours</a></h2>" for number in shown)
        older = f"<a href=/page/{place + 1}>Older posts</a>" if place < len(lists) else ""
        _put_data(fetcher, "/1list" if place == 1 else f"/page/{place}", f"<div class=list>{links}{older}</div>", "A Blog")
        address = a_blog.HOME if place == 1 else f"{a_blog.HOME}page/{place}"
        fetcher.put(address, shell.replace("<head></head>", head))
    for number in numbers:
        body = a_blog.page(number).decode()
        body = body[body.index("<body>") + 6 : body.index("</body>")]
        _put_data(fetcher, f"/{number}", body, f"Post {number} of ours - A Blog")
        fetcher.put(a_blog.url(number), shell)
    fetcher.put(a_blog.HOME + "app.js", _APP, type=SCRIPT)
    put_feed(fetcher, numbers[:in_feed])
    return fetcher


def _put_data(fetcher: MemoryWeb, path: str, html: str, title: str) -> None:
    fetcher.put(f"{a_blog.HOME}data{path}.json", json.dumps({"html": html, "title": title}), type=JSON)


def _put_batches(fetcher: MemoryWeb, base: str, comments: Sequence[Said], steps: int) -> None:
    first = len(comments) - steps * (len(comments) // (steps + 1))
    ends = [first + step * (len(comments) // (steps + 1)) for step in range(steps + 1)]
    allowed = (("Access-Control-Allow-Origin", "*"),)
    start = 0
    for number, end in enumerate(ends):
        shown = [
            {
                "id": said.id, "parent": said.parent, "author": said.author, "text": said.text,
                "date": f"2024-02-{said.day:02}T10:00:00+00:00", "title": f"February {said.day}, 2024 10:00 AM",
            }
            for said in comments[start:end]
        ]
        data = {"total": len(comments), "more": end < len(comments), "comments": shown}
        fetcher.put(f"{base}/{number}.json", json.dumps(data), type=JSON, headers=allowed)
        start = end
