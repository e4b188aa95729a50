"""Key-paths as in Adaptive Post Recognition: where a blog's posts keep each field, learned from its feed.

    path       the model and its merging: |html|body|div[@id=post-*]|div[@class=body]
    find       the nodes of a path on a page
    match      the nodes of a feed's value on a page, by shrinking and growing
    locate     the values of one feed entry on its page, in dependence of each other
    template   the paths of a feed, and the one that tells posts from other pages
"""

from everlog.extract.extractors.keypath.find import first_with_text, pick
from everlog.extract.extractors.keypath.keypath_rules import KeyPaths, learn_paths
from everlog.extract.extractors.keypath.locate import PathSample
from everlog.extract.extractors.keypath.path import KeyPath

__all__ = ["KeyPath", "KeyPaths", "PathSample", "first_with_text", "learn_paths", "pick"]
