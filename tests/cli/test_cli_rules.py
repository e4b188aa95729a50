"""`everlog rules`: what is in force, set by hand and taken back."""

from __future__ import annotations

import json
import shutil

import pytest

from cli.test_cli_archive import refused, run
from everlog.archive import open_archive
from everlog.core.rules import Rule
from everlog.demo.site import truth
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.rules_by_hand import Trial

NEWEST = truth()[0]


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command that ends well says on stderr."""
    from everlog.cli import main

    capsys.readouterr()
    assert main(list(words)) == 0
    return capsys.readouterr().err


def test_a_rule_that_is_set_says_how_many_posts_it_matches_and_what_it_finds(kept, capsys):
    told = said(capsys, "rules", kept, "--set", "title", "article > h1.headline")
    assert "title: article > h1.headline matches 24 of 40 posts, for example 'Forty levers'" in told
    assert f"everlog reread {kept}" in told
    told = json.loads(run(capsys, "rules", kept, "--set", "title", "article > h1.headline", "--json"))
    assert (told["set"]["pages"], told["set"]["matched"], told["set"]["read"]) == (40, 24, 24)
    assert told["manual"] == {"title": "article > h1.headline"}


def test_a_rule_that_matches_no_post_is_refused_and_nothing_is_changed(kept, capsys):
    before = run(capsys, "rules", kept, "--json")
    told = refused(capsys, "rules", kept, "--set", "title", "h1.nowhere")
    assert "matches none of 40 posts" in told
    assert "nothing was changed" in told
    told = refused(capsys, "rules", kept, "--set", "published", "article > h1")
    assert "no date can be read there" in told
    assert run(capsys, "rules", kept, "--json") == before


@pytest.mark.parametrize("selector", ["h1 !", "h1 >", "div..x"])
def test_what_is_no_css_is_refused(kept, capsys, selector):
    assert "is not a CSS selector" in refused(capsys, "rules", kept, "--set", "title", selector)


def test_a_rule_by_hand_stays_when_the_blog_is_learned_again_and_goes_when_it_is_unset(kept, capsys):
    learned = json.loads(run(capsys, "rules", kept, "--json"))["template"]["fields"]["title"]
    run(capsys, "rules", kept, "--set", "title", "p.byline", "-q")
    again = json.loads(run(capsys, "rules", kept, "--relearn", "--json"))
    assert again["manual"] == {"title": "p.byline"}
    assert again["template"]["fields"]["title"] == learned
    assert "set by hand    p.byline" in run(capsys, "rules", kept)
    unset = json.loads(run(capsys, "rules", kept, "--unset", "title", "--json"))
    assert unset["manual"] == {}
    assert "h1.headline" in run(capsys, "rules", kept)
    assert "no rule for title was set by hand" in refused(capsys, "rules", kept, "--unset", "title")


@pytest.mark.slow
def test_posts_are_read_by_hand_set_rules_and_again_by_learned_ones(kept, capsys):
    newest = kept.rstrip("/") + NEWEST.path
    run(capsys, "rules", kept, "--set", "title", "p.byline")
    run(capsys, "reread", kept, "-q")
    post = json.loads(run(capsys, "show", newest, "--json"))
    assert post["title"] != NEWEST.title
    assert post["provenance"]["title"] == {"method": "manual", "rule": "p.byline", "confidence": None}
    run(capsys, "rules", kept, "--unset", "title")
    run(capsys, "reread", kept, "-q")
    assert json.loads(run(capsys, "show", newest, "--json"))["title"] == NEWEST.title


def test_a_selector_in_everlogs_own_notation_is_still_understood(kept, capsys):
    told = json.loads(run(capsys, "rules", kept, "--set", "text", "article#post->div", "--json"))
    assert told["set"]["read"] > 0
    assert told["template"]["manual"]["text"]["detail"] == {"notation": "everlog"}


def test_rules_that_an_earlier_version_set_by_hand_are_still_read(kept, capsys):
    with open_archive("everlog-archive") as opened:
        [blog] = opened.blogs()
        data = json.loads(blog.template)
        data["fields"]["title"].insert(0, Rule(method="selector", where="p.byline").to_dict())
        del data["manual"]
        opened.blogs.update(blog.id, template=json.dumps(data))
        [blog] = opened.blogs()
        known = LearnedBlog.of(blog)
    assert known is not None
    assert known.template.in_force.fields["title"][0].where == "p.byline"


def test_of_many_posts_the_newest_are_tried_and_that_is_said():
    rule = Rule(method="manual", where="h1")
    trial = Trial(name="title", rule=rule, posts=312, pages=50, matched=48, read=48, example="On rain", url="u")
    assert str(trial) == "title: h1 matches 48 of the 50 newest of 312 posts, for example 'On rain' (u)"


def test_rules_are_told_in_plain_english(kept, capsys):
    told = run(capsys, "rules", kept)
    assert "  post URLs    " in told
    assert "repeated blocks (20 pages compared)" in told
    assert "  title        100.0%  CSS            h1.headline" in told
    assert "stand on several" not in told


def test_an_archive_without_blogs_says_how_to_begin(here, capsys):
    open_archive(here / "everlog-archive", create=True).close()
    assert "everlog crawl URL" in said(capsys, "rules")


def test_a_rule_for_a_blog_without_stored_pages_of_posts_is_refused(kept, capsys, here):
    shutil.rmtree(here / "everlog-archive" / "warc")
    assert "no page of a post" in refused(capsys, "rules", kept, "--set", "title", "h1")
