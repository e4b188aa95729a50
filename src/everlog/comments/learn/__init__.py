"""Learning how a blog shows its comments, from pages and the comment feeds of the same posts.

Begin with `comment_rules_learn`.
"""
