"""Blogs of a corpus without their feeds, posts told from other pages, and how far a confidence can be believed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.errors import NothingToLearn, UsageError
from everlog.evaluate.calibration import calibration_bins, calibration_error
from everlog.evaluate.corpus import read_blog
from everlog.evaluate.run import evaluate_blog, learn_with_everlog
from everlog.evaluate.without_feed import learn_walking
from papers.post_classifier import telling_rows

EXAMPLE = Path(__file__).parents[2] / "examples" / "corpus" / "harbour-notes"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a blog that tests may change."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "harbour-notes"))


def test_a_blog_is_read_without_its_feed(folder: Path) -> None:
    blog = read_blog(folder)
    feed = blog.file(blog.feed_url)
    assert feed is not None
    feed.unlink()
    result = evaluate_blog(blog, learn_with_everlog, no_feed=True)
    assert result.problem is None
    assert (result.scores["found"], result.scores["strict"], result.scores["title"]) == (1.0, 1.0, 1.0)


def test_a_blog_whose_posts_share_most_of_their_phrases_is_read_without_its_feed() -> None:
    result = evaluate_blog(read_blog(EXAMPLE.parent / "umibe"), learn_with_everlog, no_feed=True)
    assert result.scores["strict"] == 1.0


def test_what_was_read_says_how_sure_it_is(folder: Path) -> None:
    result = evaluate_blog(read_blog(folder), learn_with_everlog, no_feed=True)
    assert len(result.sure) == result.posts
    assert all(0.5 < confidence < 1 and right for confidence, right in result.sure)


def test_a_home_page_that_leads_nowhere_is_no_hindrance(folder: Path) -> None:
    (folder / "site" / "index.html").write_text("<p>Moved.", encoding="utf-8")
    assert len(learn_walking(read_blog(folder)).feed.entries) > 5


def test_a_blog_without_pages_says_so(folder: Path) -> None:
    for file in (folder / "site").rglob("*.html"):
        file.unlink()
    with pytest.raises(NothingToLearn):
        learn_walking(read_blog(folder))


class TestTelling:
    def test_posts_and_other_pages_are_told_with_the_feed_and_without(self, folder: Path) -> None:
        blog = read_blog(folder)
        posts = [row for row in blog.truth() if blog.page(row.url) is not None]
        site = folder / "site"
        labels = [{"path": "/", "file": "index.html", "kind": "listing"}]
        for row in posts:
            file = blog.file(row.url)
            assert file is not None
            labels.append({"path": row.url.split("/", 3)[3].join("//")[:-1], "kind": "post",
                           "file": file.relative_to(site).as_posix()})
        (folder / "pages.jsonl").write_text("\n".join(map(json.dumps, labels)), encoding="utf-8")
        rows = telling_rows([blog])
        assert [row["learned"] for row in rows] == ["with the feed", "without"]
        assert {(row["blogs"], row["pages"], row["right %"]) for row in rows} == {(1, len(posts) + 1, 100.0)}

    def test_blogs_without_labels_cannot_be_measured(self) -> None:
        with pytest.raises(UsageError, match=r"pages\.jsonl"):
            telling_rows([read_blog(EXAMPLE)])


class TestCalibration:
    def test_a_confidence_that_comes_true_has_no_error(self) -> None:
        readings = [(0.5, True), (0.5, False)] * 10 + [(1.0, True)] * 20
        assert calibration_error(readings) == 0.0

    def test_the_error_is_the_mean_distance_of_the_bins(self) -> None:
        assert calibration_error([(0.9, False)] * 5 + [(0.8, True)] * 5) == pytest.approx((0.9 + 0.2) / 2)

    def test_nothing_read_has_no_error_at_all(self) -> None:
        assert calibration_error([]) is None

    @given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
    def test_bins_hold_every_reading_once_and_the_error_is_a_share(self, readings: list[tuple[float, bool]]) -> None:
        assert sum(one.posts for one in calibration_bins(readings)) == len(readings)
        error = calibration_error(readings)
        assert error is not None
        assert 0 <= error <= 1 + 1e-9
