from __future__ import annotations

import io
import re
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from everlog.core.tree import parse, parse_fragment, visible_text
from everlog.errors import UsageError
from everlog.export import write_posts
from everlog.export.converter import to_markdown
from everlog.export.markdown import PARTING, post_to_markdown
from everlog.markup.cleaning import clean_html
from everlog.records import Comment, Media, Post
from hostile_markup import PAYLOADS, running

LIVE = "&lt;img src=x onerror=y&gt;"
RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
DAY = datetime(2024, 3, 1, 23, 30, tzinfo=UTC)


def front_matter(document: str) -> dict[str, object]:
    """What a reader of YAML makes of it."""
    _, head, _ = document.split("---\n", 2)
    return yaml.safe_load(head)


def shown(markdown: str) -> str:
    """The text a renderer shows."""
    return visible_text(parse_fragment(RENDERER.render(markdown)))


def clean(markup: str) -> str:
    return clean_html(parse(f"<div>{markup}</div>".encode()).find("body")[0], "https://a.blog/")


def test_the_front_matter_says_what_the_post_says():
    post = Post(
        url="https://a.blog/1", title='A "quoted": title # no comment', authors=("Ann", "Bo"), published=DAY,
        updated=DAY, tags=("sea", "- no list", "null", "1.5"), language="en", aliases=("https://a.blog/?p=1",),
        summary="One: two\nthree", media=(Media(url="https://a.blog/p.jpg"),), blog="https://a.blog/", gone="404",
    )
    assert front_matter(post_to_markdown(post, slug="a-title")) == {
        "title": 'A "quoted": title # no comment', "date": DAY, "lastmod": DAY, "author": "Ann, Bo",
        "authors": ["Ann", "Bo"], "slug": "a-title", "original_url": "https://a.blog/1", "blog": "https://a.blog/",
        "original_aliases": ["https://a.blog/?p=1"], "tags": ["sea", "- no list", "null", "1.5"], "language": "en",
        "description": "One: two\nthree", "media": ["https://a.blog/p.jpg"], "gone": "404", "draft": False,
        "render_with_liquid": False,
    }


def test_a_site_generator_is_told_no_address_it_would_make_a_page_at():
    told = front_matter(post_to_markdown(Post(url="https://a.blog/1", aliases=("https://a.blog/?p=1",))))
    assert not told.keys() & {"url", "aliases", "permalink", "layout", "type"}


@given(st.text())
def test_any_title_is_one_line_of_front_matter(title):
    document = post_to_markdown(Post(url="u", title=title, tags=(title,)))
    told = front_matter(document)
    assert told.get("title", "") == title
    assert told["tags"] == [title]
    assert len(document.partition("\n---\n")[0].splitlines()) == len(told) + 1
    assert not re.search("[\x7f-\x9f\u2028\u2029\ufeff]", document)


def test_half_a_letter_in_a_title_is_no_yaml_that_generators_refuse():
    assert front_matter(post_to_markdown(Post(url="u", title="a\ud800b")))["title"] == "a\ufffdb"


@given(st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29)), st.integers(-86399, 86399))  # noqa: DTZ001
def test_a_date_with_any_offset_is_a_date(moment, seconds):
    published = moment.replace(tzinfo=timezone(timedelta(seconds=seconds)))
    assert front_matter(post_to_markdown(Post(url="u", published=published)))["date"] == published


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>Head</h2><p>one <em>two</em><br>three</p>", "## Head\n\none *two*  \nthree"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ('<ol start="3"><li>a</li><li>b</li></ol>', "3. a\n4. b"),
        ('<pre class="language-py"><code>if x:\n    y *= "_"</code></pre>', '```py\nif x:\n    y *= "_"\n```'),
        ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
        ("<ul><li>a<pre>b\n  c</pre></li></ul>", "- a\n\n  ```\n  b\n    c\n  ```"),
        ("<table><tr><td><pre>1\n2</pre></td><td><pre>a</pre></td></tr></table>", "```\n1\n2\n```\n\n```\na\n```"),
        ("<p>1986. A year</p><p># no head</p><p>- no list</p><p>&gt; no quote</p>",
         "1986\\. A year\n\n\\# no head\n\n\\- no list\n\n\\> no quote"),
        ("<p>&lt;script&gt; &amp;amp; snake_case *x* [y] `z`</p>",
         "\\<script> \\&amp; snake_case \\*x\\* \\[y\\] \\`z\\`"),
        ('<a href="https://a.blog/b_(c) d">x</a>', "[x](https://a.blog/b_%28c%29%20d)"),
        ('<a href="/x"><div><h3>T</h3><p>u</p></div></a>', "[T u](/x)"),
        ("<p>a<b> bold<br></b>next</p>", "a **bold**  \nnext"),
        ('<h2><img src="/a.jpg" alt="A [1]"></h2>', "## ![A \\[1\\]](/a.jpg)"),
        ('<video controls="" poster="/p.jpg"><source src="/v.mp4"></video>', "[![v.mp4](/p.jpg)](/v.mp4)"),
        ('<audio src="/x.mp3" controls=""></audio>', "[x.mp3](/x.mp3)"),
        ("<p>x<sup>2</sup></p>", "x<sup>2</sup>"),
    ],
)  # fmt: skip
def test_articles_become_markdown(html, markdown):
    assert to_markdown(html, "") == markdown


