"""What happens to a blog. `crawl/crawl_blog` tells the story, top to bottom: begin there.

    discover/     an address -> home page, feed, and which addresses are the blog's own (`blog_scope`)
    learn/        feed and pages -> what is learned of the blog (`learned_blog`), again after a redesign
    crawl/        visits URL after URL (`crawl_loop`), with all that a crawl shares (`crawl_context`)
    page/         what is done with one page (`pipeline`): read, comments, media, store
    update/       what is new, changed or gone since the last crawl (`update_blog`)
    watch/        feeds polled as they fall due (`watch_loop`)
    runner        crawls and watches from outside an event loop; `child` the process behind `everlog.crawl`
    sessions      the web as the crawl of one blog may ask it; `rate_limiter` the turns of a fleet
    inspection    what a crawl would find, nothing written
    reread        every stored page read again, no request made
"""
