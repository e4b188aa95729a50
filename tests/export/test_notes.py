"""Names of files, and the folder of notes that stands alone."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from everlog.errors import DiskFull, UsageError
from everlog.export import write_posts
from everlog.export.naming import Names, Unique, media_name, slug
from everlog.records import Comment, Media, Post

DAY = datetime(2024, 3, 1, 23, 30, tzinfo=UTC)
LINK = re.compile(r"\]\(([^)]*)\)")


class Stored:
    """A folder of an archive with media in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, url: str, body: bytes, kind: str | None = None) -> Media:
        sha256 = hashlib.sha256(body).hexdigest()
        path = f"media/{sha256[:2]}/{sha256}.bin"
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
        return Media(url=url, path=path, sha256=sha256, type=kind, bytes=len(body))


@pytest.fixture
def stored(tmp_path):
    return Stored(tmp_path / "archive")


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "notes"


def a_post(number: int = 1, *media: Media, html: str = "", **rest) -> Post:
    shown = html + "".join(f'<p><img src="{item.url}"></p>' for item in media)
    return Post(url=f"https://a.blog/{number}", html=shown, media=media, **{"title": f"Post {number}", **rest})


def export(posts, notes, stored=None) -> None:
    assert write_posts(posts, "markdown", notes, media=stored.folder if stored else None, ahead=posts) == len(posts)


def files(notes: Path) -> dict[str, bytes]:
    return {str(path.relative_to(notes)): path.read_bytes() for path in notes.rglob("*") if path.is_file()}


def links(notes: Path, name: str) -> list[str]:
    return LINK.findall((notes / name).read_text("utf-8"))


@pytest.mark.parametrize(
    ("post", "name"),
    [
        (Post(url="u", title="The lamp room!", published=DAY), "2024-03-01-the-lamp-room"),
        (Post(url="u", title="海辺の朝", published=DAY), "2024-03-01-海辺の朝"),
        (Post(url="u", title="हिन्दी में"), "हिन्दी-में"),
        (Post(url="https://a.blog/2024/on-rope.html"), "on-rope"), (Post(url="https://a.blog/%E6%B5%B7/"), "海"),
        (Post(url="https://a.blog/?p=12"), "p-12"), (Post(url="https://a.blog/", title="☀"), "post"),
        (Post(url="u", title="CON"), "post-con"), (Post(url="u", title="Lpt1"), "post-lpt1"),
        (Post(url="u", title="../../etc/passwd\0"), "etc-passwd"), (Post(url="//[", title=""), "post"),
    ],
)  # fmt: skip
def test_files_have_safe_and_readable_names(post, name):
    assert Names().of(post)[0] == name


def test_equal_names_are_numbered_whatever_their_case():
    names = Names()
    titles = ("Café", "café", "CAFE\u0301", "cafe", "Café 2")
    found = [names.of(Post(url=title, title=title))[0] for title in titles]
    assert found == ["café", "café-2", "café-3", "cafe", "café-2-2"]


@given(st.text())
def test_a_slug_is_short_and_names_no_other_folder(text):
    found = slug(text)
    assert len(found.encode("utf-8", "ignore")) <= 120
    assert not re.search(r'[/\\:*?"<>|.\x00-\x1f\s]', found)
    assert slug("海" * 500) == "海" * 40


# Media


@pytest.mark.parametrize(
    ("url", "kind", "name"),
    [
        ("https://a.blog/p/photo.JPG?w=600", None, "photo.JPG"),
        ("https://a.blog/IMG%202034.jpg", None, "IMG-2034.jpg"),
        ("https://a.blog/logo@2x.png", None, "logo@2x.png"), ("https://a.blog/%E6%B5%B7.png", None, "海.png"),
        ("https://a.blog/thumb.php?id=3", "image/png", "thumb.png"),
        ("https://a.blog/photo", "image/jpeg", "photo.jpg"),
        ("https://a.blog/notes.md", "text/plain", "notes.bin"), ("https://a.blog/page.html", "image/gif", "page.gif"),
        ("https://a.blog/..%2F..%2Fetc%2Fpasswd", None, "passwd.bin"), ("https://a.blog/..", None, "media.bin"),
        ("https://a.blog/a%5C..%5Cb.png", None, "a-..-b.png"), ("https://a.blog/nul.tar.gz", None, "media-nul.tar.gz"),
        ("https://a.blog/CON.png", None, "media-CON.png"), ("https://a.blog/.htaccess.png", None, "htaccess.png"),
        ("https://a.blog/_draft.png", None, "draft.png"), ("https://a.blog/a%00%0A%E2%80%AEb.png", None, "a-b.png"),
        ("https://a.blog/?image=3", "image/png", "media.png"), ("//[", "image/png", "media.png"),
        ("https://a.blog/x_(1)%20%5B{b%7D.gif", None, "x_(1)-b.gif"),
    ],
)  # fmt: skip
def test_media_have_their_own_names_made_safe(url, kind, name):
    assert "".join(media_name(Media(url=url, type=kind))) == name


