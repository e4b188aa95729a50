"""The one reader of comments: any table of selectors, on pages of any shape and size."""

from __future__ import annotations

import gc
import weakref
from datetime import UTC, datetime
from time import process_time
from urllib.parse import urljoin

import pytest
from lxml import etree

from everlog.comments.comment_markup import Markup, Thread, explained, read_marked, read_selected
from everlog.comments.css import Selection
from everlog.core.tree import parse

URL = "http://a.org/2019/rain/"
LIST = Markup(
    name="mine", comment="li", text="div.text, p", author=".who", date=".when", permalink="a.link", cut=(".reply",),
)


def read(html: str, markup: Markup = LIST, fetched_at: datetime | None = None) -> Thread:
    return read_marked(parse(html.encode()), URL, markup, fetched_at=fetched_at)


def test_every_field_of_a_comment_is_read():
    thread = read("""<ol><li id="comment-7">
        <b class=who><a href="http://ada.org/">Ada</a> says:</b>
        <a class=link href="#comment-7"><span class=when>March 12th, 2014 at 10:31 pm</span></a>
        <div class=text><p>It <i>rains</i>.</p><p>Still.</p><a class=reply href="#">Reply</a></div></ol>""")
    (comment,) = thread.comments
    assert thread.source == comment.source == "mine"
    assert (comment.id, comment.parent, comment.url) == ("7", None, URL + "#comment-7")
    assert (comment.author, comment.author_url) == ("Ada", "http://ada.org/")
    assert comment.published == datetime(2014, 3, 12, 22, 31, tzinfo=UTC)
    assert comment.text == "It rains.\n\nStill."
    assert comment.html == "<p>It <i>rains</i>.</p><p>Still.</p>"


def test_the_page_is_not_changed():
    root = parse(b"<ol><li id=c1><b class=who>Ada</b><p>One <a class=reply>Reply</a><ul><li><p>Two</p></ul></ol>")
    before = etree.tostring(root)
    read_marked(root, URL, LIST)
    assert etree.tostring(root) == before


def test_a_comment_does_not_say_what_is_nested_in_it():
    thread = read(
        "<ul><li id=c1><div class=text>One<ul><li id=c2><div class=text>Two<ul><li id=c3>"
        "<div class=text>Three</div></ul></div></ul> and a half</div></ul>"
    )
    assert [comment.text for comment in thread.comments] == ["One\n\nand a half", "Two", "Three"]
    assert [comment.parent for comment in thread.comments] == [None, "1", "2"]


def test_alternatives_are_tried_in_their_order_for_every_comment():
    thread = read("<ul><li><p>Not this.</p><div class=text>This.</div></li><li><p>And this.</p></li></ul>")
    assert [comment.text for comment in thread.comments] == ["This.", "And this."]


def test_paragraphs_side_by_side_are_one_text():
    thread = read("<ul><li><p>One.</p><hr><p>Two.</p><blockquote><p>Not beside.</p></blockquote></li></ul>")
    assert thread.comments[0].text == "One.\n\nTwo."


def test_parts_that_follow_a_comment_beside_it_are_its_own():
    markup = Markup(name="dl", comment="dt", text="dd.body", author="dt", date=".foot", permalink=".foot a")
    thread = read(
        """<dl><dt id=c1><a href="http://ada.org/">Ada</a> said...</dt><dd class=body><p>One.</dd>
        <dd class=foot><a href="#c1">1 March 2019</a></dd>
        <dt id=c2>Bob said...</dt><dd class=body><p>Two.</dd><dd class=foot><a href="#c2">2 March 2019</a></dd></dl>""",
        markup,
    )
    found = [(c.id, c.author, c.author_url, c.text, str(c.published)[:10], c.parent) for c in thread.comments]
    assert found == [
        ("1", "Ada", "http://ada.org/", "One.", "2019-03-01", None),
        ("2", "Bob", None, "Two.", "2019-03-02", None),
    ]


def test_elements_without_a_text_are_no_comments():
    assert read("<ul><li><b class=who>Ada</b></li><li><p>One.</p></li></ul>").comments[0].author is None
    assert read("<ul><li>menu</li></ul>").comments == ()


def test_a_page_without_comments_gives_an_empty_thread():
    assert read("<p>Nothing.</p>") == Thread(source="mine")


def test_the_stated_count_is_read_and_zero_is_a_count():
    markup = Markup(name="mine", comment="li", text="p", count="h2, h3")
    assert read("<h2>Comments</h2><h3>1,204 Comments</h3>", markup).claimed == 1204
    assert read("<h3>No comments</h3>", markup).claimed == 0
    assert read("<h3>Comments</h3>", markup).claimed is None


def test_two_elements_with_one_id_are_one_comment():
    markup = Markup(name="mine", comment="li, div", text="p")
    thread = read(
        "<ul><li id=li-comment-1><div id=div-comment-1><p>One.</p></div><ul><li id=li-comment-2><p>Two.</p></ul></ul>",
        markup,
    )
    assert [(c.id, c.parent, c.text) for c in thread.comments] == [("1", None, "One."), ("2", "1", "Two.")]


