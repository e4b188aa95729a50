"""What repeats across the pages of a blog is not content (DiffPost, with whole elements).

units.py takes a page apart and gives every piece a fingerprint (prints.py), counts.py remembers how many pages
bore which, cleaning.py says what is left of a page, choosing.py finds the article in that, and
comparison.py says which older posts a crawl needs as company for its new ones.
"""

from everlog.extract.extractors.diffpost.choosing import find_article
from everlog.extract.extractors.diffpost.comparison_posts import comparison_pages
from everlog.extract.extractors.diffpost.noise_removal import clean, clean_pages
from everlog.extract.extractors.diffpost.page_counts import RepeatCounts

__all__ = ["RepeatCounts", "clean", "clean_pages", "comparison_pages", "find_article"]
