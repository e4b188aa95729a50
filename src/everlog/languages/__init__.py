"""Languages of texts, told by common words first and by a model where those do not suffice. Begin with `detect`."""
