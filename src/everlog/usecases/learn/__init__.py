"""Learning during a crawl: a blog found is learned, learned again after a redesign, and remembered.

Begin with `learned_blog`, which is what an archive keeps of it.
"""
