"""What can be known of a corpus's blogs from their files alone: which posts they name that are not there.

The sites of a corpus are cut: sitemaps, lists of posts and links to the previous and next post still name what was
left out. Nothing here knows how everlog decides; it is what its verdicts are compared with.

    missing    posts that a sitemap or the feed lists, that stand in a row with posts that are there, or that a post
               calls its neighbour, and that no file answers for: a verdict must name each of them
    unclear    other addresses that no file answers for, named in running text, below addresses that pages have as well,
               or on pages that no link leads to: a verdict may name them

A blog of which something is missing must be `no`; one of which all is unclear may be; all others must be `unknown`,
because no file of a corpus lists all posts of a blog.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from lxml import html

from everlog.feeds import parse_feed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from everlog.evaluate.corpus import Blog

Key = tuple[str, str]

# Addresses that are no posts on any blog, as far as they can be told by themselves.
_OTHERS = re.compile(
    r"/(?:tags?|categor(?:y|ies)|author|pages?|feed|rss|comment-page-\d+|attachment|wp-content|wp-login.*|taxonomy|search"
    r"|users?|static|images?|img|uploads?|media|trackback|print|label)(?:/|$)|\?(?!p=\d)|[\[\]]"
    # The name of a site is a link that was meant to lead there; behind a hyphen it ends a title.
    r"|\.(?:jpe?g|png|gif|svg|webp|pdf|zip|gz|py|sh|docx?|xlsx?|css|js|c|hex|xml|txt|mp[34]|psd|md|ipynb|patch)$"
    r"|(?<!-)\.(?:com|org)$",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"(?:entry|post|article|list-entry|card-header)[-_]?title|bookmark|nav-(?:previous|next)", re.IGNORECASE,
)
_NEIGHBOUR = frozenset({"prev", "next", "previous"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4"})
# Links to posts that are there which make a list of a page, and the share of its line that such a link's text is.
_FEWEST_LISTED = 3
_MOSTLY = 0.6
_SHORTEST = 4
_USUAL_MAPS = ("/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml")
_BLOGGER = re.compile(r"\.blogspot\.[a-z]{2,3}(?:\.[a-z]{2})?$")
_LOC = re.compile(r"<(?:\w+:)?loc>\s*(?:<!\[CDATA\[)?\s*(.*?)\s*(?:\]\]>)?\s*</(?:\w+:)?loc>", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What the verdict on a blog's posts must be, or may be; addresses are keys of the blog."""

    answers: tuple[str, ...]
    missing: frozenset[Key] = frozenset()
    unclear: frozenset[Key] = frozenset()
    why: str = ""


@dataclass(slots=True)
class _Links:
    """Dead addresses of a blog, by how they are named."""

    listed: set[Key] = field(default_factory=set)
    other: set[Key] = field(default_factory=set)


def expected_of(blog: Blog) -> Expected:
    """What the files of a blog say of it."""
    posts = set(_post_keys(blog))
    is_post_like = _likeness({path for _, path in posts})
    mapped = {key for key in _dead(blog, _mapped(blog)) if is_post_like(key[1])}
    links = _dead_links(blog, posts)
    # A short link may be one more address of a post that is there.
    listed = {key for key in links.listed if is_post_like(key[1]) and "?" not in key[1]}
    # Pages stand at the root as posts of such a blog do, and a sitemap lists both.
    doubtful = {key for key in mapped - listed if key[1].count("/") == 1 + _prefix(blog).count("/")}
    missing = (mapped - doubtful) | listed
    unclear = {key for key in (mapped | links.listed | links.other) - missing if not _OTHERS.search(key[1])}
    parts = [f"{len(mapped)} in sitemaps" if mapped else "", f"{len(listed)} in lists" if listed else ""]
    likely = {key for key in unclear if is_post_like(key[1])}
    answers = ("no",) if missing else ("unknown", "no") if likely else ("unknown",)
    return Expected(
        answers=answers, missing=frozenset(missing), unclear=frozenset(unclear),
        why=", ".join(filter(None, parts)) or (f"{len(likely)} in running text" if likely else "nothing dead is named"),
    )


