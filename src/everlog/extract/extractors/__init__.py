"""Extractors: the ways to find an article, behind the one interface of `extractor`.

Begin with `extractor` (a rule goes in, a pick comes out): its table has a line for each, and an extractor is a module
or folder here. `extractor_selection` says which of them reads a blog.
"""
