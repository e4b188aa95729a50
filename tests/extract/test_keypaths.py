"""Key-paths: the model, merging, matching a feed's values, and what is learned from a feed.

The listings are those of "Adaptive Post Recognition".
"""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from everlog.extract.extractors.keypath import KeyPath, KeyPaths, PathSample, first_with_text, learn_paths
from everlog.extract.extractors.keypath.find import find_all, too_general
from everlog.extract.extractors.keypath.locate import locate
from everlog.extract.extractors.keypath.match import TextIndex, match_text, resolve
from everlog.extract.extractors.keypath.path import Step, common_pattern, escaped, merge, path_to, value_matches

LISTING_1 = (
    "|html|body|div[@id=post-*]|div[@class=post-header]|h1",
    "div[@id=post-*]|*|div[@class=post-content,@id=post-*]",
)

LISTING_2 = {
    "P1": "|html|body|div[@id=post-2]|div[@class=post-header]|h1",
    "P2": "|html|body|div[@id=post-1]|div[@class=post-header]|b",
    "P3": "|html|body|span[@id=post-3]|h1",
}

LISTING_3 = """<html>
<head>
  <title>A blog post</title>
</head>
<body>
  <div class="advertisement">
    <div class="flash-container">
      [...]
    </div>
  </div>
  <div id="post-1337" class="post">
    <div class="header">
      <h1>A blog post</h1>
      <h2>Subtitle</h2>
    </div>
    <div class="body">
      <p>Some Sample content</p>
      <p>Another Paragraph</p>
    </div>
  </div>
</body>
</html>"""

# In print the fourth ends in [@class=head], which no node of Listing 3 has; its text means the header.
LISTING_4 = [KeyPath.parse(path) for path in (
    "|html|body|div[ @id=post-*, @class=post ]|div",
    "|html|body|div[ @id=*, @class=news ]|div[ @class=content ]",
    "|html|body|div[ @class=* ]|div[ @class=* ]",
    "|html|body|div[ @id=post-*, @class=post ]|div[ @class=header ]",
    "|html|body|div[ @id=post-*, @class=post ]|div[ @class=body ]",
)]


def parsed(name: str) -> KeyPath:
    return KeyPath.parse(LISTING_2[name])


def words_of(node: etree._Element) -> str:
    return " ".join(" ".join(node.itertext()).split())


# The path model


@pytest.mark.parametrize("path", LISTING_1)
def test_the_paths_of_listing_1_are_read_and_written(path):
    assert str(KeyPath.parse(path)) == path
    assert KeyPath.parse(path).absolute == path.startswith("|")


def test_an_absolute_path_begins_at_the_root_and_a_relative_one_anywhere():
    page = etree.HTML("<section><div id='post-1'><div class='post-header'><h1>a</h1></div></div></section>")
    absolute = KeyPath.parse(LISTING_1[0])
    assert find_all(page, absolute) == []
    assert [node.text for node in find_all(page, KeyPath(absolute.steps[2:], absolute=False))] == ["a"]


def test_a_wildcard_step_stands_for_any_number_of_nodes():
    body = "<div id='post-1'>{}<div class='post-content' id='post-body'>text</div></div>"
    path = KeyPath.parse(LISTING_1[1])
    for around in ("{}", "<p>{}</p>", "<div><section>{}</section></div>"):
        page = etree.HTML(body.format(around.format("<div class='post-content' id='post-x'>text</div>")))
        assert [node.get("id") for node in find_all(page, path)] == ["post-x", "post-body"]


def test_a_node_found_below_two_nested_nodes_is_found_once():
    page = etree.HTML("<div><div><p>a</p></div><p>b</p></div>")
    assert [node.text for node in find_all(page, KeyPath.parse("div|*|p"))] == ["a", "b"]


def test_a_node_may_have_more_attributes_than_its_step_but_not_fewer():
    page = etree.HTML("<p class='a' id='b'>x</p>").find(".//p")
    assert Step("p").matches(page)
    assert Step("p", (("class", "a"),)).matches(page)
    assert not Step("p", (("class", "a"), ("rel", "*"))).matches(page)
    assert not Step("div").matches(page)


