from __future__ import annotations

import json

import pytest

from everlog.comments.comment_markup import Markup
from everlog.comments.comment_rules import CommentRule, CommentRules
from everlog.core.rules import Rule
from everlog.errors import UnreadableTemplate
from everlog.extract.article.article_read import Design
from everlog.extract.template import Template

MARKUP = Markup(
    name="page", comment="li.comment", text="div.comment-body > *", author="cite.fn", date="time",
    permalink="time > a", id="div.comment@id", depth="depth-", cut=("div.reply", "span.says"),
)
RULES = CommentRules(ranked=(CommentRule(markup=MARKUP, confidence=0.97),), learned_from=5)


def template(**other) -> Template:
    places = (Rule(method="selector", where="div.entry"),)
    return Template(designs=(Design(places=places, method="selector", confidence=1.0),), **other)


def test_rules_come_back_from_json_as_they_were():
    assert CommentRules.from_dict(json.loads(json.dumps(RULES.to_dict()))) == RULES


def test_what_a_markup_does_not_say_is_not_written():
    assert set(RULES.to_dict()["ranked"][0]["markup"]) == {
        "name", "comment", "text", "author", "date", "permalink", "id", "depth", "cut",
    }


def test_a_template_keeps_them():
    learned = template().with_comments(RULES)
    assert learned.comments == RULES
    assert Template.from_json(learned.to_json()) == learned
    assert learned.with_comments(None) == template()
    assert learned.confidence()["comments"] == 0.97
    assert "comments" not in template().confidence()


def test_a_template_written_before_comments_were_learned_is_read():
    data = json.loads(template().to_json())
    del data["comments"]
    assert Template.from_json(json.dumps(data)) == template()


@pytest.mark.parametrize(
    "damage",
    [
        {"ranked": [{"markup": {"name": "x"}, "confidence": 1}], "learned_from": 1},
        {"ranked": [{"markup": {"name": "x", "comment": "li..", "text": "p"}, "confidence": 1}], "learned_from": 1},
        {"ranked": [{"markup": {"name": "x", "comment": "li", "text": "p", "y": 1}}], "learned_from": 1},
        {"learned_from": 1},
        7,
    ],
)
def test_damaged_rules_are_a_damaged_template(damage):
    data = json.loads(template().to_json()) | {"comments": damage}
    with pytest.raises(UnreadableTemplate):
        Template.from_json(json.dumps(data))
