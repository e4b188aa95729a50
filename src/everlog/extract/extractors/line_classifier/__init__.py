"""The statistical extractor: articles of pages without a feed, told by the lines of the page alone."""

from __future__ import annotations

from everlog.extract.extractors.line_classifier.extraction import Extracted, extract, find_article, pick, why_nothing

__all__ = ["Extracted", "extract", "find_article", "pick", "why_nothing"]