words = st.text(st.sampled_from("ab1 .#*_-+>=`[]()<&!|~\\\n"), max_size=12)
elements = st.tuples(st.sampled_from(["p", "li", "h2", "blockquote", "b", "code", "pre", "div", "i"]), words)


@given(st.lists(elements, max_size=6))
def test_a_renderer_shows_the_words_of_the_article(blocks):
    html = clean("".join(
        f"<{tag}>{text.replace('&', '&amp;').replace('<', '&lt;')}</{tag}>" for tag, text in blocks
    ))
    letters = re.compile(r"[a-z0-9]")
    assert letters.findall(shown(to_markdown(html, ""))) == letters.findall(visible_text(parse_fragment(html)))


markup = st.lists(
    st.sampled_from([
        LIVE, "\n\n", "\n", " ", "a", "`", "```", "\\", "&quot;", "|", "    ", "<p>", "</p>", "<code>", "</code>",
        "<kbd>", "<samp>", "<pre>", "</pre>", "<li>", "<ul>", "</ul>", "<blockquote>", "</blockquote>",
        "<table><tr><td>", "<dd>", "</table>", "<b>", "<i>", "<sup>", "<a href=/x>", "</a>",
        f"<a href=/x title='{LIVE}'>", "<h2>", "</h2>", "<hr>", f"<img src=/x alt='{LIVE}'>", f"<video src='/{LIVE}'>",
        "<figcaption>", "<br>",
    ]), max_size=8,
)  # fmt: skip


@given(markup)
def test_no_text_of_an_article_runs_in_a_renderer(parts):
    assert not running(RENDERER.render(to_markdown(clean("".join(parts)), "")))


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (f'<a href="/x" title="a\\&quot; {LIVE}">t</a>', '[t](/x "a\\\\\\" \\<img src=x onerror=y>")'),
        (f'<a href="/x" title="{LIVE}\\">t</a>', '[t](/x "\\<img src=x onerror=y>\\\\")'),
        (f"<p><code>a<br><br>{LIVE}</code></p>", "`a <img src=x onerror=y>`"),
        (f"<table><tr><td><code>a|{LIVE}</code></td></tr></table>", "|  |\n| --- |\n| `a\\|<img src=x onerror=y>` |"),
        (f"<i><pre>{LIVE}</pre></i>", "```\n<img src=x onerror=y>\n```"),
        (f"<dl><dd><pre>{LIVE}</pre></dd></dl>", ":   <pre><code>&lt;img src=x onerror=y&gt;</code></pre>"),
        (f"<h2><pre>{LIVE}\n\nb</pre></h2>", "## `<img src=x onerror=y> b`"),
    ],
)
def test_code_and_titles_end_where_they_should(html, markdown):
    assert to_markdown(html, "") == markdown
    assert not running(RENDERER.render(markdown))


@pytest.mark.parametrize("markup", PAYLOADS)
def test_hostile_markup_is_harmless_as_markdown(markup):
    assert not running(RENDERER.render(to_markdown(clean_html(parse_fragment(markup), "https://a.blog/"), "")))


@given(st.lists(st.text(alphabet="ab *_#-+=>1.)|~`[]{%\\\n\r\t\x0b\xa0", max_size=12), min_size=1, max_size=4))
def test_paragraphs_of_nothing_but_text_need_no_parser_and_say_the_same(texts):
    paragraphs = "\n".join(f"<p>{text}</p>" for text in texts)
    # A comment of HTML is left out by the parser, which is needed for it.
    assert to_markdown(paragraphs, "") == to_markdown(f"{paragraphs}<!-- -->", "")


def test_items_of_a_list_are_counted_from_where_it_begins():
    items = "<li>one</li> <li></li> <li>two<ol><li>inner</li></ol></li>"
    assert to_markdown(f'<ol start="9">{items}</ol>', "") == "9. one\n11. two\n    1. inner"
    for first in ("²", "x", "-3", "9" * 5_000):
        assert to_markdown(f'<ol start="{first}">{items}</ol>', "").startswith("1. one")


