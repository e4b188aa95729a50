"""Pages of lists that shift: whatever is published or deleted between two requests, no item is missed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from everlog.history.overlap import MOST_STEPS_BACK, fit_page, is_shifted

# Between two requests: how many items come in front, and which of those that are there go.
EVENTS = st.lists(st.tuples(st.integers(0, 12), st.lists(st.integers(0, 60), max_size=4)), max_size=40)


@given(count=st.integers(0, 60), size=st.integers(2, 25), events=EVENTS)
def test_no_item_that_was_there_all_the_time_is_missed(count, size, events):
    items = [f"item {number}" for number in range(count)]
    staying, told, place, fit = set(items), [], {"at": 0}, None
    for number in range(400):
        page = items[place["at"]:place["at"] + size]
        fit = fit_page(place, page, has_more=len(items) > place["at"] + size)
        told += [page[each] for each in fit.fresh]
        if fit.next_place is None:
            break
        place = fit.next_place
        new, gone = events[number] if number < len(events) else (0, [])
        items = [f"new {number}.{each}" for each in range(new)] + items
        for each in gone:
            if each < len(items):
                staying.discard(items.pop(each))
    assert fit is not None
    if fit.is_end:
        assert staying <= set(told)
    else:
        assert fit.is_repeated or place.get("gap")


def test_a_page_of_one_item_does_not_keep_the_walk_where_it_is():
    one = fit_page({"at": 0}, ["b"])
    two = fit_page(one.next_place, ["a"])
    assert (one.next_place["at"], two.fresh, two.next_place["at"]) == (1, (0,), 2)
    assert fit_page(two.next_place, ["a"]).is_repeated
    assert fit_page(two.next_place, []).is_end


def test_a_list_that_lost_more_than_can_be_asked_for_again_has_a_gap():
    place = fit_page({"at": 400}, ["f", "e", "d"]).next_place
    for _ in range(MOST_STEPS_BACK):
        fit = fit_page(place, ["c", "b", "a"])
        assert fit.is_lost
        place = fit.next_place
    last = fit_page(place, ["c", "b", "a"], has_more=False)
    assert (last.fresh, last.is_end, last.is_lost) == ((0, 1, 2), False, False)


def test_a_first_page_is_as_it_was_if_it_only_grew_at_its_beginning():
    before = ["d", "c", "b"]
    for after in (["d", "c", "b"], ["e", "d", "c"], ["g", "f", "d"], ["d", "c", "b", "a"], ["d", "c"]):
        assert not is_shifted(before, after)
    for after in (["c", "b", "a"], ["d", "b", "a"], ["d", "c", "a"], ["e", "d", "b"], []):
        assert is_shifted(before, after)
    assert not is_shifted([], ["a"])
