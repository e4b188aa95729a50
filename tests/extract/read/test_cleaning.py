from __future__ import annotations

import re
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from everlog.comments.bodies import Bodies
from everlog.core.tree import parse, visible_text
from everlog.markup.cleaning import clean_html
from everlog.markup.media import media_of, rewrite
from hostile_markup import PAYLOADS, running

URL = "https://a.blog/2024/post"
HANDLER = re.compile(r"<[^>]*\son\w+\s*=", re.IGNORECASE)


def clean(markup: str, url: str = URL) -> str:
    return clean_html(parse(f"<div>{markup}</div>".encode()).find("body")[0], url)


def dangerous(html: str) -> list[str]:
    """Addresses that a browser would run or read from here."""
    values = [value for element in parse(f"<body>{html}</body>".encode()).iter() for value in element.values()]
    return [value for value in values if re.match(r"\s*(?:javascript|vbscript|data|file|blob):", value, re.IGNORECASE)]


@pytest.mark.parametrize("name", ["t<div", "a:b:c", "x\"y", "o'p"])
def test_an_element_of_a_name_that_only_a_parser_gives_is_cleaned_away(name):
    [element] = parse(f"<body><{name} class=x><p>Hi</p> there</{name}></body>".encode()).find("body")
    assert clean_html(element, URL) == "<p>Hi</p> there"


@pytest.mark.parametrize(
    ("markup", "cleaned"),
    [
        ("<p>one <b>two</b></p>", "<p>one <b>two</b></p>"),
        ("<p>a<script>alert(1)</script>b</p>", "<p>ab</p>"),
        ("<style>p{}</style><p>a</p>", "<p>a</p>"),
        ("<p onclick='x()' style='color:red' class=y data-z=1>a</p>", "<p>a</p>"),
        ("<form action=/x><input name=a><button>go</button></form>", "go"),
        ("<font color=red>a</font>", "a"),
        ("<pre class=a><code class=b>x &lt; y</code></pre>", '<pre class="a"><code class="b">x &lt; y</code></pre>'),
        ("<p lang=ar dir=rtl>a</p>", '<p lang="ar" dir="rtl">a</p>'),
        ("<object data=x></object><embed src=x><iframe src=x></iframe>a", "a"),
        ("<base href=//evil.example/><meta http-equiv=refresh content=0><link rel=stylesheet href=x>a", "a"),
    ],
)  # fmt: skip
def test_markup_of_text_stays_and_the_rest_goes(markup, cleaned):
    assert clean(markup) == cleaned


@pytest.mark.parametrize(
    ("link", "absolute"),
    [
        ("other", "https://a.blog/2024/other"), ("/root", "https://a.blog/root"), ("?q=1", f"{URL}?q=1"),
        ("../up", "https://a.blog/up"), ("//c.blog/x", "https://c.blog/x"), (" spaced ", "https://a.blog/2024/spaced"),
        ("https://b.blog/", "https://b.blog/"), ("#note", "#note"), ("mailto:a@b.c", "mailto:a@b.c"),
    ],
)
def test_links_become_absolute(link, absolute):
    assert clean(f"<a href='{link}'>x</a>") == f'<a href="{absolute}">x</a>'


def test_pictures_and_quotes_get_absolute_addresses_too():
    assert clean("<img src=a.png alt=A><blockquote cite=/b>q</blockquote>") == (
        '<img src="https://a.blog/2024/a.png" alt="A"><blockquote cite="https://a.blog/b">q</blockquote>'
    )


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java&#10;script:alert(1)",
        "vbscript:x", "data:text/html,<script>alert(1)</script>", "file:///etc/passwd", "blob:x",
        "&#106;avascript:alert(1)",
    ],
)
def test_links_that_run_or_read_something_lose_their_address(link):
    cleaned = clean(f'<a href="{link}">x</a><img src="{link}"><video src="{link}" poster="{link}"></video>')
    assert not dangerous(cleaned)
    assert ">x</a>" in cleaned


@pytest.mark.parametrize("link", ["//[x", "http://[::1", "http://a:99999999/", "%", "\\\\"])
def test_links_that_are_none_do_no_harm(link):
    assert ">x</a>" in clean(f"<a href='{link}'>x</a>")


