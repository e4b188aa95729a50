"""Made blogs whose feeds carry a description that the author wrote, in many designs.

Each design prints the description in another place and element, or in the page's metadata only. Posts are of all
lengths, some shorter than their description. Every post is made of its seed: the same words on every machine.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HOME = "https://notes.example/"
POSTS = 26
IN_FEED = 10

_NOUNS = (
    "garden river kitchen harbour compiler teacher winter bicycle library engine letter market mountain neighbour "
    "orchestra painter question recipe server station storm student summer tunnel village window workshop archive "
    "balcony candle database editor forest ferry glacier hammer island journal kettle lantern museum network"
).split()
_ADJECTIVES = (
    "quiet broken early narrow patient bright heavy distant honest careful wooden stubborn ordinary curious hidden "
    "gentle rusty crowded late simple"
).split()
_VERBS = (
    "found repaired described followed measured forgot painted carried remembered replaced borrowed explained "
    "watched opened planned rebuilt sketched tested translated visited"
).split()
_OPENINGS = (
    "Last year", "In the end", "When I was younger", "On Tuesday", "For a long time", "As it turned out", "Before that",
    "After three attempts", "To my surprise", "Most of the time", "By the time we arrived", "Once in a while",
)
_ENDS = (
    "which nobody had expected", "because there was no other way", "and that was enough for one day",
    "although the weather did not help", "so we started again from the beginning", "as the old manual suggests",
    "while the others were still asleep", "and I would do it again", "until the money ran out",
)
_SYLLABLES = "かきくけこさしすせそたちつてとなにぬねのまみむめもやゆよらりるれろ山川水火木空雨風花鳥町道家本車"


class Writer:
    """Prose from a seed: sentences that read like sentences, or Japanese without spaces."""

    def __init__(self, seed: str, language: str = "en") -> None:
        self._chance = random.Random(seed)  # noqa: S311 - a blog, not a key
        self._language = language

    def sentence(self) -> str:
        """One sentence."""
        pick = self._chance.choice
        if self._language == "ja":
            return "、".join(
                "".join(pick(_SYLLABLES) for _ in range(self._chance.randint(6, 16)))
                for _ in range(self._chance.randint(1, 3))
            ) + "。"
        core = f"the {pick(_ADJECTIVES)} {pick(_NOUNS)} {pick(_VERBS)} a {pick(_NOUNS)} near the {pick(_NOUNS)}"
        if self._chance.random() < 0.5:
            core = f"{pick(_OPENINGS)}, {core}"
        if self._chance.random() < 0.6:
            core = f"{core}, {pick(_ENDS)}"
        return core[0].upper() + core[1:] + "."

    def paragraph(self, sentences: int) -> str:
        """Several sentences."""
        joint = "" if self._language == "ja" else " "
        return joint.join(self.sentence() for _ in range(sentences))

    def title(self) -> str:
        """A few words."""
        if self._language == "ja":
            return self.sentence().split("、")[0].rstrip("。")
        pick = self._chance.choice
        return f"The {pick(_ADJECTIVES)} {pick(_NOUNS)} and the {pick(_NOUNS)}"

    def number(self, least: int, most: int) -> int:
        """A number between two, both included."""
        return self._chance.randint(least, most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A post: what its author wrote."""

    number: int
    title: str
    description: str
    paragraphs: tuple[str, ...]
    heading: str
    others: tuple[tuple[str, str], ...] = ()
    replies: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        return f"/notes/{self.title.lower().replace(' ', '-') if self.title.isascii() else self.number}-{self.number}/"

    @property
    def html(self) -> str:
        """The article."""
        parts = [f"<p>{escape(text)}</p>" for text in self.paragraphs]
        if len(parts) > 4:
            parts.insert(3, f"<h2>{escape(self.heading)}</h2>")
        return "\n".join(parts)

    @property
    def text(self) -> str:
        """The article's text."""
        parts = list(self.paragraphs)
        if len(parts) > 4:
            parts.insert(3, self.heading)
        return "\n\n".join(parts)

    @property
    def day(self) -> str:
        return f"2024-{self.number % 12 + 1:02}-{self.number % 27 + 1:02}"


