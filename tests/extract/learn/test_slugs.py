from __future__ import annotations

from small_blog import blog, view

from everlog.extract.fields.tags_learn import learn_tags
from everlog.extract.fields.tags_read import read_tags
from everlog.records import Entry

TEXT = "<div id=text><p>It was wet, and then it was dry again.</p></div>"


def learned(posts: list[tuple[tuple[str, ...], str]]) -> tuple:
    return learn_tags(blog([(Entry(link=f"/{i}", tags=tags), page) for i, (tags, page) in enumerate(posts)]))


def read(page: str, rules: tuple) -> set[str]:
    found = read_tags(view(page, rules), rules)
    return set(found[0]) if found else set()


def linking(*slugs: str) -> str:
    links = "".join(f"<a href='/category/{slug}/'>{slug[::-1]} {len(slug)}</a>" for slug in slugs)
    return f"<div class=post>{TEXT}<p class=kinds>{links}</p></div>"


def classed(*slugs: str) -> str:
    return f"<div class='post-7 hentry {' '.join(f'category-{slug}' for slug in slugs)}'>{TEXT}</div>"


def test_links_that_show_other_words_are_read_by_their_address_where_the_feed_has_the_slugs():
    posts = [("dev_style", "test"), ("test",), ("infra",), ("dev_style",)]
    rules = learned([(tags, linking(*tags)) for tags in posts])
    assert read(linking("dev_style", "remote-work"), rules) == {"dev_style", "remote work"}


def test_the_classes_of_the_post_tell_its_tags_where_it_shows_none():
    posts = [(("Linux",), "linux"), (("Vidéo",), "video"), (("Vidéo",), "video"), (("New York",), "new-york")]
    rules = learned([(tags, classed(slug)) for tags, slug in posts])
    assert read(classed("video", "old-york"), rules) == {"Vidéo", "old york"}


def test_an_ending_that_slugs_of_two_tags_share_is_left_off():
    posts = [(("Linux",), "linux-news"), (("Mail",), "mail-news"), (("Linux",), "linux-news"), (("Art",), "art")]
    rules = learned([(tags, classed(slug)) for tags, slug in posts])
    assert read(classed("radio-news", "linux-news"), rules) == {"radio", "Linux"}


def test_what_one_page_alone_says_of_a_slug_is_not_learned():
    posts = [((name,), name.lower()) for name in ("Linux", "Mail", "Art", "Sea")]
    rules = learned([(tags, classed(slug)) for tags, slug in [*posts, (("Été",), "ete")]])
    assert read(classed("ete"), rules) == {"ete"}


def test_classes_are_not_asked_where_the_tags_are_shown():
    posts = [("Linux",), ("Mail", "Linux"), ("Art",)]
    pages = [classed(*map(str.lower, tags)) + "".join(f"<a rel=tag>{tag}</a>" for tag in tags) for tags in posts]
    rules = learned(list(zip(posts, pages, strict=True)))
    assert all(rule.method != "class" for rule in rules)
