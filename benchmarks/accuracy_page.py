"""docs/internals/accuracy.md from what accuracy.py measured."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from everlog.evaluate.grouping import group
from everlog.evaluate.scoring import mean
from peers import PEERS
from tables import markdown_table, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from accuracy import Outcome
    from everlog.evaluate.grouping import Grouping

HEADS = {
    "strict": "article strict", "f1": "article F1", "paper": "article Dice > 0.5", "title": "title exact",
    "title_dice": "title Dice > 0.5", "author": "author", "date": "date", "tags": "tags F1",
}
SHORT = {"trafilatura (precision)": "trafilatura", "boilerpy3 (article)": "boilerpy3"}
# The BlogForever paper, Table 2: 2,300 posts of the Spinn3r data.
BLOGFOREVER = (("article", 93.0, 88.1, 79.3, 79.2), ("title", 95.0, 74.0, None, 84.9))
# The Adaptive Post Recognition paper, Table 1 and Figure 6.
ADAPTIVE_POST = {
    "sample": 5000, "posts": 2217, "detected": 1814, "content and title": 790, "content only": 302,
    "title only": 722, "author": 125,
}
MEANING = "## What the figures mean"
SURVEY = {"own": 323, "rival": 192, "neither": 85}


def render(outcomes: Sequence[Outcome], *, sample: int | None) -> str:
    """The whole page."""
    parts = [
        _introduction(outcomes, sample), _all_tools(outcomes), _blogforever(outcomes),
        _by_group(outcomes, "engine"), _by_group(outcomes, "language"), _detection(outcomes),
        _survey(outcomes), _meaning(outcomes),
    ]
    return "\n\n".join(parts)


def joined(page: str, part: str) -> str:
    """The page with the sections of a part in place of those it has; new ones come before what the figures mean.

    >>> print(joined("# A\\n\\n## B\\n\\nold\\n\\n## What the figures mean\\n\\nx", "## B\\n\\nnew\\n\\n## C\\n\\nd"))
    # A
    <BLANKLINE>
    ## B
    <BLANKLINE>
    new
    <BLANKLINE>
    ## C
    <BLANKLINE>
    d
    <BLANKLINE>
    ## What the figures mean
    <BLANKLINE>
    x
    """
    sections = _sections(page)
    last = sections.pop(MEANING, None)
    sections |= _sections(part)
    last = sections.pop(MEANING, last)
    return "\n\n".join([*sections.values(), *([last] if last else [])])


def _sections(page: str) -> dict[str, str]:
    """Heading -> section, the heading included."""
    parts = re.split(r"\n+(?=## )", page.strip())
    return {part.partition("\n")[0]: part for part in parts if part}


def _introduction(outcomes: Sequence[Outcome], sample: int | None) -> str:
    posts = sum(outcome.posts for outcome in outcomes)
    tools = ", ".join(tool.label for tool in PEERS)
    option = f" --sample {sample}" if sample else ""
    limit = f", at most {sample} of each blog" if sample else ""
    return f"""# How well everlog reads

everlog learned each of {len(outcomes)} real blogs from its feed, as the blog serves it, and then read posts \
that are not in that feed: {posts:,} posts{limit}. What those posts say is known from other sources than \
their pages. The other tools read the same pages; they know nothing of the blog and use no feed.

This page is written by

```
python benchmarks/accuracy.py{option} --markdown docs/internals/accuracy.md
```

with {tools}. \
`everlog evaluate` gives the figures of everlog alone."""


def _all_tools(outcomes: Sequence[Outcome]) -> str:
    rows = [[tool, *map(percent, _means(outcomes, tool, list(HEADS)))] for tool in outcomes[0].scores]
    return f"""## All tools, all fields

In per cent; the mean over blogs of the mean over each blog's posts. A dash: the tool does not read the field.

{markdown_table(["", *HEADS.values()], rows)}

- **article strict**: the F1 of words (characters for Chinese, Japanese, Korean and Thai) is at least 0.95.
- **article Dice > 0.5**, **title Dice > 0.5**: what the BlogForever paper calls success.
- **title exact**: equal but for case, punctuation and white space.
- **author**: a true author is among those read. **date**: the same day or the one next to it.
- **feeds cut to 55 words**: every feed shortened to excerpts as WordPress makes them (110 characters for \
scripts without spaces), then learned from nothing else.
- **no feed**: learned from the blog's own pages alone, walked from its home page \
([how](evaluation.md#without-a-feed)). Many blogs name their author nowhere but in the feed."""


def _blogforever(outcomes: Sequence[Outcome]) -> str:
    heads = ["", "everlog", "readability", "boilerpipe", "goose", "trafilatura", "resiliparse"]
    order = ["everlog", *(_full_name(short) for short in ("readability", "boilerpy3", "goose3")),
             *(_full_name(short) for short in ("trafilatura", "resiliparse"))]
    rows: list[list[str | None]] = []
    for (target, *paper), name in zip(BLOGFOREVER, ("paper", "title_dice"), strict=True):
        rows.append([f"{target}, here", *(percent(_means(outcomes, tool, [name])[0]) for tool in order)])
        figures = [None if figure is None else f"{figure:.1f}" for figure in paper]
        rows.append([f"{target}, the paper's Table 2", *figures, None, None])
    return f"""## The BlogForever paper's Table 2

Success is a Dice above 0.5 between what was read and the truth. The paper measured its own rules, \
Readability (JavaScript), Boilerpipe (Java) and Goose (Scala) on 2,300 posts of the ICWSM 2011 \
data; here everlog stands in the place of its rules, and readability-lxml, boilerpy3 and goose3, the Python \
descendants, in theirs. The posts differ, so only columns of the same row can be compared.

{markdown_table(heads, rows)}"""


