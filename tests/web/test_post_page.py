"""The page of a post: article, threads, versions, where fields came from, and what is near."""

from __future__ import annotations

import gzip
import io
import json
import re
from typing import TYPE_CHECKING

import pytest
from warcio.archiveiterator import ArchiveIterator

from archive import some_visits as some
from everlog.archive import open_archive
from everlog.records import Comment, Provenance
from everlog.web.posts.comment_parts import anchor_of
from web.conftest import POST, filled
from web.served_archive import Served, serving
from web.some_blogs import HOSTILE, PAYLOADS, add_hostile, add_posts

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = "http://long.example/"
STRANGE = "http://strange.example/"
ANCHOR = r' id="((?:c-|comment-)[^"]+)"'
MARKUP = "<pre><code>x &lt; 1</code></pre><table><tr><td>cell</td><td>other</td></tr></table>"


@pytest.fixture(scope="module")
def posts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("posts") / "archive"
    with open_archive(place, create=True) as archive:
        filled(archive)
        add_posts(archive, LONG, 20, title="A long life")
        add_hostile(archive)
        blog = archive.blogs.add(STRANGE, scope="path").id
        many = tuple(
            Comment(id=str(number), parent=str(number - 1) if number % 10 else None, author=f"Reader {number}",
                    text=f"Comment {number}") for number in range(5_000)
        )
        with archive.lock(blog):
            archive.commit([
                some.page(blog, url, outcome="post", exchanges=(some.exchange(url, url.encode()),),
                          post=some.post(url, **rest))
                for url, rest in (
                    (STRANGE + "many", {"comments": many, "comments_state": "complete"}),
                    (STRANGE + "chain", {"text": "Chain", "comments": many[:1] + tuple(
                        Comment(id=str(number), parent="0", text=f"Answer {number}") for number in range(1, 600)
                    ), "comments_state": "complete"}),
                    (STRANGE + "arabic", {"title": "مرحبا", "language": "ar", "text": "مرحبا بالعالم",
                                          "html": f'<p>مرحبا <a href="{LONG}3">بالعالم</a></p>'}),
                    (STRANGE + "twins", {"text": "Twins", "comments_state": "complete", "comments": (
                        Comment(id="1", text="One"), Comment(id="1", text="Two"),
                    )}),
                    (STRANGE + "markup", {"text": "x < 1 cell", "html": MARKUP}),
                )
            ])
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


def test_a_post_leads_to_its_neighbours_its_blog_and_its_tags(posts: Served):
    text = posts.page(f"/read/{LONG}7").text
    assert f'rel="prev" href="/read/{LONG}6"' in text
    assert f'rel="next" href="/read/{LONG}8"' in text
    assert 'href="/blog/long.example" dir="auto">A long life</a>' in text
    assert 'href="/blog/long.example?tag=Maps"' in text
    assert f'<link rel="canonical" href="{LONG}7">' in text
    assert 'rel="prev"' not in posts.page(f"/read/{LONG}0").text


def test_a_post_says_who_links_to_it(posts: Served):
    text = posts.page(f"/read/{LONG}3").text
    assert "Posts that link here" in text
    assert f'href="/read/{STRANGE}arabic"' in text


def test_a_post_is_in_its_own_language_and_direction(posts: Served):
    text = posts.page(f"/read/{STRANGE}arabic").text
    assert '<h1 lang="ar" dir="auto">مرحبا</h1>' in text
    assert '<div class="article" lang="ar" dir="auto" hx-disable>' in text


def test_code_and_tables_are_shown(posts: Served):
    text = posts.page(f"/read/{STRANGE}markup").text
    assert "<code>x &lt; 1</code>" in text
    assert "<td>cell</td>" in text


def test_where_fields_came_from_is_said_with_how_sure_that_is(posts: Served):
    text = posts.page(f"/read/{LONG}7").text
    assert "<code>article</code>" in text
    assert "in an element of the page" in text
    assert "sure, 90 %" in text
    # As its list says, with the way to where that is explained.
    assert re.search(r'<a href="#sources"[^>]*>\d+ % sure</a>', text)
    assert "In the archive: " in text
    assert "may have been read wrong" not in text
    assert "may have been read wrong" in posts.page(f"/read/{LONG}10").text


