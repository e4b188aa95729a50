"""Feeds of the archive: new posts and changes, of a blog and of all, for feed readers.

    feed_routes    their addresses, what is in them, and what is not sent twice; begin here
    atom_feed      Atom as it is written (RFC 4287)
"""
