"""The first page: all blogs with what is held of each."""

from __future__ import annotations

import re
from html import unescape

from everlog.archive import open_archive
from web.served_archive import Served, serving
from web.some_blogs import add_posts


def test_a_blog_has_its_figures_and_a_drawing_with_words(served: Served):
    text = served.page("/").text
    assert "<dd>1</dd>" in text
    assert "Complete" in text
    assert 'href="/blog/a.example"' in text
    assert "style=" not in text


def test_the_drawing_is_of_the_months_of_a_blogs_posts(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, "http://long.example/", 30, title="Long")
        with serving(archive) as served:
            text = served.page("/").text
            assert 'aria-label="Posts from January 2020 to October 2020, at most 4 a month"' in text
            assert "<dd>30</dd>" in text


def test_many_blogs_have_pages(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        for number in range(70):
            archive.blogs.add(f"http://b{number}.example/", scope="path")
        forgotten = archive.blogs.find("http://b69.example/")
        archive.blogs.update(forgotten.id, forgotten_at=forgotten.added_at)
        with serving(archive) as served:
            found, query = [], "/"
            while query:
                text = served.page(query).text
                assert "69 blogs" in text
                found += re.findall(r'href="/blog/([^"]*)"', text)
                following = re.search(r'<a href="(\?[^"]*)" rel="next"', text)
                query = "/" + unescape(following[1]) if following else ""
            assert found == [f"b{number}.example" for number in range(69)]
            assert "no further blogs" in served.page("/?after=99999").text
            assert served.page("/?after=x").status == 200
