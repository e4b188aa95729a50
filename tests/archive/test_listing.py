"""Lists of posts, their counts and what is hidden: the same on both databases, and as current as the versions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
import some_visits as some
from some_visits import HOME, LONG

from everlog.archive.projection.filters import PostFilter
from everlog.archive.projection.summaries import Cursor
from everlog.archive.verify import verify
from everlog.errors import UsageError
from everlog.records import Comment, Media, Provenance

OTHER = "http://b.example/"
EAST = timezone(timedelta(hours=9))


def day(number, hour=12, zone=UTC):
    return datetime(2024, 5, number, hour, tzinfo=zone)


def visit(blog, name, *, at=0, links=(), home=HOME, **fields):
    """A visit to a post whose article links to these addresses."""
    url = home + name
    text = fields.pop("text", f"{LONG} {name}")
    html = f"<p>{text}</p>" + "".join(f'<a href="{link}">x</a>' for link in links)
    html += "".join(f'<img src="{item.url}">' for item in fields.get("media", ()))
    plain = some.post_visit(blog, url, text, at=at)
    return replace(plain, post=replace(plain.post, html=html, **fields))


@pytest.fixture
def archive(place):
    with place.open() as opened:
        yield opened


@pytest.fixture
def blog(archive):
    """A blog of three dated posts and one without a date."""
    number = archive.blogs.add(HOME, scope="path").id
    commit(archive, number, [
        visit(number, "a", title="First", published=day(1), tags=("Trains", "maps"), authors=("Ann Lee",),
              language="en"),
        visit(number, "b", title="Second", published=day(2), tags=("trains",), authors=("Bo",), language="en-GB"),
        visit(number, "c", title="Third", published=day(31, 3, EAST), tags=("Maps",), authors=("ANN  LEE",),
              language="de"),
        visit(number, "d", title="Undated"),
    ])
    return number


def commit(archive, blog, visits):
    with archive.lock(blog):
        return archive.commit(visits)


def titles(page):
    return [post.title for post in page.posts]


def listed(archive, **chosen):
    return titles(archive.listing(PostFilter(**chosen)))


def test_posts_are_listed_by_date_and_those_without_one_last(archive, blog):
    assert listed(archive, blog_id=blog) == ["Third", "Second", "First", "Undated"]
    whole = archive.listing(PostFilter(blog_id=blog), oldest_first=True)
    assert titles(whole) == ["Undated", "First", "Second", "Third"]
    assert whole.following is None


def test_a_list_goes_on_where_its_last_page_ended(archive, blog):
    first = archive.listing(PostFilter(blog_id=blog), limit=3)
    rest = archive.listing(PostFilter(blog_id=blog), after=Cursor.parse(str(first.following)), limit=3)
    assert (titles(first), titles(rest), rest.following) == (["Third", "Second", "First"], ["Undated"], None)
    by_tag = archive.listing(PostFilter(blog_id=blog, tag="trains"), limit=1)
    assert titles(by_tag) == ["Second"]
    assert titles(archive.listing(PostFilter(blog_id=blog, tag="trains"), after=by_tag.following)) == ["First"]


@pytest.mark.parametrize("text", ["", "x", "2024_", "_-1", f"x_{9**30}", "x_²"])
def test_a_place_in_a_list_that_nobody_gave_out_is_none(text):
    assert Cursor.parse(text) is None


def test_posts_are_filtered_by_tag_author_language_and_all_of_them(archive, blog):
    assert listed(archive, blog_id=blog, tag=" TRAINS") == ["Second", "First"]
    assert listed(archive, blog_id=blog, author="ann lee") == ["Third", "First"]
    assert listed(archive, blog_id=blog, language="en") == ["Second", "First"]
    assert listed(archive, blog_id=blog, tag="maps", author="Ann Lee", language="de") == ["Third"]
    assert listed(archive, blog_id=blog, tag="nothing") == []
    assert listed(archive, tag="maps") == ["Third", "First"]
    assert archive.listing.count(PostFilter(blog_id=blog, tag="maps")) == 2
    assert archive.listing.count(PostFilter(blog_id=blog), most=3) == 3


def test_months_and_days_are_those_of_the_blogs_own_calendar(archive, blog):
    commit(archive, blog, [visit(blog, "e", title="Eve", published=datetime(2024, 6, 1, 0, 30, tzinfo=EAST))])
    assert archive.overview.months([blog]) == {blog: {"": 1, "2024-05": 3, "2024-06": 1}}
    assert listed(archive, blog_id=blog, month="2024-06") == ["Eve"]
    assert listed(archive, blog_id=blog, month="2024-05") == ["Third", "Second", "First"]
    assert listed(archive, blog_id=blog, month="2024-05-31") == ["Third"]
    assert listed(archive, blog_id=blog, month="2024") == ["Eve", "Third", "Second", "First"]
    assert listed(archive, blog_id=blog, month="2023") == []
    assert listed(archive, blog_id=blog, month="") == ["Undated"]
    assert archive.overview.days(blog, "2024-05") == {"2024-05-01": 1, "2024-05-02": 1, "2024-05-31": 1}


@pytest.mark.parametrize("month", ["24", "2024-13", "x", "2024-02-30", "0000-01"])
def test_what_is_no_month_is_told(archive, month):
    with pytest.raises(UsageError, match="is not a month"):
        archive.listing(PostFilter(blog_id=1, month=month))


def test_the_first_and_the_last_month_of_the_calendar_can_be_asked_for(archive, blog):
    assert listed(archive, blog_id=blog, month="0001-01") == listed(archive, blog_id=blog, month="9999-12") == []


def test_a_post_has_the_one_before_and_the_one_after(archive, blog):
    second = archive.listing.find(HOME + "b")
    before, after = archive.listing.neighbours(second)
    assert (before.title, after.title) == ("First", "Third")
    assert archive.listing.neighbours(after)[1] is None
    assert archive.listing.neighbours(archive.listing.find(HOME + "d"))[0] is None


def test_tags_authors_languages_and_sites_are_counted(archive, blog):
    commit(archive, blog, [visit(blog, "e", links=(OTHER + "x", OTHER + "y", HOME + "a"))])
    tags = archive.overview.terms(blog, "tag")
    assert [(each.label, each.posts) for each in tags] == [("maps", 2), ("Trains", 2)]
    assert [(each.term, each.posts) for each in archive.overview.terms(blog, "author")] == [("ann lee", 2), ("bo", 1)]
    assert [(each.term, each.posts) for each in archive.overview.terms(blog, "language")] == [("en", 2), ("de", 1)]
    assert [(each.term, each.posts) for each in archive.overview.terms(blog, "site")] == [("b.example", 1)]
    assert archive.overview.count_terms(blog, "tag") == 2
    assert archive.overview.terms(blog, "tag", limit=1, offset=1)[0].label == "Trains"


def test_a_post_that_is_edited_is_counted_as_it_is_now(archive, blog):
    commit(archive, blog, [
        visit(blog, "a", at=60, title="First, edited", published=day(3), tags=("rivers",), text=f"{LONG} quite other"),
    ])
    assert listed(archive, blog_id=blog) == ["Third", "First, edited", "Second", "Undated"]
    assert [(each.term, each.posts) for each in archive.overview.terms(blog, "tag")] == [
        ("maps", 1), ("rivers", 1), ("trains", 1),
    ]
    [figures] = archive.overview.figures([blog]).values()
    assert (figures.posts, figures.versions) == (4, 5)
    assert (figures.first_published, figures.last_published) == (day(2), day(31, 3, EAST))
    assert list(verify(archive)) == []


def test_figures_tell_comments_confidence_and_posts_that_are_gone(archive, blog):
    sure = {"title": Provenance(method="selector", confidence=1.0), "text": Provenance(method="x", confidence=0.25)}
    commit(archive, blog, [
        visit(blog, "e", comments=(Comment(text="hello"), Comment(text="you")), provenance=sure),
        visit(blog, "f", provenance={"title": Provenance(method="selector", confidence=0.75)}),
        visit(blog, "g", kind="page", tags=("about",)),
    ])
    for at in range(4):
        gone = some.page(blog, HOME + "a", outcome="failed", exchanges=(
            some.exchange(HOME + "a", status=410, at=at * 9 * 86_400),
        ))
        commit(archive, blog, [gone])
    [figures] = archive.overview.figures().values()
    assert (figures.posts, figures.pages, figures.comments, figures.deleted, figures.unsure) == (6, 1, 2, 1, 1)
    assert figures.confidence == pytest.approx(0.5)
    assert archive.listing.find(HOME + "a").gone
    assert archive.listing.find(HOME + "e").confidence == 0.25
    assert [each.term for each in archive.overview.terms(blog, "tag")] == ["maps", "trains"]
    assert list(verify(archive)) == []


def test_posts_that_link_to_one_are_found_whichever_address_they_name_and_whenever_it_comes(archive, blog):
    other = archive.blogs.add(OTHER, scope="path").id
    commit(archive, other, [
        visit(other, "one", title="Links", home=OTHER, links=("https://www.a.example/later/?utm_source=x#top",)),
        visit(other, "two", title="By alias", home=OTHER, links=(HOME + "later-copy",)),
        visit(other, "three", title="Elsewhere", home=OTHER, links=(HOME + "a",)),
    ])
    [later] = commit(archive, blog, [visit(blog, "later", title="Later", links=(HOME + "later",))])
    commit(archive, blog, [visit(blog, "later-copy", title="Later", text=f"{LONG} later")])
    assert {post.title for post in archive.listing.backlinks(later.post_id)} == {"Links", "By alias"}
    assert archive.listing.backlinks(later.post_id, limit=1)
    archive.hidden.set_blog(other, hidden=True)
    assert archive.listing.backlinks(later.post_id, public=True) == ()


def test_a_line_of_a_list_has_the_picture_that_is_kept(archive, blog):
    picture = HOME + "p.png?a=1&b=2"
    commit(archive, blog, [visit(blog, "e", media=(Media(url=picture),), summary="In   short.")])
    assert archive.listing.find(HOME + "e").picture is None
    commit(archive, blog, [some.media_visit(blog, picture)])
    line = archive.listing.find(HOME + "e")
    assert (line.picture.startswith("media/"), line.excerpt) == (True, "In short.")


def test_the_posts_that_came_last_are_listed_first(archive, blog):
    assert [post.title for post in archive.listing.newest(limit=2)] == ["Undated", "Third"]
    assert [post.title for post in archive.listing.newest(blog_id=blog, public=True, limit=2)] == ["Undated", "Third"]
    archive.hidden.set_post(archive.listing.find(HOME + "d").id, hidden=True)
    assert [post.title for post in archive.listing.newest(blog_id=blog, public=True, limit=2)] == ["Third", "Second"]


def test_facets_count_what_some_posts_have_in_common(archive, blog):
    posts = [post.id for post in archive.listing(PostFilter(blog_id=blog)).posts]
    facets = archive.overview.facets(posts)
    assert (facets.posts, facets.blogs) == (4, {blog: 4})
    assert [(each.term, each.posts) for each in facets.tags] == [("maps", 2), ("trains", 2)]
    assert [(each.term, each.posts) for each in facets.authors] == [("ann lee", 2), ("bo", 1)]
    assert [(each.term, each.posts) for each in facets.languages] == [("en", 2), ("de", 1)]
    assert [(each.term, each.posts) for each in facets.years] == [("2024", 3)]


def test_a_hidden_post_is_in_no_public_list_and_no_public_count(archive, blog):
    post = archive.listing.find(HOME + "c")
    assert archive.hidden.set_post(post.id, hidden=True)
    assert not archive.hidden.set_post(post.id, hidden=True)
    assert archive.hidden.posts() == archive.hidden.posts(blog) == (HOME + "c",)
    assert listed(archive, blog_id=blog, public=True) == ["Second", "First", "Undated"]
    assert listed(archive, blog_id=blog)[0] == "Third"
    assert listed(archive, blog_id=blog, tag="maps", public=True) == ["First"]
    assert archive.overview.months([blog], public=True)[blog] == {"": 1, "2024-05": 2}
    assert [each.term for each in archive.overview.terms(blog, "language", public=True)] == ["en"]
    assert archive.overview.count_terms(blog, "language", public=True) == 1
    assert archive.overview.figures()[blog].hidden == 1
    assert archive.listing.find(HOME + "c", public=True) is None
    assert archive.overview.facets([post.id], public=True).posts == 0
    assert list(verify(archive)) == []
    commit(archive, blog, [visit(blog, "c", at=60, title="Third, edited", published=day(3), text=f"{LONG} other")])
    assert archive.listing.find(HOME + "c").hidden
    assert archive.hidden.set_post(post.id, hidden=False)
    assert listed(archive, blog_id=blog, public=True)[0] == "Third, edited"
    assert list(verify(archive)) == []


def test_in_public_the_figures_of_a_blog_are_those_of_the_posts_that_are_shown(archive, blog):
    commit(archive, blog, [
        visit(blog, "e", published=day(7), comments=(Comment(text="hello"), Comment(text="you")),
              provenance={"text": Provenance(method="selector", confidence=0.25)}),
        visit(blog, "f", comments=(Comment(text="hi"),),
              provenance={"text": Provenance(method="selector", confidence=0.75)}),
    ])
    archive.hidden.set_post(archive.listing.find(HOME + "e").id, hidden=True)
    [shown] = archive.overview.figures([blog], public=True).values()
    assert (shown.posts, shown.versions, shown.comments, shown.unsure, shown.hidden) == (5, 5, 1, 0, 1)
    assert shown.confidence == pytest.approx(0.75)
    assert archive.overview.blogs(public=True)[0].figures == shown
    [whole] = archive.overview.figures([blog]).values()
    assert (whole.posts, whole.comments, whole.unsure) == (6, 3, 1)
    assert whole.confidence == pytest.approx(0.5)
    archive.hidden.set_post(archive.listing.find(HOME + "f").id, hidden=True)
    assert archive.overview.figures(public=True)[blog].confidence is None


def test_a_hidden_blog_is_in_no_public_list(archive, blog):
    assert archive.hidden.set_blog(blog, hidden=True)
    assert not archive.hidden.set_blog(blog, hidden=True)
    assert archive.hidden.blogs() == {blog}
    assert listed(archive, blog_id=blog, public=True) == listed(archive, tag="maps", public=True) == []
    assert archive.listing.newest(public=True) == ()
    assert archive.hidden.set_blog(blog, hidden=False)
    assert len(listed(archive, blog_id=blog, public=True)) == 4


def test_what_is_projected_is_the_same_when_it_is_made_anew(archive, blog):
    archive.hidden.set_post(archive.listing.find(HOME + "a").id, hidden=True)
    before = archive.listing(PostFilter(blog_id=blog)), archive.overview.figures(), archive.overview.months([blog])
    told = []
    assert archive.listing.rebuild(told.append) == len(told) == 4
    assert before == (archive.listing(PostFilter(blog_id=blog)), archive.overview.figures(),
                      archive.overview.months([blog]))
    assert list(verify(archive)) == []


@pytest.mark.parametrize(("statement", "text"), [
    ("delete from post_summaries where post_id = 1", "not listed; rebuild it"),
    ("update post_summaries set title = 'x' where post_id = 1", "not listed as its version says"),
    ("delete from post_terms where post_id = 1", "expected 10, or others"),
    ("update post_terms set term = 'x' where post_id = 2 and kind = 'tag'", "expected 10, or others"),
    ("insert into post_links values (7, 1)", "not listed as its version says"),
    ("insert into post_links values (7, 77)", "links of no post"),
    ("update blog_terms set posts = 7 where term = 'bo'", "not what its posts add up to"),
    ("update blog_months set posts = 7", "not what its posts add up to"),
    ("update blog_figures set comments = 7", "not what its posts add up to"),
])
def test_what_does_not_agree_with_the_versions_is_found_and_mended_by_rebuilding(archive, blog, place, statement, text):
    assert place.change(statement)
    assert any(text in str(finding) for finding in verify(archive))
    archive.listing.rebuild()
    assert list(verify(archive)) == []


def test_a_post_that_is_not_listed_yet_is_when_it_changes(archive, blog, place):
    place.change("delete from post_summaries", "delete from post_terms", "delete from blog_terms",
                 "delete from blog_months", "delete from blog_figures", "delete from post_links")
    commit(archive, blog, [visit(blog, "a", at=60, title="Edited", published=day(4), text=f"{LONG} quite other")])
    assert listed(archive, blog_id=blog) == ["Edited"]
    archive.listing.rebuild()
    assert len(listed(archive, blog_id=blog)) == 4
    assert list(verify(archive)) == []


def test_hostile_names_are_cut_and_listed(archive, blog):
    tags = tuple(f"tag {number} {'x' * 5000}" for number in range(300))
    commit(archive, blog, [visit(blog, "e", title="y" * 9000, tags=(*tags, "", "\u202e \x00"), authors=("", "  "))])
    line = archive.listing.find(HOME + "e")
    assert (len(line.title), len(line.tags)) == (500, 100)
    assert archive.overview.count_terms(blog, "tag") == 102
    assert list(verify(archive)) == []


def test_hits_are_chosen_by_filters_before_they_are_shown(archive, blog):
    ranked = archive.search.ranked("word3", most=10)
    numbers = [number for number, _ in ranked]
    assert len(numbers) == 4
    kept = archive.listing.among(numbers, PostFilter(tag="maps", author="Ann Lee", kind=None))
    assert {archive.listing.summaries(kept)[number].title for number in kept} == {"First", "Third"}
    assert list(kept) == [number for number in numbers if number in kept]
    hits = archive.search.hits("word3", [pair for pair in ranked if pair[0] in kept])
    assert {hit.title for hit in hits} == {"First", "Third"}
    assert archive.listing.among([], PostFilter()) == ()


def test_blogs_are_listed_with_their_figures_in_pages(archive, blog):
    other = archive.blogs.add(OTHER, scope="path").id
    first, second = archive.overview.blogs()
    assert (first.id, first.figures.posts, second.figures.posts) == (blog, 4, 0)
    assert [each.id for each in archive.overview.blogs(limit=1)] == [blog]
    assert [each.id for each in archive.overview.blogs(after=blog)] == [other]
    assert [each.id for each in archive.overview.blogs(ids=[other])] == [other]
    archive.hidden.set_blog(other, hidden=True)
    assert [each.id for each in archive.overview.blogs(public=True)] == [blog]
    assert archive.overview.blogs(ids=[other])[0].is_hidden
    assert (archive.overview.count_blogs(), archive.overview.count_blogs(public=True)) == (2, 1)


def test_a_blog_that_was_forgotten_is_listed_and_not_due(archive, blog):
    assert not archive.overview.blogs()[0].is_forgotten
    archive.blogs.update(blog, forgotten_at=datetime(2024, 5, 1, tzinfo=UTC))
    [listed] = archive.overview.blogs()
    assert (listed.id, listed.is_forgotten, listed.due_at, listed.figures.posts) == (blog, True, None, 4)
    assert archive.overview.ordered("name") == (blog,)
    assert archive.overview.count_blogs() == 1


def test_versions_have_the_times_they_were_read(archive, blog):
    commit(archive, blog, [visit(blog, "a", at=60, title="Edited", published=day(4), text=f"{LONG} quite other")])
    times = archive.posts.version_times(archive.listing.find(HOME + "a").id)
    assert [number for number, _ in times] == [1, 2]
    assert times[0][1] < times[1][1]


def test_of_a_word_that_very_many_posts_have_those_that_came_last_are_ranked(archive, blog):
    archive.backend.database.search_index.most_ranked = 2
    numbers = [number for number, _ in archive.search.ranked("word3", most=10)]
    assert sorted(numbers) == [archive.listing.find(HOME + name).id for name in "cd"]
    assert len(archive.search.ranked("word3")) == 4, "who asks for all has them all"


def test_hits_within_a_blog_are_found_by_the_index_itself(archive, blog):
    other = archive.blogs.add(OTHER, scope="path").id
    commit(archive, other, [visit(other, "x", home=OTHER, title="Far away")])
    archive.backend.database.search_index.most_ranked = 1
    [(number, _)] = archive.search.ranked("word3", most=10, blog_id=other)
    assert number == archive.listing.find(OTHER + "x").id
    assert len(archive.search.ranked("word3", blog_id=blog)) == 4
    assert archive.search.ranked("after:2024 -word3", blog_id=blog) == ()
    assert len(archive.search.ranked("after:2024", blog_id=blog)) == 3
    assert len(archive.search.ranked("after:2024", blog_id=other)) == 0


def test_all_that_is_read_in_a_snapshot_is_of_one_moment(archive, blog, place):
    with archive.backend.database.snapshot():
        before = listed(archive, blog_id=blog)
        place.change("update post_summaries set title = 'Changed meanwhile'")
        with archive.backend.database.snapshot():
            assert listed(archive, blog_id=blog) == before
        assert listed(archive, blog_id=blog) == before
    assert set(listed(archive, blog_id=blog)) == {"Changed meanwhile"}