def test_an_empty_path_finds_nothing():
    assert find_all(etree.HTML("<p>x</p>"), KeyPath(())) == []


values = st.text("ab1-_ |,[]*\\@=日", min_size=1, max_size=8).map(lambda text: text.strip()).filter(bool)
steps = st.builds(
    lambda tag, names: Step(tag, tuple(sorted((name, escaped(value)) for name, value in names.items()))),
    st.sampled_from(["div", "p", "section"]),
    st.dictionaries(st.sampled_from(["class", "id"]), values, max_size=2),
)
paths = st.lists(steps, min_size=1, max_size=5).map(
    lambda inner: KeyPath((Step("html"), Step("body"), *inner)))


def page_of(path: KeyPath) -> etree._Element:
    """The page that has nothing but a path's nodes."""
    root = node = etree.Element("html")
    for step in path.steps[1:]:
        plain = {name: re.sub(r"\\(.)", r"\1", pattern) for name, pattern in step.attributes}
        node = etree.SubElement(node, step.tag, plain)
    node.text = "text"
    return root


@given(paths)
def test_every_path_survives_its_notation(path):
    assert KeyPath.parse(str(path)) == path


@given(paths)
def test_the_path_to_a_node_finds_it(path):
    node = list(page_of(path).iter())[-1]
    assert find_all(node.getroottree().getroot(), path_to(node)) == [node]
    assert path_to(node) == path


@given(values, values)
def test_a_common_pattern_fits_both_values_whichever_comes_first(a, b):
    pattern = common_pattern(escaped(a), escaped(b))
    assert pattern == common_pattern(escaped(b), escaped(a))
    assert value_matches(pattern, " ".join(a.split()))
    assert value_matches(pattern, " ".join(b.split()))


@pytest.mark.parametrize(("a", "b", "pattern"), [
    ("post-1337", "post-1338", "post-*"),
    ("post-1", "post-12", "post-*"),
    ("tag-perl post", "tag-python post", "tag-*"),
    ("post", "post", "post"),
    ("news", "post", "*"),
    ("post-*", "post-7", "post-*"),
])
def test_a_common_pattern_ends_where_a_word_or_a_number_ends(a, b, pattern):
    assert common_pattern(a, b) == pattern


# Merging


def test_the_merges_of_listing_2():
    assert str(merge(parsed("P1"), parsed("P2"))) == "|html|body|div[@id=post-*]|div[@class=post-header]"
    assert merge(parsed("P1"), parsed("P3")) is None


def test_paths_are_not_merged_below_the_minimum_prefix():
    assert merge(parsed("P1"), parsed("P2"), minimum_prefix=5) is None
    assert str(merge(parsed("P1"), parsed("P3"), minimum_prefix=2)) == "|html|body"


def test_an_absolute_and_a_relative_path_have_nothing_in_common():
    assert merge(KeyPath.parse(LISTING_1[0]), KeyPath.parse(LISTING_1[1])) is None


def test_a_merged_path_does_not_end_in_a_wildcard():
    a, b = KeyPath.parse("div|p|b|*|i"), KeyPath.parse("div|p|b|*|u")
    assert str(merge(a, b)) == "div|p|b"


@given(paths)
def test_a_path_merged_with_itself_stays_what_it_is(path):
    assert merge(path, path) == path


@given(paths, paths)
def test_merging_does_not_depend_on_the_order(a, b):
    assert merge(a, b) == merge(b, a)


@given(paths, paths)
def test_merging_once_more_with_a_source_changes_nothing(a, b):
    merged = merge(a, b)
    if merged:
        assert merge(merged, a) == merged == merge(b, merged)


@given(paths, paths)
def test_a_merged_path_is_found_on_the_pages_of_both_sources(a, b):
    merged = merge(a, b)
    if merged:
        assert len(find_all(page_of(a), merged)) == len(find_all(page_of(b), merged)) == 1


