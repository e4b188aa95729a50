"""A blog without a feed: its posts are found, recognised and read like those of any other."""

from __future__ import annotations

import pytest
from a_feedless_blog import HOME, FeedlessBlog, sentence, title_of
from hypothesis import given, settings
from hypothesis import strategies as st

from everlog.core.tree import parse
from everlog.errors import NothingToLearn
from everlog.extract.feedless import Explorer, learn_explored, made_up_feed, recognise
from everlog.extract.feedless.explorer import MOST_PAGES
from everlog.extract.feedless.feedless_titles import guess_titles
from everlog.markup.view import View
from everlog.records import Post


def walked(pages: dict[str, bytes], home: str = HOME) -> Explorer:
    explorer = Explorer(home)
    while (url := explorer.next()) is not None:
        if url in pages:
            explorer.take(url, pages[url])
    return explorer


def recognised(blog: FeedlessBlog) -> set[str]:
    return {page.url for page in recognise(walked(blog.pages()).pages, HOME)}


class TestExploring:
    def test_the_walk_begins_at_the_home_page_and_asks_for_no_page_twice(self) -> None:
        explorer = Explorer(HOME)
        pages, asked = FeedlessBlog().pages(), []
        while (url := explorer.next()) is not None:
            asked.append(url)
            if url in pages:
                explorer.take(url, pages[url])
        assert asked[0] == HOME
        assert len(asked) == len(set(asked))
        assert set(pages) == {page.url for page in explorer.pages}

    def test_the_walk_ends_when_enough_was_seen(self) -> None:
        assert len(walked(FeedlessBlog(posts=200).pages()).pages) == MOST_PAGES

    def test_a_large_blog_is_not_known_by_its_lists_alone(self) -> None:
        blog = FeedlessBlog(posts=100)
        blog.extra = {f"{HOME}tag/t{n}/": blog.listing([n]) for n in range(60)}
        blog.extra[HOME] = blog.listing(range(30)) + "".join(f"<a href='/tag/t{n}/'>t{n}</a>" for n in range(60))
        posts = {blog.url(n) for n in range(100)}
        assert len([page for page in walked(blog.pages()).pages if page.url in posts]) >= 15

    def test_a_page_that_cannot_be_read_is_passed_over(self) -> None:
        explorer = Explorer(HOME)
        explorer.take(HOME, b"   ")
        explorer.take(HOME, b"")
        assert explorer.pages == []


class TestRecognising:
    def test_posts_are_told_from_lists_tags_and_pages_beside_them(self) -> None:
        blog = FeedlessBlog()
        assert recognised(blog) == {blog.url(number) for number in range(12)}

    def test_posts_at_the_root_are_told_from_pages_at_the_root(self) -> None:
        blog = FeedlessBlog(root_slugs=True)
        assert recognised(blog) == {blog.url(number) for number in range(12)}

    def test_posts_without_dates_are_told_by_the_lists_that_lead_to_them(self) -> None:
        blog = FeedlessBlog(root_slugs=True, dated=False)
        assert recognised(blog) == {blog.url(number) for number in range(12)}

    def test_lists_without_headings_are_told_by_their_links(self) -> None:
        blog = FeedlessBlog(headed=False)
        assert recognised(blog) == {blog.url(number) for number in range(12)}

    def test_of_two_addresses_of_one_post_one_is_taken(self) -> None:
        blog = FeedlessBlog()
        copy = blog.post(3).replace("<head>", f"<head><link rel='canonical' href='{blog.url(3)}'>")
        blog.extra = {HOME + "?p=3": copy, HOME: blog.listing(range(12)) + "<a href='/?p=3'>short</a>"}
        assert recognised(blog) == {blog.url(number) for number in range(12)}

    def test_a_page_that_calls_itself_a_page_is_none(self) -> None:
        blog = FeedlessBlog(root_slugs=True)
        blog.extra = {blog.url(5): blog.post(5).replace("<body>", "<body class='page page-id-5'>")}
        assert blog.url(5) not in recognised(blog)

    @pytest.mark.parametrize("folder", ["topics", "pages", "archive"])
    def test_posts_whose_addresses_others_give_to_lists_are_recognised(self, folder: str) -> None:
        blog = FeedlessBlog()
        moved = {url: page.replace(b"/2021/", f"/{folder}/2021/".encode()) for url, page in blog.pages().items()}
        pages = {url.replace("/2021/", f"/{folder}/2021/"): page for url, page in moved.items()}
        found = {page.url for page in recognise(walked(pages).pages, HOME)}
        assert found == {blog.url(number).replace("/2021/", f"/{folder}/2021/") for number in range(12)}

    def test_a_page_that_led_out_of_the_blog_is_left(self) -> None:
        explorer = Explorer(HOME)
        explorer.take("https://other.example/", b"<p>Another blog")
        assert explorer.pages == []

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.binary(max_size=300), max_size=6))
    def test_any_bytes_are_survived(self, bodies: list[bytes]) -> None:
        explorer = Explorer(HOME)
        for number, body in enumerate(bodies):
            explorer.take(f"{HOME}{number}", b"<p>" + body)
        assert set(recognise(explorer.pages, HOME)) <= set(explorer.pages)