@pytest.mark.slow
def test_thousands_of_comments_are_threads_each_with_a_link(posts: Served):
    text, anchors = posts.page(f"/read/{STRANGE}many").text, []
    assert "The first 200 in the order of their threads" in text
    assert "9 replies" in text
    for part in range(2, 26):
        anchors += re.findall(ANCHOR, text)
        assert f'href="/comments/{part}/{STRANGE}many" rel="next"' in text
        assert f"{5_200 - part * 200:,} further comments" in text
        text = posts.page(f"/comments/{part}/{STRANGE}many").text
    anchors += re.findall(ANCHOR, text)
    assert 'rel="next"' not in text
    assert "Comments 4,801 to 5,000 of 5,000" in text
    assert len(anchors) == len(set(anchors)) == 5_000
    assert all(f'href="#{anchor}"' in text for anchor in anchors[-200:])


def test_a_link_to_a_comment_leads_to_the_part_it_is_in(posts: Served):
    for number, place in ((3, f"/read/{STRANGE}many"), (4_711, f"/comments/24/{STRANGE}many")):
        anchor = anchor_of(str(number), 0)
        answer = posts.page(f"/comment/{anchor}/{STRANGE}many")
        assert (answer.status, answer.headers["Location"]) == (302, f"{place}#{anchor}")
        assert f'id="{anchor}"' in posts.page(place).text


def test_a_thread_that_is_longer_than_a_part_goes_on_in_the_next(posts: Served):
    assert len(re.findall(ANCHOR, posts.page(f"/read/{STRANGE}chain").text)) == 300
    text = posts.page(f"/comments/2/{STRANGE}chain").text
    assert "More replies to the comment before" in text
    assert len(re.findall(ANCHOR, text)) == 300


def test_what_is_not_there_of_a_post_is_said_with_ways_on(posts: Served):
    for path, said in (
        (f"/comments/99/{STRANGE}many", "There are no comments here"), (f"/comments/x/{STRANGE}many", "no comments"),
        (f"/comment/c-0123456789/{STRANGE}many", "This comment is not there"),
        (f"/diff/2/9/{POST}", "There is no such version"), (f"/diff/1/2/{LONG}3", "There is no such version"),
    ):
        answer = posts.page(path)
        assert answer.status == 404, path
        assert said in answer.text, path
        assert 'href="/read/' in answer.text
    for path in (f"/comments/2/{LONG}never", f"/comment/c-0123456789/{LONG}never", "/comments/2/"):
        assert posts.page(path).status == 404, path


def test_comments_of_one_id_have_links_of_their_own(posts: Served):
    text = posts.page(f"/read/{STRANGE}twins").text
    assert len(set(re.findall(ANCHOR, text))) == 2


def test_versions_are_listed_with_what_changed(posts: Served):
    text = posts.page(f"/read/{POST}").text
    assert "3 versions" in text
    assert f'href="/diff/2/3/{POST}"' in text
    changes = posts.page(f"/diff/2/3/{POST}").text
    assert "<del>10</del>" in changes
    assert "<ins>20</ins>" in changes
    assert '<option value="1">' in changes
    assert "These two versions say the same" in posts.page(f"/diff/2/2/{POST}").text
    for path in (f"/diff/2/9/{POST}", f"/diff/x/y/{POST}", f"/diff/1/2/{LONG}never", "/diff/1/2/", "/diff"):
        assert posts.page(path).status == 404, path


def test_where_something_was_embedded_that_is_not_held_is_said(tmp_path):
    page = (
        "<div class=entry><p>Here is my film:</p><iframe src=//tube.example/embed/1></iframe><p>And here is a map:</p>"
        f"<iframe data-src={LONG}map></iframe><p>That was all of it.</p></div><aside>An advert<iframe src=/ad></iframe>"
    )
    html = "<p>Here is my film:</p><p>And here is a map:</p><p>That was all of it.</p>"
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(LONG, scope="path").id
        with archive.lock(blog):
            archive.commit([
                some.page(blog, LONG + "map", exchanges=(some.exchange(LONG + "map", b"<p>A map"),)),
                some.page(blog, LONG, outcome="post", exchanges=(some.exchange(LONG, page.encode()),), post=some.post(
                    LONG, "Here is my film.", html=html,
                    provenance={"text": Provenance(method="feed-text", rule="div.entry", confidence=1.0)},
                )),
            ])
        with serving(archive) as served:
            text = served.page(f"/read/{LONG}").text
    assert re.search(
        r'<p>Here is my film:</p><p class="embed"><a href="http://tube.example/embed/1" rel="[^"]+">'
        r"Embedded from tube.example</a>, not held</p><p>And here is a map:</p>", text,
    )
    assert re.search(
        r'map:</p><p class="embed"><a href="http://[^"]+/web/[^"]+map"[^>]*>Embedded from long.example</a></p>', text,
    )
    assert "/ad" not in text