def test_an_element_around_a_comment_and_its_answers_stands_for_the_comment():
    markup = Markup(name="mine", comment="section, div", text="p")
    thread = read(
        "<section><div id=c1><p>One.</p></div><section><div id=c2><p>Two.</p></div></section>"
        "<section><div id=c3><p>Three.</p></div></section></section>",
        markup,
    )
    assert [(c.id, c.parent) for c in thread.comments] == [("1", None), ("2", "1"), ("3", "1")]


@pytest.mark.parametrize("around", ['<ul class="x">{}</ul>', '<div class="comment indented">{}</div>'])
def test_answers_in_a_list_behind_a_comment_answer_it(around):
    markup = Markup(name="mine", comment="div.c", text="p")
    answers = around.format("<div class=c id=c2><p>Two.</p></div>")
    thread = read(f"<main><div class=c id=c1><p>One.</p></div>{answers}</main>", markup)
    assert [(c.id, c.parent) for c in thread.comments] == [("1", None), ("2", "1")]


def test_comments_in_another_box_do_not_answer_the_one_before():
    markup = Markup(name="mine", comment="div.c", text="p")
    thread = read("<main><div class=c id=c1><p>1</p></div><div><div class=c id=c2><p>2</p></div></div></main>", markup)
    assert thread.comments[1].parent is None


def test_depth_classes_make_threads_of_a_flat_list():
    markup = Markup(name="mine", comment="li", text="p", depth="depth-")
    items = "".join(f"<li id=c{n} class='depth-{depth}'><p>x</p></li>" for n, depth in enumerate((1, 2, 3, 2, 1), 1))
    assert [c.parent for c in read(f"<ul>{items}</ul>", markup).comments] == [None, "1", "2", "1", None]


def test_depth_may_stand_in_an_attribute_and_be_missing():
    markup = Markup(name="mine", comment="li", text="p", depth="@data-level")
    thread = read("<ul><li id=c1 data-level=0><p>1</p></li><li id=c2 data-level=1><p>2</p></li></ul>", markup)
    assert [c.parent for c in thread.comments] == [None, "1"]
    nested = read("<ul><li id=c1><p>1</p><ul><li id=c2><p>2</p></ul></ul>", markup)
    assert [c.parent for c in nested.comments] == [None, "1"]


def test_a_stated_parent_goes_before_nesting():
    markup = Markup(name="mine", comment="li", text="p", parent="a.to@href")
    thread = read(
        "<ul><li id=c1><p>1</p></li><li id=c2><p>2</p><ul><li id=c3><a class=to href='#c1'></a><p>3</p></ul></li></ul>",
        markup,
    )
    assert [c.parent for c in thread.comments] == [None, None, "1"]


def test_an_id_may_stand_in_another_element_or_in_the_permalink():
    markup = Markup(name="mine", comment="li", text="p", id="a.anchor@name")
    assert read("<ul><li><a class=anchor name=c9></a><p>x</p></li></ul>", markup).comments[0].id == "9"
    assert read("<ul><li><p>x</p></li></ul>", markup).comments[0].id is None
    linked = read("<ul><li><a class=link href='/2019/rain/#comment-5'>#</a><p>x</p></li></ul>").comments[0]
    assert (linked.id, linked.url) == ("5", URL + "#comment-5")


def test_a_link_to_another_comment_is_not_the_permalink():
    comment = read("<ul><li id=c2><p>As <a class=link href='#c1'>Ada</a> said.</p></li></ul>").comments[0]
    assert (comment.id, comment.url) == ("2", URL + "#c2")


@pytest.mark.parametrize(
    ("markup", "name", "site"),
    [
        ("<b class=who>Sam <span>Post author</span></b>", "Sam", None),
        ("<b class=who><a href='/sam'>Sam</a> <span>Admin</span></b>", "Sam", "http://a.org/sam"),
        ("<a href='http://sam.org/'><b class=who>Sam</b></a>", "Sam", "http://sam.org/"),
        ("<a class=who href='http://'>Sam</a>", "Sam", None),
        ("<b class=who><span>by</span> <span>Sam</span></b>", "Sam", None),
        ("<b class=who> </b><i class=who>Sam</i>", "Sam", None),
        ("<b class=who>Posted by Sam | <a href='#c1'>March 3, 2004 10:31 AM</a></b>", "Sam", None),
        ("<b class=who>:</b>", None, None),
    ],
)
def test_names_are_read_without_badges(markup, name, site):
    comment = read(f"<ul><li>{markup}<p>x</p></li></ul>").comments[0]
    assert (comment.author, comment.author_url) == (name, site)


def test_the_link_to_the_author_may_have_a_selector_of_its_own():
    markup = Markup(name="mine", comment="li", text="p", author="b", author_url="a.home")
    thread = read("<ul><li><b>Ada</b> <a class=home href='http://ada.org/'>home</a><p>x</p></li></ul>", markup)
    assert thread.comments[0].author_url == "http://ada.org/"


