"""Comments of one post from several sources as one list: every comment once, with the best that each source says.

A source is a page, a feed, a service in the page. The first one gives the order, the threads and the
texts; feeds know exact dates and names, and ids are those under which a comment was first known.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.comments.threads import placed, short_id, without_circles
from everlog.core.similarity import bigram_set
from everlog.core.urls import canonical
from everlog.core.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from everlog.comments.comment_markup import Thread
    from everlog.records import Comment, CommentsState

# Two texts of one author that are as alike as this are one: feeds leave out pictures and shorten addresses.
_ALIKE = 0.8
# Under one id, an edited comment of a renamed author.
_MAY_BE_ONE = 0.5
# Texts of one author that are compared one by one; those of busier ones must be equal.
_MOST_COMPARED = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """All comments, whether these are all, and by how many the site's number differs (None: it states none)."""

    comments: tuple[Comment, ...] = ()
    state: CommentsState = "none"
    claimed: int | None = None
    difference: int | None = None


def merge(threads: Sequence[Thread], *, claimed: int | None) -> Merged:
    """The comments of all threads, each once, held against the number that the site states.

    >>> from everlog.comments.comment_markup import Thread
    >>> from everlog.records import Comment
    >>> page = Thread(source="page", comments=(Comment(id="7", author="Jo", text="Nice."),))
    >>> feed = Thread(source="feed", comments=(Comment(id="7", text="Nice."), Comment(id="8", text="Not."),))
    >>> merged = merge([page, feed], claimed=3)
    >>> [(comment.id, comment.author) for comment in merged.comments], merged.state, merged.difference
    ([('7', 'Jo'), ('8', None)], 'partial', 1)
    """
    known = _Known()
    for thread in threads:
        known.add(thread.comments)
    comments = _with_parents(known)
    return Merged(
        comments=comments,
        state=state_of(len(comments), claimed),
        claimed=claimed,
        difference=None if claimed is None else claimed - len(comments),
    )


def state_of(found: int, claimed: int | None) -> CommentsState:
    """Whether as many comments were found as there are said to be.

    >>> state_of(3, None), state_of(3, 4), state_of(0, 4)
    ('complete', 'partial', 'none')
    """
    if not found:
        return "none"
    return "complete" if claimed is None or found >= claimed else "partial"


class _Known:
    """The comments so far, and how to tell that another source speaks of one of them."""

    def __init__(self) -> None:
        self.comments: list[Comment] = []
        # What each answers, as its sources say: a place in this list, or a name that no source explained yet.
        self.answers: list[list[int | str]] = []
        self._by_name: dict[str, int] = {}
        # What was added and is not yet to be found by its names and words: of one source alone nobody asks.
        self._unindexed: list[tuple[Comment, int, bool]] = []
        self._by_words: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        self._by_author: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, comments: Sequence[Comment]) -> None:
        """Add what one source says. Two comments of one source are one only if their id is one."""
        before = len(self.comments)
        self._index()
        shares_ids = before > 0 and any(self._named(comment) is not None for comment in comments)
        taken: set[int] = set()
        own: dict[str, int] = {}
        places = []
        for comment in comments:
            place = own.get(comment.id) if comment.id is not None else None
            if place is None and before:
                place = self._named(comment)
            if place is None and before:
                # Where the sources share ids, another id is another comment.
                told_apart = shares_ids and comment.id is not None
                place = self._alike(comment, before, taken, told_apart=told_apart)
            if place is None:
                place = len(self.comments)
                self.comments.append(comment)
                self.answers.append([])
            else:
                self.comments[place] = _joined(self.comments[place], comment)
            taken.add(place)
            places.append(place)
            if comment.id is not None:
                own[comment.id] = place
        for comment, place in zip(comments, places, strict=True):
            self._unindexed.append((comment, place, place >= before))
            if comment.parent is not None:
                self.answers[place].append(own.get(comment.parent, comment.parent))

    def _named(self, comment: Comment) -> int | None:
        """The comment of an earlier source that goes by the same name, and may be the same."""
        for name in _names(comment):
            place = self._by_name.get(name)
            # Two services may both have a comment 7.
            if place is not None and _may_be_one(self.comments[place], comment):
                return place
        return None

    def place_of(self, name: str) -> int | None:
        """The place of the comment that goes by a name."""
        self._index()
        return self._by_name.get(name)

    def _index(self) -> None:
        for comment, place, is_new in self._unindexed:
            for name in _names(comment):
                self._by_name.setdefault(name, place)
            if is_new:
                author = _folded(comment.author)
                self._by_words[author, _folded(comment.text)].append(place)
                self._by_author[author].append(place)
        self._unindexed.clear()

    def _alike(self, comment: Comment, before: int, taken: set[int], *, told_apart: bool) -> int | None:
        """The comment of an earlier source with the same author and text."""
        author, said = _folded(comment.author), _folded(comment.text)
        free = [
            place for place in self._by_words.get((author, said), ())
            if place < before and place not in taken and not (told_apart and self.comments[place].id is not None)
        ]
        if free:
            return min(free, key=lambda place: _apart(self.comments[place].published, comment.published))
        others = self._by_author.get(author, ()) if author else ()
        if told_apart or not said or len(others) > _MOST_COMPARED:
            return None
        alike = (
            (likeness, -place) for place in others
            if place < before and place not in taken
            and (likeness := _likeness(self.comments[place].text, comment.text)) >= _ALIKE
        )
        best = max(alike, default=None)
        return None if best is None else -best[1]