# Matching a page


def test_the_paths_of_listing_4_on_the_page_of_listing_3():
    page = etree.HTML(LISTING_3)
    found = [first_with_text(page, path) for path in LISTING_4]
    assert words_of(found[0]) == "A blog post Subtitle"
    assert found[1] is None
    assert words_of(found[2]) == "[...]"  # the advertisement: why such a path is refused
    assert words_of(found[3]) == "A blog post Subtitle"
    assert words_of(found[4]) == "Some Sample content Another Paragraph"


def test_only_the_third_path_of_listing_4_is_too_general():
    page = etree.HTML(LISTING_3)
    assert [too_general(path, [page]) for path in LISTING_4] == [False, False, True, False, False]


def test_a_path_without_names_is_good_enough_where_it_leads_to_one_place():
    assert not too_general(KeyPath.parse("|html|body|main"), [etree.HTML("<main>text</main>")])


def test_the_first_match_that_is_not_empty_is_read():
    page = etree.HTML("<p> </p><p><!-- no --><script>no</script><b> </b></p><p><br>yes</p><p>later</p>")
    assert words_of(first_with_text(page, KeyPath.parse("|html|body|p"))) == "yes"


def test_pages_nested_thousands_deep_are_searched():
    root = node = etree.Element("div")
    for _ in range(5000):
        node = etree.SubElement(node, "div")
    node.text = "deep"
    assert find_all(root, KeyPath.parse("div|*|div"))[-1] is node
    assert len(find_all(root, path_to(node))) == 1
    assert match_text(root, "deep")[0].element is node


# Finding a feed's values

PARAGRAPHS = [
    "The first paragraph of a post, as long as such a paragraph is.",
    "A second one that the feed has begun to quote before it broke off.",
    "And a third one that only the page has.",
]
PAGE = etree.HTML(
    "<title>A title</title><ul><li>A title</li></ul><div class='post'><h1>A title</h1><div class='body'>"
    + "".join(f"<p>{text}</p>" for text in PARAGRAPHS) + "</div></div><p>Footer</p>")


def matched(text: str, page: etree._Element = PAGE, **options: int) -> list[str]:
    return [match.element.get("class") or match.element.tag for match in match_text(page, text, **options)]


def test_a_text_is_matched_by_the_smallest_node_that_has_it():
    assert matched(PARAGRAPHS[0]) == ["p"]
    assert matched(" ".join(PARAGRAPHS)) == ["body"]


def test_a_text_that_was_cut_off_is_shrunk_until_a_node_has_it():
    assert matched(PARAGRAPHS[0][:40] + " [...]") == ["p"]


def test_a_shrunk_text_is_grown_to_the_node_that_has_the_rest_of_it():
    first, second, _ = PARAGRAPHS
    page = etree.HTML(f"<div class='body'><div>{first}</div><b>Advertisement</b><div>{second}</div></div>")
    assert matched(f"{first} {second}", page) == ["body"]


def test_a_text_is_not_shrunk_below_the_minimum():
    assert matched("The first paragraph is different") == []
    assert matched("The first paragraph is different", minimum=10) == ["p"]


def test_a_short_text_must_be_there_in_full():
    assert matched("A title") == ["li", "h1"]
    assert matched("A titles") == []


def test_a_sentence_that_the_feed_put_before_the_text_is_skipped():
    assert matched("You can also read this on our other site. " + " ".join(PARAGRAPHS)) == ["body"]


def test_markup_and_entities_of_the_feed_do_not_matter():
    page = etree.HTML("<p>Fish &amp; chips are a dish of fried fish</p>")
    value = "<b>Fish</b> &amp; chips <script>no()</script>are a dish of fried&nbsp;fish"
    assert matched(value, page) == ["p"]


def test_only_the_body_is_searched():
    assert matched("A title", etree.HTML("<title>A title</title><p>text</p>")) == []


