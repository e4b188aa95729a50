"""Copying one archive into another, whatever databases and files the two have. Begin with `copy_archive`."""
