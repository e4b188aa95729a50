"""An article's HTML as Markdown that shows the same text, with nothing of it taken for markup.

The parser under it takes long to load: import this where Markdown is really written.
"""

# ruff: noqa: ARG002 - the base class calls its methods with these

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

from bs4.element import NavigableString
from markdownify import (  # type: ignore[attr-defined]
    ATX,
    MarkdownConverter,
    should_remove_whitespace_inside,
    should_remove_whitespace_outside,
)

from everlog.export.article_element import PARSER, ArticleElement

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from bs4 import Tag

    _Rule = Callable[[Tag, str, set[str]], str]

_SIGNS = re.compile(r"[\\`*\[\]<]|(?<![^\W_])_|_(?![^\W_])|~(?=~)|&(?=#?\w{1,31};)")
# What starts a heading, quotation, list or underline where a line begins.
_LINE_START = re.compile(r"^([ \t]*)([>+-](?=\s|$)|>|#{1,6}(?=\s|$)|[=-]+(?=\s*$))", re.MULTILINE)
_LIST_NUMBER = re.compile(r"^([ \t]*\d{1,9})([.)])(?=\s|$)", re.MULTILINE)
# What both of these are sought for: most texts have none of it, and one look by a set of signs is ten times as fast.
_MAY_BE_SIGNS = re.compile(r"[\\`*\[\]<_~&{]")
_MAY_START = re.compile(r"[ \t]*[>+#=\d-]")
_BACKTICKS = re.compile(r"`+")
# From the first space of a run alone: tried at each of them, a line of 200,000 took minutes.
_BREAKS = re.compile(r"(?<![ \t])[ \t]*\n\s*")
# Space that is shown as one sign. The base class looks for the end of a line behind each space of a run.
_SPACE = re.compile(r"[\t \r\n]{2,}|[\t\r]")
# Markdown takes no longer ones, and no table is wider.
_NUMBER = re.compile(r"\d{1,9}")
_LINE = re.compile(r"^(?=.)", re.MULTILINE)
_LANGUAGE = re.compile(r"(?:^|\s)(?:language-|lang-|brush:\s*|highlight-)([\w+#.-]{1,20})")
# In a text, what a site generator takes for its own: Liquid and Hugo read these before Markdown does, wherever they
# stand; kramdown and Goldmark take them for attributes. As an entity the brace is a brace to every reader.
_TEMPLATE = re.compile(r"\{(?=[{%:#.])")
# In code nothing can be escaped. Of these two Hugo says "failed to extract shortcode" and builds nothing at all.
_SHORTCODE = re.compile(r"\{(?=\{[<%])")
# An invisible sign that breaks no line.
_WORD_JOINER = "\N{WORD JOINER}"
_UNSAFE = str.maketrans({
    " ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", '"': "%22", "{": "%7B", "}": "%7D", "\n": "", "\r": "",
    "\t": "",
})
_INLINE = frozenset(("a", "b", "strong", "em", "i", "del", "s", "sub", "sup"))
# What Markdown has blocks in, and what it leaves no trace of. In all else a fence may be taken for text.
_AROUND_BLOCKS = frozenset(
    "[document] html body div article section header footer aside figure figcaption details blockquote ul ol li table "
    "thead tbody tfoot tr td th span center main b strong em i del s sub sup".split()
)
# Links and headings are on one line whatever they hold.
_ONE_LINE = ["a", "h1", "h2", "h3", "h4", "h5", "h6"]
# Articles and comments that are nothing but paragraphs, as most comments are.
_PARAGRAPHS = re.compile(r"(?:<p>[^<&]*</p>[ \t\r\n]*)+")
_PARAGRAPH = re.compile(r"<p>([^<]*)</p>")
_CELLS = frozenset(("td", "th"))
# A row that holds one of these is part of a layout, not of a table of values.
_BLOCKS = ["pre", "ul", "ol", "table", "blockquote", "dl"]


def to_markdown(html: str, text: str) -> str:
    """The article as Markdown; made of its plain text where there is no HTML, or none that can be walked.

    >>> to_markdown("<p>2 * 3 is <b>six</b></p><pre>a *b*</pre>", "")
    '2 \\\\* 3 is **six**\\n\\n```\\na *b*\\n```'
    """
    if _PARAGRAPHS.fullmatch(html):
        return _plain(html)
    if html:
        try:
            return _converted(html)
        except RecursionError:
            pass  # elements inside elements a thousand deep
    return _converted("".join(f"<p>{escape(paragraph)}</p>" for paragraph in text.split("\n\n")))


