from __future__ import annotations

import http.client
import re
import struct
import zlib
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree as ET

import pytest

import everlog
from everlog.core.tree import parse
from everlog.demo.designs import ICON, OLD_STYLE, STYLE, author_path
from everlog.demo.pieces import FIRST_OLD, IN_FEED, TAGS
from everlog.demo.server import serve
from everlog.demo.site import FEED, HTML, ORIGIN, pages, truth
from everlog.feeds import feed_links, parse_feed
from everlog.feeds.sitemaps import parse_sitemap, sitemaps_of_robots
from everlog.markup.media import media_of

POSTS = 40


@pytest.fixture(scope="module")
def learned() -> everlog.Template:
    documents = pages()
    newest = {ORIGIN + piece.path: documents[piece.path].body for piece in truth()[:IN_FEED]}
    return everlog.learn(documents[FEED].body, newest, feed_url=ORIGIN + FEED)


def html_pages() -> dict[str, bytes]:
    return {path: document.body for path, document in pages().items() if document.type == HTML}


def test_it_is_a_blog_of_three_years_in_two_designs():
    posts = truth()
    assert len(posts) == len({piece.path for piece in posts}) == POSTS
    assert (posts[0].published - posts[-1].published).days > 2.8 * 365
    assert [piece.published for piece in posts] == sorted((piece.published for piece in posts), reverse=True)
    assert 0 < sum(piece.is_old for piece in posts) == POSTS - FIRST_OLD


def test_its_posts_are_worth_reading():
    posts = truth()
    lengths = [len(piece.text.split()) for piece in posts]
    assert sum(120 <= length <= 300 for length in lengths) >= 12
    assert min(lengths) >= 50
    sentences = [line for piece in posts for line in re.split(r"(?<=[.?!]) ", piece.text) if len(line.split()) > 4]
    assert len(set(sentences)) == len(sentences)
    remarks = [remark for piece in posts for remark in piece.remarks]
    assert len({remark.text for remark in remarks}) == len(remarks) > 40
    assert {tag for piece in posts for tag in piece.tags} == set(TAGS)


def test_every_link_answers():
    documents, host = pages(), urlsplit(ORIGIN).netloc
    missing = set()
    for path, body in html_pages().items():
        values = [element.get(name) for element in parse(body).iter() for name in ("href", "src", "data-src")]
        for link in filter(None, values):
            parts = urlsplit(urljoin(ORIGIN + path, link))
            if parts.scheme != "data" and (parts.netloc != host or parts.path not in documents):
                missing.add((path, link))
    assert missing == set()


def test_both_designs_have_a_style_sheet_of_their_own_and_one_icon():
    documents = pages()
    looks: dict[bool, set[str]] = {True: set(), False: set()}
    for piece in truth():
        root = parse(documents[piece.path].body)
        [icon] = root.findall(".//link[@rel='icon']")
        assert (icon.get("href"), documents[ICON].type) == (ICON, "image/svg+xml; charset=utf-8")
        looks[piece.is_old].update(sheet.get("href") or "" for sheet in root.findall(".//link[@rel='stylesheet']"))
    assert looks == {True: {OLD_STYLE}, False: {STYLE}}
    for path in (STYLE, OLD_STYLE):
        assert documents[path].type == "text/css; charset=utf-8"
        named = re.findall(r"url\(([^)]+)\)", documents[path].body.decode())
        assert [name for name in named if urljoin(path, name) not in documents] == []
    assert ET.fromstring(documents[ICON].body).tag.endswith("svg")  # noqa: S314 - our own


def test_every_document_can_be_reached_from_the_front_page():
    documents = pages()
    seen, waiting = {"/"}, ["/"]
    while waiting:
        path = waiting.pop()
        if documents[path].type != HTML:
            continue
        for link in parse(documents[path].body).iter("a", "link"):
            target = urlsplit(urljoin(ORIGIN + path, link.get("href") or "")).path
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    assert {path for path, document in documents.items() if document.type == HTML} <= seen
    assert {FEED, "/comments/feed/"} <= seen


