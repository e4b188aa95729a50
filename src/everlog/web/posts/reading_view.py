"""Reading view of a post: its article with pictures from the archive, and its comments in their threads."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from lxml import etree
from markupsafe import Markup

from everlog.comments.threads import in_threads
from everlog.core.tree import Element, parse_fragment
from everlog.core.urls import absolute
from everlog.markup.cleaning import clean_html
from everlog.markup.srcset import candidates, spelled
from everlog.web.mementos.memento_finder import replayed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.records import Comment, Post
    from everlog.replay import Replayed, View

# Answers to answers are set in up to here: the text of deeper ones would have no room on a telephone.
DEEPEST = 6
_SHOWN = ("src", "poster")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownComment:
    """A comment with how deep it stands in its thread, and the name by which links lead to it."""

    comment: Comment
    anchor: str
    depth: int
    html: Markup


def shown_article(archive: Archive, post: Post, at: datetime, view: View) -> Markup:
    """The article of a post, cleaned once more, with pictures and links from the archive where they are held.

    A picture that is not held is named by its words: no request is made for it.
    """
    root = parse_fragment(clean_html(parse_fragment(post.html), post.url))
    named = {link for element in root.iter() for link in _links(element)}
    held = replayed(archive, sorted(named), at)
    for element in list(root.iter("img", "audio", "video", "source", "track", "a")):
        if element.tag == "a":
            _lead(element, held, view)
        else:
            _show(element, held, view)
    body = root.find("body")
    inner = "" if body is None else "".join(
        [body.text or "", *(etree.tostring(each, method="html", encoding="unicode") for each in body)],
    )
    return Markup(inner)  # noqa: S704 - cleaned above, and sent under a policy that runs nothing


def anchor_of(comment_id: str | None, position: int) -> str:
    """The name by which a link leads to a comment: of its id, whatever letters that has, or else of its place.

    >>> anchor_of("17", 3), anchor_of(None, 3)
    ('c-4523540f15', 'comment-4')
    """
    if not comment_id:
        return f"comment-{position + 1}"
    return f"c-{sha256(comment_id.encode('utf-8', 'replace')).hexdigest()[:10]}"


def shown_threads(post: Post) -> tuple[tuple[ShownComment, tuple[ShownComment, ...]], ...]:
    """The comments of a post, as plain markup (what they show is not fetched): each with all answers below it."""
    taken: set[str] = set()
    threads: list[tuple[ShownComment, list[ShownComment]]] = []
    for place, (comment, depth) in enumerate(in_threads(post.comments)):
        anchor = anchor_of(comment.id, place)
        if anchor in taken:
            anchor = anchor_of(None, place)
        taken.add(anchor)
        shown = ShownComment(comment=comment, anchor=anchor, depth=min(depth, DEEPEST), html=_plain(comment))
        if depth == 0 or not threads:
            threads.append((shown, []))
        else:
            threads[-1][1].append(shown)
    return tuple((first, tuple(answers)) for first, answers in threads)


def _plain(comment: Comment) -> Markup:
    parts = (part.strip() for part in comment.text.split("\n\n"))
    return Markup("").join(Markup("<p>{}</p>").format(part) for part in parts if part)


def _links(element: Element) -> Iterator[str]:
    for name in ("href",) if element.tag == "a" else _SHOWN:
        if full := absolute(None, element.get(name)):
            yield full.partition("#")[0]
    yield from (link for link, _ in candidates(element.get("srcset") or ""))


def _lead(link: Element, held: Mapping[str, Replayed], view: View) -> None:
    url, _, fragment = (link.get("href") or "").partition("#")
    if url in held:
        link.set("href", view.link(url, fragment))
    elif url:
        link.set("rel", "noreferrer external")


def _show(element: Element, held: Mapping[str, Replayed], view: View) -> None:
    if sizes := element.get("srcset"):
        kept = [(view.file(held[link]), size) for link, size in candidates(sizes) if link in held]
        if kept:
            element.set("srcset", spelled(kept))
        else:
            del element.attrib["srcset"]
    for name in _SHOWN:
        url = element.get(name)
        if url is not None and url in held:
            element.set(name, view.file(held[url]))
        elif url is not None:
            del element.attrib[name]
    if element.tag == "img":
        element.set("loading", "lazy")
        if element.get("src") is None and element.get("srcset") is None:
            _name_missing(element)


def _name_missing(picture: Element) -> None:
    alt = (picture.get("alt") or "").strip()
    tail = picture.tail
    picture.clear()
    picture.tag, picture.tail = "span", tail
    picture.set("class", "not-held")
    picture.text = f"Picture not held: {alt}" if alt else "Picture not held"