def named_anywhere(blog: Blog) -> set[Key]:
    """All dead addresses that some file names, also on pages that no link leads to.

    A crawl may come to these by other ways, such as the months between two that are linked to.
    """
    root = blog.folder / "site"
    found: set[Key] = set()
    for file in filter(Path.is_file, root.rglob("*.html")):
        url = urljoin(blog.origin, "/" + file.relative_to(root).as_posix())
        found |= _dead(blog, (target for target, _ in _page_links(blog, url, file, set())))
    return found


def read_expected(file: Path) -> dict[str, Expected]:
    """What somebody wrote down: blog -> answers, paths of what is missing, paths of what is unclear."""
    rows = json.loads(file.read_text("utf-8"))
    return {
        name: Expected(
            answers=tuple(row["answers"]), why=row.get("why", ""),
            missing=frozenset(map(_as_key, row["missing"])), unclear=frozenset(map(_as_key, row["unclear"])),
        )
        for name, row in rows.items()
    }


def written(expected: dict[str, Expected]) -> str:
    """The same as text, for somebody to look through and correct."""
    rows = {
        name: {
            "answers": list(each.answers), "why": each.why, "missing": sorted(map("".join, each.missing)),
            "unclear": sorted(map("".join, each.unclear)),
        }
        for name, each in sorted(expected.items())
    }
    return json.dumps(rows, indent=1, ensure_ascii=False)


def _as_key(text: str) -> Key:
    host, slash, path = text.partition("/")
    return host, slash + path


def _prefix(blog: Blog) -> str:
    return urlsplit(blog.origin).path.rstrip("/")


