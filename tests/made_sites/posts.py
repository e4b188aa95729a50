"""Posts of the sites: the notebook of a keeper of a small harbour, told twelve times, with pictures and comments.

Every post names a picture in another of the ways that pages have for it. `SITE` and `CDN` stand for the two addresses
that a site is served at.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from html import escape
from pathlib import Path

SITE, CDN = "http://site.test", "http://cdn.test"
BEGINNING = datetime(2021, 3, 7, 8, 15, tzinfo=UTC)
STEP = timedelta(days=37, hours=5)
EMPTY_GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment below a post; `answers` names another one of the post by its number."""

    number: int
    author: str
    made: datetime
    text: str
    answers: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePost:
    """A post. Its body is made of blocks with blank lines between them, which is both Markdown and HTML."""

    number: int
    slug: str
    title: str
    published: datetime
    tags: tuple[str, ...]
    blocks: tuple[str, ...]
    comments: tuple[Comment, ...]

    @property
    def body(self) -> str:
        return "\n\n".join(self.blocks)

    @property
    def summary(self) -> str:
        return self.blocks[0]


@cache
def posts() -> tuple[SitePost, ...]:
    """All of them, oldest first."""
    told = Path(__file__).with_suffix(".txt").read_text("utf-8").split("== ")[1:]
    return tuple(_post(number, *text.strip().split("\n\n")) for number, text in enumerate(told, 1))


def comments_html(post: SitePost) -> str:
    """The comments as a theme would write them, without a blank line: Markdown leaves it as it is."""
    items = "\n".join(
        f'<li class="comment{" reply" if comment.answers else ""}" id="comment-{comment.number}">'
        f'<img class="avatar" src="/pictures/face.gif?s=48&amp;d={comment.number}" width="48" height="48" alt="">'
        f'<cite class="comment-author">{escape(comment.author)}</cite> '
        f'<time datetime="{comment.made.isoformat()}">{comment.made:%d %B %Y, %H:%M}</time>'
        f'<div class="comment-body"><p>{escape(comment.text)}</p></div></li>'
        for comment in post.comments
    )
    return (
        f'<section class="comments" id="comments"><h2>{len(post.comments)} comments</h2>\n'
        f'<ol class="comment-list">\n{items}\n</ol></section>'
    )


def _post(number: int, head: str, *paragraphs: str) -> SitePost:
    title, slug, tags = head.split(" | ")
    published = BEGINNING + number * STEP
    first, *rest = (" ".join(paragraph.split()) for paragraph in paragraphs)
    blocks = (first, _picture(number), *rest, _EXTRAS[number % len(_EXTRAS)])
    return SitePost(
        number=number, slug=slug, title=title, published=published, tags=tuple(tags.split()), blocks=blocks,
        comments=tuple(_comments(number, published)),
    )


def _picture(number: int) -> str:
    """A picture, named in the way of this number. Below `/posts/`, so two folders up is the top."""
    alt = f"The harbour, drawing {number}"
    ways = {
        1: f'<img src="../../pictures/1.png" alt="{alt}" width="640" height="400">',
        2: f'<img src="/pictures/2.jpg?ver=6.4.2&amp;w=640" alt="{alt}" width="640" height="400">',
        3: f'<img src="{SITE}/pictures/3.webp" alt="{alt}" width="640" height="400">',
        4: f'<img src="{CDN.removeprefix("http:")}/pictures/4.png" alt="{alt}" width="640" height="400">',
        5: (
            '<img src="/pictures/5-640.jpg" srcset="/pictures/5-320.jpg 320w, /pictures/5-640.jpg 640w, '
            f'/pictures/5-1280.jpg 1280w" sizes="(max-width: 600px) 320px, 640px" alt="{alt}">'
        ),
        6: (
            '<picture><source media="(max-width: 600px)" srcset="/pictures/6.svg" type="image/svg+xml">'
            '<source srcset="/pictures/6.webp" type="image/webp">'
            f'<img src="/pictures/6.png" alt="{alt}" width="640" height="400"></picture>'
        ),
        7: f'<img class="lazyload" src="{EMPTY_GIF}" data-src="/pictures/7.jpg" alt="{alt}" width="640" height="400">',
        8: (
            f'<img src="{CDN}/pictures/8.jpg?fit=640%2C400&amp;ssl=1" loading="lazy" alt="{alt}" width="640" '
            'height="400">'
        ),
        9: (
            f'<img src="{CDN}/pictures/9-640.jpg" srcset="{CDN}/pictures/9-640.jpg, {CDN}/pictures/9-1280.jpg 2x" '
            f'alt="{alt}" width="640" height="400">'
        ),
        10: (
            "<div class=\"banner\" style=\"background-image: url('/pictures/10.png'); background-size: cover; "
            'height: 240px"></div>'
        ),
        # Without a file: what a player shows while it waits for one turns round and round.
        11: '<video poster="/pictures/11.jpg" preload="none" width="640" height="400"></video>',
        12: '<iframe src="/frames/map.html" width="320" height="220" title="Map"></iframe>',
    }
    return f"<figure>{ways[number]}<figcaption>{alt}</figcaption></figure>"


def _comments(number: int, published: datetime) -> list[Comment]:
    made = []
    for place in range(number % 4 + 1):
        said = _SAID[(number * 3 + place) % len(_SAID)]
        made.append(Comment(
            number=number * 10 + place, author=_READERS[(number + place * 2) % len(_READERS)],
            made=published + timedelta(hours=5 + 31 * place), text=said,
            answers=number * 10 if place == 2 else None,
        ))
    return made


_READERS = ("Marta Lindqvist", "old_pilot", "Юрий", "田中", "Aoife", "D. Okonkwo", "Jørgen")
_SAID = (
    "The same happened at our pier two winters ago. We moved the lamp by a yard and it has been quiet since.",
    "Thank you for writing this down. My grandfather kept that light for eleven years.",
    "Is the drawing from the north side? I cannot find the chapel in it.",
    "Спасибо, очень интересно. Напишите, пожалуйста, о старом маяке.",
    "素敵な絵ですね。港の朝を思い出します。",
    "I would not trust that barometer further than I could throw it, and I have thrown it.",
    "We read this aloud at supper. The children want to know what became of the dog.",
)
_TABLE = (
    "<table><thead><tr><th>Tide</th><th>Time</th><th>Height</th></tr></thead><tbody>"
    "<tr><td>low</td><td>04:12</td><td>0.6 m</td></tr><tr><td>high</td><td>10:31</td><td>3.9 m</td></tr>"
    "</tbody></table>"
)
_SIGNS = (
    '<p><svg class="sign" width="24" height="24" role="img"><use href="/pictures/sprite.svg#leaf"></use></svg> '
    '<svg class="sign" width="24" height="24" role="img"><use href="/pictures/sprite.svg#wave"></use></svg> '
    "Signs on the chart: what grows, and what moves.</p>"
)
_EXTRAS = (
    _TABLE, "> A harbour is a promise made by stones. Whoever keeps one keeps somebody's word for him.", _SIGNS,
    "- the rope, forty fathoms of it\n- two lamps, one of them whole\n- the ledger, which stays dry whatever happens",
)
