"""Replies to a toot as the comments of a post: blogs without comments of their own name one toot to answer to.

    toot_of          the toot that a page names as its own, or None
    replies_url      what to ask its server for
    status_url       what says how many answers there are
    read_replies     the answers as a thread

A page names its toot to the script that shows the replies, or in a link that calls for answers. A toot that a text
cites is nobody's comments: where two are named, or none clearly, there is none. To strangers a server gives 60 answers
at most, 20 deep: the thread then claims more than it has.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from everlog.comments.comment_markup import Thread
from everlog.comments.parts import line_of
from everlog.comments.threads import without_circles
from everlog.core.tree import Element, parse_fragment, take_text
from everlog.core.urls import absolute
from everlog.feeds.feed_dates import parse_date
from everlog.feeds.labels import plain
from everlog.markup.cleaning import clean_html
from everlog.records import Comment

if TYPE_CHECKING:
    from everlog.core.selectors import Marked

SOURCE = "mastodon"
# A server gives strangers 60; one of its own making may give what it likes.
MOST_REPLIES = 1_000
# Scripts that show replies have 1 to 10 kB, what a page's data are put into more.
_LONGEST_SCRIPT = 200_000
# "Discuss this post on Mastodon, or reply by mail" and the like; a paragraph with more words tells something.
_MOST_WORDS = 25

# https://HOST/@USER/NUMBER, with the server of somebody else's account in USER or not, and how servers call it inside.
_TOOT = re.compile(
    r"(https?://[^/?#\s\"'<>\\]{4,200})/(?:(?:web/)?@[\w.-]{1,100}(?:@[\w.:-]{1,200})?|users/[\w.-]{1,100}/statuses"
    r"|web/statuses|api/v1/statuses)/(\d{1,20})(?!\d)(?:/context)?"
)
_ID = re.compile(r"\d{6,20}|[0-9A-Za-z]{18,26}")
_HOST = re.compile(r"(?:https?://)?((?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?)/?", re.IGNORECASE)
_HOST_NAME = re.compile(r"(?:^|[-_])(?:host|hostname|instance|server|domain)$", re.IGNORECASE)
_ID_NAME = re.compile(r"(?:^|[-_])(?:toot|tootid|status|statusid|post|postid|id)$", re.IGNORECASE)
_REPLIES = re.compile(r"comment|repl(?:y|ies)|respon|discuss|conversation|descendants|/context\b", re.IGNORECASE)
_SPEAKS = re.compile(r"mastodon|fediverse|toot|fedi[-_]?comment|oom-comments|activitypub", re.IGNORECASE)
# One of these is in whatever speaks so, and is found in a fraction of the pattern's time.
_SIGNS = ("mastodon", "fedi", "toot", "oom-comments", "activitypub", "data-responses-to-url")
# What a script is told, as code or as JSON: `host: "..."`, `const tootId = '...'`, `"id": "..."`.
_SET_HOST = re.compile(
    r"\b(?:\w{0,40}host(?:name)?|instance|server|domain)[\"']?\s{0,9}[:=]\s{0,9}[\"']([^\"'\s]{4,200})[\"']",
    re.IGNORECASE,
)
_SET_ID = re.compile(
    r"\b(?:\w{0,40}toot_?id|toot|status_?id|post_?id|id)[\"']?\s{0,9}[:=]\s{0,9}[\"']?(\d{6,20})\b", re.IGNORECASE,
)
_SECTION = re.compile(
    r"(?:^|[-_\s])(?:comments?|discussions?|repl(?:y|ies)|responses?|fediverse|mastodon)(?:$|[-_\s])", re.IGNORECASE,
)
# One comment, or one that came from elsewhere, with a link to itself.
_ONE_COMMENT = frozenset({"comment", "u-comment", "h-cite", "p-comment", "webmention", "mention", "reaction"})
_CALL = re.compile(
    r"(?:\W{0,9}(?:you can|you may|feel free to|want to|please|have (?:a )?(?:comments?|thoughts?|questions?))\W{1,9})?"
    r"(?:also )?(?:discuss|reply|respond|comment|join|continue|leave a|share your|talk|view (?:the )?(?:comments|repl)"
    r"|see (?:the )?(?:comments|repl)|repl(?:y|ies)|diskutier|antworte|kommentier|kommentare|commente|répond|discut"
    r"|réagi|comenta|responde|reageer|commenta|rispond|コメント|返信)",
    re.IGNORECASE,
)
_SYNDICATION = frozenset({"u-syndication", "syndication"})
# How far up from a link is looked, and how many links: pages are not built deeper, and few have more.
_FAR = 50
_MOST_LINKS = 5_000
_OF_OTHERS = frozenset({"href", "style", "title"})
_BLOCKS = frozenset({"p", "div", "li", "section", "aside", "footer", "article", "td", "body", "details", "noscript"})


@dataclass(frozen=True, slots=True)
class Toot:
    """A toot: the server it is asked of, and its number there."""

    origin: str
    id: str


def toot_of(root: Element, url: str) -> Toot | None:
    """The toot that a post names to be answered to; None where it names none, or more than one.

    >>> from everlog.core.tree import parse
    >>> toot_of(parse(b'<p><a href="https://m.example/@jo/110605586119723795">Reply on Mastodon</a>'), "https://a.org/")
    Toot(origin='https://m.example', id='110605586119723795')
    >>> toot_of(parse(b'<p>As <a href="https://m.example/@jo/110605586119723795">Jo wrote</a>, it rains.'), "") is None
    True
    """
    for named in (_by_elements(root), _by_scripts(root), _by_links(root, url)):
        found = set(named)
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def may_name_toot(root: Element, names: Iterable[str], marked: Iterable[Marked]) -> bool:
    """Whether `toot_of` may find one: told by the names of a page's tags and attributes, and by its marked elements.

    Most pages name none, and are not searched for one.
    """
    links = (link.get("href") or "" for link in islice(root.iter("a"), _MOST_LINKS))
    if any(("@" in href and "mailto:" not in href) or "statuses/" in href for href in links):
        return True
    told = " ".join((*names, *(name for _, *called, _ in marked for name in called if name))).lower()
    if any(sign in told for sign in _SIGNS):
        return True
    return any(
        "api/v1/statuses" in code or any(sign in code for sign in _SIGNS)
        for script in root.iter("script") if (code := (script.text or "")[:_LONGEST_SCRIPT].lower())
    )


def replies_url(toot: Toot) -> str:
    """Where the answers to a toot are."""
    return f"{toot.origin}/api/v1/statuses/{toot.id}/context"


def status_url(toot: Toot) -> str:
    """Where the toot itself is, which says how many answers it has."""
    return f"{toot.origin}/api/v1/statuses/{toot.id}"


def read_replies(body: bytes, toot: Toot, *, status: bytes | None = None) -> Thread | None:
    """The answers to a toot, in the order of the server; None for what is no answer of one.

    `claimed` is how many there are by the counts of the answers themselves and, where it is known, of the toot.
    """
    found = _json(body)
    rows = found.get("descendants") if isinstance(found, dict) else None
    if not isinstance(rows, list):
        return None
    said: dict[str, Mapping[str, Any]] = {}
    for row in rows[:MOST_REPLIES]:
        if isinstance(row, dict) and _is_public(row) and (ident := _text(row, "id")):
            said.setdefault(ident, row)
    places = {ident: number for number, ident in enumerate(said)}
    above = without_circles([places.get(_text(row, "in_reply_to_id") or "") for row in said.values()])
    idents = list(said)
    comments = tuple(
        _comment(row, toot, idents[parent] if parent is not None else None)
        for row, parent in zip(said.values(), above, strict=True)
    )
    answers = Counter(_text(row, "in_reply_to_id") for row in said.values())
    toot_itself = _json(status) if status is not None else None
    counted = {toot.id: toot_itself, **said} if isinstance(toot_itself, dict) else said
    missing = sum(max(0, _count(row) - answers[ident]) for ident, row in counted.items())
    return Thread(source=SOURCE, comments=comments, claimed=len(comments) + missing)


def _by_elements(root: Element) -> Iterator[Toot]:
    """Toots in the attributes of an element that is made for the replies."""
    for element in root.iter():
        if not isinstance(element.tag, str) or element.tag in {"a", "meta", "link", "script", "iframe", "blockquote"}:
            continue
        attributes = {str(name): str(value) for name, value in element.attrib.items() if name not in _OF_OTHERS}
        told = " ".join((element.tag, *(attributes.get(name, "") for name in ("id", "class")), *attributes))
        if not (_SPEAKS.search(told) or "data-responses-to-url" in attributes):
            continue
        if not _REPLIES.search(told) and not _is_in_section(element):
            continue
        whole = next(filter(None, (_TOOT.fullmatch(value.strip()) for value in attributes.values())), None)
        if whole is not None:
            yield from _toot(whole[1], whole[2])
            continue
        host = next((value for name, value in attributes.items() if _HOST_NAME.search(name)), None)
        number = next(
            (value.strip() for name, value in attributes.items()
             if name != "id" and _ID_NAME.search(name) and _ID.fullmatch(value.strip())), None,
        )
        if host is not None and number is not None:
            yield from _toot(host, number)


def _by_scripts(root: Element) -> Iterator[Toot]:
    """Toots that a script in the page is told."""
    for script in root.iter("script"):
        code = (script.text or "")[:_LONGEST_SCRIPT]
        about = f"{script.get('id') or ''} {script.get('class') or ''}"
        told = f"{about} {code}"
        is_data = script.get("type") == "application/ld+json"
        if is_data or not _SPEAKS.search(told.replace("api/v1/statuses", "mastodon")) or not _REPLIES.search(told):
            continue
        whole = {(match[1], match[2]) for match in _TOOT.finditer(code) if not match[1].endswith("}")}
        if "api/v1/statuses" in code and len(whole) == 1:
            yield from _toot(*whole.pop())
            continue
        hosts = {match[1] for match in _SET_HOST.finditer(code) if _HOST.fullmatch(match[1])}
        numbers = {match[1] for match in _SET_ID.finditer(code)}
        if len(hosts) == 1 and len(numbers) == 1:
            yield from _toot(hosts.pop(), numbers.pop())


def _by_links(root: Element, url: str) -> Iterator[Toot]:
    """Toots that a link calls for answers to, or that microformats call the same post elsewhere."""
    lines: dict[Element, str] = {}
    for link in islice(root.iter("a"), _MOST_LINKS):
        match = _TOOT.fullmatch((absolute(url or None, link.get("href")) or "").rstrip("/"))
        if match is None or _is_in_comment(link):
            continue
        names = {*(link.get("rel") or "").lower().split(), *(link.get("class") or "").split()}
        if names & _SYNDICATION or _calls(link, lines):
            yield from _toot(match[1], match[2])


def _calls(link: Element, lines: dict[Element, str]) -> bool:
    """Whether the words around a link ask for answers; in a section of comments, any that speak of such."""
    above = islice(link.iterancestors(), _FAR)
    block = next((each for each in above if each.tag in _BLOCKS), link)
    words = lines[block] = lines[block] if block in lines else line_of(block)
    if len(words.split()) > _MOST_WORDS:
        return _is_in_section(link) and _CALL.match(line_of(link)) is not None
    return _CALL.match(words) is not None or (_is_in_section(link) and _CALL.search(words) is not None)


def _is_in_section(link: Element) -> bool:
    return any(
        _SECTION.search(f"{above.get('id') or ''} {above.get('class') or ''}")
        for above in islice(link.iterancestors(), _FAR) if above.tag not in {"body", "html"}
    )


def _is_in_comment(link: Element) -> bool:
    above = islice(link.iterancestors("li", "div", "article"), _FAR)
    return any(_ONE_COMMENT & {*(each.get("class") or "").split()} for each in above)


def _toot(origin: str, number: str) -> Iterator[Toot]:
    """A toot at a host that may be one."""
    whole = absolute(None, origin if "://" in origin else f"https://{origin}")
    if whole is not None and _ID.fullmatch(number) and "@" not in whole:
        yield Toot(whole.rstrip("/"), number)


def _comment(row: Mapping[str, Any], toot: Toot, parent: str | None) -> Comment:
    account = row.get("account")
    account = account if isinstance(account, dict) else {}
    url = absolute(None, _text(row, "url") or _text(row, "uri"))
    warning = _text(row, "spoiler_text")
    markup = (f"<p>{html.escape(warning)}</p>" if warning else "") + (_text(row, "content") or "")
    cleaned = clean_html(parse_fragment(markup)[0], url or toot.origin)
    return Comment(
        id=_text(row, "id"), parent=parent, author=_name(account), author_url=absolute(None, _text(account, "url")),
        published=parse_date(_text(row, "created_at")), text=take_text(parse_fragment(cleaned)[0]), html=cleaned,
        url=url, source=SOURCE,
    )


def _name(account: Mapping[str, Any]) -> str | None:
    """What somebody is called, without the pictures that stand in names as `:cat:`."""
    name = _text(account, "display_name") or ""
    pictures = account.get("emojis")
    for picture in (pictures if isinstance(pictures, list) else ())[:50]:
        code = _text(picture, "shortcode") if isinstance(picture, dict) else None
        name = name.replace(f":{code}:", "") if code else name
    return plain(name) or plain(_text(account, "acct")) or None


def _is_public(row: Mapping[str, Any]) -> bool:
    return row.get("visibility") not in {"private", "direct"}


def _count(row: Mapping[str, Any]) -> int:
    value = row.get("replies_count")
    return min(value, 10**6) if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _text(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    return value if isinstance(value, str) and value else None


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
