"""Classification: which addresses and pages are posts of a blog.

    url_pattern       the addresses of posts as a regular expression
    post_features     what the pages of posts have in common
    post_classifier   both together: post, listing or page; begin here
    page_statements   what a page states about itself: whose copy it is, whether it may be kept
    post_paging       posts that are split over pages, and pages of comments
    scripted          pages that are empty until their scripts run
"""

from everlog.extract.classify.page_statements import canonical_link, identity, noarchive
from everlog.extract.classify.post_classifier import PostClassifier, Verdict
from everlog.extract.classify.url_pattern import UrlPattern

__all__ = ["PostClassifier", "UrlPattern", "Verdict", "canonical_link", "identity", "noarchive"]
