"""Writing to an archive: WARC records appended, synced, and named by one transaction.

Begin with `record_batch`; `batch_writer` is the thread that gathers visits into batches.
"""
