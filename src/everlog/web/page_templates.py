"""Pages of everlog: their templates, their style sheet, and the headers that they are sent with."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import unescape
from importlib.resources import files
from shlex import quote
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import PlainTextResponse, Response

from everlog.archive.projection.post_content import EXCERPT
from everlog.core.urls import without_user
from everlog.web.mementos.capture_times import day_in_words, in_words, short_day, timestamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
# Of a tree that was written as text, so attributes stand in quotes, and signs in them are escaped.
_PICTURE = re.compile(r'<img\b[^>]*? src="([^"]+)"')
# Chosen, not measured: six lines on a telephone.
LONGEST_TITLE = 200
STATIC_TYPES = {
    "css": "text/css; charset=utf-8", "svg": "image/svg+xml", "js": "text/javascript; charset=utf-8",
}
# Links below these change the page in place, where scripts run; elsewhere they are links. What is answered is the same
# whole page, of which a part is taken: filters replace all that stands below the field on top, and the address is that
# of the link; a further page of a list is added to the one that is there.
SWAP = Markup('hx-boost="true" hx-target="#content" hx-select="#content" hx-swap="outerHTML"')
APPEND = Markup(
    'hx-boost="true" hx-push-url="false" hx-target="#list" hx-select="#list > li" hx-swap="beforeend" '
    'hx-select-oob="#turn"',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedCommands:
    """Commands as they can be typed where the server was started: the program's name, and the flag for its archive."""

    program: str = "everlog"
    archive: str = ""

    def __call__(self, words: str, url: str = "") -> str:
        """A command; an address, which strangers may have made up, is one word of it.

        >>> TypedCommands(program="scripts/everlog", archive=" --archive demo")("repair URL", "https://a.org/$(x)")
        "scripts/everlog repair 'https://a.org/$(x)' --archive demo"
        """
        return f"{self.program} {words.replace('URL', quote(without_user(url)))}{self.archive}"


class Pages:
    """The templates, filled. What stands in a page is escaped, unless it was cleaned."""

    def __init__(self, typed: TypedCommands = TypedCommands()) -> None:
        self._jinja = Environment(
            loader=PackageLoader("everlog.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
            lstrip_blocks=True, auto_reload=False,
        )
        self._jinja.filters |= {
            "in_words": in_words, "day": day_in_words, "short_day": short_day, "timestamp": timestamp,
            "counted": counted, "as_sentence": as_sentence, "lang": lang_attribute, "is_web": is_web,
            "first_picture": first_picture, "ended_at_a_word": ended_at_a_word, "in_a_list": in_a_list,
        }
        self._jinja.globals |= {
            "style": self.versioned("everlog.css"), "static": self.versioned, "swap": SWAP, "append": APPEND,
            "typed": typed,
        }

    def text(self, name: str, **values: Any) -> str:
        """A page."""
        return self._jinja.get_template(name).render(**values)

    def answer(self, text: str, status: int, headers: Mapping[str, str], *, policy: str) -> Response:
        """A page on its way to a browser."""
        return Response(text, status, media_type="text/html", headers={
            "Content-Security-Policy": policy, "Cache-Control": "no-cache", **headers,
        })

    def versioned(self, name: str) -> str:
        """A file of the pages' own with what changes when it does, so that no browser has an old one."""
        return f"{name}?v={self._versions[name]}"

    async def static(self, request: Request) -> Response:
        """A file of the pages' own: never one that a path leads to."""
        known = self._files.get(request.path_params["name"])
        if known is None:
            return PlainTextResponse("There is no such file.\n", status_code=404)
        body, kind = known
        return Response(body, media_type=kind, headers={
            "Cache-Control": "public, max-age=86400", "Cross-Origin-Resource-Policy": "cross-origin",
        })

    @cached_property
    def _files(self) -> Mapping[str, tuple[bytes, str]]:
        folder = files("everlog.web").joinpath("static")
        return {
            each.name: (each.read_bytes(), STATIC_TYPES[each.name.rpartition(".")[2]]) for each in folder.iterdir()
            if each.name.rpartition(".")[2] in STATIC_TYPES
        }

    @cached_property
    def _versions(self) -> Mapping[str, str]:
        return {name: hashlib.sha256(body).hexdigest()[:12] for name, (body, _) in self._files.items()}


@lru_cache(maxsize=500)
def lang_attribute(language: str | None) -> Markup:
    """The attribute for a language; none for what is no name of one.

    >>> lang_attribute("pt-BR"), lang_attribute("<b>")
    (Markup(' lang="pt-BR"'), Markup(''))
    """
    return Markup(' lang="{}"').format(language) if is_language(language) else Markup("")


def is_language(language: str | None) -> bool:
    """Whether something can be the name of a language."""
    return language is not None and _LANGUAGE.fullmatch(language) is not None


def is_web(url: str | None) -> bool:
    """Whether an address that a stranger wrote may be a link."""
    return url is not None and url.lower().startswith(("http://", "https://"))


def first_picture(article: str) -> str:
    """The address of the first picture of an article, as its page shows it; empty if it shows none.

    >>> first_picture('<p>One <img alt="" src="http://a.org/b?c&amp;d"> <img src="http://a.org/e"></p>')
    'http://a.org/b?c&d'
    """
    found = _PICTURE.search(article)
    return unescape(found[1]) if found else ""


def ended_at_a_word(excerpt: str) -> str:
    """The excerpt of a post, which is cut at a letter, up to its last whole word; up to the letter if it has no words.

    >>> ended_at_a_word("short"), ended_at_a_word("word " * 60)[-10:], len(ended_at_a_word("\u5b57" * EXCERPT))
    ('short', 'word word\u2026', 241)
    """
    return excerpt if len(excerpt) < EXCERPT else _cut(excerpt)


def in_a_list(title: str) -> str:
    """A title as lists have it: nobody reads twenty lines of one to see the next.

    >>> in_a_list("short"), in_a_list("word " * 100)[-10:], len(in_a_list("\u5b57" * 500))
    ('short', 'word word\u2026', 201)
    """
    return title if len(title) <= LONGEST_TITLE else _cut(title[:LONGEST_TITLE])


def _cut(text: str) -> str:
    """A text that goes on, up to its last whole word."""
    words = text.rpartition(" ")[0].rstrip()
    # Chinese and Japanese have blanks around foreign words only: one far from the end is not where to end.
    return f"{words if len(words) > len(text) // 2 else text}\u2026"


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "capture"), counted(1200, "capture"), counted(2, "copy", "copies")
    ('1 capture', '1,200 captures', '2 copies')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def as_sentence(words: str) -> str:
    """Words that stand in a line elsewhere as a sentence: with a large letter and a full stop.

    >>> as_sentence("all posts are here: 3 held")
    'All posts are here: 3 held.'
    """
    return f"{words[:1].upper()}{words[1:]}."
