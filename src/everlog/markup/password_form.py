"""The form that WordPress shows in place of an article whose readers need a password, on its page and in feeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlog.core.tree import Element

# What the form asks its server for, in any language of the page.
_ASKS_FOR = "action=postpass"
# Title, form and what is said around it: a page with more shows an article, and the form may be that of another post.
MOST_WORDS_OF_A_FORM = 60


def has_password_form(root: Element) -> bool:
    """Whether a page has such a form.

    >>> from everlog.core.tree import parse
    >>> has_password_form(parse(b'<form action="/wp-login.php?action=postpass">')), has_password_form(parse(b"<form>"))
    (True, False)
    """
    return any(_ASKS_FOR in (form.get("action") or "") for form in root.iter("form"))


def is_password_form(markup: str) -> bool:
    """Whether the article of a feed's entry is such a form.

    >>> is_password_form('<form action="https://a.org/wp-login.php?action=postpass" method="post">')
    True
    """
    return _ASKS_FOR in markup and "<form" in markup and len(markup.split()) <= 2 * MOST_WORDS_OF_A_FORM
