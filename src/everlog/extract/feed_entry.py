"""What a post's own entry in the feed says, for the fields that its page does not show.

The page's word stands wherever it has one. Authors and tags that the feed gives to all posts alike (`feed-constant`)
are no word of the page, nor is the month of an address, nor the window's title where no rule finds the post's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from html import unescape
from types import MappingProxyType
from typing import Any

from everlog.core.tree import parse_fragment, visible_text
from everlog.core.words import comparable, squeeze
from everlog.dates.stamps import plausible
from everlog.extract.fields.authors_read import as_name
from everlog.extract.fields.tags_read import MAX_TAGS, as_tag
from everlog.records import Entry, Post, Provenance
from everlog.records.codec import decode, encode
from everlog.records.post import BY_FEED_ENTRY

METHOD = BY_FEED_ENTRY
# How often entry and page agree where both speak: 642 titles of 48 blogs, 610 dates of 46, the authors of 175 posts of
# 16, the tags of 250 of 21 (F1); none of these taught the blog's rules. Dates and authors were never at odds.
CONFIDENCE = {"title": 0.98, "published": 0.99, "authors": 0.99, "tags": 0.92}
# What makes a post another one when it is missing; the rest is told around it.
CORE = ("title", "authors", "published", "tags")
_FIELDS = (*CORE, "updated", "summary", "enclosures")
# What the feed says of all posts alike, and what it said of this one before.
_BY_FEED = frozenset({"feed-constant", METHOD})
# A feed whose entries all bear one day was built on that day: as many entries make that more than chance.
ENOUGH_FOR_DOUBT = 3
# An entry's date and the month of its address may be told at different offsets.
DAYS_AROUND = 1
LONGEST_MONTH = 31
# Descriptions that people write have a few sentences; longer ones are the article.
LONGEST_SUMMARY = 500
MOST_MARKUP = 4 * LONGEST_SUMMARY
# As many words at the beginning show that a summary is the beginning of the article.
SAME_WORDS = 6


def filled(post: Post, entry: Entry, held: Post | None = None) -> Post:
    """The post with what its entry says and its page does not.

    `held` is the version of before: what a page said then, and does not say any more, is not the feed's to say.

    >>> from datetime import UTC, datetime
    >>> from everlog.records import Post
    >>> entry = Entry(link="/rain", title="Rain", published=datetime(2024, 5, 3, 20, 0, tzinfo=UTC))
    >>> post = filled(Post(url="https://a.blog/rain", title="Rain, again"), entry)
    >>> post.title, post.published.day, post.provenance["published"].method
    ('Rain, again', 3, 'feed-entry')
    """
    values: dict[str, Any] = {}
    provenance: dict[str, Provenance] = {}
    for name, value in as_kept(entry, post).items():
        is_news = bool(value) and not _is_same(getattr(post, name), value)
        if not is_news or not _is_open(post, name) or _was_shown(held, name) or _contradicts(post, name, value):
            continue
        values[name] = value
        provenance[name] = Provenance(
            method=METHOD, rule=entry.link or entry.guid, confidence=CONFIDENCE.get(name), precision=_precision(value),
        )
    if not values:
        return post
    return replace(post, provenance=MappingProxyType({**post.provenance, **provenance}), **values)


def is_told(post: Post) -> bool:
    """Whether the page itself says all that a post is known by."""
    return not any(_is_open(post, name) for name in CORE)


def as_entry(post: Post) -> Entry | None:
    """What the feed is known to have said of a post that is held: the way to keep it when its entry is gone."""
    said = {name for name, source in post.provenance.items() if source.method == METHOD}
    if not said:
        return None
    # A change is only known beside the date of publication, whoever told that.
    published = post.published if said & {"published", "updated"} else None
    return Entry(
        link=next(post.provenance[name].rule for name in sorted(said)),
        title=post.title if "title" in said else None,
        authors=post.authors if "authors" in said else (),
        tags=post.tags if "tags" in said else (),
        published=published,
        updated=post.updated if "updated" in said else None,
        summary=post.summary if "summary" in said else None,
    )


def only(entry: Entry, fields: Iterable[str] = _FIELDS) -> Entry | None:
    """An entry with these fields alone, as they are kept; None if it says nothing of them."""
    said = {name: value for name in fields if (value := getattr(entry, name))}
    if len(said.get("summary") or "") > MOST_MARKUP:
        del said["summary"]
    if "published" in fields and not said.get("published") and entry.updated:
        said["updated"] = entry.updated
    return Entry(link=entry.link or entry.guid, **said) if said else None


def of_one_post_each(addressed: Iterable[tuple[str, Entry]], home: str) -> dict[str, Entry]:
    """Entries by the keys of their addresses; one that several entries name is nobody's, nor is the home page's."""
    found: dict[str, Entry] = {}
    shared = {home}
    for key, entry in addressed:
        if found.setdefault(key, entry) is not entry:
            shared.add(key)
    return {key: entry for key, entry in found.items() if key not in shared}


def to_dict(entry: Entry) -> dict[str, Any]:
    """What is kept of an entry, as plain data for JSON."""
    return {name: value for name, value in encode(entry, only=("link", *_FIELDS)).items() if value}


def from_dict(said: Mapping[str, Any]) -> Entry:
    """The entry that `to_dict` wrote."""
    return decode(Entry, {"link": None, **said})


def merged(entry: Entry, before: Entry) -> Entry:
    """An entry, with what an earlier edition of it said and this one does not.

    >>> merged(Entry(link="/a", title="New"), Entry(link="/a", title="Old", tags=("rain",))).tags
    ('rain',)
    """
    lost = {name: getattr(before, name) for name in _FIELDS if not getattr(entry, name)}
    return replace(entry, **lost)


def with_believable_dates(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries, without their dates if these are the day on which the feed was built."""
    days = [moment.date() for entry in entries if (moment := entry.published or entry.updated)]
    if len(days) < ENOUGH_FOR_DOUBT or len(set(days)) > 1:
        return tuple(entries)
    return tuple(replace(entry, published=None, updated=None) for entry in entries)


