"""The path model: a small XPath of tags, a few attributes, and wildcards.

    |html|body|div[@id=post-*]|div[@class=body]     from the root, step by step
    div[@id=post-*]|*|h1                            anywhere; `*` stands for any number of nodes

A `*` in a value stands for any characters. The signs of the notation are escaped with a backslash
where they are part of a value, as they are in many class names of today.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

# What names a node for the template and not for its content: an `href` or `title` is new on each page.
ATTRIBUTES = ("class", "id", "itemprop", "rel", "role")

# Listing 2 of the paper: four common steps are merged, two are "incompatible". `|html|body|div` is
# the shortest path that says anything about where in a page a node is. On 83 corpus blogs 3 and 4
# read the same fields.
MINIMUM_PREFIX = 3

ANY_NODES = "*"


@dataclass(frozen=True, slots=True)
class Step:
    """One node of a path; `attributes` are (name, pattern) sorted by name."""

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        listed = ",".join(f"@{name}={pattern}" for name, pattern in self.attributes)
        return f"{self.tag}[{listed}]" if listed else self.tag

    def matches(self, element: _Element) -> bool:
        """Whether the node has the tag and all the attributes; it may have more."""
        if element.tag != self.tag:
            return False
        for name, pattern in self.attributes:
            value = element.get(name)
            if value is None or not value_matches(pattern, " ".join(value.split())):
                return False
        return True

    @property
    def literal(self) -> bool:
        """Whether an attribute says more than that it is there."""
        return any(pattern != "*" for _, pattern in self.attributes)


@dataclass(frozen=True, slots=True)
class KeyPath:
    """A path to one node or to several alike.

    >>> path = KeyPath.parse("|html|body|div[@id=post-*]|h1")
    >>> path.absolute, len(path.steps), path.steps[2].attributes
    (True, 4, (('id', 'post-*'),))
    >>> str(path)
    '|html|body|div[@id=post-*]|h1'
    """

    steps: tuple[Step, ...]
    absolute: bool = True

    @classmethod
    def parse(cls, text: str) -> KeyPath:
        """Read the notation; blanks around its signs are ignored."""
        text = text.strip()
        absolute = text.startswith("|")
        steps = tuple(_parse_step(part) for part in _split(text[absolute:], "|"))
        return cls(steps, absolute)

    def __str__(self) -> str:
        return "|" * self.absolute + "|".join(map(str, self.steps))

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def tags(self) -> tuple[str, ...]:
        """The path without its names: the shape of where it leads."""
        return tuple(step.tag for step in self.steps)


def path_to(element: _Element) -> KeyPath:
    """The absolute path to a node, with all that names its nodes.

    >>> from lxml import etree
    >>> str(path_to(etree.HTML("<div id='post-7' class='post'><p>Text").find(".//p")))
    '|html|body|div[@class=post,@id=post-7]|p'
    """
    chain = [element, *element.iterancestors()]
    return KeyPath(tuple(_step_of(node) for node in reversed(chain)))


def merge(a: KeyPath, b: KeyPath, minimum_prefix: int = MINIMUM_PREFIX) -> KeyPath | None:
    """The path of what two paths have in common; None if that is shorter than the minimum.

    >>> one, two = "|html|body|div[@id=post-2]|h1", "|html|body|div[@id=post-1]|b"
    >>> str(merge(KeyPath.parse(one), KeyPath.parse(two)))
    '|html|body|div[@id=post-*]'
    """
    if a.absolute != b.absolute:
        return None
    alike = takewhile(lambda pair: pair[0].tag == pair[1].tag, zip(a.steps, b.steps, strict=False))
    steps = tuple(_merge_steps(left, right) for left, right in alike)
    while steps and steps[-1].tag == ANY_NODES:  # "anything below" is not a node
        steps = steps[:-1]
    return KeyPath(steps, a.absolute) if len(steps) >= minimum_prefix else None


@lru_cache(maxsize=4096)
def common_pattern(a: str, b: str) -> str:
    """The pattern of two values: what both begin with, then a wildcard.

    The prefix ends where a word or a number ends: posts 1337 and 1338 do not have `post-133*` in
    common, nor do `tag-perl` and `tag-python` have `tag-p*`; the next post would not be found.

    >>> common_pattern("post-1337", "post-1338"), common_pattern("post-*", "post"), common_pattern("a", "b")
    ('post-*', 'post*', '*')
    """
    if a == b:
        return a
    alike = takewhile(lambda pair: pair[0] == pair[1] != "*", zip(_parts(a), _parts(b), strict=False))
    return "".join(part for part, _ in alike) + "*"


def without_numbers(path: KeyPath) -> KeyPath:
    """A path seen on one page only: what may be a post's number there is taken for one.

    Too wide a `col-md-*` costs little; a `post-1337` fits no other post.

    >>> str(without_numbers(KeyPath.parse("|html|body|div[@id=post-1337]|div[@class=h2 body]")))
    '|html|body|div[@id=post-*]|div[@class=h2 body]'
    """
    steps = (Step(step.tag, tuple((name, _NUMBER.sub("*", pattern)) for name, pattern in step.attributes))
             for step in path.steps)
    return KeyPath(tuple(steps), path.absolute)


# A number on its own (`post-1337`, `1337`), and all behind it; not the 2 of `h2`.
_NUMBER = re.compile(r"(?<![^\W_])\d.*", re.DOTALL)


def value_matches(pattern: str, value: str) -> bool:
    """Whether a value is one the pattern stands for.

    >>> value_matches("post-*", "post-12"), value_matches("post", "post-12"), value_matches(r"w-\\*", "w-*")
    (True, False, True)
    """
    return _expression(pattern).fullmatch(value) is not None


def escaped(value: str) -> str:
    """A value as a pattern that only it matches."""
    return _SIGNS.sub(r"\\\g<0>", " ".join(value.split()))


_SIGNS = re.compile(r"[\\|,\[\]*]")
# A word, a number, an escaped sign, a wildcard or any other character: none can match in two ways.
_PARTS = re.compile(r"\\.|\*|[^\W\d_]+|\d+|[\W_]", re.DOTALL)


@lru_cache(maxsize=4096)
def _expression(pattern: str) -> re.Pattern[str]:
    pieces = (".*" if part == "*" else re.escape(_plain(part)) for part in _parts(pattern))
    return re.compile("".join(pieces), re.DOTALL)


def _parts(pattern: str) -> list[str]:
    return _PARTS.findall(pattern)


def _plain(pattern: str) -> str:
    return re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)


def _step_of(node: _Element) -> Step:
    return _step(str(node.tag), *map(node.get, ATTRIBUTES))


# A page has a few hundred different nodes, and all pages of a blog much the same ones.
@lru_cache(maxsize=4096)
def _step(tag: str, *values: str | None) -> Step:
    # Blank values name nothing.
    named = ((name, escaped(value or "")) for name, value in zip(ATTRIBUTES, values, strict=True))
    return Step(tag, tuple((name, value) for name, value in named if value))


@lru_cache(maxsize=4096)
def _merge_steps(a: Step, b: Step) -> Step:
    other = dict(b.attributes)
    return Step(a.tag, tuple(
        (name, common_pattern(value, other[name])) for name, value in a.attributes if name in other))


def _parse_step(text: str) -> Step:
    tag, _, rest = text.strip().partition("[")
    if not rest:
        return Step(tag.strip())
    pairs = (part.strip().removeprefix("@").partition("=") for part in _split(rest.rstrip()[:-1], ","))
    return Step(tag.strip(), tuple(sorted((name.strip(), value.strip()) for name, _, value in pairs)))


def _split(text: str, sign: str) -> list[str]:
    """Cut a text at a sign where it is not escaped."""
    parts = [""]
    for token in re.findall(r"\\.|.", text, re.DOTALL):
        if token == sign:
            parts.append("")
        else:
            parts[-1] += token
    return parts
