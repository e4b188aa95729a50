"""The page of a blog: its posts in a list, what they are filtered by, and what is missing."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import TYPE_CHECKING

import pytest

from archive import some_visits as some
from archive.some_visits import HOME
from everlog.archive import open_archive
from everlog.archive.blog_state import SourceState
from everlog.archive.repos.inventory import InventoryPost
from everlog.usecases.completeness import renew
from everlog.web.interface.month_charts import sparkline, year_charts
from everlog.web.page_templates import as_sentence
from web.conftest import POST, filled
from web.served_archive import Served, serving
from web.some_blogs import HOSTILE, PAYLOADS, add_hostile, add_posts

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = "http://long.example/"


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("lists") / "archive"
    with open_archive(place, create=True) as archive:
        add_posts(archive, LONG, 100, title="A long life")
        add_hostile(archive)
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


def titles(text: str) -> list[str]:
    return re.findall(r'<h3[^>]*><a href="/read/[^"]*">([^<]*)</a>', text)


def walked(served: Served, path: str) -> list[str]:
    """The titles of all pages of a list."""
    found, query = [], path
    while query:
        text = served.page(query).text
        found += titles(text)
        following = re.search(r'<a href="(\?[^"]*)" rel="next"', text)
        query = path.partition("?")[0] + unescape(following[1]) if following else ""
    return found


def test_all_posts_are_listed_in_pages_the_newest_first_or_the_oldest(lists: Served):
    numbered = [f"Post {number}" for number in range(100)]
    assert walked(lists, "/blog/long.example?order=oldest") == numbered
    assert walked(lists, "/blog/long.example") == numbered[::-1]
    first = lists.page("/blog/long.example").text
    assert "100 posts" in first
    assert "Ann Lee" in first
    assert 'href="/captures/long.example"' in first


def test_posts_are_filtered_by_month_year_tag_author_and_language_with_counts(lists: Served):
    text = lists.page("/blog/long.example").text
    assert re.search(r'<a href="\?tag=maps" dir="auto">Maps</a> <span class="quiet">50<', text)
    assert re.search(r'<a href="\?author=bob" dir="auto">Bob</a> <span class="quiet">34<', text)
    assert len(walked(lists, "/blog/long.example?tag=maps")) == 50
    assert len(walked(lists, "/blog/long.example?tag=maps&author=bob")) == 17
    assert walked(lists, "/blog/long.example?month=2020-01") == ["Post 1", "Post 0"]
    assert len(walked(lists, "/blog/long.example?month=2020")) == 40
    assert walked(lists, "/blog/long.example?tag=nothing") == []
    assert "No post fits" in lists.page("/blog/long.example?tag=nothing").text
    narrowed = lists.page("/blog/long.example?tag=maps&month=2020-01").text
    assert 'href="?tag=maps"' in narrowed
    assert 'href="?month=2020-01"' in narrowed
    assert "Published: January 2020" in narrowed


def test_the_chart_has_a_link_and_words_for_each_month(lists: Served):
    text = lists.page("/blog/long.example?author=bob&month=2020").text
    assert '<a id="m-2020-01" href="?author=bob&amp;month=2020-01" title="January 2020: 2 posts">' in text
    assert '<div class="months" role="group" aria-label="Posts per month of 2020">' in text
    assert re.search(r'id="y-2021" href="\?author=bob&amp;month=2021"><span class="year-name">2021</span>', text)
    assert 'aria-label="Posts per month of 2022"' in lists.page("/blog/long.example").text
    assert "style=" not in text


@pytest.mark.parametrize("query", ["month=x", "month=2024-13", "month=2024-02-30", "month=99999"])
def test_what_is_no_month_is_told_and_not_answered_with_all_posts(lists: Served, query, caplog):
    answer = lists.page(f"/blog/long.example?{query}")
    assert answer.status == 400
    assert "is not a month" in answer.text
    assert '<a href="/blog/long.example">' in answer.text
    # Who runs the server is not told what readers mistype.
    assert [each.message for each in caplog.records if each.name.startswith("everlog")] == []


@pytest.mark.parametrize("page", ["blog", "calendar", "timeline", "complete", "captures", "rules", "requests"])
def test_an_address_that_is_no_blogs_offers_those_of_its_host(lists: Served, page):
    answer = lists.page(f"/{page}/long.example/elsewhere%3Cb%3E")
    assert answer.status == 404
    assert "There is no blog at" in answer.text
    assert '<a href="/blog/long.example" dir="auto">' in answer.text
    assert "<b>" not in answer.text
    assert '<a href="/blog/' not in lists.page(f"/{page}/nowhere.example").text


@pytest.mark.parametrize("query", ["after=x", "order=x", "more=x", "language=%00", "tag=" + "x" * 5000, "site=%FF"])
def test_strange_queries_are_answered(lists: Served, query):
    assert lists.page(f"/blog/long.example?{query}").status == 200


def test_a_post_that_may_be_read_wrong_says_so_in_words(lists: Served):
    assert lists.page("/blog/long.example?month=2020-01").text.count("Not sure it was read right") == 1


def test_what_strangers_wrote_is_only_text_on_lists(lists: Served):
    for path in ("/", "/blog/hostile.example", "/blog/hostile.example?tag=hostile", "/complete/hostile.example"):
        text = lists.page(path).said
        assert text.count("<script") == text.count("<iframe") == text.count("onerror=alert(1)>") == 0, path
        assert "49" not in re.sub(r"\d{3,}", "", text).partition("<main")[2].partition("{{ 7*7 }}")[0][:300], path
    found = [unescape(each) for each in walked(lists, "/blog/hostile.example?order=oldest")]
    assert found == ["Without a title", *(f"{payload} 2" for payload in PAYLOADS)]
    for payload in PAYLOADS:
        query = "".join(f"%{byte:02X}" for byte in payload.encode())
        text = lists.page(f"/blog/hostile.example?tag={query}&author={query}").said
        assert "<script" not in text
        assert text.count("<img") == text.count('<img class="icon"') == 1


def test_what_is_missing_is_named_with_its_reason(lists: Served, served: Served):
    text = served.page("/complete/a.example").text
    assert "Is all of it held?" in text
    assert "posts held" in text or "post held" in text
    assert "Posts: not known" in text
    assert "links that were followed" in text
    [known] = set(re.findall(r'<span class="word">(Completeness[^<]*)<', served.page("/blog/a.example").text))
    assert known in served.page("/").text
    assert lists.page("/complete/nowhere.example").status == 404
    assert 'href="/complete/a.example"' in served.page("/blog/a.example").text


def test_who_lists_posts_is_said_with_what_went_wrong(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = add_posts(archive, LONG, 3)
        rest = SourceState(
            source="WordPress REST", entrance=LONG, claimed_before=5, total=3, problem="the interface answers HTTP 403",
        )
        archive.blogs.change_state(blog, lambda state: replace(state, history=(rest,)))
        with serving(archive) as served:
            text = served.page("/complete/long.example").text
        assert "lists and counts all posts; not read to its end" in text
        assert "the interface answers HTTP 403" in text
        assert "5, then 3" in text
        assert "Who lists its comments" not in text


def test_who_lists_comments_is_said_apart(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = add_posts(archive, LONG, 3)
        rest = SourceState(source="WordPress REST", entrance=LONG, comments_before=7, comments_total=8)
        archive.blogs.change_state(blog, lambda state: replace(state, history=(rest,)))
        with serving(archive) as served:
            text = served.page("/complete/long.example").text
    posts, comments = text.split("Who lists its comments</h2>")
    assert "lists and counts all posts" in posts
    assert "lists and counts all comments" in comments
    assert "7, then 8" in comments


@pytest.mark.parametrize("answer", ["yes", "no", "unknown", "excused"])
def test_the_page_of_a_blog_says_how_complete_it_is_in_the_words_of_the_verdict(tmp_path, answer):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = add_posts(archive, LONG, 3)
        home = archive.blogs.find(LONG)
        listed = [InventoryPost(native_id=f"{LONG}{number}", key=f"long.example/{number}", url=f"{LONG}{number}")
                  for number in range(4 if answer == "no" else 3)]
        if answer == "excused":
            locked = f"{LONG}locked"
            listed.append(InventoryPost(native_id=locked, key="long.example/locked", url=locked, locked="password"))
        source = "WordPress REST" if answer in {"yes", "no"} else "sitemap"
        archive.blogs.inventory.add(blog, source, listed)
        if answer in {"yes", "no"}:
            walked = SourceState(
                source=source, entrance=LONG, is_exhaustive=True, claimed_before=len(listed), total=len(listed),
            )
            archive.blogs.change_state(blog, lambda state: replace(state, history=(walked,)))
        known = renew(home, archive)
        assert known.posts.answer == ("unknown" if answer == "excused" else answer)
        with serving(archive) as served:
            said = re.sub(r"\s+", " ", unescape(served.page("/blog/long.example").text))
            behind = re.sub(r"\s+", " ", unescape(served.page("/complete/long.example").text))
    words = {
        "yes": ">Complete</span> All posts are here: 3 held, as WordPress REST lists them. <a",
        "no": ">Not complete</span> Not all posts are here: 3 held, 1 missing (never visited). <a",
        "unknown": ">Completeness not known</span> 3 posts held, none known to be missing; there may be more: its "
                   "sitemap names no other posts, but may leave some out. <a",
        "excused": ">Completeness not known</span> 3 posts held, none known to be missing; 1 cannot be had "
                   "(password); there may be more: its sitemap names no other posts, but may leave some out. <a",
    }[answer]
    assert words in said
    for verdict in (known.posts, known.comments):
        assert as_sentence(verdict.sentence) in said
        assert as_sentence(verdict.sentence) in behind
    assert ("See which, and why" in said) == (answer == "no")


def test_a_verdict_that_was_kept_without_its_sentences_is_shown_all_the_same(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = add_posts(archive, LONG, 3)
        kept = {"posts": "no", "comments": "unknown", "missing": 2, "excused": 0}
        archive.blogs.inventory.keep_verdict(blog, kept | {"checked_at": "2026-05-01T12:00:00+00:00"})
        with serving(archive) as served:
            said = re.sub(r"\s+", " ", served.page("/blog/long.example").text)
    assert ">Not complete</span> 2 posts are missing. <a" in said


def test_in_public_no_sentence_counts_a_hidden_post(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, LONG, 3)
        renew(archive.blogs.find(LONG), archive)
        archive.hidden.set_post(archive.listing.find(LONG + "1").id, hidden=True)
        with serving(archive, public=True) as public, serving(archive) as private:
            assert "3 posts held" not in public.page("/blog/long.example").text
            assert "3 posts held" in private.page("/blog/long.example").text


def test_posts_that_look_unlike_the_others_are_not_among_the_pages_in_doubt(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([
                some.post_visit(blog, HOME + "2021/old", note="its address looks like a post, its markup does not"),
                some.page(blog, HOME + "essay", note="its markup looks like a post, its address does not: a page"),
            ])
        with serving(archive) as served, serving(archive, public=True) as public:
            text = served.page("/complete/a.example").text
            assert "<summary>" not in public.page("/complete/a.example").text
    unlike, doubtful = text.split("<summary>")[1:]
    assert unlike.startswith("1 post that is held looks unlike the others, by its page or its address</summary>")
    assert 'href="/read/http://a.example/2021/old"' in unlike
    assert doubtful.startswith("1 page may be a post and was not recognised as one</summary>")
    assert 'href="/web/http://a.example/essay"' in doubtful
    assert 'href="/read/' not in doubtful


def test_in_public_whether_all_is_held_is_told_without_what_counts_or_names_hidden_posts(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = add_posts(archive, LONG, 3)
        with archive.lock(blog):
            for name in ("secret", "open"):
                # Its text was told by an interface, and its page could not be had.
                told = some.post(LONG + name, text=f"{name} {some.LONG}")
                archive.commit([some.page(blog, LONG + name, outcome="post", post=told, exchanges=())])
                archive.commit([some.page(blog, LONG + name, outcome="failed", exchanges=(
                    some.exchange(LONG + name, status=500),
                ))])
        archive.hidden.set_post(archive.listing.find(LONG + "secret").id, hidden=True)
        renew(archive.blogs.find(LONG), archive)
        with serving(archive, public=True) as public, serving(archive) as private:
            text, whole = (served.page("/complete/long.example").text for served in (public, private))
            for path, told, kept in (
                ("/", "Posts are missing", "2 posts missing"),
                ("/blog/long.example", "Posts are missing.", "2 missing ("),
            ):
                assert told in public.page(path).text
                assert kept not in public.page(path).text
                assert kept in private.page(path).text
    assert text.count("The reasons are not told: they count posts that are not shown here.") == 2
    assert "Posts: not complete" in text
    assert f"/web/{LONG}open" in text
    assert "secret" not in text
    assert "posts held" not in text
    assert f"/web/{LONG}secret" in whole
    assert "The reasons are not told" not in whole


def test_where_nothing_is_hidden_the_public_is_told_the_reasons(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, LONG, 3)
        with serving(archive, public=True) as public:
            text = public.page("/complete/long.example").text
    assert "3 posts held" in text
    assert "The reasons are not told" not in text


@pytest.mark.parametrize(("text", "shown"), [
    ("Short.", "Short."), ("tide " * 100, "tide tide\u2026"), ("\u6f6e" * 300, "\u6f6e" * 240 + "\u2026"),
    ("\u6f6e" * 50 + " " + "\u6f6e" * 300, "\u6f6e" * 189 + "\u2026"),
])
def test_the_excerpt_of_a_post_ends_with_a_word_where_it_has_words(tmp_path, text, shown):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(LONG, scope="path").id
        with archive.lock(blog):
            archive.commit([some.page(blog, LONG + "a", outcome="post", post=some.post(LONG + "a", text=text))])
        with serving(archive) as served:
            said = served.page("/blog/long.example").text
    assert f"{shown}</p>" in said


def test_edits_are_told(served: Served):
    text = served.page("/blog/a.example").text
    assert ", edited" in text
    assert f'<a href="/diff/2/3/{POST}" dir="auto" lang="en">A &lt;b&gt;post' in text
    assert "3 versions" in text


def test_a_blog_without_posts_has_a_page(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        archive.blogs.add(HOME, scope="path")
        with serving(archive) as served:
            assert "No post of this blog is held yet" in served.page("/blog/a.example").text
            assert served.page("/complete/a.example").status == 200


def test_no_chart_is_drawn_of_nothing_and_strange_years_have_their_place():
    assert year_charts({"": 3}) == ()
    assert sparkline({"": 3}) is None
    charts = year_charts({"0001-01": 1, "2024-05": 900, "9999-12": 1})
    assert [chart.year for chart in charts] == ["0001", "2024", "9999"]
    drawn = sparkline({"0001-01": 1, "9999-12": 1})
    assert drawn is not None
    assert len(drawn.bars) <= 60


def test_a_hidden_blog_says_so_on_all_its_pages_and_posts(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        long = add_posts(archive, LONG, 2, title="A long life")
        pages = [f"/{each}/long.example" for each in
                 ("blog", "calendar", "timeline", "complete", "captures", "rules", "requests")]
        with serving(archive) as served:
            for path in (*pages, "/", f"/read/{LONG}1", f"/diff/1/1/{LONG}1"):
                assert not re.search("Hidden|, hidden", served.page(path).text), path
            archive.hidden.set_blog(long, hidden=True)
            for path in pages:
                assert '<span class="word">Hidden</span>' in served.page(path).text, path
            assert "Hidden: this blog is not exported" in served.page("/blog/long.example").text
            assert "Hidden: this blog is not exported" in served.page(f"/read/{LONG}1").text
            assert '<span class="word">Hidden</span>' in served.page(f"/diff/1/1/{LONG}1").text
            assert "</time>, hidden</span>" in served.page("/").text


def test_who_asks_where_a_blog_was_is_led_to_where_it_is(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        moved = archive.blogs.move(add_posts(archive, "http://old.example/blog/", 2, title="Moved"), LONG)
        feeds = ("feed/posts", "feed/changes")
        pages = ("blog", "calendar", "timeline", "complete", "captures", "rules", "requests", *feeds)
        with serving(archive) as served:
            for page in pages:
                led = served.page(f"/{page}/old.example/blog?month=2020")
                assert (led.status, led.headers["Location"]) == (302, f"/{page}/long.example?month=2020"), page
            assert served.page("/blog/old.example").status == 404
        archive.hidden.set_blog(moved.id, hidden=True)
        with serving(archive, public=True) as public:
            assert {public.page(f"/{page}/old.example/blog").status for page in pages} == {404}


def test_a_front_page_is_offered_where_it_was_captured(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        filled(archive)
        add_posts(archive, LONG, 2, title="A long life")
        with serving(archive) as served:
            assert f'<a href="/web/{HOME}">Front page as it was</a>' in served.page("/blog/a.example").text
            assert "Front page as it was" not in served.page("/blog/long.example").text


def test_what_cannot_be_sorted_is_not_offered_to_be(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, "http://none.example/", 0, title="None yet")
        add_posts(archive, "http://one.example/", 1, title="One")
        add_posts(archive, "http://two.example/", 2, title="Two")
        with serving(archive) as served:
            offered = [
                name for name in ("none", "one", "two") if "Oldest first" in served.page(f"/blog/{name}.example").text
            ]
            assert offered == ["two"]


def test_a_title_of_many_lines_is_cut_in_lists_and_whole_on_its_page(tmp_path):
    title = "A title that goes on and on " * 17
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(LONG, scope="path").id
        with archive.lock(blog):
            post = some.post(LONG + "a", title=title.strip())
            archive.commit([some.page(blog, LONG + "a", outcome="post", post=post)])
        with serving(archive) as served:
            for path in ("/", "/blog/long.example"):
                shown = re.search(r">(A title that [^<]*)\u2026</a>", served.page(path).text)
                assert shown is not None
                assert 150 < len(shown[1]) <= 200
            assert f">{title.strip()}</h1>" in served.page(f"/read/{LONG}a").text


def test_in_public_hidden_blogs_and_posts_are_nowhere(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        filled(archive)
        long = add_posts(archive, LONG, 20, title="A long life")
        archive.hidden.set_blog(archive.blogs.find(HOME).id, hidden=True)
        hidden = archive.listing.find(LONG + "7")
        archive.hidden.set_post(hidden.id, hidden=True)
        assert long == hidden.blog_id
        with serving(archive, public=True) as public, serving(archive) as private:
            shown_to_all = [f"/blog/{LONG}", f"/read/{LONG}8", f"/web/*/{LONG}8", f"/captures/{LONG}"]
            never = [
                "/blog/a.example", "/captures/a.example", "/complete/a.example", f"/read/{POST}", f"/web/{POST}",
                f"/web/*/{POST}", f"/read/{LONG}7", f"/web/{LONG}7", f"/web/*/{LONG}7", f"/web/{HOME}cat.png",
                f"/web/{HOME}old", f"/web/{HOME}left",
            ]
            for path in shown_to_all:
                assert public.page(path).status == private.page(path).status == 200, path
            for path in never:
                assert public.page(path).status == 404, path
                assert private.page(path).status in {200, 302}, path
            for path in (*shown_to_all, "/", *never):
                text = public.page(path).text
                assert "A blog &amp; more" not in text, path
                assert "Post 7<" not in text, path
                assert f'"/web/2024{LONG}7"' not in text, path
                assert "everlog repair" not in text, path
            assert "long.example/7" not in public.page("/captures/long.example").text
            assert "19 posts" in public.page("/blog/long.example").text
            assert "20 posts" in private.page("/blog/long.example").text
            for path in (f"/web/{POST}", f"/web/2024/{POST}", f"/timegate/{POST}", f"/timemap/link/{POST}",
                         f"/web/{LONG}7", f"/timemap/json/{LONG}7", f"/web/2024id_/{HOME}cat.png"):
                assert public.ask(path).status == 404, path
                assert private.ask(path).status in {200, 302}, path


def test_in_public_a_damaged_archive_tells_no_folder(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        filled(archive)
        for file in (tmp_path / "archive" / "warc").iterdir():
            file.unlink()
        with serving(archive, public=True) as public:
            for answer in (public.page(f"/web/{HOME}left"), public.ask(f"/web/20240501120000/{POST}")):
                assert answer.status == 500
                assert str(tmp_path) not in answer.text
                assert "warc" not in answer.text


def test_hostile_addresses_of_blogs_are_only_text(lists: Served):
    assert lists.page(f"/blog/{HOSTILE}%22%3E%3Cscript%3E").status == 404
