"""The looks of the three invented blogs: each makes the files of a site from its posts."""

# ruff: noqa: E501 - markup is easier to read unbroken
from __future__ import annotations

import json
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from make_corpus import Piece, Site

MONTHS = {
    "en": (
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ),
    "de": (
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
        "November", "Dezember",
    ),
}


def harbour_notes(site: Site, pieces: Sequence[Piece], in_feed: Sequence[Piece]) -> dict[str, str]:
    """As a WordPress theme does it: much that is not the article stands inside its element."""
    files = {"feed/index.xml": _rss(site, in_feed), "index.html": _listing(site, pieces)}
    recent = "".join(f'<li><a href="{p.path}">{escape(p.title)}</a></li>' for p in pieces[:5])
    for at, piece in enumerate(pieces):
        day = f"{MONTHS['en'][piece.published.month - 1]} {piece.published.day}, {piece.published.year}"
        tags = ", ".join(f'<a href="/tag/{t.lower()}/" rel="tag">{t}</a>' for t in piece.tags)
        other = pieces[(at + 7) % len(pieces)]
        body = f"""<article id="post-{700 - at}" class="post-{700 - at} post type-post hentry">
<header class="entry-header"><h1 class="entry-title">{escape(piece.title)}</h1>
<div class="entry-meta">Posted on <a href="{piece.path}" rel="bookmark"><span class="entry-date">{day}</span></a>
by <span class="author vcard"><a class="url fn n" href="/author/{piece.author.split()[0].lower()}/">{piece.author}</a></span>
</div></header>
<div class="entry-content">
{piece.html}
<div class="sharing"><h3 class="sharing-title">Share this:</h3><ul>
<li><a href="#tw">Click to share on Twitter (Opens in new window)</a></li>
<li><a href="#fb">Click to share on Facebook (Opens in new window)</a></li></ul></div>
<div class="related-posts"><h3>Related</h3><p><a href="{other.path}">{escape(other.title)}</a>
<span>In "{other.tags[0]}"</span></p></div>
</div>
<footer class="entry-footer">This entry was posted in {tags}. Bookmark the <a href="{piece.path}">permalink</a>.</footer>
</article>
<div id="comments"><h2>2 thoughts on “{escape(piece.title)}”</h2><ol>
<li class="comment"><cite>Maud</cite> says: <p>I remember that day, the wind was worse than you say.</p></li>
<li class="comment"><cite>Pelle</cite> says: <p>Greetings from the other side of the water!</p></li></ol></div>"""
        aside = f"""<aside class="widget"><h2>Recent Posts</h2><ul>{recent}</ul></aside>
<aside class="widget"><h2>About</h2><p>Two people, one harbour, and whatever the tide brings in.</p></aside>"""
        files[_file(piece)] = _page(site, f"{escape(piece.title)} | {site.name}", f"<main>{body}</main>{aside}")
    return files


def werkbank(site: Site, pieces: Sequence[Piece], in_feed: Sequence[Piece]) -> dict[str, str]:
    """As static generators do it: lean markup, a table of contents, an author box, previous and next."""
    files = {"atom.xml": _atom(site, in_feed), "index.html": _listing(site, pieces)}
    for at, piece in enumerate(pieces):
        day = f"{piece.published.day}. {MONTHS['de'][piece.published.month - 1]} {piece.published.year}"
        tags = " ".join(f'<a class="schlagwort" href="/thema/{t.lower()}/">#{t}</a>' for t in piece.tags)
        heads = "".join(f'<li><a href="#k{n}">{escape(t)}</a></li>' for n, (b, t) in enumerate(piece.blocks) if b == "h2")
        contents = f'<nav class="inhalt"><strong>Inhalt</strong><ol>{heads}</ol></nav>' if heads else ""
        before, after = pieces[at - 1], pieces[(at + 1) % len(pieces)]
        minutes = 1 + len(piece.text) // 900
        body = f"""<div class="artikel">
<h1>{escape(piece.title)}</h1>
<p class="zeile">Veröffentlicht am <time datetime="{piece.published:%Y-%m-%d}">{day}</time> · {minutes} Min. Lesezeit</p>
{contents}
<div class="fliesstext">
{piece.html}
</div>
<p class="themen">Themen: {tags}</p>
<div class="autorenkasten"><img src="/jl.jpg" alt=""><p>Geschrieben von <b>{piece.author}</b>. Jörg repariert seit dreißig
Jahren Dinge, die andere wegwerfen.</p></div>
<nav class="blaettern"><a href="{before.path}">← {escape(before.title)}</a> <a href="{after.path}">{escape(after.title)} →</a></nav>
</div>"""
        files[_file(piece)] = _page(site, f"{escape(piece.title)} – {site.name}", body)
    return files


