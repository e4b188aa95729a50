from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.comments.comment_markup import Thread
from everlog.comments.merging import merge
from everlog.records import Comment

DAY = datetime(2020, 1, 1, tzinfo=UTC)
MOMENT = datetime(2020, 1, 1, 10, 11, 12, tzinfo=UTC)


def page(*comments: Comment) -> Thread:
    return Thread(source="page", comments=comments)


def feed(*comments: Comment) -> Thread:
    return Thread(source="feed", comments=comments)


def said(ident: str | None, text: str = "Nice.", author: str | None = "Jo", source: str = "page", **other) -> Comment:
    return Comment(id=ident, text=text, author=author, source=source, **other)


def test_one_comment_of_two_sources_is_one_with_the_best_of_both():
    shown = said("7", author="jo", published=DAY, html="<p>Nice.</p>", parent="6", author_url="http://jo.org/")
    told = said("7", "Nice", "Jo Doe", "feed", published=MOMENT, html="Nice", url="https://a.org/#comment-7")
    merged = merge([page(said("6", "First."), shown), feed(told)], claimed=2).comments
    assert len(merged) == 2
    both = merged[1]
    assert (both.author, both.published) == ("Jo Doe", MOMENT), "the feed knows who and when"
    assert (both.html, both.parent, both.author_url, both.source) == ("<p>Nice.</p>", "6", "http://jo.org/", "page")
    assert both.url == "https://a.org/#comment-7"


def test_without_ids_the_same_author_and_text_are_one():
    merged = merge([page(said(None, published=DAY)), feed(said("7", "Nice. ", source="feed"))], claimed=None).comments
    assert [(comment.id, comment.published) for comment in merged] == [("7", DAY)]


def test_a_text_that_a_feed_shortened_is_still_the_same():
    long = "I have been to the mountains in May, and there was snow everywhere, see the picture"
    merged = merge([page(said(None, long)), feed(said("7", long[:-16], source="feed"))], claimed=None)
    assert len(merged.comments) == 1
    assert merged.comments[0].text == long


def test_two_comments_of_one_source_that_say_the_same_are_two():
    twice = (said(None, "Thanks!", published=DAY), said(None, "Thanks!", published=DAY + timedelta(days=9)))
    told = (said("8", "Thanks!", source="feed", published=twice[1].published),)
    merged = merge([page(*twice), feed(*told)], claimed=None).comments
    assert [comment.id for comment in merged] == [None, "8"], "the nearer one in time is meant"


def test_where_the_sources_share_ids_another_id_is_another_comment():
    merged = merge([page(said("1", "Thanks!")), feed(said("1", "Thanks!"), said("2", "Thanks!"))], claimed=None)
    assert [comment.id for comment in merged.comments] == ["1", "2"]


def test_two_services_may_both_have_a_comment_seven():
    answers = (said("7", "It is all different.", "Al", "isso"), said("8", "Yes", "Bo", "isso", parent="7"))
    other = Thread(source="isso", comments=answers)
    merged = merge([page(said("7")), other], claimed=None).comments
    assert [(comment.id, comment.parent, comment.author) for comment in merged] == [
        ("7", None, "Jo"), ("isso-7", None, "Al"), ("8", "isso-7", "Bo"),
    ]


def test_an_edited_comment_keeps_its_id():
    merged = merge([page(said("7", "Nice, edited.")), Thread(source="held", comments=(said("7"),))], claimed=None)
    assert [(comment.id, comment.text) for comment in merged.comments] == [("7", "Nice, edited.")]


def test_a_parent_that_only_another_source_knows_is_found():
    answer = said("9", "No.", "Al", "feed", parent="6")
    merged = merge([page(said("6")), feed(answer)], claimed=None).comments
    assert [(comment.id, comment.parent) for comment in merged] == [("6", None), ("9", "6")]


def test_a_parent_that_does_not_exist_is_none():
    assert merge([page(said("7", parent="5"))], claimed=None).comments[0].parent is None


def test_nobody_answers_himself_however_long_the_way_round():
    ring = [said(str(at), f"text {at}", parent=str((at + 1) % 4)) for at in range(4)]
    parents = {comment.id: comment.parent for comment in merge([page(*ring)], claimed=None).comments}
    at, steps = "0", 0
    while at is not None and steps < 10:
        at, steps = parents[at], steps + 1
    assert at is None


def test_the_address_of_a_comment_tells_it_too():
    shown = said("x1", url="https://a.org/rain#comment-7")
    told = said("7", "Nice", "Jo", "feed", url="https://www.a.org/rain/#comment-7")
    assert [comment.id for comment in merge([page(shown), feed(told)], claimed=None).comments] == ["x1"]


@pytest.mark.parametrize(
    ("count", "claimed", "state", "difference"),
    [(0, None, "none", None), (0, 3, "none", 3), (2, None, "complete", None), (2, 3, "partial", 1),
     (2, 2, "complete", 0), (3, 2, "complete", -1)],
)
def test_the_number_the_site_states_is_the_check(count, claimed, state, difference):
    merged = merge([page(*(said(str(at), f"text {at}") for at in range(count)))], claimed=claimed)
    assert (merged.state, merged.difference, merged.claimed) == (state, difference, claimed)


def test_the_order_of_the_first_source_stays_and_the_others_follow():
    merged = merge([page(said("3", "c"), said("1", "a")), feed(said("4", "d"), said("3", "c"))], claimed=None)
    assert [comment.id for comment in merged.comments] == ["3", "1", "4"]


def test_merging_the_result_again_changes_nothing():
    told = feed(said("1", source="feed", published=MOMENT), said("5", "e"))
    threads = [page(said("1"), said("2", "b", parent="1")), told]
    once = merge(threads, claimed=3)
    again = merge([Thread(source="held", comments=once.comments), *threads], claimed=3)
    assert again == once


comments = st.lists(
    st.builds(
        Comment,
        id=st.sampled_from([None, "1", "2", "3", "4"]),
        parent=st.sampled_from([None, "1", "2", "3", "9"]),
        author=st.sampled_from([None, "Jo", "Al"]),
        text=st.sampled_from(["", "Nice.", "Not so nice at all.", "I disagree"]),
        source=st.just("page"),
    ),
    max_size=6,
)


@given(st.lists(comments, max_size=3))
def test_ids_are_unique_parents_exist_and_threads_end(sources):
    merged = merge([Thread(source="page", comments=tuple(each)) for each in sources], claimed=None).comments
    ids = [comment.id for comment in merged if comment.id is not None]
    assert len(ids) == len(set(ids))
    parents = {comment.id: comment.parent for comment in merged}
    for comment in merged:
        seen = set()
        at = comment.parent
        while at is not None:
            assert at in parents
            assert at not in seen
            seen.add(at)
            at = parents[at]
    assert len(merged) >= max((len({c.id for c in each if c.id}) for each in sources), default=0)


def test_five_thousand_comments_of_one_busy_author_are_merged_one_by_one():
    shown = page(*(said(None, f"what {at} says, {at % 7}") for at in range(5000)))
    told = feed(*(said(str(at), f"what {at} says: {at % 7}", source="feed") for at in range(5000)))
    merged = merge([shown, told], claimed=5000)
    assert (len(merged.comments), merged.state) == (5000, "complete")
    assert [comment.id for comment in merged.comments] == [str(at) for at in range(5000)]
