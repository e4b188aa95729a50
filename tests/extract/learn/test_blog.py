from __future__ import annotations

import pytest

import a_blog
from everlog import learn
from everlog.errors import NothingToLearn, UnreadableFeed

ADDRESS = a_blog.url(9)


def spelled(spelling: str) -> dict[str, bytes]:
    return {spelling.format(number): a_blog.page(number) for number in a_blog.NUMBERS}


@pytest.mark.parametrize(
    "spelling",
    [
        "https://a.blog/{}", "http://a.blog/{}", "https://a.blog/{}/", "https://www.a.blog/{}",
        "https://a.blog/{}?utm_source=rss", "https://a.blog/{}#more", "https://A.BLOG/{}", "https://a.blog:443/{}",
    ],
)
def test_pages_are_found_under_any_spelling_of_the_feeds_links(spelling):
    template = learn(a_blog.feed(), spelled(spelling))
    assert template.learned_from == 5
    assert template.read(a_blog.page(9), ADDRESS).text == a_blog.text(9)


def test_links_may_be_relative_to_the_feed():
    feed = a_blog.rss(a_blog.item(n, link=f"/{n}") for n in a_blog.NUMBERS)
    assert learn(feed, a_blog.pages(), "https://a.blog/feed.xml").learned_from == 5


def test_percent_encoding_does_not_matter():
    feed = a_blog.rss(a_blog.item(n, link=f"https://a.blog/caf%c3%a9-{n}") for n in a_blog.NUMBERS)
    assert learn(feed, spelled("https://a.blog/café-{}")).learned_from == 5


def test_pages_of_no_entry_are_not_learned_from():
    assert learn(a_blog.feed([1, 2, 3]), a_blog.pages(range(1, 9))).learned_from == 3


def test_an_entry_that_stands_twice_in_the_feed_counts_once():
    items = [*map(a_blog.item, a_blog.NUMBERS), a_blog.item(1), a_blog.item(1, link=a_blog.url(1) + "?utm_source=x")]
    assert learn(a_blog.rss(items), a_blog.pages()).learned_from == 5


def test_a_long_feed_is_learned_from_its_newest_entries():
    numbers = range(1, 29)
    assert learn(a_blog.feed(numbers), a_blog.pages(numbers)).learned_from == 15


def test_a_template_knows_its_blog_and_feed():
    template = learn(a_blog.feed(), a_blog.pages(), "https://a.blog/feed.xml")
    assert (template.home, template.feed_url) == (a_blog.HOME, "https://a.blog/feed.xml")


def test_learning_twice_gives_the_same_template():
    assert learn(a_blog.feed(), a_blog.pages()).to_json() == learn(a_blog.feed(), a_blog.pages()).to_json()


def test_the_order_of_the_pages_does_not_matter():
    backwards = dict(reversed(a_blog.pages().items()))
    assert learn(a_blog.feed(), backwards) == learn(a_blog.feed(), a_blog.pages())


def test_fall_backs_are_kept_with_the_best_rule_first():
    template = learn(a_blog.feed(), a_blog.pages())
    scores = [design.confidence for design in template.designs]
    assert len(scores) > 1
    assert scores[0] == max(scores)


@pytest.mark.parametrize(
    ("feed", "pages", "error", "text", "advice"),
    [
        (b"", {}, UnreadableFeed, "is empty, not a feed", "check the address of the feed"),
        (a_blog.page(1), {}, UnreadableFeed, "is an HTML page", "pass the address of the feed"),
        (b"hello", {}, UnreadableFeed, "is not a feed", "pass the address of an RSS, Atom or JSON feed"),
        (a_blog.rss([]), {}, NothingToLearn, "the feed has no entries", "look for another feed"),
        (a_blog.feed(), {}, NothingToLearn, "no page of the feed's 5 entries can be read", "pass the pages"),
        (a_blog.feed([1]), {a_blog.url(1): b" "}, NothingToLearn, "no page of the feed's 1 entries", "pass the pages"),
        (a_blog.feed([1]), {a_blog.url(2): a_blog.page(2)}, NothingToLearn, "no page of the feed's", "pass the pages"),
    ],
    ids=["no bytes", "html", "words", "no entries", "no pages", "empty pages", "other pages"],
)
def test_errors_say_what_is_wrong_and_what_to_do(feed, pages, error, text, advice):
    with pytest.raises(error) as caught:
        learn(feed, pages)
    assert text in caught.value.message
    assert caught.value.advice.startswith(advice)
    assert str(caught.value) == f"{caught.value.message}\n  {caught.value.advice}"
    assert caught.value.exit_code == 4
