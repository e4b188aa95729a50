"""Blogs without a feed: their posts are recognised among their pages, and taught from.

    explorer    which pages to look at
    recognise   which of them are posts
    titles      what these are called
    making      the feed they would have: from here on a blog is learned like any other
    alone       a single page, of which nothing is known
"""

from everlog.feedless.alone import read_page
from everlog.feedless.explorer import Explorer
from everlog.feedless.making import Learned, learn_explored, made_up_feed, own_addresses
from everlog.feedless.recognise import Explored, recognise

__all__ = [
    "Explored", "Explorer", "Learned", "learn_explored", "made_up_feed", "own_addresses", "read_page", "recognise",
]
