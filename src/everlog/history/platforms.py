"""Platforms: which program or service makes a blog, by the marks that its pages, headers and address have.

One table of data. Marks that only one program leaves are asked first, for all platforms: what a page says of itself,
then what it names as its interface, then its host, headers, and the files that it loads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from everlog.core.tree import Element
    from everlog.history.source import BlogClues

_LONGEST = 80
# Scripts and style sheets that are looked at. The richest of 84 blogs' pages has 78.
_MOST_FILES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """What makes a blog, and in words what shows that. `generator` is what its pages say, with the version."""

    name: str
    evidence: str
    generator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What a platform is known by; one mark is enough, so none may be left by another.

    `generator` begins what a page says to be made by; `rels` are relations of links; `hosts` ends of host names;
    `headers` pieces of headers' values; `files` pieces of the addresses of scripts and style sheets; `attributes`
    those of scripts.
    """

    generator: str | None = None
    rels: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


PLATFORMS: Mapping[str, Marks] = {
    "WordPress.com": Marks(generator=r"WordPress\.com", hosts=(".wordpress.com",)),
    "WordPress": Marks(
        generator=r"WordPress\b", rels=("https://api.w.org/",), headers={"link": "https://api.w.org/"},
        files=("/wp-content/", "/wp-includes/"),
    ),
    "Ghost": Marks(
        generator=r"Ghost\b", hosts=(".ghost.io",), headers={"x-ghost-cache-status": ""},
        files=("/public/ghost.css", "/public/cards.min.js", "/ghost/portal@", "/ghost/sodo-search@"),
        attributes=("data-ghost", "data-sodo-search"),
    ),
    "Blogger": Marks(
        generator=r"blogger\b", hosts=(".blogspot.com",), rels=("me.blogger",),
        files=("www.blogger.com/static", "www.blogger.com/dyn-css", "resources.blogblog.com"),
    ),
    "Substack": Marks(
        generator=r"Substack\b", hosts=(".substack.com",), headers={"x-served-by": "Substack"},
        files=("substackcdn.com", "cdn.substack.com"),
    ),
    "Squarespace": Marks(
        generator=r"Squarespace\b", hosts=(".squarespace.com",), headers={"server": "Squarespace"},
        files=("static1.squarespace.com", "assets.squarespace.com"),
    ),
    "Tumblr": Marks(
        generator=r"Tumblr\b", hosts=(".tumblr.com",), headers={"x-tumblr-user": ""}, files=("assets.tumblr.com",),
    ),
    "Medium": Marks(
        generator=r"Medium\b", hosts=("medium.com", ".medium.com"),
        headers={"x-powered-by": "Medium", "server": "Medium"},
        files=("cdn-client.medium.com", "cdn-static-1.medium.com"),
    ),
    "Wix": Marks(
        generator=r"Wix\.com", hosts=(".wixsite.com",), headers={"x-wix-request-id": ""},
        files=("static.parastorage.com", "static.wixstatic.com"),
    ),
    "TypePad": Marks(
        generator=r"https?://www\.typepad\.com|TypePad\b", hosts=(".typepad.com",), files=("static.typepad.com",),
    ),
    "Movable Type": Marks(generator=r"Movable Type\b", files=("/mt-static/",)),
    "LiveJournal": Marks(generator=r"LiveJournal\b", hosts=(".livejournal.com",), files=("l-stat.livejournal.net",)),
    "Dreamwidth": Marks(hosts=(".dreamwidth.org",)),
    "Drupal": Marks(
        generator=r"Drupal\b", headers={"x-generator": "Drupal", "x-drupal-cache": ""}, files=("/core/misc/drupal.js",),
    ),
    "Joomla": Marks(generator=r"Joomla!?", files=("/media/jui/js/", "/media/system/js/core")),
    "TYPO3": Marks(generator=r"TYPO3\b", files=("/typo3temp/",)),
    "Micro.blog": Marks(generator=r"Micro\.blog", hosts=(".micro.blog",), files=("micro.blog/books.js",)),
    "Write.as": Marks(generator=r"Write\.as", hosts=("write.as", ".writeas.com")),
    "WriteFreely": Marks(generator=r"WriteFreely\b"),
    "Bear": Marks(generator=r"Bear ?Blog\b", hosts=(".bearblog.dev",), files=("bear-images.sfo2",)),
    "Mataroa": Marks(generator=r"Mataroa\b", hosts=(".mataroa.blog",)),
    "Jekyll": Marks(generator=r"Jekyll\b", files=("/jekyll-theme",)),
    "Octopress": Marks(generator=r"Octopress\b", files=("/javascripts/octopress.js",)),
    "Hugo": Marks(generator=r"Hugo\b"),
    "Hexo": Marks(generator=r"Hexo\b"),
    "Pelican": Marks(generator=r"Pelican\b"),
    "Eleventy": Marks(generator=r"Eleventy\b"),
    "Nikola": Marks(generator=r"Nikola\b", files=("/assets/css/nikola_",)),
    "Gatsby": Marks(generator=r"Gatsby\b"),
    "Astro": Marks(generator=r"Astro\b"),
    "Zola": Marks(generator=r"Zola\b"),
    "Publii": Marks(generator=r"Publii\b"),
    "Quarto": Marks(generator=r"quarto\b", files=("/site_libs/quarto-",)),
    "Docusaurus": Marks(generator=r"Docusaurus\b"),
    "Next.js": Marks(generator=r"Next\.js", headers={"x-powered-by": "Next.js"}),
    "Lektor": Marks(generator=r"Lektor\b"),
    "Textpattern": Marks(generator=r"Textpattern\b"),
    "Serendipity": Marks(generator=r"Serendipity\b", files=("/serendipity.css", "serendipity_editor.js")),
    "Dotclear": Marks(generator=r"Dotclear\b"),
    "b2evolution": Marks(generator=r"b2evolution\b"),
    "Typecho": Marks(generator=r"Typecho\b", files=("/usr/themes/",)),
    "Z-Blog": Marks(generator=r"Z-Blog", files=("/zb_users/",)),
    "Bludit": Marks(generator=r"Bludit\b", files=("/bl-kernel/", "/bl-themes/")),
    "Grav": Marks(generator=r"GravCMS\b"),
    "Kirby": Marks(generator=r"Kirby\b"),
    "Craft CMS": Marks(generator=r"Craft CMS\b", headers={"x-powered-by": "Craft CMS"}),
    "Known": Marks(generator=r"Known\b"),
    "Blot": Marks(generator=r"Blot\b", hosts=(".blot.im",)),
    "Webflow": Marks(generator=r"Webflow\b", hosts=(".webflow.io",), files=("website-files.com/",)),
    "Weebly": Marks(generator=r"Weebly\b", hosts=(".weebly.com",), files=("cdn2.editmysite.com",)),
    "HubSpot": Marks(generator=r"HubSpot\b", files=("/hs-fs/hub/", "hs-scripts.com/")),
    "Hashnode": Marks(hosts=(".hashnode.dev",), files=("cdn.hashnode.com",)),
    "Posthaven": Marks(generator=r"Posthaven\b", hosts=(".posthaven.com",), files=("phaven-prod.s3",)),
    "Svbtle": Marks(generator=r"Svbtle\b", hosts=(".svbtle.com",)),
    "Buttondown": Marks(hosts=("buttondown.com", "buttondown.email")),
    "beehiiv": Marks(hosts=(".beehiiv.com",), files=("media.beehiiv.com",)),
    "Tistory": Marks(generator=r"Tistory\b", hosts=(".tistory.com",), files=("tistory1.daumcdn.net",)),
    "Hatena": Marks(hosts=(".hatenablog.com", ".hatenablog.jp", ".hateblo.jp"), files=("cdn.blog.st-hatena.com",)),
    "FC2": Marks(hosts=(".blog.fc2.com", ".fc2.net"), files=("static.fc2.com/",)),
    "Discourse": Marks(generator=r"Discourse\b"),
    "MediaWiki": Marks(generator=r"MediaWiki\b"),
    "DokuWiki": Marks(generator=r"DokuWiki\b"),
}
_GENERATORS = tuple(
    (name, re.compile(marks.generator, re.IGNORECASE)) for name, marks in PLATFORMS.items() if marks.generator
)


