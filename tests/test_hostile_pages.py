"""Pages and feeds that once broke reading or learning, or took them minutes."""

from __future__ import annotations

import signal

import pytest

import a_blog
from everlog import Skip, learn
from everlog.comments.threads import threaded
from everlog.core.tree import parse
from everlog.errors import NothingToLearn
from everlog.feeds import parse_feed
from everlog.feeds.discover import MOST_LOOKED_AT, feed_links
from everlog.feeds.sitemaps import parse_sitemap
from everlog.records import Comment

URL = a_blog.url(9)
# No test measures time; one that takes this long hangs.
HANGING_SECONDS = 300
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40


@pytest.fixture(autouse=True)
def _no_hang():
    def ring(_number, _frame):
        raise TimeoutError(f"still busy after {HANGING_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(HANGING_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def replaced(old: bytes, new: bytes) -> dict[str, bytes]:
    return {url: page.replace(old, new) for url, page in a_blog.pages().items()}


def test_a_page_without_a_word_among_those_of_an_excerpt_feed_teaches_nothing_and_breaks_nothing():
    pages = {**a_blog.pages([1, 2, 3]), a_blog.url(4): b"<html><body></body></html>"}
    assert learn(a_blog.excerpts(), pages).learned_from == 4


@pytest.mark.parametrize("link", ["a\x01b", "a&#1;b", "a&#x1f;b"])
def test_a_link_with_a_control_character_is_kept_without_it(template, link):
    post = template.read(a_blog.page(9, f"<p><a href='{link}'>x</a></p>" + a_blog.article(9)), URL)
    assert 'href="https://a.blog/' in post.html.replace("http://", "https://") or "ab" in post.html


def test_an_address_with_a_control_character_breaks_nothing(template):
    assert template.read(a_blog.page(9, "<a href='b'>x</a>" + a_blog.article(9)), "https://a.blog/x\x01/").text


@pytest.mark.parametrize("markup", [b"<d\x01v>", b"<div id='a\x01b'>"])
def test_control_characters_in_names_break_no_rule(markup):
    pages = replaced(b"<div class=entry>", markup)
    assert learn(a_blog.feed(), pages).learned_from == len(pages)


def test_a_text_that_ends_in_a_hundred_dots_is_looked_at_once():
    items = (a_blog.item(n, a_blog.article(n) + "." * 100 + " b c d e f g") for n in a_blog.NUMBERS)
    assert learn(a_blog.rss(items), a_blog.pages()).designs


def test_a_million_numbers_in_the_linked_data_are_passed_over(template):
    numbers = "<script type=application/ld+json>[" + "1," * 1_000_000 + "1]</script>"
    assert template.read(a_blog.page(9, head=numbers), URL).text


def test_scripts_between_seventy_thousand_pieces_of_text_are_taken_out_in_one_go(template):
    assert template.read(a_blog.page(9, "<script></script>some words " * 70_000), URL).text.startswith("some words")


def test_a_tag_of_300_000_attributes_loses_all_but_the_first_of_them(template):
    attributes = " ".join(f"a{n}='>'" for n in range(300_000))
    assert template.read(a_blog.page(9, f"<p {attributes}>x</p>" + a_blog.article(9)), URL).text.endswith("9.")


@pytest.mark.parametrize("tag", ["item", "link"])
def test_a_feed_whose_tag_has_200_000_attributes_is_read(tag):
    attributes = " ".join(f"a{n}='1'" for n in range(200_000))
    body = a_blog.feed().replace(f"<{tag}>".encode(), f"<{tag} {attributes}>".encode(), 2)
    assert len(parse_feed(body).entries) == len(a_blog.NUMBERS)


@pytest.mark.parametrize("markup", ["<p>x", "<br>", "<i></i>", "<li>", "<option>"])
def test_a_page_of_too_many_tags_is_skipped_with_the_reason(template, markup):
    skip = Skip(url=URL, reason="too many tags in one page: more than 150,000")
    assert template.read(a_blog.page(9, markup * 160_000), URL) == skip


def test_the_start_of_an_entry_of_too_many_tags_is_used():
    items = (a_blog.item(n, a_blog.article(n) + "<b></b>" * 300_000 * (n == 1)) for n in a_blog.NUMBERS)
    assert learn(a_blog.rss(items), a_blog.pages()).learned_from == len(a_blog.NUMBERS)


def test_pages_that_are_too_large_to_learn_from_are_left_to_the_others():
    pages = a_blog.pages() | {a_blog.url(n): a_blog.page(n, "<br>" * 200_000) for n in (1, 2)}
    assert learn(a_blog.feed(), pages).learned_from == len(a_blog.NUMBERS) - 2


@pytest.mark.slow
def test_a_feed_of_too_many_tags_is_cut_and_says_so():
    body = a_blog.feed().replace(b"</channel>", b"<a/>" * 1_000_000 + b"</channel>")
    feed = parse_feed(body)
    assert len(feed.entries) == len(a_blog.NUMBERS)
    assert "more than 1,000,000 tags; the rest was not read" in feed.problem


def test_a_sitemap_of_too_many_tags_is_cut_and_says_so():
    listed = b"<url><loc>https://a.blog/1</loc></url>"
    sitemap = parse_sitemap(b"<urlset>" + listed + b"<a/>" * 2_000_000 + b"</urlset>")
    assert [url for url, _ in sitemap.urls] == ["https://a.blog/1"]
    assert sitemap.problem == "truncated after 2,000,000 tags"


def test_of_thousands_of_links_to_feeds_the_first_are_looked_at():
    page = parse("".join(f"<a href='{URL}/x{n}/feed/'>feed</a>" for n in range(20_000)).encode())
    assert sum(link.declared for link in feed_links(page, URL)) == MOST_LOOKED_AT


@pytest.mark.parametrize(
    "thread",
    [
        "".join(f"<li class=comment id=comment-{n}><b class=fn>A</b><p>No {n}.</p></li>" for n in range(5_100)),
        '<script type="application/ld+json">{"@type": "BlogPosting", "comment": ['
        + ",".join(f'{{"@type": "Comment", "text": "No {n}."}}' for n in range(5_100)) + "]}</script>",
    ],
)
def test_of_more_comments_than_are_read_all_are_counted(template, thread):
    post = template.read(a_blog.page(9, after=f"<div class=comments><ol>{thread}</ol></div>"), URL)
    assert (len(post.comments), post.comment_count_claimed, post.comments_state) == (5_000, 5_100, "partial")
    assert (post.comments[0].text, post.comments[-1].text) == ("No 0.", "No 4999.")


def test_answered_comments_that_all_say_the_same_have_names_of_their_own():
    comments = [Comment(text="x")] * 40_000
    answered = threaded(comments, [n - 1 if n % 2 else None for n in range(40_000)], [None] * 40_000)
    names = {comment.id for comment in answered if comment.id is not None}
    assert len(names) == 20_000
    assert max(map(len, names)) < 30


@pytest.mark.slow
def test_thousands_of_siblings_cost_no_more_than_their_number():
    many = "<p><a href=x>xy</a></p>" * 5_000
    pages = {a_blog.url(n): a_blog.page(n, many + a_blog.article(n)) for n in a_blog.NUMBERS}
    with pytest.raises(NothingToLearn, match="shows the text of its feed entry"):
        learn(a_blog.feed(), pages)


def test_a_post_of_one_picture_has_no_text_and_its_picture(template):
    post = template.read(a_blog.page(9, "<img src=/a.png alt=A>"), URL)
    assert post.text == ""
    assert "/a.png" in post.html
    assert post.html.isascii()


def test_pages_that_show_nothing_of_the_feed_teach_nothing():
    with pytest.raises(NothingToLearn, match="shows the text of its feed entry"):
        learn(a_blog.feed(), dict.fromkeys(map(a_blog.url, a_blog.NUMBERS), PICTURE))


@pytest.mark.parametrize("body", [PICTURE, b"%PDF-1.4\n" + PICTURE, b'{"a": [1, 2, 3]}', b"<p>Not found"])
def test_what_is_no_post_is_skipped_with_a_reason(template, body):
    outcome = template.read(body, URL)
    assert isinstance(outcome, Skip)
    assert outcome.reason


def test_half_a_surrogate_pair_in_linked_data_reaches_no_field():
    def page(number: int) -> bytes:
        described = f'{{"@type": "BlogPosting", "description": "\\ud800 about {number}"}}'
        return a_blog.page(number, head=f'<script type="application/ld+json">{described}</script>')

    post = learn(a_blog.feed(), {a_blog.url(n): page(n) for n in a_blog.NUMBERS}).read(page(9), URL)
    for text in (post.title, post.summary, *post.tags, *post.authors):
        assert text is None or text.encode()


@pytest.mark.slow
def test_confidence_is_never_more_than_certain():
    enormous = "<p>" + " ".join(a_blog.sentence(str(n), 1000) for n in range(500)) + "</p>"
    pages = {a_blog.url(n): a_blog.page(n, enormous) for n in (1, 2)}
    assert learn(a_blog.feed([1, 2], enormous), pages).designs[0].confidence <= 1