def _converted(html: str) -> str:
    # In an element of its own, no text is taken for a file's name, of which the parser would warn.
    return _CONVERTER.convert(f"<div>{html}</div>").strip("\n")


def _plain(html: str) -> str:
    """Paragraphs of nothing but text, without a parser: it takes ten times as long to begin as such a comment to read.

    >>> _plain("<p>2 * 3</p> <p> is six </p><p> </p>") == _converted("<p>2 * 3</p> <p> is six </p><p> </p>")
    True
    """
    paragraphs = (_CONVERTER.escape(_collapsed(text), frozenset()) for text in _PARAGRAPH.findall(html) if text.strip())
    # The base class leaves other signs of space where a paragraph begins, and none where it ends or the article begins.
    shown = (text.lstrip(" \t\r\n").rstrip() for text in paragraphs)
    return "\n\n".join(text for text in shown if text).strip()


def _collapsed(text: str) -> str:
    return _SPACE.sub(lambda found: "\n" if "\n" in found[0] or "\r" in found[0] else " ", text)


def target(link: str) -> str:
    """A link's address so that no sign of it ends the link.

    >>> target("https://a.org/b_(c) d")
    'https://a.org/b_%28c%29%20d'
    """
    return link.translate(_UNSAFE)


def label(text: str) -> str:
    """A text on one line with nothing in it taken for markup, for the inside of a link or a name in bold.

    >>> label("A [b]\\n*c*")
    'A \\\\[b\\\\] \\\\*c\\\\*'
    """
    return _TEMPLATE.sub("&#123;", _SIGNS.sub(r"\\\g<0>", " ".join(text.split())))


