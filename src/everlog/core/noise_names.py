"""Names that blog designs give to what is not article: a prior, where nothing was learned.

The feed's evidence always overrides these lists.
"""

from __future__ import annotations

import re
from functools import lru_cache

# Where readers answer. Whole name parts only: `comments-area`, `disqus_thread`, `respond`.
_COMMENTS = re.compile(
    r"(?:^|[-_ ])(?:comments?|commentlist|commentform|respond|disqus|discussion|replies|trackbacks?|pingbacks?"
    r"|utterances|giscus|gitalk|valine|livere|isso|remark)(?:$|[-_ ])",
)
# What designs put beside, before and after the text.
_NOISE = re.compile(
    r"(?:^|[-_ ])(?:shar(?:e|ing|er)|share(?:daddy|this)|social|addtoany|addthis|related(?:posts?)?"
    r"|jp-relatedposts|yarpp"
    r"|breadcrumbs?|pagination|pager|paging|prevnext|postnav|navigation|nav|sidebar|widget|footer|copyright|licen[cs]e"
    r"|author-?(?:box|bio|info|card)|about-author|post-?(?:meta|footer|header|info|tags|nav|author|date)"
    r"|entry-?(?:meta|footer|header|info|utility|tags|date|author)|meta|metadata|byline|tags?|tagcloud|cat-?links|categories"
    r"|newsletter|subscribe|adsbygoogle|advert(?:isement)?|ads?|sponsor|donate|cookie|print|skip-link"
    r"|sr-only|screen-reader-text|screenreader|visually-hidden|edit-link|permalink"
    r"|reading-?time|views|ratings?|likes?)(?:$|[-_ ])",
)
# Notes at the foot of a text are text, whatever else their name says.
_TEXT = re.compile(r"footnote|endnote|caption|reference|citation|quote|code|highlight|syntax|gist")
# Headings get their ids from their text ("license-confirmation"), links and spans their classes from
# scripts: only the names of these say what an element is for.
NAMEABLE = frozenset("div section aside nav ul ol dl form footer header table p ins fieldset center".split())
_NUMBERS = re.compile(r"[0-9]+")
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def names_comments(names: str) -> bool:
    """Whether a class or id names the place of comments.

    >>> names_comments("comments-area"), names_comments("commentary")
    (True, False)
    """
    # Every comment has a number of its own; which one it is says nothing.
    return _names_comments(_NUMBERS.sub("0", names))


@lru_cache(maxsize=20_000)
def _names_comments(names: str) -> bool:
    return bool(_COMMENTS.search(_HUMPS.sub("-", names).lower()))


@lru_cache(maxsize=20_000)
def names_noise(names: str) -> bool:
    """Whether a class or id names something that is not article.

    >>> names_noise("sharedaddy sd-block"), names_noise("footnotes"), names_noise("entry-content")
    (True, False, False)
    """
    lowered = _HUMPS.sub("-", names).lower()
    return bool(_NOISE.search(lowered)) and not _TEXT.search(lowered)
