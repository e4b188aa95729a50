"""Searching: how text is cut into tokens for an index, what a query means, and what of a text is shown.

    tokenize    text to tokens
    query       what the user's words ask for
    document    what an index is fed of a post
    snippets    the part of a text that is shown
    hit         a post that was found

Pure: the index itself is the archive's. Whatever database it is in, it is fed by `document` and asked what
`query` made of the user's words.
"""
