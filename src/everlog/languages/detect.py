"""Language of a post: what its text is written in, and what its page declares where the text cannot tell."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from everlog.core.words import UNSPACED
from everlog.languages.common_words import language_by_words
from everlog.records import Provenance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog.core.rules import Ranked, Rule
    from everlog.core.tree import Element
    from everlog.markup.view import View

# Texts of 84 blogs cut at random, guessed with at least `SURE`: of pieces of 60 to 150 letters 3 to 5 in a thousand are
# taken for another language than the whole, of 200 letters 3, of 1,000 one or two; nearly all of these pieces are
# quotations and code, and in that other language.
MIN_LETTERS = 200
# What is looked at first, and what is looked at before a page is contradicted: 0.6 ms and 1.1 ms.
FIRST_LETTERS = 1_000
MAX_LETTERS = 4_000
# How likely another language has to be for the text to win over the page. Without this, 15 of a thousand pieces of 400
# letters are misjudged, with it three.
SURE = 0.95
# What is known of a language that nothing but a declaration speaks for: of 1,873 posts of 83 blogs that say, by
# themselves or by their blog, what they are written in, and are long enough to tell, 1,792 are.
UNCHECKED = 0.96
# A guess is never as sure as a guess that the page confirms: of 1,000 letters, two in a thousand are wrong.
MOST_GUESSED = 0.99
# Languages that the identifier finds in texts of a far more common one, and takes turns with in one blog.
_TAKEN_FOR = {
    "pcm": "en", "sco": "en", "yue": "zh", "wuu": "zh", "an": "es", "ext": "es", "vec": "it", "lij": "it", "wa": "fr",
    "arz": "ar", "ary": "ar", "bcl": "tl", "uzs": "uz",
}
# Languages so close that the declared one is believed, with other names that some of them go by.
_KIN = tuple(
    frozenset(kin.split())
    for kin in (
        "hr bs sr sh cnr", "no nb nn da", "id in ms", "zh cmn yue wuu", "pt gl", "bg mk", "de lb", "fr oc", "nl af",
        "hi mr ne", "tl fil", "he iw", "es ast", "uz uzs", "fa prs", "ro mo",
    )
)
# Code is in no language, whatever its words.
_CODE = frozenset({"pre", "code", "kbd", "samp", "script", "style", "noscript", "textarea", "svg", "math"})
# Other scripts hold English names and code; no other script makes up this much of a text in English.
_LEAST_FOREIGN = 0.2
_BEYOND_LATIN = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]+")

_UNSPACED = re.compile(f"[{UNSPACED}]")
_TAG = re.compile(r"([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|\d{3}))?(?:[-_.@].*)?", re.IGNORECASE)

_Said = tuple["Rule", str]


def read_language(view: View, rules: Ranked) -> tuple[str, Provenance] | None:
    """The language of a page as a tag such as `de` or `pt-BR`, and who says so.

    Themes declare the language of their maker, so what the text is written in wins, where it is long enough to tell;
    the page's word is taken for the region, and between languages that are nearly the same.
    """
    said = [(rule, language) for rule in rules if (language := declared(view, rule)) is not None]
    text = text_of(view, FIRST_LETTERS)
    if not is_enough(text):
        return _unchecked(said)
    quick = language_by_words(text)
    # The commonest words will do to confirm what is to be expected, not to find out anything else.
    if quick is not None and (confirmed := _confirmed(_expected(said), quick)):
        return confirmed
    told = identify(text_of(view, MAX_LETTERS))
    if told is None:
        return _unchecked(said)
    if confirmed := _confirmed(said, told.language):
        return confirmed
    if told.probability >= SURE or not said:
        return told.language, Provenance(method="detected", confidence=min(told.probability, MOST_GUESSED))
    return _unchecked(said)


def _confirmed(said: Sequence[_Said], language: str) -> tuple[str, Provenance] | None:
    """The first declaration that names the language which the text is written in."""
    for rule, tag in said:
        if is_same(primary(tag), language):
            return tag, Provenance(method=rule.method, rule=rule.where or None, confidence=1.0)
    return None


def _unchecked(said: Sequence[_Said]) -> tuple[str, Provenance] | None:
    """What the page declares, if that is the blog's language; else the blog's language."""
    for rule, tag in _expected(said):
        confidence = UNCHECKED * rule.confidence if rule.confidence is not None else None
        return tag, Provenance(method=rule.method, rule=rule.where or None, confidence=confidence)
    return None


def _expected(said: Sequence[_Said]) -> list[_Said]:
    """The declarations that name the blog's language; all, where that is not known."""
    usual = next((tag for rule, tag in said if rule.method == "usual"), None)
    return [(rule, tag) for rule, tag in said if usual is None or primary(tag) == primary(usual)]


