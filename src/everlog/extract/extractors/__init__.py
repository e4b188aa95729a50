"""Extractors: the ways to find an article, behind the one interface of `methods`.

Begin with `methods` (a rule goes in, a pick comes out); `extractor_selection` lets them compete on a blog's own pages.
"""
