"""HTML of articles and comments: what a reader sees of it, what is cut out, and what is safe to keep.

Begin with `cleaning`; `view` is a page with what it says about itself, `media` the pictures and files of an article.
"""
