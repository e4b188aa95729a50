"""Captures that others made: those of web archives, and those in WARC and WACZ files.

    take_captures    the one way in: captures of a blog into its archive, labelled, never in place of a live copy
    import_files     WARC and WACZ files of others, and the blogs in them
    admission        what of it is stored already
"""