def note(seed: str, number: int, language: str, longest: int) -> Note:
    """One post; every fifth is of a sentence or two, whatever the longest may have."""
    writer = Writer(f"{seed}/{number}", language)
    count = 1 if number % 5 == 3 else writer.number(2, longest)
    sentences = (1, 2) if number % 5 == 3 else (3, 7)
    paragraphs = tuple(writer.paragraph(writer.number(*sentences)) for _ in range(count))
    others = tuple((Writer(f"{seed}/{n}", language).title(), Writer(f"{seed}/{n}/d", language).paragraph(1))
                   for n in (number + 1, number + 2, number + 3))
    replies = tuple(writer.paragraph(writer.number(2, 5)) for _ in range(writer.number(0, 6)))
    return Note(
        number=number, title=Writer(f"{seed}/{number}", language).title(),
        description=Writer(f"{seed}/{number}/d", language).paragraph(writer.number(1, 3)), paragraphs=paragraphs,
        heading=writer.title(), others=others, replies=replies,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedBlog:
    """A blog in one design. `feed_text` makes what an item of its feed carries."""

    name: str
    body: Callable[[Note], str]
    in_head: bool = True
    article_body: bool = False
    language: str = "en"
    longest: int = 14
    feed_text: Callable[[Note], str] = lambda note: f"<description>{escape(note.description)}</description>"

    def notes(self) -> list[Note]:
        """All posts, the newest first."""
        return [note(self.name, number, self.language, self.longest) for number in range(POSTS, 0, -1)]

    def page(self, one: Note) -> bytes:
        """The page of a post."""
        head = ""
        if self.in_head:
            said = escape(one.description, quote=True)
            head += f'<meta name="description" content="{said}"><meta property="og:description" content="{said}">'
        if self.article_body:
            data = {"@context": "https://schema.org", "@type": "BlogPosting", "headline": one.title,
                    "description": one.description, "articleBody": one.text, "datePublished": one.day}
            head += f'<script type="application/ld+json">{json.dumps(data)}</script>'
        return (
            f'<!doctype html><html lang="{self.language}"><head><meta charset=utf-8>'
            f"<title>{escape(one.title)} | Field Notes</title>{head}</head><body>"
            '<header class="site-header"><a href="/">Field Notes</a><nav><ul><li><a href="/archive/">Archive</a></li>'
            '<li><a href="/tags/">Tags</a></li><li><a href="/about/">About me</a></li></ul></nav></header>'
            f"{self.body(one)}"
            '<footer class="site-footer"><p>Written by a person in a small town. Made with care and without cookies. '
            'All texts may be copied as long as you say where you found them.</p></footer></body></html>'
        ).encode()

    def feed(self) -> bytes:
        """The newest posts, as the blog's feed tells of them."""
        items = "".join(
            f"<item><title>{escape(one.title)}</title><link>{HOME.rstrip('/')}{one.path}</link>"
            f"<pubDate>{one.number % 27 + 1:02} Mar 2024 10:00:00 +0000</pubDate>{self.feed_text(one)}</item>"
            for one in self.notes()[:IN_FEED]
        )
        return (
            '<?xml version="1.0" encoding="utf-8"?><rss version="2.0" '
            'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Field Notes</title>'
            f"<link>{HOME}</link><language>{self.language}</language>{items}</channel></rss>"
        ).encode()

    def taught(self) -> dict[str, bytes]:
        """The pages of the feed's posts, by address."""
        return {f"{HOME.rstrip('/')}{one.path}": self.page(one) for one in self.notes()[:IN_FEED]}


def _below_the_title(one: Note) -> str:
    return (
        f'<main class="main"><article class="post-single"><header class="post-header"><h1 class="post-title">'
        f'{escape(one.title)}</h1><div class="post-description">{escape(one.description)}</div>'
        f'<div class="post-meta"><span>{one.day}</span> &middot; {len(one.paragraphs)} min</div></header>'
        f'<div class="post-content">{one.html}</div><footer class="post-footer"><ul class="post-tags"><li>'
        f'<a href="/tags/notes/">notes</a></li></ul></footer></article></main>'
    )


def _title_block(one: Note) -> str:
    return (
        f'<div class="d-title"><h1>{escape(one.title)}</h1><p>{escape(one.description)}</p></div>'
        f'<div class="d-byline">Ann Lee, {one.day}</div><div class="d-article">{one.html}</div>'
        '<div class="d-appendix"><h3>Reuse</h3><p>Text and figures are licensed as the page about me states.</p></div>'
    )


def _document(one: Note) -> str:
    return (
        f'<main id="document-content"><header id="title-block"><div class="title-in"><h1>{escape(one.title)}</h1></div>'
        f'<div><div class="description">{escape(one.description)}</div></div><div class="title-meta"><div>Author</div>'
        f'<div>Ann Lee</div><div>Published</div><div>{one.day}</div></div></header>{one.html}</main>'
    )


def _lead_in_flat_article(one: Note) -> str:
    return (
        f'<article><h1>{escape(one.title)}</h1><p class="lead">{escape(one.description)}</p>'
        f'<p class="byline">{one.day} by Ann Lee</p>{one.html}</article>'
    )


def _span(one: Note) -> str:
    return (
        f'<div id="wrap"><h1>{escape(one.title)} <span class="sub">{escape(one.description)}</span></h1>'
        f'<div id="text">{one.html}</div><p class="date">{one.day}</p></div>'
    )


def _section_beside(one: Note) -> str:
    return (
        f'<div class="grid"><section class="abstract"><h4>In short</h4>{escape(one.description)}</section>'
        f'<section class="story"><h2>{escape(one.title)}</h2><time datetime="{one.day}">{one.day}</time>'
        f'<div class="prose">{one.html}</div></section></div>'
    )


def _below_the_article(one: Note) -> str:
    return (
        f'<article class="entry"><h2 class="entry-title">{escape(one.title)}</h2>'
        f'<div class="entry-body">{one.html}</div>'
        f'<section class="about-this"><h5>About this post</h5><p>{escape(one.description)}</p></section></article>'
    )


def _hidden(one: Note) -> str:
    return (
        f'<main id="main"><h1 class="mt-4 text-2xl font-bold">{escape(one.title)}</h1>'
        f'<div class="flex text-sm">{one.day}</div>'
        f'<article id="article" class="mx-auto prose">{one.html}</article></main>'
    )


def _above_the_title(one: Note) -> str:
    return (
        f'<div class="page"><div class="teaser"><p>{escape(one.description)}</p></div><h1>{escape(one.title)}</h1>'
        f'<div class="copy">{one.html}</div><div class="sig">Ann, {one.day}</div></div>'
    )


def _without_names(one: Note) -> str:
    return (
        f'<table><tr><td><h1>{escape(one.title)}</h1><div><i>{escape(one.description)}</i></div><hr><div>{one.html}</div>'
        f'<div><small>{one.day}</small></div></td></tr></table>'
    )


def _with_related(one: Note) -> str:
    related = "".join(
        f'<li><a href="/notes/{n}/"><h3>{escape(title)}</h3></a><p>{escape(text)}</p></li>'
        for n, (title, text) in enumerate(one.others)
    )
    return (
        f'<main><article><header><h1>{escape(one.title)}</h1><p class="summary">{escape(one.description)}</p></header>'
        f'<div class="content">{one.html}</div></article>'
        f'<aside class="more"><h2>Read next</h2><ul>{related}</ul></aside></main>'
    )


def _with_comments(one: Note) -> str:
    replies = "".join(
        f'<li class="comment" id="c{n}"><cite>Reader {n}</cite>'
        f'<div class="comment-body"><p>{escape(text)}</p></div></li>'
        for n, text in enumerate(one.replies)
    )
    return (
        f'<div class="post"><h1>{escape(one.title)}</h1><div class="subtitle">{escape(one.description)}</div>'
        f'<div class="body">{one.html}</div></div><div id="comments"><h3>{len(one.replies)} comments</h3>'
        f'<ol>{replies}</ol></div>'
    )


def _full(one: Note) -> str:
    return (
        f"<description>{escape(one.description)}</description>"
        f"<content:encoded><![CDATA[{one.html}]]></content:encoded>"
    )


def _now_and_then(one: Note) -> str:
    """Every third post has no description: the generator takes the article's first words."""
    if one.number % 3:
        return f"<description>{escape(one.description)}</description>"
    return f"<description>{escape(' '.join(one.text.split()[:40]))}</description>"


BLOGS = (
    DescribedBlog(name="div below the title", body=_below_the_title),
    DescribedBlog(name="div below the title, articleBody stated", body=_below_the_title, article_body=True),
    DescribedBlog(name="p in a title block", body=_title_block),
    DescribedBlog(name="div in the header of a document", body=_document, longest=30),
    DescribedBlog(name="p.lead in a flat article", body=_lead_in_flat_article),
    DescribedBlog(name="span in the heading", body=_span),
    DescribedBlog(name="section beside the article", body=_section_beside),
    DescribedBlog(name="section below the article", body=_below_the_article),
    DescribedBlog(name="metadata only", body=_hidden),
    DescribedBlog(name="metadata only, articleBody stated", body=_hidden, article_body=True),
    DescribedBlog(name="not on the page at all", body=_hidden, in_head=False),
    DescribedBlog(name="div above the title", body=_above_the_title),
    DescribedBlog(name="elements without names", body=_without_names),
    DescribedBlog(name="shown, not in the metadata", body=_below_the_title, in_head=False),
    DescribedBlog(name="related posts with their descriptions", body=_with_related),
    DescribedBlog(name="with comments", body=_with_comments),
    DescribedBlog(name="short posts", body=_below_the_title, longest=2),
    DescribedBlog(name="short posts, p in a title block", body=_title_block, longest=2),
    DescribedBlog(name="full text and description", body=_below_the_title, feed_text=_full),
    DescribedBlog(name="full text and description, short posts", body=_title_block, longest=2, feed_text=_full),
    DescribedBlog(name="description now and then", body=_hidden, feed_text=_now_and_then),
    DescribedBlog(name="Japanese, div below the title", body=_below_the_title, language="ja"),
    DescribedBlog(name="Japanese, metadata only", body=_hidden, language="ja"),
)
