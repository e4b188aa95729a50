"""Whether a blog's pages need a browser: what the feed says must stand on them."""

from __future__ import annotations

import a_blog
from everlog.extract.classify.scripted import needs_browser, share_shown
from everlog.records import Entry, Page

SHELL = b"<html><head><script src=app.js></script></head><body><div id=app></div></body></html>"


def entry(number, content=None):
    return Entry(link=a_blog.url(number), content=a_blog.article(number) if content is None else content)


def page(number, body=None):
    return Page(url=a_blog.url(number), body=a_blog.page(number) if body is None else body)


def test_a_page_that_shows_what_the_feed_says_needs_no_browser():
    assert share_shown(entry(1), page(1)) == 1.0
    assert not needs_browser([(entry(number), page(number)) for number in a_blog.NUMBERS])


def test_an_excerpt_is_enough_to_tell():
    said = entry(1, a_blog.sentence("1/0", 12) + " [...]")
    assert not needs_browser([(said, page(1))])
    assert needs_browser([(said, page(1, SHELL))])


def test_pages_that_are_written_by_a_script_need_one():
    assert needs_browser([(entry(number), page(number, SHELL)) for number in a_blog.NUMBERS])


def test_text_that_only_a_script_holds_is_not_on_the_page():
    body = b"<html><body><div id=app></div><script>var post = '" + a_blog.text(1).encode() + b"'</script></body></html>"
    assert needs_browser([(entry(1), page(1, body))])


def test_one_odd_page_does_not_decide_for_the_blog():
    pairs = [(entry(number), page(number)) for number in a_blog.NUMBERS]
    assert not needs_browser([(entry(9), page(9, SHELL)), *pairs])


def test_text_that_a_click_would_show_is_on_the_page():
    body = f"<html><body><div style='display:none'>{a_blog.article(1)}</div></body></html>".encode()
    assert not needs_browser([(entry(1), page(1, body))])


def test_a_feed_of_titles_says_too_little_unless_the_page_is_a_shell():
    assert not needs_browser([(entry(1, ""), page(1))])
    assert needs_browser([(entry(1, ""), page(1, SHELL))])


def test_a_feed_without_entries_and_pages_that_are_none_ask_for_nothing():
    assert not needs_browser([])
    assert not needs_browser([(entry(1), page(1, b""))])
