"""Search on a small made-up collection whose every figure can be counted by hand."""

from __future__ import annotations

import pytest

from everlog.core.outline import Outline
from everlog.core.tree import parse
from everlog.errors import UsageError
from papers.extras import needed
from papers.readers import collected
from papers.retrieval import ALL, CONTENT, KNOWN, NOISE, measure_retrieval
from papers.retrieval_editions import diffpost, editions, shown_text
from papers.retrieval_index import Index, Query
from papers.retrieval_queries import NAME, TWO_WORDS, WORD, Document, Plan, draw_queries, names_of, units_of
from papers.retrieval_scores import Answer, answer, difference, means


def query(*phrases, kind=WORD):
    return Query(kind=kind, phrases=tuple(tuple(phrase.split()) for phrase in phrases))


def document(number, title, text="", language="en", authors=()):
    return Document(number=number, blog="a", language=language, title=title, authors=authors, text=text or title)


def filled(*texts):
    index = Index()
    for number, text in enumerate(texts):
        index.add(number, text)
    return index


# the index ---------------------------------------------------------------------------------------


def test_two_words_may_stand_anywhere_and_a_name_only_side_by_side():
    with filled("The harbour of the old town", "An old harbour", "The old man") as index:
        assert index.matching(query("old", "harbour")) == {0, 1}
        assert index.matching(query("old harbour")) == {1}


def test_scripts_without_spaces_are_searched_by_runs_of_characters():
    with filled("静かな海岸の朝", "岸と海", "海岸") as index:
        assert index.matching(query("海 岸")) == {0, 2}
        assert index.matching(query("海", "岸")) == {0, 1, 2}


def test_words_are_the_same_whatever_their_case_width_and_signs_but_not_without_accents():
    with filled("Ｈarbour!", "HARBOUR's", "résumé", "resume") as index:
        assert index.matching(query("harbour")) == {0, 1}
        assert index.matching(query("résumé")) == {2}


def test_a_document_that_says_the_word_more_often_in_fewer_words_comes_first():
    with filled("sea and land and sky and wind and rain", "sea sea", "land", "wind", "rain") as index:
        assert index.search(query("sea")) == [1, 0]


def test_words_of_the_query_language_are_only_words():
    with filled("to be or not to be", "near and far") as index:
        assert index.matching(query("or", "not")) == {0}
        assert index.matching(query("near and")) == {1}


# scores ------------------------------------------------------------------------------------------


def test_precision_recall_and_average_precision_as_counted_by_hand():
    # Found at ranks 1 and 4 of four, and one of three not at all: (1/1 + 2/4 + 0) / 3.
    assert answer({1, 2, 3}, [1, 8, 9, 2]) == Answer(precision=0.5, recall=2 / 3, average_precision=0.5)


def test_nothing_found_is_nothing_right():
    assert answer({1}, []) == Answer(precision=0.0, recall=0.0, average_precision=0.0)


def test_the_mean_of_average_precisions_is_map():
    answers = [answer({1}, [1]), answer({1, 2}, [9, 1])]
    assert means(answers) == {"P": 0.75, "R": 0.75, "MAP": 0.625}


@pytest.mark.slow
def test_the_paired_t_test_gives_the_textbook_value():
    # Student's ten patients with two drugs: t = -4.0621, p = 0.002833 (two-tailed).
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    pytest.importorskip("scipy")
    tested = difference(first, second)
    assert tested.mean == pytest.approx(-1.58)
    assert tested.p == pytest.approx(0.002833, abs=1e-6)
    assert tested.is_significant


def test_editions_that_answer_alike_do_not_differ():
    assert difference([0.5, 1.0], [0.5, 1.0]).p == 1.0
    assert not difference([], []).is_significant
    assert difference([1.0, 1.0, 1.0], [0.5, 0.5, 0.5]).is_significant


def test_a_package_that_is_not_there_is_named_with_what_to_install():
    with pytest.raises(UsageError, match=r"no_such_package is required.*\n.*install it:  .*goose3"):
        needed("no_such_package.stats")


# queries -----------------------------------------------------------------------------------------


