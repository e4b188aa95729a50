"""What learning works on: the feed's entries beside their pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlog.core.layout import Layout
    from everlog.extract.article.feed_text import Target
    from everlog.markup.view import View
    from everlog.records import Entry


@dataclass(slots=True, kw_only=True)
class Sample:
    """A feed entry and its page.

    `article` is the number of the article's element in the layout, `target` the entry's text.
    """

    entry: Entry
    url: str
    view: View
    layout: Layout
    article: int | None = None
    target: Target | None = None

    @property
    def text(self) -> str:
        """The entry's text without markup."""
        return self.target.text if self.target is not None else ""
