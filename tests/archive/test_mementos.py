"""The capture of an address that is nearest to a time."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import some_visits as some
from some_visits import HOME, START

from archive.older import as_of_revision_9
from everlog.archive.repos.mementos import NEAREST, MementoRepository

PAGE = HOME + "2024/a-post"
DAY = 86_400


def day(number):
    return START + timedelta(days=number)


def moved(blog, source, target, *, at):
    """A visit to an address that led to another one."""
    hop = some.exchange(source, b"", status=301, at=at, headers=(("Location", target),))
    return some.page(blog, source, exchanges=(hop, some.exchange(target, b"<p>moved</p>", at=at + 1)))


@pytest.fixture
def archive(place):
    with place.open() as archive:
        yield archive


@pytest.fixture
def blog(archive):
    return archive.blogs.add(HOME, scope="path").id


def store(archive, blog, *visits):
    with archive.lock(blog):
        archive.commit(visits)


def captured(archive, blog, url, days, **rest):
    for number in days:
        answer = some.exchange(url, f"<p>{number}</p>".encode(), at=number * DAY, **rest)
        store(archive, blog, some.page(blog, url, exchanges=(answer,)))


def test_the_capture_nearest_in_time_is_found_in_any_spelling(archive, blog):
    captured(archive, blog, PAGE, (0, 10, 20))
    for spelling in (PAGE, "https://www.a.example/2024/a-post/", "HTTP://a.example:80/2024//a-post?utm_source=x#top"):
        for asked, nearest in ((-5, 0), (0, 0), (4, 0), (6, 10), (14, 10), (16, 20), (90, 20)):
            assert archive.mementos.nearest(spelling, day(asked)).at == day(nearest)
    assert archive.mementos.nearest(HOME + "other", START) is None


def test_an_error_page_is_shown_only_if_nothing_else_is_held(archive, blog):
    captured(archive, blog, PAGE, (0,))
    captured(archive, blog, PAGE, (5,), status=404)
    captured(archive, blog, HOME + "gone", (5,), status=410)
    assert archive.mementos.nearest(PAGE, day(5)).at == day(0)
    assert archive.mementos.nearest(HOME + "gone", day(0)).way == "error"
    assert [moment.at for moment in archive.mementos.moments(PAGE)] == [day(0)]


def test_what_a_redirect_led_to_is_found_under_both_addresses(archive, blog):
    store(archive, blog, moved(blog, HOME + "old", HOME + "new", at=0))
    old, new = (archive.mementos.nearest(HOME + name, START) for name in ("old", "new"))
    assert (old.id, old.url, old.way) == (new.id, HOME + "new", "led")
    assert new.way == "own"


def test_an_address_that_moved_still_has_its_own_captures_first(archive, blog):
    captured(archive, blog, HOME + "old", (0,))
    store(archive, blog, moved(blog, HOME + "old", HOME, at=9 * DAY))
    assert archive.mementos.nearest(HOME + "old", day(9)).at == day(0)


def test_a_redirect_whose_target_was_not_stored_is_told_as_one(archive, blog):
    hop = some.exchange(PAGE, b"", status=302, headers=(("Location", HOME + "login"),))
    store(archive, blog, some.page(blog, PAGE, exchanges=(hop,)))
    assert archive.mementos.nearest(PAGE, START).way == "redirect"


def test_what_an_interface_told_is_not_what_a_page_answered(archive, blog):
    told = some.exchange(HOME + "wp-json/posts?page=1", b"{}", purpose="api")
    store(archive, blog, some.page(blog, PAGE, exchanges=(told,)))
    assert archive.mementos.nearest(PAGE, START) is None
    assert archive.mementos.nearest(HOME + "wp-json/posts?page=1", START) is not None


def test_a_page_that_did_not_change_has_the_body_of_its_original(archive, blog):
    captured(archive, blog, PAGE, (0,))
    again = some.exchange(PAGE, b"<p>0</p>", at=4 * DAY)
    store(archive, blog, some.page(blog, PAGE, exchanges=(again,)))
    not_modified = some.exchange(PAGE, b"", status=304, at=8 * DAY, headers=())
    store(archive, blog, some.page(blog, PAGE, outcome="unchanged", exchanges=(not_modified,)))
    first, second, third = (archive.mementos.nearest(PAGE, day(number)) for number in (0, 4, 8))
    assert [memento.at for memento in (first, second, third)] == [day(0), day(4), day(8)]
    assert first.place == second.place == third.place == first.own_place != second.own_place
    assert {memento.size for memento in (first, second, third)} == {8}
    assert third.content_type == "text/html; charset=utf-8"


def test_what_others_captured_counts_when_they_captured_it(archive, blog):
    captured(archive, blog, PAGE, (100,))
    foreign = some.exchange(PAGE, b"<p>then</p>", at=101 * DAY, origin="memento", captured_at=day(-400))
    store(archive, blog, some.page(blog, PAGE, exchanges=(foreign,), foreign="done"))
    assert archive.mementos.nearest(PAGE, day(-300)).at == day(-400)
    assert archive.mementos.nearest(PAGE, day(90)).at == day(100)


def test_the_same_address_in_two_blogs_has_one_line_of_captures(archive, blog):
    other = archive.blogs.add("http://b.example/", scope="path").id
    captured(archive, blog, PAGE, (0,))
    captured(archive, other, PAGE, (10,))
    assert [archive.mementos.nearest(PAGE, day(number)).at for number in (1, 9)] == [day(0), day(10)]
    assert len(archive.mementos.moments(PAGE)) == 2


def test_all_references_of_a_page_are_looked_up_at_once(archive, blog):
    addresses = [HOME + f"{number}.png" for number in range(700)]
    store(archive, blog, *(some.media_visit(blog, url, url.encode(), at=3) for url in addresses))
    asked = [*addresses, HOME + "missing.png", "https://www.a.example/5.png?utm_source=x", "not an address", ""]
    found = archive.mementos.nearest_many(asked, START)
    assert set(found) == {*addresses, "https://www.a.example/5.png?utm_source=x"}
    assert found["https://www.a.example/5.png?utm_source=x"].url == HOME + "5.png"
    assert archive.mementos.nearest_many([], START) == {}


def test_captures_before_and_after_one_are_known(archive, blog):
    captured(archive, blog, PAGE, (0, 10, 20, 30))
    around = archive.mementos.surroundings(PAGE, archive.mementos.nearest(PAGE, day(10)))
    assert (around.first, around.previous, around.next, around.last, around.count, around.position) == (
        day(0), day(0), day(20), day(30), 4, 2,
    )
    alone = archive.mementos.surroundings(PAGE, archive.mementos.nearest(PAGE, day(30)))
    assert (alone.previous, alone.next) == (day(20), None)


def test_what_a_browser_made_of_a_page_is_found_with_it(archive, blog):
    drawn = some.exchange(PAGE, b"<p>drawn</p>", purpose="rendered")
    picture = some.exchange(f"urn:fullPage:{PAGE}", b"PNG", purpose="screenshot")
    store(archive, blog, some.page(blog, PAGE, exchanges=(drawn, picture, some.exchange(PAGE, b"<div id=app>"))))
    captured(archive, blog, PAGE, (5,))
    first, later = (archive.mementos.nearest(PAGE, day(number)) for number in (0, 5))
    assert archive.mementos.drawing(first).purpose == "rendered"
    assert archive.mementos.picture(first).url == f"urn:fullPage:{PAGE}"
    assert archive.mementos.drawing(later) is None
    assert archive.mementos.picture(later) is None
    assert {moment.status for moment in archive.mementos.moments(PAGE)} == {200}
    assert len(archive.mementos.moments(PAGE)) == 2


def test_addresses_of_a_blog_are_listed_by_pages_text_and_kind(archive, blog):
    captured(archive, blog, HOME, (0, 3))
    captured(archive, blog, PAGE, (1,))
    captured(archive, blog, HOME + "lost", (1,), status=404)
    store(archive, blog, some.media_visit(blog, HOME + "A_picture.png"), moved(blog, HOME + "old", HOME + "new", at=5))
    listed = archive.mementos.held_addresses(blog)
    assert [address.url for address in listed] == [HOME, PAGE, HOME + "A_picture.png", HOME + "new"]
    assert (listed[0].count, listed[0].first, listed[0].at) == (2, day(0), day(3))
    assert archive.mementos.count_addresses(blog) == 4
    assert [address.url for address in archive.mementos.held_addresses(blog, after=listed[1].id, limit=1)] == [
        HOME + "A_picture.png",
    ]
    assert [address.url for address in archive.mementos.held_addresses(blog, lanes=("media",))] == [
        HOME + "A_picture.png",
    ]
    store(archive, blog, some.page(blog, HOME + "feed", outcome="feed", exchanges=(some.exchange(HOME + "feed"),)))
    pages = [address.url for address in archive.mementos.held_addresses(blog, lanes=("post", "page"))]
    assert pages == [HOME, PAGE, HOME + "new"]
    assert archive.mementos.count_addresses(blog, text="PICTURE a_") == 1
    assert archive.mementos.count_addresses(blog, text="a%picture") == 0


def test_near_addresses_are_those_of_the_same_name_and_folder(archive, blog):
    for url in (PAGE, HOME + "2023/a-post", HOME + "2024/b-post", HOME + "z"):
        captured(archive, blog, url, (0,))
    near = [address.url for address in archive.mementos.near(HOME + "2024/c/a-post")]
    assert near[:2] == [HOME + "2023/a-post", PAGE] or near[:2] == [PAGE, HOME + "2023/a-post"]
    assert {address.url for address in archive.mementos.near(HOME + "2024/nothing", limit=2)} == {
        PAGE, HOME + "2024/b-post",
    }
    assert archive.mementos.near("http://other.example/a") == ()
    assert archive.mementos.near("") == ()


def test_who_mistypes_a_page_is_offered_pages_the_most_alike_first(archive, blog):
    for url in (HOME + "about", HOME + "2024/abuts", *(f"{HOME}post-{number}" for number in range(9))):
        captured(archive, blog, url, (0,))
    for name in ("abuot.css", "about.png", "z.woff2"):
        file = some.exchange(HOME + name, purpose="requisite")
        store(archive, blog, some.page(blog, HOME + name, outcome="media", lane="requisite", exchanges=(file,)))
    store(archive, blog, some.page(blog, HOME + "abuot-feed", outcome="feed"), some.media_visit(blog, HOME + "abuot-1"))
    near = [address.url for address in archive.mementos.near(HOME + "abuot")]
    assert near[:2] == [HOME + "2024/abuts", HOME + "about"]
    assert {address.removeprefix(HOME)[:5] for address in near[2:]} == {"post-"}
    assert "abuot.css" not in " ".join(address.url for address in archive.mementos.near(HOME.rstrip("/")))
    # Who asks for a file is offered files, too.
    assert archive.mementos.near(HOME + "abuts.css")[0].url == HOME + "abuot.css"
    assert archive.mementos.near(HOME + "abuot.html", limit=1)[0].url in {HOME + "about", HOME + "2024/abuts"}


def test_look_ups_go_by_the_indexes(archive, blog, place):
    captured(archive, blog, PAGE, (0,))
    asked = NEAREST.params(keys=["a.example/2024/a-post"], moment="2024")
    with archive.mementos.database.reading() as connection:
        if place.is_shared:
            # A planner reads small tables whole if it may.
            connection.exec_driver_sql("set local enable_seqscan = off")
        text = str(asked.compile(dialect=connection.dialect, compile_kwargs={"literal_binds": True}))
        explained = connection.exec_driver_sql(("explain " if place.is_shared else "explain query plan ") + text).all()
    plan = " ".join(row[-1] for row in explained)
    assert all(name in plan for name in ("captures_of_url", "captures_by_key")), plan
    assert not re.search(r"Seq Scan|SCAN (captures|urls)\b", plan), plan


def test_an_archive_of_before_finds_what_its_redirects_led_to(place):
    with place.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        store(archive, blog, moved(blog, HOME + "old", HOME + "new", at=0), some.page(blog, PAGE))
    as_of_revision_9(place)
    with place.open() as archive:
        assert archive.mementos.nearest(HOME + "new", START).way == "own"
        assert archive.mementos.nearest(HOME + "old", START).way == "led"
    assert place.rows("select key from captures where key is not null") == [("a.example/new",)]


def test_in_public_nothing_is_held_of_hidden_blogs_and_posts(archive, blog):
    secret, other = HOME + "secret", "http://b.example/"
    store(archive, blog, some.post_visit(blog, secret), moved(blog, HOME + "old", secret, at=5), some.page(blog, PAGE))
    hidden = archive.blogs.add(other, scope="path").id
    store(archive, hidden, some.page(hidden, other), some.page(hidden, other + "page"))
    archive.hidden.set_blog(hidden, hidden=True)
    archive.hidden.set_post(archive.listing.find(secret).id, hidden=True)
    public = MementoRepository(archive.mementos.database, public=True)
    for url in (secret, other, other + "page"):
        assert archive.mementos.nearest(url, START) is not None, url
        assert public.nearest(url, START) is None, url
        assert public.moments(url) == (), url
    # That it led somewhere is known; what it led to is not there.
    assert archive.mementos.nearest(HOME + "old", START).way == "led"
    assert public.nearest(HOME + "old", START).way == "redirect"
    assert public.nearest(PAGE, START) is not None
    assert public.nearest_many([PAGE, secret, other], START).keys() == {PAGE}
    assert [each.url for each in public.held_addresses(blog)] == [PAGE]
    assert public.count_addresses(blog) == 1
    assert public.count_addresses(hidden) == 0
    assert {each.url for each in public.near(HOME + "secre")} == {PAGE}
    assert public.near(other + "nothing") == ()