def _by_group(outcomes: Sequence[Outcome], by: Grouping) -> str:
    groups = _groups(outcomes, by)
    tools = [tool for tool in outcomes[0].scores if tool != "resiliparse"]
    names = [SHORT.get(tool, tool) for tool in tools]
    parts = [f"## By {by}"]
    if any(" with one blog" in name for name in groups):
        parts.append(f"Those with a single blog share a row: one blog says nothing about its {by}.")
    for name, title in (("strict", "Article, strict"), ("title", "Title, exact")):
        rows = [[label, len(members), sum(member.posts for member in members),
                 *(percent(_means(members, tool, [name])[0]) for tool in tools)]
                for label, members in groups.items()]
        parts.append(f"{title}:\n\n" + markdown_table([by, "blogs", "posts", *names], rows))
    fields = ["f1", "author", "date", "tags"]
    rows = [[label, *map(percent, _means(members, "everlog", fields))] for label, members in groups.items()]
    heads = [by, *(HEADS[name] for name in fields)]
    parts.append("everlog's other fields:\n\n" + markdown_table(heads, rows))
    return "\n\n".join(parts)


def _detection(outcomes: Sequence[Outcome]) -> str:
    paths: Counter[str] = sum((outcome.key_paths for outcome in outcomes), Counter())
    readings: Counter[str] = sum((outcome.readings for outcome in outcomes), Counter())
    other = sum(count for name, count in paths.items() if name.endswith(" pages"))
    labels = {
        "posts": "blog pages (the paper) / posts outside the feed (here)",
        "detected": "of these detected as post",
        "content and title": "with content and title", "content only": "with content only",
        "title only": "with title only", "author": "with an author",
    }
    rows = [["sample set", ADAPTIVE_POST["sample"], paths["posts"] + other, None]]
    rows += [[label, ADAPTIVE_POST[name], paths[name], readings[name]] for name, label in labels.items()]
    kinds = sorted(name for name in paths if name.endswith(" pages"))
    wrong = [[name.removesuffix(" pages"), paths[name], paths[f"{name} detected"],
              percent(paths[f"{name} detected"] / paths[name])] for name in kinds]
    return f"""## The Adaptive Post Recognition paper's Table 1

The paper looked for key-paths on pages of all kinds and counted what they gave, right or wrong. *Key-paths* \
does the same here with nothing but the paths everlog learned; *everlog* is `template.read`, which lets all \
methods compete. The paper's blog pages were posts and other pages alike; here they are known to be posts, \
so each one not detected is a miss.

{markdown_table(["", "paper", "key-paths", "everlog"], rows)}

The rest of the sample are pages that are no posts, and the key-path should match none of them. Listings \
(home, month, tag, author) often hold whole posts in the same markup; stand-alone pages (about, contact) \
often use the template of posts.

{markdown_table(["kind of page", "pages", "detected as post", "%"], wrong)}"""


def _survey(outcomes: Sequence[Outcome]) -> str:
    rows = [_survey_row("the paper: key-paths, 30 readers", SURVEY)]
    for name, label in (("key-paths", "here: key-paths alone"), ("everlog", "here: everlog")):
        counts = sum((outcome.wins.get(name, Counter()) for outcome in outcomes), Counter())
        rows.append(_survey_row(label, {"own": 0, "rival": 0, "tie": 0, "neither": 0} | counts))
    heads = ["", "posts", "first is better", "boilerpipe is better", "equal", "both inappropriate"]
    return f"""## Pairwise against boilerpipe

The paper asked readers which of two texts fits a page better. Here the F1 of words against the truth \
answers: the higher one wins, and where both are below 0.5 both are inappropriate. The F1 sees single words, \
so a text that is better by one word wins here.

{markdown_table(heads, rows)}"""


def _survey_row(label: str, counts: Mapping[str, int]) -> list[str | int | None]:
    total = sum(counts.values())
    shares = [f"{counts[name]:,} ({percent(counts[name] / total)} %)" if name in counts else None
              for name in ("own", "rival", "tie", "neither")] if total else [None] * 4
    return [label, total, *shares]


def _meaning(outcomes: Sequence[Outcome]) -> str:
    strict = [value for outcome in outcomes if (value := outcome.scores["everlog"]["strict"]) is not None]
    perfect = sum(value == 1 for value in strict)
    low = sum(value < 0.9 for value in strict)
    return f"""{MEANING}

- The blogs of this corpus were at hand while everlog was written. No rule names a blog, a host or a theme, \
but the figures are those of a development corpus: blogs that nobody had looked at are not measured here and \
may be read less well.
- A mean hides its parts: of {len(strict)} blogs, {perfect} have every article strictly right and {low} have \
fewer than nine of ten.
- The tools differ in what they are for. The peers read any page of the web on its own; everlog reads \
blogs, and has seen ten to forty of their pages before.
- A field is scored only where the truth has it, and articles only where the truth's text stands whole in \
the page. Posts that nothing on the blog links to do not count.
- The truth comes from feeds, exports and sources of the same blogs and has its own quirks; a figure of \
100 is not to be expected from any tool."""


def _groups(outcomes: Sequence[Outcome], by: Grouping) -> dict[str, list[Outcome]]:
    groups = group(outcomes, by)
    several = {name: members for name, members in groups.items() if len(members) > 1}
    alone = [members[0] for members in groups.values() if len(members) == 1]
    if len(alone) == 1:
        return groups
    return several | ({f"{len(alone)} {by}s with one blog each": alone} if alone else {})


def _means(outcomes: Sequence[Outcome], tool: str, names: Sequence[str]) -> list[float | None]:
    return [mean(outcome.scores[tool].get(name) for outcome in outcomes) for name in names]


def _full_name(start: str) -> str:
    return next(tool.name for tool in PEERS if tool.name.startswith(start))
