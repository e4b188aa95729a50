"""Pages of posts that are larger, emptier and stranger than others: how long each takes, and how it looks.

    python benchmarks/looking_big.py [--most 1] [--pictures FOLDER]

5,000 comments, an article of 2 MB, 10,000 tags, titles in more than 40 scripts, fields that are empty, fields that want
to break a page. A real `everlog serve` is asked for every page about them. *CPU* is the server's processor time of one
answer in seconds, which hardly depends on what else the machine does; with --most it ends with 1 if one takes longer.
With --pictures, Chromium draws all of them, 360 and 1,440 pixels wide.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from everlog.archive import open_archive
from everlog.core.urls import canonical
from everlog.records import Comment, Exchange, Post, Provenance, Visit
from looking_speed import ask, connected, cpu_of, memory_of, served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive

BIG, TAGS, SCRIPTS, STRANGE = (f"https://{name}.example/" for name in ("big", "tags", "scripts", "strange"))
START = datetime(2024, 5, 1, 9, tzinfo=UTC)
COMMENTS, ARTICLE_BYTES, ALL_TAGS = 5_000, 2_000_000, 10_000
# As many as lists keep of one post.
TAGS_OF_A_POST = 100
WIDTHS = (360, 1_440)
# By language; the last ones are no scripts, and are found in titles all the same.
TITLES = tuple(tuple(line.split(" ", 1)) for line in """
en The tide at night
vi Thủy triều về đêm ở cảng
ru Прилив ночью
el Η παλίρροια τη νύχτα
hy Մակընթացությունը գիշերը
ka მოქცევა ღამით
he הגאות בלילה, עם English ומספר 42
ar المد في الليل (الجزء 2) من everlog
fa جزر و مد در شب
ur رات کو جوار بھاٹا
syc ܡܕܐ ܕܝܡܐ ܒܠܠܝܐ
dv ރޭގަނޑުގެ ދިޔަވަރު
nqo ߖߌ ߦߟߍߟߌ ߛߎ߬ ߘߐ߫
hi रात में ज्वार
bn রাতে জোয়ার
pa ਰਾਤ ਨੂੰ ਜਵਾਰ
gu રાત્રે ભરતી
or ରାତିରେ ଜୁଆର
ta இரவில் அலை
te రాత్రి ఆటుపోట్లు
kn ರಾತ್ರಿಯ ಉಬ್ಬರ
ml രാത്രിയിലെ വേലിയേറ്റം
si රාත්‍රියේ වඩදිය
th น้ำขึ้นยามค่ำคืนที่ท่าเรือ
lo ນ້ຳຂຶ້ນໃນຕອນກາງຄືນ
bo མཚན་མོའི་རྒྱ་མཚོའི་རྦ་རླབས།
my ညဒီရေ
km ជំនោរពេលយប់
mn-Mong ᠰᠥᠨᠢ ᠶᠢᠨ ᠲᠠᠲᠠᠯᠲᠠ
am የሌሊት ማዕበል
chr ᏒᏃᏱ ᎠᎹ ᎡᏉᎯ
iu ᐅᓐᓄᐊᖅ ᐅᓕᑦᑐᖅ
sga ᚛ᚈᚐᚑᚇᚓ ᚔᚅ ᚑᚔᚇᚉᚆᚓ᚜
non ᚠᛚᚬᚦ ᛁ ᚾᛅᛏ
zgh ⴰⴳⴳⴰⵢ ⵏ ⵉⵍⵍ ⵙ ⵢⵉⴹ
ja 夜の潮、港にて
ja ヨルノシオ
ko 밤의 밀물
zh-Hans 夜晚的潮水
zh-Hant 夜晚的潮水與臺北的港灣
ii ꌋꏦ ꀊꒉ
jv ꦥꦱꦁ ꦮꦼꦔꦶ
ban ᬧᬲᬂ ᬧᭂᬢᭂᬂ
vai ꕒꕌ ꖕꔤ
bug ᨕᨛᨔᨛ ᨓᨛᨊᨗ
sat ᱧᱤᱫᱟᱹ ᱡᱚᱣᱟᱨ
ckb شەپۆلی شەو
en 🌊🌙 👩🏽‍🚀👨‍👩‍👧‍👦 🏴󠁧󠁢󠁷󠁬󠁳󠁿 night tide 1️⃣
en 𝕿𝖍𝖊 𝓽𝓲𝓭𝓮 ⓐⓣ ｎｉｇｈｔ
en T̶̡̛̗̲h̷͎͐e̴̻̾ ̸̠̈́t̴̜̀i̴͇͠d̶̤͝e̵̲̋ ̷̪̂a̵͓͝t̷͎̓ ̷̱͂n̶̗̊i̷̘̚g̵̞͝h̶̨̛t̵͎̏
""".strip().splitlines())
HOSTILE = '"><script>window.fired=1</script><img src=x onerror=window.fired=1>{{7*7}}${7*7}'
RIGHT_TO_LEFT = "\u202etxet neddih\u202c \u2066unclosed"
WORDS = "On that day the sea was calm and the harbour full of boats, and nobody spoke of the way back."


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A page, what it is about, and something that stands on it."""

    name: str
    path: str
    shows: str


