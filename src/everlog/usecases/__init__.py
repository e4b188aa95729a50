"""What happens to a blog, in order; `archiving` tells the story.

    discover    an address -> home page and feed
    exploring   an address -> home page and, if there is no feed, one made up from some pages
    known       feed and pages -> what is known about the blog
    archiving   NewCrawl and UpdateCrawl
    updating    what the feed says is new; `revisiting` the same without a feed, by `walking` back over lists
    comparing   what repeats on the pages of one crawl
    crawl       visits URL after URL, in the order of `queue`
    steps       what is done with a page: read, media, store
    crew        what the steps share
    rereading   every stored page read again, no request made; `relearning` the blog learned again
    looking     what a crawl would find, nothing written
    running     crawls from outside an event loop
    report      the figures of a crawl
"""
