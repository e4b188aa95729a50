"""Fields of a post beside its article, `*_learn` and `*_read` of each side by side.

To change how a field is found, read its two modules; a rule that one writes is read by the other. Begin with
`title_learn` and `title_read`; `small_texts_*` are the short texts that title, authors and tags are looked for in.
"""
