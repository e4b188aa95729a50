"""Pages as a blog's posts might look after a redesign: made designs, and the blog's own pages under other names."""

# ruff: noqa: E501 - markup is easier to read unbroken
from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a page has to show, and the page that shows it now; `others` are titles of other posts."""

    title: str
    html: str
    author: str
    published: datetime | None
    tags: tuple[str, ...]
    others: Sequence[str]
    page: bytes


def classic(post: Content) -> str:
    """Two columns and a sidebar, with a line of meta data above and share links inside the text."""
    return _document(post, f"""<div id="wrap"><div id="masthead"><a href="/">The blog</a></div>
<div id="maincol"><div class="postbox"><h2 class="posttitle"><a href="#">{escape(post.title)}</a></h2>
<div class="postmeta">Written by {escape(post.author)} on {_day(post)} in {_tags(post)}</div>
<div class="posttext">{post.html}<div class="sharelinks">Share this: <a href="#">Mail</a> <a href="#">Print</a></div></div>
</div><div class="prevnext">{_list(post, 2)}</div></div><div id="sidecol"><h3>Recent</h3>{_list(post, 6)}</div></div>""")


def semantic(post: Content) -> str:
    """HTML5 elements, hardly a class; related posts inside the article's element."""
    return _document(post, f"""<header><nav><a href="/">Home</a> <a href="/about">About</a></nav></header>
<main><article><header><h1>{escape(post.title)}</h1><p>By <a rel="author" href="/a">{escape(post.author)}</a>
<time datetime="{_iso(post)}">{_day(post)}</time></p></header><section>{post.html}</section>
<footer>{_tags(post)}</footer><aside><h4>You may also like</h4>{_list(post, 3)}</aside></article></main>
<footer><p>All the usual rights are reserved.</p></footer>""")


def tables(post: Content) -> str:
    """Cells of a table, as pages were made once."""
    return _document(post, f"""<table width="100%"><tr><td colspan="2" class="banner">The blog</td></tr><tr>
<td class="menu" valign="top"><b>Pages</b><br>{_list(post, 5)}</td><td class="sheet" valign="top">
<font size="5" class="heading">{escape(post.title)}</font><br><small>{_day(post)} - {escape(post.author)}</small>
<div class="story">{post.html}</div><hr><small>Filed under {_tags(post)}</small></td></tr></table>""")


def utility(post: Content) -> str:
    """Classes that say how things look and not what they are."""
    return _document(post, f"""<div class="min-h-screen bg-white"><div class="mx-auto flex h-16"><a class="font-bold" href="/">The blog</a></div>
<div class="mx-auto max-w-2xl px-4"><div class="mt-8 text-sm text-gray-500"><span>{_day(post)}</span> · <span>{escape(post.author)}</span></div>
<h1 class="mt-2 text-4xl font-bold">{escape(post.title)}</h1><div class="prose prose-lg mt-6">{post.html}</div>
<div class="mt-8 flex gap-2">{_tags(post)}</div><div class="mt-8 rounded bg-gray-100 p-4"><p>Get new posts by mail. No spam, ever.</p></div></div>
<div class="border-t py-8 text-center text-sm">{_list(post, 4)}</div></div>""")


def hashed(post: Content) -> str:
    """Class names that a build tool made."""
    return _document(post, f"""<div id="__root"><div class="css-k1x0vq"><div class="css-1h2kk9">{_list(post, 4)}</div>
<div class="css-8p2s7c"><div class="css-0d9a1b"><h1 class="css-77aaq1">{escape(post.title)}</h1><div class="css-p0o9i8"><span class="css-u7y6t5">{escape(post.author)}</span>
<span class="css-r4e3w2">{_day(post)}</span></div></div><div class="css-zx81cv">{post.html}</div><div class="css-bn45mk">{_tags(post)}</div></div></div></div>""")


def crowded(post: Content) -> str:
    """Names that many designs share; author box, advertisement and related posts stand inside the article's element."""
    return _document(post, f"""<div id="page" class="site"><div id="content" class="site-content"><article class="post type-post hentry">
<h1 class="entry-title">{escape(post.title)}</h1><div class="entry-content"><div class="entry-meta"><span class="posted-on"><time class="entry-date" datetime="{_iso(post)}">{_day(post)}</time></span>
<span class="byline">by <span class="author vcard">{escape(post.author)}</span></span></div><div class="ad-slot"><p>Advertisement</p></div>
{post.html}
<div class="author-box"><h4>About {escape(post.author)}</h4><p>{escape(post.author)} writes here about this and that, and answers letters on Fridays.</p></div>
<div class="jp-relatedposts"><h3>Related</h3>{_list(post, 3)}</div></div><footer class="entry-footer">{_tags(post)}</footer></article></div></div>""")


def renamed(post: Content) -> bytes:
    """The blog's own page, all classes and ids called otherwise and everything wrapped once more."""
    text = post.page.decode("utf-8", "surrogateescape")
    text = _NAMES.sub(lambda found: f"{found[1]}{found[2]}{_other_names(found[3])}{found[2]}", text)
    text = re.sub(r"(<body\b[^>]*>)", r'\1<div class="frame"><div class="inner">', text, count=1, flags=re.IGNORECASE)
    return re.sub(r"(</body>)", r"</div></div>\1", text, count=1, flags=re.IGNORECASE).encode("utf-8", "surrogateescape")


_NAMES = re.compile(r"(\s(?:class|id|itemprop|property|role|rel)\s*=\s*)([\"'])([^\"'<>]*)\2", re.IGNORECASE)


def _other_names(names: str) -> str:
    return " ".join(f"n-{name[::-1]}" for name in names.split())


DESIGNS: dict[str, Callable[[Content], str | bytes]] = {
    "classic": classic, "semantic": semantic, "tables": tables, "utility": utility, "hashed": hashed,
    "crowded": crowded, "renamed": renamed,
}


def page_in(name: str, post: Content) -> bytes:
    """The page of a post in one of the designs."""
    made = DESIGNS[name](post)
    return made if isinstance(made, bytes) else made.encode("utf-8", "replace")


def _document(post: Content, body: str) -> str:
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{escape(post.title)} :: New look</title></head>'
        f"<body>{body}</body></html>"
    )


def _day(post: Content) -> str:
    return f"{post.published:%d.%m.%Y}" if post.published else ""


def _iso(post: Content) -> str:
    return f"{post.published:%Y-%m-%d}" if post.published else ""


def _tags(post: Content) -> str:
    return " ".join(f'<a rel="tag" href="/tag/{number}">{escape(tag)}</a>' for number, tag in enumerate(post.tags))


def _list(post: Content, count: int) -> str:
    items = "".join(f'<li><a href="/other/{number}">{escape(title)}</a></li>' for number, title in enumerate(post.others[:count]))
    return f"<ul>{items}</ul>"


def home_in(name: str, titles: Sequence[str], page: bytes) -> bytes:
    """The front page in one of the designs: a list of posts."""
    if name == "renamed":
        return renamed(Content(title="", html="", author="", published=None, tags=(), others=(), page=page))
    items = "".join(f'<li class="teaser"><a href="/post/{at}">{escape(title)}</a></li>' for at, title in enumerate(titles))
    return f"<!DOCTYPE html><html><head><title>New look</title></head><body><ul>{items}</ul></body></html>".encode()
