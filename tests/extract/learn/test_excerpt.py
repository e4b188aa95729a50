from __future__ import annotations

import numpy as np

from everlog.core.layout import Layout, Vocabulary
from everlog.core.tree import parse
from everlog.core.words import words
from everlog.extract.article.align import align
from everlog.extract.article.excerpt import Clues, excerpt_start, guess_articles


def guessed(*pages: tuple[str, str], own: str = "") -> list[str]:
    """The words guessed to be article, of pages given with their excerpts."""
    vocabulary = Vocabulary()
    layouts = [Layout(parse(page.encode()), vocabulary) for page, _ in pages]
    own_words = [vocabulary[word] for word in words(own)]
    clues = []
    for layout, (_, excerpt) in zip(layouts, pages, strict=True):
        mask = align(layout.words, np.array([vocabulary[word] for word in words(excerpt)], np.int32))
        begin = excerpt_start(mask)
        clues.append(Clues(layout=layout, url="https://a.blog/x", excerpt=mask, own_words=own_words, begin=begin))
    spellings = list(vocabulary)
    digits = np.array([word.isdigit() for word in spellings], np.bool_)
    masks = guess_articles(clues, digits)
    return [
        " ".join(spellings[word] for word in layout.words[mask]) for layout, mask in zip(layouts, masks, strict=True)
    ]


def page(first: str, rest: str, more: str = "") -> tuple[str, str]:
    markup = (
        f"<nav><a href=/>home</a> <a href=/about>about this blog</a></nav><p>{first}</p>{rest}{more}"
        "<p>all rights reserved by the owners of this blog</p>"
    )
    return markup, first


POSTS = [
    ("red foxes run over hills", "and they sleep under green trees", "lovely animals"),
    ("blue whales swim below ships", "but nobody hears them sing tonight", "how sad that is"),
    ("old books smell of vanilla", "because paper slowly falls apart there", "my nose agrees"),
    ("cold tea tastes like regret", "unless someone adds lemon or sugar", "never heard such nonsense"),
    ("tall ladders lean against walls", "waiting until painters come back again", "buy cheap ladders"),
]


def test_the_article_goes_on_where_the_excerpt_ends():
    pages = [page(first, f"<p>{rest}</p>") for first, rest, _ in POSTS]
    assert guessed(*pages) == [f"{first} {rest}" for first, rest, _ in POSTS]


def test_what_stands_before_the_excerpt_is_not_article():
    first = [("<p>unique words in front</p><p>red foxes run over hills</p>", "red foxes run over hills")]
    assert guessed(*first, page("a b c d", "<p>e f</p>"))[0] == "red foxes run over hills"


def test_links_to_the_blog_itself_are_navigation_and_links_elsewhere_are_sources():
    pages = [
        page("red foxes run over hills", "<p><a href=https://fox.example/>a study of foxes</a></p><p>so it ends</p>",
             "<p><a href=/next>newer post about whales</a></p>"),
        page("blue whales swim below ships", "<p>sing tonight</p>"),
    ]  # fmt: skip
    assert guessed(*pages)[0] == "red foxes run over hills a study of foxes so it ends"


def test_comments_are_not_article():
    pages = [page(first, f"<p>{rest}</p>", f"<div id=comments><p>{said}</p></div>") for first, rest, said in POSTS]
    assert guessed(*pages)[0] == "red foxes run over hills and they sleep under green trees"


def test_what_follows_a_heading_of_comments_is_not_article():
    pages = [
        page(first, f"<section><p>{rest}</p><h2 id=comments>Replies</h2><p>{said}</p></section>")
        for first, rest, said in POSTS
    ]
    assert guessed(*pages)[0] == "red foxes run over hills and they sleep under green trees"


def test_a_short_repeated_block_between_good_ones_is_a_habit_of_the_writer():
    pages = [page(first, f"<p>Update</p><p>{rest}</p>") for first, rest, _ in POSTS[:2]]
    pages += [page(first, f"<p>{rest}</p>") for first, rest, _ in POSTS[2:]]
    assert guessed(*pages)[0] == "red foxes run over hills update and they sleep under green trees"


def test_a_block_that_most_pages_show_is_design_wherever_it_stands():
    pages = [page(first, f"<p>Advertisement</p><p>{rest}</p>") for first, rest, _ in POSTS]
    assert guessed(*pages)[0] == "red foxes run over hills and they sleep under green trees"


def test_a_page_on_which_the_excerpt_is_not_found_is_guessed_from_the_others():
    pages = [page("red foxes run", "<p>they sleep</p>"), page("blue whales swim", "<p>they sing</p>")]
    lost = (pages[0][0].replace("red foxes run", "grey wolves walk"), "entirely other summary")
    assert "grey wolves walk" in guessed(lost, pages[1])[0]


def test_an_excerpt_starts_at_its_first_marked_word():
    assert excerpt_start(np.array([False, True, True])) == 1
    assert excerpt_start(np.array([False, False])) is None
