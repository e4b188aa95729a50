from __future__ import annotations

import pytest
from small_blog import blog, view

from everlog.extract.fields.authors_learn import learn_authors
from everlog.extract.fields.authors_read import read_authors
from everlog.records import Entry, Feed

TEAM = ["Ada", "Grace Hopper", "Ada", "Edsger"]


def page(byline: str, *, head: str = "", more: str = "") -> str:
    return (
        f"<html><head>{head}</head><body><div class=main><div class=post>{byline}"
        f"<div id=text><p>Words of a post by somebody.</p></div></div>{more}</div></body></html>"
    )


def learned(pages: list[str], names: list[tuple[str, ...]], owner: tuple[str, ...] = ()) -> tuple:
    entries = [Entry(link=f"/{i}", authors=authors) for i, authors in enumerate(names)]
    return learn_authors(blog(list(zip(entries, pages, strict=True))), Feed(url=None, authors=owner))


def named(names: list[str]) -> list[tuple[str, ...]]:
    return [(name,) for name in names]


def test_the_element_that_names_the_feeds_authors_is_learned():
    rules = learned([page(f"<p class=meta>{name}</p>") for name in TEAM], named(TEAM))
    names, provenance = read_authors(view(page("<p class=meta>Barbara</p>"), rules), rules)
    assert names == ("Barbara",)
    assert (provenance.method, provenance.confidence) == ("selector", 1.0)


def test_the_words_around_a_name_are_learned_and_cut():
    def byline(name: str, day: int) -> str:
        return page(f"<p class=meta>{day} May, posted by {name} | {day} comments</p>")

    rules = learned([byline(name, day) for day, name in enumerate(TEAM, 3)], named(TEAM))
    assert read_authors(view(byline("Barbara L.", 9), rules), rules)[0] == ("Barbara L.",)


def test_names_before_commas_and_words_end_there():
    def byline(name: str, month: str) -> str:
        return page(f"<p class=meta>作者：{name} on {month}</p>")

    months = ["May", "June", "July", "May"]
    rules = learned([byline(n, m) for n, m in zip(TEAM, months, strict=True)], named(TEAM))
    assert read_authors(view(byline("Barbara", "March"), rules), rules)[0] == ("Barbara",)


def test_an_element_called_after_an_author_beats_a_feed_that_always_names_the_same():
    rules = learned([page("<span class=author>Ada</span>")] * 4, named(["Ada"] * 4))
    assert read_authors(view(page("<span class=author>Grace</span>"), rules), rules)[0] == ("Grace",)


def test_a_feed_that_always_names_the_same_author_is_the_answer_for_pages_that_name_nobody():
    rules = learned([page("")] * 3, named(["Ada"] * 3))
    names, provenance = read_authors(view(page(""), rules), rules)
    assert (names, provenance.method, provenance.confidence) == (("Ada",), "feed-constant", 1.0)


def test_a_place_not_called_after_an_author_does_not_beat_the_feeds_one_author():
    rules = learned([page("<b class=big>Ada</b>")] * 3, named(["Ada"] * 3))
    assert read_authors(view(page("<b class=big>Sale!</b>"), rules), rules)[0] == ("Ada",)


def test_several_authors_named_side_by_side_are_all_read():
    def byline(*names: str) -> str:
        return page(
            "<p>by " + " and ".join(f"<a class=author href='/who/{n}'>{n}</a>" for n in names) + "</p>"
        )

    rules = learned(
        [byline("Ada", "Grace"), byline("Ada"), byline("Grace")], [("Ada", "Grace"), ("Ada",), ("Grace",)]
    )
    assert read_authors(view(byline("Barbara", "Edsger"), rules), rules)[0] == ("Barbara", "Edsger")


def test_people_who_comment_are_not_authors():
    comments = "<div class=comments><span class=author>Troll</span></div>"
    rules = learned([page(f"<span class=author>{name}</span>", more=comments) for name in TEAM], named(TEAM))
    assert read_authors(view(page("<span class=author>Barbara</span>", more=comments), rules), rules)[0] == (
        "Barbara",
    )
    silent = read_authors(view(page("", more=comments), rules), rules)
    assert silent is None or silent[0] != ("Troll",)


def test_any_meta_element_that_agrees_with_the_feed_counts():
    pages = [page("", head=f'<meta property="profile:username" content="{name}">') for name in TEAM]
    rules = learned(pages, named(TEAM))
    old = page("", head='<meta property="profile:username" content="Barbara">')
    assert read_authors(view(old, rules), rules)[0] == ("Barbara",)


def test_links_to_a_persons_page_are_read_by_their_address():
    def linked(name: str, place: str) -> str:
        return page(f"<p><{place}><a href='/author/{name}/'>{name}</a></{place}></p>")

    rules = learned([linked(n, p) for n, p in zip(TEAM, ["i", "b", "u", "s"], strict=True)], named(TEAM))
    names, provenance = read_authors(view(linked("Barbara", "q"), rules), rules)
    assert (names, provenance.method) == (("Barbara",), "link")


def test_where_the_feed_names_nobody_the_page_is_believed():
    pages = [page(f"<p class=byline>Posted by {name}</p>") for name in TEAM]
    rules = learned(pages, [()] * 4)
    names, provenance = read_authors(view(page("<p class=byline>Posted by Barbara</p>"), rules), rules)
    assert names == ("Barbara",)
    assert provenance.confidence is None


def test_json_ld_and_meta_name_the_author_where_the_feed_does_not():
    ld = '<script type="application/ld+json">{"@type": "Article", "author": {"name": "Ada"}}</script>'
    rules = learned([page("", head=ld)] * 3, [()] * 3)
    assert read_authors(view(page("", head=ld), rules), rules)[0] == ("Ada",)


