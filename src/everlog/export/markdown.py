"""Posts as Markdown with front matter, and the comments below: text that editors and site generators read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from everlog.comments.threads import in_threads
from everlog.errors import UsageError
from everlog.export.front_matter import front_matter
from everlog.extras import line_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from everlog.records import Comment, Post

# Between two posts in one stream; what an article says is escaped and cannot be this line.
PARTING = "<!-- next post -->"
# Quotations that stand deeper are hard to read, and some readers of Markdown give up on them.
DEEPEST_QUOTE = 10
_WEB = re.compile(r"https?://", re.IGNORECASE)


def write_markdown(posts: Iterable[Post], out: BinaryIO) -> int:
    """Write posts one after another, parted by a line; the number of posts. Media keep their URLs."""
    count = 0
    for count, post in enumerate(posts, 1):
        if count > 1:
            out.write(f"\n{PARTING}\n\n".encode())
        links = {item.path: item.url for item in post.media if item.path is not None}
        out.write(post_to_markdown(post, links).encode("utf-8", "replace"))
    return count


def post_to_markdown(post: Post, links: Mapping[str, str] | None = None, *, slug: str | None = None) -> str:
    """A post as front matter and Markdown. `links` are other addresses for what its HTML shows or links to.

    >>> from everlog.records import Post
    >>> print(post_to_markdown(Post(url="http://a.example/1", title="Eins: zwei", html="<p>Drei</p>")), end="")
    ---
    title: "Eins: zwei"
    original_url: "http://a.example/1"
    draft: false
    render_with_liquid: false
    ---
    <BLANKLINE>
    Drei
    """
    to_markdown = _converter()
    links = links or {}
    media = tuple(links.get(item.url, item.url) for item in post.media)
    body = to_markdown(_relinked(post.html, links), post.text)
    comments = _comments(post, links, to_markdown)
    return front_matter(post, slug=slug, media=media) + (f"\n{body}\n" if body else "") + comments


def _relinked(html: str, links: Mapping[str, str]) -> str:
    if not links or "<" not in html:
        return html
    from everlog.markup.media import rewrite  # noqa: PLC0415 - loads the parser; posts without links do not need it

    return rewrite(html, links)


def _comments(post: Post, links: Mapping[str, str], to_markdown: Callable[[str, str], str]) -> str:
    """The comments as quotations below the article; an answer is quoted below what it answers."""
    parts: list[str] = []
    for comment, depth in in_threads(post.comments):
        said = f"{_byline(comment)}\n\n{to_markdown(_relinked(comment.html, links), comment.text)}"
        mark = "> " * min(depth + 1, DEEPEST_QUOTE)
        parts.append("\n".join((mark + line).rstrip() for line in said.rstrip().splitlines()))
    return "\n## Comments\n\n" + "\n\n".join(parts) + "\n" if parts else ""


def _byline(comment: Comment) -> str:
    """Who wrote a comment and when; both lead to where that can be seen."""
    from everlog.export.converter import label  # noqa: PLC0415 - its parser is slow to load

    name = label(comment.author or "") or "?"
    written = comment.published.isoformat(" ", "minutes") if comment.published else ""
    if not written and comment.url:
        written = "link"
    byline = _linked(f"**{name}**", comment.author_url)
    return f"{byline}, {_linked(written, comment.url)}" if written else byline


def _linked(text: str, address: str | None) -> str:
    from everlog.export.converter import target  # noqa: PLC0415 - as above

    return f"[{text}]({target(address)})" if address and _WEB.match(address) else text


def _converter() -> Callable[[str, str], str]:
    try:
        from everlog.export.converter import to_markdown  # noqa: PLC0415 - its parser is slow to load
    except ModuleNotFoundError as error:
        raise UsageError(
            f"Markdown needs the package {error.name}, which is not installed",
            advice=f"install it:  {line_for(error.name or 'beautifulsoup4')}",
        ) from None
    return to_markdown
