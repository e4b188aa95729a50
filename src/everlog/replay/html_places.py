"""Places of references in HTML and SVG: which attribute of which element names what, in one table.

The finder of requisites and the rewriter both read it, so that what is kept and what is shown are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from everlog.markup.revealing import LAZY, LAZY_SETS

# What a reference is for. A browser asks for all but `link` and `form` by itself. `dead` ones are for speed, counting
# or scripts: nothing that is seen changes without them. A `drawing` is a picture that is shown as a document, or of
# which parts are: as SVG it may need files itself, which the same picture in an `img` does not get.
Kind = Literal[
    "style", "script", "image", "drawing", "icon", "font", "media", "manifest", "frame", "link", "form", "dead",
]
# The kinds that a page needs to be shown.
REQUISITE_KINDS: Final[frozenset[Kind]] = frozenset(
    ("style", "script", "image", "drawing", "icon", "font", "media", "manifest", "frame")
)
# The kinds of pictures, sounds and films: who keeps no media leaves out those that pages name.
MEDIA_KINDS: Final[frozenset[Kind]] = frozenset(("image", "drawing", "media"))
ANY: Final = "*"

# (element, attribute) -> kind; an element `*` is any. What depends on more than these two is None here: `link_kind`,
# `meta_kind` and `input` have the rest.
PLACES: Final[Mapping[tuple[str, str], Kind]] = {
    ("a", "href"): "link", ("area", "href"): "link", ("a", "xlink:href"): "link",
    ("a", "ping"): "dead", ("area", "ping"): "dead",
    ("audio", "src"): "media", ("video", "src"): "media", ("video", "poster"): "image", ("track", "src"): "media",
    ("body", "background"): "image", ("table", "background"): "image", ("thead", "background"): "image",
    ("tbody", "background"): "image", ("tfoot", "background"): "image", ("tr", "background"): "image",
    ("td", "background"): "image", ("th", "background"): "image",
    ("embed", "src"): "frame", ("object", "data"): "frame", ("object", "codebase"): "dead",
    ("object", "classid"): "dead", ("object", "archive"): "dead", ("applet", "code"): "dead",
    ("applet", "archive"): "dead", ("applet", "codebase"): "dead", ("applet", "object"): "dead",
    ("frame", "src"): "frame", ("iframe", "src"): "frame", ("fencedframe", "src"): "frame", ("portal", "src"): "frame",
    ("form", "action"): "form", ("button", "formaction"): "form", ("input", "formaction"): "form",
    ("html", "manifest"): "dead", ("frame", "longdesc"): "dead", ("img", "longdesc"): "dead",
    ("iframe", "longdesc"): "dead", ("head", "profile"): "dead",
    ("img", "src"): "image", ("img", "srcset"): "image", ("img", "lowsrc"): "dead", ("img", "dynsrc"): "dead",
    ("image", "src"): "image", ("input", "src"): "image", ("bgsound", "src"): "dead",
    ("source", "src"): "media", ("source", "srcset"): "image",
    ("script", "src"): "script", ("script", "href"): "script", ("script", "xlink:href"): "script",
    # SVG: `use` shows parts of other files, the others pictures.
    ("image", "href"): "image", ("image", "xlink:href"): "image", ("use", "href"): "drawing",
    ("use", "xlink:href"): "drawing", ("feimage", "href"): "image", ("feimage", "xlink:href"): "image",
}
# SVG elements whose reference means an element of some document: their own, nearly always.
SVG_REFERRING: Final = frozenset((
    "lineargradient", "radialgradient", "pattern", "filter", "mpath", "textpath", "tref", "mask", "clippath", "marker",
    "cursor", "color-profile", "glyphref", "altglyph", "font-face-uri", "discard", "animate", "animatemotion",
    "animatetransform", "set",
))
# SVG attributes whose value is a piece of CSS that may hold `url()`.
CSS_ATTRIBUTES: Final = frozenset((
    "style", "fill", "stroke", "filter", "mask", "clip-path", "marker", "marker-start", "marker-mid", "marker-end",
    "cursor",
))
# What plays, and may have subtitles.
FILMS: Final = frozenset(("audio", "video"))
# In which element, and at which address, stands what a browser drew of a frame.
DRAWN_FRAME: Final = "data-everlog-frame"
# Attributes of several candidates.
SETS: Final = frozenset(("srcset", "imagesrcset", *LAZY_SETS))
# Attributes in which scripts keep the address of a picture for the background of any element; lazysizes' `bgset` has
# candidates, the others an address or `url()`.
LAZY_BACKGROUNDS: Final = (
    "data-bg", "data-background-image", "data-background", "data-bg-image", "data-lazy-bg", "data-bg-url",
    "data-lazy-background", "data-image-src", "data-bgset",
)
# What other elements than pictures are promoted to: the attribute of scripts and the one that it stands for.
LAZY_PLACES: Final[Mapping[tuple[str, str], str]] = {
    **{(tag, name): "src" for tag in ("img", "source", "audio", "video", "iframe", "embed") for name in LAZY},
    **{(tag, name): "srcset" for tag in ("img", "source") for name in LAZY_SETS},
    ("video", "data-poster"): "poster", ("object", "data-data"): "data",
}

_ICONS = frozenset((
    "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "fluid-icon", "apple-touch-startup-image",
))
# They fetch ahead of need, or open connections.
_DEAD_RELATIONS = frozenset((
    "preload", "modulepreload", "prefetch", "prerender", "dns-prefetch", "preconnect", "subresource", "pingback",
    "expect", "compression-dictionary", "import",
))
_TILES = frozenset((
    "msapplication-tileimage", "msapplication-square70x70logo", "msapplication-square150x150logo",
    "msapplication-square310x310logo", "msapplication-wide310x150logo",
))


def kind_of(element: str, attribute: str) -> Kind | None:
    """What an attribute's address is for; None where it holds none, or it depends on other attributes.

    Names are in small letters.

    >>> kind_of("video", "poster"), kind_of("p", "title"), kind_of("lineargradient", "xlink:href")
    ('image', None, 'image')
    """
    found = PLACES.get((element, attribute))
    if found is None and attribute in {"href", "xlink:href"} and element in SVG_REFERRING:
        return "image"
    return found


def link_kind(rel: str | None, type_: str | None = None, onload: str | None = None) -> Kind:
    """What a `link` element names.

    An alternate style sheet is one too: it waits to be chosen. So is what is only loaded ahead until its `onload` makes
    a style sheet of it. Other relations (feeds, the next page, the canonical address) are asked for by nobody.

    >>> link_kind("shortcut ICON"), link_kind("stylesheet"), link_kind("preload"), link_kind("canonical")
    ('icon', 'style', 'dead', 'link')
    """
    relations = frozenset((rel or "").lower().split())
    if "stylesheet" in relations or ("preload" in relations and "stylesheet" in (onload or "")):
        kind = (type_ or "").partition(";")[0].strip().lower()
        return "style" if kind in {"", "text/css"} else "dead"
    if relations & _ICONS:
        return "icon"
    if "manifest" in relations:
        return "manifest"
    return "dead" if relations & _DEAD_RELATIONS else "link"


def meta_kind(name: str | None) -> Kind | None:
    """What the `content` of a `meta` element names: an icon of a tile, or nothing that a page is shown with.

    >>> meta_kind("msapplication-TileImage"), meta_kind("og:image")
    ('icon', None)
    """
    return "icon" if (name or "").strip().lower() in _TILES else None
