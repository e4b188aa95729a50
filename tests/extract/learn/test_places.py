from __future__ import annotations

import pytest
from small_blog import blog

from everlog.core.rules import Rule
from everlog.core.selectors import Finder
from everlog.extract.fields.small_texts_learn import Places, without_twins
from everlog.records import Entry

PAGE = "<body><h1 class=t>Rain <i>W</i>inter</h1><p>x</p></body>"


def test_texts_of_signs_stand_nowhere():
    places = Places(blog([(Entry(link=""), PAGE)]))
    assert places.of(0, "***") == []
    assert places.holding(0, "***", 3) == []


@pytest.mark.parametrize("text", ["rain winter", "Rain, Winter!"])
def test_words_parted_by_markup_are_one(text: str):
    places = Places(blog([(Entry(link=""), PAGE)]))
    assert [element.tag for element in places.of(0, text)] == ["h1"]


def test_of_rules_that_name_the_same_elements_two_stay():
    samples = blog([(Entry(link=""), PAGE)])
    rules = [Rule(method="selector", where=where) for where in ("h1.t", "h1", "body>h1")]
    views = [sample.view for sample in samples]
    for view in views:
        view.found = Finder([rule.where for rule in rules]).find(view.root)
    assert [rule.where for rule in without_twins(rules, views)] == ["h1.t", "h1"]
    assert without_twins(rules, views, kept=1) == rules[:1]
