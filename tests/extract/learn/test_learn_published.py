"""Learning where a blog keeps its dates, from pages made for the purpose."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from everlog.core.layout import Layout, Vocabulary
from everlog.core.rules import Ranked, Rule
from everlog.core.selectors import Finder
from everlog.core.tree import parse
from everlog.dates import Stamp
from everlog.extract.fields.published.clock_shift import learn_shift
from everlog.extract.fields.published.date_scores import Target, distance_to_article
from everlog.extract.fields.published.meaning import is_aside
from everlog.extract.fields.published_learn import learn_published, learn_updated
from everlog.extract.fields.published_read import read_published
from everlog.extract.fields.small_texts_read import selectors_used
from everlog.extract.samples import Sample
from everlog.markup.view import View
from everlog.records import Entry

MOMENTS = [datetime(2019, month, 27 - 2 * month, 9, 30, tzinfo=UTC) for month in range(1, 9)]
FETCHED = datetime(2019, 12, 24, 12, tzinfo=UTC)


def samples_of(
    pages: list[str],
    moments: list[datetime | None] | list[datetime],
    *,
    updated: list[datetime] | None = None,
    urls: list[str] | None = None,
    fetched: datetime | None = None,
) -> list[Sample]:
    vocabulary = Vocabulary()
    samples = []
    for number, (page, moment) in enumerate(zip(pages, moments, strict=True)):
        url = urls[number] if urls else f"http://a.blog/post-{number}"
        root = parse(page.encode())
        layout = Layout(root, vocabulary)
        article = next((i for i, e in enumerate(layout.elements) if e.get("class") == "body"), None)
        entry = Entry(link=url, published=moment, updated=updated[number] if updated else None)
        view = View(root, url, fetched_at=fetched)
        samples.append(Sample(entry=entry, url=url, view=view, layout=layout, article=article))
    return samples


def read(
    page: str, rules: Ranked, url: str = "http://a.blog/old", fetched: datetime | None = None
) -> str | None:
    root = parse(page.encode())
    found = Finder(selectors_used(rules)).find(root)
    answer = read_published(View(root, url, found=found, fetched_at=fetched), rules)
    return answer[0].isoformat() if answer else None


def page_of(date: str, *, head: str = "", aside: str = "", after: str = "") -> str:
    return (
        f"<html lang=en><head>{head}</head><body><main><h1>Title</h1>{date}"
        f"<div class=body><p>The text of the post, with words.</p></div>{after}</main>{aside}</body></html>"
    )


def test_a_visible_date_is_learned_with_its_format() -> None:
    pages = [page_of(f"<p class=when>By Ann on {m.day}/{m.month}/{m.year}</p>") for m in MOMENTS]
    rules = learn_published(samples_of(pages, MOMENTS), "en-US")
    assert (rules[0].method, rules[0].where, rules[0].confidence) == ("selector", "p.when", 1.0)
    assert read(page_of("<p class=when>By Bob on 3/4/2012</p>"), rules) == "2012-04-03T00:00:00+00:00"


def test_a_day_is_midnight_at_the_offset_of_the_feed() -> None:
    moments = [m.replace(tzinfo=timezone(timedelta(hours=2))) for m in MOMENTS]
    pages = [page_of(f"<p class=when>{m:%d %B %Y}</p>") for m in moments]
    rules = learn_published(samples_of(pages, moments), "en")
    assert read(page_of("<p class=when>1 March 2012</p>"), rules) == "2012-03-01T00:00:00+02:00"


def test_a_date_split_over_elements_is_learned() -> None:
    pages = [
        page_of(f"<div class=cal><b>{m:%b}</b><i>{m.day}</i><u>{m.year}</u></div>", aside="<p>2019</p>")
        for m in MOMENTS
    ]
    rules = learn_published(samples_of(pages, MOMENTS))
    assert (
        read(page_of("<div class=cal><b>Dec</b><i>24</i><u>2011</u></div>"), rules)
        == "2011-12-24T00:00:00+00:00"
    )


def test_the_date_of_a_change_does_not_win_over_that_of_publication() -> None:
    pages = [
        page_of(
            "",
            head=f"<meta property=article:modified_time content={m:%Y-%m-%dT%H:%M:%SZ}>"
            f"<meta property=article:published_time content={m:%Y-%m-%dT%H:%M:%SZ}>",
        )
        for m in MOMENTS
    ]
    rules = learn_published(samples_of(pages, MOMENTS))
    assert rules[0].where == "article:published_time"


def test_the_dates_of_comments_and_of_other_posts_do_not_win() -> None:
    pages = [
        page_of(
            f"<p>{m:%d %B %Y}</p>",
            after=f"<ol class=comments><li><time datetime={m:%Y-%m-%dT10:00Z}>{m:%d %B %Y}</time></li></ol>",
            aside=f"<div class=recent-posts><time datetime={m:%Y-%m-%dT10:00:00Z}>{m:%d %B %Y}</time></div>",
        )
        for m in MOMENTS
    ]
    rules = learn_published(samples_of(pages, MOMENTS), "en")
    assert rules[0].method == "selector"
    old = page_of(
        "<p>1 March 2012</p>",
        after="<ol class=comments><li><time datetime=2015-01-01>1 January 2015</time></li></ol>",
    )
    assert read(old, rules) == "2012-03-01T00:00:00+00:00"


def test_the_word_before_a_date_tells_two_dates_apart() -> None:
    pages = [
        page_of(
            f"<p class=m>{'Edited: 5 May 2020, ' if number % 2 else ''}Written: {m:%d %B %Y}"
            f"{'' if number % 2 else ', edited: 6 June 2020'}</p>"
        )
        for number, m in enumerate(MOMENTS)
    ]
    rules = learn_published(samples_of(pages, MOMENTS), "en")
    assert rules[0].detail["label"] == "written"
    assert (
        read(page_of("<p class=m>Edited: 5 May 2020, Written: 1 March 2012</p>"), rules)
        == "2012-03-01T00:00:00+00:00"
    )


def test_the_last_of_several_dates_can_be_the_one() -> None:
    pages = [page_of(f"<p class=m>1 May 2001 {m:%d %B %Y}</p>") for m in MOMENTS]
    rules = learn_published(samples_of(pages, MOMENTS), "en")
    assert rules[0].detail["pick"] == "last"


def test_local_times_are_shifted_to_the_clock_of_the_feed() -> None:
    pages = [page_of(f"<p class=m>{m - timedelta(hours=9):%d %B %Y %H:%M}</p>") for m in MOMENTS]
    rules = learn_published(samples_of(pages, MOMENTS), "en")
    assert rules[0].detail["shift"] == "540"
    assert read(page_of("<p class=m>1 March 2012 20:00</p>"), rules) == "2012-03-02T05:00:00+00:00"


def test_summer_time_shifts_by_month() -> None:
    pages = [
        page_of(f"<p class=m>{m - timedelta(hours=4 if 4 <= m.month <= 10 else 5):%d %B %Y %H:%M}</p>")
        for m in MOMENTS
    ]
    rules = learn_published(samples_of(pages, MOMENTS), "en")
    assert read(page_of("<p class=m>1 January 2012 20:00</p>"), rules) == "2012-01-02T01:00:00+00:00"
    assert read(page_of("<p class=m>1 July 2012 20:00</p>"), rules) == "2012-07-02T00:00:00+00:00"


def test_clocks_that_do_not_agree_are_not_shifted() -> None:
    pages = [page_of(f"<p class=m>{m:%d %B %Y} {m.month + 9}:{m.month * 7}</p>") for m in MOMENTS]
    samples = samples_of(pages, MOMENTS)
    assert "shift" not in learn_published(samples, "en")[0].detail
    assert learn_shift([], UTC) == ()


def test_where_page_and_feed_state_different_offsets_the_feed_has_its_way() -> None:
    west = timezone(timedelta(hours=-5))
    pages = [page_of(f"<time datetime={m.astimezone(west).isoformat()}>x</time>") for m in MOMENTS]
    rules = learn_published(samples_of(pages, MOMENTS))
    assert (
        read(page_of("<time datetime=2012-03-01T22:00:00-05:00>x</time>"), rules)
        == "2012-03-02T03:00:00+00:00"
    )


def test_where_both_state_one_offset_the_page_keeps_its_own() -> None:
    east = timezone(timedelta(hours=1))
    moments = [m.astimezone(east) for m in MOMENTS]
    pages = [page_of(f"<time datetime={m.isoformat()}>x</time>") for m in moments]
    rules = learn_published(samples_of(pages, moments))
    assert (
        read(page_of("<time datetime=2012-07-01T22:00:00+02:00>x</time>"), rules)
        == "2012-07-01T22:00:00+02:00"
    )


@pytest.mark.parametrize("believed", [None, datetime(2021, 5, 5, tzinfo=UTC)])
def test_a_feed_without_dates_or_with_one_for_all_is_replaced_by_what_pages_say(
    believed: datetime | None,
) -> None:
    pages = [
        page_of(f"<p class=m>{m:%d %B %Y}</p>", aside="<p>Copyright 1 January 2000</p>") for m in MOMENTS
    ]
    rules = learn_published(samples_of(pages, [believed] * len(pages)), "en")
    assert (rules[0].where, rules[0].confidence) == ("p.m", None)
    assert read(page_of("<p class=m>1 March 2012</p>"), rules) == "2012-03-01T00:00:00+00:00"


def test_pages_that_state_nothing_teach_only_the_standard_places() -> None:
    rules = learn_published(samples_of([page_of("")] * 4, [None] * 4))
    assert all(rule.confidence is None for rule in rules)
    assert read(page_of(""), rules) is None
    assert (
        read(page_of("", head='<meta name=date content="2012-03-01">'), rules) == "2012-03-01T00:00:00+00:00"
    )


def test_the_address_gives_the_day_and_at_last_the_month() -> None:
    urls = [f"http://a.blog/{m:%Y/%m/%d}/x" for m in MOMENTS]
    rules = learn_published(samples_of([page_of("")] * len(MOMENTS), MOMENTS, urls=urls))
    assert rules[0].method == "url"
    assert read(page_of(""), rules, "http://a.blog/2012/03/01/y") == "2012-03-01T00:00:00+00:00"
    assert read(page_of(""), rules, "http://a.blog/2012/03/y") == "2012-03-01T00:00:00+00:00"


def test_addresses_that_look_like_days_of_before_there_were_blogs_state_no_date() -> None:
    pages = [page_of("") for _ in MOMENTS]
    urls = [f"http://a.blog/1983/06/0{number}/x/" for number in range(1, 9)]
    rules = learn_published(samples_of(pages, [None] * 8, urls=urls), "en")
    assert read(page_of(""), rules, "http://a.blog/1983/06/07/y/") is None
    # The other addresses of such a blog still say when their posts were written.
    assert read(page_of(""), rules, "http://a.blog/2013/06/07/y/") == "2013-06-07T00:00:00+00:00"


def test_a_page_in_a_language_nobody_named_is_still_learned() -> None:
    names = ["janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août"]
    pages = [page_of(f"<p class=m>{m.day} {names[m.month - 1]} {m.year}</p>") for m in MOMENTS]
    rules = learn_published(samples_of(pages, MOMENTS), "en")
    assert read(page_of("<p class=m>14 juillet 2012</p>"), rules) == "2012-07-14T00:00:00+00:00"


def test_relative_dates_are_learned_when_the_time_of_fetching_is_known() -> None:
    moments = [FETCHED - timedelta(days=days) for days in (3, 5, 8, 12, 20)]
    pages = [page_of(f"<p class=m>{(FETCHED - m).days} days ago</p>") for m in moments]
    rules = learn_published(samples_of(pages, moments, fetched=FETCHED), "en")
    assert rules[0].detail["formats"] == "relative"
    later = FETCHED + timedelta(days=100)
    assert read(page_of("<p class=m>40 days ago</p>"), rules, fetched=later) == "2020-02-22T00:00:00+00:00"
    assert read(page_of("<p class=m>40 days ago</p>"), rules) is None


def test_two_digit_years_are_found() -> None:
    pages = [page_of(f"<p class=m>{m.day:02}.{m.month:02}.{m:%y}</p>") for m in MOMENTS]
    rules = learn_published(samples_of(pages, MOMENTS), "de")
    assert read(page_of("<p class=m>03.04.12</p>"), rules) == "2012-04-03T00:00:00+00:00"


def test_data_attributes_are_found() -> None:
    pages = [page_of(f"<p class=m data-timestamp={int(m.timestamp())}>x</p>") for m in MOMENTS]
    rules = learn_published(samples_of(pages, MOMENTS))
    assert read(page_of("<p class=m data-timestamp=1330596000>x</p>"), rules) == "2012-03-01T10:00:00+00:00"


def test_updated_is_read_from_places_that_say_so() -> None:
    changed = [m + timedelta(days=30) for m in MOMENTS]
    pages = [
        page_of(f"<p class=m>{m:%d %B %Y}</p><p class=updated>{c:%d %B %Y}</p>")
        for m, c in zip(MOMENTS, changed, strict=True)
    ]
    rules = learn_updated(samples_of(pages, MOMENTS, updated=changed), "en")
    assert rules[0].where == "p.updated"
    assert (
        read(page_of("<p class=m>1 May 2011</p><p class=updated>2 May 2012</p>"), rules)
        == "2012-05-02T00:00:00+00:00"
    )
    head = "<meta property=article:modified_time content=2012-05-02T10:00:00Z>"
    assert (
        read(page_of("", head=head), learn_updated(samples_of([page_of("")], MOMENTS[:1])))
        == "2012-05-02T10:00:00+00:00"
    )


def test_rules_survive_their_plain_form() -> None:
    pages = [page_of(f"<p class=when>{m:%d %B %Y}</p>") for m in MOMENTS]
    rules = learn_published(samples_of(pages, MOMENTS), "en")
    again = tuple(Rule.from_dict(rule.to_dict()) for rule in rules)
    assert read(page_of("<p class=when>1 March 2012</p>"), again) == "2012-03-01T00:00:00+00:00"


def test_places_outside_the_layout_have_no_distance_and_no_meaning() -> None:
    sample = samples_of([page_of("<p class=m>x</p>")], MOMENTS[:1])[0]
    assert distance_to_article(sample, -1) == 0
    assert not is_aside(sample, -1)


def test_without_an_article_only_near_names_count() -> None:
    page = "<body><div class=sidebar><div><div><div><div><p>x</p></div></div></div></div></div></body>"
    sample = samples_of([page], MOMENTS[:1])[0]
    deepest = len(sample.layout.elements) - 1
    assert not is_aside(sample, deepest)
    assert is_aside(sample, deepest - 3)


def test_json_ld_is_learned() -> None:
    script = (
        '<script type="application/ld+json">{{"@type":"Article","datePublished":"{}","url":"2019"}}</script>'
    )
    pages = [page_of("", head=script.format(m.isoformat())) for m in MOMENTS]
    rules = learn_published(samples_of(pages, MOMENTS))
    assert (rules[0].method, rules[0].where) == ("json-ld", "datePublished")


def test_a_date_right_inside_a_long_container_is_found() -> None:
    filler = "<p>" + "some words of a post " * 20 + "</p>"
    pages = [f"<div class=post><h2>Title</h2>{m:%B %d, %Y}{filler}</div>" for m in MOMENTS]
    rules = learn_published(samples_of(pages, MOMENTS), "en")
    assert (
        read(f"<div class=post><h2>Old</h2>March 1, 2012{filler}</div>", rules) == "2012-03-01T00:00:00+00:00"
    )


def test_an_article_full_of_years_does_not_hide_the_date() -> None:
    filler = "".join(f"<div class=x>In {year} {'a word ' * 50}</div>" for year in (2019,) * 6)
    pages = [page_of(f"<p class=m>{m:%d %B %Y}</p>", after=filler) for m in MOMENTS]
    assert learn_published(samples_of(pages, MOMENTS), "en")[0].where == "p.m"


def test_without_feed_dates_attributes_and_addresses_agree_on_the_day() -> None:
    urls = [f"http://a.blog/{m:%Y/%m/%d}/x" for m in MOMENTS]
    pages = [page_of(f"<time datetime={m:%Y-%m-%d}>then</time><time datetime=soon></time>") for m in MOMENTS]
    rules = learn_published(samples_of(pages, [None] * len(pages), urls=urls))
    assert (rules[0].method, rules[0].confidence) == ("time", None)


def test_one_day_on_all_pages_is_not_believed_of_a_nameless_place() -> None:
    pages = [page_of("<p class=m>1 March 2012</p>")] * 4
    assert learn_published(samples_of(pages, [None] * 4), "en")[0].where != "p.m"


def test_a_moment_told_at_another_offset_is_the_same_day() -> None:
    east = timezone(timedelta(hours=9))
    moment = datetime(2019, 3, 1, 20, tzinfo=UTC)
    there = moment.astimezone(east)
    assert Target(moment).hit(Stamp(there.date(), there.time(), east)) == 2
    assert Target(moment).hit(Stamp(there.date())) == 1
    assert Target(moment).hit(Stamp(there.date() + timedelta(days=1))) == 0


def test_no_samples_teach_the_standard_places() -> None:
    assert learn_published([])[0].where == "article:published_time"


def test_a_page_is_not_judged_by_a_format_that_it_alone_has() -> None:
    forms = ["<p>{:%d.%m.%Y}</p>"] * (len(MOMENTS) - 1) + ["<p>{:%B %d, %Y}</p>"]
    shown = [form.format(moment) for form, moment in zip(forms, MOMENTS, strict=True)]
    rules = learn_published(samples_of([page_of(text) for text in shown], MOMENTS))
    assert rules[0].confidence == (len(MOMENTS) - 1) / len(MOMENTS)
    assert read(page_of("<p>March 5, 2011</p>"), rules) == "2011-03-05T00:00:00+00:00"


def test_a_place_that_is_right_on_one_page_has_proved_nothing() -> None:
    shown = [f"<p class=when>{moment:%d %B %Y}</p>" for moment in MOMENTS[:3]]
    stated = page_of("", head=f"<meta name=published content={MOMENTS[3]:%Y-%m-%d}>")
    rules = learn_published(samples_of([*map(page_of, shown), stated], MOMENTS[:4]))
    assert [rule.confidence for rule in rules if rule.where in {"p.when", "published"}] == [0.75, 0.0]