@pytest.mark.parametrize(
    "markup",
    [
        "<svg onload=alert(1)><script>alert(1)</script></svg>",
        "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
        "<svg><foreignObject><img src=x onerror=alert(1)></foreignObject></svg>",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
        "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
        "<template><img src=x onerror=alert(1)></template>",
        "<textarea></textarea><img src=x onerror=alert(1)>",
        "<img src=x onerror=alert(1)//", "<a href=x onmouseover=alert(1)>x</a>", "<details ontoggle=alert(1) open>x",
        "<scr<script>ipt>alert(1)</scr</script>ipt>", "<p title='\"><script>alert(1)</script>'>x</p>",
        "<xmp><script>alert(1)</script></xmp>", "<plaintext><script>alert(1)</script>",
    ],
)
def test_hostile_markup_is_harmless(markup):
    cleaned = clean(markup)
    for element in parse(f"<body>{cleaned}</body>".encode()).iter():
        assert element.tag not in {"script", "svg", "math", "style", "template", "noscript", "iframe", "xmp"}
        assert not any(name.startswith("on") or "javascript" in value for name, value in element.items())


@pytest.mark.parametrize("markup", PAYLOADS)
def test_nothing_runs_in_cleaned_markup_whatever_stands_around_it(markup):
    root = parse(markup.encode())
    for element in [root, *root.iter("body", "div", "article", "section", "main")]:
        assert not running(clean_html(deepcopy(element), URL))


@pytest.mark.parametrize("markup", PAYLOADS)
def test_nothing_runs_in_a_comment_either(markup):
    _, html = Bodies(URL).read([parse(markup.encode())[0]])
    assert not running(html)


@pytest.mark.parametrize("markup", PAYLOADS)
def test_nothing_runs_once_media_got_their_paths(markup):
    cleaned = clean_html(parse(markup.encode()), URL)
    shown = (*media_of(cleaned, URL), "x", "https://a.blog/2024/x")
    assert not running(rewrite(cleaned, dict.fromkeys(shown, "media/1.png")))


@pytest.mark.parametrize(
    ("page", "inside"),
    [
        ("<article id=x><p>a</p></article>", "<p>a</p>"),
        ("<div title='a>b'><p>a</p></div>", "<p>a</p>"),
        ("<section>a<div>b</div></section>", "a<div>b</div>"),
        ("<main><div><p>a</p></div></main>", "<p>a</p>"),
        ("<main><div>a</div><div>b</div></main>", "<div>a</div><div>b</div>"),
        ("<main><div>a</div>b</main>", "<div>a</div>b"),
        ("<p>a</p>", "<p>a</p>"),
    ],
)
def test_the_element_around_everything_is_left_out_and_no_other(page, inside):
    article = parse(page.encode()).find("body")[0]
    before = etree.tostring(article)
    assert clean_html(article, URL) == inside
    assert etree.tostring(article) == before


pieces = st.lists(
    st.sampled_from([
        "<script>", "</script>", "<img src=x onerror=y>", "<p onclick='z'>", "<svg onload=a>", "</svg>", "<style>",
        "</style>", "<math>", "<table>", "</table>", "<a href='javascript:b'>", "<!--", "-->", "<![CDATA[", "]]>",
        "text ", "'", '"', "<", ">", "&lt;script&gt;", "<noscript>", "<template>", "<title>", "<textarea>", "<b>", "\n",
    ]), max_size=12,
)  # fmt: skip


@given(pieces)
def test_no_script_and_no_handler_survives(parts):
    cleaned = clean("".join(parts))
    assert "<script" not in cleaned.lower()
    assert not HANDLER.search(cleaned)
    assert not dangerous(cleaned)


@given(pieces)
def test_clean_html_parses_back_to_itself(parts):
    cleaned = clean("".join(parts))
    if cleaned:
        assert clean(cleaned).replace("\n", "") == clean(clean(cleaned)).replace("\n", "")


def test_the_text_is_the_same_before_and_after():
    markup = "<h2>A</h2><p>b <i>c</i><br>d</p><ul><li>e</ul><pre>f\n  g</pre><table><tr><td>h</table>"
    root = parse(f"<div>{markup}</div>".encode())
    assert visible_text(parse(clean(markup).encode())) == visible_text(root)
