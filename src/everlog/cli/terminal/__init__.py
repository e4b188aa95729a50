"""The terminal: texts, progress, tables and summaries as a person sees them. Nothing here changes an archive.

Begin with `text` (what strangers wrote cannot steer a terminal) and `crawl_progress`.
"""
