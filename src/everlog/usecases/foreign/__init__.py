"""Captures that others made: those of web archives, and those in WARC and WACZ files.

    take_captures    the one way in: captures of a blog into its archive, labelled, never in place of a live copy
    import_files     WARC and WACZ files of others, and the blogs in them
    admission        what of it is stored already

    crawl_and_backfill   a crawl with a web archive behind it: begin here for web archives
    backfill             posts, pictures (`restore_media`) and earlier versions that are gone from the web; where it
                         stands is kept (`backfill_state`), captures are judged before they are (`capture_judge`)
    dead_blog            a blog that is gone altogether
    archive_client       the requests to a web archive; `archived_web` its captures as a web to be fetched from
"""
