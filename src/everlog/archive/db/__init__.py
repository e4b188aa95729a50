"""Databases of an archive: SQLite and PostgreSQL behind `Database`, the schema and its migrations.

Begin with `schema`; `revisions/` holds a script for each earlier schema.
"""
