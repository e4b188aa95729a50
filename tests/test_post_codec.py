"""One codec of records: what is exported and stored comes back, and what older archives hold keeps its digest."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.archive.post_codec import read_record, write_post
from everlog.records import Comment, Entry, Media, Post, Provenance, Role, post_fields
from everlog.records.codec import decode, encode
from everlog.records.json_text import json_members

WHEN = datetime(2024, 5, 31, 12, 30, tzinfo=timezone(timedelta(hours=-3)))
POST = Post(
    url="https://a.blog/1", aliases=("https://a.blog/?p=1",), blog="https://a.blog/", title="Rain",
    authors=("Ann", "Bo"), published=WHEN, updated=WHEN, tags=("sea", "雨"), language="pt-BR", text="It rained.",
    html="<p>It rained.</p>",
    summary="On rain.",
    comments=(Comment(id="7", author="Cy", published=WHEN, text="So true."), Comment(text="No.")),
    comments_state="partial", comment_count_claimed=3, media=(Media(url="https://a.blog/a.png", bytes=3),),
    provenance={
        "title": Provenance(method="selector", rule="h1", confidence=0.9),
        "published": Provenance(method="meta", precision="day", disagrees="the feed says another day"),
    },
    fetched=datetime(2024, 6, 1, tzinfo=UTC), version=2, gone="404", warc=("warc/1.warc.gz", 7),
)


def test_a_post_comes_back_from_the_object_of_its_export():
    plain = json.loads(json.dumps(POST.to_dict()))
    assert decode(Post, plain) == POST
    assert plain["warc"] == {"file": "warc/1.warc.gz", "offset": 7}
    assert list(plain) == [field.name for field in fields(Post)]


def test_an_entry_comes_back_with_what_it_says():
    entry = Entry(link="/1", authors=("Ann",), published=WHEN)
    assert decode(Entry, json.loads(json.dumps(encode(entry)))) == entry


def test_a_page_and_who_captured_it_are_kept_and_a_post_of_our_own_is_written_as_before():
    captured = datetime(2012, 3, 4, tzinfo=UTC)
    page = replace(POST, kind="page", origin="memento", captured=captured)
    written = write_post(page, {"https://a.blog/a.png": "a.blog/a.png"})
    post, _ = read_record(written.record)
    assert (post.kind, post.origin, post.captured, written.kind) == ("page", "memento", captured, "page")
    before = json.loads(write_post(POST, {"https://a.blog/a.png": "a.blog/a.png"}).record)
    assert not before.keys() & {"kind", "origin", "captured"}


def test_names_of_a_later_everlog_are_passed_over_and_missing_ones_are_what_the_class_has():
    assert decode(Post, {"url": "u", "mood": "bright"}) == Post(url="u")


def test_a_stored_version_gives_back_what_it_keeps():
    kept = {*post_fields(Role.READ), *post_fields(Role.BESIDE)}
    post, media = read_record(write_post(POST, {"https://a.blog/a.png": "a.blog/a.png"}).record)
    assert media == (("https://a.blog/a.png", "a.blog/a.png"),)
    for name in kept - {"media"}:
        assert getattr(post, name) == getattr(POST, name), name


@pytest.mark.parametrize(("post", "digest"), [
    (POST, "cc81aa72cd72498fda172458040391f655cde0c2d2133676c7ae50f011b3a09c"),
    (Post(url="https://a.blog/1"), "c4241b3711f748c4e224699018b0ea019783b6de9cbf3ed5b21f2608c4ea7f92"),
], ids=["of a whole post", "of an empty one"])
def test_the_digest_of_a_version_is_that_of_every_earlier_archive(post, digest):
    # A new field has the role `LATER`: where it says nothing, the record is the one of before.
    assert write_post(post, {item.url: item.url for item in post.media}).digest == digest


class Name(str):
    """A text of a class of its own, as parsers have them."""


SIGNS = st.sampled_from(["\x00", "\x7f", "\u2028", '"\\/'])
UNUSUAL = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | SIGNS
MOMENTS = st.datetimes(timezones=st.just(UTC) | st.just(timezone(timedelta(hours=-3, minutes=-30))))


@given(
    post=st.builds(
        Post, url=UNUSUAL.map(Name), title=st.none() | UNUSUAL, authors=st.lists(UNUSUAL, max_size=2).map(tuple),
        published=st.none() | MOMENTS, text=UNUSUAL, html=UNUSUAL, comment_count_claimed=st.none() | st.integers(),
        comments=st.lists(
            st.builds(Comment, id=st.none() | UNUSUAL, published=st.none() | MOMENTS, text=UNUSUAL), max_size=3,
        ).map(tuple),
        provenance=st.dictionaries(UNUSUAL, st.builds(
            Provenance, method=UNUSUAL, confidence=st.none() | st.floats(), precision=st.none() | UNUSUAL,
        ), max_size=2),
    ),
    only=st.sampled_from([None, *((name,) for name in ("url", "comments", "provenance")), post_fields(Role.READ)]),
    keep=st.sampled_from([(), ("precision",)]),
)
def test_the_text_of_a_record_is_to_the_letter_what_json_makes_of_its_object(post, only, keep):
    as_json = json.dumps(encode(post, only=only, keep=keep), ensure_ascii=False)
    assert json_members(post, only, keep=keep).decode() == as_json[1:-1]


def test_a_text_that_no_database_takes_is_stored_without_what_it_does_not_take():
    said = "a\x00b\ud800c"
    post = Post(url=said, title=said, comments=(Comment(text=said),), media=(Media(url=said),), provenance={
        "text": Provenance(method=said),
    })
    written = write_post(post, {said: said})
    kept, media = read_record(written.record)
    clean = "a\ufffdb\ufffdc"
    assert {kept.url, kept.title, kept.comments[0].text, kept.provenance["text"].method, *media[0]} == {clean}
    # As earlier versions of everlog had it.
    assert written.digest == "dfbc0dca67ddc2162d7ea70d94bd4f0c0c9d360c378f4b805349c65f37b16398"
    assert written.post == kept


def test_every_field_of_a_post_that_is_learned_is_read_from_the_page():
    assert set(post_fields(Role.LEARNED)) <= set(post_fields(Role.READ))
    assert set(post_fields(Role.EDIT)).isdisjoint(post_fields(Role.CURRENT))
