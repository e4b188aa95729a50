"""Blogs of a corpus learned without their feeds: walked from the home page as a crawl would, over the files at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from everlog.core.links import refresh_target
from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import NothingToLearn, UnreadablePage
from everlog.extract.feedless import Explorer, Learned, learn_explored

if TYPE_CHECKING:
    from everlog.evaluate.corpus import Blog

# Home pages that send readers on do so once, sometimes twice.
REFRESHES = 3
# A home page that leads nowhere (a corpus holds parts of blogs) is no way in; then the files nearest to the root are.
FEWEST_PAGES = 3
MOST_OFFERED = 200


def learn_walking(blog: Blog) -> Learned:
    """What the blog's own pages teach; raises `NothingToLearn` where no posts are recognised."""
    return learn_explored(walk(blog))


def walk(blog: Blog) -> Explorer:
    """The pages that a crawl would look at first; raises `NothingToLearn` where there are none."""
    home = home_of(blog)
    explorer = _walked(Explorer(home), blog)
    if len(explorer.pages) < FEWEST_PAGES:
        explorer = Explorer(blog.origin.rstrip("/") + "/")
        for url in _held(blog):
            explorer.offer(url)
        explorer = _walked(explorer, blog)
    if not explorer.pages:
        raise NothingToLearn("the corpus holds no page of the blog", advice="check its folder site/")
    return explorer


def home_of(blog: Blog) -> str:
    """The blog's home page, where it sends its readers."""
    url = blog.origin.rstrip("/") + "/"
    for _ in range(REFRESHES):
        body = blog.page(url)
        try:
            target = refresh_target(parse(body), url) if body else None
        except UnreadablePage:
            return url
        if target is None or canonical(target) == canonical(url) or blog.page(target) is None:
            return url
        url = target
    return url


def _walked(explorer: Explorer, blog: Blog) -> Explorer:
    while (url := explorer.next()) is not None:
        body = blog.page(url)
        if body is not None:
            explorer.take(url, body)
    return explorer


def _held(blog: Blog) -> list[str]:
    """Addresses of the pages that the corpus holds, those nearest to the root first."""
    site = blog.folder / "site"
    files = sorted(site.rglob("*.html"), key=lambda file: (len(file.parts), str(file)))[:MOST_OFFERED]
    parts = urlsplit(blog.origin)
    paths = (quote(file.relative_to(site).as_posix().removesuffix("index.html")) for file in files)
    return [f"{parts.scheme}://{parts.netloc}/{path}" for path in paths]