class _Converter(MarkdownConverter):
    """What the rules of the base class leave open: signs of the text, addresses, code, layouts made of tables."""

    def escape(self, text: str, parent_tags: AbstractSet[str]) -> str:
        if _MAY_BE_SIGNS.search(text):
            text = _TEMPLATE.sub("&#123;", _SIGNS.sub(r"\\\g<0>", text))
        if "\n" in text or _MAY_START.match(text):
            text = _LINE_START.sub(r"\1\\\2", text)
            text = _LIST_NUMBER.sub(r"\1\\\2", text)
        return text.replace("|", r"\|") if "td" in parent_tags or "th" in parent_tags else text

    def process_tag(self, node: Tag, parent_tags: set[str] | None = None) -> str:
        if node.name in _CELLS and not _NUMBER.fullmatch(_attribute(node, "colspan") or "1"):
            # The base class takes a raised two for a digit, which int() does not.
            del node["colspan"]
        if node.name == "a":
            _make_safe(node, "href")
            # A link around blocks is a link only on one line.
            parent_tags = {*(parent_tags or ()), "_inline"}
        elif node.name == "tr":
            # Found out once for all its cells: of a table of 20,000 it took three seconds.
            own = {"_layout"} if node.find(_BLOCKS) is not None else set()
            parent_tags = set(parent_tags or ()) - {"_layout"} | own
        elif node.name in _CELLS and len(node.contents) == 1 and type(node.contents[0]) is NavigableString:
            # What has one text in it has no edges between two that the base class would look at.
            inner = self.process_text(node.contents[0], {*(parent_tags or ()), node.name, "_inline"})
            return self.convert_td(node, inner if node.contents[0].strip() else "", set(parent_tags or ()))
        return str(super().process_tag(node, parent_tags=parent_tags))  # type: ignore[misc]

    def process_text(self, el: NavigableString, parent_tags: set[str] | None = None) -> str:
        parents = parent_tags or set()
        text = str(el) if "pre" in parents else _collapsed(str(el))
        if "_noformat" not in parents:
            text = self.escape(text, parents)
        is_inside, before, after = should_remove_whitespace_inside(el.parent), el.previous_sibling, el.next_sibling
        if (is_inside and not before) or should_remove_whitespace_outside(before):
            text = text.lstrip(" \t\r\n")
        return text.rstrip() if (is_inside and not after) or should_remove_whitespace_outside(after) else text

    def get_conv_fn(self, tag_name: str) -> _Rule | None:
        rule: _Rule | None = super().get_conv_fn(tag_name)  # type: ignore[misc]
        return _spaced(rule) if rule is not None and tag_name in _INLINE else rule

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        source = target(_attribute(el, "src"))
        return f"![{label(_attribute(el, 'alt'))}]({source})" if source else ""

    def convert_video(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        sources = (el, *el.find_all("source"))
        source = next((found for inner in sources if (found := _attribute(inner, "src"))), "")
        name = label(source.rpartition("/")[2].partition("?")[0])
        poster = _attribute(el, "poster")
        shown = f"![{name}]({target(poster)})" if poster else name
        return f"[{shown}]({target(source)})" if source else ""

    convert_audio = convert_video

    def convert_code(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "_noformat" not in parent_tags:
            # Nothing in code is escaped, so it must not end early: at a blank line, or where a cell does.
            text = _unlike_shortcodes(_BREAKS.sub(" ", text))
            text = text.replace("|", r"\|") if "td" in parent_tags or "th" in parent_tags else text
        return str(super().convert_code(el, text, parent_tags))  # type: ignore[misc]

    convert_kbd = convert_samp = convert_code

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        code = _unlike_shortcodes(text.strip("\n"))
        if not code.strip():
            return ""
        if el.find_parent(_ONE_LINE) is not None:
            return self.convert_code(el, code, parent_tags)
        if not _has_lines_of_its_own(el):
            return f"\n\n<pre><code>{escape(code)}</code></pre>\n\n"
        fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(code)), default=0))
        return f"\n\n{fence}{_language(el)}\n{code}\n{fence}\n\n"

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        outer = el.parent
        if not isinstance(outer, ArticleElement) or outer.name != "ol":
            return str(super().convert_li(el, text, parent_tags))  # type: ignore[misc]
        # The base class counts those before each item anew.
        if not (text := text.strip()):
            return "\n"
        first = _attribute(outer, "start")
        number = f"{(int(first) if _NUMBER.fullmatch(first) else 1) + outer.place_of(el)}. "
        return number + _LINE.sub(" " * len(number), text)[len(number):] + "\n"

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "_layout" in parent_tags:
            return f"\n\n{text.strip()}\n\n"
        return str(super().convert_td(el, text, parent_tags))  # type: ignore[misc]

    convert_th = convert_td

    def convert_tr(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return text if "_layout" in parent_tags else str(super().convert_tr(el, text, parent_tags))  # type: ignore[misc]


_CONVERTER = _Converter(
    heading_style=ATX, bullets="-", sub_symbol="<sub>", sup_symbol="<sup>",
    # Its stub knows names of parsers alone.
    bs4_options=PARSER,  # type: ignore[arg-type]
)


def _spaced(rule: _Rule) -> _Rule:
    """A rule for inline elements that leaves space at their edges, and breaks of lines, where they are."""
    def convert(el: Tag, text: str, parent_tags: set[str]) -> str:
        if el.name == "a":
            text = _BREAKS.sub(" ", text)
        inner = text.strip()
        # Marks before and after a block of code would stand in its first and last lines.
        if not inner or (el.name != "a" and el.find("pre") is not None):
            return text
        start = text.index(inner)
        return text[:start] + rule(el, inner, parent_tags) + text[start + len(inner):]

    return convert


def _has_lines_of_its_own(block: Tag) -> bool:
    """Whether a block stands where every reader of Markdown sees the fences around it."""
    for outer in block.parents:
        is_stray = outer.name == "li" and (outer.parent is None or outer.parent.name not in {"ul", "ol"})
        if outer.name not in _AROUND_BLOCKS or is_stray:
            return False
    return True


def _make_safe(element: Tag, name: str) -> None:
    if value := _attribute(element, name):
        element[name] = target(value)
    if title := _attribute(element, "title"):
        element["title"] = label(title)


def _attribute(element: Tag, name: str) -> str:
    value: Any = element.get(name)
    return " ".join(value) if isinstance(value, list) else str(value or "")


def _unlike_shortcodes(code: str) -> str:
    return _SHORTCODE.sub("{" + _WORD_JOINER, code)


def _language(block: Tag) -> str:
    """The language that a block of code says it is in."""
    inner = block.find("code")
    names = f"{_attribute(block, 'class')} {_attribute(inner, 'class') if inner is not None else ''}"
    found = _LANGUAGE.search(names)
    return found[1].strip(".") if found else ""
