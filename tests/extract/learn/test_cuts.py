from __future__ import annotations

import numpy as np

from everlog.core.layout import Layout, Vocabulary
from everlog.core.signatures import Signatures
from everlog.core.tree import parse
from everlog.extract.article.cuts_learn import Evidence, Marked, Table, f1, prefix_sums


class Blog:
    """Pages whose article is everything inside `.t` elements; the node is the element `.entry`."""

    def __init__(self, *pages: str, is_guessed: bool = False) -> None:
        vocabulary = Vocabulary()
        layouts = [Layout(parse(f"<div class=entry>{page}</div>".encode()), vocabulary) for page in pages]
        spellings = list(vocabulary)
        self.pages = []
        for layout in layouts:
            mask = np.array([_is_text(layout, home) for home in layout.home], np.bool_)
            self.pages.append(Marked.make(layout, mask, int(mask.sum())))
        self.tops = [layout.tags.index("div") for layout in layouts]
        table = Table(self.pages, [Signatures(layout, spellings) for layout in layouts], self.tops)
        self.evidence = Evidence(table, self.tops, is_guessed=is_guessed)
        self.cuts, self.keeps = self.evidence.signatures()

    def score(self, page: int) -> float:
        """Likeness of a page's node to its article with the cuts that the other pages teach."""
        return f1(self.evidence.kept(page, *self.evidence.decide(without=page)), self.pages[page])


def _is_text(layout: Layout, home: int) -> bool:
    return any("t" in (layout.elements[e].get("class") or "").split() for e in (home, *layout.ancestors(home)))


def post(number: int, noise: str) -> str:
    words = " ".join(f"w{number}x{place}" for place in range(20))
    return f"<p class=t>{words}</p>{noise}"


def test_a_name_that_is_foreign_on_every_page_is_cut():
    blog = Blog(*(post(n, f"<div class=share>share number{n}</div>") for n in range(4)))
    assert "div.share" in blog.cuts
    assert "p.t" not in blog.cuts


def test_each_page_is_judged_by_what_the_others_teach():
    blog = Blog(*(post(n, f"<div class=share>share number{n}</div>") for n in range(4)))
    assert [blog.score(n) for n in range(4)] == [1.0] * 4


def test_what_stands_on_one_page_only_teaches_nothing():
    blog = Blog(post(0, "<div class=odd>just here</div>"), *(post(n, "") for n in range(1, 4)))
    assert "div.odd" not in blog.cuts


def test_a_name_that_is_mostly_article_is_not_cut():
    noise = "<div class=box><p class=t>mine</p></div>"
    pages = [post(n, noise) for n in range(3)] + [post(n, "<div class=box>foreign</div>") for n in (3, 4)]
    assert "div.box" not in Blog(*pages).cuts


def test_noise_without_a_name_is_cut_by_its_label():
    blog = Blog(*(post(n, "<section><h3>Related posts</h3></section>") for n in range(4)))
    assert any(cut.startswith("=") for cut in blog.cuts)
    assert [blog.score(n) for n in range(4)] == [1.0] * 4


def test_later_kinds_are_not_asked_where_a_name_already_cuts():
    blog = Blog(*(post(n, "<div class=share>share this</div>") for n in range(4)))
    assert blog.cuts == ("div.share",)


def test_two_pages_are_enough_where_there_are_no_more():
    assert "div.share" in Blog(*(post(n, "<div class=share>share</div>") for n in range(2))).cuts


def test_a_guessed_truth_needs_more_pages_as_evidence():
    pages = [post(n, "<b>aside from the author</b>" if n < 3 else "") for n in range(10)]
    assert any("b" in cut for cut in Blog(*pages).cuts)
    assert not Blog(*pages, is_guessed=True).cuts


def test_pages_without_the_node_are_passed_over():
    blog = Blog(*(post(n, "<div class=share>share</div>") for n in range(3)))
    table = blog.evidence.table
    evidence = Evidence(table, [*blog.tops[:2], None])
    assert "div.share" in evidence.signatures()[0]


def test_likeness_is_between_nothing_and_one():
    blog = Blog(post(0, "<i>x</i>"))
    page = blog.pages[0]
    assert f1(page.mask, page) == 1.0
    assert f1(np.zeros(len(page.mask), np.bool_), page) == 0.0
    assert 0 < f1(page.words_of(0), page) < 1


def test_prefix_sums_make_any_stretch_one_subtraction():
    sums = prefix_sums(np.array([True, False, True, True]))
    assert sums.tolist() == [0, 1, 1, 2, 3]
