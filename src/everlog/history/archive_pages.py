"""Archive pages by year and month as a history source: what the front page links to, and the months in between.

For blogs that nothing better is known of. A page of a month links to its posts: to addresses below its own, or such as
the feed's entries have. Months that nobody links to are asked for where two or more others tell how they are spelled;
one without posts is not there, and nothing is missing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from everlog.core.links import FIRST_YEAR, LAST_YEAR, LONGEST, PageLink, page_links, trap
from everlog.core.scope import Scope
from everlog.core.tree import Element, parse
from everlog.core.urls import canonical
from everlog.errors import UnreadablePage
from everlog.history.page_walk import PageWalk, Step
from everlog.history.source import BlogClues, Entrance, Grade, HistoryAnswer, HistoryRequest, ListedPost, Told

if TYPE_CHECKING:
    from everlog.extract.classify.url_pattern import UrlPattern

# Ten years of months.
MOST_REQUESTS = 120
# One alone is no archive, and tells not how the others are spelled.
FEWEST_LINKED = 2
# Links and entries that go into the entrance: enough to tell the way they are spelled.
MOST_LINKED = 200
MOST_SAMPLES = 20
# A month of a busy blog goes over several pages.
MOST_FURTHER = 20
_PUT_OFF = frozenset({0, 403, 429, 503})
_NOT_THERE = frozenset({404, 410})
_MONTHS = 12

# A year at the beginning of a segment, a month behind it or not, and nothing behind these but an ending.
_ARCHIVE = re.compile(
    r"(?P<front>.*?/|.*[?&]m=)(?P<year>(?:19|20)\d\d)"
    r"(?:(?P<between>[/_-]?)(?P<month>0[1-9]|1[0-2]|[1-9](?!\d)))?(?P<end>/?|(?:/index)?\.(?:html?|php)|/archive\.html?)"
)


_FURTHER = re.compile(r"page/\d+/?$")


class ArchivePage(NamedTuple):
    """A page of a month, or of a year if `month` is 0; `spelling` is what the addresses of all others have too."""

    url: str
    year: int
    month: int
    spelling: tuple[str, str, str]
    has_zero: bool = False


def archive_page(url: str) -> ArchivePage | None:
    """The archive page that an address is one of.

    >>> archive_page("https://a.org/blog/2009/03/")[1:3], archive_page("https://a.org/?m=200903")[1:3]
    ((2009, 3), (2009, 3))
    >>> archive_page("https://a.org/blog/2009/03/05/rain/"), archive_page("https://a.org/review-of-2019/")
    (None, None)
    """
    found = _ARCHIVE.fullmatch(url) if len(url) < LONGEST else None
    if found is None or not FIRST_YEAR <= int(found["year"]) <= LAST_YEAR:
        return None
    month = found["month"] or ""
    spelling = (found["front"], found["between"] or "", found["end"])
    return ArchivePage(url, int(found["year"]), int(month or 0), spelling, month.startswith("0"))


@dataclass(frozen=True, slots=True)
class ArchivePages:
    """The archive pages of a blog.

    Its entrance holds the home, the archive pages that were linked to, and some posts, in three parts.
    """

    name: str = "archive pages"
    grade: Grade = "C"
    most_requests: int = MOST_REQUESTS

    def entrance(self, clues: BlogClues) -> Entrance | None:
        """What the front page links to, where that is more than one month or year."""
        if clues.root is None:
            return None
        page = clues.home_page.url if clues.home_page is not None else clues.home
        links = (archive_page(link.url) for link in page_links(clues.root, page, within=Scope(clues.home)))
        linked = [each for each in links if each is not None and "|" not in each.url][:MOST_LINKED]
        plan = planned(linked)
        if not plan:
            return None
        entries = clues.feed.entries if clues.feed is not None else ()
        samples = [entry.link for entry in entries if entry.link and not {*" |"} & {*entry.link}][:MOST_SAMPLES]
        first, last = plan[-1], plan[0]
        evidence = f"the front page links to {len(linked)} archive pages, from {_said(first)} to {_said(last)}"
        addresses = " ".join(each.url for each in linked)
        return Entrance(url=f"{clues.home} | {addresses} | {' '.join(samples)}".rstrip(), evidence=evidence)

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,
    ) -> PageWalk:
        """The months from the newest back to the oldest."""
        del wants_comments
        plan = ArchivePlan.of(entrance)
        place = {"at": 0} if plan.pages else None
        return PageWalk.of(_Archives(plan), cursor, place=place, most_requests=self.most_requests)

    def changes(self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True) -> None:
        """None: what is new is in the feed or on the front page."""
        del entrance, mark, wants_comments


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePlan:
    """Which archive pages a blog has or may have, and which links on them lead to posts.

    >>> plan = ArchivePlan.of("https://a.org/ | https://a.org/2009/11/ https://a.org/2010/01/ | https://a.org/rain/")
    >>> [page.url for page in plan.unlinked]
    ['https://a.org/2009/12/']
    >>> links = [(url, canonical(url)) for url in ("https://a.org/2009/11/05/sun/", "https://a.org/2009/11/")]
    >>> plan.posts_on("https://a.org/2009/11/page/2/", links), plan.posts_on("https://a.org/tag/sea/", links)
    (['https://a.org/2009/11/05/sun/'], None)
    """

    pages: tuple[ArchivePage, ...]
    linked: frozenset[str]
    scope: Scope
    pattern: UrlPattern

    @classmethod
    def of(cls, entrance: str) -> ArchivePlan:
        """The plan that an entrance holds."""
        from everlog.extract.classify.url_pattern import UrlPattern  # noqa: PLC0415 - numpy: who lists does without

        home, linked, samples = (*(part.strip() for part in entrance.split("|")), "", "")[:3]
        pages = [each for each in map(archive_page, linked.split()) if each is not None]
        return cls(
            pages=tuple(planned(pages)), linked=frozenset(each.url for each in pages), scope=Scope(home),
            pattern=UrlPattern.learn(samples.split()),
        )

    @property
    def unlinked(self) -> tuple[ArchivePage, ...]:
        """The months in between that nobody links to, the newest first."""
        return tuple(page for page in self.pages if page.url not in self.linked)

    def posts_on(self, url: str, links: Iterable[tuple[str, str]]) -> list[str] | None:
        """The posts that an archive page, or a further page of one, leads to; None for another page."""
        page = archive_page(_FURTHER.sub("", url))
        if page is None or page.spelling not in {each.spelling for each in self.pages}:
            return None
        return [link for link, key in links if self.is_post(link, key, page)]

    def is_post(self, url: str, key: str, page: ArchivePage) -> bool:
        """Whether a link on an archive page leads to a post."""
        if trap(url) is not None or archive_page(url) is not None:
            return False
        return self.pattern.matches_key(key) or _is_below(url, page)


def planned(linked: Iterable[ArchivePage]) -> list[ArchivePage]:
    """The pages to ask for, the newest first: months as most are spelled, and the years before these.

    >>> pages = [archive_page(f"https://a.org/{at}/") for at in ("2009/11", "2010/02", "2008", "2009", "2010")]
    >>> [page.url[14:] for page in planned(pages)]
    ['2010/02/', '2010/01/', '2009/12/', '2009/11/', '2009/', '2008/']
    """
    pages = list(linked)
    months = _most_alike([page for page in pages if page.month])
    years = _most_alike([page for page in pages if not page.month])
    if len(months) < FEWEST_LINKED:
        return sorted(years, key=lambda page: page.year, reverse=True) if len(years) >= FEWEST_LINKED else []
    plan = _with_months_between(months)
    first = plan[-1]
    # Of the year whose months begin in its middle, the page of the year has the rest.
    before = [page for page in years if page.year < first.year or (page.year == first.year and first.month > 1)]
    return [*plan, *sorted(before, key=lambda page: page.year, reverse=True)]


def _most_alike(pages: list[ArchivePage]) -> list[ArchivePage]:
    """Those pages that are spelled as most are, each month once."""
    kinds: dict[tuple[str, str, str], dict[tuple[int, int], ArchivePage]] = defaultdict(dict)
    for page in pages:
        kinds[page.spelling].setdefault((page.year, page.month), page)
    return list(max(kinds.values(), key=len).values()) if kinds else []


def _with_months_between(pages: list[ArchivePage]) -> list[ArchivePage]:
    linked = {page.year * _MONTHS + page.month - 1: page for page in pages}
    front, between, end = pages[0].spelling
    digits = 1 if any(page.month < 10 and not page.has_zero for page in pages) else 2
    plan = []
    for number in range(max(linked), min(linked) - 1, -1):
        year, month = number // _MONTHS, number % _MONTHS + 1
        url = f"{front}{year}{between}{month:0{digits}}{end}"
        plan.append(linked.get(number) or ArchivePage(url, year, month, pages[0].spelling))
    return plan


@dataclass(frozen=True, slots=True)
class _Archives:
    """The pages of a plan, and the further pages that these link to."""

    plan: ArchivePlan

    def request(self, place: Mapping[str, Any]) -> HistoryRequest:
        return HistoryRequest(url=place.get("further") or self.plan.pages[place["at"]].url, purpose="page")

    def read(self, answer: HistoryAnswer, place: Mapping[str, Any]) -> Step:
        if answer.status in _PUT_OFF:
            why = f"it answers with HTTP {answer.status}" if answer.status else "no answer"
            return Step(told=Told(problem=why), next_place=place, is_put_off=True)
        page = self.plan.pages[place["at"]]
        root = _parsed(answer) if answer.is_ok else None
        if root is None:
            is_missed = page.url in self.plan.linked and answer.status not in _NOT_THERE
            problem = f"{page.url}: it answers with HTTP {answer.status}" if is_missed else None
            return self._next(place, Told(problem=problem), is_missed=is_missed)
        links = page_links(root, answer.url, within=self.plan.scope)
        posts = tuple(ListedPost(url=link.url) for link in links if self._is_post(link, page))
        further, count = self._further(links, page, answer.url), int(place.get("count") or 0) + 1
        if further is not None and count <= MOST_FURTHER and further != place.get("further"):
            return Step(
                told=Told(posts=posts), next_place={**place, "further": further, "count": count},
                requests_left=len(self.plan.pages) - place["at"],
            )
        return self._next(place, Told(posts=posts))

    def _next(self, place: Mapping[str, Any], told: Told, *, is_missed: bool = False) -> Step:
        at, has_gap = place["at"] + 1, is_missed or bool(place.get("has_gap"))
        if at >= len(self.plan.pages):
            return Step(told=told, is_end=not has_gap)
        return Step(told=told, next_place={"at": at, "has_gap": has_gap}, requests_left=len(self.plan.pages) - at)

    def _is_post(self, link: PageLink, page: ArchivePage) -> bool:
        return link.rel not in {"next", "prev"} and self.plan.is_post(link.url, link.key, page)

    def _further(self, links: Iterable[PageLink], page: ArchivePage, url: str) -> str | None:
        """The next page of the same month, if there is one."""
        own = canonical(page.url)
        return next(
            (link.url for link in links
             if link.rel == "next" and link.key.startswith(own) and link.key not in {own, canonical(url)}), None,
        )


def _is_below(url: str, page: ArchivePage) -> bool:
    """Whether an address lies in the folder of the month or year and is no page of a day, or a further page.

    >>> march = archive_page("https://a.org/2009/03/")
    >>> [_is_below(f"https://a.org/2009/03/{end}", march) for end in ("rain/", "05/rain.html", "05/", "page/2/", "")]
    [True, True, False, False, False]
    """
    month = rf"[/_-]?0?{page.month}" if page.month else r"(?:[/_-]?\d\d?)?"
    found = re.search(rf"/{page.year}{month}/(?:\d\d?/)?(.+)", urlsplit(url).path)
    rest = found[1].strip("/") if found else ""
    return bool(rest) and not rest.isdecimal() and not re.match(r"page/\d|index\.\w+$", rest)


def _parsed(answer: HistoryAnswer) -> Element | None:
    try:
        return parse(answer.body, answer.header("content-type"))
    except UnreadablePage:
        return None


def _said(page: ArchivePage) -> str:
    return f"{page.year}-{page.month:02}" if page.month else str(page.year)


SOURCE = ArchivePages()
