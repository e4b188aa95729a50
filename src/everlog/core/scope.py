"""The scope of a blog: which addresses are its own, and where else the same page may be.

    Scope             `is_own(url)` is the decision; home, scope mode, former homes, further folders, aliases
    Alias             another address that a blog's own pages call theirs
    keys_elsewhere    the keys of a page at the other homes of its blog
    url_now           where a page of a blog that moved is by now

It is built in one place (`usecases.discover.blog_scope`); everybody else asks it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.urls import absolute, canonical, host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from everlog.records import Blog, Failure

_PAGE_FILE = re.compile(r"\.(?:html?|php|aspx?)$", re.IGNORECASE)
# One entry alone may be anything: an "about" page, a page of another section. Two in one folder are a habit.
LEAST_IN_FOLDER = 2
# Folders that are remembered of one blog: an odd entry here and there must not add up for ever.
MOST_PLACES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A home that a blog's pages name as their own while the blog is read at another: a mirror, a former host.

    `here` says that its pages are looked for at the same path below the blog's home, `followed` that its own host
    is asked as well; where it is not, `reason` says why, and `answers` whether anybody answers there at all.
    """

    home: str
    here: bool = False
    followed: bool = False
    reason: str = ""
    answers: bool = True


@dataclass(frozen=True)
class Scope:
    """Which addresses belong to a blog; scheme and `www` make no difference.

    `path` is what lies below the blog's home, `host` all of its host, `subdomains` also all below it.

    >>> blog = Scope("https://www.a.org/blog/")
    >>> blog.is_own("http://a.org/blog/2020/x"), blog.is_own("https://a.org/shop"), blog.is_own("https://a.org/blogger")
    (True, False, False)
    >>> Scope("https://a.org/blog/", "subdomains").is_own("https://en.a.org/")
    True

    A blog that moved holds what lies at its `former` homes as well; `also` are further folders that hold posts of
    it. `aliases` are other addresses that its pages call their own: what is looked for `here` is no page of theirs.

    >>> Scope("https://b.org/", former=("https://a.org/",)).is_own("https://a.org/2020/x")
    True
    >>> Scope("https://a.org/blog/", also=("https://a.org/notes/",)).is_own("https://a.org/notes/7")
    True
    """

    home: str
    mode: str = "path"
    former: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    aliases: tuple[Alias, ...] = ()

    def is_own(self, url: str) -> bool:
        """Whether a URL belongs to the blog."""
        return self.is_own_key(canonical(url))

    def is_own_key(self, key: str) -> bool:
        """The same for a URL in its canonical spelling."""
        return self._is_here(key) or any(scope.is_own_key(key) for scope in self._others)

    def localized(self, url: str, key: str) -> tuple[str, str]:
        """A link and its key; where it leads to an alias whose pages are looked for here, those of the page here.

        >>> blog = Scope("https://a.org/", aliases=(Alias(home="http://www.b.org/", here=True),))
        >>> blog.localized("http://www.b.org/2020/x/", "b.org/2020/x")
        ('https://a.org/2020/x/', 'a.org/2020/x')
        """
        for alias in self.aliases:
            if alias.here and is_below(key, folder_of(alias.home)):
                here = rebased(url, alias.home, self.home)
                return here, canonical(here)
        return url, key

    def page_urls(self, link: str) -> tuple[str, ...]:
        """Where the page of a feed's entry may be: its link, and the same path on the blog's own host.

        Feeds written by a build on somebody's machine link to that machine, feeds of a moved blog to its
        old host; the path is right in both.

        >>> Scope("https://a.org/").page_urls("http://localhost:4000/2020/x/")
        ('https://a.org/2020/x/', 'http://localhost:4000/2020/x/')
        """
        link, key = self.localized(link, canonical(link))
        if self.is_own_key(key):
            return (link,)
        here, there = urlsplit(self.home), urlsplit(link)
        moved = there._replace(scheme=here.scheme, netloc=here.netloc).geturl()
        return (moved, link) if self.is_own(moved) else (link,)

    def is_own_failure(self, failure: Failure) -> bool:
        """Whether it was the blog's own host that failed, not one that a redirect leads to."""
        last = failure.exchanges[-1] if failure.exchanges else None
        moved = absolute(last.url, last.header("location")) if last is not None and 300 <= last.status < 400 else None
        target = moved or failure.url
        return host_of(target) == self._host or self.is_own(target)

    def widened(self, entries: Iterable[str]) -> Scope:
        """The scope with the folders of its host that the pages of a feed's entries stand in."""
        places = spanned(entries, self)
        return replace(self, also=(*self.also, *places)[: max(MOST_PLACES, len(self.also))]) if places else self

    def leaves_out(self, key: str, *, is_headed: bool = True) -> bool:
        """Whether an address is not the blog's but may be: at an alias not followed, or on its host and listed."""
        if self.is_own_key(key):
            return False
        at_alias = any(not alias.here and is_below(key, folder_of(alias.home)) for alias in self.aliases)
        return at_alias or (is_headed and _host_of_key(key) == self._host)

    @cached_property
    def may_leave_out(self) -> bool:
        """Whether there may be any address that `leaves_out` tells."""
        unfollowed = any(not (alias.here or alias.followed) for alias in self.aliases)
        return unfollowed or (self.mode == "path" and not self.is_own_key(self._host))

    def _is_here(self, key: str) -> bool:
        if self.mode == "path":
            return is_below(key, self._above)
        host = _host_of_key(key)
        return host == self._host or (self.mode == "subdomains" and host.endswith("." + self._host))

    @cached_property
    def _others(self) -> tuple[Scope, ...]:
        followed = [alias.home for alias in self.aliases if alias.followed]
        return (*(Scope(home, self.mode) for home in (*self.former, *followed)), *map(Scope, self.also))

    @cached_property
    def _host(self) -> str:
        return host_of(self.home)

    @cached_property
    def _above(self) -> str:
        return folder_of(self.home)


