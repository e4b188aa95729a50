from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from small_blog import blog, view

from everlog.extract.fields.title_learn import affix, learn_titles
from everlog.extract.fields.title_read import read_title, without_affix
from everlog.records import Entry

WEATHER = ["Rain at last", "Snow, finally", "It’s hail?", "Fog"]


def page(title: str, *, head: str = "", heading: str = '<h1 class="title">{}</h1>', more: str = "") -> str:
    head = head or f"<title>{title} | A blog</title>"
    return (
        f"<html><head>{head}</head><body><h1 class=site>A blog</h1>{heading.format(title)}"
        f"<div id=text><p>Some words about {title} and more.</p><h2>Later</h2></div>{more}</body></html>"
    )


def entries(titles: list[str]) -> list[Entry]:
    return [Entry(link=f"/{i}", title=title) for i, title in enumerate(titles)]


def learned(pages: list[str], titles: list[str] = WEATHER) -> tuple:
    return learn_titles(blog(list(zip(entries(titles), pages, strict=True))))


def test_the_heading_that_shows_the_feeds_titles_is_learned_and_read():
    rules = learned([page(title) for title in WEATHER])
    title, provenance = read_title(view(page("Older & wiser".replace("&", "&amp;")), rules), rules)
    assert title == "Older & wiser"
    assert provenance.method == "selector"
    assert provenance.confidence == 1.0


def test_a_page_without_the_heading_is_read_from_its_head_less_the_blogs_name():
    rules = learned([page(title) for title in WEATHER])
    title, provenance = read_title(view(page("Older", heading=""), rules), rules)
    assert (title, provenance.method) == ("Older", "head-title")


def test_the_blogs_name_before_the_title_is_cut_as_well():
    pages = [page(t, head=f"<title>A blog » {t}</title>", heading="") for t in WEATHER]
    rules = learned(pages)
    assert (
        read_title(view(page("", head="<title>A blog » Old | new</title>", heading=""), rules), rules)[0]
        == "Old | new"
    )


def test_metadata_speaks_where_no_heading_does():
    def said(title: str) -> str:
        meta = f'<title>A blog</title><meta property="og:title" content="{title} - A blog">'
        ld = f'<script type="application/ld+json">{{"@type": "BlogPosting", "headline": "{title}"}}</script>'
        return page(title, head=meta + ld, heading="")

    rules = learned([said(title) for title in WEATHER])
    assert read_title(view(said("Older"), rules), rules)[0] == "Older"
    assert {rule.method for rule in rules} >= {"meta", "json-ld"}


def test_a_permalink_sign_in_the_heading_is_not_part_of_the_title():
    heading = '<h1 class="title">{} <a class=anchor href="#top">¶</a></h1>'
    rules = learned([page(title, heading=heading) for title in WEATHER])
    assert read_title(view(page("Older", heading=heading), rules), rules)[0] == "Older"


def test_a_badge_in_the_heading_is_cut_if_the_feed_says_so():
    def badged(title: str, badge: str) -> str:
        return page(
            title, head="<title>A blog</title>", heading=f'<h1 class="title">{{}} <em>{badge}</em></h1>'
        )

    rules = learned([badged(t, b) for t, b in zip(WEATHER, ["News", "Life", "News", "Code"], strict=True)])
    assert read_title(view(badged("Older", "Travel"), rules), rules)[0] == "Older"


def test_words_around_the_title_in_the_heading_are_cut_if_they_are_always_the_same():
    heading = '<h1 class="title">Post: {} (edit)</h1>'
    pages = [page(t, head="<title>A blog</title>", heading=heading) for t in WEATHER]
    rules = learned(pages)
    last = page("Older", head="<title>A blog</title>", heading=heading)
    assert read_title(view(last, rules), rules)[0] == "Older"


def test_of_several_headings_the_one_nearest_the_article_is_taken():
    def crowded(title: str, teaser: str) -> str:
        heading = f"<div class=teaser><h3>{teaser}</h3></div><h3>{{}}</h3>"
        return page(title, head="<title>A blog</title>", heading=heading)

    rules = learned([crowded(t, "Read this" + "!" * i) for i, t in enumerate(WEATHER)])
    assert read_title(view(crowded("Older", "And this"), rules), rules)[0] == "Older"


def test_markup_and_entities_in_the_feeds_titles_are_tolerated():
    titles = ["Rain <em>at last</em>", "Snow &amp; ice", "Hail", "Fog"]
    pages = [page(t) for t in ["Rain at last", "Snow &amp; ice", "Hail", "Fog"]]
    rules = learned(pages, titles)
    assert rules[0].confidence == 1.0


def test_posts_without_a_title_get_none_where_the_feed_has_such_posts():
    def dated(title: str, day: int) -> str:
        heading = '<h1 class="title">{}</h1>' if title else f"<h2 class=date>{day} May</h2>"
        return page(title, head=f"<title>{title or 'A blog'}</title>", heading=heading)

    titles = [*WEATHER, "", ""]
    rules = learned([dated(title, day) for day, title in enumerate(titles)], titles)
    assert read_title(view(dated("Older", 9), rules), rules)[0] == "Older"
    assert read_title(view(dated("", 9), rules), rules) is None


def test_a_feed_without_titles_teaches_none():
    assert learned([page("")] * 2, ["", ""]) == ()


def test_one_page_is_enough_to_learn_from():
    rules = learned([page("Rain")], ["Rain"])
    assert read_title(view(page("Older"), rules), rules)[0] == "Older"


def test_long_titles_are_found_as_well():
    titles = [
        f"{word} and all the many other words that a very long title of a post can have" for word in WEATHER
    ]
    rules = learned([page(title) for title in titles], titles)
    assert rules[0].confidence == 1.0


@given(st.text(), st.text(), st.text())
def test_what_affix_finds_without_affix_takes_away(before: str, title: str, after: str):
    title = " ".join(title.split())
    prefix, suffix = affix(before + title + after, title)
    assert without_affix(before + title + after, {"prefix": prefix, "suffix": suffix}) == title


def test_a_title_spelled_in_other_signs_is_found_and_one_that_is_not_there_is_not():
    assert affix("Blog: “It’s late”", '"It\'s late"') == ("Blog: ", "")
    assert affix("Something else", "It's late") == ("", "")


def test_a_part_of_the_title_in_an_element_of_its_own_is_not_cut():
    def split(title: str, badge: str) -> str:
        first, _, rest = title.partition(" ")
        heading = f"<h1 class=title><b>{first}</b> {rest} <em>{badge}</em></h1>"
        return page(title, head="<title>A blog</title>", heading=heading)

    badges = ["News", "Life", "News", "Code"]
    rules = learned([split(t, b) for t, b in zip(WEATHER, badges, strict=True)])
    assert read_title(view(split("Older things", "Travel"), rules), rules)[0] == "Older things"


def test_what_one_page_alone_has_beside_its_title_is_not_learned():
    headings = ["<h1 class=t>New! {}</h1>", "<h1 class=t>{}</h1>", "<h1 class=t>{}</h1>", "<h1 class=t>{}</h1>"]
    bare = "<title>A blog</title>"
    pages = [page(t, head=bare, heading=heading) for t, heading in zip(WEATHER, headings, strict=True)]
    rules = learned(pages)
    assert all("prefix" not in rule.detail for rule in rules)
    assert rules[0].confidence == 0.75
