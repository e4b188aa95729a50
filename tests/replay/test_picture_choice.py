"""Picture choice: what a browser takes of a picture in several sizes and formats."""

from __future__ import annotations

import pytest
from lxml import etree

from everlog.core.tree import parse
from everlog.replay.picture_choice import pictures_taken, shown_width
from everlog.replay.requisites import requisites_of

URL = "https://a.org/post/"


def taken(html: str) -> set[str]:
    picture = next(etree.HTML(html).iter("img"))
    return set(pictures_taken(picture))


def test_of_sizes_the_one_for_a_window_on_a_desk_is_taken():
    assert taken(
        '<img src="s.jpg" srcset="s.jpg 300w, m.jpg 768w, l.jpg 1536w, xl.jpg 4000w" '
        'sizes="(max-width: 600px) 100vw, 700px">',
    ) == {"m.jpg"}


def test_a_picture_with_densities_is_one_of_its_sizes():
    assert taken('<img src="a.jpg" srcset="b.jpg 2x, c.jpg 3x">') == {"a.jpg"}
    assert taken('<img src="a.jpg" srcset="d.jpg 1x, c.jpg 3x">') == {"d.jpg"}


def test_of_several_formats_the_first_that_browsers_show_is_taken():
    assert taken(
        "<picture><source type=image/jxl srcset=a.jxl><source type=image/avif srcset='a.avif 1x, b.avif 2x'>"
        "<source type=image/webp srcset=a.webp><img src=a.jpg srcset='b.jpg 2x'></picture>",
    ) == {"a.avif"}


def test_for_each_condition_a_source_is_taken_and_the_picture_itself_for_none_of_them():
    assert taken(
        "<picture><source media='(max-width: 600px)' srcset=small.webp type=image/webp>"
        "<source media='(max-width: 600px)' srcset=small.jpg><source media='(prefers-color-scheme: dark)' srcset=d.png>"
        "<img src=a.jpg srcset='a.jpg, b.jpg 2x'></picture>",
    ) == {"small.webp", "d.png", "a.jpg"}


def test_pictures_that_wait_for_a_script_are_read_by_what_it_would_show():
    waiting = 'data-srcset="a.jpg 300w, b.jpg 1400w, c.jpg 2000w" src="data:,"'
    assert taken(f"<img {waiting}>") == taken(f"<img {waiting} data-sizes=auto>") == {"b.jpg"}
    assert taken(f"<img {waiting} data-sizes='(max-width: 600px) 100vw, 300px'>") == {"a.jpg"}


@pytest.mark.parametrize(
    ("sizes", "width"),
    [
        ("", 1280), ("100vw", 1280), ("auto", 1280), ("auto, 640px", 1280), ("50vw", 640), ("40em", 640),
        ("(min-width: 1300px) 700px, 320px", 320), ("(min-width: 40em) and (max-width: 1300px) 400px, 9px", 400),
        ("(orientation: landscape) 700px, 320px", 320), ("calc(100vw - 80px)", 1200), ("calc(100vw / 3)", 1280),
        ("(max-width: 900px) calc(100vw - 2rem), calc(50vw + 10px)", 650), ("-5px", 1280), ("(((((", 1280),
    ],
)
def test_the_width_of_a_picture_is_read_from_its_sizes(sizes, width):
    assert shown_width(sizes) == width


def test_a_reference_with_an_empty_query_is_asked_for_as_browsers_ask():
    page = parse(
        b"<style>@font-face { src: url(/f.woff2?#iefix) }</style><script src=a.js?></script><img src='/b.png?#x'>",
        "text/html",
    )
    found = {each.url for each in requisites_of(page, URL)}
    assert found == {"https://a.org/f.woff2?", "https://a.org/post/a.js?", "https://a.org/b.png?"}
