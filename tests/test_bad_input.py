"""Whatever bytes come in: a Post, a Skip with its reason, or an EverlogError that says what to do."""

from __future__ import annotations

import gzip
import json
import random
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import a_blog
from everlog import EverlogError, Post, Skip, Template, learn
from everlog.errors import NothingToLearn, UnreadableFeed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# No test measures time; one that takes this long hangs.
HANGING_SECONDS = 300

GOOD = a_blog.page(9)
URL = a_blog.url(9)
NOISE = random.Random(2024).randbytes(30_000)  # noqa: S311 - any bytes will do


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    def ring(_number: int, _frame: object) -> None:
        raise TimeoutError(f"still busy after {HANGING_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(HANGING_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def inside(markup: str) -> bytes:
    return a_blog.page(9, markup + a_blog.article(9))


def laughs(open_tag: str, text: str) -> str:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    return f'<!DOCTYPE {open_tag} [<!ENTITY l0 "lol">{levels}]>{text}'


BROKEN_PAGES: dict[str, Callable[[], bytes]] = {
    "no bytes": lambda: b"",
    "white space": lambda: b" \r\n\t \n",
    "20 MB": lambda: GOOD + b"river " * 3_400_000,
    "NUL bytes": lambda: GOOD.replace(b"e", b"\0e"),
    "only NUL bytes": lambda: b"\0" * 1000,
    "control characters": lambda: GOOD.replace(b"river", b"ri\x01\x0b\x1f\x7fver"),
    "surrogates and U+FFFE as bytes": lambda: GOOD.replace(b"river", b"\xed\xa0\x80\xef\xbf\xbe\xef\xbf\xbf"),
    "surrogates and U+FFFE as references": lambda: GOOD.replace(b"river", b"&#xD800;&#xFFFE;&#0;&#1;&#x110000;"),
    "5,000 div deep": lambda: inside("<div>" * 5000),
    "5,000 div deep and closed": lambda: a_blog.page(9, "<div>" * 5000 + a_blog.article(9) + "</div>" * 5000),
    "5,000 b deep": lambda: inside("<b>" * 5000),
    "5,000 tables deep": lambda: inside("<table><tr><td>" * 5000),
    "5,000 lists deep": lambda: inside("<ul><li>deeper" * 5000),
    "70,000 paragraphs": lambda: inside("<p>word</p>" * 70_000),
    "100,000 cells": lambda: inside("<table>" + "<tr><td>1" * 50_000 + "</table>"),
    "100,000 comments": lambda: inside("word <!-- not --> " * 100_000),
    "a text of 5 MB": lambda: inside(f"<p>{'river stone ' * 420_000}</p>"),
    "a word of 5 MB": lambda: inside(f"<p>{'x' * 5_000_000}</p>"),
    "a title of 1 MB": lambda: GOOD.replace(b"Post 9", b"Post 9 " * 150_000),
    "attributes of 1 MB": lambda: inside(
        f"<p class='{'a ' * 500_000}'>x</p><a id='{'b' * 1_000_000}' href='{'c' * 1_000_000}'>y</a>"
    ),
    "thousands of classes": lambda: inside(f"<p class='{' '.join(f'x{chr(97 + n % 26)}y{n}' for n in range(9000))}'>z"),
    "11 MB of script": lambda: a_blog.page(9, head=f"<script>{'var x = 1; ' * 1_000_000}</script>"),
    "an entity bomb": lambda: laughs("html", GOOD.decode().replace("river", "&l11;")).encode(),
    "JSON-LD that goes 100,000 deep": lambda: a_blog.page(
        9, head=f"<script type=application/ld+json>{'[' * 100_000}</script>"
    ),
    "a PNG": lambda: b"\x89PNG\r\n\x1a\n" + NOISE,
    "a PDF": lambda: b"%PDF-1.4\n" + NOISE,
    "gzip": lambda: gzip.compress(GOOD),
    "JSON": lambda: json.dumps({"a": list(range(1000))}).encode(),
    "a doctype alone": lambda: b"<!doctype html>",
    "a comment alone": lambda: b"<!-- nothing -->",
    "a comment that never ends": lambda: GOOD.replace(b"<div class=entry>", b"<!--"),
    "a feed": a_blog.feed,
}


@pytest.fixture(params=BROKEN_PAGES)
def broken(request: pytest.FixtureRequest) -> bytes:
    return BROKEN_PAGES[request.param]()


def checked(outcome: Post | Skip) -> Post | Skip:
    """The outcome, if every text of it can be stored and shown."""
    if isinstance(outcome, Skip):
        assert outcome.reason
        return outcome
    texts = [outcome.title or "", outcome.text, outcome.html, outcome.summary or "", *outcome.authors, *outcome.tags]
    for text in texts:
        text.encode()
        assert "\0" not in text
    return outcome


def learned(feed: bytes, pages: dict[str, bytes]) -> Template | None:
    """What a feed and pages teach; None if they teach nothing and the error says what to do."""
    try:
        template = learn(feed, pages)
    except EverlogError as error:
        told = error
    else:
        told = None
    if told is not None:
        assert told.advice
        assert str(told).endswith(told.advice)
        return None
    checked(template.read(GOOD, URL))
    checked(Template.from_json(template.to_json()).read(GOOD, URL))
    return template


class TestReading:
    def test_any_page_gives_a_post_or_a_skip(self, template, broken):
        checked(template.read(broken, URL))

    @pytest.mark.parametrize("body", [b"", b" \n\t "])
    def test_a_page_without_anything_is_skipped_as_empty(self, template, body):
        assert template.read(body, URL) == Skip(url=URL, reason="the page is empty")

    def test_a_page_that_is_too_large_is_skipped_with_its_size(self, template):
        outcome = template.read(b"<p>" + b"x" * 20_000_000, URL)
        assert outcome == Skip(url=URL, reason="page too large: 20,000,003 bytes")

    def test_nul_bytes_are_left_out_of_the_text(self, template):
        assert template.read(GOOD.replace(b"e", b"\0e"), URL).text == a_blog.text(9)

    def test_entities_that_a_page_defines_are_not_expanded(self, template):
        outcome = template.read(laughs("html", GOOD.decode().replace("river", "&l11;")).encode(), URL)
        assert len(outcome.text) < 2 * len(a_blog.text(9))

    @pytest.mark.parametrize("address", ["", "no address", "http://[x", "http://a.blog:99999999/", "//", "x" * 100_000])
    def test_the_address_may_be_anything(self, template, address):
        outcome = template.read(a_blog.page(9, noise="<a href='other'>x</a> <a href='//[y'>z</a>"), address)
        assert outcome.text.startswith(a_blog.text(9))
        assert outcome.url == address

    @pytest.mark.parametrize("content_type", ["", ";;;", "text/html; charset=klingon", "charset", "image/png", "\0"])
    def test_the_content_type_may_be_anything(self, template, content_type):
        assert template.read(GOOD, URL, content_type).text == a_blog.text(9)


class TestCharsets:
    TEXT = "Съешь же ещё этих мягких французских булок, да выпей чаю"
    KANA = "いろはにほへと ちりぬるを わかよたれそ つねならむ"

    def page(self, text: str, charset: str | None = None) -> str:
        meta = f"<meta charset={charset}>" if charset else ""
        return a_blog.page(9, f"<p>{text}</p>", head=meta).decode()

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
    def test_utf_16_is_read_with_and_without_its_mark(self, template, encoding):
        assert template.read(GOOD.decode().encode(encoding), URL).text == a_blog.text(9)

    @pytest.mark.parametrize(("text", "charset"), [(TEXT, "windows-1251"), (TEXT, "koi8-r"), (KANA, "shift_jis")])
    def test_a_declared_charset_is_believed(self, template, text, charset):
        assert template.read(self.page(text, charset).encode(charset), URL).text == text

    @pytest.mark.parametrize(("text", "charset"), [(TEXT, "windows-1251"), (KANA, "shift_jis")])
    def test_a_charset_of_the_content_type_is_believed(self, template, text, charset):
        outcome = template.read(self.page(text).encode(charset), URL, f"text/html; charset={charset}")
        assert outcome.text == text

    @pytest.mark.parametrize(("text", "charset"), [(TEXT, "windows-1251"), (KANA, "shift_jis")])
    def test_an_undeclared_charset_still_gives_a_post(self, template, text, charset):
        assert isinstance(checked(template.read(self.page(text).encode(charset), URL)), Post)

    def test_utf_8_is_recognised_whatever_the_page_declares(self, template):
        assert template.read(self.page(self.TEXT, "iso-8859-1").encode(), URL).text == self.TEXT

    def test_a_broken_byte_in_utf_8_costs_only_itself(self, template):
        body = self.page(self.TEXT, "utf-8").encode().replace("чаю".encode(), b"\xd1 " + "чаю".encode())
        assert template.read(body, URL).text == self.TEXT.replace("чаю", "\ufffd чаю")


class TestLearning:
    def test_one_bad_page_does_not_spoil_the_others(self, broken):
        template = learned(a_blog.feed(), {**a_blog.pages([1, 2, 3, 4]), a_blog.url(5): broken})
        assert template is not None
        assert template.read(GOOD, URL).text == a_blog.text(9)

    @pytest.mark.parametrize("kind", [kind for kind in BROKEN_PAGES if "100,000" not in kind and "MB" not in kind])
    def test_bad_pages_alone_teach_something_or_say_what_to_do(self, kind):
        body = BROKEN_PAGES[kind]()
        learned(a_blog.feed(), {a_blog.url(number): body for number in a_blog.NUMBERS})

    @pytest.mark.parametrize("kind", [kind for kind in BROKEN_PAGES if "MB" not in kind])
    def test_bad_markup_in_one_entry_does_not_spoil_the_others(self, kind):
        markup = BROKEN_PAGES[kind]().decode("utf-8", "replace").replace("]]>", "")
        items = [*map(a_blog.item, (1, 2, 3, 4)), a_blog.item(5, markup)]
        template = learned(a_blog.rss(items), a_blog.pages())
        if template is not None:
            assert a_blog.text(9) in template.read(GOOD, URL).text

    def test_an_empty_feed_says_what_to_do(self):
        with pytest.raises(NothingToLearn, match="no entries") as caught:
            learn(a_blog.rss([]), {})
        assert "another feed" in str(caught.value)

    @pytest.mark.parametrize("body", [b"", b"  \n", b"\xef\xbb\xbf", b"\0\0\0"])
    def test_a_feed_of_no_bytes_says_what_to_do(self, body):
        with pytest.raises(UnreadableFeed, match=r"check|give"):
            learn(body, a_blog.pages())

    def test_html_in_place_of_a_feed_is_called_so(self):
        with pytest.raises(UnreadableFeed, match="HTML page, not a feed") as caught:
            learn(GOOD, a_blog.pages())
        assert "address of the feed" in str(caught.value)

    @pytest.mark.parametrize(
        "kind", ["a PNG", "a PDF", "gzip", "JSON", "a comment alone", "a doctype alone"]
    )
    def test_bytes_that_are_no_feed_say_what_to_do(self, kind):
        with pytest.raises(EverlogError) as caught:
            learn(BROKEN_PAGES[kind](), a_blog.pages())
        assert caught.value.advice

    def test_entries_without_pages_say_what_to_do(self):
        with pytest.raises(NothingToLearn, match="no page of the feed's 5 entries") as caught:
            learn(a_blog.feed(), {})
        assert "pass the pages" in str(caught.value)

    def test_some_missing_pages_are_done_without(self):
        template = learn(a_blog.feed(), a_blog.pages([2, 4]))
        assert template.learned_from == 2
        assert template.read(GOOD, URL).text == a_blog.text(9)

    def test_one_entry_is_enough(self):
        template = learn(a_blog.feed([1]), a_blog.pages([1]))
        assert template.read(GOOD, URL).text == a_blog.text(9)

    def test_entries_without_links_texts_or_titles_are_done_without(self):
        items = ["<item/>", "<item><title/></item>", "<item><link/></item>", *map(a_blog.item, (1, 2, 3))]
        assert learned(a_blog.rss(items), a_blog.pages()) is not None

    def test_entities_that_a_feed_defines_are_not_expanded(self):
        body = laughs("rss", a_blog.feed().decode().split("?>", 1)[1].replace("A Blog", "&l11;")).encode()
        assert learned(body, a_blog.pages()) is not None

    def test_a_feed_that_reads_a_file_by_entity_does_not(self, tmp_path):
        secret = tmp_path / "secret"
        secret.write_text("hidden words")
        kind = f'<!DOCTYPE rss [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
        body = kind + a_blog.feed().decode().split("?>", 1)[1].replace("Post 1 of ours", "&x;")
        template = learned(body.encode(), a_blog.pages())
        assert template is None or "hidden" not in template.to_json()

    @pytest.mark.parametrize("depth", [5000, 100_000])
    def test_a_feed_that_nests_without_end_is_bounded(self, depth):
        learned(a_blog.rss(["<x>" * depth, a_blog.item(1)]), a_blog.pages())
        learned(a_blog.rss([a_blog.item(1), "<x>" * depth + "</x>" * depth, a_blog.item(2)]), a_blog.pages())

    @pytest.mark.slow
    def test_more_entries_than_anyone_reads_are_bounded(self):
        items = (f"<item><title>{n}</title><link>{a_blog.url(n)}</link></item>" for n in range(30_000))
        learned(a_blog.rss(items), a_blog.pages())

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
    def test_a_feed_and_pages_in_utf_16_teach_as_well(self, encoding):
        pages = {address: body.decode().encode(encoding) for address, body in a_blog.pages().items()}
        feed = a_blog.feed().decode().replace("utf-8", "utf-16").encode(encoding)
        assert learn(feed, pages).read(GOOD, URL).text == a_blog.text(9)


JUNK = [
    b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"&#xD800;", b"&#1;", b"<", b">", b"&", b'"', b"'", b"<!--", b"]]>",
    b"<![CDATA[", b"<svg>", b"<o:p>", b"<a.b>", b"<x[y]>", b"<table>", b"<plaintext>", b"<base href='//['>",
    b"<div id='>'>", b"<div class='a>b @ # . ['>", b"<div class=\"o'q\" id=\"p'\">", b"<?php ?>", b"<frameset>",
    b"</body>", b"<title>", b"<div itemprop=articleBody>", b"<time datetime='99999-99-99'>", b"<a rel=tag href='//[x'>",
]  # fmt: skip
step = st.tuples(st.integers(0, 10_000), st.integers(1, 400), st.sampled_from(["drop", "twice", "move", "junk"]))
changes = st.lists(st.tuples(step, st.sampled_from(JUNK), st.integers(0, 10_000)), min_size=1, max_size=6)


def mutated(body: bytes, steps: list[tuple[tuple[int, int, str], bytes, int]]) -> bytes:
    for (start, length, what), junk, target in steps:
        at, to = start % (len(body) + 1), target % (len(body) + 1)
        piece = body[at:at + length]
        rest = body[:at] + body[at + length:]
        body = {
            "drop": rest,
            "twice": body[:at] + piece + body[at:],
            "move": rest[:to] + piece + rest[to:],
            "junk": body[:at] + junk + body[at:],
        }[what]
    return body


few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class TestAnything:
    @few
    @given(body=st.binary(max_size=2000))
    def test_random_bytes_are_a_page(self, template, body):
        checked(template.read(body, URL))

    @few
    @given(body=st.binary(max_size=2000))
    def test_random_bytes_are_no_feed(self, body):
        learned(body, a_blog.pages([1]))

    @few
    @given(steps=changes)
    def test_a_page_cut_doubled_and_shuffled_is_a_page(self, template, steps):
        checked(template.read(mutated(GOOD, steps), URL))

    @few
    @given(steps=changes)
    def test_a_feed_cut_doubled_and_shuffled_teaches_or_says_what_to_do(self, steps):
        learned(mutated(a_blog.feed([1, 2, 3]), steps), a_blog.pages([1, 2, 3]))


MEASURED = """
import sys
sys.path.insert(0, {tests!r})
import a_blog, everlog
def big(n):
    return a_blog.article(n, {paragraphs})
pages = {{a_blog.url(n): a_blog.page(n, big(n)) for n in range(1, 11)}}
everlog.learn(a_blog.rss(a_blog.item(n, big(n)) for n in range(1, 11)), pages)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.slow
# Not getrusage: its peak begins with that of the process that started this one.
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a process by itself")
def test_learning_from_ten_large_pages_stays_within_300_megabytes(request):
    script = MEASURED.format(tests=str(request.path.parent), paragraphs=2_500)  # ten times 0.5 MB
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, timeout=300)
    assert int(done.stdout) < 300_000
