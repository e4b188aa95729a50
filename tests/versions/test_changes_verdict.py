"""Whether a reading takes the place of what is held."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from everlog.records import Comment, Post, Provenance
from everlog.versions import is_same_article, more_of, replaces

DAY = datetime(2024, 5, 1, tzinfo=UTC)
SENTENCES = [f"Sentence number {number} tells of boat{number} and of port{number}." for number in range(20)]
TEXT = "\n\n".join(SENTENCES)
COMMENTS = (Comment(id="1", author="Jo", text="Nice."), Comment(id="2", author="Al", text="Not at all."))
HELD = Post(
    url="https://a.example/1", title="A day", authors=("Ada", "Bob"), tags=("sea", "land"), language="en",
    published=DAY, text=TEXT, html="".join(f"<p>{each}</p>" for each in SENTENCES), comments=COMMENTS,
    comments_state="complete", comment_count_claimed=2, fetched=DAY + timedelta(days=3),
)


@pytest.mark.parametrize("read", [
    replace(HELD, text=TEXT.replace(" ", "  ").replace("\n\n", "\n")),
    replace(HELD, text=TEXT.replace("boat1", "bo\u00adat1\u200b"), title="A\u00a0day"),
    replace(HELD, text=TEXT.replace("boat1", "\u200fboat1\u200e\u202a"), title="\u2067A day\u2069"),
    replace(HELD, comments=(replace(COMMENTS[0], text="\u200eNi\u00adce.", author="\u2068Jo\u2069"), COMMENTS[1])),
    replace(HELD, tags=("land", "sea"), authors=("Bob", "Ada")),
    replace(HELD, language="de", summary="It rained.", updated=DAY),
    replace(HELD, provenance={"title": Provenance(method="meta")}),
    replace(HELD, comment_count_claimed=7, comments_state="partial"),
    replace(HELD, comments=COMMENTS[::-1]),
    replace(HELD, comments=tuple(replace(each, published=DAY, html="<p>", url="u", id=None) for each in COMMENTS)),
    replace(HELD, html=HELD.html.replace("<p>", '<p id="n77"><span>')),
    replace(HELD, title=None, authors=(), tags=(), published=None),
    replace(HELD, published=DAY.astimezone(timezone(timedelta(hours=9)))),
    replace(HELD, comments=(), comment_count_claimed=None, comments_state="none"),
], ids=[
    "white space", "unseen signs", "marks of direction", "the same in comments", "order", "guesses", "provenance",
    "counts", "order of comments", "dates and ids of comments", "markup", "what is not said any more",
    "another offset", "comments not shown any more",
])
def test_what_nobody_edited_is_no_new_version(read):
    assert replaces(HELD, read) == "same"


@pytest.mark.parametrize("read", [
    replace(HELD, title="A night"),
    replace(HELD, text=TEXT.replace("boat3", "ship3")),
    replace(HELD, text=TEXT.replace("boat3", "boat 3")),
    replace(HELD, text=TEXT + " The end."),
    replace(HELD, text=TEXT.replace(SENTENCES[4], "")),
    replace(HELD, tags=("sea",)),
    replace(HELD, authors=("Ada",)),
    replace(HELD, published=DAY + timedelta(days=2)),
    replace(HELD, html=HELD.html.replace("boat3", '<a href="https://b.example/">boat3</a>')),
    replace(HELD, html=HELD.html + '<img src="https://b.example/c.png">'),
    replace(HELD, comments=COMMENTS[:1]),
    replace(HELD, comments=(*COMMENTS, Comment(id="3", text="Hm."))),
    replace(HELD, comments=(COMMENTS[0], replace(COMMENTS[1], text="Not really."))),
    replace(HELD, comments=(), comment_count_claimed=0, comments_state="none"),
    replace(HELD, text="\n\n".join(f"Chapter {number} was written anew from scratch." for number in range(40))),
], ids=["title", "word", "words parted", "added", "removed", "tags", "authors", "date", "link", "picture",
        "comment removed", "comment new", "comment edited", "all comments removed", "rewritten"])
def test_an_edit_is_a_new_version(read):
    assert replaces(HELD, read) == "changed"


@pytest.mark.parametrize("text", [
    "", "Page not found. Please try the search.", "\n\n".join(SENTENCES[:9]),
    "\n\n".join([*SENTENCES[:3], "Log in to read on."]), TEXT[:len(TEXT) * 7 // 10],
], ids=["nothing", "error", "less than half", "login", "broken off"])
def test_most_of_an_article_does_not_go_without_being_held(text):
    assert replaces(HELD, replace(HELD, text=text, html=f"<p>{text}</p>")) == "truncated"


def test_an_article_that_lost_a_third_here_and_there_was_edited():
    fewer = "\n\n".join(each for number, each in enumerate(SENTENCES) if number % 3)
    assert replaces(HELD, replace(HELD, text=fewer)) == "changed"


def test_a_short_note_may_be_written_anew_but_not_vanish():
    note = replace(HELD, text="Back in a week.", html="<p>Back in a week.</p>")
    assert replaces(note, replace(note, text="I am back.")) == "changed"
    assert replaces(note, replace(note, text="", html="")) == "truncated"
    assert replaces(note, replace(note, text="", html='<img src="https://a.example/back.jpg">')) == "changed"


def test_a_picture_without_words_does_not_vanish_either():
    picture = replace(HELD, text="", html='<img src="https://a.example/sea.jpg">')
    assert replaces(picture, replace(picture, html="")) == "truncated"
    assert replaces(picture, replace(picture, html=picture.html + "<p></p>")) == "same"


@pytest.mark.parametrize(("claimed", "state"), [(2, "none"), (None, "failed"), (None, "off"), (None, "partial")])
def test_comments_that_vanish_although_there_are_some_are_not_gone(claimed, state):
    read = replace(HELD, comments=(), comment_count_claimed=claimed, comments_state=state)
    assert replaces(HELD, read) == "truncated"


def dated(moment, fetched, precision):
    source = {"published": Provenance(method="selector", precision=precision)}
    return replace(HELD, published=moment, fetched=fetched, provenance=source)


def dated_after(days, *, of_age, precision="day"):
    """A post whose page dates it so many days after the first of May, and that old."""
    moment = DAY + timedelta(days=days)
    return dated(moment, moment + timedelta(days=of_age), precision)


@pytest.mark.parametrize(("old", "new", "verdict"), [
    (dated_after(0, of_age=0), dated_after(0.6, of_age=0, precision="minute"), "same"),
    (dated_after(0, of_age=0), dated_after(2, of_age=0.5), "changed"),
    (dated_after(0, of_age=0, precision="month"), dated_after(20, of_age=0.5), "same"),
    (dated_after(0, of_age=21), dated_after(5, of_age=21), "same"),
    (dated_after(0, of_age=365), dated_after(200, of_age=365), "same"),
    (dated_after(0, of_age=20), dated_after(5, of_age=21), "changed"),
    (dated_after(0, of_age=1 / 8, precision="minute"), dated_after(1 / 36, of_age=1 / 8, precision="minute"), "same"),
    (replace(HELD, published=None), HELD, "changed"),
    (replace(HELD, fetched=None), replace(HELD, published=DAY + timedelta(days=9), fetched=None), "changed"),
], ids=["day, then minute", "another day", "month, then day", "3 weeks ago", "a year ago", "no whole weeks",
        "3 hours ago", "not known before", "fetched at no known time"])
def test_a_date_told_otherwise_is_not_another_date(old, new, verdict):
    assert replaces(old, new) == verdict


def test_leftovers_of_another_template_are_no_edit():
    with_leftover = replace(
        HELD, text=f"Home. Menu.\n\n{TEXT}\n\nShare this!", title="A day | A blog", authors=(), tags=("blog",),
    )
    assert not is_same_article(HELD, with_leftover, other_template=False)
    assert is_same_article(HELD, with_leftover, other_template=True)
    assert replaces(HELD, with_leftover, other_template=True) == "same"


def test_under_another_template_large_edits_comments_and_losses_are_still_seen():
    longer = replace(HELD, text=TEXT + " And then it was told again, in other words, at length." * 8)
    assert replaces(HELD, longer, other_template=True) == "changed"
    assert replaces(HELD, replace(HELD, comments=COMMENTS[:1]), other_template=True) == "changed"
    assert replaces(HELD, replace(HELD, text="Log in."), other_template=True) == "truncated"
    assert is_same_article(replace(HELD, text=""), replace(HELD, text=""), other_template=True)


NEXT = Comment(id="3", author="Cy", text="So it was.")
TOLD = replace(HELD, provenance={"text": Provenance(method="feed-entry")})


@pytest.mark.parametrize(("held", "read", "more"), [
    (HELD, replace(HELD, comments=(*COMMENTS, NEXT)), "comments"),
    (HELD, replace(HELD, comments=(NEXT,)), None),
    (HELD, replace(HELD, comments=(replace(COMMENTS[0], text="Nasty."), COMMENTS[1], NEXT)), None),
    (HELD, replace(HELD, comments=(*COMMENTS, NEXT), text=TEXT + " It rained."), None),
    (HELD, replace(HELD, text=TEXT + " It rained."), None),
    (TOLD, replace(HELD, text=TEXT + " It rained."), "page"),
    (TOLD, replace(TOLD, text=TEXT + " It rained."), None),
], ids=[
    "the next page of comments", "other comments", "an edited comment beside", "an edited text beside",
    "an edited text", "the page of a post that a feed told", "a feed that tells it otherwise",
])
def test_what_a_crawl_meets_of_one_post_on_several_pages_belongs_together(held, read, more):
    assert more_of(held, read) == more
