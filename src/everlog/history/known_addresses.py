"""Set of addresses that were named before, small enough to be kept with the mark of a walk: 32 bits of a hash each.

An address is taken for known that is not once in 400,000 new ones, with as many remembered as are at most.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import dataclass, field

from everlog.core.urls import canonical

# 53 kB as text: a mark is written once per walk. Whoever names more is told all of its list again.
MOST_KNOWN = 10_000
_BYTES = 4


@dataclass(slots=True)
class KnownAddresses:
    """Addresses by their hashes. With too many of them it is `is_full`, and says of none that it is known."""

    hashes: set[int] = field(default_factory=set)
    is_full: bool = False

    @classmethod
    def unpacked(cls, packed: object) -> KnownAddresses:
        """What `packed` made; bytes that nobody packed are a set that knows nothing.

        >>> known = KnownAddresses()
        >>> known.add("https://a.org/1")
        >>> again = KnownAddresses.unpacked(known.packed())
        >>> again.holds("http://www.a.org/1/"), again.holds("https://a.org/2")
        (True, False)
        """
        if not isinstance(packed, str):
            return cls(is_full=True)
        try:
            data = base64.b64decode(packed.encode("ascii"), validate=True)
        except (ValueError, binascii.Error):
            return cls(is_full=True)
        return cls({int.from_bytes(data[at:at + _BYTES], "big") for at in range(0, len(data), _BYTES)})

    def packed(self) -> str | None:
        """The set as text; None if there are too many."""
        if self.is_full:
            return None
        return base64.b64encode(b"".join(number.to_bytes(_BYTES, "big") for number in sorted(self.hashes))).decode()

    def add(self, url: str) -> None:
        """Remember an address."""
        if not self.is_full:
            self.hashes.add(_hash(url))
            if len(self.hashes) > MOST_KNOWN:
                self.hashes.clear()
                self.is_full = True

    def holds(self, url: str) -> bool:
        """Whether an address, in any spelling, was named before; False where that is not known any more."""
        return not self.is_full and _hash(url) in self.hashes


def _hash(url: str) -> int:
    return zlib.crc32(canonical(url).encode("utf-8", "replace"))