def platform_of(clues: BlogClues) -> Platform | None:
    """What makes a blog, as far as its front page, the headers of that and its address tell.

    >>> from everlog.core.tree import parse
    >>> from everlog.history.source import BlogClues
    >>> page = parse(b'<meta name="generator" content="WordPress 6.4">')
    >>> platform_of(BlogClues(home="https://a.org/", root=page))
    Platform(name='WordPress', evidence="the page's generator says WordPress 6.4", generator='WordPress 6.4')
    >>> platform_of(BlogClues(home="https://jo.substack.com/")).evidence
    'its host ends in .substack.com'
    """
    root = clues.root
    stated = list(_generators(root)) if root is not None else []
    # A program that is not in the table is named by what it says, if nothing else speaks: many are plug-ins of one.
    return (
        _by_generator(stated) or (_by_relation(root) if root is not None else None) or _by_host(clues.home)
        or _by_header(clues) or (_by_files(root) if root is not None else None)
        or next((Platform(name=each, evidence=f"the page's generator says {each}", generator=each) for each in stated),
                None)
    )


def _generators(root: Element) -> Iterator[str]:
    for meta in root.iter("meta"):
        content = " ".join((meta.get("content") or "").split())
        if (meta.get("name") or "").lower() == "generator" and content:
            yield content[:_LONGEST]


