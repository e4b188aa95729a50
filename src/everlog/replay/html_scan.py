"""Scan of an HTML document for the places that replay changes: everything else stays letter by letter.

Which texts hold no markup depends on where a browser stands: in `svg` a `style` is an element like others, in a
`select` it may be none at all. The scan follows that as far as real pages go. It need not be exact to be safe: whoever
writes the tokens out again leaves no "<" that could be taken for the start of something else, so that a browser which
sees the document in another way sees fewer tags, and no others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from everlog.core.tree import MAX_TAGS
from everlog.replay.element_rules import DROPPED, RULED
from everlog.replay.html_places import CSS_ATTRIBUTES, FILMS, LAZY_BACKGROUNDS
from everlog.replay.html_tokens import TOKEN, Tag

TokenKind = Literal["start", "end", "raw", "comment", "doctype", "cdata", "instruction", "rest"]


class Token(NamedTuple):
    """A place of a document that may change. `text` are the attributes of a tag, from `inside` to `inside_end` stands
    the text of an element that has no markup in it."""

    kind: TokenKind
    start: int
    end: int
    name: str = ""
    text: str = ""
    inside: int = 0
    inside_end: int = 0
    is_foreign: bool = False


@dataclass(slots=True, kw_only=True)
class Scan:
    """The tokens of a document, where its head begins, and whether it was too large to be shown whole."""

    tokens: list[Token] = field(default_factory=list)
    head_at: int = 0
    is_cut: bool = False
    # Tags that were looked at, by the number of their token.
    tags: dict[int, Tag] = field(default_factory=dict)


# Elements whose content is text, with and without character references.
_RAW = frozenset(("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext"))
_FOLLOWED = FILMS | {"picture", "template", "noscript"}
# Attributes that change on whatever element they stand.
_INTERESTING = re.compile(
    r"<|(?:^|[\t\n\f /\"'])(?:on|"
    + "|".join(sorted({*DROPPED, *CSS_ATTRIBUTES, *LAZY_BACKGROUNDS, "href", "xlink:href"}))
    + ")",
    re.IGNORECASE,
)
_PROLOGUE = frozenset(("html", "head"))
# Elements inside `svg` and `math` in which HTML goes on.
_INTEGRATION = frozenset(("foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"))
# Tags that no `svg` or `math` holds: a browser leaves both for them.
_BREAKOUT = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split()
)
_FOREIGN = frozenset(("svg", "math"))
_FONT = re.compile("color|face|size", re.IGNORECASE)
_COMMENT_END = re.compile(r"--!?>")
_ENDS = {name: re.compile(rf"</{name}(?=[\t\n\f />])", re.IGNORECASE) for name in _RAW}
_IN_SCRIPT = re.compile(r"(<!--)|(-->)|<(/?)script(?=[\t\n\f />])", re.IGNORECASE)


def scan(text: str) -> Scan:
    """The tokens of a document whose line ends are plain; of one with more tags than are ever read, its start.

    >>> [(token.kind, token.name) for token in scan("<p><a href=b>c</a><style><b></style><!-- d -->").tokens]
    [('start', 'a'), ('raw', 'style')]
    """
    scanner = _Scanner(text)
    scanner.run()
    return Scan(tokens=scanner.tokens, head_at=scanner.head_at, is_cut=scanner.tags > MAX_TAGS)


class _Scanner:
    """A scan on its way: what is open of SVG and MathML, and where the head may begin."""

    def __init__(self, text: str) -> None:
        self.tokens: list[Token] = []
        self.head_at = 0
        self.tags = 0
        self._text = text
        self._foreign: list[str] = []
        self._in_prologue = True

    def run(self) -> None:
        at, text = 0, self._text
        while token := TOKEN.search(text, at):
            if self._in_prologue:
                self._begin(token, at)
            if token[1] is not None:
                self.tags += 1
                if self.tags > MAX_TAGS:
                    break
                at = self._start(token)
            elif token[3] is not None:
                self._end(token)
                at = token.end()
            elif token[6] is None:
                at = self._declaration(token)
            else:
                break
            if self._in_prologue:
                self.head_at = at
        if token is not None:
            # A tag that the document ends in is none, and what would be too much is left out.
            self.tokens.append(Token("rest", token.start(), len(text)))

    def _begin(self, token: re.Match[str], before: int) -> None:
        """Whether what stands before the content of the head goes on."""
        between = self._text[before:token.start()]
        name = token[1]
        self._in_prologue = (not between or between.isspace()) and (
            name.lower() in _PROLOGUE if name is not None else token[3] is None and token[6] is None
        )

    def _start(self, token: re.Match[str]) -> int:
        spelled, attributes, end = token[1], token[2], token.end()
        name = spelled.lower()
        is_foreign = self._follow(name, attributes)
        if name in _RAW and (not is_foreign or name in {"script", "style"}):
            inside = inside_end = end
            if not is_foreign or not attributes.endswith("/"):
                inside_end, end = _raw_end(self._text, name, end)
                if is_foreign:
                    self._foreign.pop()
            self.tokens.append(Token("raw", token.start(), end, spelled, attributes, inside, inside_end, is_foreign))
        elif name in RULED or name in _FOLLOWED or "<" in name or _INTERESTING.search(attributes):
            self.tokens.append(Token("start", token.start(), end, spelled, attributes))
        return end

    def _is_foreign(self) -> bool:
        return bool(self._foreign) and self._foreign[-1] not in _INTEGRATION

    def _follow(self, name: str, attributes: str) -> bool:
        """Whether a start tag is one of SVG or MathML, and so open."""
        if not self._foreign and name not in _FOREIGN:
            return False
        is_foreign = self._is_foreign()
        if is_foreign and (name in _BREAKOUT or (name == "font" and _FONT.search(attributes))):
            while self._is_foreign():
                self._foreign.pop()
            return False
        if not is_foreign and name not in _FOREIGN:
            return False
        if not attributes.endswith("/"):
            self._foreign.append(name)
        return True

    def _end(self, token: re.Match[str]) -> None:
        name = token[3].lower()
        if self._foreign and name in self._foreign:
            while self._foreign.pop() != name:
                pass
        if name in _FOLLOWED or token.end() - token.start() != len(name) + 3 or "<" in name:
            self.tokens.append(Token("end", token.start(), token.end(), token[3]))

    def _declaration(self, token: re.Match[str]) -> int:
        text, (start, end) = self._text, token.span()
        if token[4] is not None:
            end = _comment_end(text, start)
            if text.find("<", start + 1, end) >= 0:
                self.tokens.append(Token("comment", start, end))
        elif text.startswith("<![CDATA[", start) and self._is_foreign():
            close = text.find("]]>", start)
            inside_end = len(text) if close < 0 else close
            end = min(inside_end + 3, len(text))
            self.tokens.append(Token("cdata", start, end, inside=start + 9, inside_end=inside_end))
        else:
            is_doctype = text[start:start + 9].lower() == "<!doctype"
            self.tokens.append(Token("doctype" if is_doctype else "instruction", start, end))
        return end


def _comment_end(text: str, start: int) -> int:
    if text.startswith(("<!-->", "<!--->"), start):
        return text.index(">", start) + 1
    found = _COMMENT_END.search(text, start + 4)
    return found.end() if found else len(text)


def _raw_end(text: str, name: str, start: int) -> tuple[int, int]:
    """Where the text of an element without markup ends, and where its end tag does."""
    if name == "plaintext":
        return len(text), len(text)
    at = _script_end(text, start) if name == "script" else None
    if at is None:
        found = _ENDS[name].search(text, start)
        if found is None:
            return len(text), len(text)
        at = found.start()
    token = TOKEN.match(text, at)
    return at, token.end() if token is not None and token[3] is not None else len(text)


def _script_end(text: str, start: int) -> int | None:
    """Where a script ends: one that opens a comment and another script in it goes on behind the other's end."""
    is_escaped = is_double = False
    while found := _IN_SCRIPT.search(text, start):
        start = found.end()
        if found[1]:
            if not is_escaped:
                is_escaped = True
                # The dashes may end the comment that they begin.
                start -= 2
        elif found[2]:
            is_escaped = is_double = False
        elif found[3]:
            if not is_double:
                return found.start()
            is_double = False
        elif is_escaped:
            is_double = True
    return None
