"""Posts of Tumblr's old interface: the parts of each kind of post, put together as the HTML that a theme would show.

The XML and the JSON of the interface have the same names for the same parts; `posts_of` gives both in one shape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from html import escape
from typing import Any, NamedTuple

from lxml import etree

from everlog.core.attributes import bounded_xml
from everlog.core.urls import absolute
from everlog.feeds.decoding import decode
from everlog.feeds.feed_dates import parse_date
from everlog.feeds.labels import plain, tags
from everlog.history.answers import local_moment
from everlog.history.source import HistoryAnswer, ListedPost
from everlog.records import Entry

# Fifty posts with photosets have some thousand; each takes memory.
MAX_TAGS = 200_000
_LONGEST_NUMBER = 12
_ROOT = re.compile(r"<tumblr[\s>]", re.IGNORECASE)
# `var tumblr_api_read = {...};` unless plain JSON is asked for.
_SCRIPT = re.compile(r"^\s*var\s+tumblr_api_read\s*=\s*")
_PHOTO = re.compile(r"photo-url-(\d{1,5})")
_CONTROLS = re.compile("[\x00\ud800-\udfff]")


class TumblrPage(NamedTuple):
    """The posts of an answer, and how many the blog claims to have."""

    rows: list[dict[str, Any]]
    total: int | None


def posts_of(answer: HistoryAnswer) -> TumblrPage | None:
    """The posts of an answer in XML or JSON; None for what is neither."""
    if not answer.is_ok:
        return None
    text = decode(answer.body, answer.header("content-type"))
    if (root := _ROOT.search(text[:2_000])) is not None:
        return _from_xml(text[root.start():])
    return _from_json(_SCRIPT.sub("", text, count=1).strip().removesuffix(";"))


def listed_post(row: Mapping[str, Any], root: str) -> ListedPost | None:
    """A post as the interface tells it; None for one without an address.

    >>> row = {"id": "7", "url": "https://a.tumblr.com/post/7", "type": "quote", "quote-text": "Be brief."}
    >>> listed_post(row, "https://a.tumblr.com/").entry.content
    '<blockquote>Be brief.</blockquote>'
    """
    url = absolute(root, _text(row, "url-with-slug")) or absolute(root, _text(row, "url"))
    if url is None:
        return None
    content = content_of(row)
    words = row.get("tags")
    entry = Entry(
        link=url, title=_title(row), content=content, published=_moment(row), guid=_text(row, "id"),
        tags=tags(word for word in words if isinstance(word, str)) if isinstance(words, list) else (),
    )
    return ListedPost(url=url, id=_text(row, "id") or url, entry=entry, is_whole=content is not None)


def content_of(row: Mapping[str, Any]) -> str | None:
    """The HTML of a post, made of the parts that its kind has; None if it has none.

    >>> content_of({"type": "link", "link-url": "https://b.org/?a&b", "link-text": "B", "link-description": "So."})
    '<p><a href="https://b.org/?a&amp;b">B</a></p>So.'
    """
    make = _MAKERS.get(_text(row, "type") or "")
    return (make(row) if make is not None else "") or None


def _regular(row: Mapping[str, Any]) -> str:
    return _text(row, "regular-body") or ""


def _photo(row: Mapping[str, Any]) -> str:
    photos = [each for each in _dicts(row.get("photos")) if _largest(each)]
    pictures = [_picture(each, row) for each in photos or (row,)]
    return "".join(pictures) + (_text(row, "photo-caption") or "")


def _picture(photo: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    source, link = _largest(photo), _text(row, "photo-link-url")
    if source is None:
        return ""
    shown = f'<img src="{escape(source)}">'
    if link and absolute(None, link):
        shown = f'<a href="{escape(link)}">{shown}</a>'
    words = _text(photo, "caption")
    return f"<figure>{shown}<figcaption>{words}</figcaption></figure>" if words else f"<p>{shown}</p>"


def _quote(row: Mapping[str, Any]) -> str:
    text, source = _text(row, "quote-text"), _text(row, "quote-source")
    return (f"<blockquote>{text}</blockquote>" if text else "") + (f"<p>{source}</p>" if source else "")


def _link(row: Mapping[str, Any]) -> str:
    url, text = _text(row, "link-url"), _text(row, "link-text")
    shown = f'<p><a href="{escape(url)}">{text or escape(url)}</a></p>' if url else ""
    return shown + (_text(row, "link-description") or "")


def _conversation(row: Mapping[str, Any]) -> str:
    lines = []
    for line in _dicts(row.get("conversation")):
        label, phrase = _text(line, "label") or _text(line, "name"), _text(line, "phrase")
        lines.append(f"<p>{f'<b>{escape(label)}</b> ' if label else ''}{escape(phrase or '', quote=False)}</p>")
    if lines:
        return "".join(lines)
    text = _text(row, "conversation-text")
    return f"<p>{'<br>'.join(escape(text, quote=False).splitlines())}</p>" if text else ""


def _video(row: Mapping[str, Any]) -> str:
    player, source = _text(row, "video-player"), _text(row, "video-source")
    if player is None and source is not None:
        player = f'<p><a href="{escape(source)}">{escape(source)}</a></p>' if absolute(None, source) else source
    return (player or "") + (_text(row, "video-caption") or "")


def _audio(row: Mapping[str, Any]) -> str:
    return (_text(row, "audio-player") or "") + (_text(row, "audio-caption") or "")


def _answer(row: Mapping[str, Any]) -> str:
    question, answer = _text(row, "question"), _text(row, "answer")
    return (f"<blockquote>{question}</blockquote>" if question else "") + (answer or "")


_MAKERS = {
    "regular": _regular, "photo": _photo, "quote": _quote, "link": _link, "conversation": _conversation,
    "video": _video, "audio": _audio, "answer": _answer,
}


def _title(row: Mapping[str, Any]) -> str | None:
    stated = (_text(row, name) for name in ("regular-title", "link-text", "conversation-title"))
    return next((title for text in stated if (title := plain(text, is_html=True))), None)


def _moment(row: Mapping[str, Any]) -> datetime | None:
    """When a post was published, with the offset that its two dates tell; else by its number of seconds."""
    universal, local = parse_date(_text(row, "date-gmt")), parse_date(_text(row, "date"))
    if universal is not None:
        return local_moment(local.replace(tzinfo=None).isoformat() if local is not None else None,
                            universal.replace(tzinfo=None).isoformat())
    seconds = _count(row.get("unix-timestamp"))
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds else None
    except (ValueError, OverflowError, OSError):
        return None


def _largest(photo: Mapping[str, Any]) -> str | None:
    sizes = [(int(found[1]), name) for name in photo if (found := _PHOTO.fullmatch(name))]
    return next((url for _, name in sorted(sizes, reverse=True) if (url := absolute(None, _text(photo, name)))), None)


def _from_json(text: str) -> TumblrPage | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("posts"), list):
        return None
    return TumblrPage(_dicts(found["posts"]), _count(found.get("posts-total")))


def _from_xml(text: str) -> TumblrPage | None:
    if text.count("<") > MAX_TAGS:
        return None
    parser = etree.XMLParser(
        encoding="utf-8", recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True,
        remove_comments=True, remove_pis=True,
    )
    try:
        root = etree.fromstring(bounded_xml(text.encode("utf-8", "ignore")), parser)
    except etree.XMLSyntaxError:
        return None
    listed = root.find("posts") if root is not None else None
    if listed is None:
        return None
    return TumblrPage([_row(post) for post in listed.iterchildren("post")], _count(listed.get("total")))


def _row(post: etree._Element) -> dict[str, Any]:
    """A post in XML in the shape that it has in JSON."""
    row: dict[str, Any] = {str(name): str(value) for name, value in post.attrib.items()}
    row["tags"] = [child.text or "" for child in post.iterchildren("tag")]
    for child in post.iterchildren(etree.Element):
        name = str(child.tag)
        if name == "photo-url":
            row[f"photo-url-{child.get('max-width') or 0}"] = child.text
        elif name == "photoset":
            row["photos"] = [_photo_row(photo) for photo in child.iterchildren("photo")]
        elif name == "conversation":
            row["conversation"] = [
                {"name": line.get("name"), "label": line.get("label"), "phrase": line.text}
                for line in child.iterchildren("line")
            ]
        elif name != "tag":
            row[name] = child.text
    return row


def _photo_row(photo: etree._Element) -> dict[str, Any]:
    sizes = {f"photo-url-{url.get('max-width') or 0}": url.text for url in photo.iterchildren("photo-url")}
    return {"caption": photo.get("caption"), **sizes}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    return _CONTROLS.sub("", str(value)[: 1 << 24]).strip() or None


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    text = str(value).strip() if isinstance(value, str) or abs(value) < 10**_LONGEST_NUMBER else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER else None