def _is_own(blog: Blog, url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    host = _host(parts.netloc)
    is_here = host in blog.hosts or host in map(_host, blog.hosts)
    return parts.scheme in {"http", "https"} and is_here and parts.path.startswith(_prefix(blog))


def _host(netloc: str) -> str:
    """A host in one spelling: Blogger shows each blog on hosts of many countries."""
    return _BLOGGER.sub(r".blogspot.com", netloc.lower().removesuffix(":80").removeprefix("www."))


def _post_keys(blog: Blog) -> Iterator[Key]:
    """The posts that are there: of the truth, and of `pages.jsonl` where there is one."""
    for truth in blog.truth():
        yield from blog.keys(truth)
    labelled = blog.folder / "pages.jsonl"
    if labelled.is_file():
        for row in map(json.loads, labelled.read_text("utf-8").splitlines()):
            if row["kind"] == "post":
                yield blog.key(urljoin(blog.origin, row["path"]))


def _likeness(paths: set[str]) -> Callable[[str], bool]:
    """A test of paths: is it put together as those of the posts are?"""
    counts = Counter(part for path in paths for part in set(path.strip("/").split("/")))
    fewest = max(3, len(paths) // 10)
    common = {part for part, count in counts.items() if count >= fewest and not part.isdigit()}
    shapes = {_shape(path, common) for path in paths}
    # Broken links are as short as a letter.
    return lambda path: _shape(path, common) in shapes and not _OTHERS.search(path) and len(path) >= _SHORTEST


def _shape(path: str, common: set[str]) -> tuple[str, ...]:
    return tuple(
        part if part in common else "year" if re.fullmatch(r"(?:19|20)\d\d", part)
        else "day" if re.fullmatch(r"\d\d?", part) else "number" if part.isdigit() else "words"
        for part in path.strip("/").split("/")
    )


def _dead(blog: Blog, urls: Iterable[str]) -> set[Key]:
    return {blog.key(url) for url in urls if _is_own(blog, url) and blog.file(url) is None}


def _mapped(blog: Blog) -> Iterator[str]:
    """The addresses that the blog's sitemaps list: those that robots.txt or the front page name, and the usual ones."""
    home = blog.origin.rstrip("/") + "/"
    waiting = [urljoin(home, path) for path in _USUAL_MAPS]
    robots = blog.page(urljoin(home, "/robots.txt")) or b""
    waiting += re.findall(r"(?im)^\s*sitemap:\s*(\S+)", robots.decode("utf-8", "replace"))
    front = (blog.page(home) or b"").decode("utf-8", "replace")
    waiting += [urljoin(home, link) for link in re.findall(r"<link[^>]*sitemap[^>]*href=[\"']?([^\"' >]+)", front)]
    seen: set[Path] = set()
    while waiting:
        url = waiting.pop()
        file = blog.file(url) if _is_own(blog, url) or url.startswith(urljoin(home, "/")) else None
        if file is None or file in seen:
            continue
        seen.add(file)
        text = file.read_text("utf-8", "replace")
        named = [urljoin(url, html.fromstring(f"<p>{loc}</p>").text_content()) for loc in _LOC.findall(text)]
        if "<sitemapindex" in text:
            waiting += named
        else:
            yield from named


def _dead_links(blog: Blog, posts: set[Key]) -> _Links:
    """What the pages link to that is not there, from the front page and the feed on."""
    links = _Links()
    # Pages link to the same addresses over and over.
    is_there = cache(lambda address: blog.file(address) is not None)
    feed = parse_feed(blog.feed(), blog.feed_url)
    entries = [entry.link for entry in feed.entries if entry.link]
    links.listed |= _dead(blog, entries)
    waiting = [blog.origin.rstrip("/") + "/", *entries]
    seen: set[Path] = set()
    met: set[str] = set()
    while waiting:
        url = waiting.pop().partition("#")[0]
        file = blog.file(url) if _is_own(blog, url) else None
        if file is None or file in seen:
            continue
        seen.add(file)
        for target, is_listed in _page_links(blog, url, file, posts):
            if not is_there(target):
                (links.listed if is_listed else links.other).add(blog.key(target))
            elif target not in met:
                met.add(target)
                waiting.append(target)
    links.other -= links.listed
    return links


def _page_links(blog: Blog, url: str, file: Path, posts: set[Key]) -> Iterator[tuple[str, bool]]:
    """The blog's own addresses that a page links to, and whether they are named as posts."""
    body = file.read_bytes()
    if re.search(rb"<(rss|feed|rdf:RDF|urlset|sitemapindex)[\s>]", body[:1000]) or not body.strip():
        return
    root = html.document_fromstring(body, parser=html.HTMLParser(encoding="utf-8"))
    base = urljoin(url, next((each.get("href") for each in root.iter("base") if each.get("href")), ""))
    places: dict[tuple[str, ...], list[tuple[str, bool]]] = defaultdict(list)
    is_post = blog.key(url) in posts
    for link in root.iter("a", "link"):
        target = _target(blog, base, link)
        if target is None:
            continue
        names = {*(link.get("rel") or "").lower().split()}
        if is_post and names & _NEIGHBOUR and (link.tag == "link" or not re.search(r"/page/\d+/?$", target)):
            yield target, True
        elif link.tag == "link":
            if names & _NEIGHBOUR:
                yield target, False
        elif not is_post and _is_title(link):
            yield target, True
        else:
            places[_place(link)].append((target, not is_post and _is_line(link)))
    for found in places.values():
        there = {blog.key(target) for target, _ in found} & posts
        for target, is_line in found:
            yield target, is_line and len(there) >= _FEWEST_LISTED


def _target(blog: Blog, base: str, link: html.HtmlElement) -> str | None:
    """The page of the blog that a link leads to, on the blog's own host and without its query: files have none."""
    try:
        parts = urlsplit(urljoin(base, (link.get("href") or "").strip()))
    except ValueError:
        return None
    if not link.get("href") or not _is_own(blog, parts.geturl()):
        return None
    if parts.query and parts.path.rstrip("/") == _prefix(blog):
        return None
    return parts._replace(netloc=urlsplit(blog.origin).netloc, query="", fragment="").geturl()


def _is_title(link: html.HtmlElement) -> bool:
    around = [link, *link.iterancestors()][:3]
    classes = " ".join(f"{each.get('class') or ''} {each.get('rel') or ''}" for each in around)
    is_heading = any(each.tag in _HEADINGS for each in around) and bool(link.text_content().strip())
    return is_heading or _TITLE.search(classes) is not None


def _is_line(link: html.HtmlElement) -> bool:
    """Whether a link is about all that stands in its line, and not a word of running text."""
    parent = link.getparent()
    said = len(link.text_content().strip())
    return parent is not None and said > 0 and said >= _MOSTLY * len(parent.text_content().strip())


def _place(link: html.HtmlElement) -> tuple[str, ...]:
    above = list(link.iterancestors())[:3]
    return tuple(f"{each.tag}.{re.sub(r'[0-9]+', '', each.get('class') or '')}" for each in above)
