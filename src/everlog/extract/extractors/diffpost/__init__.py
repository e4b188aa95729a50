"""What repeats across the pages of a blog is not content (DiffPost, with whole elements).

units.py takes a page apart and gives every piece a fingerprint (fingerprints.py), page_counts.py counts how many
pages bore which, noise_removal.py says what is left of a page, choosing.py finds the article in that, and
comparison_posts.py says which older posts a crawl needs beside its new ones.
"""

from everlog.extract.extractors.diffpost.choosing import find_article, pick
from everlog.extract.extractors.diffpost.comparison_posts import comparison_pages
from everlog.extract.extractors.diffpost.noise_removal import clean, clean_pages
from everlog.extract.extractors.diffpost.page_counts import RepeatCounts

__all__ = ["RepeatCounts", "clean", "clean_pages", "comparison_pages", "find_article", "pick"]
