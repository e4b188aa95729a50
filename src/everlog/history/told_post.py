"""Posts as an interface tells them, and what becomes of them when their page is read as well.

    told_post         the record that an interface's own words make
    checked_by_page   a post that was told, after its page was read: where the two differ, the record says so
    seen_on_page      the same where the page could not be read as a post, as most pages beside posts cannot

The site's database is the word that stands; the page is the check on it. Only where both say the same is it sure.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from everlog.core.words import comparable, words
from everlog.extract.feed_entry import as_kept
from everlog.history.answers import article_of
from everlog.history.told_text import EXCERPT, METHOD
from everlog.languages.detect import guess, is_enough
from everlog.records import Post, Provenance

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.history.source import ListedPost

# What an interface says alone, what its page says too, and what its page contradicts. An interface hands out what the
# site's database holds: of 400 posts of two WordPress sites and 100 of Ghost all were as they stand there.
ALONE, AGREED, CONTRADICTED = 0.95, 1.0, 0.6
# The share of words that two readings of one article have in common, as for two sets of rules (`versions.decide`).
ALIKE = 0.9
# A page that shows a day leaves the offset to be guessed.
SAME_DAY_SECONDS = 86_400
UNREAD, OTHER_TEXT = "its page could not be read as a post", "the page shows another text"
_FIELDS = ("title", "authors", "published", "updated", "tags", "summary")


def told_post(
    listed: ListedPost, *, blog: str, source: str, told_at: datetime, method: str = METHOD,
) -> Post | None:
    """The record that an interface's words make; None where it tells no text.

    >>> from datetime import UTC, datetime
    >>> from everlog.history.source import ListedPost
    >>> from everlog.records import Entry
    >>> entry = Entry(link="https://a.org/sea/", title="Sea", content="<p>So <b>calm</b>.</p>")
    >>> listed = ListedPost(url="https://a.org/sea/", id="7", entry=entry, is_whole=True)
    >>> at = datetime(2026, 5, 1, tzinfo=UTC)
    >>> post = told_post(listed, blog="https://a.org/", source="WordPress REST", told_at=at)
    >>> post.text, post.html, post.provenance["text"].method, post.provenance["text"].rule
    ('So calm.', '<p>So <b>calm</b>.</p>', 'api', 'WordPress REST, 7')
    """
    entry = listed.entry
    if entry is None or listed.locked is not None or not (entry.content or entry.summary):
        return None
    text, html = article_of(entry.content or entry.summary or "", listed.url)
    rule = source if listed.id is None else f"{source}, {listed.id}"
    bare = Post(url=listed.url, blog=blog, text=text, html=html, fetched=told_at, kind=listed.kind)
    values = {name: value for name, value in as_kept(entry, bare).items() if value and name in _FIELDS}
    said = Provenance(method=method, rule=rule, confidence=ALONE)
    # A post without a title is told to have none.
    provenance = dict.fromkeys((*values, *(("title",) if listed.is_whole else ())), said)
    if "published" in values:
        provenance["published"] = replace(said, precision="minute")
    provenance["text"] = said if listed.is_whole else replace(said, confidence=CONTRADICTED, disagrees=EXCERPT)
    if is_enough(text) and (language := guess(text)) is not None:
        values["language"], provenance["language"] = language, Provenance(method="text", confidence=None)
    return replace(
        bare, provenance=MappingProxyType(provenance), comment_count_claimed=entry.comment_count, **values,
    )


def agree_in_text(told: Post, page: Post) -> bool:
    """Whether a page that was read as a post has the text that was told."""
    return bool(page.text) and _difference("text", told.text, page.text) is None


def checked_by_page(told: Post, page: Post) -> Post:
    """A post as it was told, with all that its page says besides, and whether the two agree.

    >>> said = Provenance(method="api", rule="WordPress REST, 7", confidence=ALONE)
    >>> told = Post(url="u", title="Sea", text="So calm and so wide.", provenance={"title": said, "text": said})
    >>> page = Post(url="u", title="The sea", text="So calm and so wide.", provenance={})
    >>> post = checked_by_page(told, page)
    >>> post.title, post.provenance["title"].disagrees, post.provenance["text"].confidence
    ('Sea', "the page says 'The sea'", 1.0)
    """
    values: dict[str, Any] = {}
    provenance = dict(page.provenance)
    for name, source in told.provenance.items():
        if source.method != METHOD:
            continue
        values[name] = getattr(told, name)
        if name == "text":
            values["html"] = told.html
        differs = _difference(name, getattr(told, name), getattr(page, name))
        shown = bool(getattr(page, name))
        confidence = CONTRADICTED if differs else AGREED if shown else ALONE
        provenance[name] = replace(source, confidence=confidence, disagrees=differs)
    return replace(page, kind=told.kind, provenance=MappingProxyType(provenance), **values)


def seen_on_page(told: Post, at: datetime, *, shows: bool | None) -> Post:
    """A post as it was told, whose page was not read as one: does it show the text? None: that cannot be said.

    Pages such as "about" look like no post. Of a post that is strange.

    >>> from datetime import UTC, datetime
    >>> said = Provenance(method="api", rule="WordPress REST, 7", confidence=ALONE)
    >>> page = Post(url="u", text="We are three.", kind="page", provenance={"text": said})
    >>> at = datetime(2026, 5, 1, tzinfo=UTC)
    >>> [seen_on_page(page, at, shows=shows).provenance["text"].confidence for shows in (True, None, False)]
    [1.0, 0.95, 0.6]
    """
    said = told.provenance["text"]
    if told.kind == "post":
        said = replace(said, confidence=CONTRADICTED, disagrees=UNREAD)
    else:
        confidence = AGREED if shows else ALONE if shows is None else CONTRADICTED
        said = replace(said, confidence=confidence, disagrees=OTHER_TEXT if shows is False else None)
    return replace(told, provenance=MappingProxyType({**told.provenance, "text": said}), fetched=at)


def _difference(name: str, told: Any, shown: Any) -> str | None:
    """How a page's word differs from what was told, for people; None where it does not, or says nothing."""
    if not shown or not told:
        return None
    if name == "text":
        before, now = Counter(words(told)), Counter(words(shown))
        total = before.total() + now.total()
        alike = 2 * (before & now).total() / total if total else 1.0
        return None if alike >= ALIKE else f"the page shows another text ({alike:.0%})"
    if name in {"published", "updated"}:
        apart = abs((told - shown).total_seconds())
        return None if apart <= SAME_DAY_SECONDS else f"the page says {shown:%Y-%m-%d}"
    if isinstance(told, tuple):
        ours, theirs = set(map(comparable, told)), set(map(comparable, shown))
        # A theme may leave some out.
        return None if theirs <= ours or ours <= theirs else f"the page says {', '.join(shown)}"
    return None if comparable(told) == comparable(shown) else f"the page says {shown!r}"
