"""How well rules read pages whose entries are known, and what that says about a redesign."""

from __future__ import annotations

import pytest

import a_blog
from everlog.extract.classify import PostClassifier
from everlog.extract.learn_blog import learn_entries
from everlog.extract.redesign_check import Fit, fit_of, has_changed, is_suspicious, mean_score, reads_better
from everlog.feeds import parse_feed
from everlog.records import Page

NEWEST = 9


def learned(feed: bytes, pages: dict[str, bytes] | None = None):
    template = learn_entries(parse_feed(feed, a_blog.HOME), pages or a_blog.pages())
    return template, PostClassifier.learn(template, pages or a_blog.pages(), home=a_blog.HOME)


def fit(body: bytes | str, *, excerpts: bool = False, **said: str | None) -> Fit:
    """The fit of a new post's page to what the feed says of it."""
    make = a_blog.excerpts if excerpts else a_blog.feed
    template, classifier = learned(make())
    feed = a_blog.rss([a_blog.item(NEWEST, said["content"])]) if "content" in said else make([NEWEST])
    entry, = parse_feed(feed, a_blog.HOME).entries
    page = Page(url=a_blog.url(NEWEST), body=body.encode() if isinstance(body, str) else body)
    return fit_of(entry, page, template, classifier)


@pytest.mark.parametrize("excerpts", [False, True])
def test_a_page_of_the_same_design_fits(excerpts):
    found = fit(a_blog.page(NEWEST), excerpts=excerpts)
    assert (found.article, found.title, found.is_told, found.is_placed, found.lost) == (1.0, 1.0, True, True, None)
    assert found.score == 1.0


@pytest.mark.parametrize("excerpts", [False, True])
def test_a_page_of_another_design_is_lost(excerpts):
    other = f"<html><title>x</title><body><main><section>{a_blog.article(NEWEST)}</section></main></body></html>"
    found = fit(other, excerpts=excerpts)
    assert found.lost is not None
    assert found.score < 0.6


def test_an_article_that_lost_most_of_its_text_is_lost():
    found = fit(a_blog.page(NEWEST, a_blog.paragraphs(NEWEST)[0], after=a_blog.article(NEWEST)))
    assert found.lost is not None
    assert "article" in found.lost


def test_an_excerpt_among_whole_texts_is_no_sign_of_a_redesign():
    assert fit(a_blog.page(NEWEST), content=a_blog.paragraphs(NEWEST)[0]).lost is None


def test_a_title_that_is_read_elsewhere_is_lost():
    body = a_blog.page(NEWEST).decode().replace(f"<h1 class=title>Post {NEWEST} of ours", "<h1 class=title>Our blog")
    found = fit(body.replace(f"<title>Post {NEWEST} of ours", "<title>Welcome"))
    assert found.lost is not None
    assert "title" in found.lost


def test_an_entry_that_says_nothing_tells_nothing_of_the_article():
    found = fit(a_blog.page(NEWEST), content="")
    assert found.article is None
    assert found.lost is None


def test_an_unreadable_page_is_lost_with_its_reason():
    assert fit(b"\x00\x01\x02").lost


GOOD = Fit(article=1.0, title=1.0, is_told=True, is_placed=True)
LOST = Fit(article=0.0, title=0.0, lost="its article is not where the blog's articles were")


def test_one_odd_post_among_others_rouses_no_suspicion():
    assert not is_suspicious([LOST, GOOD])
    assert is_suspicious([LOST, LOST, GOOD])
    assert not is_suspicious([])


@pytest.mark.parametrize(("new", "others", "is_one"), [
    ([LOST], [], False),
    ([LOST], [GOOD] * 4, False),
    ([LOST], [LOST] + [GOOD] * 3, False),
    ([LOST], [GOOD] + [LOST] * 3, True),
    ([LOST] * 2, [GOOD] * 4, False),
    ([LOST] * 2, [], True),
    ([LOST] * 3, [GOOD] * 4, True),
    ([LOST], [LOST] * 2 + [GOOD] * 3, True),
    ([LOST], [GOOD] + [LOST] * 2 + [GOOD], False),
    ([GOOD], [LOST] * 4, False),
])
def test_a_redesign_shows_on_older_posts_or_on_several_new_ones(new, others, is_one):
    assert has_changed(new, others) is is_one


def test_new_rules_must_be_borne_out_by_the_feed():
    placed = Fit(is_told=True, is_placed=True)
    assert not reads_better([placed] * 3, [LOST] * 3)
    assert not reads_better([], [])
    assert reads_better([GOOD] * 3, [LOST] * 3)
    assert not reads_better([GOOD] * 3, [GOOD] * 3)


def test_the_mean_of_nothing_is_nothing():
    assert mean_score([]) == 0.0
