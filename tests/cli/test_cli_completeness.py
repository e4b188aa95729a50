"""Whether all of a blog is there, on the screen, in JSON, as a picture and beside an export."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from lxml import etree
from rich.cells import cell_len

from cli.terminal import on_terminal
from everlog.archive import open_archive
from everlog.archive.blog_state import BlogState, SourceState
from everlog.archive.repos.inventory import InventoryPost
from everlog.cli import main
from everlog.core.urls import canonical
from everlog.records import Exchange, Post, Visit
from everlog.usecases.completeness import renew

HOME = "https://a.example/"
NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)


def post(number: int, **how) -> Visit:
    url = f"{HOME}{2020 + number % 3}/post-{number}"
    page = Exchange(url=url, status=200, body=b"<p>the page", fetched_at=NOW)
    said = Post(url=url, title=f"Post {number}", text=f"Text {number}.", published=NOW.replace(year=2020 + number % 3))
    return Visit(blog_id=1, url=url, key=canonical(url), outcome="post", exchanges=(page,), post=said, **how)


@pytest.fixture
def archive(here):
    """Nine posts are held of twelve that an interface lists: two are gone from the server, one has a password."""
    with open_archive("everlog-archive", create=True) as opened:
        blog = opened.blogs.update(
            opened.blogs.add(HOME, scope="path").id, state="finished", title="Sea and Rain", crawled_at=NOW,
        )
        listed = [
            InventoryPost(native_id=visit.key, key=visit.key, url=visit.url, locked="password" if number > 11 else None)
            for number, visit in ((number, post(number)) for number in range(1, 13))
        ]
        opened.blogs.inventory.add(blog.id, "WordPress REST", listed)
        state = SourceState(
            source="WordPress REST", entrance=HOME, is_exhaustive=True, claimed_before=12, total=12, walked_at=NOW,
            comments_total=0,
        )
        opened.blogs.change_state(blog.id, lambda _: BlogState(history=(state,)))
        with opened.lock(blog.id):
            opened.commit([post(number) for number in range(1, 10)])
            opened.commit([
                Visit(
                    blog_id=blog.id, url=listed[number].url, key=listed[number].key, outcome="failed", lane="post",
                    reason=f"HTTP 404 Not Found at {listed[number].url}",
                    exchanges=(Exchange(url=listed[number].url, status=404, body=b"", fetched_at=NOW),),
                )
                for number in (9, 10)
            ])
        renew(blog, opened)
        yield opened


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    capsys.readouterr()
    assert main([*words]) == code, capsys.readouterr().err
    return capsys.readouterr().out


def test_the_page_of_a_blog_answers_first_and_names_each_post_that_is_missing(archive, capsys):
    lines = run(capsys, "status", HOME).splitlines()
    assert "complete     posts: no; comments: unknown" in lines
    said = "not all posts are here: 9 held, 2 missing (HTTP 404); 1 cannot be had (password)"
    assert f"             {said}" in lines
    assert "missing posts: 2" in lines
    assert f"  {HOME}2020/post-12  password (named by: WordPress REST)" in lines
    missing = [line for line in lines if "HTTP 404 (named by" in line]
    assert [line.split()[0] for line in missing] == [f"{HOME}2021/post-10", f"{HOME}2022/post-11"]
    row = next(line.split() for line in lines if line.startswith("  WordPress REST"))
    assert row[2:6] == ["A", "12", "12", "yes"]
    assert "  █ held  ▒ excused  ░ missing" in lines


def test_posts_that_look_unlike_the_others_are_told_apart_from_pages_that_may_be_posts(archive, capsys):
    unlike, essay = f"{HOME}2020/post-3", f"{HOME}essay"
    page = Exchange(url=essay, status=200, body=b"<p>the essay", fetched_at=NOW)
    with archive.lock(1):
        archive.commit([
            post(3, note="its address looks like a post, its markup does not"),
            Visit(
                blog_id=1, url=essay, key=canonical(essay), outcome="page", exchanges=(page,),
                note="its markup looks like a post, its address does not: a page",
            ),
        ])
    lines = run(capsys, "status", HOME).splitlines()
    assert "unlike       1 post that is held looks unlike the others, by its page or its address" in lines
    assert "in doubt     1 page may be a post and was not recognised as one" in lines
    told = json.loads(run(capsys, "status", HOME, "--json"))["disagreements"]
    assert [(each["url"], each["held"]) for each in told] == [(unlike, True), (essay, False)]


def test_programs_get_all_of_it_and_lists_of_blogs_the_short_form(archive, capsys):
    one = json.loads(run(capsys, "status", HOME, "--json"))
    known = one["completeness"]
    assert (known["posts"]["answer"], known["posts"]["held"]) == ("no", 9)
    assert {gap["url"] for gap in known["posts"]["missing"]} == {f"{HOME}2021/post-10", f"{HOME}2022/post-11"}
    assert [gap["reason"] for gap in known["posts"]["excused"]] == ["password"]
    row = json.loads(run(capsys, "status", "--json"))[0]
    checked_at = row["completeness"].pop("checked_at")
    assert datetime.fromisoformat(checked_at).tzinfo is not None
    assert row["completeness"] == {"posts": "no", "comments": "unknown", "missing": 2, "excused": 1}
    # One word, one number.
    assert one["missing_posts"] == row["missing_posts"] == 2
    assert [each["url"] for each in one["missing"]] == [gap["url"] for gap in known["posts"]["missing"]]


def test_the_list_of_blogs_has_a_column_for_it(archive, capsys):
    head, row = run(capsys, "status").splitlines()[:2]
    assert row[head.index("complete") :].split()[0] == "no"


def test_the_list_of_blogs_counts_posts_in_part_apart(archive, capsys):
    blog, told = archive.blogs()[0], post(10)
    with archive.lock(blog.id):
        archive.commit([replace(told, exchanges=(), told_at=NOW)])
    renew(blog, archive)
    row = run(capsys, "status").splitlines()[1]
    assert row.split()[1:5] == ["9", "+", "1", "in"]
    assert json.loads(run(capsys, "status", "--json"))[0]["posts"] == 10


def test_a_blog_without_a_verdict_has_none(archive, capsys):
    archive.blogs.add("https://b.example/", scope="path")
    rows = json.loads(run(capsys, "status", "--json"))
    assert rows[1]["completeness"] == dict.fromkeys(("posts", "comments", "missing", "excused", "checked_at"))


@pytest.mark.parametrize("columns", [80, 60])
def test_the_page_is_no_wider_than_the_terminal(archive, here, columns):
    with on_terminal("status", HOME, folder=here, columns=columns, NO_COLOR="1") as running:
        assert running.wait_for_end() == 0
        lines = running.screen.written.replace("\r", "").split("\n")
    assert [line for line in lines if cell_len(line) > columns and "://" not in line] == []
    assert any(line.startswith("complete") for line in lines)
    assert any("█" in line for line in lines)


def test_the_years_of_a_blog_are_drawn_into_a_file(archive, here, capsys):
    run(capsys, "status", HOME, "--plot", "years.svg")
    root = etree.fromstring((here / "years.svg").read_bytes())
    assert root.findtext("{http://www.w3.org/2000/svg}title") == "Posts per year of Sea and Rain"
    run(capsys, "status", "--plot", "years.svg", code=2)
    run(capsys, "status", HOME, "--plot", "no/such/folder.svg", code=2)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("", "--plot names no file"), ("years.png", "the picture is an SVG, and years.png is called something else"),
        (".", "the picture . cannot be written: Is a directory"),
    ],
)
def test_a_picture_that_cannot_be_written_as_asked_is_refused_with_advice(archive, here, capsys, file, said):
    capsys.readouterr()
    assert main(["status", HOME, "--plot", file]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert "years.svg" in shown or "a file in a folder" in shown
    assert not list(here.glob("years.*"))


def test_a_folder_of_posts_says_whether_they_are_all(archive, here, capsys):
    run(capsys, "export", "--format", "markdown", "-o", "notes")
    document = json.loads((here / "notes" / "completeness.json").read_text("utf-8"))
    assert [each["blog"] for each in document["blogs"]] == [HOME]
    assert document["blogs"][0]["completeness"]["posts"]["answer"] == "no"


def beside(here, *flags: str, capsys) -> dict:
    """What stands beside a folder of exported posts."""
    run(capsys, "export", "--format", "markdown", "-o", "notes", *flags)
    return json.loads((here / "notes" / "completeness.json").read_text("utf-8"))


def test_a_hidden_blog_is_not_told_of_beside_an_export_unless_the_export_has_it(archive, here, capsys):
    archive.hidden.set_blog(archive.blogs()[0].id, hidden=True)
    assert beside(here, capsys=capsys)["blogs"] == []
    assert [each["blog"] for each in beside(here, "--hidden", capsys=capsys)["blogs"]] == [HOME]


def test_a_hidden_post_is_neither_counted_nor_named_beside_an_export(archive, here, capsys):
    run(capsys, "hide", post(1).url)
    [of_blog] = beside(here, capsys=capsys)["blogs"]
    assert of_blog["completeness"]["posts"]["held"] == 8
    [of_blog] = beside(here, "--hidden", capsys=capsys)["blogs"]
    assert of_blog["completeness"]["posts"]["held"] == 9


def test_no_reason_beside_an_export_names_a_hidden_post(archive, here, capsys):
    """The address of one that is listed leads to it."""
    other = f"{HOME}2020/other-address"
    archive.blogs.inventory.add(1, "WordPress REST", [
        InventoryPost(native_id="other", key=canonical(other), url=other),
    ])
    with archive.lock(1):
        archive.commit([replace(post(1), url=other, key=canonical(other), post_key=canonical(post(1).url))])
    assert "other-address" in json.dumps(beside(here, capsys=capsys))
    run(capsys, "hide", post(1).url)
    said = beside(here, capsys=capsys)
    assert "/post-1\"" not in json.dumps(said)
    assert "other-address" not in json.dumps(said)
    known = said["blogs"][0]["completeness"]
    assert (known["posts"]["answer"], known["inventories"], known["comment_inventories"]) == ("no", [], [])


def test_an_export_of_some_posts_says_that_the_verdict_is_of_the_whole_blog(archive, here, capsys):
    assert beside(here, capsys=capsys)["of"] == "whole blogs"
    said = beside(here, "--since", "2021-01-01", capsys=capsys)
    assert said["of"] == "whole blogs, while the posts beside this were chosen by --since"
    assert said["blogs"][0]["completeness"]["posts"]["held"] == 9
