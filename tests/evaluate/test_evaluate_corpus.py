from __future__ import annotations

from datetime import date

import pytest

from everlog.errors import UsageError
from everlog.evaluate.corpus import find_blogs, read_blog


@pytest.mark.parametrize(
    "link",
    [
        "http://tiny.example/2024/two/",
        "https://tiny.example/2024/two",
        "/2024/two/",
        "//tiny.example/2024/two/",
        "http://tiny.example//2024//two/index.html",
        "http://TINY.example/2024/two/?utm_source=rss#more",
        "http://localhost:4000/2024/two/",
        "http://an.older.name.example/2024/%74wo/",
        " http://tiny.example/2024/two/\n",
    ],
)
def test_a_feed_link_in_any_spelling_leads_to_its_page(make_blog, link):
    assert len(make_blog().linked_pages([link])) == 1


@pytest.mark.parametrize(
    "link",
    [
        None, "", "/", "http://tiny.example", "/index.html", "/2024/never/", "http://[broken/", "/\0",
        "/../blog.json",
    ],
)
def test_dead_links_and_links_to_the_home_page_give_no_page(make_blog, link):
    assert make_blog(files={"index.html": "home"}).linked_pages([link]) == {}


def test_a_page_is_known_under_the_feeds_link_made_absolute(make_blog):
    assert list(make_blog().linked_pages(["/2024/one/"])) == ["http://tiny.example/2024/one/"]


def test_a_file_with_a_raw_unicode_name_is_found_by_its_encoded_link(make_blog):
    blog = make_blog(files={"海/index.html": "x", "%E5%B1%B1.html": "y"})
    assert blog.page("http://tiny.example/%E6%B5%B7/") == b"x"
    assert blog.page("http://tiny.example/%E5%B1%B1") == b"y"


def test_a_blog_below_a_path_may_have_its_files_without_that_path(make_blog):
    blog = make_blog(origin="http://tiny.example/blog", feed="/blog/feed.xml")
    assert blog.feed_url == "http://tiny.example/blog/feed.xml"
    assert blog.feed().startswith(b"<rss")
    assert blog.page("http://tiny.example/blog/2024/two/")


def test_a_feed_without_a_file_is_named_in_the_error(make_blog):
    with pytest.raises(UsageError, match=r"/nowhere\.xml has no file"):
        make_blog(feed="/nowhere.xml").feed()


def test_only_reachable_posts_outside_the_feed_count(make_blog):
    assert [row.title for row in make_blog().truth() if row.counts] == ["Two", "Three"]


def test_all_spellings_of_a_posts_address_have_one_key(make_blog):
    blog = make_blog(alias_hosts=["other.example"])
    spellings = (
        "http://tiny.example/a/b/", "https://www.tiny.example:80/a//b", "http://tiny.example/a/b.html",
        "http://other.example/a/b/index.html", "http://tiny.example/a/%62",
    )
    assert len({blog.key(spelling) for spelling in spellings}) == 1
    assert blog.key("http://elsewhere.example/a/b") != blog.key(spellings[0])


def test_truth_is_read_in_all_its_forms(make_blog):
    rows = [
        {"url": "http://tiny.example/a", "author": [{"name": "Ada"}, {"name": None}], "date": "2024-02-30"},
        {"url": "http://tiny.example/b", "author": "Ada", "date": "2024-02-29T23:00:00-08:00"},
        {"url": "http://tiny.example/c", "author": ["Ada", "Bo"], "date_is_updated": True,
         "date": "2024-02-29"},
        {"url": "http://tiny.example/d", "text": "x", "coverage": 0.9},
        {"url": "http://tiny.example/e", "text": "x", "length_ratio": 0.3},
        {"url": "http://tiny.example/f", "comments": [{"author": "Cy", "date": "2024-03-01", "text": "Hm."}]},
    ]
    a, b, c, d, e, f = make_blog(rows=rows).truth()
    assert (a.authors, b.authors, c.authors) == (("Ada",), ("Ada",), ("Ada", "Bo"))
    assert (a.published, b.published, c.published) == (None, date(2024, 2, 29), None)
    assert (a.text_is_whole, d.text_is_whole, e.text_is_whole) == (True, False, False)
    assert f.comments[0].published == date(2024, 3, 1)
    assert not f.comments_complete


def test_aliases_are_tried_after_the_posts_own_address(make_blog):
    rows = [{"url": "http://tiny.example/a", "aliases": ["/archive/a.html"]}]
    blog = make_blog(rows=rows)
    assert [path for _, path in blog.keys(next(blog.truth()))] == ["/a", "/archive/a"]


def test_a_folder_of_blogs_and_a_single_blog_are_both_found(make_blog):
    blog = make_blog()
    assert [found.id for found in find_blogs([blog.folder.parent])] == ["tiny"]
    assert [found.id for found in find_blogs([blog.folder])] == ["tiny"]


def test_a_folder_that_is_no_corpus_says_what_to_do(tmp_path):
    with pytest.raises(UsageError, match="try examples/corpus"):
        find_blogs([tmp_path])
    with pytest.raises(UsageError, match="is not a folder"):
        find_blogs([tmp_path / "nowhere"])


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"origin": "http://a.example"}'])
def test_a_broken_blog_json_is_named_in_the_error(tmp_path, content):
    (tmp_path / "blog.json").write_text(content)
    with pytest.raises(UsageError, match=r"blog\.json cannot be used"):
        read_blog(tmp_path)


def test_a_blog_without_truth_is_an_error(tmp_path):
    (tmp_path / "blog.json").write_text('{"origin": "http://a.example", "feed": "/feed"}')
    with pytest.raises(UsageError, match=r"has no truth\.jsonl"):
        read_blog(tmp_path)


@pytest.mark.parametrize(
    "row", [{"title": "no address"}, [], {"url": "u", "tags": 5}, {"url": "u", "comments": "x"}],
)
def test_a_broken_line_of_truth_is_named_in_the_error(make_blog, row):
    with pytest.raises(UsageError, match=r"tiny/truth\.jsonl line 2"):
        list(make_blog(rows=[{"url": "http://tiny.example/a"}, row]).truth())
