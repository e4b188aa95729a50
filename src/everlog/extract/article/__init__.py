"""The article of a page: found, cut, and checked against other methods.

Names end in `_learn` for what works on the feed's pages and in `_read` for what works on any page.
Begin with `designs` (learning) and `article_read` (reading).
"""
