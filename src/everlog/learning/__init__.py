"""Learning a blog from its feed."""
