"""Pages about one post.

    post_routes      which addresses they answer; begin here
    post_page        what the page of a post says
    reading_view     its article with pictures from the archive, and its comments in their threads
"""
