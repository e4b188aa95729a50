"""Is a blog told from a stranger at its address, and known again after changes of its own?

    python benchmarks/owners.py [FOLDER]        a corpus (docs/corpus-format.md); default ~/.cache/everlog-corpus

Each blog of the corpus is put at the address of each other one. The same blog is looked at again on other pages of
its site, with half of its front page gone, in the design of another blog, and under a new name.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from everlog.core.tree import parse
from everlog.evaluate.corpus import find_blogs
from everlog.evaluate.without_feed import home_of
from everlog.feeds import parse_feed
from everlog.schedule.ownership import BlogFingerprint, same_owner, traits_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.core.tree import Element
    from everlog.evaluate.corpus import Blog

OTHER_PAGES = 5


def main() -> None:
    folder = Path(next((each for each in sys.argv[1:] if each != "-v"), "~/.cache/everlog-corpus")).expanduser()
    blogs = find_blogs([folder])
    known = {blog.id: _traits(blog) for blog in blogs}
    print(f"{len(known)} blogs")
    _report("a stranger", [
        (one, two, same_owner(known[one], known[two])) for one in known for two in known if one != two
    ], wanted=False)
    _report("a stranger without a feed", [
        (one, two, same_owner(known[one], _without_feed(two, blogs))) for one in known for two in known if one != two
    ], wanted=False)
    again = {
        "another page of the blog": _other_pages,
        "half of the front page": _halves,
    }
    for name, looks in again.items():
        _report(name, [
            (blog.id, "", same_owner(known[blog.id], now)) for blog in blogs for now in looks(blog)
        ], wanted=True)
    _report("in another design, on another platform", [
        (one, two, same_owner(known[one], replace(known[one], platform=known[two].platform, design=known[two].design)))
        for one in known for two in known if one != two
    ], wanted=True)
    _report("all is new but two posts", [
        (one, two, same_owner(known[one], replace(known[two], kept=True)))
        for one in known for two in known if one != two
    ], wanted=True)


_bare: dict[str, BlogFingerprint] = {}


def _without_feed(name: str, blogs: list[Blog]) -> BlogFingerprint:
    if not _bare:
        _bare.update({blog.id: traits_of(_home(blog), home_of(blog), None) for blog in blogs})
    return _bare[name]


def _traits(blog: Blog) -> BlogFingerprint:
    return traits_of(_home(blog), home_of(blog), parse_feed(blog.feed(), blog.feed_url))


def _home(blog: Blog) -> Element:
    return parse(blog.page(home_of(blog)) or b"<html></html>")


def _other_pages(blog: Blog) -> Iterator[BlogFingerprint]:
    rows = [(page, truth.url) for truth in blog.truth() if (page := blog.truth_page(truth)) is not None]
    chosen = random.Random(blog.id).sample(rows, min(OTHER_PAGES, len(rows)))  # noqa: S311 - no key
    yield from (traits_of(parse(page), url, None) for page, url in chosen)


def _halves(blog: Blog) -> Iterator[BlogFingerprint]:
    """The front page without half of its elements that hold links or text, three times."""
    for seed in range(3):
        chance = random.Random(f"{blog.id} {seed}")  # noqa: S311 - no key
        root = _home(blog)
        body = root.find("body")
        for element in list(body.iter("*")) if body is not None else []:
            parent = element.getparent()
            if element is not body and parent is not None and chance.random() < 0.5 and len(element) == 0:
                parent.remove(element)
        yield traits_of(root, home_of(blog), None)


def _report(name: str, verdicts: Iterable[tuple[str, str, object]], *, wanted: bool) -> None:
    rows = list(verdicts)
    wrong = [row for row in rows if row[2].is_same is not wanted]  # type: ignore[attr-defined]
    print(f"{name}: {len(rows)} looks, {100 * (1 - len(wrong) / len(rows)):.2f} % right, {len(wrong)} wrong")
    if "-v" in sys.argv:
        for one, two, verdict in wrong[:10]:
            print("   ", one, two, verdict)
        print("   ", Counter(one for one, _, _ in wrong).most_common(5))


if __name__ == "__main__":
    main()
