"""The pages of a post: the look of today, and the one that old posts still wear."""

# ruff: noqa: E501 - markup is easier to read unbroken
from __future__ import annotations

from html import escape

from everlog.demo.pieces import NAME, Piece, Remark, article_html, pieces

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)


# Where the style sheets of both looks are served, and the icon that they share: files beside this module.
STYLE, OLD_STYLE, ICON = "/design/today.css", "/design/old.css", "/design/icon.svg"
_ICON_LINK = f'<link rel="icon" type="image/svg+xml" href="{ICON}">'


def post_page(piece: Piece, origin: str) -> str:
    """The page of a post in the look of its time."""
    return _old_page(piece, origin) if piece.is_old else _new_page(piece, origin)


def print_page(piece: Piece, origin: str) -> str:
    """The same post for a printer: a second address, which names the first."""
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(piece.title)} (print) | {NAME}</title>
<link rel="canonical" href="{origin}{piece.path}"><meta name="robots" content="noindex">
<link rel="stylesheet" href="{STYLE}"></head>
<body class="print"><h1>{escape(piece.title)}</h1>
<p>{escape(piece.author)}, {_day(piece)}. From {origin}{piece.path}</p>
<div class="story">
{article_html(piece)}
</div></body></html>
"""


def page(title: str, body: str, origin: str, path: str, *, is_post: bool = False) -> str:
    """A page of the blog as it looks today."""
    kind = "single" if is_post else "list"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} | {NAME}</title>
<link rel="canonical" href="{origin}{path}">
<link rel="alternate" type="application/rss+xml" title="{NAME}" href="/feed/">
<link rel="alternate" type="application/rss+xml" title="{NAME}: comments" href="/comments/feed/">
<link rel="stylesheet" href="{STYLE}">{_ICON_LINK}</head>
<body class="{kind}">
<header class="top"><p class="name"><a href="/">{NAME}</a></p>
<nav><a href="/">Home</a> <a href="/about/">About</a> <a href="/calendar/2024/03/">Calendar</a></nav></header>
<main>
{body}
</main>
<aside class="beside">{_beside()}</aside>
<footer class="end"><p>Written in a signal box. No trains were delayed.</p></footer>
</body></html>
"""


def _new_page(piece: Piece, origin: str) -> str:
    tags = " ".join(f'<a rel="tag" href="/tag/{tag.lower()}/">{tag}</a>' for tag in piece.tags)
    other = pieces()[(piece.number + 5) % len(pieces())]
    body = f"""<article class="post" id="post-{900 - piece.number}">
<h1 class="headline">{escape(piece.title)}</h1>
<p class="byline">By <a class="writer" rel="author" href="{author_path(piece.author)}">{piece.author}</a> on <time datetime="{piece.published.isoformat()}">{_day(piece)}</time></p>
<div class="story">
{article_html(piece, late=True)}
<div class="sharing"><strong>Pass it on:</strong> <a href="{piece.path}?share=letter">by letter</a> <a href="{piece.path}?share=telegraph">by telegraph</a></div>
<p class="read-next">Read next: <a href="{other.path}">{escape(other.title)}</a></p>
</div>
<p class="tags">Filed under {tags}</p>
<p class="tools"><a href="{piece.path}print/" rel="nofollow">Print this</a></p>
</article>
{_remarks(piece)}
{_neighbours(piece)}"""
    return page(piece.title, body, origin, piece.path, is_post=True)


def _old_page(piece: Piece, origin: str) -> str:
    tags = ", ".join(f'<a rel="tag" href="/tag/{tag.lower()}/">{tag}</a>' for tag in piece.tags)
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html lang="en"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>{escape(piece.title)} | {NAME}</title><link rel="canonical" href="{origin}{piece.path}">
<link rel="stylesheet" href="{OLD_STYLE}">{_ICON_LINK}</head>
<body bgcolor="#ffffee"><table class="frame" width="760"><tr><td colspan="2"><a href="/"><img src="/media/banner.png" alt="{NAME}" width="480" height="60"></a></td></tr>
<tr valign="top"><td class="margin" width="160"><b>Old pages</b><ul>
<li><a href="/">Front page</a></li><li><a href="/about/">Who we are</a></li><li><a href="/{piece.published:%Y/%m}/">{MONTHS[piece.published.month - 1]} {piece.published.year}</a></li></ul></td>
<td class="sheet"><h2 class="headline">{escape(piece.title)}</h2>
<div class="story">
{article_html(piece)}
</div>
<hr><p class="small">Posted by <a href="{author_path(piece.author)}">{piece.author}</a>, <time datetime="{piece.published.isoformat()}">{_day(piece)}</time></p>
<p class="tags">Kept in {tags}</p>
{_remarks(piece)}
</td></tr></table>
<p align="center"><font size="1">Best viewed from the down platform.</font></p></body></html>
"""


def author_path(author: str) -> str:
    """Where an author's posts are listed."""
    return f"/author/{author.split(maxsplit=1)[0].lower()}/"


def _day(piece: Piece) -> str:
    return f"{piece.published.day} {MONTHS[piece.published.month - 1]} {piece.published.year}"


def _beside() -> str:
    recent = "".join(f'<li><a href="{piece.path}">{escape(piece.title)}</a></li>' for piece in pieces()[:5])
    months = dict.fromkeys(f"{piece.published:%Y/%m}" for piece in pieces())
    links = "".join(f'<li><a href="/{month}/">{MONTHS[int(month[5:]) - 1]} {month[:4]}</a></li>' for month in months)
    return f"<h3>Lately</h3><ul>{recent}</ul><h3>Months</h3><ul>{links}</ul>"


def _neighbours(piece: Piece) -> str:
    newer = pieces()[piece.number - 1] if piece.number else None
    older = pieces()[piece.number + 1] if piece.number + 1 < len(pieces()) else None
    links = [(f"Newer: {newer.title}", newer.path)] if newer else []
    links += [(f"Older: {older.title}", older.path)] if older else []
    return '<nav class="neighbours">' + " ".join(f'<a href="{path}">{escape(name)}</a>' for name, path in links) + "</nav>"


def _remarks(piece: Piece) -> str:
    if not piece.remarks:
        return '<section id="comments"><h3>No comments yet</h3></section>'
    items = "\n".join(_remark(piece, remark) for remark in piece.remarks)
    return f'<section id="comments"><h3>{len(piece.remarks)} comments</h3>\n<ol class="comment-list">\n{items}\n</ol></section>'


def _remark(piece: Piece, remark: Remark) -> str:
    answers = f' <a class="answers" href="#comment-{remark.parent}">in answer</a>' if remark.parent is not None else ""
    return (
        f'<li class="comment" id="comment-{remark.number}"><cite>{remark.author}</cite>{answers} '
        f'<time datetime="{remark.published.isoformat()}">{remark.published:%d.%m.%Y}</time>'
        f'<div class="comment-text"><p>{escape(remark.text, quote=False)}</p></div>'
        f'<a rel="nofollow" href="{piece.path}?replytocom={remark.number}#respond">Reply</a></li>'
    )
