"""Web archives: what the protocols of Memento (RFC 7089) and CDX say of pages that were captured once. Pure.

    web_archive       where an archive is asked, and which of the kinds of interface it has: begin here
    memento_lines     its answers: lists of captures as CDX, CDXJ, JSON or a TimeMap
    capture_walk      the requests that list the captures of a blog, one page of the list behind the other
    capture_choice    which of them are worth a request
    memento_answer    a capture as the answer that the blog's own server gave then

Whoever has a fetcher asks: `everlog.usecases.foreign`.
"""

# What a web archive lists of a blog is kept under this name: the word of nobody, but a trace of posts that were.
WEB_ARCHIVE = "web archive"
