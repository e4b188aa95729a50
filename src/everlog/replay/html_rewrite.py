"""Captured pages, rewritten for looking at: the browser builds the same page as from the live bytes, and asks only us.

The text is changed in place: what is not rewritten stays letter by letter, so that no parser of ours has to build the
page as a browser does. See docs/internals/replay.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape, unescape

from everlog.core.links import refreshed_to
from everlog.replay.element_rules import MISSING, Rules
from everlog.replay.frame_rules import not_held
from everlog.replay.html_places import DRAWN_FRAME, FILMS
from everlog.replay.html_scan import Scan, Token, scan
from everlog.replay.html_tokens import Tag, escaped, start_tags
from everlog.replay.memento_links import Held, Resolve, View, reference
from everlog.replay.xml_rewrite import rewrite_xml

# Forty times the largest of 13,168 pages of blogs; the rest of a larger one is not shown.
LONGEST_PAGE = 64_000_000
# The richest of some thousand pages names 3,100 addresses. What is named behind so many counts as not held.
MOST_REFERENCES = 20_000
# Documents in documents in documents; real pages have one.
_DEEPEST = 4
# The texts for readers without scripts that are looked into: pictures and small style sheets, one inside the other for
# whoever wants to make it slow.
_LONGEST_FALLBACK = 5_000
_CUT = (
    '<div style="all:initial;display:block;padding:1em;font:16px sans-serif">The rest of this page is not shown: '
    "it is too large.</div>"
)
# Pages that only send readers on have 200 to 700 characters (Hugo's aliases, Jekyll's redirects); where readers stay, a
# page that asks to be loaded anew has more, or a link.
_LONGEST_SIGNPOST = 2_000
# Nothing here changes the place or the size of anything: it shows when a link is pointed at.
_STYLE = (
    "<style data-everlog>"
    f"a[{MISSING}],area[{MISSING}]{{cursor:help}}a[{MISSING}]:hover{{outline:1px dashed}}</style>"
)
_CSS_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
_CSS_REFERENCE = re.compile(r"&(?=#(?:[0-9]|[xX][0-9a-fA-F])|[a-zA-Z])")
_HIDING = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)


def rewrite_html(
    text: str, *, url: str, resolve: Resolve, view: View, is_xml: bool = False, encoding: str | None = None,
) -> str:
    """A captured page whose references lead to the archive's copies, without scripts, forms and what asks the web.

    One that was sent as XML (`application/xhtml+xml`) is read and written as XML. `encoding` is that of the page, if it
    is none of Unicode (`query_encoding`): queries of its links are sent in it.

    >>> from everlog.replay import Replayed
    >>> held = {"https://a.org/b.png": Replayed(timestamp="20200101000000", url="https://a.org/b.png")}
    >>> view = View(prefix="http://r", timestamp="20200101000000")
    >>> rewrite_html("<p onclick=x()><img src=b.png><script>x()</script>", url="https://a.org/",
    ...              resolve=lambda urls: held, view=view)
    '<p><img src="http://r/web/20200101000000/https://a.org/b.png"><script></script>'
    """
    if is_xml:
        return rewrite_xml(text, url=url, resolve=resolve, view=view, inner=_inner, encoding=encoding)
    state = PageState(view=view)
    text, is_long = _bounded(text)
    found = scan(text)
    if target := _leads_on(text, found):
        text += f'<p>This page leads on to <a href="{escape(target)}">{escape(target)}</a></p>'
        found = scan(text)
    wanted: dict[str, None] = {}

    def note(wanted_url: str) -> None:
        if len(wanted) < MOST_REFERENCES:
            wanted.setdefault(wanted_url)

    _document(text, found, url, note, state, 0, encoding=encoding)
    held = resolve(tuple(wanted)) if wanted else {}
    state.is_final = True
    rewritten = _document(text, found, url, held.get, state, 0, encoding=encoding)
    if found.is_cut or is_long:
        rewritten += _CUT
    return rewritten


def _inner(text: str, base: str, held: Held, view: View) -> str:
    """The HTML of a frame inside another kind of document."""
    text, _ = _bounded(text)
    return _document(text, scan(text), "about:srcdoc", held, PageState(view=view, is_final=True), 1, base)


def _leads_on(text: str, found: Scan) -> str | None:
    """Where a page sends its readers that shows them nothing: as nobody is sent in replay, they need a link."""
    if len(text) > _LONGEST_SIGNPOST:
        return None
    tags = [Tag(token.name, token.text) for token in found.tokens if token.kind == "start"]
    if any(tag.name == "a" for tag in tags):
        return None
    said = (tag.get("content") or "" for tag in tags
            if tag.name == "meta" and (tag.get("http-equiv") or "").strip().lower() == "refresh")
    return next(filter(None, map(refreshed_to, said)), None)


@dataclass(slots=True, kw_only=True)
class PageState:
    """What the first pass over a page tells the second: which pictures were waiting for a script, what links mean."""

    view: View
    is_final: bool = False
    # By the base that they are relative to.
    known: dict[str, dict[str, tuple[str, str] | None]] = field(default_factory=dict)
    revealed: set[str] = field(default_factory=set)
    revealed_classes: set[str] = field(default_factory=set)


def _bounded(text: str) -> tuple[str, bool]:
    # As browsers do before anything else; with one kind of line end the expressions have less to know.
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return (text, False) if len(text) <= LONGEST_PAGE else (text[:LONGEST_PAGE], True)


def _document(
    text: str, found: Scan, url: str, held: Held, state: PageState, depth: int,
    base: str | None = None, encoding: str | None = None,
) -> str:
    def inner(document: str, inner_base: str) -> str:
        if depth >= _DEEPEST:
            return not_held(inner_base)
        document, _ = _bounded(document)
        return _document(document, scan(document), "about:srcdoc", held, state, depth + 1, inner_base)

    base = _base(found, base or url)
    rules = Rules(
        url=url, base=base, view=state.view, answered=held, inner=inner, known=state.known.setdefault(base, {}),
        revealed=state.revealed, revealed_classes=state.revealed_classes, encoding=encoding,
    )
    return _Writer(text, found, rules, is_final=state.is_final).written()


def _base(found: Scan, url: str) -> str:
    """What the links of a document are relative to: nothing that stands in a template."""
    templates = 0
    for token in found.tokens:
        name = token.name.lower()
        if name == "template":
            templates = templates + 1 if token.kind == "start" else max(templates - 1, 0)
        elif name == "base" and token.kind == "start" and not templates:
            tag = Tag(token.name, token.text)
            if (link := tag.get("href")) is not None:
                meant = reference(url, link)
                return meant[0] if meant is not None else url
    return url


class _Writer:
    """The document on its way out."""

    def __init__(self, text: str, found: Scan, rules: Rules, *, is_final: bool) -> None:
        self._text = text
        # The first pass is only about what is asked for.
        self._is_final = is_final
        self._found = found
        self._rules = rules
        self._pieces: list[str] = []
        self._has_missing = False
        self._has_doctype = False
        self._ends: dict[int, int] | None = None

    def written(self) -> str:
        pieces, text, tokens = self._pieces, self._text, self._found.tokens
        at = number = head = 0
        head_at = self._found.head_at
        while number < len(tokens):
            token = tokens[number]
            if head == 0 and token.start >= head_at:
                pieces.append(text[at:head_at])
                at, head = head_at, len(pieces)
                pieces.append("")
            pieces.append(text[at:token.start])
            number, at = self._token(number, token)
        pieces.append(text[at:])
        if self._has_missing:
            pieces[head] = _STYLE + pieces[head]
        return "".join(pieces)

    def _token(self, number: int, token: Token) -> tuple[int, int]:
        """Writes a token; returns the number of the next one, and from where the text goes on."""
        write = self._pieces.append
        kind = token.kind
        if kind == "start":
            return self._start(number, token)
        if kind == "raw":
            return self._raw(number, token)
        if kind == "end":
            if token.name.lower() == "picture":
                self._rules.begin_picture()
            write(f"</{token.name.replace('<', '_')}>")
        elif kind == "comment":
            write("<!---->")
        elif kind == "doctype":
            if not self._has_doctype:
                write("<" + self._text[token.start + 1:token.end].replace("<", ""))
            self._has_doctype = True
        elif kind == "cdata":
            write(escaped(self._text[token.inside:token.inside_end]))
        elif kind == "instruction":
            self._instruction(token)
        return number + 1, token.end

    def _instruction(self, token: Token) -> None:
        """What a browser takes for a comment."""
        inside = self._text[token.start + 1:token.end]
        if inside == "/>":
            return
        data = inside.removesuffix(">").lstrip("!/") if inside[0] in "!/" else inside.removesuffix(">")
        self._pieces.append(f"<!--{data.replace('<', '').replace('--', '- ').rstrip('-')}-->")

    def _start(self, number: int, token: Token) -> tuple[int, int]:
        tag = self._tag(number, token)
        write, rules, name = self._pieces.append, self._rules, tag.name
        if name == "base":
            return number + 1, token.end
        if name == "noscript" and rules.revealed and (close := self._closing(number)) is not None:
            inside = self._text[token.end:self._found.tokens[close].start]
            if self._is_superfluous(inside):
                write(f"{tag.written()}</noscript>")
                return close + 1, self._found.tokens[close].end
        if name == "picture":
            rules.begin_picture()
        if name == "source":
            if rules.keeps_source(tag):
                write(tag.written())
        elif name == "embed" and tag.has("src"):
            self._embed(tag)
        else:
            rules.apply(tag)
            if name in FILMS:
                rules.subtitled(tag, self._tracks(number))
            if self._is_final:
                self._has_missing = self._has_missing or tag.current(MISSING) == ""
                write(tag.written())
        return number + 1, token.end

    def _tag(self, number: int, token: Token) -> Tag:
        """The tag of a token, which both passes share."""
        tag = self._found.tags.get(number)
        if tag is None:
            tag = self._found.tags[number] = Tag(token.name, token.text)
        else:
            tag.forget()
        return tag

    def _tracks(self, number: int) -> Iterator[Tag]:
        """The `track` elements of a film or sound, which ends with its end tag or where another one begins."""
        tokens = self._found.tokens
        for at in range(number + 1, len(tokens)):
            token, name = tokens[at], tokens[at].name.lower()
            if name in FILMS:
                return
            if name == "track" and token.kind == "start":
                yield Tag(token.name, token.text)

    def _embed(self, tag: Tag) -> None:
        if self._rules.embeds(tag):
            # Under a sandbox browsers leave out every `embed`, and a picture is a picture.
            self._pieces.append(tag.written("img") if self._rules.embeds_picture(tag) else tag.written())
            return
        meant = self._rules.meant(tag.get("src") or "")
        tag.set("srcdoc", not_held(meant[0] if meant is not None else ""))
        tag.set("sandbox", "")
        tag.drop("type")
        tag.is_closed = False
        self._pieces.append(f"{tag.written('iframe')}</iframe>")

    def _raw(self, number: int, token: Token) -> tuple[int, int]:
        tag = Tag(token.name, token.text)
        write, rules, name = self._pieces.append, self._rules, tag.name
        inside = self._text[token.inside:token.inside_end]
        if name == "script":
            write("<script></script>")
        elif name == "style":
            rules.apply(tag)
            tag.is_closed = False
            write(f"{tag.written()}{self._sheet(inside, is_foreign=token.is_foreign)}</style>")
        elif name == "iframe":
            drawn = self._drawn(number, token)
            rules.apply(tag)
            if drawn is not None:
                rules.iframe(tag, drawn[0])
            write(f"{tag.written()}</iframe>")
            if drawn is not None:
                return drawn[1] + 1, self._found.tokens[drawn[1]].end
        else:
            rules.apply(tag)
            self._text_only(tag, name, inside)
        return number + 1, token.end

    def _text_only(self, tag: Tag, name: str, inside: str) -> None:
        write = self._pieces.append
        if name in {"textarea", "title"}:
            write(f"{tag.written()}{inside.replace('<', '&lt;')}</{name}>")
        elif name in {"xmp", "plaintext"}:
            # The one way to write it that is text for every reader. A first line end would be passed over.
            first = "\n" if inside.startswith("\n") else ""
            write(f"{tag.written('pre')}{first}{escaped(inside)}")
            write("</pre>" if name == "xmp" else "")
        else:
            write(f"{tag.written()}</{name}>")

    def _sheet(self, text: str, *, is_foreign: bool) -> str:
        """A style sheet that is the same whether it is read as text or as markup."""
        if is_foreign:
            text = _CDATA.sub(lambda found: escaped(found[1]), text)
            text = unescape(_COMMENT.sub("", text))
        text = self._rules.css(text)
        text = _CSS_TAG.sub("\\\\3c ", text.replace("<!--", "    "))
        return _CSS_REFERENCE.sub("\\\\26 ", text) if is_foreign else text

    def _closing(self, number: int) -> int | None:
        """The number of the token that ends an element, others of the same name inside it passed over."""
        if self._ends is None:
            self._ends = {}
            opened: dict[str, list[int]] = {}
            for at, token in enumerate(self._found.tokens):
                if token.kind == "start":
                    opened.setdefault(token.name.lower(), []).append(at)
                elif token.kind == "end" and (starts := opened.get(token.name.lower())):
                    self._ends[starts.pop()] = at
        return self._ends.get(number)

    def _drawn(self, number: int, token: Token) -> tuple[tuple[str, str], int] | None:
        """The document that a browser drew in a frame, which stands in a template behind it: its address and text."""
        tokens = self._found.tokens
        if number + 1 >= len(tokens) or tokens[number + 1].name.lower() != "template":
            return None
        template = tokens[number + 1]
        if template.kind != "start" or self._text[token.end:template.start].strip():
            return None
        address = Tag(template.name, template.text).get(DRAWN_FRAME)
        close = self._closing(number + 1)
        if address is None or close is None:
            return None
        return (address, self._text[template.end:tokens[close].start]), close

    def _is_superfluous(self, inside: str) -> bool:
        """Whether a `noscript` only says again, or hides, what is shown in the place where scripts would show it."""
        rules = self._rules
        if len(inside) > _LONGEST_FALLBACK:
            return False
        pictures = [tag for tag in start_tags(inside) if tag.name == "img"]
        if pictures:
            links = (rules.meant(tag.get("src") or "") for tag in pictures)
            return all(link is not None and link[0] in rules.revealed and rules.held(link[0]) for link in links)
        return _HIDING.search(inside) is not None and any(
            re.search(rf"\.{re.escape(word)}(?![\w-])", inside) for word in rules.revealed_classes
        )

