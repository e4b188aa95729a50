"""The blogs of `watch_world.py` as web pages: what a server answers at a moment, and what is right to read from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from email.utils import format_datetime
from functools import lru_cache
from html import escape
from random import Random
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from watch_world import WorldBlog, WorldPost, WorldSpell

PER_LIST = 10
WORDS = (
    "river stone lantern garden winter copper meadow harbour thunder willow candle orchard violin marble saddle "
    "pepper anchor feather cellar blanket morning silver hollow timber kettle bridge valley cotton ginger mirror "
    "walnut pocket rabbit summit tunnel velvet wagon yellow zephyr almond barrel cactus"
).split()
HTML, RSS = "text/html; charset=utf-8", "application/rss+xml; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer on its way; `allowed_at` is when the server wants to be asked again at the earliest."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    is_feed: bool = False
    allowed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Design:
    """How the pages of one blog look."""

    article: str
    title: str
    box: str
    footer: str
    extra: str = field(default="")


def answer(blog: WorldBlog, url: str, moment: datetime, sent: Mapping[str, str]) -> Reply | None:
    """What is answered for a URL at a moment; None where nobody answers. `sent` are headers, in small letters."""
    parts = urlsplit(url)
    here = urlsplit(blog.home_at(moment)).netloc
    if blog.death is not None and moment >= blog.death.at:
        return _after_death(blog, parts.path)
    if parts.path == "/robots.txt":
        return Reply(status=404)
    if parts.netloc != here:
        # The old host of a blog that has moved.
        return _redirect(f"http://{here}{parts.path}") if parts.netloc == f"{blog.name}.example" else None
    _, spell = blog.answer_at(moment)
    return _living(blog, parts.path, moment, sent) if spell is None else _refusal(spell, moment)


def text_of(blog: WorldBlog, post: WorldPost, moment: datetime) -> str:
    """The article that is right at a moment."""
    return "\n\n".join(_paragraphs(blog, post, moment))


def edits_by(post: WorldPost, moment: datetime, *, shown_only: bool = False) -> int:
    """How often a post was edited until a moment."""
    return sum(edit.at <= moment and (edit.shown or not shown_only) for edit in post.edits)


def _living(blog: WorldBlog, path: str, moment: datetime, sent: Mapping[str, str]) -> Reply:
    if path == urlsplit(blog.feed_url_at(moment)).path:
        return _feed(blog, moment, sent)
    if path == "/feed.xml":
        return _redirect(blog.feed_url_at(moment))
    if path == "/" or path.startswith("/page/"):
        return _list(blog, path, moment)
    post = _by_path(blog).get(path)
    return Reply(status=404) if post is None else _post(blog, post, moment)


def _refusal(spell: WorldSpell, moment: datetime) -> Reply:
    wait = timedelta(seconds=spell.retry_after) if spell.retry_after else None
    headers = (("Retry-After", str(spell.retry_after)),) if spell.retry_after else ()
    return Reply(status=spell.status, headers=headers, allowed_at=moment + wait if wait else None)


def _after_death(blog: WorldBlog, path: str) -> Reply | None:
    how = blog.death.how if blog.death else ""
    if how == "dns":
        return None
    if how == "new-owner" and path == "/":
        page = (
            "<html lang=de><head><title>Kredite sofort</title><meta name=generator content='Parkplatz 2'></head><body>"
            "<table><tr><td>Diese Adresse steht zum Verkauf. Jetzt Kredite vergleichen und sparen.</td></tr></table>"
        )
        return Reply(status=200, body=page.encode(), headers=(("Content-Type", HTML),))
    return Reply(status=410 if how == "gone" else 404)


def _feed(blog: WorldBlog, moment: datetime, sent: Mapping[str, str]) -> Reply:
    etag, changed = f'"v{blog.version_at(moment)}"', blog.changed_at(moment)
    headers = [*blog.headers]
    fresh: timedelta | None = None
    for name, value in blog.headers:
        if name.lower() == "cache-control" and "max-age=" in value:
            fresh = timedelta(seconds=int(value.partition("max-age=")[2].split(",")[0]))
    if blog.expires_seconds is not None:
        fresh = timedelta(seconds=blog.expires_seconds)
        headers += [("Date", _http(moment)), ("Expires", _http(moment + fresh))]
    if blog.has_etag:
        headers.append(("ETag", etag))
    if blog.has_last_modified and changed is not None:
        headers.append(("Last-Modified", _http(changed)))
    same = (blog.has_etag and sent.get("if-none-match") == etag) or (
        not blog.has_etag and blog.has_last_modified and changed is not None
        and sent.get("if-modified-since") == _http(changed)
    )
    allowed_at = moment + fresh if fresh else None
    if same:
        return Reply(status=304, headers=tuple(headers), is_feed=True, allowed_at=allowed_at)
    headers.append(("Content-Type", RSS))
    body = _rss(blog, moment).encode()
    return Reply(status=200, body=body, headers=tuple(headers), is_feed=True, allowed_at=allowed_at)


def _rss(blog: WorldBlog, moment: datetime) -> str:
    home = blog.home_at(moment)
    items = "".join(_item(blog, post, home, moment) for post in blog.listed_at(moment))
    hints = blog.hints
    said = ""
    if hints is not None:
        days = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
        said += f"<ttl>{hints.ttl_minutes}</ttl>" if hints.ttl_minutes else ""
        if hints.skip_hours:
            said += "<skipHours>" + "".join(f"<hour>{hour}</hour>" for hour in hints.skip_hours) + "</skipHours>"
        if hints.skip_days:
            said += "<skipDays>" + "".join(f"<day>{days[day]}</day>" for day in hints.skip_days) + "</skipDays>"
        if hints.period_seconds:
            said += _period(hints.period_seconds)
    return (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0" '
        'xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" '
        'xmlns:slash="http://purl.org/rss/1.0/modules/slash/" xmlns:atom="http://www.w3.org/2005/Atom"><channel>'
        f"<title>{_title(blog)}</title><link>{home}</link><language>en</language>{said}{items}</channel></rss>"
    )


def _period(seconds: float) -> str:
    for word, length in (("hourly", 3600.0), ("daily", 86400.0), ("weekly", 604800.0)):
        if seconds <= length:
            return (
                f"<sy:updatePeriod>{word}</sy:updatePeriod>"
                f"<sy:updateFrequency>{max(1, round(length / seconds))}</sy:updateFrequency>"
            )
    return ""


def _item(blog: WorldBlog, post: WorldPost, home: str, moment: datetime) -> str:
    shown = [edit for edit in post.edits if edit.shown and edit.at <= moment]
    # A silent edit is on the page alone: the feed still has the text of before.
    paragraphs = _paragraphs(blog, post, moment, shown_only=True)
    article = "".join(f"<p>{escape(each)}</p>" for each in paragraphs)
    updated = f"<atom:updated>{shown[-1].at.isoformat()}</atom:updated>" if shown else ""
    return (
        f"<item><title>{_headline(blog, post)}</title><link>{home.rstrip('/')}{post.path}</link>"
        f"<pubDate>{format_datetime(post.stated)}</pubDate>{updated}"
        f"<description><![CDATA[{article}]]></description></item>"
    )


def _list(blog: WorldBlog, path: str, moment: datetime) -> Reply:
    number = 1 if path == "/" else int(path.strip("/").partition("/")[2] or 1)
    posts = [post for post in reversed(blog.posts) if post.listed_at(moment)]
    shown = posts[(number - 1) * PER_LIST : number * PER_LIST]
    if not shown and number > 1:
        return Reply(status=404)
    teasers = "".join(
        f"<div class=teaser><h2><a href='{post.path}'>{_headline(blog, post)}</a></h2>"
        f"<p>{escape(_sentence(f'{blog.name}/{post.number}/0', 12))}</p></div>" for post in shown
    )
    older = f"<a href='/page/{number + 1}'>Older posts</a>" if len(posts) > number * PER_LIST else ""
    feed = f"<link rel=alternate type=application/rss+xml href={blog.feed_url_at(moment)}>"
    return _page(blog, f"<div class=list>{teasers}</div>{older}", _title(blog), moment, head=feed)


def _post(blog: WorldBlog, post: WorldPost, moment: datetime) -> Reply:
    state = post.page_at(moment)
    if state == "home":
        return _redirect(blog.home_at(moment), status=302)
    if state != "there":
        return Reply(status=410 if state == "gone" else 404)
    design = _design(blog, moment)
    article = "".join(f"<p>{escape(each)}</p>" for each in _paragraphs(blog, post, moment))
    comments = [at for at in post.comments if at <= moment]
    said = "".join(
        f"<li class=comment id=comment-{place}><cite class=fn>Reader {place}</cite> "
        f"<time datetime={at.isoformat()}>{at:%Y-%m-%d}</time>"
        f"<div class=comment-content><p>{escape(_sentence(f'{blog.name}/{post.number}/c{place}', 9))}</p></div></li>"
        for place, at in enumerate(comments)
    )
    below = f"<ol class=commentlist>{said}</ol>" if comments else ""
    inside = (
        f"<div class={design.box}><h1 class={design.title}>{_headline(blog, post)}</h1>"
        f"<p class=meta>By <a rel=author>Ann Lee</a> on <time datetime={post.stated.isoformat()}>"
        f"{post.stated:%Y-%m-%d}</time></p>"
        f"<div class={design.article}>{article}</div>{design.extra}{below}</div>"
    )
    return _page(blog, inside, f"{_headline(blog, post)} - {_title(blog)}", moment)


def _page(blog: WorldBlog, inside: str, title: str, moment: datetime, *, head: str = "") -> Reply:
    design = _design(blog, moment)
    body = (
        f"<!doctype html><html lang=en><head><title>{title}</title><meta name=generator content='Pages 3'>{head}</head>"
        f"<body><nav><a href=/>Home</a></nav>{inside}"
        f"<div class={design.footer}>All rights are reserved by nobody in particular</div></body></html>"
    )
    return Reply(status=200, body=body.encode(), headers=(("Content-Type", HTML),))


def _redirect(url: str, status: int = 301) -> Reply:
    return Reply(status=status, headers=(("Location", url),))


def _design(blog: WorldBlog, moment: datetime) -> Design:
    is_new = blog.redesigned_at is not None and moment >= blog.redesigned_at
    chance = Random(f"{blog.name} {is_new}")  # noqa: S311 - a look, not a key
    kinds = {"article": ("entry", "content", "body-copy", "prose"), "title": ("title", "headline", "post-name"),
             "box": ("post", "hentry", "card", "story"), "footer": ("bottom", "colophon", "site-end")}
    names = {part: f"{chance.choice(words)}{'-2' if is_new else ''}" for part, words in kinds.items()}
    extra = "<aside class=share-row><span>Share this with everybody you know</span></aside>" if is_new else ""
    return Design(names["article"], names["title"], names["box"], names["footer"], extra)


@lru_cache(maxsize=512)
def _by_path(blog: WorldBlog) -> dict[str, WorldPost]:
    return {post.path: post for post in blog.posts}


def _paragraphs(
    blog: WorldBlog, post: WorldPost, moment: datetime, *, shown_only: bool = False,
) -> tuple[str, ...]:
    seed = f"{blog.name}/{post.number}"
    first = tuple(f"{_sentence(f'{seed}/{place}', 30)}." for place in range(4))
    edits = edits_by(post, moment, shown_only=shown_only)
    return (*first, *(f"Edit {number}: {_sentence(f'{seed}/e{number}', 15)}." for number in range(edits)))


def _headline(blog: WorldBlog, post: WorldPost) -> str:
    return f"{_sentence(f'{blog.name}/{post.number}/t', 4).title()} {post.number}"


def _title(blog: WorldBlog) -> str:
    return f"The blog called {blog.name}"


@lru_cache(maxsize=20_000)
def _sentence(seed: str, count: int) -> str:
    chance = Random(seed)  # noqa: S311 - a blog, not a key
    return " ".join(chance.choice(WORDS) for _ in range(count))


def _http(moment: datetime) -> str:
    return format_datetime(moment, usegmt=True)