def as_kept(entry: Entry, post: Post) -> dict[str, Any]:
    """What an entry says of its post, as it is kept there: by the names of fields, what it does not say empty."""
    moment = _plausible(entry.published or entry.updated, post)
    changed = _plausible(entry.updated, post)
    return {
        "title": entry.title,
        "authors": _once(map(as_name, entry.authors)),
        "published": moment,
        "updated": changed if _is_later(changed, entry.published) else None,
        "tags": _once(map(as_tag, entry.tags))[:MAX_TAGS],
        "summary": _description(entry.summary, post.text),
    }


def _plausible(moment: datetime | None, post: Post) -> datetime | None:
    return moment if moment is not None and plausible(moment.date(), post.fetched) else None


def _is_later(changed: datetime | None, published: datetime | None) -> bool:
    return changed is not None and published is not None and changed > published


def _once(texts: Iterable[str | None]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for text in texts:
        if text:
            found.setdefault(comparable(text) or text, text)
    return tuple(found.values())


def _description(markup: str | None, article: str) -> str | None:
    """A summary that somebody wrote: of a few sentences, and not the beginning of the article."""
    if not markup or len(markup) > MOST_MARKUP:
        return None
    text = squeeze(visible_text(parse_fragment(markup)) if "<" in markup else unescape(markup))
    opening = comparable(text).split()[:SAME_WORDS]
    is_cut = opening == comparable(article[: 20 * LONGEST_SUMMARY]).split()[: len(opening)]
    return text if text and len(text) <= LONGEST_SUMMARY and not is_cut else None


def _is_open(post: Post, name: str) -> bool:
    """Whether a page says nothing of a field."""
    source = post.provenance.get(name)
    if not getattr(post, name) or source is None:
        return not getattr(post, name)
    if name == "title":
        # The window's title, taken whole where no rule found one, is the blog's name as often as the post's.
        return source.method in _BY_FEED or (source.method == "head-title" and source.confidence is None)
    return source.method in _BY_FEED or (source.method == "url" and source.precision == "month")


def _contradicts(post: Post, name: str, value: Any) -> bool:
    """Whether an entry's date is not in the month that the post's address names."""
    source = post.provenance.get(name)
    if name != "published" or post.published is None or source is None or source.method in _BY_FEED:
        return False
    return not -DAYS_AROUND <= (value - post.published).days <= LONGEST_MONTH + DAYS_AROUND


def _was_shown(held: Post | None, name: str) -> bool:
    return held is not None and not _is_open(held, name)


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return set(map(comparable, one)) == set(map(comparable, other))
    return bool(one == other)


def _precision(value: Any) -> str | None:
    """How exact a date is: midnight sharp is what generators write for a day."""
    if not isinstance(value, datetime):
        return None
    return "minute" if (value.hour, value.minute, value.second) != (0, 0, 0) else "day"
