"""Searching: how text is cut for an index, what a query means, and what of a text is shown.

Pure: the index itself is the archive's. Whatever database it is in, it is fed by `cards` and asked what
`asking` made of the user's words.
"""
