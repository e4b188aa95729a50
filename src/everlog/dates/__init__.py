"""Dates as blogs write them: rendered, spotted in text, and read back.

    names       month names, halves of the day and numeric order of a language
    stamps      a day, perhaps a time, perhaps an offset: what a text states
    clock       times of the day
    formats     DateFormat: a pattern in a language, parsing and rendering
    scan        every date in a text, and the format it is written in
    machine     ISO 8601, RFC 2822, epoch seconds: dates written for programs
    relative    "3 days ago"
    targets     one moment in all the ways a page may show it
    read_date   learned formats first, everything else after; begin here
"""

from everlog.dates.formats import DateFormat
from everlog.dates.read_date import Found, read_date
from everlog.dates.stamps import Stamp
from everlog.dates.targets import targets

__all__ = ["DateFormat", "Found", "Stamp", "read_date", "targets"]