def test_links_of_comments_are_relative_to_what_their_page_says():
    markup = Markup(name="mine", comment="li", text="p", author="b", author_url="a.home", permalink="a.link")
    (comment,) = read(
        "<base href='/files/'><ul><li id=c1><b>Ada</b><a class=home href=ada>home</a><a class=link href='#c1'>1</a>"
        "<p>See <a href=x>this</a></p></li></ul>", markup,
    ).comments
    files = urljoin(URL, "/files/")
    assert (comment.url, comment.author_url) == (URL + "#c1", files + "ada")
    assert f'<a href="{files}x">this</a>' in comment.html


def test_a_name_inside_the_text_is_the_author_only_where_there_is_no_other():
    markup = Markup(name="mine", comment="li", text="div", author="cite")
    thread = read(
        "<ul><li><div>As <cite>Bob</cite> said.</div><cite>Ada</cite></li>"
        "<li><div><cite>Cyd</cite> Yes.</div></li></ul>",
        markup,
    )
    assert [(c.author, c.text) for c in thread.comments] == [("Ada", "As Bob said."), ("Cyd", "Yes.")]


def test_what_holds_the_text_is_not_the_author():
    markup = Markup(name="mine", comment="li", text="p", author="[class*='author'], b")
    thread = read("<ul><li class='author-ada'><b>Ada</b><div class=author-x><p>Well.</p></div></li></ul>", markup)
    assert thread.comments[0].author == "Ada"


def test_name_and_date_are_cut_out_of_a_text_that_holds_them():
    markup = Markup(name="mine", comment="li", text="li", author="b", date="i", cut=(".reply", ".share"))
    thread = read(
        "<ul><li><b>Ada</b> <i>1 March 2019</i> <p>Fine.</p> <span class=share>Share</span> tail "
        "<span class=reply>Reply</span></li></ul>",
        markup,
    )
    assert thread.comments[0].text == "Fine.\n\ntail"


def test_scripts_forms_and_hidden_elements_are_no_text():
    thread = read(
        "<ul><li><div class=text>Fine.<script>x()</script><form><input> Answer</form>"
        "<p style='display:none'>secret</p><img src=a.png onerror='x()'></div></li></ul>"
    )
    assert thread.comments[0].text == "Fine."
    assert thread.comments[0].html == 'Fine.<img src="http://a.org/2019/rain/a.png">'


def test_broken_names_of_elements_and_attributes_do_no_harm():
    thread = read("<ul><li><div class=text>A <x:y 1a=2 =b>b</x:y><a class=reply>R</a></div></li></ul>")
    assert thread.comments[0].text == "A b"


def test_lists_of_the_latest_comments_are_left_out():
    thread = read("<ul class=recentcomments><li><p>Elsewhere.</p></li></ul><ul><li><p>Here.</p></li></ul>")
    assert [comment.text for comment in thread.comments] == ["Here."]


def test_a_part_of_a_page_can_be_read_by_itself():
    root = parse(b"<ul><li><p>No.</p></ul><template><ul><li><p>Yes.</p></ul></template>")
    template = root.find("body/template")
    assert [comment.text for comment in read_marked(template, URL, LIST).comments] == ["Yes."]


def test_a_selector_that_is_none_is_refused():
    for broken in ("li[", "li:nth-child(2)", "li::before > > p"):
        with pytest.raises(ValueError, match="selector"):
            read("<p>x", Markup(name="mine", comment=broken, text="p"))


def test_a_selector_that_matches_everything_gathers_little():
    markup = Markup(name="mine", comment="li", text="p", author="li", date="li, ul")
    thread = read("<ul><li><p>x</p></li><li><p>y</p>" + "<i>z z z z</i>" * 500 + "</li></ul>", markup)
    assert [comment.text for comment in thread.comments] == ["x", "y"]


@pytest.mark.parametrize("nested", [False, True])
def test_time_grows_with_the_number_of_comments_and_no_faster(nested):
    # If it were quadratic, ten times as many would cost a hundred times as much. Others on the machine only add to the
    # processor's time, so the least of some readings is what it costs.
    few, many = (min(_seconds(count, nested=nested) for _ in range(5)) for count in (60, 600))
    assert many < 30 * few


def _seconds(count: int, *, nested: bool) -> float:
    item = "<li id=c{0}><b class=who>Ada</b> <i class=when>1 March 2019</i><div class=text>Text {0}{1}</div>{2}"
    pieces = [item.format(n, "<ul>" if nested else "", "" if nested else "</li>") for n in range(count)]
    if nested:
        pieces = [piece.removesuffix("</div>") for piece in pieces]
    root = parse(f"<ul>{''.join(pieces)}".encode())
    read_marked(root, URL, LIST)
    start = process_time()
    thread = read_marked(root, URL, LIST)
    taken = process_time() - start
    assert [comment.text for comment in thread.comments] == [f"Text {n}" for n in range(count)]
    return taken


def test_a_page_that_was_read_is_gone_without_the_garbage_collector():
    gc.disable()
    try:
        page = Selection(parse(b"<ol><li id=c1><b class=who>Ada</b><p>One</ol>"))
        explained(page, LIST)
        assert read_selected(page, URL, LIST).comments
        held = weakref.ref(page)
        del page
        assert held() is None
    finally:
        gc.enable()
