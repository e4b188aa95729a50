"""Tumblr's old interface, which lists a blog without a key.

    tumblr_read     the source: where it begins, and the walk
    tumblr_posts    the parts of each kind of post as HTML
"""
