"""The reader of what was written down by hand about real blogs, on a blog made for it."""

from __future__ import annotations

import json

import pytest

from completeness_by_hand import entries, expectation, key_of, may_be_named
from everlog.evaluate.corpus import read_blog

HOST = "blog.example.net"
PAGES = {
    "index.html": """
        <h2><a href="/2020/first/">First</a></h2> <h2><a href="2020/second/index.html">Second</a></h2>
        <a href="/about/">about</a> <div class="body">once <a href="/2020/told/">told</a></div>""",
    "2020/first/index.html": """
        <link rel="next" href="http://www.blog.example.net/2020/third"> <a href="http://old.example.net/2020/fourth/">4</a>
        <div class="body"><a href="/2020/in-a-text/">see there</a></div>""",
    "tag/a/feed/index.html": "<rss><channel><item><link>http://blog.example.net/2020/of-a-tag/</link></item></channel></rss>",
    "left/index.html": '<a href="/2020/nobody-leads-here/">x</a>',
    "feed.xml": "<rss><channel><item><link>http://blog.example.net/2020/fed/</link></item></channel></rss>",
    "sitemap.xml": "<urlset><url><loc>http://blog.example.net/2020/mapped/</loc></url></urlset>",
}
ENTRY = {
    "answer": "no", "posts": r"/2020/[^/]+/?(index\.html)?", "not": r"/2020/told/", "text": ["body"],
    "unlinked": ["left/*"], "hosts": r"old\.example\.net", "why": "made",
}


@pytest.fixture
def blog(tmp_path):
    for name, text in PAGES.items():
        file = tmp_path / "site" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (tmp_path / "blog.json").write_text(json.dumps({"origin": f"http://{HOST}/", "feed": "/feed.xml"}), "utf-8")
    (tmp_path / "truth.jsonl").write_text("", "utf-8")
    return read_blog(tmp_path)


def paths(entry, blog):
    return {path for _, path in expectation(entry, blog).missing}


def test_missing_is_what_pages_and_the_feed_list_and_no_file_answers_for(blog):
    assert paths(ENTRY, blog) == {"/2020/second", "/2020/third", "/2020/fourth", "/2020/fed"}


def test_files_that_list_posts_can_be_named(blog):
    assert paths({**ENTRY, "from": ["sitemap.xml"]}, blog) == {"/2020/mapped", "/2020/fed"}


def test_links_that_list_posts_can_be_named(blog):
    assert paths({**ENTRY, "links": "//h2//a"}, blog) == {"/2020/second", "/2020/fed"}


def test_posts_that_no_rule_tells_are_told_by_their_paths(blog):
    assert "/2020/eighth" in paths({**ENTRY, "also": ["/2020/eighth/"]}, blog)


def test_an_address_in_a_text_may_be_named_if_it_is_like_a_post_and_dead(blog):
    assert may_be_named(ENTRY, blog, f"http://{HOST}/2020/in-a-text/")
    assert not may_be_named(ENTRY, blog, f"http://{HOST}/2020/told/")
    assert not may_be_named(ENTRY, blog, f"http://{HOST}/2020/first/")
    assert not may_be_named(ENTRY, blog, f"http://{HOST}/about/")
    assert may_be_named({**ENTRY, "unclear": "/about/"}, blog, f"http://{HOST}/about/")


def test_other_names_of_the_blog_give_the_same_key(blog):
    assert key_of(ENTRY, blog, "http://old.example.net/2020/x/") == key_of(ENTRY, blog, f"http://{HOST}/2020/x")


def test_each_entry_has_an_answer_a_reason_and_no_word_that_means_nothing(tmp_path):
    told = entries()
    assert len(told) == 84
    assert all(entry["why"] for entry in told.values())
    # The files leave it open whether a dead address in a text is a post's: of few blogs only.
    assert sum(isinstance(entry["answer"], list) for entry in told.values()) <= 5
    file = tmp_path / "told.json"
    file.write_text(json.dumps({"a": {**ENTRY, "form": "new"}}), "utf-8")
    with pytest.raises(ValueError, match="form"):
        entries(file)
