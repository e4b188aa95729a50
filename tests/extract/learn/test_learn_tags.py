from __future__ import annotations

from small_blog import blog, sample, view

from everlog.core.layout import Vocabulary
from everlog.extract.fields.metadata import learn_metadata
from everlog.extract.fields.tags_learn import learn_tags
from everlog.extract.fields.tags_read import read_tags
from everlog.records import Entry, Feed

POSTS = [("rain",), ("snow", "ice"), ("rain", "wind", "hail"), ("fog",)]
CLOUD = "".join(f"<a href='/tag/{tag}/'>{tag}</a> " for tag in ("rain", "snow", "ice", "wind", "hail", "fog"))


def links(tags: tuple[str, ...], folder: str = "tag", rel: str = "") -> str:
    return ", ".join(f"<a href='/{folder}/{tag}/' {rel}>{tag}</a>" for tag in tags)


def page(tags: str, *, head: str = "", sidebar: str = "") -> str:
    return (
        f"<html><head>{head}</head><body><div class=main><div class=post>"
        "<div id=text><p>A word on <i>rain</i> and <b>snow</b>.</p></div>"
        f"{tags}</div></div>{sidebar}</body></html>"
    )


def learned(pages: list[str], posts: list[tuple[str, ...]] = POSTS) -> tuple:
    entries = [Entry(link=f"/{i}", tags=tags) for i, tags in enumerate(posts)]
    return learn_tags(blog(list(zip(entries, pages, strict=True))))


def read(page_: str, rules: tuple) -> set[str]:
    found = read_tags(view(page_, rules), rules)
    return set(found[0]) if found else set()


def test_the_list_below_the_post_is_learned_not_the_words_of_its_text():
    rules = learned([page(f"<p class=tags>{links(tags)}</p>") for tags in POSTS])
    assert read(page(f"<p class=tags>{links(('sun', 'heat'))}</p>"), rules) == {"sun", "heat"}


def test_categories_and_tags_in_two_places_are_joined():
    def both(tags: tuple[str, ...]) -> str:
        return page(f"<p class=meta>{links(('Weather',), 'category')}</p><p class=tags>{links(tags)}</p>")

    rules = learned([both(tags) for tags in POSTS], [("Weather", *tags) for tags in POSTS])
    assert read(both(("sun",)), rules) == {"Weather", "sun"}


def test_a_tag_cloud_of_the_same_kind_does_not_leak():
    cloud = f"<div class=side><p class=tags>{CLOUD}</p></div>"
    rules = learned([page(f"<p class=tags>{links(tags)}</p>", sidebar=cloud) for tags in POSTS])
    assert read(page(f"<p class=tags>{links(('sun',))}</p>", sidebar=cloud), rules) == {"sun"}


def test_links_of_other_kinds_in_the_same_place_are_told_apart_by_their_address():
    def meta(tags: tuple[str, ...], who: str) -> str:
        return page(
            f"<p class=meta>{links((who,), 'people')} {links(tags)} {links(('7 replies',), 'talk')}</p>"
        )

    rules = learned([meta(tags, who) for tags, who in zip(POSTS, ("Ada", "Bob", "Cy", "Di"), strict=True)])
    assert read(meta(("sun",), "Eve"), rules) == {"sun"}


def test_one_text_with_several_tags_is_split():
    def listed(tags: tuple[str, ...]) -> str:
        return page(f"<p class=tags>Tags: {', '.join(tags)}</p>")

    posts = [("rain", "wind"), ("snow", "ice"), ("hail", "fog", "wind"), ("sleet", "ice")]
    rules = learned([listed(tags) for tags in posts], posts)
    assert read(listed(("sun", "dry heat")), rules) == {"sun", "dry heat"}


def test_keywords_of_the_head_are_split_as_well():
    pages = [page("", head=f'<meta name=keywords content="{", ".join(tags)}">') for tags in POSTS]
    rules = learned(pages)
    assert read(page("", head='<meta name=keywords content="sun, heat">'), rules) == {"sun", "heat"}


def test_a_tag_that_the_feed_gives_every_post_is_given_to_every_post():
    rules = learned(
        [page(f"<p class=tags>{links(tags)}</p>") for tags in POSTS], [("blog", *tags) for tags in POSTS]
    )
    assert read(page(f"<p class=tags>{links(('sun',))}</p>"), rules) == {"blog", "sun"}


def test_the_folder_of_an_address_can_be_the_category():
    vocabulary = Vocabulary()
    samples = [
        sample(Entry(link="", tags=(name.title(),)), page(""), vocabulary, f"https://a.blog/{name}/{i}.html")
        for i, name in enumerate(("travel", "food", "travel", "work"))
    ]
    rules = learn_tags(samples)
    assert read_tags(view(page(""), rules, "https://a.blog/home-life/9.html"), rules)[0] == ("home life",)


def test_tags_that_only_older_posts_have_are_read_from_standard_places():
    categories = [("News",), ("Life",), ("News",), ("Work",)]
    rules = learned([page(f"<p class=cats>{links(c, 'category')}</p>") for c in categories], categories)
    old = page(f"<p class=cats>{links(('Life',), 'category')}</p><p class=what>{links(('rain', 'snow'))}</p>")
    assert read(old, rules) == {"Life", "rain", "snow"}


