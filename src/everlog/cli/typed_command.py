"""What a user typed in place of a command: an address to crawl, a file, or a command with a slip of the finger."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Collection, Sequence
from pathlib import Path

from everlog.errors import UsageError

# How files end that people keep lists of blogs in, and that no domain ends with.
_LISTS = frozenset({".opml", ".txt", ".xml", ".csv", ".tsv", ".json", ".jsonl", ".list", ".toml", ".yaml", ".yml"})
# A host as it is typed: a name with a dot in it that ends in letters, an address in numbers, or this machine.
_HOST = re.compile(
    r"(?:(?:[\w-]+\.)+(?:[^\W\d_]{2,}|xn--[\w-]+)|localhost|(?:\d{1,3}\.){3}\d{1,3}|\[[0-9a-f:.]+\])\.?(?::\d{1,5})?(?=[/?#]|$)",
    re.IGNORECASE,
)
_NEAR = 0.6
FROM_WAYBACK = "--from-wayback"
INTERNET_ARCHIVE = "https://web.archive.org"


def with_command(argv: list[str], commands: Collection[str], valued: Collection[str]) -> list[str]:
    """The words with the command that they mean: a bare address is crawled, what is neither is an error.

    `valued` are the options of `crawl` that take the word behind them.

    >>> with_command(["--delay", "0", "a.blog.example"], {"crawl", "status"}, {"--delay"})
    ['crawl', '--delay', '0', 'a.blog.example']
    >>> with_command(["status", "--json"], {"crawl", "status"}, {"--delay"})
    ['status', '--json']
    """
    at = _first_word(argv, valued)
    if at is None:
        return argv
    word = argv[at]
    if word in commands:
        if at == 0:
            return argv
        moved = shlex.join([word, *argv[:at], *argv[at + 1:]])
        raise UsageError(f"options stand behind the command {word}", advice=f"everlog {moved}")
    refuse_file(word)
    if looks_like_address(word) or (at > 0 and any(map(looks_like_address, argv[at:]))):
        return ["crawl", *argv]
    raise _unknown(word, argv[at + 1:], commands)


def with_endpoint(argv: Sequence[str]) -> list[str]:
    """The words with the web archive that `--from-wayback` means where none is named behind it.

    >>> with_endpoint(["crawl", "a.blog.example", "--from-wayback", "-q"])
    ['crawl', 'a.blog.example', '--from-wayback=https://web.archive.org', '-q']
    >>> with_endpoint(["crawl", "--from-wayback", "a.blog.example"])
    ['crawl', '--from-wayback=https://web.archive.org', 'a.blog.example']
    >>> with_endpoint(["repair", "--from-wayback", "http://localhost:8080/blogs"])
    ['repair', '--from-wayback', 'http://localhost:8080/blogs']
    """
    words = list(argv)
    if FROM_WAYBACK not in words:
        return words
    at = words.index(FROM_WAYBACK)
    behind = words[at + 1] if at + 1 < len(words) else ""
    # To crawl needs an address: the only one is that of the blog.
    is_blog = words[0] != "repair" and sum(map(looks_like_address, words)) < 2 and "-i" not in words
    if not looks_like_address(behind) or is_blog:
        words[at] = f"{FROM_WAYBACK}={INTERNET_ARCHIVE}"
    return words


def looks_like_address(word: str) -> bool:
    """Whether a word is the address of a page, with a scheme or without.

    >>> [looks_like_address(word) for word in ("a.blog.example/x", "localhost:8000", "127.0.0.1:80/b", "https://a")]
    [True, True, True, True]
    >>> [looks_like_address(word) for word in ("craw", "crawl.", "3.5", "me@a.org", "posts.csv", "-a.org")]
    [False, False, False, False, False, False]
    """
    if word.startswith("-"):
        return False
    return "://" in word or (_HOST.match(word) is not None and Path(word).suffix.lower() not in _LISTS)


def refuse_file(word: str) -> None:
    """Raise the error that says how a list of blogs is read, if a word is a file and no address."""
    if "://" in word or word.startswith("-"):
        return
    is_file = Path(word).is_file()
    if is_file or ("/" not in word and Path(word).suffix.lower() in _LISTS):
        raise UsageError(
            f"{word} is a file, not the address of a blog" if is_file else f"there is no file {word} here",
            advice=f"a list of blogs, one a line or OPML, is read with:  everlog crawl -i {shlex.quote(word)}",
        )


def _first_word(argv: Sequence[str], valued: Collection[str]) -> int | None:
    """Where the first word stands that is no option, nor the value of one."""
    skip = False
    for at, word in enumerate(argv):
        if skip:
            skip = False
        elif word == "--":
            return at + 1 if at + 1 < len(argv) else None
        elif not word.startswith("-") or word == "-":
            return at
        else:
            skip = word in valued
    return None


def _unknown(word: str, rest: Sequence[str], commands: Collection[str]) -> UsageError:
    near = difflib.get_close_matches(word.lower(), commands, n=3, cutoff=_NEAR)
    if not near:
        return UsageError(
            f"no command {word!r}, and it is not the address of a blog",
            advice="a blog:        everlog https://a.blog.example/\n  all commands:  everlog --help",
        )
    names = " or ".join(near)
    return UsageError(
        f"no command {word!r}; did you mean {names}?",
        advice=f"everlog {shlex.join([near[0], *rest])}\n  all commands:  everlog --help",
    )
