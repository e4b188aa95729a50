"""What a post's own entry says, where its page says nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

import a_blog
import everlog
from everlog.extract.feed_entry import (
    as_entry,
    filled,
    from_dict,
    is_told,
    merged,
    only,
    to_dict,
    with_believable_dates,
)
from everlog.extract.template import Template
from everlog.records import Entry, Post, Provenance

MOMENT = datetime(2024, 5, 3, 20, 15, tzinfo=timezone(timedelta(hours=2)))
ENTRY = Entry(
    link="https://a.blog/rain", title="Rain", authors=("Ada <ada@a.blog>",), published=MOMENT,
    updated=MOMENT + timedelta(days=2), tags=("#weather", "Weather", "roofs"),
    summary="<p>Nine wet &amp; long days.</p>",
)
BARE = Post(url="https://a.blog/rain", text="It rained for nine days, and then it did not.")


def by(method: str, precision: str | None = None) -> Provenance:
    return Provenance(method=method, rule="x", confidence=1.0, precision=precision)


def test_a_page_that_shows_nothing_takes_all_from_its_entry():
    post = filled(BARE, ENTRY)
    assert (post.title, post.authors, post.tags) == ("Rain", ("Ada",), ("weather", "roofs"))
    assert (post.published, post.updated, post.summary) == (MOMENT, MOMENT + timedelta(days=2), "Nine wet & long days.")
    assert {source.method for source in post.provenance.values()} == {"feed-entry"}
    assert {source.rule for source in post.provenance.values()} == {"https://a.blog/rain"}
    assert post.provenance["published"].precision == "minute"
    assert all(post.provenance[name].confidence < 1 for name in ("title", "authors", "published", "tags"))
    assert post.text == BARE.text


def test_what_the_page_shows_stands():
    shown = replace(
        BARE, title="Rain, at last", authors=("Bo",), published=MOMENT - timedelta(days=400), tags=("sun",),
        updated=MOMENT, summary="Own.",
        provenance={name: by("selector") for name in ("title", "authors", "published", "tags", "updated", "summary")},
    )
    assert filled(shown, ENTRY) is shown
    assert is_told(shown)


def test_what_the_feed_says_of_all_posts_gives_way_to_what_it_says_of_this_one():
    post = replace(BARE, authors=("The editors",), provenance={"authors": by("feed-constant")})
    assert filled(post, ENTRY).authors == ("Ada",)
    same = replace(post, authors=("ada",))
    assert filled(same, replace(Entry(link="/"), authors=("Ada",))) is same


@pytest.mark.parametrize(("month", "published"), [(5, MOMENT), (1, datetime(2024, 1, 1, tzinfo=UTC))])
def test_the_month_of_an_address_gives_way_to_a_day_in_it(month: int, published: datetime):
    first = datetime(2024, month, 1, tzinfo=UTC)
    post = replace(BARE, published=first, provenance={"published": by("url", "month")})
    assert filled(post, ENTRY).published == published


def test_what_the_page_showed_before_is_not_the_feeds_to_say():
    held = replace(BARE, published=MOMENT - timedelta(days=1), provenance={"published": by("time", "minute")})
    assert filled(BARE, ENTRY, held).published is None
    assert filled(BARE, ENTRY, replace(held, provenance={"published": by("feed-entry")})).published == MOMENT


def test_midnight_is_what_generators_write_for_a_day():
    entry = Entry(link=None, guid="tag:1", published=datetime(2024, 5, 3, tzinfo=UTC))
    source = filled(BARE, entry).provenance["published"]
    assert (source.precision, source.rule) == ("day", "tag:1")


def test_a_feed_that_only_knows_of_changes_gives_their_date():
    post = filled(BARE, Entry(link="/", updated=MOMENT))
    assert (post.published, post.updated) == (MOMENT, None)


@pytest.mark.parametrize("year", [1980, 2031])
def test_a_date_that_no_post_can_bear_is_not_taken(year: int):
    fetched = datetime(2024, 6, 1, tzinfo=UTC)
    entry = Entry(link="/", published=MOMENT.replace(year=year))
    assert filled(replace(BARE, fetched=fetched), entry).published is None


@pytest.mark.parametrize("summary", [
    "It rained for nine days, and [...]", "word " * 200, "<p>" + "<b>wet</b> " * 300 + "</p>", " ", "<img src=x>",
])
def test_the_beginning_of_the_article_or_all_of_it_is_no_summary(summary: str):
    assert filled(BARE, Entry(link="/", summary=summary)).summary is None


def test_what_the_feed_said_is_known_again_from_the_post():
    post = filled(BARE, ENTRY)
    said = as_entry(post)
    assert said is not None
    assert filled(BARE, said) == post
    assert as_entry(BARE) is None
    dated = replace(BARE, published=MOMENT, provenance={"published": by("time", "minute")})
    changed = filled(dated, ENTRY)
    again = as_entry(changed)
    assert again is not None
    assert filled(dated, again).updated == ENTRY.updated


def test_a_later_edition_of_an_entry_wins_and_keeps_what_only_the_earlier_one_says():
    both = merged(Entry(link="/", title="Rain, corrected"), ENTRY)
    assert (both.title, both.authors, both.published) == ("Rain, corrected", ENTRY.authors, MOMENT)


def test_one_day_for_all_entries_is_the_day_the_feed_was_built():
    entries = [replace(ENTRY, link=f"/{number}", updated=None) for number in range(3)]
    assert {entry.published for entry in with_believable_dates(entries)} == {None}
    assert with_believable_dates(entries[:2]) == tuple(entries[:2])
    other = [*entries, replace(ENTRY, published=MOMENT + timedelta(days=9))]
    assert with_believable_dates(other) == tuple(other)


def test_what_is_kept_of_an_entry_survives_its_plain_form():
    kept = only(ENTRY)
    assert kept is not None
    assert from_dict(json.loads(json.dumps(to_dict(kept)))) == kept
    assert only(Entry(link="/", content="<p>All</p>")) is None
    long = only(replace(ENTRY, summary="x" * 5_000))
    assert long is not None
    assert long.summary is None
    dated = only(Entry(link="/", title="T", updated=MOMENT), ("published",))
    assert dated is not None
    assert (dated.title, dated.updated) == (None, MOMENT)


def without_dates(number: int) -> bytes:
    page = a_blog.page(number).decode()
    start, end = page.index("<p class=meta>"), page.index("</p>", page.index("<p class=meta>")) + len("</p>")
    return (page[:start] + page[end:]).encode()


def test_a_template_dates_the_posts_of_the_feed_that_taught_it_and_no_others():
    pages = {a_blog.url(number): without_dates(number) for number in a_blog.NUMBERS}
    template = everlog.learn(a_blog.feed(), pages, feed_url=a_blog.HOME + "feed.xml")
    for again in (template, Template.from_json(template.to_json())):
        post = again.read(pages[a_blog.url(3)], "http://www.a.blog/3/?utm_source=x")
        assert isinstance(post, Post)
        assert post.published == datetime(2024, 1, 3, 10, tzinfo=UTC)
        assert post.provenance["published"].method == "feed-entry"
        other = again.read(without_dates(9), a_blog.url(9))
        assert isinstance(other, Post)
        assert other.published is None


def test_a_template_keeps_nothing_of_what_every_page_shows():
    template = everlog.learn(a_blog.feed(), a_blog.pages(), feed_url=a_blog.HOME + "feed.xml")
    assert not template.entries


def test_a_template_of_before_there_were_entries_is_read():
    pages = {a_blog.url(number): without_dates(number) for number in a_blog.NUMBERS}
    plain = json.loads(everlog.learn(a_blog.feed(), pages).to_json())
    del plain["entries"]
    assert not Template.from_json(json.dumps(plain)).entries


def test_an_address_that_several_entries_name_is_nobodys():
    items = [a_blog.item(number) for number in a_blog.NUMBERS]
    pages = {a_blog.url(number): without_dates(number) for number in a_blog.NUMBERS}
    body = a_blog.rss([*items, a_blog.item(8, "Something else.", link=a_blog.url(3))])
    post = everlog.learn(body, pages).read(pages[a_blog.url(3)], a_blog.url(3))
    assert isinstance(post, Post)
    assert post.published is None
