"""Reading view: the article of a post, and what its comments say, with pictures and links from the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from everlog.core.tree import Element, parse_fragment
from everlog.core.urls import absolute
from everlog.markup.cleaning import clean_html
from everlog.markup.revealing import suffix_of
from everlog.markup.srcset import candidates, spelled
from everlog.web.mementos.memento_finder import replayed
from everlog.web.posts.article_markup import put_in_order, replaced, written
from everlog.web.posts.embeds import put_embeds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.records import Comment, Post
    from everlog.replay import Replayed, View
    from everlog.web.posts.embeds import Embed

_SHOWN = ("src", "poster")
# What is said in the place of something that is not held.
_NOT_HELD = {"img": "Picture not held", "video": "Film not held", "audio": "Sound not held"}


def shown_article(
    archive: Archive, post: Post, at: datetime, view: View, embeds: tuple[Embed, ...] = (),
) -> Markup:
    """The article of a post, cleaned once more, with pictures and links from the archive where they are held.

    What is not held is named by its words: no request is made for it.
    """
    root = parse_fragment(clean_html(parse_fragment(post.html), post.url))
    put_in_order(root, post.url)
    embedded = put_embeds(root, embeds)
    _from_archive([root], archive, at, view)
    for link in embedded:
        if "external" in link.get("rel", ""):
            link.tail = ", not held"
    return Markup(written(root))  # noqa: S704 - cleaned above, and sent under a policy that runs nothing


def shown_comments(
    archive: Archive, comments: Sequence[Comment], url: str, at: datetime, view: View,
) -> list[Markup]:
    """What comments say, in their order: links from the archive where they are held, and no pictures of strangers."""
    roots: list[Element | None] = []
    for comment in comments:
        root = parse_fragment(clean_html(parse_fragment(comment.html), url)) if "<" in comment.html else None
        if root is not None:
            _without_ids(root)
            put_in_order(root, url)
        roots.append(root)
    _from_archive([root for root in roots if root is not None], archive, at, view)
    return [
        Markup(written(root)) if root is not None else _plain(comment)  # noqa: S704 - as above
        for comment, root in zip(comments, roots, strict=True)
    ]


def _plain(comment: Comment) -> Markup:
    parts = (part.strip() for part in comment.text.split("\n\n"))
    return Markup("").join(Markup("<p>{}</p>").format(part) for part in parts if part)


def _without_ids(root: Element) -> None:
    """Two comments may have the same ids; and a picture in a comment may be anything."""
    for element in root.iter("*"):
        element.attrib.pop("id", "")
    for shown in list(root.iter(*_NOT_HELD, "picture")):
        alt = (shown.get("alt") or "").strip()
        replaced(shown, "span", f"Picture: {alt}" if alt else "Picture", class_="not-held")


def _from_archive(roots: Sequence[Element], archive: Archive, at: datetime, view: View) -> None:
    """Pictures and links of some documents lead into the archive, after one look at what it holds."""
    named = {link for root in roots for element in root.iter("*") for link in _links(element)}
    held = replayed(archive, sorted(named), at) if named else {}
    for root in roots:
        for element in list(root.iter("img", "audio", "video", "source", "track", "a")):
            if element.tag == "a":
                _lead(element, held, view)
            else:
                _show(element, held, view)
        for player in list(root.iter("audio", "video")):
            _play(player)


def _links(element: Element) -> Iterator[str]:
    for name in ("href",) if element.tag == "a" else _SHOWN:
        if full := absolute(None, element.get(name)):
            yield full.partition("#")[0]
    yield from (link for link, _ in candidates(element.get("srcset") or ""))


def _lead(link: Element, held: Mapping[str, Replayed], view: View) -> None:
    url, _, fragment = (link.get("href") or "").partition("#")
    if url in held:
        link.set("href", view.link(url, fragment))
        # For paper, on which nobody follows a link into an archive.
        link.set("data-url", url)
    elif url:
        link.set("rel", "noreferrer external nofollow")


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
            # Its name is all that is left of it.
            element.set("title", element.get("title") or url.partition("?")[0].rpartition("/")[2])
    if element.tag == "img":
        element.set("loading", "lazy")
        element.set("decoding", "async")
        if element.get("src") is None and element.get("srcset") is None:
            _say_missing(element, (element.get("alt") or "").strip())


def _play(player: Element) -> None:
    """A film or sound that is held plays; one that is not says so."""
    sources = [source for source in player.iter("source") if source.get("src")]
    if player.get("src") is None and not sources:
        names = [each.get("title") for each in (player, *player.iter("source")) if each.get("title")]
        _say_missing(player, next((name for name in names if name and suffix_of(name)), ""))
        return
    for source in list(player.iter("source")):
        above = source.getparent()
        if source.get("src") is None and above is not None:
            above.remove(source)
    player.set("controls", "")
    player.set("preload", "metadata")
    player.attrib.pop("title", "")


def _say_missing(element: Element, words: str) -> None:
    what = _NOT_HELD[str(element.tag)]
    replaced(element, "span", f"{what}: {words}" if words else what, class_="not-held")
