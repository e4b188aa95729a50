"""NewCrawl: a whole blog into the archive. Begin with `crawl_blog`, the story from top to bottom."""