@pytest.mark.parametrize("width", ["²", "x", "9" * 5_000])
def test_a_cell_that_is_as_wide_as_no_number_is_one_cell(width):
    table = f'<table><tr><th colspan="{width}">One</th></tr><tr><td colspan="{width}">1</td></tr></table>'
    assert to_markdown(table, "") == "| One |\n| --- |\n| 1 |"


@pytest.mark.parametrize("markup", [
    f"<b>a{' ' * 200_000}b</b>", f"<pre><a href=/x>a{' ' * 200_000}b</a></pre>", "<ol>" + "<li>one</li>" * 20_000,
    f"<table><thead>{'<tr><td>1</td></tr>' * 3_000}</thead></table>",
], ids=["spaces", "spaces in code", "items", "rows of a head"])
def test_what_is_twice_as_long_takes_no_more_than_twice_as_long(markup):
    # Each of them took minutes when it was looked at anew for every sign, item or row.
    began = time.process_time()
    to_markdown(markup, "")
    assert time.process_time() - began < 10


def test_elements_inside_elements_a_thousand_deep_become_their_text():
    html = "<div>" * 3000 + "deep" + "</div>" * 3000
    assert to_markdown(html, "deep\n\n*down*") == "deep\n\n\\*down\\*"


def test_a_post_without_html_is_written_from_its_text():
    assert post_to_markdown(Post(url="u", text="a.txt\n\n<b>")).endswith("---\n\na.txt\n\n\\<b>\n")


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>{{ x }} {% y %} {{&lt; z &gt;}} {{% z %}}</p>",
         "&#123;{ x }} &#123;% y %} &#123;{\\< z >}} &#123;&#123;% z %}}"),
        ("<h2>Head {#id}</h2><p>{:toc} {.no} {yes}</p>", "## Head &#123;#id}\n\n&#123;:toc} &#123;.no} {yes}"),
        ('<a href="/{{x}}"><img src="/{%y%}" alt="{{z}}"></a>', "[![&#123;{z}}](/%7B%y%%7D)](/%7B%7Bx%7D%7D)"),
        ("<pre>{{ x }} {{&lt; y &gt;}}</pre>", "```\n{{ x }} {\u2060{< y >}}\n```"),
        ("<p><code>{{% y %}} {% z %}</code></p>", "`{\u2060{% y %}} {% z %}`"),
    ],
)  # fmt: skip
def test_nothing_in_an_article_is_an_order_to_a_site_generator(html, markdown):
    """Hugo stops at a shortcode it does not know, and Liquid at a tag, wherever in the text they stand."""
    assert to_markdown(html, "") == markdown


def test_comments_stand_below_the_article_each_below_what_it_answers():
    comments = (
        Comment(id="1", author="*Ann*", author_url="https://ann.example/", published=DAY, html="<p>Yes, <b>but</b></p>",
                url="https://a.blog/1#c1"),
        Comment(id="2", author="Bo\nB", author_url="javascript:alert(1)", text="one\n\ntwo"),
        Comment(id="3", parent="1", text="> and", url="https://a.blog/1#c3"),
    )  # fmt: skip
    text = post_to_markdown(Post(url="u", text="Article", comments=comments))
    assert text.partition("Article\n")[2] == """
## Comments

> [**\\*Ann\\***](https://ann.example/), [2024-03-01 23:30+00:00](https://a.blog/1#c1)
>
> Yes, **but**

> > **?**, [link](https://a.blog/1#c3)
> >
> > \\> and

> **Bo B**
>
> one
>
> two
"""


@given(st.text(), st.text())
def test_no_text_of_a_comment_runs_in_a_renderer(name, address):
    comment = Comment(author=f"{name}<img src=x onerror=y>", author_url=f"https://a.example/{address}", text=name)
    body = post_to_markdown(Post(url="u", comments=(comment,))).split("---\n", 2)[2]
    assert not running(RENDERER.render(body))


def test_a_stream_gets_posts_parted_by_a_line():
    out = io.BytesIO()
    assert write_posts([Post(url="1", text=PARTING), Post(url="2")], "markdown", out) == 2
    assert out.getvalue().decode().splitlines().count(PARTING) == 1


def test_markdown_wants_to_know_where_to_go(tmp_path):
    with pytest.raises(UsageError, match="-o FOLDER"):
        write_posts([], "markdown")
    file = tmp_path / "file"
    file.write_bytes(b"")
    with pytest.raises(UsageError, match="needs a folder"):
        write_posts([], "markdown", file)
    with pytest.raises(UsageError, match="choose another place"):
        write_posts([], "markdown", Path("/proc/nowhere"))