def read_where_the_feed_is_silent(bylines: list[str], old: str, *, head: str = "") -> tuple[str, ...]:
    rules = learned([page(byline, head=head) for byline in bylines], [()] * len(bylines))
    found = read_authors(view(page(old, head=head), rules), rules)
    return found[0] if found else ()


@pytest.mark.parametrize(
    "byline",
    [
        "<p class=author>May {day}rd by {name}</p>",
        "<p class=author>by {name} at 0{day}:15</p>",
        "<p class=author>{name} on May {day}, 2019</p>",
        "<p class=author>{name} | Team {day}</p>",
        "<p class=posted>Posted by {name} at May {day}, 2019 01:21 PM</p>",
        "<p class=info>Geschrieben von <a href='/x'>{name}</a></p>",
        "<p class=info>作者：{name}</p>",
    ],
)
def test_the_words_of_a_byline_are_known_where_the_feed_names_nobody(byline: str):
    pages = [byline.format(name=name, day=day) for day, name in enumerate(TEAM, 3)]
    assert read_where_the_feed_is_silent(pages, byline.format(name="Barbara L.", day=9)) == ("Barbara L.",)


def test_a_name_in_another_script_may_follow_its_preposition_without_a_space():
    pages = ["<p class=byline>by元兒</p>"] * 3
    assert read_where_the_feed_is_silent(pages, "<p class=byline>by花</p>") == ("花",)
    assert read_where_the_feed_is_silent(["<p class=byline>Byron</p>"] * 3, "<p class=byline>Byron</p>") == ("Byron",)


def test_a_place_called_author_is_surer_than_one_with_a_name_made_from_it():
    byline = "<i class=meta-prep-author>Posted</i> <b class='author vcard'>{}</b>"
    assert read_where_the_feed_is_silent([byline.format("Ada Vale")] * 3, byline.format("Bo Ash")) == ("Bo Ash",)


def test_a_text_that_differs_from_post_to_post_is_surer_than_a_label():
    byline = "<i class=author_more>Bio</i> <b class=author_line>{}</b>"
    pages = [byline.format(name) for name in TEAM]
    assert read_where_the_feed_is_silent(pages, byline.format("Barbara")) == ("Barbara",)


def test_rights_and_dates_in_a_place_called_after_an_author_are_no_names():
    byline = "<div class=box-author><p>© Ada</p></div>"
    head = "<meta name=author content=Ada>"
    assert read_where_the_feed_is_silent([byline] * 3, byline, head=head) == ("Ada",)
    dates = [f"<p class=byline>{day} May 2019</p>" for day in (3, 4, 5)]
    assert read_where_the_feed_is_silent(dates, dates[0]) == ()


def test_where_the_feed_names_nobody_links_to_a_persons_page_on_the_site_are_read():
    byline = "<p>x <a href='/author/{0}/'>{0}</a> y</p>"
    pages = [byline.format(name) for name in TEAM]
    assert read_where_the_feed_is_silent(pages, byline.format("Barbara")) == ("Barbara",)
    elsewhere = "<p><a href='https://photos.example/people/ada/'>My pictures</a></p>"
    assert read_where_the_feed_is_silent([elsewhere] * 3, elsewhere) == ()


def test_makers_of_themes_are_not_authors():
    line = "<p class=credit>Powered by Engine, theme by Somebody</p>"
    assert read_where_the_feed_is_silent([line] * 3, line) == ()


def test_the_author_of_the_whole_feed_follows_the_people_whom_pages_name():
    owner = ("A company",)
    nick = [page("<span class=author>@nick</span>")] * 3
    rules = learned(nick, [()] * 3, owner)
    assert read_authors(view(nick[0], rules), rules)[0] == owner
    team = [page(f"<span class=author>{name}</span>") for name in TEAM]
    rules = learned(team, [()] * 4, owner)
    assert read_authors(view(team[1], rules), rules)[0] == ("Grace Hopper", "A company")
    assert read_authors(view(page(""), rules), rules)[0] == owner


def test_mail_addresses_in_the_feed_are_not_names():
    rules = learned([page("<i class=author>Ada</i>")] * 2, [("ada@example.org (Ada)",)] * 2)
    assert read_authors(view(page(""), rules), rules)[0] == ("Ada",)


def test_authors_that_no_place_shows_and_no_majority_writes_teach_nothing():
    assert learned([page("")] * 4, named(["Ada", "Grace", "Edsger", "Barbara"])) == ()


def test_names_in_sentences_that_are_never_the_same_are_not_bylines():
    sentences = ["it was {} who", "ask {} now", "{} 1 said", "so 2 {} 3 x"]
    pages = [page(f"<p class=meta>{s.format(n)}</p>") for s, n in zip(sentences, TEAM, strict=True)]
    rules = learned(pages, named(TEAM))
    assert [rule.method for rule in rules] == ["feed-constant"]


def test_a_name_of_signs_is_looked_for_nowhere():
    assert learned([page("")] * 2, [("~",), ("~",)]) == ()


def test_what_follows_the_name_on_one_page_alone_is_not_learned():
    bylines = [f"<p class=byline>{name}{' | guest' if day == 3 else ''}</p>" for day, name in enumerate(TEAM)]
    rules = learned([page(byline) for byline in bylines], named(TEAM))
    assert rules[0].detail == {}
    assert rules[0].confidence == 0.75


def test_the_feeds_usual_author_is_as_sure_as_the_other_entries_foretell_each():
    assert learned([page("")] * 4, named(["Ada", "Ada", "Grace", "Ada"]))[-1].confidence == 0.75
    assert learned([page("")] * 4, named(["Ada", "Ada", "Grace", "Grace"]))[-1].confidence == 0.0