def umibe(site: Site, pieces: Sequence[Piece], in_feed: Sequence[Piece]) -> dict[str, str]:
    """As a hosted service does it: the blog's name is the only h1, tags stand above the article."""
    files = {"feed.json": _json_feed(site, in_feed), "index.html": _listing(site, pieces)}
    recent = "".join(
        f'<li><a href="{p.path}">{p.title}</a><p>{p.blocks[0][1][:30]}…</p></li>' for p in pieces[:4]
    )
    for piece in pieces:
        when = piece.published
        tags = "".join(f'<li><a href="/tag/{t}">{t}</a></li>' for t in piece.tags)
        body = f"""<div id="main"><div class="entry">
<h2 class="entry-name">{piece.title}</h2>
<div class="entry-info"><span class="day">{when.year}年{when.month}月{when.day}日</span> <span class="writer">{piece.author}</span></div>
<ul class="entry-tags">{tags}</ul>
<div class="entry-text">
{piece.html}
</div>
<div class="buttons"><a href="#like">いいね</a><a href="#follow">このブログを購読する</a></div>
</div></div>
<div id="side"><h3>最近の記事</h3><ul>{recent}</ul><h3>このブログについて</h3><p>海の近くの町で、ゆっくり書いています。</p></div>"""
        files[_file(piece)] = _page(site, f"{piece.title} - {site.name}", body)
    return files


DESIGNS: dict[str, Callable[[Site, Sequence[Piece], Sequence[Piece]], dict[str, str]]] = {
    "harbour-notes": harbour_notes, "werkbank": werkbank, "umibe": umibe,
}


def _page(site: Site, title: str, body: str) -> str:
    kind = {"/feed/": "rss+xml", "/atom.xml": "atom+xml", "/feed.json": "feed+json"}[site.feed]
    return f"""<!DOCTYPE html>
<html lang="{site.language}">
<head><meta charset="utf-8"><title>{title}</title>
<link rel="alternate" type="application/{kind}" href="{site.feed}"></head>
<body>
<div id="head"><{_name_tag(site)}><a href="/">{site.name}</a></{_name_tag(site)}></div>
{body}
<div id="foot"><p>© 2024 {site.name}</p></div>
</body>
</html>
"""


def _name_tag(site: Site) -> str:
    return "h1" if site.id == "umibe" else "div"


def _listing(site: Site, pieces: Sequence[Piece]) -> str:
    items = "".join(f'<li><a href="{p.path}">{escape(p.title)}</a></li>\n' for p in pieces)
    return _page(site, site.name, f"<ul>\n{items}</ul>")


def _rss(site: Site, pieces: Sequence[Piece]) -> str:
    items = "".join(
        f"""<item><title>{escape(p.title)}</title><link>{site.origin}{p.path}</link>
<pubDate>{format_datetime(p.published)}</pubDate><dc:creator><![CDATA[{p.author}]]></dc:creator>
{"".join(f"<category>{t}</category>" for t in p.tags)}
<description><![CDATA[{_excerpt(p)} [&#8230;]]]></description>
<content:encoded><![CDATA[{p.html}
<p>The post <a href="{site.origin}{p.path}">{escape(p.title)}</a> appeared first on <a href="{site.origin}">{site.name}</a>.</p>]]></content:encoded>
</item>
"""
        for p in pieces
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>{site.name}</title><link>{site.origin}</link><language>en-GB</language>
{items}</channel></rss>
"""


def _atom(site: Site, pieces: Sequence[Piece]) -> str:
    entries = "".join(
        f"""<entry><title>{escape(p.title)}</title><link href="{p.path}"/><id>{site.origin}{p.path}</id>
<published>{p.published.isoformat()}</published><updated>{p.published.isoformat()}</updated>
<author><name>{p.author}</name></author>{"".join(f'<category term="{t}"/>' for t in p.tags)}
<summary type="text">{escape(_excerpt(p))} …</summary></entry>
"""
        for p in pieces
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>{site.name}</title><id>{site.origin}/</id>
<link href="{site.origin}/"/><link rel="self" href="{site.origin}{site.feed}"/>
<updated>{pieces[0].published.isoformat()}</updated>
{entries}</feed>
"""


def _json_feed(site: Site, pieces: Sequence[Piece]) -> str:
    items = [
        {
            "id": f"{site.origin}{p.path}", "url": f"{site.origin}{p.path}?utm_source=feed&utm_medium=rss",
            "title": p.title, "date_published": p.published.isoformat(), "tags": list(p.tags),
            "authors": [{"name": p.author}], "content_html": p.html,
        }
        for p in pieces
    ]
    feed = {
        "version": "https://jsonfeed.org/version/1.1", "title": site.name, "language": site.language,
        "home_page_url": f"{site.origin}/", "feed_url": f"{site.origin}{site.feed}", "items": items,
    }
    return json.dumps(feed, ensure_ascii=False, indent=1) + "\n"


def _excerpt(piece: Piece) -> str:
    return " ".join(" ".join(text for name, text in piece.blocks if name == "p").split(" ")[:30])


def _file(piece: Piece) -> str:
    return piece.path.lstrip("/") + ("index.html" if piece.path.endswith("/") else "")