class TestTitles:
    def views(self, pages: list[str]) -> list[View]:
        return [View(parse(page.encode()), f"{HOME}p/{number}") for number, page in enumerate(pages)]

    def test_the_heading_that_the_pages_own_name_holds_is_the_title(self) -> None:
        names = ["Rain at last", "Snow by night", "Fog on the hill"]
        pages = [f"<title>{n} - Blog</title><h1>Blog</h1><h2>{n}</h2><p>x<h2>Section of {n}</h2>" for n in names]
        assert guess_titles(self.views(pages), {}) == names

    def test_links_to_a_page_speak_where_its_name_is_silent(self) -> None:
        names = ["Rain at last", "Snow by night", "Fog on the hill"]
        pages = [f"<title>Blog</title><h1>Blog</h1><h3>Menu {n}</h3><h3 class='a'>{n}</h3>" for n in names]
        links = {f"{HOME}p/{n}": frozenset((name.lower(),)) for n, name in enumerate(names)}
        assert guess_titles(self.views(pages), links) == names

    def test_a_title_that_holds_the_mark_of_the_blogs_name_is_kept_whole(self) -> None:
        names = ["Rain - and snow", "Night: a story", "Fog", "Wind"]
        pages = [f"<title>{n} - Blog</title><p>text" for n in names]
        assert guess_titles(self.views(pages), {}) == names

    def test_a_page_that_names_nothing_has_no_title(self) -> None:
        assert guess_titles(self.views(["<p>one", "<p>two"]), {}) == [None, None]


class TestLearning:
    def test_posts_that_were_not_looked_at_are_read(self) -> None:
        blog = FeedlessBlog(posts=80)
        pages = blog.pages()
        explorer = walked(pages)
        learned = learn_explored(explorer)
        unseen = [n for n in range(80) if blog.url(n) not in {page.url for page in explorer.pages}]
        assert len(unseen) > 20
        for number in unseen:
            post = learned.template.read(pages[blog.url(number)], blog.url(number))
            assert isinstance(post, Post)
            assert post.title == title_of(number)
            assert post.text == "\n\n".join(sentence(number * 10 + part, 30) for part in range(3))
            assert post.published is not None
            assert post.published.date().isoformat() == f"2021-05-{number % 27 + 1:02}"

    def test_the_judge_tells_pages_that_were_not_looked_at(self) -> None:
        blog = FeedlessBlog(posts=80, root_slugs=True)
        pages = blog.pages()
        classifier = learn_explored(walked(pages)).classifier
        kinds = {url: classifier.verdict(url, page).kind for url, page in pages.items()}
        assert {url for url, kind in kinds.items() if kind == "post"} == {blog.url(n) for n in range(80)}

    def test_the_made_up_feed_names_the_blog_and_its_posts(self) -> None:
        blog = FeedlessBlog()
        feed = made_up_feed(walked(blog.pages()).pages, HOME)
        assert feed.title == "Quiet Days"
        assert {entry.link: entry.title for entry in feed.entries} == {blog.url(n): title_of(n) for n in range(12)}

    def test_pages_without_a_post_say_what_to_do(self) -> None:
        with pytest.raises(NothingToLearn, match="--feed"):
            learn_explored(walked({HOME: b"<p>Nothing <a href='/about/'>here</a>", HOME + "about/": b"<p>Me"}))
