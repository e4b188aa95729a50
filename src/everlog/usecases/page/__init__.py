"""The pipeline of one page: fetched, rendered where needed, read, its comments gathered, stored.

Begin with `pipeline`.
"""