def _by_generator(stated: list[str]) -> Platform | None:
    for said in stated:
        for name, pattern in _GENERATORS:
            if pattern.match(said):
                return Platform(name=name, evidence=f"the page's generator says {said}", generator=said)
    return None


def _by_relation(root: Element) -> Platform | None:
    for link in root.iter("link"):
        rels = (link.get("rel") or "").split()
        for name, marks in PLATFORMS.items():
            if rel := next((rel for rel in marks.rels if rel in rels), None):
                where = urlsplit(link.get("href") or "").path or rel
                return Platform(name=name, evidence=f"the page links to {where[:_LONGEST]}")
    return None


def _by_host(home: str) -> Platform | None:
    try:
        host = urlsplit(home).hostname or ""
    except ValueError:
        return None
    for name, marks in PLATFORMS.items():
        for end in marks.hosts:
            if host.endswith(end) and (end.startswith(".") or host.removesuffix(end) in {"", "www."}):
                return Platform(name=name, evidence=f"its host ends in {end}")
    # Blogger has a host in every country: name.blogspot.de, name.blogspot.co.uk.
    if re.search(r"\.blogspot\.(?:com?\.)?[a-z]{2,3}$", host):
        return Platform(name="Blogger", evidence="its host is one of blogspot")
    return None


def _by_header(clues: BlogClues) -> Platform | None:
    for name, marks in PLATFORMS.items():
        for header, piece in marks.headers.items():
            value = next((each for each in clues.header_values(header) if piece.lower() in each.lower()), None)
            if value is not None:
                return Platform(name=name, evidence=f"the answer has the header {header}: {value[:_LONGEST]}".rstrip())
    return None


def _by_files(root: Element) -> Platform | None:
    for element in islice(root.iter("link", "script"), _MOST_FILES):
        address = element.get("src") or element.get("href") or ""
        for name, marks in PLATFORMS.items():
            if any(attribute in element.attrib for attribute in marks.attributes) and element.tag == "script":
                return Platform(name=name, evidence="a script of the page has its settings")
            if piece := next((piece for piece in marks.files if piece in address), None):
                return Platform(name=name, evidence=f"the page loads files of {piece}")
    return None
