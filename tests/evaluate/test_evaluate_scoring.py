from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from everlog.evaluate.corpus import KnownComment, Truth
from everlog.evaluate.scoring import score_comments, score_post
from everlog.records import Comment, Post

URL = "http://a.example/1"


def test_a_worked_example_of_all_fields():
    # 20 words are right and 2 were added: F1 = 2 * 20 / (20 + 22) = 0.952.
    article = " ".join(f"w{number}" for number in range(20))
    truth = Truth(
        url=URL, title="Salt & Sand", authors=("Ada Quill",), published=date(2024, 3, 1),
        tags=("Sea", "Food", "Boats"), text=article,
    )
    post = Post(
        url=URL, title="salt  SAND!", authors=("Tom", "ada quill"), text=article + " share this",
        published=datetime(2024, 3, 2, 0, 30, tzinfo=timezone(timedelta(hours=2))), tags=("sea", "News"),
    )
    scores = score_post(truth, post)
    # Tags: one of three is right, one of two was wrong: 2 * 1 / (3 + 2) = 0.4.
    assert scores == {
        "found": 1.0, "f1": pytest.approx(40 / 42), "strict": 1.0, "paper": 1.0, "title": 1.0, "author": 1.0,
        "date": 1.0, "day": 0.0, "tags": pytest.approx(0.4),
    }


def test_one_word_more_and_the_article_is_no_longer_strict():
    article = " ".join(f"w{number}" for number in range(20))
    scores = score_post(Truth(url=URL, text=article), Post(url=URL, text=article + " share this now"))
    assert scores["f1"] == pytest.approx(40 / 43)
    assert scores["strict"] == 0.0


def test_a_post_that_was_not_read_misses_every_field_with_truth():
    truth = Truth(
        url=URL, title="T", authors=("A",), published=date(2024, 3, 1), tags=("x",), text="words",
        comments=(KnownComment(text="hello"),), comments_complete=True,
    )
    scores = score_post(truth, None)
    assert set(scores) == {
        "found", "f1", "strict", "paper", "title", "author", "date", "day", "tags", "com_r", "com_p",
    }
    assert set(scores.values()) == {0.0}


def test_fields_without_truth_are_not_scored():
    post = Post(url=URL, title="T", authors=("A",), published=datetime(2024, 3, 1, tzinfo=UTC), text="words")
    assert score_post(Truth(url=URL, tags=("!!",)), post) == {"found": 1.0}


def test_an_article_of_which_the_truth_is_only_a_part_is_not_scored():
    scores = score_post(Truth(url=URL, text="words", text_is_whole=False), Post(url=URL, text="words"))
    assert "strict" not in scores


def test_chinese_is_compared_by_character():
    text = "今天我们去海边散步"
    scores = score_post(Truth(url=URL, text=text), Post(url=URL, text=text + "。分享"))
    assert scores["f1"] == pytest.approx(2 * 9 / (9 + 11))


def test_full_width_and_half_width_letters_are_the_same():
    assert score_post(Truth(url=URL, title="ＡＢＣ_１"), Post(url=URL, title="abc 1"))["title"] == 1.0


def test_the_paper_measure_forgives_noise_that_the_strict_one_does_not():
    text = "the ferry left the pier before sunrise and nobody noticed"
    scores = score_post(Truth(url=URL, text=text), Post(url=URL, text=text + " share tweet pin"))
    assert (scores["strict"], scores["paper"]) == (0.0, 1.0)


@pytest.mark.parametrize(("hour", "offset", "day"), [(23, -8, 1.0), (1, 9, 1.0), (23, 0, 1.0)])
def test_a_date_counts_as_its_source_wrote_it(hour, offset, day):
    moment = datetime(2024, 3, 1, hour, tzinfo=timezone(timedelta(hours=offset)))
    scores = score_post(Truth(url=URL, published=date(2024, 3, 1)), Post(url=URL, published=moment))
    assert scores["day"] == day


def test_a_date_two_days_off_is_wrong():
    moment = datetime(2024, 3, 3, tzinfo=UTC)
    scores = score_post(Truth(url=URL, published=date(2024, 3, 1)), Post(url=URL, published=moment))
    assert (scores["date"], scores["day"]) == (0.0, 0.0)


def test_comments_are_matched_by_text_once_each():
    truth = [
        KnownComment(text="I was there that morning.", author="Maud", published=date(2024, 3, 1)),
        KnownComment(text="Greetings from over the water!", author="Pelle", published=date(2024, 3, 2)),
    ]
    got = [
        Comment(
            text="Greetings from over the water", author="pelle", published=datetime(2024, 3, 9, tzinfo=UTC),
        ),
        Comment(text="I was there that morning.", author="M.", published=datetime(2024, 3, 1, tzinfo=UTC)),
        Comment(text="Buy shoes"),
    ]
    scores = score_comments(truth, got)
    assert scores == {
        "com_r": 1.0, "com_p": pytest.approx(2 / 3), "com_author": 0.5, "com_date": 0.5,
    }


def test_comments_of_a_single_character_are_matched_though_they_have_no_bigrams():
    assert score_comments([KnownComment(text="ü")], [Comment(text="Ü")])["com_r"] == 1.0
