"""Noise left and content stripped, on a blog whose every word is known."""

from __future__ import annotations

import pytest

from papers.noise import FIGURES, RATIOS, Case, anchor_sweep, blog_shares, noise_table

TEXTS = {
    "one": "Rain fell on the harbour all day long.", "two": "Nobody could find the key to the shed.",
    "three": "Forty trees were planted by the railway.", "four": "A letter came from the cold north.",
}
PAGE = """<html><body><p>Menu of my blog</p><h1>The {name}</h1><p>{text}</p>
<ul><li><a href="/x">Another {name} story</a></li></ul><div id="comments"><p>{comment}</p></div></body></html>"""


def comment(name: str) -> str:
    return f"I liked the {name} best."


@pytest.fixture
def blog(make_blog):
    files = {
        f"2024/{name}/index.html": PAGE.format(name=name, text=text, comment=comment(name))
        for name, text in TEXTS.items()
    }
    rows = [
        {
            "url": f"http://tiny.example/2024/{name}/", "in_feed": name == "one", "title": f"The {name}", "text": text,
            "comments": [{"text": comment(name)}], "comments_complete": name != "four",
        }
        for name, text in TEXTS.items()
    ]
    return make_blog(files=files, rows=rows)


def shares(blog, case, posts="all", comments="noise"):
    return [share.figures for share in blog_shares(blog, [case]) if (share.posts, share.comments) == (posts, comments)]


def test_posts_outside_the_feed_count(blog):
    assert len(shares(blog, Case(1))) == 3


def test_an_uncleaned_page_has_all_its_noise_and_all_its_content(blog):
    stripped, left, removed = shares(blog, Case(0, 0.0))[0]
    # Of 22 words of the page 8 are the article's.
    assert (stripped, removed) == (0.0, 0.0)
    assert left == pytest.approx(14 / 22)


def test_cleaning_takes_what_repeats_and_link_lists(blog):
    stripped, left, removed = shares(blog, Case(1))[0]
    assert stripped == 0.0
    # The title and the comment stay: two and five words.
    assert left == pytest.approx(7 / 15)
    assert removed == pytest.approx(7 / 14)


def test_comments_count_as_content_where_all_are_known(blog):
    assert len(shares(blog, Case(1), "comments known")) == 2
    as_noise, as_content = (shares(blog, Case(1), "comments known", they_are)[0] for they_are in ("noise", "content"))
    assert as_noise == shares(blog, Case(1))[0]
    assert as_content[1] == pytest.approx(2 / 15)
    assert as_content[0] == 0.0


def test_content_that_is_stripped_is_counted(make_blog):
    files = {
        f"{name}/index.html": PAGE.format(name=name, text=TEXTS["two"], comment=comment(name))
        for name in ("post", "copy")
    }
    rows = [{"url": f"http://tiny.example/{name}/", "text": TEXTS["two"]} for name in ("post", "copy")]
    assert [figures[0] for figures in shares(make_blog(files=files, rows=rows), Case(1))] == [1.0, 1.0]


def test_the_table_has_a_row_for_every_number_of_pages_and_meaning_of_comments(blog):
    told = []
    rows = noise_table([blog], comparison=(1, 2), done=told.append)
    assert told == [blog.id]
    assert [(row["posts"], row["comments are"], row["comparison pages"]) for row in rows] == [
        (posts, comments, pages)
        for posts, comments in (("all", "noise"), ("comments known", "noise"), ("comments known", "content"))
        for pages in ("uncleaned", 1, 2)
    ]
    assert all(0 <= row[name] <= 1 for row in rows for name in FIGURES)
    assert rows[0]["blogs"] == 1
    assert rows[0]["of posts"] == 3


def test_the_sweep_goes_from_no_test_to_no_links_at_all(blog):
    rows = anchor_sweep([blog], pages=1)
    assert [row["text outside links"] for row in rows] == [f"{ratio:.1f}" for ratio in RATIOS]
    removed = [row["noise removed"] for row in rows]
    assert removed == sorted(removed)
    assert removed[0] < removed[-1]


def test_a_blog_without_known_articles_has_no_row(make_blog):
    blog = make_blog(rows=[{"url": "http://tiny.example/2024/two/", "title": "Two"}])
    assert noise_table([blog]) == []
    assert anchor_sweep([blog]) == []


def test_pages_that_are_lost_or_empty_do_not_count(make_blog):
    paths = ("2024/two", "nowhere", "empty", "blank")
    rows = [{"url": f"http://tiny.example/{path}/", "text": "Some text."} for path in paths]
    files = {"empty/index.html": "", "blank/index.html": " "}
    assert noise_table([make_blog(rows=rows, files=files)])[0]["of posts"] == 1


def test_two_runs_and_two_processes_say_the_same(blog):
    assert noise_table([blog, blog], jobs=2) == noise_table([blog, blog]) == noise_table([blog, blog])
