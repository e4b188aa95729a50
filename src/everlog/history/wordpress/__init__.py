"""WordPress as a history source, in three ways.

    wordpress_rest     its REST interface: begin here
    wordpress_walk     the walk over a whole blog by it
    wordpress_changes  what changed since, and the list of all posts
    wordpress_rows     rows of the interface, as posts and comments
    wordpress_com      the interface for blogs that WordPress.com hosts
    wordpress_feed     the pages of a blog's feed, where the interface is switched off
"""
