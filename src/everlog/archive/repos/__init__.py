"""Repositories of an archive: one module per kind of row, each with its own SQL. Begin with `posts`."""
