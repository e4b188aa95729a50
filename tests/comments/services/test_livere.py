"""LiveRe, in a frame of livere.me."""

from __future__ import annotations

import pytest
from a_rendered_page import frame, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse

FRAME = "https://was.livere.me/comment/city?id=city"


@pytest.mark.parametrize(
    "static",
    [
        '<div id="lv-container" data-id="city" data-uid="MTAyMC8xLzI="></div>',
        "<script>if (typeof LivereTower === 'function') { return; }</script>",
        "<script>j.src = 'https://cdn-city.livere.com/js/embed.dist.js'; j.async = true;</script>",
    ],
)
def test_its_container_or_script_tells_it(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["livere"]


@pytest.mark.parametrize(
    "static",
    [
        '<div class="livere">Delivered to your door</div><script>var delivered = true;</script>',
        '<iframe src="https://was.livere.me/ad/city"></iframe>',
    ],
)
def test_its_name_and_its_advertisements_embed_nothing(static):
    assert embedded(parse(static.encode())) == ()


def test_only_the_texts_are_known():
    assert threads(read("livere")) == [
        (None, None, None, "Three minutes, no more."),
        (None, None, None, "Milk first."),
    ]


@pytest.mark.parametrize("body", ['<div id="lv-container"></div>', frame(FRAME, "<p>Sign in</p>")])
def test_without_an_answer_nothing_is_known(body):
    assert read("livere", page(body)) is None
