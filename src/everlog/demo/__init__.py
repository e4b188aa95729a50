"""A sample blog of everlog's own making, for trying things without internet.

    posts-*.txt    what it writes
    pieces         its posts: the truth that reading can be held against
    pictures       small pictures and sounds, made here
    designs        the pages of a post, in the blog's new and its old look
    *.css, *.svg   what these pages are shown with
    listings       everything that leads to posts: front page, tags, months, calendar
    feeds          what it says to programs: RSS, comments, sitemap, robots.txt
    site           all of it by path
    server         the site on loopback
"""
