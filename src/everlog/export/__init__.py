"""Posts on their way out: one module per format."""
