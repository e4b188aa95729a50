from __future__ import annotations

import json
import subprocess
import sys

import pytest

from everlog.evaluate.run import evaluate, evaluate_blog, total_scores


def test_posts_outside_the_feed_are_read_and_scored(make_blog, learner):
    result = evaluate_blog(make_blog(), learner)
    assert (result.posts, result.truth_rows) == (2, 4)
    assert result.scores["strict"] == result.scores["title"] == 1.0
    assert result.scores["author"] is None
    assert result.misses == ()


def test_the_learner_gets_the_one_feed_and_the_pages_it_links_to(make_blog, learner):
    blog = make_blog()
    evaluate_blog(blog, learner)
    assert learner.feed == blog.feed()
    assert learner.feed_url == "http://tiny.example/feed.xml"
    assert list(learner.pages) == ["http://tiny.example/2024/one/"]


def test_a_cut_feed_keeps_its_links(make_blog, learner):
    item = f"<item><link>/2024/one/</link><description>{'word ' * 90}</description></item>"
    long = f"<rss><channel>{item}</channel></rss>"
    evaluate_blog(make_blog(files={"feed.xml": long}), learner, cut_feeds=True)
    assert learner.feed.count(b"word") == 55
    assert list(learner.pages) == ["http://tiny.example/2024/one/"]


def test_a_blog_that_teaches_nothing_is_a_row_of_misses_with_the_reason(make_blog, learner):
    result = evaluate_blog(make_blog(files={"feed.xml": "<rss><channel/></rss>"}), learner)
    assert result.problem == "not learned: no page of the feed could be had"
    assert result.scores["found"] == result.scores["strict"] == 0.0
    assert [miss.reason for miss in result.misses] == [result.problem] * 2


def test_a_skipped_page_and_a_crash_are_misses_and_the_other_pages_are_still_read(make_blog, learner):
    blog = make_blog(files={"2024/two/index.html": "CRASH"})
    result = evaluate_blog(blog, learner)
    assert result.scores["found"] == 0.5
    assert result.misses[0].reason == "not read: ZeroDivisionError: the reader has a bug"
    result = evaluate_blog(make_blog(files={"2024/two/index.html": "SKIP"}), learner)
    assert result.misses[0].reason == "it is a listing"


def test_a_post_without_a_page_is_a_miss(make_blog, learner):
    blog = make_blog()
    (blog.folder / "site/2024/three/index.html").unlink()
    assert evaluate_blog(blog, learner).misses[0].reason == "the corpus has no page for it"


def test_a_blog_whose_posts_all_stand_in_the_feed_is_not_learned(make_blog, learner):
    rows = [{"url": "http://tiny.example/2024/one/", "in_feed": True}]
    result = evaluate_blog(make_blog(rows=rows), learner)
    assert result.posts == 0
    assert learner.feed == b""


def test_the_posts_that_were_read_can_be_kept_as_lines_of_json(make_blog, learner):
    lines = evaluate_blog(make_blog(), learner, keep_posts=True).lines
    assert [json.loads(line)["title"] for line in lines] == ["Two", "Three"]


def test_every_blog_weighs_the_same_in_the_mean(make_blog, learner):
    good = make_blog("good")
    bad = make_blog("bad", files={"2024/two/index.html": "SKIP"}, rows=[
        {"url": "http://tiny.example/2024/two/", "title": "Two"},
    ])
    results = list(evaluate([good, bad], learner))
    assert sorted(result.blog.id for result in results) == ["bad", "good"]
    assert total_scores(results)["title"] == 0.5
    assert total_scores(results)["strict"] == 1.0


SCRIPT = """
import os, sys
from pathlib import Path
from everlog.evaluate.corpus import find_blogs
from everlog.evaluate.run import evaluate
from everlog.records import Post

class Reader:
    def read(self, page, url, content_type=None, fetched=None):
        if b"KILL" in page:
            os._exit(9)
        return Post(url=url, title="Two")

def learn(feed, pages, *, feed_url=None):
    return Reader()

if __name__ == "__main__":
    for result in evaluate(find_blogs([Path(sys.argv[1])]), learn, jobs=2):
        print(result.blog.id, result.scores["found"], result.problem)
"""


@pytest.fixture
def run_in_processes(tmp_path):
    def run(folder):
        script = tmp_path / "script.py"
        script.write_text(SCRIPT)
        done = subprocess.run(
            [sys.executable, script, folder], capture_output=True, text=True, check=True, timeout=300,
        )
        return sorted(done.stdout.splitlines())

    return run


def test_blogs_are_evaluated_in_several_processes(make_blog, run_in_processes):
    folder = make_blog("a").folder.parent
    make_blog("b")
    assert run_in_processes(folder) == ["a 1.0 None", "b 1.0 None"]


@pytest.mark.slow
def test_a_killed_process_costs_only_the_blog_that_killed_it(make_blog, run_in_processes):
    folder = make_blog("a").folder.parent
    make_blog("b", files={"2024/two/index.html": "KILL"})
    make_blog("c")
    assert run_in_processes(folder) == [
        "a 1.0 None", "b 0.0 the process that read it was killed", "c 1.0 None",
    ]