def main() -> int:
    """Make the archive, ask for every page, draw them if that is wanted."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--most", type=float, help="seconds of processor time; end with 1 if a page takes more")
    options.add_argument("--pictures", type=Path, metavar="FOLDER")
    given = options.parse_args()
    slowest = 0.0
    with tempfile.TemporaryDirectory(prefix="everlog-big-") as folder:
        with open_archive(folder, create=True) as archive:
            make(archive)
        with served(folder) as (server, address):
            print("| page | CPU, s | kB |\n|---|---:|---:|")
            # What is loaded when it is first needed is not counted: of rules it is all of learning, half a second.
            for path in ("/search?q=tide", "/rules/strange.example", f"/markdown/{STRANGE}nothing"):
                ask(connected(address), path)
            for asked in pages():
                before = cpu_of(server.pid)
                status, _, text = ask(connected(address), asked.path)
                used = cpu_of(server.pid) - before
                slowest = max(slowest, used)
                print(f"| {asked.name} | {used:.2f} | {len(text.encode()) / 1_000:,.0f} |", flush=True)
                if status != 200 or asked.shows not in text:
                    print(f"{asked.path}: {status}, without {asked.shows}", file=sys.stderr)
                    return 1
            print(f"\nthe slowest: {slowest:.2f} s; memory of the server: {memory_of(server.pid):.0f} MB at most")
            if given.pictures:
                draw(address, given.pictures)
    return int(given.most is not None and slowest > given.most)


def make(archive: Archive) -> None:
    """Four blogs: large posts, many tags, many scripts, strange fields."""
    for home, posts in ((BIG, _big()), (TAGS, _tagged()), (SCRIPTS, _scripts()), (STRANGE, _strange())):
        blog = archive.blogs.add(home, scope="path").id
        with archive.lock(blog):
            for number, post in enumerate(posts):
                at = START + timedelta(minutes=number)
                body = f"<p>{post.title} {number}</p>".encode("utf-8", "replace")
                page = Exchange(url=post.url, status=200, reason="OK", headers=(("Content-Type", "text/html"),),
                                body=body, fetched_at=at)
                archive.commit([Visit(
                    blog_id=blog, url=post.url, key=canonical(post.url), outcome="post", exchanges=(page,), post=post,
                )])


def pages() -> Iterator[Asked]:
    """All pages, each with what it must show."""
    yield Asked(name="start", path="/", shows="strange.example")
    for home, shows in ((BIG, "5,000 comments"), (TAGS, "tag 1"), (SCRIPTS, "夜の潮"), (STRANGE, "Without a title")):
        name = home.split("/")[2]
        for kind in ("blog", "complete", "captures", "timeline", "calendar", "rules", "requests"):
            yield Asked(name=f"{name}: {kind}", path=f"/{kind}/{name}", shows=shows if kind == "blog" else name)
        for kind in ("posts", "changes"):
            yield Asked(name=f"{name}: feed of {kind}", path=f"/feed/{kind}/{name}", shows="<feed")
    yield Asked(name="all tags that are offered", path="/blog/tags.example?more=tag", shows="tag 1")
    yield Asked(name="posts with a tag of 10,000", path="/blog/tags.example?tag=tag+9999", shows="tag 9999")
    for number in (1, 2, 20):
        yield Asked(name=f"comments, part {number}", path=f"/comments/{number}/{BIG}comments", shows="said number")
    for home, names in (
        (BIG, ("comments", "long", "one-word", "table", "nested")), (TAGS, ("post-1",)),
        (SCRIPTS, ("title-7", "title-28", "title-49")),
        (STRANGE, ("nothing", "hostile", "backwards", "endless")),
    ):
        for name in names:
            for kind in ("read", "json", "markdown"):
                yield Asked(name=f"{name}: {kind}", path=f"/{kind}/{quote(home + name, safe=':/')}", shows="")
    for words in ("sea", "tide", "comment", "夜の潮", "المد", "x*"):
        yield Asked(name=f"search: {words}", path=f"/search?q={quote(words)}", shows="Search")


def _big() -> Iterator[Post]:
    yield _post(BIG, "comments", title="A post that 5,000 people answered", comments=tuple(_comments()))
    paragraphs = [f"<p>{WORDS * 3} It was day {number}.</p>" for number in range(ARTICLE_BYTES // 310)]
    paragraphs[5::50] = [f"<h2>Chapter {number}</h2>" for number in range(len(paragraphs[5::50]))]
    paragraphs[7::50] = [f"<pre><code>for day in range({number}):\n    print(day)\n</code></pre>"
                         for number in range(len(paragraphs[7::50]))]
    paragraphs[9::50] = [f'<p><a href="{BIG}other/{number}">Day</a> <img src="{BIG}{number}.png" alt="A day"></p>'
                         for number in range(len(paragraphs[9::50]))]
    yield _post(BIG, "long", title="An article of two megabytes", html="".join(paragraphs))
    yield _post(BIG, "one-word", title="W" * 400, html=f"<p>{'w' * 200_000}</p>")
    row = "<tr>" + "".join(f"<td>cell {number}</td>" for number in range(40)) + "</tr>"
    yield _post(BIG, "table", title="A table of 500 rows", html=f"<table>{row * 500}</table>")
    yield _post(BIG, "nested", title="Quotes in quotes",
                html=f"{'<blockquote>' * 200}<p>{WORDS}</p>{'</blockquote>' * 200}")


def _comments() -> Iterator[Comment]:
    for number in range(COMMENTS):
        # A chain of 300 answers, a thread of 1,000, and threads of four.
        parent = (
            number - 1 if 1 <= number < 300 else 300 if 301 <= number < 1_300
            else number - number % 4 if number > 1_300 and number % 4 else None
        )
        text = f"{WORDS} This was said number {number}."
        yield Comment(
            id=str(number), parent=None if parent is None else str(parent), author=f"Reader {number % 700}",
            published=START + timedelta(minutes=number), text=text, html=f"<p>{text}</p>", source="wordpress",
        )


def _tagged() -> Iterator[Post]:
    for number in range(ALL_TAGS // TAGS_OF_A_POST):
        first = number * TAGS_OF_A_POST
        tags = tuple(f"tag {each}" for each in range(first, first + TAGS_OF_A_POST))
        yield _post(TAGS, f"post-{number}", title=f"A post with a hundred tags, number {number}", tags=tags)


def _scripts() -> Iterator[Post]:
    for number, (language, title) in enumerate(TITLES):
        text = f"{title}. " * 12
        said = Comment(id="1", author=title[:12], text=text, html=f"<p>{text}</p>")
        yield _post(
            SCRIPTS, f"title-{number}", title=title, language=language, html=f"<p>{text}</p><p>{text}</p>",
            tags=(title[:20],), authors=(title.split()[0],), comments=(said,),
        )


def _strange() -> Iterator[Post]:
    yield Post(url=f"{STRANGE}nothing", title=None, text="", html="")
    blank = ("", " ")
    yield Post(url=f"{STRANGE}blank", title=" ", text=" ", html="<p> </p>", authors=blank, tags=blank, language="")
    source = Provenance(method=HOSTILE, rule=HOSTILE, confidence=0.1, disagrees=HOSTILE)
    said = (
        Comment(text=""), Comment(id="a", parent="a", text="its own child"), Comment(id="b", parent="c", text="orphan"),
        Comment(id=HOSTILE, author=HOSTILE, author_url="javascript:alert(1)", text=HOSTILE, html=HOSTILE),
    )
    yield _post(
        STRANGE, "hostile", title=HOSTILE, authors=(HOSTILE,), tags=(HOSTILE,), language=HOSTILE, summary=HOSTILE,
        comments=said, provenance={"title": source, "text": source},
        html=f"<p>{HOSTILE}</p><div style='position:fixed;inset:0'>{WORDS}</div>",
    )
    yield _post(
        STRANGE, "backwards", title=RIGHT_TO_LEFT, authors=(RIGHT_TO_LEFT,), tags=(RIGHT_TO_LEFT,),
        html=f"<p>{RIGHT_TO_LEFT}</p>",
        comments=(Comment(id="1", author=RIGHT_TO_LEFT, text=RIGHT_TO_LEFT, html=RIGHT_TO_LEFT),),
    )
    yield _post(
        STRANGE, "endless", title="and so on " * 5_000, authors=tuple(f"Author {number}" for number in range(300)),
        tags=tuple(f"{number} {'x' * 2_000}" for number in range(100)), published=datetime(1, 1, 1, tzinfo=UTC),
        html=f"<p>{WORDS}</p>" * 3,
    )
    yield _post(STRANGE, "far", title="From the year 9999", published=datetime(9999, 12, 31, 23, 59, tzinfo=UTC))


def _post(home: str, name: str, **fields: Any) -> Post:
    html = fields.pop("html", f"<p>{WORDS * 3}</p><p>This is {name}, one of many.</p>")
    text = re.sub(r"<[^>]+>", " ", html.replace("</p>", "\n\n")).strip() or "-"
    said: dict[str, Any] = {"authors": ("Ann Lee",), "language": "en", "published": START, "tags": ("sea",)}
    if comments := fields.get("comments"):
        said |= {"comments_state": "complete", "comment_count_claimed": len(comments)}
    return Post(url=home + name, text=text, html=html, fetched=START, **(said | fields))


def draw(address: str, folder: Path) -> None:
    """Pictures of all pages, as wide as a telephone and as a desk."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - of the extra `render`

    from everlog.render.find_chromium import find_chromium  # noqa: PLC0415 - as above

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(None), args=["--no-sandbox"])
        for width in WIDTHS:
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.set_default_timeout(120_000)
            for asked in pages():
                if not asked.path.startswith(("/json/", "/markdown/", "/feed/")):
                    page.goto(address.rstrip("/") + asked.path)
                    wide = page.evaluate("document.documentElement.scrollWidth")
                    if wide > width:
                        print(f"{asked.name}: {wide} pixels wide at {width}")
                    name = re.sub(r"\W+", "-", asked.name).strip("-")
                    page.screenshot(path=folder / f"{name}-{width}.png")
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
