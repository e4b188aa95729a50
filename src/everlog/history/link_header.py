"""Links in the form of the `Link` header (RFC 8288): addresses with what they are to the page, as in TimeMaps too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Each part of a parameter ends where the next begins, so nothing is matched in two ways.
_LINK = re.compile(r'<([^<>]*)>((?:\s*;\s*[\w*-]+\s*=\s*(?:"[^"]*"|[^\s",;]+))*)')
_PARAMETER = re.compile(r';\s*([\w*-]+)\s*=\s*(?:"([^"]*)"|([^\s",;]+))')


def link_values(text: str) -> Iterator[tuple[str, Mapping[str, str], int]]:
    """Each address, its parameters by their names in small letters, and where it ends in the text.

    >>> [(url, said["rel"]) for url, said, _ in link_values('<https://a.org/?p=12>; rel=shortlink, </x>; REL="a b"')]
    [('https://a.org/?p=12', 'shortlink'), ('/x', 'a b')]
    """
    for link in _LINK.finditer(text):
        said = {name.lower(): quoted or bare for name, quoted, bare in _PARAMETER.findall(link[2])}
        yield link[1].strip(), said, link.end()