@pytest.mark.parametrize("number", range(POSTS))
def test_every_post_is_read_exactly_with_what_the_feed_teaches(learned, number):
    piece = truth()[number]
    post = learned.read(pages()[piece.path].body, ORIGIN + piece.path)
    assert isinstance(post, everlog.Post)
    assert post.title == piece.title
    assert post.authors == (piece.author,)
    assert post.published == piece.published
    assert post.tags == piece.tags
    assert post.text == piece.text
    assert sorted(media_of(post.html, post.url)) == sorted(ORIGIN + path for path in piece.media)


def test_lists_are_not_taken_for_posts(learned):
    for path in ("/page/2/", "/tag/paint/", "/about/", "/2023/", "/calendar/2024/03/", author_path("Idris Vane")):
        assert isinstance(learned.read(pages()[path].body, ORIGIN + path), everlog.Skip), path


def test_the_feeds_are_found_and_hold_the_newest():
    links = feed_links(parse(pages()["/"].body), ORIGIN + "/")
    declared = [(link.url, link.comments) for link in links if link.declared]
    assert declared == [(ORIGIN + FEED, False), (ORIGIN + "/comments/feed/", True)]
    feed = parse_feed(pages()[FEED].body, ORIGIN + FEED)
    assert [entry.link for entry in feed.entries] == [ORIGIN + piece.path for piece in truth()[:IN_FEED]]
    assert [entry.comment_count for entry in feed.entries] == [len(piece.remarks) for piece in truth()[:IN_FEED]]
    comments = parse_feed(pages()["/comments/feed/"].body)
    assert feed.problem is comments.problem is None
    assert len(comments.entries) == 20


def test_robots_and_sitemap_list_every_post():
    [address] = sitemaps_of_robots(pages()["/robots.txt"].body.decode())
    sitemap = parse_sitemap(pages()[urlsplit(address).path].body)
    assert {ORIGIN + piece.path for piece in truth()} <= {url for url, _ in sitemap.urls}


def test_a_print_view_names_the_post_it_copies():
    piece = truth()[0]
    [canonical] = parse(pages()[f"{piece.path}print/"].body).findall(".//link[@rel='canonical']")
    assert canonical.get("href") == ORIGIN + piece.path


def test_pictures_are_pictures():
    pictures = [document.body for document in pages().values() if document.type == "image/png"]
    assert len(set(pictures)) == len(pictures) > 20
    for body in pictures[:4]:
        width, height = struct.unpack(">II", body[16:24])
        size = struct.unpack(">I", body[33:37])[0]
        assert len(zlib.decompress(body[41:41 + size])) == height * (1 + 3 * width)


def test_the_same_blog_comes_out_every_time_under_any_name():
    again = pages.__wrapped__("http://other.example")
    assert again.keys() == pages().keys()
    assert all(
        document.body.replace(b"http://other.example", ORIGIN.encode()) == pages()[path].body
        for path, document in again.items()
    )


@pytest.fixture(scope="module")
def base():
    with serve() as url:
        yield url


def ask(base: str, path: str, method: str = "GET", **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=300)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


def test_the_blog_is_served_under_its_own_address(base):
    assert base.startswith("http://127.0.0.1:")
    answer, body = ask(base, FEED)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/rss+xml; charset=utf-8")
    assert parse_feed(body).entries[0].link == base.rstrip("/") + truth()[0].path
    answer, body = ask(base, truth()[0].path + "?replytocom=3")
    assert (answer.status, int(answer.headers["Content-Length"])) == (200, len(body))


def test_what_did_not_change_is_not_sent_again(base):
    answer, body = ask(base, "/")
    assert body
    again, nothing = ask(base, "/", If_None_Match=answer.headers["ETag"])
    assert (again.status, nothing) == (304, b"")
    head, nothing = ask(base, "/", "HEAD")
    assert (head.status, nothing, head.headers["Content-Length"]) == (200, b"", str(len(body)))


def test_what_is_not_there_is_said_so(base):
    assert ask(base, "/nowhere")[0].status == 404
    answer, _ = ask(base, "/about")
    assert (answer.status, answer.headers["Location"]) == (301, "/about/")


def test_a_kept_connection_serves_many_requests(base):
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=300)
    try:
        for piece in truth()[:5]:
            connection.request("GET", piece.path)
            assert piece.title.partition("&")[0] in connection.getresponse().read().decode()
    finally:
        connection.close()
