"""The scope of a blog: which addresses are its own, and where else the same page may be.

    Scope             `is_own(url)` is the decision; home, scope mode, former homes, further folders, aliases
    Alias             another name of the blog: an address at which the same posts are, or were
    keys_elsewhere    the keys of a page at the other homes of its blog
    platform_name     the part of a host that names a blog on a platform with a host for every country
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
    from collections.abc import Iterable, Sequence

    from everlog.records import Blog, Failure

_PAGE_FILE = re.compile(r"\.(?:html?|php|aspx?)$", re.IGNORECASE)
# One entry alone may be anything: an "about" page, a page of another section. Two in one folder are a habit.
LEAST_IN_FOLDER = 2
# Blogger serves each blog below the name of every country (blogspot.de, blogspot.co.uk, blogspot.com.au): one blog.
_COUNTRY_HOST = re.compile(r"([\w-]+\.blogspot\.)(?:com|[a-z]{2}|com?\.[a-z]{2})(?=[/?#]|$)")
# Folders that are remembered of one blog: an odd entry here and there must not add up for ever.
MOST_PLACES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """Another name of a blog that is read at its home: a mirror, a former host or folder, a name of its platform.

    `here` says that its pages are looked for at the same path below the blog's home, `followed` that its own host
    is asked as well; where it is not, `reason` says why, and `answers` whether anybody answers there at all.
    `evidence` is why it is believed to be the same blog, in words.
    """

    home: str
    here: bool = False
    followed: bool = False
    reason: str = ""
    answers: bool = True
    evidence: tuple[str, ...] = ()

    @property
    def is_name(self) -> bool:
        """Whether it is a name of the blog, not only an address that its pages name."""
        return self.here or self.followed or bool(self.evidence)


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
        if self._is_here(key) or any(scope.is_own_key(key) for scope in self._others):
            return True
        return self._platform_name is not None and (own := self._of_country(key)) is not None and self._is_here(own)

    def localized(self, url: str, key: str) -> tuple[str, str]:
        """A link and its key; where it leads to an alias whose pages are looked for here, those of the page here.

        >>> blog = Scope("https://a.org/", aliases=(Alias(home="http://www.b.org/", here=True),))
        >>> blog.localized("http://www.b.org/2020/x/", "b.org/2020/x")
        ('https://a.org/2020/x/', 'a.org/2020/x')
        >>> Scope("http://a.blogspot.com/").localized("http://a.blogspot.co.uk/x", "a.blogspot.co.uk/x")
        ('http://a.blogspot.com/x', 'a.blogspot.com/x')
        """
        for folder, home in self._looked_for_here:
            if is_below(key, folder):
                here = rebased(url, home, self.home)
                return here, canonical(here)
        if self._platform_name is not None and (own := self._of_country(key)) is not None:
            there = urlsplit(self.home)
            return urlsplit(url)._replace(scheme=there.scheme, netloc=there.netloc).geturl(), own
        return url, key

    @cached_property
    def has_names(self) -> bool:
        """Whether the blog has other names, so that `localized` may tell another address."""
        return bool(self._looked_for_here) or self._platform_name is not None

    @cached_property
    def has_homes(self) -> bool:
        """Whether the blog has, or had, other homes, so that `keys_of` may tell other keys."""
        return len(self._folders) > 1 or self._platform_name is not None

    def keys_of(self, key: str) -> tuple[str, ...]:
        """All keys that a page may be held under, its own first: the same path at every name that the blog has or had.

        >>> alias = Alias(home="http://c.org/", here=True)
        >>> blog = Scope("https://a.org/", former=("http://b.org/blog/",), aliases=(alias,))
        >>> blog.keys_of("b.org/blog/2020/x"), blog.keys_of("elsewhere.org/x")
        (('b.org/blog/2020/x', 'a.org/2020/x', 'c.org/2020/x'), ('elsewhere.org/x',))
        """
        own = (self._of_country(key) if self._platform_name is not None else None) or key
        return tuple(dict.fromkeys((key, own, *_same_path(own, self._folders))))

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

    @cached_property
    def _looked_for_here(self) -> tuple[tuple[str, str], ...]:
        """Folders, and homes, of names whose pages are looked for here, the innermost first.

        Not those that the home itself lies in: a blog that was at "/" and is in "/blog/" now may have neighbours.
        """
        named = [(folder_of(alias.home), alias.home) for alias in self.aliases if alias.here]
        return tuple(sorted(
            (each for each in named if not is_below(self._above, each[0])), key=lambda each: len(each[0]), reverse=True,
        ))

    @cached_property
    def _folders(self) -> tuple[str, ...]:
        """The folders of all names: the home's, then those of before, the latest first, then the others."""
        names = (alias.home for alias in self.aliases if alias.is_name)
        return tuple(dict.fromkeys(map(folder_of, (self.home, *reversed(self.former), *names))))

    @cached_property
    def _platform_name(self) -> str | None:
        return platform_name(self._host)

    def _of_country(self, key: str) -> str | None:
        """The key at the blog's own host of a page at its platform's host for another country; None if it is none."""
        name = self._platform_name
        if name is None or not key.startswith(name) or (host := _COUNTRY_HOST.match(key)) is None:
            return None
        return self._host + key[host.end():] if host[0] != self._host else None

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
    return _same_path(key, [folder_of(home) for home in (blog.home, *reversed(blog.former_homes))])


def _same_path(key: str, folders: Sequence[str]) -> tuple[str, ...]:
    """The other keys that a page in one of these folders has in the others: the same path there."""
    inside = [folder for folder in folders if is_below(key, folder)]
    if not inside:
        return ()
    below = key.removeprefix(max(inside, key=len))
    return tuple(dict.fromkeys(folder + below for folder in folders if folder + below != key))


def platform_name(host: str) -> str | None:
    """The part of a host that names a blog on a platform which has a host for every country; None elsewhere.

    >>> platform_name("ann.blogspot.co.uk"), platform_name("ann.wordpress.com")
    ('ann.blogspot.', None)
    """
    found = _COUNTRY_HOST.fullmatch(host)
    return found[1] if found is not None else None


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
