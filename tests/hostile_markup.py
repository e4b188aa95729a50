"""Markup that tries to run something, and what still would after it was cleaned."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from everlog.core.tree import parse

_SCRIPT = "<img src=x onerror=alert(1)>"
_RUNNING = frozenset("script svg math style template noscript iframe object embed xmp base meta link form".split())
_ADDRESS = re.compile(r"[\s\x00-\x20]*(?:javascript|vbscript|data|file|blob)[\s\x00-\x20]*:", re.IGNORECASE)

# An element around everything, so that what is taken for it is tried as well.
PAYLOADS = (
    # Out of an attribute.
    f'<div class=entry-content title="x>{_SCRIPT}">a</div>',
    f"<div title='x>{_SCRIPT}'>a</div>",
    '<article id="a><script>alert(1)</script>">a</article>',
    f'<section lang="></section>{_SCRIPT}">a</section>',
    f'<div><p title="&quot;>{_SCRIPT}">a</p></div>',
    f'<div><p title="--><{_SCRIPT}">a</p><a href="/x" title="</a></div>{_SCRIPT}">b</a></div>',
    f'<div><img alt="`><{_SCRIPT}" src=/a.png></div>',
    f'<div title="</div>{_SCRIPT}<div>"><div title="</div>{_SCRIPT}">a</div></div>',
    "<div><p title='\"><script>alert(1)</script>'>x</p></div>",
    '<div title="a&gt;&lt;img src=x onerror=alert(1)&gt;">a</div>',
    '<div title="a&amp;gt;&amp;lt;img src=x onerror=alert(1)&amp;gt;">a</div>',
    f'<div><code class="language-x>{_SCRIPT}">a</code><time datetime="x>{_SCRIPT}">b</time></div>',
    f'<div><img srcset="x>{_SCRIPT} 2x" sizes="x>{_SCRIPT}"><td colspan="x>{_SCRIPT}">a</div>',
    # Elements that are written and read back in different ways.
    "<div><svg><p><style><g title='</style><img src=x onerror=alert(1)>'></style></p></svg></div>",
    "<div><math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=y&gt;'></style></div>",
    "<div><form><math><mtext></form><form><mglyph><style></math><img src=x onerror=alert(1)></div>",
    "<div><svg></p><style><a id='</style><img src=x onerror=alert(1)>'></style></svg></div>",
    "<div><svg><desc><style><img src=x onerror=y></style></desc></svg></div>",
    "<div><svg><title><a id='</title><img src=x onerror=y>'></title></svg></div>",
    "<div><noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript></div>",
    "<div><noscript><img src=/a.png alt='</noscript><img src=x onerror=alert(1)>'></noscript></div>",
    "<div><template><template><img src=x onerror=alert(1)></template></template>a</div>",
    "<div><textarea></textarea><img src=x onerror=alert(1)><textarea title='</textarea><script>y</script>'></div>",
    "<div><title><a id='</title><img src=x onerror=alert(1)>'></title></div>",
    "<div><xmp><p title='</xmp><img src=x onerror=alert(1)>'></xmp><plaintext><script>alert(1)</script></div>",
    "<div><iframe srcdoc='<script>alert(1)</script>'><p title='</iframe><img src=x onerror=alert(1)>'></iframe></div>",
    "<div><select><style></select><img src=x onerror=alert(1)></style></select></div>",
    "<div><table><td><svg><caption><style><img src=x onerror=alert(1)></style></caption></svg></td></table></div>",
    "<div><a><table><a><img src=x onerror=alert(1)></a></table></a></div>",
    # Comments and sections.
    "<div><!--><img src=x onerror=alert(1)>--></div>", "<div><!--a--!><img src=x onerror=alert(1)>--></div>",
    "<div><![CDATA[<img src=x onerror=alert(1)>]]></div>", "<div><?php <img src=x onerror=alert(1)> ?></div>",
    "<div><!-- <div title='--><img src=x onerror=alert(1)>'> --></div>", "<div><!doctype <img src=x onerror=y>></div>",
    # Plain ones, and broken ones.
    "<div onclick=alert(1)><p ONCLICK=alert(1)>a</p><a href=x onmouseover=alert(1)>x</a></div>",
    "<div><details ontoggle=alert(1) open>x</details><video src=/a.mp4 onerror=alert(1)></video></div>",
    "<div><img src=x onerror=alert(1)//</div>", "<div><scr<script>ipt>alert(1)</scr</script>ipt></div>",
    "<div/onclick=alert(1)>a</div>", "<div <img src=x onerror=alert(1)>>a</div>",
    "<div><img src=x\x00onerror=alert(1)><p\x0conclick=alert(1)>a</p></div>",
    "<div><base href=//evil.example/><meta http-equiv=refresh content='0;url=javascript:alert(1)'></div>",
    # Addresses that run.
    "<div><a href='javascript:alert(1)'>a</a><a href=' java\tscript:alert(1)'>b</a></div>",
    "<div><a href='&#1;javascript:alert(1)'>a</a><a href='JaVaScRiPt&colon;alert(1)'>b</a></div>",
    "<div><video poster='javascript:alert(1)'><source src='data:text/html,<script>y</script>'></video></div>",
    "<div><blockquote cite='javascript:alert(1)'>a</blockquote><img src='vbscript:x' data-src='javascript:y/'></div>",
    "<div><object data='javascript:alert(1)//.pdf' type='application/pdf'></object></div>",
    "<div><embed src='data:text/html,<script>alert(1)</script>' type='image/svg+xml'></div>",
    # More than one element, none of which stands around the others.
    "<main><div>a</div><div>b</div></main>", f"<main><div title='>{_SCRIPT}'>a</div><div>b</div></main>",
    f"<main><div title='>{_SCRIPT}'>a</div></main>", f"<body><article title='>{_SCRIPT}'>a</article></body>",
)  # fmt: skip


def running(html: str) -> list[str]:
    """What two readers of this markup, of different habits, would find to run: tags, handlers and addresses."""
    tree = [
        (str(element.tag), [(str(name), str(value)) for name, value in element.items()])
        for element in parse(f"<html><body><i></i>{html}</body></html>".encode()).iter()
    ]
    tokens = _Tokens()
    tokens.feed(html)
    tokens.close()
    return [what for tag, attributes in (*tree, *tokens.found) for what in _of_element(tag, attributes)]


def _of_element(tag: str, attributes: list[tuple[str, str]]) -> list[str]:
    found = [tag] if tag in _RUNNING else []
    found += [name for name, _ in attributes if name.startswith(("on", "style", "srcdoc", "xlink", "formaction"))]
    return found + [value for _, value in attributes if _ADDRESS.match(value)]


class _Tokens(HTMLParser):
    """Tags one by one, as the standard cuts them, without a tree."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, [(name, value or "") for name, value in attrs]))
