"""Blogs without a feed: their posts are recognised among their pages, and taught from.

    explorer          which pages to look at; begin here
    recognise         which of them are posts
    feedless_titles   what these are called
    made_feed         the feed they would have: from here on a blog is learned like any other
    single_page       a single page, of which nothing is known
"""

from everlog.extract.feedless.explorer import Explorer
from everlog.extract.feedless.made_feed import Learned, learn_explored, made_up_feed, own_addresses
from everlog.extract.feedless.recognise import Explored, recognise
from everlog.extract.feedless.single_page import read_page

__all__ = [
    "Explored", "Explorer", "Learned", "learn_explored", "made_up_feed", "own_addresses", "read_page", "recognise",
]
