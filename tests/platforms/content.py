"""Changes of a blog, as its software's own functions make them, and made-up years of posts and comments.

A change is a dict that `php/run.php` or `node/run.js` understands. What has a `key` is named by it in later changes.
Times are UTC.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import count
from typing import Any

Change = dict[str, Any]

BEGINNING = datetime(2012, 3, 4, 9, 30)  # noqa: DTZ001 - written as UTC without an offset
AUTHORS = ("Ann Archer", "Bo Björk", "Chidi Okafor")
CATEGORIES = ("Notes", "Essays", "Reise")
TOPICS = ("gardens", "trains", "книги", "食べ物", "old maps", "café")
# Their number is prime, so that they come in another order with every step.
WORDS = (
    "rain window harbour paper lantern copper meadow ticket winter kettle stone ladder market violin bridge candle "
    "orchard letter engine shadow garden pocket island thread morning silver basket river chimney feather harvest"
).split()
TITLES_ELSEWHERE = (
    "Утро в старом порту", "雨の日の台所", "صباح الخير يا مدينة", "Der Weg über die Brücke", "“Quotes” & <marks>",
)


def post(title: str, content: str = "", **fields: Any) -> Change:
    """A new post: key, date, author, tags, categories, status, type (page, book), password, sticky, slug, excerpt."""
    return {"do": "post", "title": title, "content": content or f"<p>{title}.</p>", **fields}


def edit(key: str | int, /, **fields: Any) -> Change:
    """New fields of a post. Its time of modification is now, or what `modified` says."""
    return {"do": "edit", "post": key, **fields}


def trash(key: str | int) -> Change:
    """A post in the bin: gone for readers."""
    return {"do": "trash", "post": key}


def delete(key: str | int) -> Change:
    """A post deleted for good, with its comments."""
    return {"do": "delete", "post": key}


def comment(on: str | int, content: str, **fields: Any) -> Change:
    """A comment on a post: key, parent, author, author_url, date, approved (0, "spam"), type (pingback, trackback)."""
    return {"do": "comment", "post": on, "content": content, **fields}


def delete_comment(key: str | int) -> Change:
    return {"do": "delete comment", "comment": key}


def text(number: int, paragraphs: int = 3) -> str:
    """Paragraphs that no other number has."""
    return "\n".join(
        f"<p>Part {part} of entry {number}: {_words(number * 7 + part * 3, 40)}.</p>"
        for part in range(1, paragraphs + 1)
    )


def years(posts: int, comments: int = 0, *, step: timedelta = timedelta(hours=37)) -> list[Change]:
    """Posts with keys p1, p2, ... and comments on them, oldest first: several authors, tags, scripts, and threads.

    Every 50th post has the very second of the one before. Comments are spread unevenly: one post has a tenth of them.
    """
    changes = [_ordinary(number, step) for number in range(1, posts + 1)]
    busy = max(1, posts // 2)
    for number in range(1, comments + 1):
        on = busy if number % 10 == 0 else (number * 7919) % posts + 1
        changes.append(_ordinary_comment(number, on, step))
    return changes


def ghost_oddities() -> list[Change]:
    """One of each kind of post that a reader of Ghost stumbles over; their keys say what they are."""
    at = [_time(BEGINNING - timedelta(days=number)) for number in range(1, 7)]
    return [
        post("For members", text(9_100), key="members", visibility="members", date=at[0], author=AUTHORS[0]),
        post("For those who pay", text(9_110), key="paid", visibility="paid", date=at[1], author=AUTHORS[0]),
        post("A draft", text(9_120), key="draft", status="draft", date=at[2], author=AUTHORS[0]),
        post("Scheduled", text(9_130), key="scheduled", status="future", date="2099-01-01 00:00:00"),
        post("On top", text(9_140), key="sticky", sticky=True, date=at[4], tags=["#hidden", "trains"]),
        post("About", text(9_150), key="page", type="page", date=at[5], author=AUTHORS[1]),
    ]


def oddities() -> list[Change]:
    """One of each kind of post and comment that a reader of WordPress stumbles over; their keys say what they are."""
    at = (BEGINNING - timedelta(days=number) for number in count(1))
    when = {"author": AUTHORS[0], "categories": ["Odd"]}
    paged = "\n<!--nextpage-->\n".join(text(9_000 + page) for page in range(1, 4))
    changes = [
        post("In three pages", paged, key="paged", date=_time(next(at)), **when),
        post("With a fold", f"{text(9_010)}\n<!--more-->\n{text(9_011)}", key="folded", date=_time(next(at)), **when),
        post("Locked", text(9_020), key="locked", password="sesame", date=_time(next(at)), **when),  # noqa: S106
        post("Private", text(9_030), key="private", status="private", date=_time(next(at)), **when),
        post("A draft", text(9_040), key="draft", status="draft", date=_time(next(at)), **when),
        post("Scheduled", text(9_050), key="scheduled", status="future", date="2099-01-01 00:00:00", **when),
        post("On top", text(9_060), key="sticky", sticky=True, date=_time(next(at)), **when),
        post("Without a title", text(9_070), key="untitled", date=_time(next(at)), **when) | {"title": ""},
        post("About", text(9_080), key="page", type="page", date=_time(next(at)), author=AUTHORS[0]),
        post("A book", text(9_090), key="book", type="book", date=_time(next(at)), author=AUTHORS[1]),
        comment("private", "Among ourselves.", key="on private", date=_time(BEGINNING)),
        comment("locked", "For those with a key.", key="on locked", date=_time(BEGINNING)),
        comment("paged", "Not read yet.", key="unapproved", approved=0, date=_time(BEGINNING)),
        comment("paged", "Buy now!", key="spam", approved="spam", date=_time(BEGINNING)),
        comment("page", "On a page.", key="on page", date=_time(BEGINNING)),
        comment("book", "On a book.", key="on book", date=_time(BEGINNING)),
    ]
    mentions = [
        comment(
            "paged", f"[&#8230;] {kind} from elsewhere [&#8230;]", key=kind, type=kind, author="Another blog",
            author_url=f"http://another.test/{kind}", date=_time(BEGINNING),
        )
        for kind in ("pingback", "trackback")
    ]
    return [*changes, *mentions]


def _ordinary(number: int, step: timedelta) -> Change:
    moment = number - 1 if number % 50 == 0 else number
    title = f"{_words(number, 3).capitalize()} {number}"
    if number % 40 == 3:
        title = f"{TITLES_ELSEWHERE[number // 40 % len(TITLES_ELSEWHERE)]} {number}"
    return post(
        title, text(number), key=f"p{number}", date=_time(BEGINNING + moment * step), author=AUTHORS[number % 3],
        tags=sorted({TOPICS[number % 6], TOPICS[number * 5 % 4]}), categories=[CATEGORIES[number % 3]],
    )


def _ordinary_comment(number: int, on: int, step: timedelta) -> Change:
    made = comment(
        f"p{on}", f"Comment {number}: {_words(number * 11, 12)}.", key=f"c{number}", author=f"Reader {number % 97}",
        date=_time(BEGINNING + on * step + timedelta(minutes=number)),
    )
    # Every other one in the crowd answers the one before it there, up to a depth that themes show.
    if number % 10 == 0 and number > 10 and number % 50:
        made["parent"] = f"c{number - 10}"
    return made


def _words(number: int, length: int) -> str:
    return " ".join(WORDS[(number * 31 + place * (7 + number % 5)) % len(WORDS)] for place in range(length))


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S")
