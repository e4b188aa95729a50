"""History of a blog, as its own interfaces tell it: walked, stored, and asked again at updates.

    walk_sources      which sources a blog has, and the walk over them: begin here
    store_told        what a source tells into the archive: posts, comments, inventories
    told_pages        the page of a post that was told, read as the check on it
    archive_walk      pages of months and years, where no interface tells
    sitemap_posts     posts that the sitemaps list: an inventory, and addresses to visit
    history_clues     what a source is recognised by

The sources themselves are pure: `everlog.history`. Updates through them: `usecases.update.update_history`.
"""
