"""Which pages of a blog to look at first, when no feed names its posts.

Half of the requests go to kinds of addresses of which fewest were seen, so that no kind stays unknown; the other
half to the kind whose pages read most like posts, so that there is enough to learn from. All of these pages
belong to the blog and would be asked for anyway.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from everlog.core.layout import Layout, Vocabulary
from everlog.core.links import page_links, trap
from everlog.core.listing_words import LISTING_WORDS
from everlog.core.scope import Scope
from everlog.core.tree import Element, parse
from everlog.core.urls import canonical
from everlog.errors import UnreadablePage
from everlog.extract.feedless.recognise import Explored, headed_by
from everlog.frontier.url_shape import Shape, Shapes

# The evidence: known posts met on 84 blogs, and the blogs on which fewer than ten are met (three cannot be walked).
# 958 posts and 18 blogs with 20 pages, 1,718 and 6 with 40, 2,171 and 5 with 60: what is met later teaches no more.
MOST_PAGES = 40
# A blog of dead links ends the search as well: 1,368 posts and 8 blogs with 40 addresses asked for.
MOST_ASKED = 80
# Kinds that are named as lists wait until others were seen so many times more: each list names many of these. 1,647
# posts at 0, 1,718 at 2, 1,757 at 5; but lists are also what posts are told by.
LISTS_WAIT = 2


class Explorer:
    """Walks a blog from its home page: ask for `next()`, give what came to `take`."""

    def __init__(self, home: str, mode: str = "path") -> None:
        self.home = home
        self.pages: list[Explored] = []
        self.bodies: dict[str, bytes] = {}
        self._scope = Scope(home, mode)
        self._shapes = Shapes()
        self._vocabulary = Vocabulary()
        self._asked: set[str] = set()
        self._waiting: dict[Shape, dict[str, str]] = defaultdict(dict)
        self._seen: Counter[Shape] = Counter()
        self._likeness: dict[Shape, float] = defaultdict(float)
        self.offer(home)

    def offer(self, url: str) -> None:
        """Another address to look at: a page of a site map, a page the user names."""
        key = canonical(url)
        if key not in self._asked:
            self._waiting[self._shapes.of(key)].setdefault(key, url)

    def next(self) -> str | None:
        """The URL to ask for; None when enough was seen or nothing is left."""
        if len(self.pages) >= MOST_PAGES or len(self._asked) >= MOST_ASKED:
            return None
        shapes = [shape for shape, urls in self._waiting.items() if urls]
        if not shapes:
            return None
        best = max(shapes, key=self._mean)
        if len(self._asked) % 2 or self._mean(best) == 0:
            # `min` keeps the first of equals: the kind that was found first.
            best = min(shapes, key=lambda shape: self._seen[shape] + LISTS_WAIT * (not LISTING_WORDS.isdisjoint(shape)))
        key = next(iter(self._waiting[best]))
        self._asked.add(key)
        self._seen[best] += 1
        return self._waiting[best].pop(key)

    def take(self, url: str, body: bytes, content_type: str | None = None) -> None:
        """A page that was asked for; `url` is where it was found in the end. What leads out of the blog is left."""
        try:
            root = parse(body, content_type) if body.strip() else None
        except UnreadablePage:
            root = None
        if root is None or url in self.bodies or not self._scope.is_own(url):
            return
        page = Explored(url, root, Layout(root, self._vocabulary))
        self.pages.append(page)
        self.bodies[url] = body
        self._likeness[self._shapes.of(page.key)] += _paragraphs(root) / (1 + len(headed_by(page, self._scope)))
        for link in page_links(root, url, within=self._scope):
            if trap(link.url) is None:
                self.offer(link.url)

    def _mean(self, shape: Shape) -> float:
        """How much text the pages of a kind have for each heading that leads elsewhere."""
        return self._likeness[shape] / self._seen[shape] if self._seen[shape] else 0.0


def _paragraphs(root: Element) -> int:
    """How many characters stand in paragraphs, outside of links and other elements."""
    return sum(
        len(paragraph.text or "") + sum(len(child.tail or "") for child in paragraph) for paragraph in root.iter("p")
    )
