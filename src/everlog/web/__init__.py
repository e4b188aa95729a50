"""The web server: an archive looked at in a browser. It only reads, and answers GET and HEAD alone.

    server           two ports in one process: `serve_archive`; begin here
    interface/       the pages of everlog: blogs, search, completeness, captured pages in their frame
    posts/           pages about one post: to read, what changed, comments
    workings/        how the archive came to be: rules, requests and waits, the fleet
    mementos/        captured pages by themselves, on an origin of their own
    feeds/           new posts and changes, for feed readers
    request_guard    who may ask: Host, methods, headers of every answer; `access_log` writes a line for each
    limited_app      what is expensive is limited: `client_limits` has prices, buckets and turns
    origins          the addresses of both ports, as the reader's browser has to know them

What strangers wrote stands on the replay port only, under `Content-Security-Policy: sandbox` without scripts. Nothing
is changed by any request and nobody is logged in, so there is nothing that a foreign page could make a browser do here:
`Origin` and `Sec-Fetch-Site` need no look. Nor can it read anything but what pages are shown with (`open_reading`),
unless the archive is for everybody.
"""
