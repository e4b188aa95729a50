"""Ghost's content interface as a history source.

    ghost_content   the source: where the interface is, and its key
    ghost_walk      walks over all posts, over what changed, over the addresses
    ghost_list      one list of the interface, walked to its end
    ghost_rows      requests, and what posts their rows become
"""
