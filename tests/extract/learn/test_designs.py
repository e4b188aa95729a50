"""Where articles stand, on blogs of all sorts; each is read on a page that no feed showed."""

from __future__ import annotations

import pytest

import a_blog
from everlog import Post, learn

ADDRESS = a_blog.url(9)
SHARE = "<div class=share>Share this post with all of your friends</div>"
RELATED = "<div class=related><h3>You may also like</h3><ul><li><a href=/1>Post one</a></li></ul></div>"


def reread(template, body: bytes) -> str:
    outcome = template.read(body, ADDRESS)
    assert isinstance(outcome, Post)
    return outcome.text


def method(template, body: bytes) -> str:
    return template.read(body, ADDRESS).provenance["text"].method


def test_a_full_feed_teaches_the_article_exactly():
    template = learn(a_blog.feed(), a_blog.pages())
    assert reread(template, a_blog.page(9)) == a_blog.text(9)
    assert method(template, a_blog.page(9)) == "feed-text"
    assert template.designs[0].score == 1.0
    assert template.designs[0].right == template.designs[0].judged
    assert 0.95 < template.designs[0].confidence < 1.0


def test_a_full_feed_teaches_what_to_cut():
    template = learn(a_blog.feed(), a_blog.pages(noise=SHARE + RELATED))
    assert reread(template, a_blog.page(9, noise=SHARE + RELATED)) == a_blog.text(9)


def test_what_is_only_sometimes_there_is_cut_all_the_same():
    pages = {**a_blog.pages([1, 2, 3], noise=SHARE), **a_blog.pages([4, 5])}
    assert reread(learn(a_blog.feed(), pages), a_blog.page(9, noise=SHARE)) == a_blog.text(9)


def test_a_feed_of_excerpts_teaches_the_whole_article():
    template = learn(a_blog.excerpts(), a_blog.pages())
    assert reread(template, a_blog.page(9)) == a_blog.text(9)
    assert method(template, a_blog.page(9)) == "excerpt"


def test_a_feed_of_excerpts_does_not_teach_the_first_paragraph():
    feed = a_blog.rss(a_blog.item(n, f"<p>{a_blog.paragraphs(n)[0]}</p>") for n in a_blog.NUMBERS)
    assert reread(learn(feed, a_blog.pages()), a_blog.page(9)) == a_blog.text(9)


def test_a_feed_of_excerpts_leaves_out_share_buttons():
    template = learn(a_blog.excerpts(), a_blog.pages(noise=SHARE))
    assert reread(template, a_blog.page(9, noise=SHARE)) == a_blog.text(9)


def test_whole_texts_teach_where_the_feed_mixes_them_with_excerpts():
    items = [*map(a_blog.item, (1, 2, 3)), a_blog.item(4, "a short summary in other words"), a_blog.item(5, "")]
    template = learn(a_blog.rss(items), a_blog.pages(noise=SHARE))
    assert method(template, a_blog.page(9)) == "feed-text"
    assert reread(template, a_blog.page(9, noise=SHARE)) == a_blog.text(9)


@pytest.mark.parametrize("feed", [a_blog.feed(), a_blog.excerpts()], ids=["full", "excerpts"])
def test_ids_and_classes_with_a_posts_number_do_not_break_a_rule(feed):
    def numbered(number: int) -> bytes:
        names = f'class="post-{1300 + number} hentry" id="post-{1300 + number}"'.encode()
        return a_blog.page(number).replace(b"class=entry", names)

    template = learn(feed, {a_blog.url(n): numbered(n) for n in a_blog.NUMBERS})
    assert reread(template, numbered(9)) == a_blog.text(9)


def test_unclosed_markup_is_learned_as_browsers_read_it():
    def loose(number: int) -> str:
        return "".join(f"<p>{paragraph}" for paragraph in a_blog.paragraphs(number))

    pages = {a_blog.url(n): a_blog.page(n, loose(n)).replace(b"</div>", b"", 1) for n in a_blog.NUMBERS}
    template = learn(a_blog.feed(), pages)
    assert a_blog.text(9) in reread(template, a_blog.page(9, loose(9)).replace(b"</div>", b"", 1))


def test_one_entry_teaches():
    assert reread(learn(a_blog.feed([1]), a_blog.pages([1])), a_blog.page(9)) == a_blog.text(9)


def test_two_entries_teach_cuts():
    template = learn(a_blog.feed([1, 2]), a_blog.pages([1, 2], noise=SHARE))
    assert reread(template, a_blog.page(9, noise=SHARE)) == a_blog.text(9)


def test_short_posts_are_learned_from_the_blog_as_a_whole():
    def short(number: int) -> str:
        return f"<p>{' '.join(a_blog.paragraphs(number)[0].split()[:6])}</p>"

    feed = a_blog.rss(a_blog.item(n, short(n)) for n in a_blog.NUMBERS)
    pages = {a_blog.url(n): a_blog.page(n, short(n)) for n in a_blog.NUMBERS}
    assert reread(learn(feed, pages), a_blog.page(9, short(9))) == " ".join(a_blog.paragraphs(9)[0].split()[:6])


def old(number: int) -> bytes:
    """The same posts in the design the blog had before."""
    return (
        f"<html><body><table class=frame><tr><td class=left>{a_blog.sentence(f'left{number}', 500)}</td>"
        f"<td class=story>{a_blog.article(number)}</td></tr></table><div class=entry>Our blog has moved, look</div>"
    ).encode()


def test_two_designs_of_one_blog_are_both_read():
    template = learn(a_blog.feed(), {**a_blog.pages([1, 2, 3, 4]), a_blog.url(5): old(5)})
    assert reread(template, a_blog.page(9)) == a_blog.text(9)
    assert reread(template, old(8)) == a_blog.text(8)
    assert any(design.tells for design in template.designs)


def test_code_line_numbers_that_the_feed_lacks_are_cut():
    def lines(number: int) -> str:
        return "\n".join(f"let {word} = {number}" for word in a_blog.sentence(f"code{number}", 8).split())

    def code(number: int, gutter: str) -> str:
        return f"{a_blog.article(number)}<table><tr>{gutter}<td class=code><pre>{lines(number)}</pre></table>"

    gutter = f"<td class=gutter><pre>{' '.join(map(str, range(11, 19)))}</pre></td>"
    feed = a_blog.rss(a_blog.item(n, code(n, "")) for n in a_blog.NUMBERS)
    pages = {a_blog.url(n): a_blog.page(n, code(n, gutter)) for n in a_blog.NUMBERS}
    assert reread(learn(feed, pages), a_blog.page(9, code(9, gutter))) == f"{a_blog.text(9)}\n\n{lines(9)}"


def test_a_table_of_contents_that_the_feed_lacks_is_cut():
    def parts(number: int) -> str:
        one, two, *_ = a_blog.paragraphs(number)
        return f"<h2>First {a_blog.sentence(f'h{number}', 3)}</h2><p>{one}</p><h2>Then</h2><p>{two}</p>"

    def contents(number: int) -> str:
        return f"<ul class=toc><li>First {a_blog.sentence(f'h{number}', 3)}</li><li>Then</li></ul>"

    feed = a_blog.rss(a_blog.item(n, parts(n)) for n in a_blog.NUMBERS)
    pages = {a_blog.url(n): a_blog.page(n, contents(n) + parts(n)) for n in a_blog.NUMBERS}
    text = reread(learn(feed, pages), a_blog.page(9, contents(9) + parts(9)))
    assert text.count("Then") == 1
    assert text.startswith("First")
