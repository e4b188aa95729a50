"""What changed between two versions of a post, and whether a reading is a new version at all.

    alignment    what two sequences share
    wording      two texts in pieces, word by word
    marks        the links and pictures of an article
    comments     which comments are new, gone or edited
    comparison   all of it as `Changes`
    verdict      an edit, the same, or emptier than what is held
"""

from everlog.versions.comment_changes import CommentChanges, EditedComment
from everlog.versions.compare import Changes, FieldChange, compare
from everlog.versions.decide import Verdict, is_same_article, replaces
from everlog.versions.text_diff import Piece, TextChanges

__all__ = [
    "Changes", "CommentChanges", "EditedComment", "FieldChange", "Piece", "TextChanges", "Verdict", "compare",
    "is_same_article", "replaces",
]
