"""SVG shapes: the parts of a captured drawing that may stand in a page: shapes, colours, filters, and their styles.

Names, classes and rules get a mark, so that they are not those of the page: `#leaf` is `#everlog-0-leaf`, and a rule of
the drawing reaches no element of the page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from everlog.replay.html_tokens import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

# The size of a file: sets of 2,000 icons are 1 MB.
LONGEST_DRAWING = 2_000_000
_DEEPEST = 50
# Shapes and what colours them. Nothing here can hold a script, a page or another file.
_SHAPES = frozenset(
    "symbol g path circle ellipse line polygon polyline rect text tspan use defs title desc linearGradient "
    "radialGradient stop clipPath mask pattern filter feBlend feColorMatrix feComponentTransfer feComposite "
    "feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG "
    "feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight "
    "feTile feTurbulence".split(),
)
# Properties that are both attributes and declarations of style sheets.
_PROPERTIES = frozenset(
    "fill fill-opacity fill-rule clip-rule stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit "
    "stroke-dasharray stroke-dashoffset stroke-opacity opacity stop-color stop-opacity clip-path mask filter font-size "
    "font-family font-weight font-style text-anchor color color-interpolation-filters flood-color flood-opacity "
    "lighting-color display visibility paint-order vector-effect transform mix-blend-mode".split(),
)
_ATTRIBUTES = _PROPERTIES | frozenset(
    "d x y x1 y1 x2 y2 cx cy r rx ry fx fy dx dy width height points viewBox preserveAspectRatio offset gradientUnits "
    "gradientTransform spreadMethod patternUnits patternContentUnits patternTransform clipPathUnits maskUnits "
    "maskContentUnits filterUnits primitiveUnits in in2 result type values stdDeviation mode operator k1 k2 k3 k4 "
    "order kernelMatrix divisor bias targetX targetY edgeMode preserveAlpha surfaceScale diffuseConstant "
    "specularConstant specularExponent azimuth elevation z pointsAtX pointsAtY pointsAtZ limitingConeAngle scale "
    "xChannelSelector yChannelSelector radius baseFrequency numOctaves seed stitchTiles tableValues slope intercept "
    "amplitude exponent".split(),
)
_OF_ID = re.compile(r"url\(\s*['\"]?#([^'\")\s]{1,200})['\"]?\s*\)")
_HREFS = ("href", "{http://www.w3.org/1999/xlink}href")
# Rules of which every sign is understood: names, classes, ids, and how they are combined.
_SELECTOR = re.compile(r"[\w\s.#>+~*,-]{1,500}", re.ASCII)
_NAMED = re.compile(r"([.#])([\w-]{1,100})", re.ASCII)
_VALUE = re.compile(r"[\w\s#%.,()+*/'-]{1,300}", re.ASCII)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]{1,2000})\{([^{}]{0,5000})\}")
_MOST_RULES = 2_000


def drawing(svg: str) -> etree._Element | None:
    """The root of a captured drawing; None if it is none of SVG.

    >>> drawing("<p>no drawing</p>") is None
    True
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    try:
        root = etree.fromstring(svg[:LONGEST_DRAWING].encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None
    return root if root is not None and name_of(root) == "svg" else None


def shapes(element: etree._Element, mark: str, *, is_ruled: bool = False) -> str:
    """An element of a drawing with all that is inside it, as far as it may stand in a page.

    `is_ruled`: with the classes that the drawing's own rules are about.

    >>> sign = drawing('<svg><g id="a" class="b" style="fill: red; x: y" onclick="c()"><script>d()</script></g></svg>')
    >>> shapes(sign[0], "everlog-0", is_ruled=True)
    '<g id="everlog-0-a" style="fill:red" class="everlog-0 everlog-0-b"></g>'
    """
    return "".join(_written(element, mark, 0, is_ruled=is_ruled))


def rules(root: etree._Element, mark: str) -> str:
    """The rules of a drawing's own styles, for its own elements.

    >>> rules(drawing("<svg><style>.a, path { fill: red } @import 'b'; p { background: url(c) }</style></svg>"), "m")
    '.m-a.m,path.m{fill:red}'
    """
    found: list[str] = []
    for style in root.iter("{*}style", "style"):
        text = _COMMENT.sub("", "".join(map(str, style.itertext())))
        if "@" in text:
            # What holds under conditions is left out, with the text around it.
            text = re.sub(r"@[^{};]*(?:;|\{(?:[^{}]|\{[^{}]*\})*\})", "", text)
        for rule in _RULE.finditer(text):
            selector, said = rule[1].strip(), declarations(rule[2], mark)
            if said and _SELECTOR.fullmatch(selector) and len(found) < _MOST_RULES:
                found.append(f"{_own(selector, mark)}{{{said}}}")
    return "".join(found)


def declarations(text: str, mark: str) -> str:
    """Declarations of which nothing but shapes and colours is left; references are those of the drawing.

    >>> declarations("fill: url(#a); stroke:#F00 !important; background: url(b); x", "m")
    'fill:url(#m-a);stroke:#F00 !important'
    """
    kept = []
    for each in text.split(";"):
        name, _, value = (part.strip() for part in each.partition(":"))
        said = _value(value.removesuffix("!important").strip(), mark) if name.lower() in _PROPERTIES else None
        if said:
            kept.append(f"{name.lower()}:{said}{' !important' if value.endswith('!important') else ''}")
    return ";".join(kept)


def name_of(element: etree._Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _own(selector: str, mark: str) -> str:
    """A selector for elements with the mark alone."""
    marked = _NAMED.sub(rf"\g<1>{mark}-\2", " ".join(selector.split()))
    return ",".join(f"{part.strip()}.{mark}" for part in marked.split(",") if part.strip())


def _value(value: str, mark: str) -> str | None:
    """The value of a property or attribute; None if it names another file, or could."""
    if (found := _OF_ID.fullmatch(value.strip())) is not None:
        return f"url(#{mark}-{found[1]})"
    # An escape may spell an address too.
    return value if _VALUE.fullmatch(value) and "url(" not in value.lower() else None


def _written(element: etree._Element, mark: str, depth: int, *, is_ruled: bool) -> Iterator[str]:
    name = name_of(element)
    # A drawing inside of another is a sign as well.
    if name == "svg":
        name = "symbol"
    if name not in _SHAPES or depth > _DEEPEST:
        return
    yield f"<{name}"
    for attribute, given in element.attrib.items():
        value = str(given)
        if attribute == "id":
            yield f' id="{escaped(f"{mark}-{value}")}"'
        elif attribute in _HREFS and value.startswith("#"):
            yield f' href="#{escaped(f"{mark}-{value[1:]}")}"'
        elif attribute == "style":
            if said := declarations(value, mark):
                yield f' style="{escaped(said)}"'
        elif attribute in _ATTRIBUTES and "url(" not in value.lower() and "\\" not in value:
            yield f' {attribute}="{escaped(value)}"'
        elif attribute in _ATTRIBUTES and (found := _OF_ID.fullmatch(value.strip())) is not None:
            yield f' {attribute}="url(#{escaped(f"{mark}-{found[1]}")})"'
    if is_ruled:
        classes = (mark, *(f"{mark}-{each}" for each in str(element.get("class") or "").split()))
        yield f' class="{escaped(" ".join(classes))}"'
    yield f">{escaped(element.text or '') if name in {'text', 'tspan'} else ''}"
    for child in element:
        yield from _written(child, mark, depth + 1, is_ruled=is_ruled)
    yield f"</{name}>"
