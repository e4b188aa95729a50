"""How well everlog reads: a corpus of blogs with known posts, scored field by field.

corpus.py reads a folder of blogs, cut.py shortens their feeds, scoring.py compares a post with
the truth, run.py does it for many blogs at once, table.py prints, gate.py holds the floors.
The papers' experiments are in benchmarks/papers.
"""
