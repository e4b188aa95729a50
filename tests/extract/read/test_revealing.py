from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import a_blog
import everlog
from everlog.core.tree import parse
from everlog.markup.cleaning import clean_html

URL = "https://a.blog/2024/post"


def clean(markup: str) -> str:
    return clean_html(parse(f"<div>{markup}</div>".encode()).find("body")[0], URL)


@pytest.mark.parametrize(
    ("markup", "cleaned"),
    [
        ("<img src='data:,' data-src=a.jpg alt=A>", '<img src="https://a.blog/2024/a.jpg" alt="A">'),
        ("<img src=a.jpg srcset='a.jpg 1x, /b.jpg 2x, data:,x 3x, javascript:y 4x'>",
         '<img src="https://a.blog/2024/a.jpg" srcset="https://a.blog/2024/a.jpg 1x, https://a.blog/b.jpg 2x">'),
        ("<img data-src=/a.jpg><noscript><img src=/a.jpg></noscript>", '<img src="https://a.blog/a.jpg"><span></span>'),
        ("<p>x<noscript><p>Turn on!</p><img src=/a.jpg></noscript></p>",
         '<p>x<span><img src="https://a.blog/a.jpg"></span></p>'),
        ("<audio><source src=/x.mp3>Your browser is old</audio>",
         '<audio controls=""><source src="https://a.blog/x.mp3"></audio>'),
        ("<object data=/x.pdf>Get it</object>", '<a href="https://a.blog/x.pdf">x.pdf</a>'),
        ("<object data=/x.exe>Get it</object>", "Get it"),
        ("<img src=https://t.example/count width=1 height=1>", '<img width="1" height="1">'),
    ],
)  # fmt: skip
def test_media_are_seen_without_scripts(markup, cleaned):
    assert clean(markup) == cleaned


def test_a_film_and_a_late_picture_stay_in_the_html_of_a_post(template):
    inside = (
        "<p>Before the film.</p><video src=/v.mp4><p>Your browser is old</p></video> <script>x</script>and after."
        "<p><img class=lazy src='data:,'><noscript><img src=/late.jpg></noscript></p>"
    ) + a_blog.article(9)
    page = a_blog.page(9, inside)
    post = template.read(page, a_blog.url(9))
    assert isinstance(post, everlog.Post)
    assert '<video src="https://a.blog/v.mp4" controls=""></video>' in post.html
    assert 'src="https://a.blog/late.jpg"' in post.html
    assert "browser" not in post.text + post.html
    assert post.text.startswith("Before the film.\n\nand after.")


def test_a_post_that_is_one_film_is_a_post(template):
    post = template.read(a_blog.page(9, "<video src=/v.mp4>Your browser is old</video>"), a_blog.url(9))
    assert isinstance(post, everlog.Post)
    assert post.text == ""
    assert "v.mp4" in post.html


parts = st.lists(
    st.sampled_from([
        "<video src=v.mp4>", "</video>", "<noscript>", "</noscript>", "<img src=a.jpg>", "<script>x</script>", " ",
        "word ", "other", "<b>", "</b>", "<p>", "<object data=x.pdf>", "</object>", "<source src=b.mp4>", "\n",
    ]), max_size=12,
)  # fmt: skip


@given(parts)
def test_the_text_of_a_post_does_not_depend_on_whether_its_html_is_wanted(template, pieces):
    page = a_blog.page(9, "<p>" + "".join(pieces) + "</p>" + a_blog.article(9))
    read = template.reader.read
    assert read(page, a_blog.url(9), None, None, html=True).text == (
        read(page, a_blog.url(9), None, None, html=False).text
    )
