"""Files of other programs, read: WARC (plain or compressed) and WACZ.

    open_files       what a file is, and the WARC parts in it
    warc_records     the records of a part in order, whatever is wrong with some of them; one of them again
    import_index     which captures there are, in a temporary database: memory stays flat, however large the files are
    file_fetcher     the captures as a web of their own, which a blog is learned from
    no_web           a web in which nothing is there
"""
