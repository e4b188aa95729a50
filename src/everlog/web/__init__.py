"""The web server: an archive looked at in a browser. It only reads, and answers GET and HEAD alone.

    server           two ports in one process: `serve_archive`; begin here
    interface_app    the pages of everlog: blogs, their captured pages, the frame with the bar, posts as read
    post_list        the posts of a blog: filters, pages of the list, what happened lately
    post_page        a post: article, threads, versions and what changed, neighbours, Markdown, JSON
    search_results   what a search over all blogs found, and its filters
    month_charts     posts per month as the measures of small drawings
    replay_app       captured pages by themselves, on an origin of their own: mementos, TimeGate, TimeMap
    memento_finder   which capture an address and a time mean, redirects followed
    memento_content  what is sent of it: rewritten, or its bytes in pieces
    memento_protocol headers and lists of RFC 7089
    request_guard    who may ask: Host, methods, headers of every answer, the access log
    origins          the addresses of both ports, as the reader's browser has to know them

What strangers wrote stands on the replay port only, under `Content-Security-Policy: sandbox` without scripts. Nothing
is changed by any request and nobody is logged in, so there is nothing that a foreign page could make a browser do here:
`Origin` and `Sec-Fetch-Site` need no look.
"""
