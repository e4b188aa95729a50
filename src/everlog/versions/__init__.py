"""What changed between two versions of a post, and whether a reading is a new version at all.

    sequence_alignment   what two sequences share
    text_diff            two texts in pieces, word by word
    links_and_media      the links and pictures of an article
    comment_changes      which comments are new, gone or edited
    compare              all of it as `Changes`; begin here
    decide               an edit, the same, or a truncated form of what is held
"""

from everlog.versions.comment_changes import CommentChanges, EditedComment
from everlog.versions.compare import Changes, FieldChange, compare
from everlog.versions.decide import More, Verdict, is_same_article, more_of, replaces
from everlog.versions.text_diff import Piece, TextChanges

__all__ = [
    "Changes", "CommentChanges", "EditedComment", "FieldChange", "More", "Piece", "TextChanges", "Verdict",
    "compare", "is_same_article", "more_of", "replaces",
]