@given(st.text(), st.sampled_from([None, "image/png", "text/html", "../x"]))
def test_no_name_of_media_leads_elsewhere_or_is_too_long(text, kind):
    name = "".join(media_name(Media(url=f"https://a.blog/{text}", type=kind)))
    assert len(name.encode("utf-8", "ignore")) <= 100
    assert not re.search(r'[/\\:*?"<>|\x00-\x1f\s]|^[._-]|[. ]$', name)
    assert Path(name).suffix not in {".md", ".html", ""}


def test_a_thousand_names_alike_are_numbered_one_after_another():
    names = Unique()
    assert [names.of("IMG", ".jpg") for _ in range(1000)][-1] == "IMG-1000.jpg"
    assert [names.of("img", ".JPG"), names.of("img-2", ".jpg")] == ["img-1001.JPG", "img-2-2.jpg"]


def test_an_export_shows_its_pictures_wherever_it_is_moved_to(notes, stored, tmp_path):
    pictures = (
        stored.add("https://a.blog/IMG%202034.JPG", b"one"), stored.add("https://b.blog/img-2034.jpg", b"two"),
        stored.add("https://a.blog/%E6%B5%B7(1).png", b"three"), stored.add("https://cdn.blog/again.jpg", b"one"),
    )
    lost = Media(url="https://a.blog/lost.jpg")
    export([a_post(1, *pictures, lost, html=f'<img src="{pictures[0].path}">', published=DAY)], notes, stored)
    shutil.rmtree(stored.folder)
    moved = notes.rename(tmp_path / "elsewhere")
    found = links(moved, "2024-03-01-post-1.md")
    assert [(moved / unquote(link)).read_bytes() for link in found[:-1]] == [b"one", b"one", b"two", b"three", b"one"]
    assert found[-1] == lost.url
    assert sorted(files(moved)) == [
        "2024-03-01-post-1.md", "media/2024-03-01-post-1/IMG-2034.JPG", "media/2024-03-01-post-1/img-2034-2.jpg",
        "media/2024-03-01-post-1/海(1).png",
    ]
    told = yaml.safe_load((moved / "2024-03-01-post-1.md").read_text("utf-8").split("---\n")[1])
    assert told["media"] == [*found[1:]]


def test_media_that_cannot_be_read_keep_their_addresses_and_are_counted(notes, stored, caplog):
    gone, there = stored.add("https://a.blog/gone.jpg", b"x"), stored.add("https://a.blog/there.jpg", b"y")
    (stored.folder / gone.path).unlink()
    hostile = Media(url="https://a.blog/passwd", path="../../../etc/passwd")
    export([a_post(1, gone, there, hostile, html=f'<img src="{gone.path}">')], notes, stored)
    assert links(notes, "post-1.md") == [gone.url, gone.url, "media/post-1/there.jpg", hostile.url]
    assert "1 media files could not be read" in caplog.text


def test_large_media_are_copied_in_pieces(notes):
    asked = []

    class Large(io.RawIOBase):
        left = 3_000_000

        def read(self, size=-1):
            asked.append(size)
            size = min(size, self.left)
            self.left -= size
            return b"x" * size

    media = Media(url="https://a.blog/film.mp4", path="media/ab/abc.mp4", sha256="abc", bytes=3_000_000)
    write_posts([a_post(1, media)], "markdown", notes, media=lambda _: Large())
    assert (notes / "media" / "post-1" / "film.mp4").stat().st_size == 3_000_000
    assert 0 < min(asked) <= max(asked) <= 1 << 20


def test_a_copy_that_breaks_off_leaves_no_half_file(notes):
    class Breaking(io.RawIOBase):
        def read(self, _size=-1):
            raise OSError(28, "no room")

    media = Media(url="https://a.blog/film.mp4", path="media/ab/abc.mp4")
    with pytest.raises(DiskFull):
        write_posts([a_post(1, media)], "markdown", notes, media=lambda _: Breaking())
    assert files(notes) == {}


# Links from one post to another


