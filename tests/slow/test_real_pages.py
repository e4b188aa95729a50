"""What holds on generated pages holds on the pages of real blogs too."""

from __future__ import annotations

import everlog
from everlog.core.layout import Vocabulary
from everlog.core.selectors import Finder, xpath
from everlog.core.tree import parse
from everlog.extract.article.feed_text import target_of
from everlog.extract.extractors.blogforever import best_node, rule_of
from everlog.extract.template import Template
from everlog.feeds import parse_feed

# Algorithm 1 is quadratic: larger pages take it minutes.
LARGEST_PAGE = 40_000


def first_pairs(blog, count=2):
    """Pages of a blog's feed with the feed's text, the smallest pages first."""
    feed = parse_feed(blog.feed(), blog.feed_url)
    pages = [(entry, page) for entry in feed.entries for page in blog.linked_pages([entry.link]).values()]
    small = sorted((pair for pair in pages if len(pair[1]) <= LARGEST_PAGE), key=lambda pair: len(pair[1]))
    return [(parse(page), target_of(entry, Vocabulary()).text) for entry, page in small[:count]]


def test_both_algorithms_choose_the_same_node_on_the_pages_of_every_blog(blogs):
    import reference

    compared = 0
    for blog in blogs:
        for root, target in first_pairs(blog):
            naive = reference.best_of_page(root, [target])
            chosen = best_node(root, target)
            assert chosen is (naive and naive[1]), blog.id
            assert chosen is None or rule_of(chosen), blog.id
            compared += 1
    assert compared >= 2 * 3


def learned(blog):
    feed = parse_feed(blog.feed(), blog.feed_url)
    pages = blog.linked_pages(entry.link for entry in feed.entries)
    return everlog.learn(blog.feed(), pages, feed_url=blog.feed_url), pages


def test_a_template_reads_the_same_posts_after_a_round_trip_through_json(blogs):
    for blog in blogs:
        template, pages = learned(blog)
        again = Template.from_json(template.to_json())
        for url, page in list(pages.items())[:3]:
            assert again.read(page, url) == template.read(page, url), blog.id


def test_every_selector_of_a_template_is_the_xpath_it_is_shown_as(blogs):
    for blog in blogs:
        template, pages = learned(blog)
        root = parse(next(iter(pages.values())))
        selectors = [s for design in template.designs for s in design.selectors()]
        found = Finder(selectors).find(root)
        for selector in selectors:
            shown = root.xpath(xpath(selector))
            if ".[" in selector:
                # An XPath can ask for all names of a list, not for no others.
                shown = [element for element in shown if element in found[selector]]
            assert found[selector] == shown, (blog.id, selector)


def test_learning_does_not_depend_on_the_order_of_the_pages(blogs):
    for blog in blogs[:10]:
        template, pages = learned(blog)
        again = everlog.learn(blog.feed(), dict(reversed(pages.items())), feed_url=blog.feed_url)
        assert again.to_json() == template.to_json(), blog.id
