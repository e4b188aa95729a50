"""The share of a page's text that is its article."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from everlog.core.tree import parse
from everlog.extract.article.witnesses import has_share, share_of_page

_TEXT = st.text("ab \n\té語\u00a0", max_size=40)


@given(_TEXT, _TEXT, _TEXT, _TEXT, st.floats(0.0, 1.0))
def test_bounds_tell_the_same_as_the_measure(before, article, script, behind, least):
    markup = f"<body><div>{before}</div><main>{article}<script>{script}</script></main><style>{script}</style>{behind}"
    page = parse(markup.encode())
    found = page.find("body/main")
    assert has_share(page, found, least) == (share_of_page(page, found) >= least)
