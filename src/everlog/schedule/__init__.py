"""Keeping blogs current: when each feed is asked again, and what its answers mean. Pure: the clock is passed in."""