def test_an_empty_text_matches_nothing():
    assert matched("") == matched("<img src='x'>") == []


def test_several_matches_are_resolved_by_the_longest_prefix_shared_with_the_article():
    titles = [path_to(match.element) for match in match_text(PAGE, "A title")]
    article = path_to(match_text(PAGE, " ".join(PARAGRAPHS))[0].element)
    assert titles[resolve(titles, article)].steps[-1].tag == "h1"
    assert resolve(titles, None) == 0
    assert resolve([article, article], article) == 0


def test_a_phrase_that_a_page_repeats_is_looked_at_in_a_few_places_only():
    page = etree.HTML("<p>Leave a comment on this post</p>" * 50)
    assert len(match_text(TextIndex(page), "Leave a comment on this post")) == 8


# Learning


def post(number: int, *, title: str = "Title", tags: tuple[str, ...] = (), extra: str = "") -> etree._Element:
    linked = "".join(f"<a rel='tag' class='tag-{number}'>{tag}</a>, " for tag in tags)
    text = "".join(f"<p>{paragraph} Number {number}.</p>" for paragraph in PARAGRAPHS)
    return etree.HTML(
        f"<html><head><title>{title} {number}</title></head><body class='single postid-{number}'>"
        f"<div class='menu'><a>{title} {number}</a><a>blog</a></div>"
        f"<div id='post-{number}' class='post'><h1><a>{title} {number}</a></h1>"
        f"<span class='by'>by <a class='fn'>Jane Doe</a></span><div class='body'>{text}</div>"
        f"<p class='tags'>{linked}</p>{extra}</div>"
        f"<div class='cloud'><a>blog</a> <a>feeds</a> <a>web</a> <a>xml</a></div></body></html>")


def sample(number: int, *, tags: tuple[str, ...] = (), **changes: object) -> PathSample:
    text = " ".join(f"{paragraph} Number {number}." for paragraph in PARAGRAPHS)
    values = {"title": f"Title {number}", "content": text, "authors": ("Jane Doe",), "tags": tags, **changes}
    return PathSample(root=post(number, tags=tags), **values)


BODY = "|html|body[@class=single postid-*]|div[@class=post,@id=post-*]"


def test_one_path_per_field_is_learned_and_posts_numbers_do_not_break_it():
    learned = learn_paths([sample(1337, tags=("web", "blog")), sample(1338, tags=("feeds",)), sample(1401)])
    assert learned.to_dict() == {
        "content": f"{BODY}|div[@class=body]",
        "title": f"{BODY}|h1",
        "author": f"{BODY}|span[@class=by]|a[@class=fn]",
        "tags": f"{BODY}|p[@class=tags]|a[@class=tag-*,@rel=tag]",
        "key": f"{BODY}|div[@class=body]",
    }
    other = post(7, tags=("xml",))
    assert learned.matches(other)
    assert words_of(learned.node(other, "title")) == "Title 7"
    assert [node.text for node in find_all(other, learned.tags)] == ["xml"]


def test_one_page_is_enough_to_find_another_post():
    assert learn_paths([sample(1337)]).matches(post(12))


def test_a_page_that_is_not_a_post_does_not_match():
    learned = learn_paths([sample(1), sample(2)])
    assert not learned.matches(etree.HTML("<div class='post'><h1>About</h1><div class='body'>me</div></div>"))


@pytest.mark.parametrize("shown", [PARAGRAPHS[0][:45] + "…", PARAGRAPHS[0] + " Number {}. A second"])
def test_an_excerpt_teaches_the_whole_article(shown):
    learned = learn_paths([sample(number, content=shown.format(number)) for number in (1, 2, 3)])
    assert str(learned.content) == f"{BODY}|div[@class=body]"


def test_entries_that_do_not_match_their_page_are_skipped():
    strange = sample(3, title="Nothing of this", content="is on the page it links to, not a word")
    assert learn_paths([sample(1), strange, sample(2)]) == learn_paths([sample(1), sample(2)])