def home_scope(blog: Blog) -> Scope:
    """What belongs to a blog of an archive, wherever it has lived."""
    return Scope(blog.home, blog.scope, blog.former_homes)


def is_within(url: str, home: str) -> bool:
    """Whether a URL lies below another one, in whatever spelling.

    >>> is_within("http://www.a.org/blog/x", "https://a.org/blog/"), is_within("http://a.org/x", "https://a.org/blog/")
    (True, False)
    """
    return Scope(home).is_own(url)


def keys_elsewhere(key: str, blog: Blog) -> tuple[str, ...]:
    """The keys that a page of a blog has at the other homes of the blog, its present one first: the same path there."""
    homes = [folder_of(home) for home in (blog.home, *reversed(blog.former_homes))]
    inside = [home for home in homes if is_below(key, home)]
    if not inside:
        return ()
    below = key.removeprefix(max(inside, key=len))
    return tuple(dict.fromkeys(home + below for home in homes if home + below != key))


def url_now(url: str, blog: Blog) -> str:
    """Where a page of a blog is by now: the same path below the present home, spelled as it was.

    Keys have lost the slash at the end, which not every server forgives.

    >>> from datetime import UTC, datetime
    >>> from everlog.records import Blog
    >>> blog = Blog(id=1, home="https://b.org/", former_homes=("http://a.org/blog/",), added_at=datetime.now(UTC))
    >>> url_now("http://www.a.org/blog/2020/x/", blog), url_now("https://b.org/y/", blog)
    ('https://b.org/2020/x/', 'https://b.org/y/')
    """
    if is_within(url, blog.home):
        return url
    for former in reversed(blog.former_homes):
        if is_within(url, former):
            return rebased(url, former, blog.home)
    return url


