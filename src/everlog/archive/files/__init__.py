"""Files of an archive: WARC files and media, in a folder, on a shared disk or in an object store.

Begin with `file_store`, which says what every kind of place can do; `warc_writer` makes records and appends them,
`warc_reader` reads them back.
"""
