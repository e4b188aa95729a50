"""The pages in which an archive is looked at."""

from __future__ import annotations

import re
import shutil
from html import unescape
from importlib.resources import files

import pytest

from archive import some_visits as some
from archive.some_visits import HOME
from everlog.archive import open_archive
from everlog.web.page_templates import TypedCommands
from web.conftest import FILM, PICTURE, POST, filled, stamp
from web.served_archive import Served, serving

COMMANDS = (
    "copy", "crawl", "demo", "export", "fleet", "hide", "import", "repair", "reread", "rules", "search", "serve",
    "show", "status", "update", "verify", "watch", "worker",
)


def test_the_start_page_has_all_blogs(served: Served):
    text = served.page("/").text
    assert "A blog &amp; more" in text
    assert 'href="/blog/a.example"' in text


def test_an_archive_without_blogs_says_how_to_begin(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive, serving(archive) as served:
        assert "everlog crawl" in served.page("/").text


@pytest.mark.parametrize("name", sorted(
    each.name for each in files("everlog.web").joinpath("templates").iterdir() if each.name.endswith(".html")
))
def test_a_command_on_a_page_is_written_as_it_can_be_typed(name):
    """By `typed`, which names the program and the archive: a bare one is of another archive, or of no program."""
    text = files("everlog.web").joinpath("templates", name).read_text("utf-8")
    assert re.findall(rf"\beverlog (?:{'|'.join(COMMANDS)})\b", text) == []


def test_commands_name_the_program_and_the_archive_that_is_served(tmp_path):
    typed = TypedCommands(program="scripts/everlog", archive=" --archive 'my blogs'")
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add("http://empty.example/", scope="path").id
        with archive.lock(blog):
            archive.commit([some.page(blog, "http://empty.example/page", outcome="post", post=some.post(
                "http://empty.example/page", comments_state="failed",
            ))])
        archive.blogs.add("http://none.example/", scope="path")
        archive.hidden.set_post(archive.listing.find("http://empty.example/page").id, hidden=True)
        with serving(archive, typed=typed) as served, serving(archive, typed=typed, public=True) as public:
            for path, command in (
                ("/", "crawl http://none.example/"), ("/blog/none.example", "crawl http://none.example/"),
                ("/timeline/none.example", "update http://none.example/"), ("/requests/none.example", "watch"),
                ("/read/http://empty.example/page", "update http://empty.example/"),
                ("/read/http://empty.example/page", "serve --public"),
            ):
                said = unescape(served.page(path).text)
                assert f"<code>scripts/everlog {command} --archive 'my blogs'</code>" in said, path
                assert "my blogs" not in unescape(public.page(path).text), path


def test_the_captured_pages_of_a_blog_are_listed_by_kind_and_words(served: Served):
    everything = served.page("/captures/a.example?kind=all").text
    assert ">/2024/a-post</a>" in everything
    assert f'href="/web/*/{POST}"' in everything
    assert "film.mp4" in everything
    pages = served.page("/captures/a.example").text
    assert "film.mp4" not in pages
    assert "about" in pages
    media = served.page("/captures/a.example/?kind=media&q=CAT").text
    assert "cat.png" in media
    assert "film.mp4" not in media
    assert "No captured address" in served.page("/captures/a.example?q=nothing-like-it").text
    assert served.page("/blog/b.example").status == 404
    assert served.page("/blog/a.example/2024/a-post").status == 404
    assert served.page("/captures/a.example?after=x&kind=y").status == 200


def test_a_long_list_has_pages(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "archive")
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.find(HOME).id
        with archive.lock(blog):
            archive.commit([some.page(blog, HOME + f"n/{number}") for number in range(120)])
        with serving(archive) as served:
            seen, path = [], "/captures/a.example?q=n/"
            while path:
                text = served.page(path).text
                seen += [line for line in text.split('"') if line.startswith("/web/2") and "/n/" in line]
                path = next(
                    ("/captures/a.example" + part.partition('"')[0].replace("&amp;", "&")
                     for part in text.split('<a href="')[1:] if 'rel="next"' in part.partition(">")[0]), "",
                )
            assert len(seen) == len(set(seen)) == 120


def test_a_capture_stands_in_a_frame_below_the_bar(served: Served):
    text = served.page(f"/web/{stamp(10)}/{POST}").text
    assert f'<iframe src="{served.replay}/web/{stamp(10)}mp_/{POST}"' in text
    assert 'sandbox="allow-top-navigation-by-user-activation ' in text
    assert "11 May 2024, 12:00 UTC" in text
    assert "captures" in text
    assert f'href="/web/{stamp(20)}/{POST}"' in text
    assert f'href="/read/{POST}"' in text
    assert f'value="{POST}"' in text
    assert "A &lt;b&gt;post&lt;/b&gt;" in text


def test_an_address_leads_to_its_latest_capture_and_a_year_to_the_nearest(served: Served):
    assert served.page("/web/" + POST).headers["Location"] == f"{served.interface}/web/{stamp(20)}/{POST}"
    assert served.page("/web/2020/" + POST).headers["Location"] == f"{served.interface}/web/{stamp(0)}/{POST}"
    assert served.page(f"/web/{stamp(0)}/{HOME}left").headers["Location"] == f"{served.interface}/web/{stamp(0)}/{POST}"


def test_all_captures_of_an_address_are_listed(served: Served):
    text = served.page(f"/web/*/{POST}").text
    assert all(f'href="/web/{stamp(number)}/{POST}"' in text for number in (0, 10, 20))


def test_the_field_for_addresses_leads_to_the_page(served: Served):
    assert served.page("/go?url=a.example%2Fabout").headers["Location"] == f"{served.interface}/web/http://a.example/about"
    for words in ("", "hello", "javascript:alert(1)", "%00"):
        assert "/search?q=" in served.page(f"/go?url={words}").headers["Location"]


def test_a_post_is_read_with_pictures_from_the_archive(served: Served):
    answer = served.page(f"/read/{POST}")
    assert "<h1" in answer.text
    assert "A &lt;b&gt;post&lt;/b&gt;" in answer.text
    assert "Ann &amp; Bob" in answer.text
    assert f'<img src="{served.replay}/web/{stamp(0)}/{PICTURE}" alt="A cat"' in answer.text
    assert "Picture not held: Lost" in answer.text
    assert f'href="{served.interface}/web/' in answer.text
    assert "&lt;i&gt;Eve&lt;/i&gt;" in answer.text
    assert "&lt;script&gt;x&lt;/script&gt;" in answer.text
    assert "2 comments" in answer.text
    assert 'class="said depth-1"' in answer.text
    assert served.page(f"/read/{HOME}about").status == 404


def test_what_is_not_held_offers_what_is_near(served: Served):
    answer = served.page(f"/web/{HOME}2024/b-post")
    assert answer.status == 404
    assert f'/{POST}"' in answer.text
    assert f'href="/web/{HOME}"' in answer.text
    assert "everlog repair http://a.example/" in answer.text
    elsewhere = served.page("/web/http://other.example/x")
    assert "everlog crawl http://other.example/x" in elsewhere.text
    assert "led to another address" in served.page(f"/web/{HOME}away").text


@pytest.mark.parametrize(("path", "said"), [
    (f"/read/{HOME}about", "No post was read from this address."), (f"/json/{HOME}about", "No post was read from this"),
    (f"/diff/1/2/{HOME}about", "No post was read from this"), (f"/web/20241399/{HOME}about", "There is no such time."),
    (f"/web/2/{HOME}about", "There is no such time."),
])
def test_a_page_that_was_captured_is_not_said_to_be_missing(served: Served, path, said):
    asked = served.page(path)
    assert asked.status == 404
    assert said in asked.text
    assert f'<a href="/web/{HOME}about">see it as it was</a>' in asked.text
    for wrong in ("was not captured", "Not in this archive</h1>", "everlog repair"):
        assert wrong not in asked.text


def test_in_public_a_hidden_page_is_not_said_to_be_captured(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        filled(archive)
        archive.hidden.set_post(archive.listing.find(POST).id, hidden=True)
        with serving(archive, public=True) as public:
            for path in (f"/read/{POST}", f"/web/20241399/{POST}"):
                assert "was captured" not in public.page(path).text


def test_a_file_that_no_frame_shows_is_offered(served: Served):
    text = served.page(f"/web/{stamp(0)}/{HOME}paper.pdf").text
    assert "<iframe" not in text
    assert f'href="{served.replay}/web/{stamp(0)}/{HOME}paper.pdf"' in text
    assert "<iframe" in served.page(f"/web/{stamp(0)}/{FILM}").text


def test_a_capture_whose_file_is_lost_says_so(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "archive")
    for file in (tmp_path / "archive" / "warc").iterdir():
        file.unlink()
    with open_archive(tmp_path / "archive", read_only=True) as archive, serving(archive) as served:
        answer = served.ask(f"/web/{stamp(0)}/{POST}")
        assert answer.status == 500
        assert "everlog verify" in answer.text
        assert served.page("/").status == 200
        assert served.page(f"/web/{stamp(0)}/{POST}").status == 200
        assert served.page(f"/web/{HOME}left").status == 500


@pytest.mark.parametrize("url", [
    'http://a.example/"><script>x</script>', "http://a.example/%22%3E%3Cscript%3E", "http://a.example/'onload='x",
])
def test_addresses_that_are_asked_for_are_only_text(served: Served, url):
    for answer in (served.page("/web/" + url.replace('"', "%22").replace("<", "%3C").replace(">", "%3E")),):
        assert answer.status == 404
        assert "<script" not in answer.said
        assert "'onload='x\"" not in answer.text or "&#39;onload" in answer.text


def test_an_address_at_a_former_host_offers_what_the_blog_has_now(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "archive")
    with open_archive(tmp_path / "archive", create=True) as archive:
        archive.blogs.move(archive.blogs.find(HOME).id, "http://new.example/")
        with serving(archive) as served:
            answer = served.page("/web/http://a.example/2024/never")
            assert answer.status == 404
            assert "everlog repair http://new.example/" in answer.text


def test_a_page_that_scripts_write_is_shown_as_the_browser_drew_it(tmp_path):
    empty, url = b"<title>t</title><div id=app></div><script src=app.js></script>", HOME + "app"
    words = b"<p>" + b"All the words that the scripts have written. " * 20
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        drawn = some.exchange(url, words, purpose="rendered")
        with archive.lock(blog):
            archive.commit([some.page(blog, url, exchanges=(drawn, some.exchange(url, empty)))])
            both = some.exchange(HOME + "full", words + b"<p>and a comment", purpose="rendered")
            archive.commit([some.page(blog, HOME + "full", exchanges=(both, some.exchange(HOME + "full", words)))])
        with serving(archive) as served:
            assert "that the scripts have written" in served.ask(f"/web/{stamp(0)}/{url}").text
            assert served.ask(f"/web/{stamp(0)}id_/{url}").body == empty
            assert "and a comment" not in served.ask(f"/web/{stamp(0)}/{HOME}full").text
