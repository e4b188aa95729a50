"""What the sample blog says to programs: its feed, its comments, its sitemap, its robots.txt."""

from __future__ import annotations

from collections.abc import Iterable
from email.utils import format_datetime
from html import escape

from everlog.demo.pieces import IN_FEED, NAME, Piece, Remark, article_html, pieces

COMMENTS_IN_FEED = 20


def rss(origin: str) -> str:
    """The newest posts, whole, with what the generator of many blogs adds below each."""
    return _feed(NAME, origin, (_item(piece, origin) for piece in pieces()[:IN_FEED]))


def comments_rss(origin: str) -> str:
    """The newest comments."""
    remarks = [(piece, remark) for piece in pieces() for remark in piece.remarks]
    remarks.sort(key=lambda pair: pair[1].published, reverse=True)
    newest = remarks[:COMMENTS_IN_FEED]
    return _feed(f"Comments on {NAME}", origin, (_comment(piece, remark, origin) for piece, remark in newest))


def sitemap(paths: Iterable[str], origin: str) -> str:
    """All pages worth a visit."""
    changed = {piece.path: f"<lastmod>{piece.published.date().isoformat()}</lastmod>" for piece in pieces()}
    rows = "\n".join(f"<url><loc>{origin}{path}</loc>{changed.get(path, '')}</url>" for path in paths)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{rows}\n</urlset>\n"
    )


def robots(origin: str) -> str:
    """Nothing is forbidden but one folder that does not exist."""
    return f"User-agent: *\nDisallow: /private/\n\nSitemap: {origin}/sitemap.xml\n"


def _feed(title: str, origin: str, items: Iterable[str]) -> str:
    spaces = "".join(
        f' xmlns:{prefix}="http://purl.org/{path}/"'
        for prefix, path in (
            ("content", "rss/1.0/modules/content"), ("dc", "dc/elements/1.1"), ("slash", "rss/1.0/modules/slash"),
        )
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"{spaces}>\n<channel><title>{title}</title>'
        f"<link>{origin}/</link><language>en-GB</language>\n{''.join(items)}</channel></rss>\n"
    )


def _item(piece: Piece, origin: str) -> str:
    link = f"{origin}{piece.path}"
    categories = "".join(f"<category>{tag}</category>" for tag in piece.tags)
    start = " ".join(piece.start.split(" ")[:20])
    return f"""<item><title>{escape(piece.title)}</title><link>{link}</link><guid>{link}</guid>
<pubDate>{format_datetime(piece.published)}</pubDate><dc:creator><![CDATA[{piece.author}]]></dc:creator>{categories}
<slash:comments>{len(piece.remarks)}</slash:comments><description><![CDATA[{escape(start)} [&#8230;]]]></description>
<content:encoded><![CDATA[{article_html(piece, origin)}
<p>The post <a href="{link}">{escape(piece.title)}</a> appeared first on <a href="{origin}/">{NAME}</a>.</p>]]>
</content:encoded></item>
"""


def _comment(piece: Piece, remark: Remark, origin: str) -> str:
    link = f"{origin}{piece.path}#comment-{remark.number}"
    return f"""<item><title>Comment on {escape(piece.title)} by {remark.author}</title><link>{link}</link>
<guid isPermaLink="false">{origin}/?comment={remark.number}</guid><pubDate>{format_datetime(remark.published)}</pubDate>
<dc:creator><![CDATA[{remark.author}]]></dc:creator>
<content:encoded><![CDATA[<p>{escape(remark.text, quote=False)}</p>]]></content:encoded></item>
"""
