"""What happens to a blog, in order; `archiving` tells the story.

    discover    an address -> home page and feed
    known       feed and pages -> what is known about the blog
    archiving   NewCrawl and UpdateCrawl
    crawl       visits URL after URL, in the order of `queue`
    steps       what is done with a page: read, media, store
    crew        what the steps share
    rereading   every stored page read again, no request made
    looking     what a crawl would find, nothing written
    running     crawls from outside an event loop
    report      the figures of a crawl
"""
