"""Languages of texts, told by common words first and by a model where those do not suffice. Begin with `detect`.

`supported` is the one list of languages: a table of words elsewhere has languages of it, and a test says so.
"""
