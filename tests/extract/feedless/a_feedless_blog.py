"""A small blog without a feed: a front page with two list pages, posts, tags, months and pages beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

HOME = "https://quiet.example/"
WORDS = (
    "river stone lantern ferry harvest kettle orchard winter marble button candle thunder meadow copper pocket "
    "garden violin harbour feather window bottle mountain saddle curtain bridge cinnamon whistle anchor pepper maple"
).split()


def sentence(seed: int, length: int = 14) -> str:
    """Words that no other seed has in this order."""
    return " ".join(WORDS[(seed * 7 + step * (seed + 3)) % len(WORDS)] + (f"{seed}" if step % 5 == 0 else "")
                    for step in range(length)).capitalize() + "."


def title_of(number: int) -> str:
    return f"On {WORDS[number % len(WORDS)]} and {WORDS[(number * 5 + 2) % len(WORDS)]}"


def path_of(number: int) -> str:
    return f"2021/{number % 12 + 1:02}/on-{WORDS[number % len(WORDS)]}-and-{WORDS[(number * 5 + 2) % len(WORDS)]}/"


@dataclass
class FeedlessBlog:
    """The pages of the blog by their URL. The switches say what its design shows, and where posts stand."""

    posts: int = 12
    dated: bool = True
    headed: bool = True
    root_slugs: bool = False
    extra: dict[str, str] = field(default_factory=dict)

    def url(self, number: int) -> str:
        path = path_of(number)
        return HOME + (path.split("/", 2)[2] if self.root_slugs else path)

    def pages(self) -> dict[str, bytes]:
        everything = range(self.posts)
        made = {HOME: self.listing(everything), HOME + "page/2/": self.listing(everything[self.posts // 2:])}
        made |= {f"{HOME}tag/{word}/": self.listing([n]) for n, word in enumerate(WORDS[:3])}
        made[HOME + "about/"] = self.page("About me", f"<div class='text'><p>{sentence(91, 60)}</p></div>")
        made[HOME + "contact/"] = self.page("Contact", f"<div class='text'><p>{sentence(92, 60)}</p></div>")
        made |= {self.url(number): self.post(number) for number in range(self.posts)}
        return {url: text.encode() for url, text in (made | self.extra).items()}

    def post(self, number: int) -> str:
        date = f"<p class='date'>{number % 27 + 1} May 2021</p>" if self.dated else ""
        body = "".join(f"<p>{sentence(number * 10 + part, 30)}</p>" for part in range(3))
        tag = WORDS[number % 3]
        return self.page(
            title_of(number),
            f"<article class='entry'><h2 class='entry-title'>{title_of(number)}</h2>{date}"
            f"<div class='entry-text'>{body}</div>"
            f"<p class='filed'>Filed under <a href='/tag/{tag}/'>{tag}</a></p></article>",
        )

    def listing(self, numbers: Iterable[int]) -> str:
        tag = "h2" if self.headed else "b"
        rows = "".join(
            f"<div class='teaser'><{tag}><a href='{self.url(n)}'>{title_of(n)}</a></{tag}>"
            f"<p>{sentence(n * 10, 8)}</p></div>" for n in numbers
        )
        return self.page("Quiet Days", rows + "<a href='/page/2/'>Older</a>", site_name=False)

    def page(self, title: str, content: str, *, site_name: bool = True) -> str:
        name = f"{title} | Quiet Days" if site_name else title
        return (
            f"<html lang='en'><head><title>{name}</title></head><body><h1><a href='/'>Quiet Days</a></h1>"
            f"<nav><a href='/'>Home</a> <a href='/about/'>About</a> <a href='/contact/'>Contact</a></nav>{content}"
            "<footer>All texts are free to be read aloud at any time of the day or night.</footer></body></html>"
        )
