"""Comments of a post: read from feeds and from pages, known or learned; everything here is pure."""