def test_a_link_to_an_exported_post_leads_to_its_file(notes):
    html = (
        '<a href="http://www.a.blog/2/#part">later</a> <a href="https://a.blog/old?utm_source=x">alias</a> '
        '<a href="https://a.blog/9">not here</a> <a href="mailto:a@a.blog">mail</a> <a href="#x">own</a>'
    )
    comment = Comment(html='<a href="https://a.blog/1">first</a>', text="first")
    first = a_post(1, html=html)
    second = a_post(2, title="海", aliases=("https://a.blog/old",), comments=(comment,))
    export([first, second], notes)
    assert links(notes, "post-1.md") == [
        "%E6%B5%B7.md#part", "%E6%B5%B7.md", "https://a.blog/9", "mailto:a@a.blog", "#x",
    ]
    assert links(notes, "海.md") == ["post-1.md"]


def test_posts_that_come_once_link_to_those_before_them(notes):
    link = '<a href="https://a.blog/1">one</a> <a href="https://a.blog/3">three</a>'
    write_posts((a_post(number, html=link) for number in (1, 2)), "markdown", notes)
    assert links(notes, "post-2.md") == ["post-1.md", "https://a.blog/3"]


# Again into the same folder


def test_an_export_again_updates_its_own_files_and_leaves_others_alone(notes, stored):
    picture = stored.add("https://a.blog/p.jpg", b"before")
    export([a_post(1, picture), a_post(2)], notes, stored)
    mine = {"mine.md": b"---\ntitle: mine\n---\n", "post-3.md": b"my own", "media/post-1/mine.jpg": b"mine"}
    for name, content in mine.items():
        (notes / name).write_bytes(content)
    changed = stored.add("https://a.blog/p.jpg", b"after")
    export([a_post(3), a_post(1, changed, title="Another title")], notes, stored)
    found = files(notes)
    assert {name: found[name] for name in mine} == mine
    assert sorted(found) == sorted([
        *mine, "post-1.md", "post-2.md", "post-3-2.md", "media/post-1/p.jpg", "media/post-1/p-2.jpg",
    ])
    # The post has the name that others may have linked to, and the picture of before is still there.
    assert b'title: "Another title"' in found["post-1.md"]
    assert (found["media/post-1/p.jpg"], found["media/post-1/p-2.jpg"]) == (b"before", b"after")
    assert links(notes, "post-1.md") == ["media/post-1/p-2.jpg"]


def test_the_same_export_again_changes_nothing(notes, stored):
    picture = stored.add("https://a.blog/p.jpg", b"picture")
    posts = [a_post(1, picture), a_post(2, title="Post 1"), a_post(3, title=None), a_post(4, published=DAY)]
    export(posts, notes, stored)
    before = files(notes)
    export(list(reversed(posts)), notes, stored)
    assert files(notes) == before


def test_files_of_an_older_export_are_known_by_their_url(notes):
    notes.mkdir()
    (notes / "2024-03-01-old-name.md").write_bytes(b'---\ntitle: "Old"\nurl: "https://a.blog/1"\n---\n')
    export([a_post(1)], notes)
    [file] = files(notes).items()
    assert file[0] == "2024-03-01-old-name.md"
    assert b'original_url: "https://a.blog/1"' in file[1]
    assert b'slug: "old-name"' in file[1]


def test_slugs_are_told_apart_where_dates_tell_file_names_apart(notes):
    export([a_post(number, title="Same", published=DAY.replace(day=number)) for number in (1, 2)], notes)
    slugs = [re.search(rb'slug: "(.*)"', text)[1] for _, text in sorted(files(notes).items())]
    assert slugs == [b"same", b"same-2"]


# Planted links


def test_a_planted_link_is_neither_followed_nor_replaced(notes, stored, tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_text('---\noriginal_url: "https://a.blog/1"\n---\n', "utf-8")
    (notes / "media" / "post-1-2").mkdir(parents=True)
    for name in ("post-1.md", "media/post-1-2/p.jpg"):
        (notes / name).symlink_to(outside)
    export([a_post(1, stored.add("https://a.blog/p.jpg", b"picture"))], notes, stored)
    assert outside.read_text("utf-8").count("\n") == 3
    assert links(notes, "post-1-2.md") == ["media/post-1-2/p-2.jpg"]


@pytest.mark.parametrize("name", ["media", "media/post-1"])
def test_a_planted_link_to_a_folder_is_refused(name, notes, stored, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (notes / name).parent.mkdir(parents=True)
    (notes / name).symlink_to(outside)
    with pytest.raises(UsageError, match="is a link to another folder"):
        export([a_post(1, stored.add("https://a.blog/p.jpg", b"picture"))], notes, stored)
    assert list(outside.iterdir()) == []
