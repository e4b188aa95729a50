"""Writing to an archive: WARC records appended, synced, and named by one transaction.

From top to bottom: `batch_writer` has the thread that gathers visits and the order in which they are written,
`record_batch` the rows of the transaction, `version_decider` what becomes of posts. `writer_pool` has the files that
are open.
"""
