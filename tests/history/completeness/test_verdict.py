"""The verdict on posts and on comments: each rule, and each way in which sources mislead."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from everlog.history import SOURCES
from everlog.history.completeness import (
    CommentGap,
    Completeness,
    Inventory,
    NamedPost,
    Verdict,
    judge_comments,
    judge_posts,
)
from everlog.history.completeness.inventory import GRADES

REST = Inventory(
    source="WordPress REST", grade="A", members=9, claimed_before=9, claimed_after=9, is_exhaustive=True,
    is_stable=True, walked_at=datetime(2026, 5, 1, tzinfo=UTC),
)
FEED = Inventory(source="WordPress feed", grade="B", members=9, is_exhaustive=True)
SITEMAP = Inventory(source="sitemap", grade="C", members=12, is_exhaustive=True)
ANY_LIST = "a list by the blog itself that has all posts: an interface, or a feed that goes back to the first post"
CRAWL = Inventory(source="crawl", grade="D", members=9)


def test_grades_are_what_the_sources_say_of_themselves():
    assert {source.name: source.grade for source in SOURCES} == GRADES


def post(whereabouts, *named_by, detail="", is_certain=True, is_gone=None):
    is_gone = detail in {"HTTP 404", "HTTP 410"} if is_gone is None else is_gone
    return NamedPost(
        url="https://a.org/x", named_by=named_by or ("sitemap",), whereabouts=whereabouts, detail=detail,
        is_certain=is_certain, is_gone=is_gone,
    )


@pytest.mark.parametrize(
    ("inventories", "answer"),
    [
        ([REST], "yes"),
        ([FEED], "yes"),
        ([FEED, SITEMAP, CRAWL], "yes"),
        ([CRAWL], "unknown"),
        ([SITEMAP, CRAWL], "unknown"),
        ([], "unknown"),
        # Of two that should list all, one that is whole will do.
        ([replace(REST, is_exhaustive=False, problem="HTTP 403"), FEED], "yes"),
        ([replace(REST, is_exhaustive=False, problem="HTTP 403")], "unknown"),
        ([replace(REST, is_stable=False, claimed_after=8)], "unknown"),
        # Totals lie, upwards and downwards: a walk may have ended where the total told it to.
        ([replace(REST, claimed_before=12, claimed_after=12)], "unknown"),
        ([replace(REST, claimed_before=5, claimed_after=5)], "unknown"),
        # A list of all posts that leaves out one which is held is none.
        ([replace(FEED, unlisted=1)], "unknown"),
        ([replace(FEED, is_exhaustive=False)], "unknown"),
    ],
)
def test_where_nothing_is_known_to_be_missing_the_answer_depends_on_who_lists_all(inventories, answer):
    verdict = judge_posts(inventories, [], held=9)
    assert verdict.answer == answer
    assert (verdict.settled_by is not None) == (answer == "unknown")
    assert (verdict.missing, verdict.excused) == ((), ())


@pytest.mark.parametrize(
    ("named", "answer", "reason"),
    [
        (post("locked", "WordPress REST", detail="password"), "yes", "password"),
        (post("locked", "WordPress REST", detail="paid"), "yes", "paid"),
        (post("needs login", "WordPress REST", detail="HTTP 401"), "yes", "private: HTTP 401"),
        # What the list of all posts does not have, and the server neither, is gone.
        (post("not there", "sitemap", detail="HTTP 404"), "yes", "gone: HTTP 404"),
        (post("not there", "sitemap", "feed", detail="HTTP 410"), "yes", "gone: HTTP 410"),
        # But one that it lists should be there.
        (post("not there", "WordPress REST", detail="HTTP 404"), "no", "HTTP 404"),
        (post("told only", "WordPress REST", detail="HTTP 404"), "no", "HTTP 404, only its text is held"),
        (post("told only", "sitemap", detail="HTTP 404"), "yes", "gone, its text is held: HTTP 404"),
        (post("told only", "sitemap", "WordPress REST", detail="HTTP 410"), "no", "HTTP 410, only its text is held"),
        # What addresses and reasons are spelled like says nothing.
        (post("told only", "sitemap", detail="redirects to http://a.org/404/"), "no",
         "redirects to http://a.org/404/, only its text is held"),
        (post("told only", "sitemap", detail="timed out after 30 s"), "no",
         "timed out after 30 s, only its text is held"),
        (post("failed", "sitemap", detail="HTTP 500"), "no", "HTTP 500"),
        (post("failed", "crawl", detail="timed out after 30 s", is_certain=False), "no", "timed out after 30 s"),
        (post("refused", "sitemap", detail="robots.txt disallows it"), "no", "robots.txt disallows it"),
        (post("outside", "feed", detail="on another host, b.org"), "no", "on another host, b.org"),
        (post("same", "WordPress REST"), "no", "its address leads to another post"),
        (post("waiting", "WordPress REST"), "no", "not visited yet"),
        (post("unvisited", "WordPress REST"), "no", "never visited"),
        (post("no post", "WordPress REST"), "no", "its page was not recognised as a post"),
    ],
)
def test_a_post_that_is_named_and_not_held_is_missing_or_excused(named, answer, reason):
    verdict = judge_posts([REST, SITEMAP], [named], held=8)
    assert verdict.answer == answer
    found = verdict.missing if answer == "no" else verdict.excused
    assert [(gap.url, gap.reason, gap.named_by) for gap in found] == [("https://a.org/x", reason, named.named_by)]


def test_a_page_that_only_had_the_address_of_a_post_explains_itself():
    for whereabouts in ("no post", "outside"):
        verdict = judge_posts([REST], [post(whereabouts, "sitemap", is_certain=False)], held=9)
        assert (verdict.answer, verdict.missing, verdict.excused) == ("yes", (), ())


@pytest.mark.parametrize(
    "inventory",
    [FEED, SITEMAP, replace(REST, is_stable=False), replace(REST, claimed_after=12), replace(REST, unlisted=3)],
)
def test_nothing_is_gone_by_the_word_of_a_list_that_may_not_be_whole(inventory):
    verdict = judge_posts([inventory], [post("not there", "archive pages", detail="HTTP 404")], held=9)
    assert (verdict.answer, len(verdict.missing)) == ("no", 1)


def test_a_post_that_one_of_two_whole_lists_has_is_not_gone():
    ghost = replace(REST, source="Ghost")
    verdict = judge_posts([REST, ghost], [post("not there", "Ghost", detail="HTTP 410")], held=8)
    assert (verdict.answer, len(verdict.missing)) == ("no", 1)


def test_one_missing_post_outweighs_any_number_of_good_lists():
    verdict = judge_posts([REST, FEED], [post("failed", "crawl", detail="HTTP 500")], held=9)
    assert verdict.answer == "no"
    assert verdict.sentence == "not all posts are here: 9 held, 1 missing (HTTP 500)"


def test_the_sentence_names_most_reasons_and_once_that_texts_are_held():
    told = [post("told only", "WordPress REST", detail=detail) for detail in ("HTTP 404", "HTTP 404", "HTTP 403")]
    others = [post("failed", "sitemap", detail="timed out after 30 s"), post("no post", "WordPress REST")]
    assert judge_posts([REST], [*told, *others], held=9).sentence == (
        "not all posts are here: 9 held, 5 missing (2 × HTTP 404; 1 × HTTP 403; 1 × timed out after 30 s; "
        "1 × its page was not recognised as a post; of 3 only the text is held)"
    )


def test_where_an_address_leads_is_said_without_the_address():
    leads = "its address leads to http://a.org/"
    named = [
        replace(post("same", "WordPress REST", detail=f"{leads}{number}0"), url=f"https://a.org/{number}")
        for number in (1, 2)
    ]
    assert "2 missing (its address leads to another address)" in judge_posts([], named, held=1).sentence


def test_reasons_beyond_the_most_frequent_are_counted_together():
    named = [post("failed", detail=f"HTTP {status}") for status in range(500, 508)]
    assert judge_posts([REST], named, held=1).sentence.endswith("1 × HTTP 504; 3 for other reasons)")


@pytest.mark.parametrize(
    ("inventory", "sentence", "settled_by"),
    [
        (replace(REST, is_exhaustive=False, problem="HTTP 403"),
         "WordPress REST could not be read to its end (HTTP 403)",
         "another crawl, when WordPress REST can be read to its end"),
        (replace(REST, is_stable=False), "WordPress REST changed while it was read",
         "an update, which reads WordPress REST again"),
        (replace(REST, claimed_after=12), "WordPress REST counts 12 posts and lists 9",
         "a list by WordPress REST with as many posts as it counts"),
        (replace(FEED, unlisted=2, unlisted_example="https://a.org/y"),
         "WordPress feed leaves out 2 posts that are held (such as https://a.org/y)",
         "a list that has all posts; WordPress feed leaves some out"),
        (SITEMAP, "its sitemap names no other posts, but may leave some out", ANY_LIST),
        (replace(SITEMAP, source="archive pages"), "its archive pages name no other posts, but may leave some out",
         ANY_LIST),
        (replace(SITEMAP, members=0), "no list of all its posts was found", ANY_LIST),
    ],
)
def test_an_unknown_says_why_and_what_would_settle_it(inventory, sentence, settled_by):
    verdict = judge_posts([inventory], [], held=9)
    assert verdict.sentence == f"9 posts held, none known to be missing; there may be more: {sentence}"
    assert verdict.settled_by == settled_by


def test_lists_that_may_leave_posts_out_are_named_together():
    lists = [replace(SITEMAP, source=source) for source in ("archive pages", "sitemap", "feed")]
    assert judge_posts(lists, [], held=9).sentence.endswith(
        "there may be more: its archive pages, sitemap and feed name no other posts, but may leave some out",
    )


def test_an_unknown_speaks_of_a_list_that_was_read_and_not_of_one_that_is_switched_off():
    off = replace(REST, members=0, is_exhaustive=False, problem="HTTP 401")
    verdict = judge_posts([off, replace(FEED, is_exhaustive=False, problem="it repeats itself")], [], held=9)
    assert verdict.sentence.endswith("WordPress feed could not be read to its end (it repeats itself)")
    assert verdict.settled_by == "another crawl, when WordPress feed can be read to its end"


def test_gaps_are_in_the_order_of_their_addresses_whoever_names_them_first():
    named = [replace(post("failed", detail="HTTP 500"), url=f"https://a.org/{name}") for name in "cab"]
    assert [gap.url[-1] for gap in judge_posts([REST], named, held=9).missing] == ["a", "b", "c"]


TALK = replace(REST, members=5, claimed_before=5, claimed_after=5)
TALK_FEED = Inventory(source="comment feed", grade="C", members=5)
ALL = Verdict(answer="yes", sentence="", held=2)
LOST = judge_posts([REST], [post("failed", detail="HTTP 500")], held=1)
LOCKED = judge_posts([REST], [post("locked", "WordPress REST", detail="password")], held=1)


@pytest.mark.parametrize(
    ("gaps", "lists", "posts", "answer"),
    [
        ([], [TALK], ALL, "yes"),
        ([], [TALK], LOCKED, "yes"),
        ([], [], ALL, "unknown"),
        ([], [TALK], LOST, "unknown"),
        ([CommentGap(url="x", state="off")], [TALK], ALL, "unknown"),
        ([CommentGap(url="x", state="failed")], [TALK], ALL, "no"),
        ([CommentGap(url="x", state="partial", held=1, claimed=3)], [TALK], ALL, "no"),
        ([CommentGap(url="x", state="partial", held=1, claimed=3)], [], LOST, "no"),
        ([CommentGap(url="x", state="announced", lacking=1)], [TALK], ALL, "no"),
    ],
)
def test_comments_have_an_answer_of_their_own(gaps, lists, posts, answer):
    verdict = judge_comments(gaps, held=5, lists=lists, posts=posts)
    assert verdict.answer == answer
    assert (verdict.settled_by is not None) == (answer == "unknown")


@pytest.mark.parametrize(
    ("listed", "why", "settled_by"),
    [
        (replace(TALK, unlisted=2, unlisted_example="https://a.org/x#comment-7"),
         "WordPress REST leaves out 2 comments that are held (such as https://a.org/x#comment-7)",
         "a list that has all comments; WordPress REST leaves some out"),
        (replace(TALK, claimed_before=7, claimed_after=7), "WordPress REST counts 7 comments and lists 5",
         "a list by WordPress REST with as many comments as it counts"),
        (replace(TALK, claimed_before=4, is_stable=False), "WordPress REST changed while it was read",
         "an update, which reads WordPress REST again"),
        (replace(TALK, is_exhaustive=False, problem="comments: HTTP 401"),
         "WordPress REST could not be read to its end (comments: HTTP 401)",
         "another crawl, when WordPress REST can be read to its end"),
        (TALK_FEED, "no list of all comments was found", "an interface that lists all comments"),
    ],
)
def test_a_list_of_comments_that_is_not_known_to_be_whole_is_no_yes(listed, why, settled_by):
    verdict = judge_comments([], held=5, lists=[listed], posts=ALL)
    assert (verdict.answer, verdict.settled_by) == ("unknown", settled_by)
    assert verdict.sentence.endswith(f"there may be more: {why}")


def test_a_list_of_comments_may_have_more_than_are_counted_as_some_were_deleted():
    listed = replace(TALK, claimed_before=4, claimed_after=4)
    assert judge_comments([], held=5, lists=[listed], posts=ALL).answer == "yes"


def test_a_comment_that_page_and_feed_speak_of_is_missing_once():
    gaps = [CommentGap(url="x", state="partial", held=1, claimed=2), CommentGap(url="x", state="announced", lacking=1),
            CommentGap(url="y", state="announced", lacking=2)]
    verdict = judge_comments(gaps, held=1, lists=[], posts=ALL)
    assert [(gap.url, gap.reason, gap.named_by) for gap in verdict.missing] == [
        ("x", "the site counts 2 comments, 1 were found", ("its page",)),
        ("y", "the feed of all comments named 2 comments that are not held", ("comment feed",)),
    ]


def test_posts_that_lack_comments_say_how_many_where_that_is_known():
    gaps = [CommentGap(url="b", state="failed"), CommentGap(url="a", state="partial", held=1, claimed=3)]
    verdict = judge_comments(gaps, held=5, lists=[], posts=LOCKED)
    assert [(gap.url, gap.reason, gap.comments) for gap in verdict.missing] == [
        ("a", "the site counts 3 comments, 1 were found", 2), ("b", "its comments could not be fetched", None),
    ]
    assert [gap.reason for gap in verdict.excused] == ["password"]


def test_the_json_has_the_names_that_programs_rely_on():
    at = datetime(2026, 5, 2, tzinfo=UTC)
    comments = judge_comments([], held=0, lists=(), posts=LOST)
    whole = Completeness(posts=LOST, comments=comments, inventories=(REST,), checked_at=at)
    said = whole.to_dict()
    assert said["posts"] == {
        "answer": "no", "sentence": LOST.sentence, "held": 1, "excused": [], "settled_by": None,
        "missing": [{
            "url": "https://a.org/x", "reason": "HTTP 500", "named_by": ["sitemap"], "year": None, "is_in_part": False,
        }],
    }
    assert said["inventories"] == [{
        "source": "WordPress REST", "grade": "A", "claimed_before": 9, "claimed_after": 9, "members": 9,
        "is_exhaustive": True, "is_stable": True, "walked_at": "2026-05-01T00:00:00+00:00", "problem": None,
        "unlisted": 0, "unlisted_example": None, "shortfall": 0,
    }]
    assert said["comment_inventories"] == []
    assert said["checked_at"] == "2026-05-02T00:00:00+00:00"
    assert whole.short() == {
        "posts": "no", "comments": "unknown", "missing": 1, "excused": 0, "in_part": 0,
        "checked_at": said["checked_at"],
        "sentences": [LOST.sentence, comments.sentence],
    }
