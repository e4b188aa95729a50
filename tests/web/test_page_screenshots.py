"""Pages as pictures: the screenshot that a crawl kept beside a page is looked at from the bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from archive import some_visits as some
from everlog.archive import open_archive
from everlog.records import Rendered
from everlog.usecases.page.rendering import exchanges_of
from web.conftest import HOME, PNG, POST, answer, day, stamp
from web.served_archive import Served, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY = 86_400
OTHER = PNG + b"later"


def drawn(url: str, number: int, picture: bytes | None):
    """What a crawl stores of a page that it rendered, as it stores it."""
    page = answer(url, f"<h1>Day {number}</h1>".encode(), "text/html", at=number * DAY)
    made = Rendered(url=url, body=page.body, screenshot=picture, rendered_at=day(number))
    return *exchanges_of(made), page


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Served]:
    with open_archive(tmp_path_factory.mktemp("pictured") / "archive", create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            for number, picture in ((0, PNG), (10, OTHER), (20, None)):
                archive.commit([some.page(blog, POST, exchanges=drawn(POST, number, picture))])
            archive.commit([some.page(blog, HOME + "about", exchanges=(answer(HOME + "about", b"<p>A", "text/html"),))])
        with serving(archive) as running:
            yield running


def test_the_bar_leads_to_the_picture_of_this_capture(served: Served):
    for number, picture in ((0, PNG), (10, OTHER)):
        address = f"/web/{stamp(number)}pic_/{POST}"
        shown = served.page(f"/web/{stamp(number)}/{POST}").text
        assert f'<a href="{served.replay}{address}">As a picture</a>' in shown
        assert served.ask(address).body == picture


def test_where_no_picture_was_kept_none_is_offered(served: Served):
    for path, url in ((stamp(20), POST), (stamp(0), HOME + "about")):
        assert "As a picture" not in served.page(f"/web/{path}/{url}").text
        assert served.ask(f"/web/{path}pic_/{url}").status == 404


def test_a_picture_is_sent_as_any_picture_and_read_by_no_other_website(served: Served):
    sent = served.ask(f"/web/{stamp(0)}pic_/{POST}").headers
    assert sent["Content-Type"] == "image/png"
    assert sent["Content-Security-Policy"].startswith("sandbox ")
    assert "default-src 'none'" in sent["Content-Security-Policy"]
    # It shows what the page says.
    assert sent["Access-Control-Allow-Origin"] is None


def test_another_time_leads_to_the_picture_of_the_nearest_capture(served: Served):
    led = served.ask(f"/web/2019pic_/{POST}")
    assert (led.status, led.headers["Location"]) == (302, f"{served.replay}/web/{stamp(0)}pic_/{POST}")
    assert led.headers["Access-Control-Allow-Origin"] is None


def test_pictures_of_hidden_posts_are_not_there_in_public(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.post_visit(blog, POST, exchanges=drawn(POST, 0, PNG))])
        archive.hidden.set_post(archive.listing.find(POST).id, hidden=True)
        for public, status in ((False, 200), (True, 404)):
            with serving(archive, public=public) as served:
                assert served.ask(f"/web/{stamp(0)}pic_/{POST}").status == status
