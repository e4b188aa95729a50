from __future__ import annotations

import io
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from everlog.errors import UsageError
from everlog.export import write_posts
from everlog.export.converter import to_markdown
from everlog.export.markdown import PARTING, post_to_markdown
from everlog.export.naming import Names, slug
from everlog.reading.cleaning import clean_html
from everlog.records import Media, Post
from everlog.tree import parse, parse_fragment, visible_text
from hostile_markup import PAYLOADS, running

LIVE = "&lt;img src=x onerror=y&gt;"
RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
DAY = datetime(2024, 3, 1, 23, 30, tzinfo=UTC)


def front_matter(document: str) -> dict[str, object]:
    _, head, _ = document.split("---\n", 2)
    values = (line.partition(": ") for line in head.splitlines())
    return {name: json.loads(value) if value[0] in '["' else value for name, _, value in values}


def shown(markdown: str) -> str:
    """The text a renderer shows."""
    return visible_text(parse_fragment(RENDERER.render(markdown)))


def clean(markup: str) -> str:
    return clean_html(parse(f"<div>{markup}</div>".encode()).find("body")[0], "https://a.blog/")


def test_the_front_matter_says_what_the_post_says():
    post = Post(
        url="https://a.blog/1", title='A "quoted": title # no comment', authors=("Ann", "Bo"), published=DAY,
        tags=("sea", "- no list"), language="en", aliases=("https://a.blog/?p=1",), media=(Media(url="https://a.blog/p.jpg"),),
    )
    assert front_matter(post_to_markdown(post)) == {
        "title": 'A "quoted": title # no comment', "url": "https://a.blog/1", "authors": ["Ann", "Bo"],
        "date": "2024-03-01T23:30:00+00:00", "tags": ["sea", "- no list"], "language": "en",
        "aliases": ["https://a.blog/?p=1"], "media": ["https://a.blog/p.jpg"],
    }


@given(st.text())
def test_any_title_is_one_line_of_front_matter(title):
    document = post_to_markdown(Post(url="u", title=title))
    assert front_matter(document).get("title", "") == title
    assert not re.search("[\x7f-\x9f\u2028\u2029\ufeff]", document)


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


def test_elements_inside_elements_a_thousand_deep_become_their_text():
    html = "<div>" * 3000 + "deep" + "</div>" * 3000
    assert to_markdown(html, "deep\n\n*down*") == "deep\n\n\\*down\\*"


def test_a_post_without_html_is_written_from_its_text():
    assert post_to_markdown(Post(url="u", text="a.txt\n\n<b>")).endswith("---\n\na.txt\n\n\\<b>\n")


def test_media_are_linked_to_where_they_lie(tmp_path):
    media = (Media(url="https://a.blog/p.jpg", path="media/ab/1.jpg"), Media(url="https://a.blog/x.pdf"))
    html = '<img src="https://a.blog/p.jpg"><img src="media/ab/1.jpg"><a href="https://a.blog/x.pdf">x</a>'
    post = Post(url="u", title="T", html=html, media=media)
    assert write_posts([post], "markdown", tmp_path / "out" / "notes", media=tmp_path / "an archive") == 1
    text = (tmp_path / "out" / "notes" / "t.md").read_text("utf-8")
    way = "../../an%20archive/media/ab/1.jpg"
    assert text.count(f"![]({way})") == 2
    assert "[x](https://a.blog/x.pdf)" in text
    assert front_matter(text)["media"] == [way, "https://a.blog/x.pdf"]
    assert post_to_markdown(post).count("![](https://a.blog/p.jpg)") == 2


@pytest.mark.parametrize(
    ("post", "name"),
    [
        (Post(url="u", title="The lamp room!", published=DAY), "2024-03-01-the-lamp-room"),
        (Post(url="u", title="海辺の朝", published=DAY), "2024-03-01-海辺の朝"),
        (Post(url="u", title="हिन्दी में"), "हिन्दी-में"),
        (Post(url="https://a.blog/2024/on-rope.html"), "on-rope"), (Post(url="https://a.blog/%E6%B5%B7/"), "海"),
        (Post(url="https://a.blog/?p=12"), "p-12"), (Post(url="https://a.blog/", title="☀"), "post"),
        (Post(url="u", title="CON"), "post-con"), (Post(url="u", title="Lpt1"), "post-lpt1"),
        (Post(url="u", title="../../etc/passwd\0"), "etc-passwd"), (Post(url="//[", title=""), "post"),
    ],
)  # fmt: skip
def test_files_have_safe_and_readable_names(post, name):
    assert Names().of(post) == name


def test_equal_names_are_numbered_whatever_their_case():
    names = Names()
    titles = ("Café", "café", "CAFE\u0301", "cafe", "Café 2")
    found = [names.of(Post(url="u", title=title)) for title in titles]
    assert found == ["café", "café-2", "café-3", "cafe", "café-2-2"]


@given(st.text())
def test_a_slug_is_short_and_names_no_other_folder(text):
    found = slug(text)
    assert len(found.encode("utf-8", "ignore")) <= 120
    assert not re.search(r'[/\\:*?"<>|.\x00-\x1f\s]', found)
    assert slug("海" * 500) == "海" * 40


def test_a_planted_link_is_replaced_not_followed(tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_text("mine", "utf-8")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "t.md").symlink_to(outside)
    write_posts([Post(url="u", title="T")], "markdown", folder)
    assert outside.read_text("utf-8") == "mine"
    assert not (folder / "t.md").is_symlink()
    assert [path.name for path in folder.iterdir()] == ["t.md"]


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
