"""Replay: captured pages and style sheets, rewritten for looking at. Pure.

    css_references   references of a style sheet with their places; the sheet with others in their place
    html_places      which attribute of which element names what: one table for finding and rewriting
    memento_links    `Replayed`, what is shown for a reference, and `View`, the addresses of replay
    style_rewrite    style sheets: `rewrite_style`
    html_rewrite     pages: `rewrite_html`; `html_scan` finds the places, `html_tokens` has the tags
    xml_rewrite      SVG files and XHTML: `rewrite_svg`
    svg_sprites      signs and filters of other files, put where they are used: `with_sprites`, `with_filters`
    element_rules    what becomes of which element; `file_rules`, `picture_rules` and `frame_rules` are parts of it
    xml_tree         both as trees
    shown_files      the files that a page is shown with if all are held: what finding them has to find
    html_decode      the text of a page, as browsers decode it: `html_text`; what its queries are sent in

Whoever serves mementos calls

    rewrite_html(text, *, url, resolve, view, is_xml=False, encoding=None) -> str
    rewrite_style(text, *, url, resolve, view) -> str
    rewrite_svg(text, *, url, resolve, view) -> str

with the text of a capture (`html_text(body, content_type)`, `css_text(body, content_type, fallback)`), the URL it was
captured under, and the `View` it is for. `resolve(urls) -> {url: Replayed}` is called at most once, with all absolute
URLs (without fragments) that the document names; those that it leaves out are not held. What comes back is to be sent
as UTF-8. `View.prefix` needs its scheme and host: parts of a page have no address to which others could be relative.
"""

from __future__ import annotations

from everlog.replay.css_references import CssReference, css_references, css_text, rewrite_css
from everlog.replay.html_decode import html_encoding, html_text, query_encoding
from everlog.replay.html_rewrite import rewrite_html
from everlog.replay.memento_links import Modifier, Replayed, Resolve, View
from everlog.replay.style_rewrite import rewrite_style
from everlog.replay.svg_sprites import with_filters, with_sprites
from everlog.replay.xml_rewrite import rewrite_svg

__all__ = [
    "CssReference", "Modifier", "Replayed", "Resolve", "View", "css_references", "css_text", "html_encoding",
    "html_text", "query_encoding", "rewrite_css", "rewrite_html", "rewrite_style", "rewrite_svg", "with_filters",
    "with_sprites",
]
