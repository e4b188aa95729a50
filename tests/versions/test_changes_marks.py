"""The links and pictures of an article."""

from __future__ import annotations

import pytest

from everlog.versions.links_and_media import marks_of

ARTICLE = '<p>See <a href="https://a.example/b">b</a> <img src="https://i0.cdn.example/2024/sea.jpg?w=300&amp;h=1"></p>'


@pytest.mark.parametrize("html", [
    ARTICLE.replace("w=300&amp;h=1", "w=640&amp;sig=9f"),
    ARTICLE.replace("i0.cdn", "i3.cdn"),
    ARTICLE.replace("sea.jpg", "sea-1024x768.jpg"),
    ARTICLE.replace("<img ", '<img width="10" id="n-88a1" srcset="https://x.example/o.jpg 2x" '),
    ARTICLE.replace("<p>", "<div><span>").replace("</p>", "</span></div>"),
    ARTICLE.replace("a.example/b", "a.example/b?utm_source=feed#top"),
    ARTICLE.replace("a.example/b", "a.example/b?_wpnonce=aa11bb"),
    ARTICLE.replace("<img", '<a href="https://i0.cdn.example/2024/sea.jpg"></a><img'),
    ARTICLE.replace("<p>", '<p><a href="#fn1">1</a><img src="data:image/gif;base64,R0">'),
])
def test_what_servers_and_themes_do_to_addresses_is_no_difference(html):
    assert marks_of(html) == marks_of(ARTICLE)


@pytest.mark.parametrize("html", [
    ARTICLE.replace("a.example/b", "a.example/c"),
    ARTICLE.replace("sea.jpg", "land.jpg"),
    ARTICLE.replace("a.example/b", "a.example/?p=8"),
    ARTICLE.replace("</p>", '<img src="/another.png"></p>'),
])
def test_another_target_or_picture_is_a_difference(html):
    assert marks_of(html) != marks_of(ARTICLE)


def test_addresses_that_are_none_do_no_harm():
    assert marks_of('<img src="//[x"><a href="http://[">x</a><a>y</a>').pictures == {"//[x"}
    assert marks_of("no markup").links == frozenset()
