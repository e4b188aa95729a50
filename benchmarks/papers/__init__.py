"""The experiments of the papers whose methods everlog uses; docs/internals/evaluation.md defines the figures.

Begin with the functions that give the tables: `measure_peers` (peers.py, extractors without a feed),
`measure_retrieval` (retrieval.py, what noise does to search; its parts are retrieval_*.py), `noise_table` and
`anchor_sweep` (noise.py), `telling_rows` (post_classifier.py). readers.py reads the blogs' posts for them. The scripts
of the same names, one folder up, are the command lines.
"""
