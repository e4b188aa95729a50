"""everlog learns a blog from its feed and reads every post of it."""
