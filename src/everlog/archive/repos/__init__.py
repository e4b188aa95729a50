"""Repositories of an archive: a class for each kind of thing it holds, with its own SQL, declared once.

    blogs, urls, captures, posts, comments, events, search      what is held of blogs
    mementos                                                    captures by address and time, for replay
    polls, hosts, jobs, leases, workers                         how it is kept current, by one process or a fleet
    blog_state, archive_state, figures                          what is remembered, and counted, of blogs and archives
    post_parts, post_rechecks                                   what belongs to a post
    search_index, warc_index, job_rows                          rows that others write in their transactions

Begin with `posts`. An archive has each of them as an attribute (`archive/repositories.py`).
"""