def is_same(declared_as: str, written_in: str) -> bool:
    """Whether a declared language may be the one that a text was found to be in.

    >>> is_same("nb", "no"), is_same("zh", "yue"), is_same("en", "ru")
    (True, True, False)
    """
    return declared_as == written_in or any(declared_as in kin and written_in in kin for kin in _KIN)


def declared(view: View, rule: Rule) -> str | None:
    """The language that one rule reads.

    >>> from everlog.markup.view import View
    >>> from everlog.core.rules import Rule
    >>> from everlog.core.tree import parse
    >>> declared(View(parse(b"<html lang='pt_br'><p>a"), ""), Rule(method="html-lang"))
    'pt-BR'
    """
    if rule.method == "html-lang":
        return as_language(view.root.get("lang") or view.root.get("{http://www.w3.org/XML/1998/namespace}lang"))
    if rule.method == "meta":
        return as_language(next(iter(view.meta.get(rule.where, ())), None))
    if rule.method == "json-ld":
        return as_language(next((node.get(rule.where) for node in view.json_ld), None))
    return rule.where if rule.method == "usual" else None


def as_language(value: Any) -> str | None:
    """A language tag in its usual spelling, or None.

    >>> as_language("EN_us"), as_language("zh-hans-cn"), as_language("klingon")
    ('en-US', 'zh-Hans-CN', None)
    """
    match = _TAG.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    language, script, region = match.groups()
    return "-".join(filter(None, (language.lower(), script and script.title(), region and region.upper())))


def primary(language: str) -> str:
    """The language without script and region.

    >>> primary("zh-Hans-CN")
    'zh'
    """
    return language.partition("-")[0]


def text_of(view: View, most: int) -> str:
    """The beginning of the page's article, or of the page, without its code."""
    element = view.article if view.article is not None else view.root.find("body")
    pieces: list[str] = []
    length = 0
    for text in _spoken(element) if element is not None else ():
        pieces.append(text)
        length += len(text.strip())
        if length > most:
            break
    return " ".join(" ".join(pieces).split())


def _spoken(element: Element) -> Iterator[str]:
    """The pieces of an element's text that are no code."""
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "end":
            if node is not element and node.tail:
                yield node.tail
        elif node.tag in _CODE and node is not element:
            walk.skip_subtree()
        elif node.text and isinstance(node.tag, str):
            yield node.text


def is_enough(text: str) -> bool:
    """Whether a text is long enough to tell its language."""
    letters = sum(map(str.isalpha, text[: 2 * MIN_LETTERS]))
    if letters >= MIN_LETTERS:
        return True
    # An unspaced script says as much in a third of the letters.
    return sum(map(str.isalpha, text)) + 2 * len(_UNSPACED.findall(text)) >= MIN_LETTERS


class Told(NamedTuple):
    """What a text is written in, and how likely it is that, or something nearly the same."""

    language: str
    probability: float


@lru_cache(maxsize=256)
def identify(text: str) -> Told | None:
    """The language a text is written in, or None for a text too short to tell, or in no language."""
    foreign = " ".join(_BEYOND_LATIN.findall(text))
    if len(foreign) >= _LEAST_FOREIGN * len(text):
        text = foreign
    if not is_enough(text):
        return None
    chances: dict[str, float] = {}
    for language, chance in _identifier().rank(text):
        name = _TAKEN_FOR.get(language, language)
        chances[name] = chances.get(name, 0.0) + chance
    language = max(chances, key=lambda name: chances[name])
    # Which of Croatian and Bosnian it is may be open when it is certainly one of them.
    probability = sum(chance for name, chance in chances.items() if is_same(name, language))
    return Told(language, min(probability, 1.0)) if language != _NO_LANGUAGE else None


def guess(text: str) -> str | None:
    """The language a text is most likely written in; None if nothing can be told."""
    told = identify(text)
    return told.language if told is not None else None


# What the identifier calls code and other things without words.
_NO_LANGUAGE = "zxx"


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - half a second, and few pages need it

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