def test_a_post_is_shown_although_the_file_of_its_page_is_lost(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, LONG, 2)
    for file in (tmp_path / "archive" / "warc").iterdir():
        file.unlink()
    with open_archive(tmp_path / "archive", read_only=True) as archive, serving(archive) as served:
        assert "Words of number1" in served.page(f"/read/{LONG}1").text
        assert served.page(f"/warc/{LONG}1").status == 500


def test_any_two_versions_can_be_chosen(posts: Served):
    answer = posts.page(f"/diff?url={POST}&first=1&last=3")
    assert (answer.status, answer.headers["Location"]) == (302, f"/diff/1/3/{POST}")
    assert "From version 3, read on" in posts.page(f"/diff/3/1/{POST}").text


def test_the_record_of_a_capture_is_a_warc_file(posts: Served):
    path = re.search(r'href="(/warc/\d{14}/[^"]+)"', posts.page(f"/read/{POST}").text)[1]
    answer = posts.page(path)
    assert answer.headers["Content-Type"] == "application/gzip"
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="a.example-')
    assert int(answer.headers["Content-Length"]) == len(answer.body)
    records = [(record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), record.content_stream().read())
               for record in ArchiveIterator(io.BytesIO(answer.body))]
    assert [kind for kind, _, _ in records] == ["response", "request"]
    assert {url for _, url, _ in records} == {POST}
    assert b"<h1>Day 20</h1>" in records[0][2]
    assert posts.ask(path, "HEAD", at=posts.interface).body == b""
    assert b"<h1>Day 0</h1>" in gzip.decompress(posts.page(f"/warc/2000/{POST}").body)
    for path in (f"/warc/{LONG}never", "/warc/", f"/warc/20249999/{POST}", f"/warc/*/{POST}"):
        assert posts.page(path).status == 404, path


