"""Projection of the posts for looking at them: rows for lists, beside the versions and always as current as these.

    post_content        what of a post's record lists show and filters compare; pure
    project_posts       those rows, and the counts over them, written in the transaction that stores versions
    rebuild             all of them made anew from the versions, and compared with these
    summaries, filters  a post in a list; what a list is chosen by
    listing             lists of posts: filtered, in pages, neighbours, posts that link here
    overview            counts: months, days, tags, authors, languages and figures of blogs
    hiding              blogs and posts that are kept and not shown

Nothing here is kept that the versions do not say; `rebuild` could make it anew at any time. What is hidden is said by
people, and stands in tables of its own.
"""