def test_what_stands_on_few_pages_is_not_learned():
    strangers = [sample(number, title="Nothing of this") for number in (3, 4, 5)]
    assert learn_paths([sample(1), *strangers]).title is None


def test_a_match_in_another_place_on_one_page_does_not_make_the_path_general():
    text = "".join(f"<p>{paragraph} Number 4.</p>" for paragraph in PARAGRAPHS)
    page = etree.HTML(f"<div class='side'><div>{text}</div></div>")
    odd = PathSample(root=page, content=sample(4).content)
    assert str(learn_paths([sample(1), odd, sample(2), sample(3)]).content) == f"{BODY}|div[@class=body]"


def test_a_tag_word_in_the_text_or_in_a_list_of_all_tags_does_not_win():
    samples = [sample(1, tags=("web",)), sample(2, tags=("web", "xml")), sample(3, tags=("feeds", "blog"))]
    for each in samples:
        body = each.root.find(".//div[@class='body']")
        body[0].append(etree.fromstring("<a>web</a>"))
    assert str(learn_paths(samples).tags).endswith("|p[@class=tags]|a[@class=tag-*,@rel=tag]")


def test_a_tag_is_the_innermost_of_the_nodes_that_wrap_it():
    page = etree.HTML("<ul><li><span><a>web</a></span></li><li><span><a>xml</a></span></li></ul>")
    assert str(learn_paths([PathSample(root=page, tags=("#Web", "XML"))]).tags) == "|html|body|ul|li|span|a"


def test_title_and_content_in_one_field_are_told_apart():
    plain = learn_paths([sample(1), sample(2)])
    joined = [sample(number, content=f"Title {number} {sample(number).content}") for number in (1, 2)]
    assert learn_paths(joined) == plain


@pytest.mark.parametrize("content", ["Title 1", "Title 1: but this is not on the page"])
def test_a_field_that_only_begins_with_the_title_is_not_divided(content):
    assert locate(sample(1, content=content)).title.tag == "h1"
    assert locate(sample(1, title=None, content=content)).title is None


@pytest.mark.parametrize("name", ["title", "content"])
def test_a_feed_with_only_one_field_teaches_both_paths(name):
    other = {"title": "content", "content": "title"}[name]
    located = locate(sample(1, **{name: f"Title 1 {sample(1).content}", other: None}))
    assert (located.title.tag, located.content.get("class")) == ("h1", "body")


def test_a_title_goes_past_its_heading_where_a_parent_groups_headings():
    page = etree.HTML(LISTING_3)
    located = locate(PathSample(root=page, title="A blog post", content="Some Sample content"))
    assert located.title.get("class") == "header"
    assert located.content.get("class") == "body"


def test_a_feed_without_any_match_teaches_nothing():
    nothing = learn_paths([PathSample(root=PAGE, title="Elsewhere"), PathSample(root=PAGE)])
    assert nothing == KeyPaths()
    assert not nothing.matches(PAGE)
    assert nothing.node(PAGE, "title") is None


def test_a_page_is_a_post_of_the_feed_whose_key_it_has():
    assert KeyPaths(key=LISTING_4[4], title=LISTING_4[3]).matches(etree.HTML(LISTING_3))
    assert not KeyPaths(key=LISTING_4[1]).matches(etree.HTML(LISTING_3))


def test_learned_paths_survive_json():
    learned = learn_paths([sample(1, tags=("web",)), sample(2, tags=("xml",))])
    assert KeyPaths.from_dict(json.loads(json.dumps(learned.to_dict()))) == learned
    assert KeyPaths.from_dict({}) == KeyPaths()


def test_a_blank_author_is_looked_for_nowhere():
    assert locate(sample(1, authors=(" ",))).author is None


def test_an_author_with_a_word_before_the_name_is_found():
    page = etree.HTML("<p class='by'>Posted by: Jane Doe</p><p>Once upon a time Jane Doe went home</p>")
    assert locate(PathSample(root=page, authors=("Jane Doe",))).author.get("class") == "by"