def _names(comment: Comment) -> Iterator[str]:
    """The names by which other sources may call a comment."""
    if comment.id:
        yield comment.id
    page, mark, fragment = (comment.url or "").partition("#")
    if mark and fragment:
        yield f"{canonical(page)}#{short_id(fragment)}"


def _may_be_one(one: Comment, other: Comment) -> bool:
    """Whether nothing speaks against two comments being one: the same author, or about the same text."""
    author, another = _folded(one.author), _folded(other.author)
    if author == another or not (one.text and other.text):
        return True
    return _likeness(one.text, other.text) >= _MAY_BE_ONE


def _joined(kept: Comment, other: Comment) -> Comment:
    """One comment from two sources; the first keeps its text, a feed knows author and date best."""
    told, teller = (kept, other) if _exactness(kept) >= _exactness(other) else (other, kept)
    named = other if other.source == "feed" and other.author else kept
    return replace(
        kept,
        id=kept.id or other.id,
        author=named.author or other.author,
        author_url=kept.author_url or other.author_url,
        published=told.published or teller.published,
        text=kept.text or other.text,
        html=kept.html or other.html,
        url=kept.url or other.url,
        source=kept.source or other.source,
    )


def _exactness(comment: Comment) -> tuple[bool, bool, bool, bool]:
    """How exactly a comment is dated: by its feed, to the second, to the minute, to the day."""
    moment = comment.published
    if moment is None:
        return False, False, False, False
    return comment.source == "feed", moment.second != 0, (moment.hour, moment.minute) != (0, 0), True


def _apart(one: datetime | None, other: datetime | None) -> float:
    return abs((one - other).total_seconds()) if one and other else 0.0


def _folded(text: str | None) -> str:
    return " ".join(words(text or ""))


def _likeness(one: str, other: str) -> float:
    left, right = bigram_set(one), bigram_set(other)
    return 2 * len(left & right) / max(1, len(left) + len(right))


def _with_parents(known: _Known) -> tuple[Comment, ...]:
    """The comments, each with the id of one that is there, or none; nobody answers himself."""
    ids = _unique_ids(known.comments)
    answered = []
    for place, said in enumerate(known.answers):
        places = (known.place_of(answer) if isinstance(answer, str) else answer for answer in said)
        answered.append(next((at for at in places if at not in {None, place} and ids[at or 0] is not None), None))
    checked = without_circles(answered)
    return tuple(
        placed(comment, ids[place], None if parent is None else ids[parent])
        for place, (comment, parent) in enumerate(zip(known.comments, checked, strict=True))
    )


def _unique_ids(comments: Iterable[Comment]) -> list[str | None]:
    """The ids as they are; of two different comments with one id, the second bears the source's name as well."""
    seen: Counter[str] = Counter()
    ids: list[str | None] = []
    for comment in comments:
        ident = comment.id
        if ident is not None:
            while seen[ident]:
                seen[ident] += 1
                ident = f"{comment.source or 'other'}-{ident}"
            seen[ident] += 1
        ids.append(ident)
    return ids
