"""Key-paths as in Adaptive Post Recognition: where a blog's posts keep each field, learned from its feed.

    path       the model and its merging: |html|body|div[@id=post-*]|div[@class=body]
    find       the nodes of a path on a page
    match      the nodes of a feed's value on a page, by shrinking and growing
    locate     the values of one feed entry on its page, in dependence of each other
    template   the paths of a feed, and the one that tells posts from other pages
"""

from everlog.extract.extractors.keypath.find import find_all, first_with_text, pick, too_general
from everlog.extract.extractors.keypath.keypath_rules import KeyPaths, learn_paths
from everlog.extract.extractors.keypath.locate import PathSample
from everlog.extract.extractors.keypath.match import Match, TextIndex, match_text, resolve
from everlog.extract.extractors.keypath.path import KeyPath, Step, merge, path_to

__all__ = [
    "KeyPath",
    "KeyPaths",
    "Match",
    "PathSample",
    "Step",
    "TextIndex",
    "find_all",
    "first_with_text",
    "learn_paths",
    "match_text",
    "merge",
    "path_to",
    "pick",
    "resolve",
    "too_general",
]
