"""Dates of a post while a blog is learned: where they stand, what they mean, which place wins.

Begin with `date_selection`; `everlog.extract.fields.published_learn` calls it.
"""
