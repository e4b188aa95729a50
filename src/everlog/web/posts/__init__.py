"""Pages about one post.

    post_routes      which addresses they answer; begin here
    post_page        what the page of a post says
    reading_view     its article with pictures from the archive, and what its comments say
    article_markup   markup of strangers in good order: ids, footnotes, headings, lists, tables
    embeds           where films and maps of other sites stood
    comment_parts    comments in threads, and threads in parts
    version_diff     two versions side by side
    record_file      the WARC record of a capture
"""
