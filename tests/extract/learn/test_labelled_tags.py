from __future__ import annotations

import pytest
from small_blog import blog, view

from everlog.extract.fields.tags_learn import learn_tags
from everlog.extract.fields.tags_read import behind_label, read_tags
from everlog.records import Entry

TAGS = ["rain", "rain, snow", "hail"]


def page(line: str) -> str:
    return f"<div class=post><header><h1>A day</h1>{line}</header><div id=text><p>It was wet: all.</p></div></div>"


def read(line: str, rules: tuple) -> tuple[str, ...]:
    found = read_tags(view(page(line), rules), rules)
    return found[0] if found else ()


def learned(lines: list[str], tags: list[tuple[str, ...]] | None = None) -> tuple:
    entries = [Entry(link=f"/{i}", tags=tags[i] if tags else ()) for i in range(len(lines))]
    return learn_tags(blog([(entry, page(line)) for entry, line in zip(entries, lines, strict=True)]))


@pytest.mark.parametrize("line", ["<p>3 May 2024<!-- -->, Tags: {}</p>", "<p><b>Tags:</b> {}</p>", "<p>标签：{}</p>"])
def test_a_label_announces_tags_where_the_feed_has_none(line: str):
    rules = learned([line.format(tags) for tags in TAGS])
    assert read(line.format("sun, heat"), rules) == ("sun", "heat")


def test_what_stands_before_the_label_is_no_tag_of_the_feed_either():
    line = "<p>3 May 2024, Tags: {}</p>"
    rules = learned([line.format(tags) for tags in TAGS], [tuple(tags.split(", ")) for tags in TAGS])
    assert read(line.format("sun, heat"), rules) == ("sun", "heat")


def test_a_label_on_one_page_only_teaches_nothing():
    assert read("<p>Tags: sun</p>", learned(["<p>Tags: rain</p>", "<p>3 May</p>", "<p>4 May</p>"])) == ()


def test_a_sentence_behind_a_label_is_no_list():
    assert behind_label("Category: all that I saw on my way to the sea", "category") == []
    assert behind_label("No label here", "tags") == []
    assert behind_label("tags without a colon", "tags") == []
