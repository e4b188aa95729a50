"""Which addresses and pages are posts of a blog.

    pattern        the addresses of posts as a regular expression
    signs          what the pages of posts have in common
    judge          both together: post, listing or page
    stated         what a page states about itself: whose copy it is, whether it may be kept
    listing_words  how blogs name their lists
"""

from everlog.posts.judge import PostJudge, Verdict
from everlog.posts.pattern import UrlPattern
from everlog.posts.stated import canonical_link, identity, noarchive

__all__ = ["PostJudge", "UrlPattern", "Verdict", "canonical_link", "identity", "noarchive"]
