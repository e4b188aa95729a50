"""An article that is a small part of its page is believed only if other methods agree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from described_blogs import BLOGS, HOME, IN_FEED
from everlog import Post, Template, learn
from everlog.core.rules import Rule
from everlog.core.tree import parse
from everlog.extract.extractors.keypath import KeyPaths

BLOG = next(blog for blog in BLOGS if blog.name == "full text and description")
NOTES = [note for note in BLOG.notes()[IN_FEED:] if len(note.paragraphs) > 3]


@pytest.fixture(scope="module")
def template():
    return learn(BLOG.feed(), BLOG.taught())


def misled(template: Template, where: str) -> Template:
    """The same template with another element in the place of the article."""
    rules = (Rule(method="selector", where=where),)
    designs = tuple(replace(design, places=rules, cuts=()) for design in template.designs[:1])
    return replace(template, designs=designs, key_paths=KeyPaths())


@pytest.mark.parametrize("where", ["div.post-description", "div.post-meta", "footer.post-footer", "h1.post-title"])
def test_a_rule_that_reads_a_wrong_small_element_is_not_believed(template, where):
    wrong = misled(template, where)
    for note in NOTES:
        source = wrong.read(BLOG.page(note), HOME).provenance["text"]
        assert source.rule == where
        assert source.confidence < 0.5
        assert source.disagrees.startswith("the article is a small part of the page's text (")


def test_an_article_that_others_find_too_is_believed_however_short_it_is(template):
    for note in BLOG.notes():
        if len(note.paragraphs) < 2:
            continue
        source = template.read(BLOG.page(note), HOME).provenance["text"]
        assert source.confidence > 0.9
        assert source.disagrees is None


def test_a_template_of_before_knows_no_usual_share_and_doubts_all_the_same(template):
    told = Template.from_json(replace(misled(template, "div.post-description"), share=None).to_json())
    assert told.share is None
    assert told.read(BLOG.page(NOTES[0]), HOME).provenance["text"].confidence < 0.5


def test_the_usual_share_of_a_template_is_stored_with_it(template):
    assert 0.3 < template.share < 1
    assert Template.from_json(template.to_json()).share == template.share


def test_a_known_post_without_its_usual_place_is_read_by_other_methods_with_less_confidence(template):
    page = BLOG.page(NOTES[0]).replace(b"post-content", b"new-content").replace(b"post-single", b"single")
    lost = replace(template, designs=template.designs[:1])
    outcome = lost.reader.read_parsed(parse(page), HOME, None, is_post=True)
    assert isinstance(outcome, Post)
    assert NOTES[0].paragraphs[0] in outcome.text
    assert outcome.provenance["text"].method in {"repeats", "lines", "metadata"}
    assert outcome.provenance["text"].confidence <= 0.9


def test_a_known_post_whose_place_is_empty_keeps_its_title_and_says_so(template):
    page = BLOG.page(NOTES[0]).replace(NOTES[0].html.encode(), b"")
    lone = replace(template, designs=template.designs[:1])
    for reader in (template.reader, lone.reader):
        outcome = reader.read_parsed(parse(page), HOME, None, is_post=True)
        assert outcome.title == NOTES[0].title
        assert outcome.provenance["text"].confidence < 0.5
        assert outcome.provenance["text"].disagrees == "the article's usual place is empty"
    assert outcome.text == ""


def test_a_post_of_nothing_but_an_embedded_film_is_a_post(template):
    page = BLOG.page(NOTES[0]).replace(NOTES[0].html.encode(), b"<iframe src='https://films.example/1'></iframe>")
    outcome = template.read(page, HOME)
    assert isinstance(outcome, Post)
    assert outcome.text == ""
