"""Records on one line of a terminal, for people who look at them."""

from __future__ import annotations

from datetime import datetime

# A record in a list, or at a prompt, is one line of a terminal: an address has the room that the rest leaves.
MOST_LINE = 100
MOST_TITLE = 30
MOST_WORD = 20


def on_a_line(
    kind: str, *, title: str | None = None, address: str | None = None, moment: datetime | None = None,
    about: tuple[str | None, ...] = (),
) -> str:
    """A record on one line: its title, its address, its day, and what else is worth knowing.

    >>> on_a_line("Post", title="Rain", address="https://a.blog/1", about=("3 comments",))
    "<Post 'Rain' https://a.blog/1, 3 comments>"
    """
    before = " ".join(filter(None, [kind, quoted(title) if title else None]))
    day = f" {moment:%Y-%m-%d}" if moment is not None else ""
    behind = ", ".join([day, *filter(None, about)])
    room = MOST_LINE - len(before) - len(behind) - 3
    return f"<{before}{f' {_without_middle(address, room)}' if address else ''}{behind}>"


def quoted(text: str, most: int = MOST_TITLE) -> str:
    """The beginning of a text in quotation marks, whatever it has for spaces.

    >>> quoted("So true.  And more of it, as long as anybody reads", 20)
    "'So true. And more o…'"
    """
    return repr(clipped(" ".join(text.split()), most))


def clipped(text: str, most: int) -> str:
    """The beginning of a text, with a mark where it was cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _without_middle(address: str, most: int) -> str:
    """An address by its host and its end: what is between is cut first."""
    end = most * 2 // 5
    return address if len(address) <= most else f"{address[: most - end - 1]}…{address[-end:]}"


def counted(number: int, noun: str, nouns: str | None = None) -> str | None:
    """So many of something; None of none.

    >>> counted(1, "comment"), counted(2, "entry", "entries"), counted(0, "comment")
    ('1 comment', '2 entries', None)
    """
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}" if number else None