def test_a_page_that_did_not_change_is_given_with_the_record_that_has_its_body(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(LONG, scope="path").id
        with archive.lock(blog):
            for day in (0, 5):
                archive.commit([some.page(blog, LONG, exchanges=(
                    some.exchange(LONG, b"<p>The same", at=day * 86_400),
                ))])
        with serving(archive) as served:
            body = served.page(f"/warc/{LONG}").body
    kinds = [record.rec_type for record in ArchiveIterator(io.BytesIO(body))]
    assert kinds == ["revisit", "response", "request"]


def test_in_public_a_record_comes_without_the_request_and_none_with_cookies(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        filled(archive)
        blog = archive.blogs.add(LONG, scope="path").id
        with archive.lock(blog):
            archive.commit([some.page(blog, LONG, exchanges=(
                some.exchange(LONG, b"<p>Hello", headers=(("Set-Cookie", "session=secret"),)),
            ))])
        with serving(archive, public=True) as public, serving(archive) as private:
            body = public.page(f"/warc/{POST}").body
            assert [record.rec_type for record in ArchiveIterator(io.BytesIO(body))] == ["response"]
            refused = public.page(f"/warc/{LONG}")
            assert refused.status == 403
            assert "not given to everybody" in refused.text
            assert "secret" not in refused.text
            assert b"secret" in gzip.decompress(private.page(f"/warc/{LONG}").body)
            archive.hidden.set_blog(blog, hidden=True)
            assert public.page(f"/warc/{LONG}").status == 404


def test_a_post_is_had_as_json_and_as_markdown(posts: Served):
    answer = posts.page(f"/json/{POST}")
    assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
    found = json.loads(answer.text)
    assert found["url"] == POST
    assert len(found["comments"]) == 2
    text = posts.page(f"/markdown/{POST}")
    assert text.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert f'original_url: "{POST}"' in text.text
    for path in (f"/json/{LONG}never", f"/markdown/{LONG}never", "/json/"):
        assert posts.page(path).status == 404


def test_what_strangers_wrote_is_only_text_on_the_pages_of_a_post(posts: Served):
    for number in range(len(PAYLOADS)):
        for path in (f"/read/{HOSTILE}{number}", f"/diff/1/2/{HOSTILE}{number}"):
            answer = posts.page(path)
            assert answer.status == 200, path
            for evil in ("<script", "<iframe", "onerror=alert(1)>", "onload=alert(1)>", 'href="javascript', 'onmouse"'):
                assert evil not in answer.said, (path, evil)
            assert not re.search(r"<[^>]*\son\w+\s*=", re.sub(r'"[^"]*"', '""', answer.text)), path
        for path in (f"/json/{HOSTILE}{number}", f"/markdown/{HOSTILE}{number}"):
            answer = posts.page(path)
            assert answer.status == 200
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert "No text was found" in posts.page(f"/read/{HOSTILE}empty").text


def test_in_public_a_hidden_post_has_no_page_and_nothing_is_told_of_files(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        filled(archive)
        add_posts(archive, LONG, 20, title="A long life")
        archive.hidden.set_post(archive.listing.find(LONG + "7").id, hidden=True)
        with serving(archive, public=True) as public, serving(archive) as private:
            for kind in ("read", "json", "markdown", "diff/1/1"):
                assert public.page(f"/{kind}/{LONG}7").status == 404
                assert private.page(f"/{kind}/{LONG}7").status == 200
            assert f'rel="prev" href="/read/{LONG}6"' in public.page(f"/read/{LONG}8").text
            assert "Hidden:" in private.page(f"/read/{LONG}7").text
            for path in (f"/read/{POST}", f"/json/{POST}", f"/markdown/{POST}"):
                assert "warc.gz" not in public.page(path).text
            assert "warc.gz" in private.page(f"/read/{POST}").text


def test_lists_of_which_something_stayed_show_that_in_both_versions(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(LONG, scope="path").id
        with archive.lock(blog):
            for number, authors, link in ((1, ("Ed",), "a"), (2, ("Ed", "Ida"), "b")):
                archive.commit([some.page(
                    blog, LONG + "two", outcome="post",
                    exchanges=(some.exchange(LONG + "two", str(number).encode(), at=number),),
                    post=some.post(LONG + "two", authors=authors, html=f'<p><a href="{LONG}{link}">x</a></p>'),
                )])
        with serving(archive) as served:
            text = served.page(f"/diff/1/2/{LONG}two").text
            cells = dict(re.findall(r'<th scope="row">([^<]*)</th>\s*(.*?)</tr>', text, re.DOTALL))
            older, newer = (re.findall(r"<li>(.*?)</li>", each) for each in cells["Authors"].split("</td>")[:2])
            assert (older, newer) == (["Ed"], ["Ed", "<ins>Ida</ins>"])
            # Of links and pictures only what differs is there.
            links = re.findall(r"<li>(.*?)</li>", cells["Links"])
            assert links == ["<del>long.example/a</del>", "<ins>long.example/b</ins>"]


@pytest.mark.parametrize(("state", "claimed", "said"), [
    ("failed", None, "There may be more: the last time they could not be fetched."),
    ("partial", None, "There may be more: not all of them could be had."),
    ("partial", 7, "1 comment of the 7 that the page counts"),
    ("complete", None, None),
])
def test_a_post_that_may_lack_comments_says_so_above_those_it_has(tmp_path, state, claimed, said):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(LONG, scope="path").id
        with archive.lock(blog):
            archive.commit([some.page(blog, LONG + "few", outcome="post", post=some.post(
                LONG + "few", comments=(Comment(id="1", text="One"),), comments_state=state,
                comment_count_claimed=claimed,
            ))])
        with serving(archive) as served:
            text = served.page(f"/read/{LONG}few").text
            assert ("may be more" in text, said is None or said in text) == (claimed is None and said is not None, True)
