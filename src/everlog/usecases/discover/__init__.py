"""Discovery: from what a user typed to a blog's home, its feed and its scope. Begin with `discover_blog`."""
