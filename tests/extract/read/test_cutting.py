"""Each kind of signature cuts what it says, and nothing else."""

from __future__ import annotations

import pytest

from everlog.core.tree import parse
from everlog.markup.cutting import Cutter, remove_cuts

LONG = "a paragraph with more words than any label can have in it"


def left(markup: str, *cuts: str, keeps: tuple[str, ...] = (), known: tuple[str, ...] = ()) -> str:
    """What is left of an article, as words."""
    article = parse(f"<div class=entry>{markup}</div>".encode()).find("body")[0]
    remove_cuts(article, Cutter(cuts, keeps, known))
    return " ".join("".join(f"{text} " for text in article.itertext()).split())


@pytest.mark.parametrize(
    ("cut", "markup", "rest"),
    [
        ("div.share", "<p>a</p><div class='share x'>b</div><p class=share>c</p><div class=shared>d</div>", "a c d"),
        ("div#share", "<div id=share-7>a</div><div id=share>b</div>", "a"),
        ("div#share-", "<div id=share-7>a</div><div id=share-8>b</div><div>c</div>", "c"),
        ("div.[a b]", "<div class='b a'>1</div><div class=a>2</div><div class='a b c'>3</div>", "2 3"),
        ("div[role=note]", "<div role=note>a</div><div role=main>b</div>", "b"),
        ("=h3 related posts", "<h3>Related posts</h3><h4>Related posts</h4><h3>Related posts of mine</h3>",
         "Related posts Related posts of mine"),
        ("=p 0 comments", "<p>12 Comments</p><p>Comments</p>", "Comments"),
        ("~p tags", "<p>Tags: <a>x</a></p><p>Tags: none</p><p>About tags: <a>y</a></p>", "Tags: none About tags: y"),
        ("^p posted in", f"<p>Posted in {LONG}</p><p>Posted on {LONG}</p><p>Posted in</p>",
         f"Posted on {LONG} Posted in"),
        ("+ul see also", "<h3>See also</h3><ul><li>a</ul><h3>Steps</h3><ul><li>b</ul>", "See also Steps b"),
        ("div.entry>ul", "<ul><li>a</ul><section><ul><li>b</ul></section><ul class=x><li>c</ul>", "b c"),
        ("div.entry>p@0S", f"<p>by Ann</p><p>{LONG}</p><p>short</p>", f"{LONG} short"),
        ("div.entry>p@-1L", f"<p><a>x y</a></p><p>{LONG}</p><p>see <a>this and that</a></p>", f"x y {LONG}"),
        ("div.entry>p@0S", f"<p>{LONG}</p><p>short</p>", f"{LONG} short"),
    ],
)  # fmt: skip
def test_a_signature_cuts_what_it_says_and_nothing_else(cut, markup, rest):
    assert left(markup, cut) == rest


def test_a_date_is_cut_in_months_and_weekdays_that_no_page_of_the_feed_had():
    assert left("<i>23 August 2023</i><p>text</p><p>23 August 2023</p>", "=i 0 november 0") == "text 23 August 2023"
    assert left("<p><b>Friday,</b> 4 May 2001</p><p>text</p>", "=p monday 0 november 0") == "text"


@pytest.mark.parametrize("text", ["23 cats 7", "23 August 2023 in Rome", "99 August 2023", "23 0815 2023"])
def test_what_only_looks_like_a_date_stays(text):
    assert left(f"<i>{text}</i><p>a</p>", "=i 0 november 0") == f"{text} a"


def test_bare_text_behind_an_element_is_cut_without_the_element():
    markup = "<i class=day>1</i> May 2024<p>text</p> more<p><i class=day>2</i> stays</p>"
    assert left(markup, "|i.day") == "1 text more 2 stays"


def test_bare_text_is_found_behind_a_label_or_a_chain_too():
    assert left("<b>By</b> Ann Lee<p>text</p>", "|=b by") == "By text"
    assert left("<br> Ann Lee<p>text</p>", "|div.entry>br") == "text"


def test_a_section_is_cut_from_its_first_element_to_the_last_sibling():
    markup = "<p>a</p><section><p>b</p><h2 id=more>M</h2><p>c</p>tail</section><p>d</p>"
    assert left(markup, "»h2#more") == "a b d"
    assert left("<p>a</p><h3>Leave a reply</h3>x<p>b</p>y", "»=h3 leave a reply") == "a"


def test_a_section_is_not_cut_out_of_running_text():
    assert left("<p>a <b class=more>b</b> c <i>d</i></p>", "»b.more") == "a b c d"


def test_text_behind_a_cut_element_stays():
    assert left("<p>one<span class=ad>buy</span>two</p>", "span.ad") == "onetwo"


def test_a_protected_name_is_spared_by_vaguer_cuts_only():
    markup = "<div id=intro class=box>a</div><div class=box>b</div>c"
    assert left(markup, "div.box", keeps=("div#intro",)) == "a c"
    assert left(markup, "div.box", "div#intro", keeps=("div#intro",)) == "c"


def test_cuts_that_would_leave_nothing_are_not_made():
    assert left("<section class=part><p>a</p></section><section class=part>b</section>", "section.part") == "a b"
    assert left("<div class=ad>a</div><script>b</script>", "div.ad") == "a"


def test_scripts_and_forms_go_without_being_learned():
    assert left("<p>a</p><script>b</script><style>c</style><button>d</button><iframe>e</iframe>f") == "a f"


def test_the_article_itself_is_never_cut():
    assert left("<p>a</p>", "div.entry", "»div.entry", "|div.entry") == "a"


def test_elements_inside_a_cut_element_may_be_cut_too():
    assert left("<div class=share>a<div class=share>b</div></div>c<p>d</p>", "div.share") == "c d"


class TestNamesThatWereNeverSeen:
    """Where the feed's pages had names inside the article, unknown ones may speak for themselves."""

    def test_an_unknown_name_of_noise_is_cut(self):
        assert left("<p>a</p><div class=related-posts>b</div>", known=("p.lead",)) == "a"

    def test_a_name_that_the_feeds_pages_showed_is_not(self):
        assert left("<p>a</p><div class=related-posts>b</div>", known=("div.related-posts",)) == "a b"

    def test_without_any_experience_names_say_nothing(self):
        assert left("<p>a</p><div class=related-posts>b</div>") == "a b"

    @pytest.mark.parametrize("around", ["pre", "code"])
    def test_code_is_never_cut_by_such_names(self, around):
        assert left(f"<{around}><div class=meta>a</div></{around}>", known=("p.lead",)) == "a"

    @pytest.mark.parametrize("tag", ["h2", "span", "a", "li"])
    def test_headings_and_links_are_not_cut_by_such_names(self, tag):
        assert left(f"<{tag} class=share>a</{tag}>", known=("p.lead",)) == "a"

    def test_comments_are_cut_by_their_names(self):
        assert left("<p>a</p><div id=comments>b</div>", known=("p.lead",)) == "a"

    def test_footnotes_stay(self):
        assert left("<p>a</p><div class=footnotes>b</div>", known=("p.lead",)) == "a b"
