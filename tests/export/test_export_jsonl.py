from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import MappingProxyType

from everlog.export.jsonl import post_to_line
from everlog.records import Comment, Media, Post, Provenance

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_an_empty_post_has_all_the_names_that_are_documented():
    page = next(DOCS.rglob("library.md")).read_text("utf-8")
    sentence = page.partition("The names are those of the export:")[2].partition(". ")[0]
    assert list(Post(url="http://a.example/").to_dict()) == re.findall(r"`(\w+)`", sentence)


def test_dates_keep_the_offset_of_their_source():
    moment = datetime(2024, 3, 1, 8, 30, tzinfo=timezone(timedelta(hours=9)))
    assert Post(url="u", published=moment).to_dict()["published"] == "2024-03-01T08:30:00+09:00"


def test_a_full_post_is_one_line_of_json_in_its_own_script():
    post = Post(
        url="http://a.example/", title="海辺の朝", authors=("汐見",), text="一\n\n二",
        comments=(Comment(id="1", parent="0", author="Maud", published=datetime(2024, 3, 1, tzinfo=UTC)),),
        media=(Media(url="http://a.example/p.jpg", type="image/jpeg", bytes=12),),
        provenance=MappingProxyType({
            "title": Provenance(method="rule", rule="h1", confidence=0.9),
            "published": Provenance(method="rule", precision="day"),
        }),
        warc=("a.warc.gz", 77),
    )
    line = post_to_line(post)
    assert "\n" not in line
    assert "海辺の朝" in line
    row = json.loads(line)
    assert list(row["comments"][0]) == [
        "id", "parent", "author", "author_url", "published", "text", "html", "url", "source",
    ]
    assert list(row["media"][0]) == ["url", "path", "sha256", "type", "bytes"]
    assert row["provenance"]["title"] == {"method": "rule", "rule": "h1", "confidence": 0.9}
    assert row["provenance"]["published"]["precision"] == "day"
    assert row["warc"] == {"file": "a.warc.gz", "offset": 77}