def test_titles_are_cut_into_what_readers_look_for():
    assert units_of("Go: a 2024 guide to R2D2, and to R2D2") == [("guide",), ("r2d2",), ("and",)]
    assert units_of("東京都のニュース") == [("東", "京"), ("京", "都"), ("ニ", "ュ", "ー", "ス")]
    assert units_of("좋은 아침") == [("좋", "은"), ("아", "침")]


def test_a_name_is_what_articles_write_with_capitals():
    documents = [
        document(0, "Meeting Ada Lovelace In Open Fields", "With Ada Lovelace I walked the open fields to Kraków."),
        document(1, "Kraków By Night", "By night, Kraków sleeps; Ada Lovelace does not."),
        document(2, "Ein Spaziergang", "Der Spaziergang war lang.", language="de"),
    ]
    two, one = names_of(documents)
    assert two == {("ada", "lovelace")}
    assert one == {("lovelace",), ("kraków",)}


def test_authors_are_names_too():
    two, _ = names_of([document(0, "news", "By Grace Hopper. Ask Grace Hopper.", authors=("Grace Hopper",))])
    assert two == {("grace", "hopper")}


@pytest.fixture
def titles():
    topics = ("harbour", "lantern", "garden", "orchard", "Kestrel", "window", "candle")
    pairs = [(topics[number % 7], topics[number * 3 % 7]) for number in range(70)]
    return [
        document(number, f"{one} and {other}", f"The {one} and a {other} in {number}")
        for number, (one, other) in enumerate(pairs)
    ]


def test_queries_are_the_same_under_the_same_seed_and_each_has_enough_relevant_documents(titles):
    plan = Plan(one_word=3, two_words=2, names=1, least_relevant=10)
    with filled(*(each.text for each in titles)) as index:
        drawn = draw_queries(titles, index, plan)
        assert drawn == draw_queries(titles, index, plan)
        assert all(len(index.matching(each)) >= plan.least_relevant for each in drawn)
    assert [each.kind for each in drawn] == [WORD] * 3 + [TWO_WORDS] * 2 + [NAME]
    assert len(set(drawn)) == len(drawn)


def test_words_that_a_third_of_a_language_uses_are_not_asked_for(titles):
    with filled(*(each.text for each in titles)) as index:
        drawn = draw_queries(titles, index, Plan(least_relevant=5))
    assert not any(("and",) in each.phrases for each in drawn)


def test_a_collection_without_common_words_gives_no_queries(titles):
    with filled(*(each.text for each in titles)) as index:
        assert draw_queries(titles, index, Plan(least_relevant=71)) == ()


def test_titles_of_some_documents_may_ask_an_index_of_more(titles):
    plan = Plan(one_word=3, two_words=2, names=1, least_relevant=10)
    with filled(*(each.text for each in titles)) as index:
        drawn = draw_queries(titles[:7], index, plan, languages={each.number: each.language for each in titles})
        assert drawn
        assert all(len(index.matching(each)) >= plan.least_relevant for each in drawn)


# editions ----------------------------------------------------------------------------------------


def test_the_text_of_a_page_leaves_out_what_is_not_shown_and_parts_blocks():
    page = parse(b"<title>T</title><h1>One</h1><p>t<b>w</b>o<br>three</p><script>x()</script><noscript>y</noscript>")
    assert shown_text(Outline(page)) == "One two three"


DESIGN = (
    "<html><body><div id=nav><p>The kestrel club</p></div><h1>{0}</h1>"
    "<div class=post><p>{1}</p><p>{2}</p></div>{3}</body></html>"
)
PLACES = (
    "bridge", "mill", "quarry", "chapel", "ferry", "tower", "meadow", "station",
    "market", "island", "forest", "canal", "school", "cellar", "stable", "garden",
)
REMARK = "<div class=comments><h2>Comments</h2><p>A heron, surely</p></div>"