def test_standard_places_that_contradict_the_feed_are_not_read():
    categories = [("News",), ("Life",), ("News",), ("Work",)]

    def both(category: str, tag: str) -> str:
        return page(f"<p class=cats>{links((category,), 'category')}</p><p>{links((tag,))}</p>")

    rules = learned(
        [both(c[0], t) for c, t in zip(categories, ("a", "b", "c", "d"), strict=True)], categories
    )
    assert read(both("Life", "e"), rules) == {"Life"}


def test_without_tags_in_the_feed_links_to_tags_near_the_article_are_believed():
    nothing = [()] * 4
    rules = learned(
        [page(f"<p>{links(tags)}</p><p>{links(('Weather',), 'category')}</p>") for tags in POSTS], nothing
    )
    assert read(page(f"<p>{links(('sun',))}</p><p>{links(('Weather',), 'category')}</p>"), rules) == {"sun"}
    assert read(page(f"<p>{links(('Weather',), 'category')}</p>"), rules) == {"Weather"}


def test_without_tags_in_the_feed_clouds_and_sentences_are_not_believed():
    nothing = [()] * 4
    link = "<a href='/tag/rain/'>rain</a>"
    prose = f"<p>We spoke of {link} before, and shall speak of it again, for here it rains so often.</p>"
    pages = [page(prose, sidebar=f"<div class=box><p class=tags>{CLOUD}</p></div>") for _ in POSTS]
    rules = learned(pages, nothing)
    assert not {"rain"} & read(page(prose), rules)


def test_the_first_of_two_lists_is_the_posts_where_the_second_is_a_cloud():
    cloud = f"<div><p class=tags>{CLOUD}</p></div>"
    pages = [page(f"<p class=tags>{links(tags)}</p>{cloud}") for tags in POSTS]
    rules = learned(pages, [()] * 4)
    assert read(page(f"<p class=tags>{links(('sun',))}</p>{cloud}"), rules) == {"sun"}


def test_without_links_elements_called_after_tags_are_believed():
    def spans(tags: tuple[str, ...]) -> str:
        return page("".join(f"<span class=post-tag>{tag}</span>" for tag in tags))

    rules = learned([spans(tags) for tags in POSTS], [()] * 4)
    assert read(spans(("sun", "heat")), rules) == {"sun", "heat"}


def test_highlighted_code_is_not_a_list_of_tags():
    code = "<pre><code><span class=keyword>def</span><span class=tag>x{}</span></code></pre>"
    rules = learned([page(code.format(i)) for i in range(4)], [()] * 4)
    assert read(page(code.format(9)), rules) == set()


def test_keywords_that_are_the_same_on_all_pages_are_the_blogs():
    rules = learned([page("", head="<meta name=keywords content='me, my blog'>")] * 4, [()] * 4)
    assert read(page("", head="<meta name=keywords content='me, my blog'>"), rules) == set()


def test_keywords_that_differ_are_the_posts():
    pages = [page("", head=f"<meta name=keywords content='{', '.join(tags)}'>") for tags in POSTS]
    rules = learned(pages, [()] * 4)
    assert read(page("", head="<meta name=keywords content='sun'>"), rules) == {"sun"}


def test_learning_all_fields_together_gives_the_same_tags():
    pages = [
        (
            Entry(link="", title=f"Post {i}", authors=("Ada",), tags=tags),
            page(f"<p class=tags>{links(tags)}</p>"),
        )
        for i, tags in enumerate(POSTS)
    ]
    samples = blog(pages)
    assert learn_metadata(samples, Feed(url=None)).tags == learn_tags(samples)


def test_the_vocabulary_of_the_layouts_changes_nothing_that_is_learned():
    vocabulary = Vocabulary()
    samples = [
        sample(
            Entry(link="", title="A_b c", tags=tags),
            page(f"<h1>A_b c</h1><p class=tags>{links(tags)}</p>"),
            vocabulary,
        )
        for tags in POSTS
    ]
    assert learn_metadata(samples, Feed(url=None), vocabulary) == learn_metadata(samples, Feed(url=None))


def test_menus_with_hundreds_of_links_are_not_places_for_tags():
    menu = "<ul class=menu>" + "".join(f"<li><a href=/{i}>rain</a></li>" for i in range(200)) + "</ul>"
    rules = learned([page(f"<p class=tags>{links(tags)}</p>", sidebar=menu) for tags in POSTS])
    assert read(page(f"<p class=tags>{links(('sun',))}</p>", sidebar=menu), rules) == {"sun"}


def test_long_lists_of_tags_in_one_text_are_found():
    def listed(tags: tuple[str, ...]) -> str:
        return page(f"<p class=tags>{', '.join(tags)}</p>")

    posts = [tuple(f"{kind} of {n} winds" for n in "abcd") for kind in ("rain", "snow", "hail")]
    rules = learned([listed(tags) for tags in posts], posts)
    assert read(listed(("sun", "heat")), rules) == {"sun", "heat"}


def test_a_place_that_is_right_on_one_page_of_many_is_not_learned():
    pages = [page("", head="<meta name=theme content=rain>" if i == 0 else "") for i in range(len(POSTS))]
    assert all(rule.method != "meta" for rule in learned(pages))