def spanned(urls: Iterable[str], scope: Scope) -> tuple[str, ...]:
    """The folders of the blog's host, outside its scope, that some entries of its feed stand in.

    The root of the host is the folder of most entries, or of none: one odd entry there does not make all of the
    host the blog's. An odd entry belongs to the blog by itself.

    >>> blog = Scope("https://a.org/blog/")
    >>> spanned(["https://a.org/2020/05/x/", "https://a.org/2021/01/y/", "https://a.org/blog/z/"], blog)
    ('https://a.org/',)
    >>> spanned(["https://a.org/blog/x", "https://a.org/blog/z", "https://a.org/about", "https://b.org/x"], blog)
    ('https://a.org/about',)
    """
    own = {canonical(url): url for url in urls if host_of(url) == host_of(scope.home)}
    outside = [url for key, url in own.items() if not scope.is_own_key(key)]
    folders = Counter(map(_folder, outside))
    found: dict[str, None] = {}
    for url in outside:
        folder = _folder(url)
        is_root = urlsplit(folder).path == "/"
        is_shared = folders[folder] * 2 > len(own) if is_root else folders[folder] >= LEAST_IN_FOLDER
        found.setdefault(folder if is_shared else url)
    return tuple(url for url in found if not any(is_within(url, other) for other in found if other != url))


def _folder(url: str) -> str:
    """The folder that an entry's older neighbours stand in too: above the numbers of its year, month and day."""
    parts = urlsplit(url)
    kept: list[str] = []
    for segment in parts.path.strip("/").split("/")[:-1]:
        if segment.isdecimal():
            break
        kept.append(segment)
    return parts._replace(path="/" + "".join(f"{segment}/" for segment in kept), query="", fragment="").geturl()


def with_links_here(body: bytes, aliases: Iterable[Alias], home: str) -> bytes:
    """A page whose links to aliases that are looked for here lead here, for readers that know one home only.

    >>> alias = Alias(home="http://www.b.org/", here=True)
    >>> with_links_here(b'<a href="http://b.org/x">x</a> <a href=//b.org.uk/>y</a>', [alias], "https://a.org/m/")
    b'<a href="https://a.org/m/x">x</a> <a href=//b.org.uk/>y</a>'
    """
    for alias in aliases:
        if alias.here:
            parts = urlsplit(alias.home)
            named = parts.netloc.removeprefix("www.") + without_file(parts.path.rstrip("/"))
            # Literal text between fixed ends: nothing in it can be matched in two ways.
            link = rb"(?:https?:)?//(?:www\.)?" + re.escape(named.encode()) + rb"(?=[/?#\s\"'<>])"
            body = re.sub(link, _as_it_is(home), body, flags=re.IGNORECASE)
    return body


def _as_it_is(home: str) -> Callable[[re.Match[bytes]], bytes]:
    """A home without its last slash, to be put in the place of another: no sign in it means anything to `re.sub`."""
    parts = urlsplit(home)
    here = parts._replace(path=without_file(parts.path.rstrip("/")), query="", fragment="").geturl().encode()
    return lambda _: here


def folder_of(home: str) -> str:
    """The key of a home; that of its folder, if the home is a file.

    >>> folder_of("https://www.a.org/blog/index.php"), folder_of("http://a.org/blog/home.html")
    ('a.org/blog', 'a.org/blog')
    """
    return without_file(canonical(home).partition("?")[0])


def without_file(path: str) -> str:
    """A path without the page at its end, if one stands there."""
    folder, slash, name = path.rpartition("/")
    return folder if slash and _PAGE_FILE.search(name) else path


def is_below(key: str, folder: str) -> bool:
    """Whether a page's key lies in the folder of that key, or is it.

    >>> is_below("a.org/blog/x", "a.org/blog"), is_below("a.org/blogger", "a.org/blog"), is_below("a.org?p=1", "a.org")
    (True, False, True)
    """
    return key.startswith(folder) and (len(key) == len(folder) or key[len(folder)] in "/?#")


def rebased(url: str, here: str, there: str) -> str:
    """The page of the blog at home `here` as the address of the same page below the home `there`.

    >>> rebased("http://www.a.org/blog/2020/x/?p=1", "http://a.org/blog/", "https://b.org/")
    'https://b.org/2020/x/?p=1'
    """
    parts, home = urlsplit(url), urlsplit(there)
    below = parts.path.removeprefix(without_file(urlsplit(here).path.rstrip("/")))
    path = without_file(home.path.rstrip("/")) + below
    return parts._replace(scheme=home.scheme, netloc=home.netloc, path=path or "/").geturl()


def _host_of_key(key: str) -> str:
    return re.split(r"[/?#]", key, maxsplit=1)[0]
