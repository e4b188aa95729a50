"""UpdateCrawl: what is new, changed or gone since the last crawl. Begin with `update_blog`."""
