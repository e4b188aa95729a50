"""Which comments are new, gone or edited."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from everlog.records import Comment
from everlog.versions.comment_changes import compare_comments

DAY = datetime(2024, 5, 1, tzinfo=UTC)


def comment(ident, text, author="Jo", day=0):
    return Comment(id=ident, author=author, text=text, published=DAY + timedelta(days=day))


def told(old, new):
    changes = compare_comments(old, new)
    return (
        [each.text for each in changes.added], [each.text for each in changes.removed],
        [(each.old.text, each.new.text) for each in changes.edited],
    )


def test_the_same_comments_in_another_order_with_other_dates_are_no_change():
    old = [comment("1", "First of all."), comment("2", "Second,  thanks.", "Al")]
    new = [comment("2", "Second, thanks.", "Al", day=30), comment("1", "First of all.", day=2)]
    assert compare_comments(old, new).is_empty


def test_a_comment_with_the_same_id_and_another_text_is_edited():
    assert told([comment("1", "I like it.")], [comment("1", "No more.")]) == ([], [], [("I like it.", "No more.")])


def test_a_comment_that_was_blanked_by_its_site_is_edited_and_not_two():
    assert told([comment("1", "I like it.")], [comment("1", "[deleted]", author="[deleted]")]) == (
        [], [], [("I like it.", "[deleted]")],
    )


def test_numbers_that_move_on_when_a_comment_is_taken_away_do_not_make_edits():
    old = [comment(str(number), f"This is what I think about {number}.") for number in range(1, 6)]
    new = [comment(str(number), each.text) for number, each in enumerate(old[:1] + old[2:], 1)]
    assert told(old, new) == ([], [old[1].text], [])


def test_without_ids_an_edited_comment_is_known_by_author_day_and_likeness():
    old = [comment(None, "The second picture is upside down."), comment(None, "Thank you!", "Al")]
    new = [comment(None, "The second picture was upside down, sorry."), comment(None, "Never mind.", "Bo")]
    assert told(old, new) == (["Never mind."], ["Thank you!"], [(old[0].text, new[0].text)])


def test_alike_words_of_one_author_a_month_later_are_another_comment():
    old, new = [comment(None, "Thanks a lot for this.")], [comment(None, "Thanks a lot for that.", day=30)]
    assert told(old, new) == ([new[0].text], [old[0].text], [])


def test_a_comment_that_was_written_twice_and_is_there_once_was_removed_once():
    twice = comment(None, "Nice.")
    assert told([twice, twice], [twice]) == ([], ["Nice."], [])


def test_somebody_with_very_many_comments_is_compared_in_no_time():
    old = [comment(None, f"{number} times I said so") for number in range(1_500)]
    new = [comment(None, f"{number} times I say so") for number in range(1_500)]
    changes = compare_comments(old, new)
    assert len(changes.added) + len(changes.edited) == 1_500


COMMENTS = st.lists(st.builds(
    Comment, id=st.sampled_from([None, "1", "2", "3"]), author=st.sampled_from([None, "Jo", "Al"]),
    text=st.sampled_from(["", "Nice.", "Very nice indeed.", "No."]),
), max_size=6)


@given(COMMENTS, COMMENTS)
def test_every_comment_has_one_fate(old, new):
    changes = compare_comments(old, new)
    assert len(old) - len(changes.removed) == len(new) - len(changes.added) >= len(changes.edited)
    assert compare_comments(old, old).is_empty
