"""Which addresses and pages are posts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import a_blog
import everlog
from everlog.core.tree import parse
from everlog.errors import UnreadableTemplate
from everlog.extract.classify import PostClassifier, UrlPattern, canonical_link, identity, noarchive

A = "https://a.blog/"


def pattern(*paths: str, others: tuple[str, ...] = ()) -> UrlPattern:
    return UrlPattern.learn([A + path for path in paths], other_urls=[A + path for path in others], home=A)


# -- addresses ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("posts", "same", "different"),
    [
        (["2014/03/a-b/", "2013/11/c/"], ["2009/01/x", "2020/12/caf%C3%A9/"], ["2014/03/", "about/", "2014/03/a/b/"]),
        (["2014-03-05-a.html", "2013-01-01-b.html"], ["2020-12-31-c-d.html"], ["about.html", "2020-12-31-c/"]),
        (["?p=12", "?p=7"], ["?p=99999"], ["?page_id=2", "?p=x", ""]),
        (["posts/2024/a/", "posts/2024/b/"], ["posts/1999/c"], ["posts/2024/", "pages/2024/a"]),
        (["archives/123", "archives/456"], ["archives/7"], ["archives/about", "archives/"]),
        (["x/story_1234567.html", "y/tale_2345678.html"], ["z/some-9999999.html"], ["z/about.html"]),
        (["文章/世界/", "文章/你好/"], ["%E6%96%87%E7%AB%A0/x/"], ["x/世界/"]),
        (["index.php?id=3&view=post", "index.php?id=4&view=post"], ["index.php?view=post&id=17"], ["index.php?id=3"]),
    ],
)
def test_a_pattern_knows_the_addresses_of_its_kind(posts, same, different):
    learned = pattern(*posts)
    assert learned.specific
    assert [path for path in (*posts, *same) if not learned.matches(A + path)] == []
    assert [path for path in different if learned.matches(A + path)] == []


def test_slugs_at_the_root_are_a_pattern_that_says_little():
    learned = pattern("a/", "b-c/", "d/")
    assert learned.matches(A + "e-f")
    assert not learned.specific
    assert not learned.matches(A + "tag/x/")
    assert not learned.matches(A + "archive/")


def test_below_a_folder_that_is_the_home_a_slug_says_as_little():
    urls = [A + "blog/a/", A + "blog/b/"]
    assert UrlPattern.learn(urls, home=A).specific
    assert not UrlPattern.learn(urls, home=A + "blog/").specific


def test_scheme_www_and_host_make_no_difference():
    learned = pattern("2014/03/a/")
    assert learned.matches("http://www.a.blog/2015/04/b")
    assert learned.matches("http://localhost:4000/2015/04/b/index.html")


def test_a_post_of_its_own_kind_in_the_feed_does_not_widen_the_pattern():
    learned = pattern(*(f"posts/{word}/" for word in "abcdef"), "about/", "pages/contact/")
    assert learned.regex == "/posts/[^/?#]+"


def test_two_kinds_of_addresses_are_two_alternatives():
    learned = pattern("2014/03/a/", "2014/04/b/", "notes/1/", "notes/2/")
    assert all(learned.matches(A + path) for path in ("2010/01/x/", "notes/99/"))
    assert not learned.matches(A + "notes/x/")


def test_directories_of_other_pages_are_barred():
    learned = pattern("life/a/", "work/b/", "food/c/", others=("forum/x/", "forum/y/", "shop/z/"))
    assert learned.matches(A + "old/d/")
    assert not learned.matches(A + "forum/d/")
    assert not learned.matches(A + "tag/d/")
    assert not learned.matches(A + "2014/03/")


def test_a_listing_word_that_posts_use_is_not_held_against_them():
    assert pattern("archives/2014/03/a.html", "archives/2014/04/b.html").matches(A + "archives/2009/01/c.html")


def test_one_post_is_enough_for_a_pattern():
    assert pattern("2014/03/a/").matches(A + "2015/05/b/")


def test_nothing_is_like_a_post_where_no_post_is_known():
    assert not UrlPattern.learn([]).matches(A + "a")


def test_a_pattern_survives_json():
    learned = pattern("life/a/", "work/b/", "archive/c/", others=("forum/x/", "forum/y/"))
    assert UrlPattern.from_dict(json.loads(json.dumps(learned.to_dict()))) == learned


def test_no_address_keeps_a_pattern_busy():
    # With a repetition inside a repetition this test would not end.
    learned = pattern("x/story_1234567.html", "y/tale_2345678.html")
    assert not any(learned.matches(A + sign * 1_900) for sign in "1-a/x")
    assert not learned.matches(A + "x/" + "1" * 50_000 + ".html")


@given(st.lists(st.text(max_size=20), max_size=6), st.text(max_size=40))
def test_no_addresses_break_a_pattern(paths, other):
    learned = UrlPattern.learn([A + path for path in paths], home=A)
    learned.matches(A + other)
    assert UrlPattern.from_dict(learned.to_dict()) == learned


# -- pages --------------------------------------------------------------------------------------

HOME_PAGE = (
    "<html><body><nav><a href=/>Home</a> <a href=/about>About the blog</a></nav>"
    + "".join(f"<div class=teaser><h2><a href=/{n}>Post {n} of ours</a></h2></div>" for n in a_blog.NUMBERS)
    + "<div class=bottom>All rights are reserved</div></body></html>"
).encode()
ABOUT = (
    b"<html><body><nav><a href=/>Home</a></nav><div class=static><h1>About</h1><p>We write here.</p></div>"
    b"<div class=bottom>All rights are reserved</div></body></html>"
)


@pytest.fixture(scope="module")
def classifier(template: everlog.Template) -> PostClassifier:
    return PostClassifier.learn(template, a_blog.pages(), home=a_blog.HOME, others={a_blog.HOME: HOME_PAGE})


def test_a_post_that_was_not_in_the_feed_is_one(classifier):
    verdict = classifier.verdict(a_blog.url(9), a_blog.page(9))
    assert (verdict.kind, verdict.by_url, verdict.by_page, verdict.note) == ("post", True, True, None)


def test_the_address_alone_gives_a_first_verdict(classifier):
    assert classifier.verdict(a_blog.url(9)).kind == "post"
    assert classifier.verdict(a_blog.url(9)).by_page is None
    assert classifier.verdict(A + "tag/x").kind == "listing"
    assert classifier.likely_post(a_blog.url(12))
    assert not classifier.likely_post(A + "about")


def test_the_home_page_is_a_list(classifier):
    assert classifier.verdict(A, HOME_PAGE).kind == "listing"


def test_a_static_page_is_neither_post_nor_list(classifier):
    verdict = classifier.verdict(A + "about", parse(ABOUT))
    assert (verdict.kind, verdict.by_url, verdict.by_page) == ("page", False, False)


def test_a_static_page_among_slugs_is_told_by_what_it_lacks():
    pages = {f"{A}post-about-{word}": a_blog.page(n) for n, word in enumerate(a_blog.WORDS[:5], 1)}
    feed = a_blog.rss(a_blog.item(n, link=url) for n, url in enumerate(pages, 1))
    template = everlog.learn(feed, pages)
    classifier = PostClassifier.learn(template, pages, home=A, others={A: HOME_PAGE})
    assert not classifier.pattern.specific
    verdict = classifier.verdict(A + "about", ABOUT)
    assert (verdict.kind, verdict.by_url, verdict.by_page) == ("page", True, False)
    assert "its markup does not" in verdict.note
    assert classifier.verdict(A + "a-new-one", a_blog.page(9)).kind == "post"


def test_a_post_at_an_odd_address_is_kept_with_a_note(classifier):
    verdict = classifier.verdict(A + "special/occasion", a_blog.page(9))
    assert (verdict.kind, verdict.by_url) == ("post", False)
    assert "its address does not" in verdict.note


def test_a_list_with_the_markup_of_one_post_is_no_post(classifier):
    verdict = classifier.verdict(A + "tag/river", a_blog.page(9))
    assert verdict.kind == "listing"


def test_where_posts_have_no_marks_of_their_own_no_page_is_one_against_its_address():
    def bare(title: str, text: str) -> bytes:
        return f"<html><body><h3>{title}</h3><p>{text}</p><hr></body></html>".encode()

    pages = {f"{A}note.cgi?id={n}": bare(f"Note {n}", a_blog.text(n)) for n in range(1, 7)}
    template = everlog.learn(a_blog.rss(a_blog.item(n, link=url) for n, url in enumerate(pages, 1)), pages)
    home = bare("Notes", "<br>".join(f"<a href='{url}'>Note</a>" for url in pages))
    classifier = PostClassifier.learn(template, pages, home=A, others={A: home})
    assert classifier.verdict(A, home).kind == "listing"
    assert classifier.verdict(A + "2014_03.html", bare("March", a_blog.text(8))).kind != "post"
    assert classifier.verdict(A + "note.cgi?id=9", bare("Note 9", a_blog.text(9))).kind == "post"


def test_a_page_of_several_articles_is_a_list(classifier):
    one = a_blog.page(9).decode().partition("<div class=post>")[2].partition("<div class=bottom>")[0]
    many = f"<html><body><nav></nav>{f'<div class=post>{one}' * 4}</body></html>".encode()
    assert classifier.verdict(A + "selected", many).kind != "post"


def test_addresses_found_on_the_way_teach_the_pattern(classifier):
    found = [A + "essays/a", A + "essays/b", A + "essays/c"]
    assert not classifier.likely_post(A + "essays/d")
    assert classifier.with_urls(found).likely_post(A + "essays/d")


def test_bytes_that_are_no_page_are_no_post(classifier):
    assert classifier.verdict(a_blog.url(9), b"<!---->").kind == "page"


def test_a_judge_survives_json(classifier):
    again = PostClassifier.from_dict(json.loads(json.dumps(classifier.to_dict())))
    assert again == classifier
    assert again.verdict(a_blog.url(9), a_blog.page(9)) == classifier.verdict(a_blog.url(9), a_blog.page(9))


BROKEN = {"telling": ["("], "vague": [], "barred": [], "allowed": []}


@pytest.mark.parametrize("data", [{}, {"pattern": {}}, {"pattern": BROKEN}])
def test_damaged_knowledge_is_an_error_that_helps(data):
    with pytest.raises(UnreadableTemplate, match="learn the blog again"):
        PostClassifier.from_dict(data)


def test_the_page_stays_whole_for_the_reader(classifier, template):
    root = parse(a_blog.page(9))
    classifier.verdict(a_blog.url(9), root)
    assert template.reader.read_parsed(root, a_blog.url(9), None).text == a_blog.text(9)


def test_a_judge_of_one_page_still_tells_posts(template):
    classifier = PostClassifier.learn(template, a_blog.pages([1]), home=A)
    assert classifier.verdict(a_blog.url(9), a_blog.page(9)).kind == "post"
    assert classifier.verdict(A + "about", ABOUT).kind == "page"


def test_what_pages_say_they_are_tells_posts_too():
    article = '<meta property="og:type" content="article">'
    ld = '<script type="application/ld+json">{"@type": "BlogPosting"}</script>'
    pages = a_blog.pages(head=article + ld)
    classifier = PostClassifier.learn(everlog.learn(a_blog.feed(), pages), pages, home=A)
    assert {"says og:type article", "says type article"} <= set(classifier.tells)
    assert not classifier.told_apart
    assert classifier.verdict(a_blog.url(9), a_blog.page(9, head=article + ld)).by_page
    website = a_blog.page(9, head=article.replace("article", "website")).replace(b"entry", b"note")
    assert not classifier.verdict(A + "contact", website).by_page


def test_pages_that_cannot_be_read_teach_nothing(template):
    classifier = PostClassifier.learn(template, {**a_blog.pages(), A + "6": b"<!---->"}, home=A)
    assert classifier.pages == len(a_blog.NUMBERS)


def test_headings_inside_links_are_headings_with_links(classifier):
    cards = "".join(f"<a href=/{n}><h3>Post {n}</h3></a>" for n in range(20, 30))
    assert classifier.verdict(A + "welcome", f"<html><body>{cards}<h2>x</h2></body></html>".encode()).kind == "listing"


def test_posts_drawn_by_scripts_have_addresses_too():
    learned = pattern("#!/a-post", "#!/b-post")
    assert learned.matches(A + "#!/c-post")
    assert not learned.matches(A + "c-post")


# -- what pages state ---------------------------------------------------------------------------


def named(link: str, url: str = A + "a-post?x=1", home: str = A) -> str:
    return identity(url, parse(f'<link rel="canonical" href="{link}"><p>x'.encode()), home)


def test_the_canonical_link_names_the_post():
    assert named("https://www.a.blog/a-post/") == "a.blog/a-post"
    assert named("/a-post") == "a.blog/a-post"


@pytest.mark.parametrize("link", ["https://a.blog/", "https://b.org/a-post", "/tag/x/", "javascript:x", "/page/2/"])
def test_a_canonical_link_that_names_no_post_of_the_blog_is_not_believed(link):
    assert named(link) == "a.blog/a-post?x=1"


def test_a_canonical_link_out_of_the_blogs_folder_is_not_believed():
    assert named("/other/a", url=A + "blog/a", home=A + "blog/") == "a.blog/blog/a"
    assert named("/blogger/a", url=A + "blog/a", home=A + "blog/") == "a.blog/blog/a"


def test_what_several_posts_call_their_address_is_nobodys():
    head = '<link rel="canonical" href="/the-same/">'
    pages = {a_blog.url(n): a_blog.page(n, head=head) for n in a_blog.NUMBERS}
    classifier = PostClassifier.learn(everlog.learn(a_blog.feed(), pages), pages, home=A)
    assert classifier.identity(a_blog.url(9), parse(a_blog.page(9, head=head))) == "a.blog/9"


@pytest.mark.parametrize(
    "copy",
    ["a-post/comment-page-2/#comment-7", "a-post/?replytocom=7", "a-post/amp/", "a-post?print=1", "a-post/print/",
     "a-post?m=1", "a-post?amp"],
)
def test_copies_of_a_post_are_the_post(copy):
    assert identity(A + copy, None, A) == "a.blog/a-post"


def test_a_page_may_have_no_canonical_link():
    assert canonical_link(parse(b"<link rel=canonical href=' '><p>x"), A) is None
    assert canonical_link(parse(b"<base href=/b/><link rel=canonical href=x><p>x"), A) == A + "b/x"


@pytest.mark.parametrize(
    ("markup", "header", "refused"),
    [
        ("<meta name=robots content='noindex,NOARCHIVE'>", None, True),
        ("<meta name=Everlog content=noarchive>", None, True),
        ("<meta name=robots content=none>", None, True), ("<meta name=otherbot content=noarchive>", None, False),
        ("<meta name=robots content=noindex>", "noarchive", True), ("", "noindex, noarchive", True),
        ("", "otherbot: noarchive", False), ("", "everlog: noarchive", True), ("", "unavailable_after: 2030", False),
        ("", None, False),
    ],
)
def test_a_page_can_ask_not_to_be_kept(markup, header, refused):
    assert noarchive(parse(f"{markup}<p>x".encode()), header) is refused
