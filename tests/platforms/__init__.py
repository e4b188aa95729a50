"""Real WordPress, Ghost and pywb on loopback: each site in a temporary folder, on a port and in processes of its own.

    with wordpress.site(wordpress.Options(permalinks=wordpress.PLAIN)) as blog:
        blog.change([post("First", key="first"), comment("first", "Well said.")])
        everlog.crawl(blog.url, ...)
        assert len(blog.requests()) < 10
        assert {post.link for post in blog.truth().posts if post.visible} == ...

`scripts/install-platform-parts` installs them, once for all checkouts; `needs("wordpress")` marks tests that are left
out where it could not.

- `content`   changes of a blog (new posts, edits, deletions, comments), and made-up years of them
- `serving`   a web server in a group of processes, and the log of what it was asked
- `wordpress` PHP's web server, WordPress and SQLite; `php/` has what runs inside of it
- `ghost`     Node.js, Ghost and SQLite; `node/` has what runs inside of it
- `web_archive` pywb with the captures of some WARC files: a Memento server with a CDX interface
"""