@pytest.fixture
def bird_blog(make_blog):
    """Twelve posts; the menu of every page says kestrel, half of the articles do, and one has a comment."""
    items, rows, files = [], [], {}
    for number, place in enumerate(PLACES):
        bird = ("kestrel", "plover")[number % 2]
        first = f"At the {place} somebody saw the {bird} again, and nothing else that flies."
        second = f"Whoever lives by the {place} may have looked up, and many {place} people say so."
        path = f"2024/bird-{number}/"
        has_comment = number == 15
        files[f"{path}index.html"] = DESIGN.format(f"Bird of the {place}", first, second, REMARK if has_comment else "")
        rows.append({
            "url": f"http://tiny.example/{path}", "in_feed": number < 4, "title": f"The {bird} of the {place}",
            "text": f"{first}\n\n{second}", "comments_complete": number > 9,
            "comments": [{"author": "Bo", "text": "A heron, surely"}] if has_comment else [],
        })
        if number < 4:
            items.append(
                f"<item><title>Bird of the {place}</title><link>http://tiny.example/{path}</link>"
                f"<description>&lt;p>{first}&lt;/p>&lt;p>{second}&lt;/p></description></item>",
            )
    feed = f"<rss version='2.0'><channel><title>Birds</title>{''.join(items)}</channel></rss>"
    return make_blog("birds", rows=rows, files={**files, "feed.xml": feed}, language="en")


def test_posts_outside_the_feed_come_in_all_editions(bird_blog):
    rows, texts = collected(bird_blog), editions(bird_blog, (1, 3), seed=1)
    assert len(rows) == len(texts) == 12
    last = texts[-1]
    assert "kestrel" not in last["truth"]
    assert "kestrel club" in last["raw pages"]
    assert "kestrel" not in last[diffpost(1)]
    assert "plover again" in last[diffpost(3)]
    assert last["everlog"].split() == last["truth"].split()
    assert "heron" not in last["truth"]
    assert "heron" in last["truth and comments"]


def test_an_edition_is_the_same_every_time(bird_blog):
    assert editions(bird_blog, (1,), seed=7) == editions(bird_blog, (1,), seed=7)


# all of it ---------------------------------------------------------------------------------------

SMALL = Plan(one_word=5, two_words=0, names=0, least_relevant=6)


@pytest.fixture
def two_blogs(bird_blog, make_blog):
    """A second blog makes the birds of the first rare enough to be asked for."""
    text = "Ein langer Weg zur Arbeit, und wieder zurück."
    rows = [
        {"url": f"http://tiny.example/weg-{number}/", "title": "Weg", "text": text, "comments_complete": number > 2}
        for number in range(9)
    ]
    files = {f"weg-{number}/index.html": f"<html><p>{text}</p></html>" for number in range(9)}
    return [bird_blog, make_blog("wege", rows=rows, files=files, language="en")]


def test_a_menu_halves_the_precision_of_pages_and_not_that_of_articles(two_blogs):
    pytest.importorskip("scipy")
    asked = measure_retrieval(two_blogs, SMALL)
    first = asked[0]
    assert (first.posts, first.comments, len(first.documents)) == (ALL, NOISE, 21)
    place = [str(each) for each in first.queries].index("kestrel")
    assert first.answers["raw pages"][place].precision == 0.5
    assert first.answers["raw pages"][place].recall == 1.0
    assert first.answers["everlog"][place] == Answer(precision=1.0, recall=1.0, average_precision=1.0)
    figures = {row["edition"]: row for row in first.rows()}
    assert figures["raw pages"]["P"] < figures["everlog"]["P"]
    assert {row["kind"] for row in first.rows_by_kind()} == {WORD}
    beside = [(row["edition"], row["beside"]) for row in first.differences()]
    assert ("raw pages", "everlog") in beside


def test_comments_are_content_where_all_of_them_are_known(two_blogs):
    plan = Plan(one_word=5, two_words=0, names=0, least_relevant=2)
    settings = [(one.posts, one.comments, len(one.documents)) for one in measure_retrieval(two_blogs, plan)]
    assert settings == [(ALL, NOISE, 21), (KNOWN, NOISE, 12), (KNOWN, CONTENT, 12)]


@pytest.mark.slow
def test_two_processes_find_what_one_finds(two_blogs):
    assert measure_retrieval(two_blogs, SMALL, jobs=2) == measure_retrieval(two_blogs, SMALL)


def test_too_small_a_corpus_is_an_error_with_advice(bird_blog):
    with pytest.raises(UsageError, match=r"there is no query to run\n.*more posts"):
        measure_retrieval([bird_blog])
