"""The time of day that stands after a date."""

from __future__ import annotations

import re
from datetime import time, timezone

from everlog.dates.stamps import read_offset

# At most a few marks and one small word part a date from its time: "1 March 2019 at 10:30",
# "2019年3月1日 上午10:30", "01.03.2019 um 10.30 Uhr". All repetitions are bounded.
_CLOCK = re.compile(
    r"(?:\s?(?:日|일|г\.|г|р\.))?[^\w+]{0,5}"
    r"(?:(?:at|um|à|as|às|a las|alle|alle ore|ore|kl|klo|в|о|om|o|saat|t)[\s.]{1,2}|t)?"
    r"\(?(?P<before>上午|下午|午前|午後|오전|오후)?\s?"
    r"(?P<hour>\d{1,2})\s?(?::|\.|h|时|時|시|点|點)\s?(?P<minute>[0-5]\d)(?!\d)"
    r"(?:\s?(?::|\.|分|분)\s?(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?"
    r"\s?(?P<half>[ap]\.?\s?m\b\.?|[πμ]\.?μ\.?)?"
    r"\s{0,2}(?P<zone>z\b|(?:utc|gmt)?\s?[+\-−]\d\d?:?(?:\d\d)?\b|(?:utc|gmt|[ecmp][sd]t|ce[s]?t|jst|kst|msk|bst)\b)?"
)


def read_clock(prepared: str, start: int) -> tuple[time | None, timezone | None]:
    """The time that stands at a place of a folded text, and its offset.

    >>> read_clock("1 march 2019 at 10:30 pm +0200", 12)
    (datetime.time(22, 30), datetime.timezone(datetime.timedelta(seconds=7200)))
    >>> read_clock("1 march 2019, 12 comments", 12)
    (None, None)
    """
    match = _CLOCK.match(prepared, start)
    if match is None:
        return None, None
    hour = int(match["hour"])
    half = match["half"] or match["before"]
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if is_afternoon(half) else 0)
    if hour > 23:
        return None, None
    return time(hour, int(match["minute"]), int(match["second"] or 0)), read_offset(match["zone"])


def is_afternoon(half: str) -> bool:
    """Whether a word for a half of the day means the second.

    >>> is_afternoon("p.m."), is_afternoon("上午")
    (True, False)
    """
    return half[0] in "pμ下" or half[:2] in {"午後", "오후", "дп", "по"}
