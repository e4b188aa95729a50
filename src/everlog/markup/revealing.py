"""Pictures, sounds and films put where a reader without scripts sees them.

Designs load media late: the address waits in an attribute that only their scripts know, and `src`
holds an empty picture until then. Nothing here adds or takes away an element of the text, so that the
text is the same whether media were revealed or not; `players` are taken out again before it is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from everlog.markup.srcset import candidates, largest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.core.tree import Element

# Invisible as text, but they show media. A `noscript` is one where it holds the picture itself.
PLAYERS = frozenset(("audio", "video", "noscript", "object", "embed"))
# Names under which scripts keep the address of what is shown; these are meant whatever `src` says.
LAZY = (
    "data-src", "data-lazy-src", "data-original", "data-lazy", "data-echo", "data-actualsrc", "data-pagespeed-lazy-src",
    "data-orig-src", "data-original-src", "data-cfsrc", "data-ezsrc", "data-wpfc-original-src",
)
# Names of larger copies: meant where `src` shows nothing.
SPARE = (
    "data-full-url", "data-orig-file", "data-large-file", "data-hi-res-src", "data-image", "data-url", "data-img",
)
LAZY_SETS = (
    "data-srcset", "data-lazy-srcset", "data-original-set", "data-orig-srcset", "data-ezsrcset",
    "data-wpfc-original-srcset",
)
# Where they keep how wide a picture with such candidates is; `auto` is what it measures.
LAZY_SIZES = ("data-sizes", "data-lazy-sizes")
_EMPTY_PICTURE = re.compile(
    r"(?:^|[/_.-])(?:placeholder|blank|spacer|pixel|loading|loader|lazy|transparent|trans|1x1|gr[ae]y|dummy|preload"
    r"|spinner|empty)[\w-]{0,40}\.(?:gif|png|svg|jpe?g|webp)$",
    re.IGNORECASE,
)
_NO_ADDRESS = re.compile(r"[\t\r\n<>{}\"\\^`|]|^(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_ONE_PIXEL = re.compile(r"\s*0*[01](?:\.0*)?(?:px)?\s*", re.IGNORECASE)
_PIXEL_STYLE = re.compile(r"(?:^|[;\s])(?:width|height)\s*:\s*[01]px", re.IGNORECASE)
_FAMILIES = {
    "img": frozenset("jpg jpeg png gif webp avif svg bmp".split()),
    "audio": frozenset("mp3 m4a ogg oga opus wav flac aac".split()),
    "video": frozenset("mp4 m4v webm ogv mov".split()),
    "a": frozenset("pdf epub djvu doc docx odt ppt pptx odp xls xlsx ods csv zip".split()),
}


def reveal_media(article: Element) -> None:
    """Gives the media inside an element the address and form that needs no script, in place.

    >>> from lxml.html import fromstring, tostring
    >>> article = fromstring("<p><img src='data:,' data-src='a.jpg'></p>")
    >>> reveal_media(article)
    >>> article[0].get("src")
    'a.jpg'
    """
    pictures = list(article.iter("img", "source"))
    for picture in pictures:
        _reveal_picture(picture)
    players = list(article.iter(*PLAYERS))
    if not players:
        return
    fallen_back = {picture for player in players if player.tag == "noscript" for picture in player.iter("img")}
    seen = {_bare(picture.get("src")) for picture in pictures if picture not in fallen_back}
    for player in players:
        if player.tag == "noscript":
            _reveal_fallback(player, seen)
        elif player.tag in {"audio", "video"}:
            _reveal_film(player)
        else:
            _reveal_object(player)


def shows_media(element: Element) -> bool:
    """Whether a player has anything to show: of most `noscript` elements nothing is wanted.

    >>> from lxml.html import fromstring
    >>> shows_media(fromstring("<noscript>Please!</noscript>")), shows_media(fromstring("<audio src=a.mp3></audio>"))
    (False, True)
    """
    return element.tag != "noscript" or next(element.iter("img"), None) is not None


def without_words(players: Iterable[Element]) -> None:
    """Takes out of players what they say to those who cannot play them."""
    for player in players:
        for inner in player.iter():
            inner.text = None
            if inner is not player:
                inner.tail = None


def is_pixel(picture: Element) -> bool:
    """Whether a picture is there to be counted, not to be seen.

    >>> from lxml.html import fromstring
    >>> is_pixel(fromstring("<img width=1 height=1 src=a>")), is_pixel(fromstring("<img width=1 height=80 src=a>"))
    (True, False)
    """
    width, height = picture.get("width"), picture.get("height")
    if width is not None and height is not None:
        return bool(_ONE_PIXEL.fullmatch(width) and _ONE_PIXEL.fullmatch(height))
    style = picture.get("style")
    return style is not None and len(_PIXEL_STYLE.findall(style)) == 2


def suffix_of(address: str) -> str:
    """What a URL's path ends with after its last dot, in small letters; "" if it has none.

    >>> suffix_of("https://a.org/x/Photo.JPG?w=600#top"), suffix_of("https://a.org/x")
    ('jpg', '')
    """
    try:
        path = unquote(urlsplit(address).path)
    except ValueError:
        return ""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def is_picture(address: str) -> bool:
    """Whether a file is a picture, by its address.

    >>> is_picture("https://a.org/7.SVG?x=1#top"), is_picture("https://a.org/7.html")
    (True, False)
    """
    return suffix_of(address) in _FAMILIES["img"]


def is_played(address: str) -> bool:
    """Whether a file is a sound or a film, by its address.

    >>> is_played("https://a.org/7.MP3?x=1"), is_played("https://a.org/7.png")
    (True, False)
    """
    return suffix_of(address) in _FAMILIES["audio"] | _FAMILIES["video"]


def _reveal_picture(picture: Element) -> None:
    names = [str(name) for name in picture.keys()]  # noqa: SIM118 - an element, not a mapping
    if ("width" in names or "style" in names) and picture.tag == "img" and is_pixel(picture):
        for name in ("src", "srcset"):
            picture.attrib.pop(name, "")
        return
    if not any(name.startswith("data-") for name in names):
        return
    real = next((value for name in LAZY if (value := lazy_address(picture.get(name)))), None)
    sizes = next((value for name in LAZY_SETS if (value := picture.get(name))), None)
    if real is None and sizes is None and not _shows_something(picture):
        real = next((value for name in SPARE if (value := lazy_address(picture.get(name)))), None)
    if sizes is not None:
        picture.set("srcset", sizes)
    if real is None and sizes is not None and picture.tag == "img" and not _shows_something(picture):
        real = largest(candidates(sizes))
    if real is not None:
        picture.set("src", real)


def lazy_address(value: str | None) -> str | None:
    """The value of an attribute for scripts if it can be an address: they keep numbers and settings there, too.

    >>> lazy_address("a.jpg"), lazy_address("300"), lazy_address("{a: 'b/c'}")
    ('a.jpg', None, None)
    """
    value = value.strip() if value else ""
    return value if value and ("/" in value or "." in value) and not _NO_ADDRESS.search(value) else None


def lazy_sizes(values: Iterable[str | None]) -> str | None:
    """The `sizes` that a script would set, of the values of attributes for scripts; None if it measures them.

    >>> lazy_sizes(["auto", None]), lazy_sizes([None, "(max-width: 600px) 100vw, 600px"])
    (None, '(max-width: 600px) 100vw, 600px')
    """
    return next((value for value in values if value and value.strip().lower() != "auto"), None)


def is_empty_picture(address: str | None) -> bool:
    """Whether an address shows nothing: none, a picture in itself, or one that is called like a placeholder.

    >>> is_empty_picture("/img/blank.gif?1"), is_empty_picture("data:,"), is_empty_picture("/img/black.gif")
    (True, True, False)
    """
    found = lazy_address(address)
    return found is None or _EMPTY_PICTURE.search(found.partition("?")[0]) is not None


def _shows_something(picture: Element) -> bool:
    return not is_empty_picture(picture.get("src"))


def _reveal_fallback(fallback: Element, seen: set[str]) -> None:
    """The picture for readers without scripts: not a second time, but in sight if it is the only one."""
    pictures = [picture for picture in fallback.iter("img") if not is_pixel(picture)]
    beside = fallback.getprevious()
    waiting = next(reversed(list(beside.iter("img"))), None) if beside is not None else None
    if waiting is not None and pictures and not _shows_something(waiting):
        for name in ("src", "srcset"):
            if value := pictures[0].get(name):
                waiting.set(name, value)
        pictures = pictures[1:]
    elif waiting is not None and any(waiting.get(name) for name in (*LAZY, *LAZY_SETS)):
        pictures = pictures[1:]
    for inner in list(fallback):
        fallback.remove(inner)
    fallback.text = None
    # As `noscript`, cleaning would take what is inside for text.
    fallback.tag = "span"
    fallback.extend(picture for picture in pictures if _bare(picture.get("src")) not in seen)


def _bare(address: str | None) -> str:
    return (address or "").partition("?")[0].partition("//")[2]


def _reveal_film(film: Element) -> None:
    for name, lazy in (("src", "data-src"), ("poster", "data-poster")):
        if not film.get(name) and (value := lazy_address(film.get(lazy))):
            film.set(name, value)
    # The parser knows no `source` that ends by itself: what follows one stands inside it.
    tracks = [inner for inner in film.iter("source", "track") if inner.get("src")]
    if not film.get("src") and not tracks:
        links = (link.get("href") for link in film.iter("a"))
        if found := next((link for link in links if link and suffix_of(link) in _FAMILIES[film.tag]), None):
            film.set("src", found)
    for inner in list(film):
        film.remove(inner)
    film.text = None
    for track in reversed(tracks):
        for inner in list(track):
            track.remove(inner)
        track.text = track.tail = None
    film.extend(tracks)
    film.set("controls", "")


def _reveal_object(shown: Element) -> None:
    """An object as the element that browsers have for its kind today; others stay, and are cleaned away."""
    address = lazy_address(shown.get("data") or shown.get("src"))
    if address is None:
        return
    kind = _family(shown.get("type") or "", suffix_of(address))
    if kind is None:
        return
    for inner in list(shown):
        shown.remove(inner)
    shown.text = None
    shown.tag = kind
    shown.set("href" if kind == "a" else "src", address)
    if kind == "a":
        shown.text = unquote(address.partition("?")[0].rpartition("/")[2]) or address
    elif kind != "img":
        shown.set("controls", "")


def _family(kind: str, suffix: str) -> str | None:
    named = {"image": "img", "audio": "audio", "video": "video"}.get(kind.partition("/")[0].strip().lower())
    if named or kind.strip().lower() == "application/pdf":
        return named or "a"
    return next((tag for tag, suffixes in _FAMILIES.items() if suffix in suffixes), None)
