"""Cusdis, in a frame that has no address."""

from __future__ import annotations

import pytest
from a_rendered_page import days, frame, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse


@pytest.mark.parametrize(
    "static",
    [
        '<div id="cusdis_thread" data-host="https://cusdis.com" data-app-id="1"></div>',
        '<script async defer src="https://cusdis.com/js/cusdis.es.js"></script>',
    ],
)
def test_its_container_or_script_tells_it(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["cusdis"]


@pytest.mark.parametrize(
    "static",
    [
        '<span data-cusdis-count-page-id="tea">0</span><script src="https://cusdis.com/js/cusdis-count.umd.js"></script>',
        '<a href="https://cusdis.com">Cusdis</a>',
    ],
)
def test_its_counter_and_links_embed_nothing(static):
    assert embedded(parse(static.encode())) == ()


def test_threads_are_read_from_the_frame_and_not_from_the_page():
    read_threads = threads(read("cusdis"))
    first = read_threads[0][0]
    assert first is not None
    assert read_threads == [
        (first, None, "Ada", "Three minutes, no more."),
        (None, first, "Bob", "Four for the green one."),
        (None, None, "Cleo", "Milk first."),
    ]


def test_dates_are_read():
    assert days(read("cusdis")) == ["2020-03-02 09:15", "2020-03-03 18:40", "2020-03-04 00:05"]


def test_a_widget_without_comments_says_so_by_having_loaded():
    foot = '<div class="mt-4"></div><a href="https://cusdis.com">Comments powered by Cusdis</a>'
    thread = read("cusdis", page(frame("about:srcdoc", foot)))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize(
    "body",
    [
        '<div id="cusdis_thread"></div>',
        frame("about:srcdoc", '<div id="root"></div>'),
        frame("about:srcdoc", '<div class="mt-4"><div class="text-gray-900 dark:text-gray-100">Loading...</div></div>'
                              '<a href="https://cusdis.com">Comments powered by Cusdis</a>'),
        frame("about:srcdoc", "<p>A video of somebody else</p>"),
    ],
)
def test_while_it_loads_and_after_an_error_nothing_is_known(body):
    assert read("cusdis", page(body)) is None
