from __future__ import annotations

from datetime import UTC, datetime

from everlog.evaluate.cut import cut_feed, cut_html
from everlog.feeds import parse_feed

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Werkbank</title>
<link href="http://a.example/"/><entry><title>Öl &amp; Leim</title><link href="/oel"/><id>tag:1</id>
<published>2024-03-01T10:00:00+02:00</published><updated>2024-03-02T10:00:00+02:00</updated>
<author><name>Jörg</name></author><category term="Holz"/><category term="Öl"/>
<content type="html">{}</content></entry></feed>"""


def test_everything_but_the_content_stays():
    body = ATOM.format("&lt;p&gt;" + "Wort " * 80 + "&lt;/p&gt;").encode()
    before, after = parse_feed(body, "http://a.example/atom.xml"), parse_feed(
        cut_feed(body, "http://a.example/atom.xml"), "http://a.example/atom.xml",
    )
    assert (after.title, after.home, after.language) == (before.title, before.home, before.language)
    (old,), (new,) = before.entries, after.entries
    for field in ("link", "title", "authors", "tags", "guid", "published", "updated"):
        assert getattr(new, field) == getattr(old, field)
    assert new.published == datetime(2024, 3, 1, 8, tzinfo=UTC)


def test_the_content_is_the_first_55_words_and_the_sign_that_there_is_more():
    cut = cut_html("<div><p>" + "<b>wo</b>rd " * 80 + "</p></div>")
    assert cut == " ".join(["word"] * 55) + " [&hellip;]"


def test_a_short_content_stays_whole_without_its_markup():
    assert cut_html("<p>A <i>b</i></p><!-- no --><script>x()</script><p>c &lt;d&gt;</p>") == "A b c &lt;d&gt;"


def test_content_in_a_script_without_spaces_is_cut_by_characters():
    assert len(cut_html("海" * 300)) == 110 + len(" [&hellip;]")


def test_control_characters_and_empty_contents_do_no_harm():
    assert cut_html("a\x00\x0b b") == "a b"
    assert cut_html("") == cut_html("<!-- x -->") == ""
