"""What was learned about a blog, and the way to read its posts with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import Any

from everlog.comments.comment_rules import CommentRules
from everlog.core.rules import Ranked, Rule
from everlog.core.urls import canonical
from everlog.errors import UnreadableTemplate
from everlog.extract.article.article_read import Design
from everlog.extract.blog_rules import BlogRules
from everlog.extract.extractors.diffpost import RepeatCounts
from everlog.extract.extractors.keypath import KeyPaths
from everlog.extract.feed_entry import filled, from_dict, to_dict
from everlog.extract.fields.published_read import MACHINE
from everlog.extract.read_post import PostReader
from everlog.records import Post, Skip
from everlog.records.one_line import counted, on_a_line

# What rules of dates know of dates themselves, and not of the place where one stands.
_OF_DATES = ("languages", "offset", "zone")
# Raised whenever a stored template could be misread by this code.
VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Template(BlogRules):
    """The rules of one blog, and the way to read its posts with them."""

    def __repr__(self) -> str:
        posts = counted(self.learned_from, "post") or "no post"
        return on_a_line("Template of", address=self.home or "a blog", about=(f"learned from {posts}",))

    def with_comments(self, rules: CommentRules | None) -> Template:
        """The same template with what was learned about the blog's comments."""
        return replace(self, comments=rules)

    def design_of(self, post: Post) -> int | None:
        """Which of the designs found a post's article, the best being 0; None where none of these did."""
        source = post.provenance.get("text")
        rule = source.rule if source is not None else None
        places = ({each.where for each in design.places} for design in self.designs)
        return next((number for number, found in enumerate(places) if rule in found), None)

    def read(
        self, page: bytes, url: str, content_type: str | None = None, fetched: datetime | None = None,
    ) -> Post | Skip:
        """The post of a page, or a `Skip` that says why it is none.

        `fetched` is the time the page was fetched: dates such as "3 days ago" need it.
        """
        outcome = self.reader.read(page, url, content_type, fetched)
        entry = self.entries.get(canonical(url)) if self.entries else None
        return filled(outcome, entry) if entry is not None and isinstance(outcome, Post) else outcome

    @cached_property
    def reader(self) -> PostReader:
        """The compiled form of the rules, made at the first page."""
        return PostReader(self.in_force)

    @cached_property
    def in_force(self) -> Template:
        """The template that pages are read with: what was set by hand first, then what was learned."""
        if not self.manual:
            return self
        designs, fields = self.designs, dict(self.fields)
        for name, rule in self.manual.items():
            if name == "text":
                designs = tuple(replace(design, places=(rule, *design.places)) for design in designs)
            else:
                ranked = fields.get(name, ())
                fields[name] = (_dated_like(ranked, rule), *ranked)
        return replace(self, designs=designs, fields=MappingProxyType(fields), manual=MappingProxyType({}))

    @cached_property
    def as_learned(self) -> Template:
        """The template without what was set by hand."""
        return replace(self, manual=MappingProxyType({})) if self.manual else self

    def with_manual(self, rules: Mapping[str, Rule]) -> Template:
        """The same template with these rules set by hand, and no others."""
        return replace(self, manual=MappingProxyType(dict(rules)))

    def confidence(self) -> dict[str, float | None]:
        """Each field's measured score on the feed's own pages; None where the feed could not tell."""
        scores: dict[str, float | None] = {"text": self.designs[0].score if self.designs else None}
        if self.comments is not None and self.comments.ranked:
            scores["comments"] = self.comments.ranked[0].confidence
        return scores | {name: rules[0].confidence for name, rules in self.fields.items() if rules}

    def to_json(self) -> str:
        """The template as JSON text; `from_json` is the way back."""
        data = {
            "everlog_template": VERSION,
            "home": self.home,
            "feed_url": self.feed_url,
            "learned_from": self.learned_from,
            "designs": [design.to_dict() for design in self.designs],
            "fields": {name: [rule.to_dict() for rule in rules] for name, rules in self.fields.items()},
            "key_paths": self.key_paths.to_dict(),
            "comments": self.comments.to_dict() if self.comments is not None else None,
            "repeats": self.repeats.to_dict() if self.repeats is not None else None,
            "share": self.share,
            "entries": {key: to_dict(entry) for key, entry in self.entries.items()},
            "manual": {name: rule.to_dict() for name, rule in self.manual.items()},
        }
        return json.dumps(data, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str | bytes) -> Template:
        """The template that `to_json` wrote; `UnreadableTemplate` for anything else."""
        try:
            data: Mapping[str, Any] = json.loads(text)
            version = data["everlog_template"]
        except (ValueError, KeyError, TypeError) as error:
            raise UnreadableTemplate(
                f"this is not a template: {error}", advice="learn the blog again:  everlog rules BLOG --relearn",
            ) from None
        if version != VERSION:
            raise UnreadableTemplate(
                f"a template of version {version}; this everlog reads version {VERSION}",
                advice="learn the blog again (everlog rules BLOG --relearn), or use the everlog that wrote it",
            )
        try:
            return cls(
                home=data["home"],
                feed_url=data["feed_url"],
                learned_from=int(data["learned_from"]),
                designs=tuple(map(Design.from_dict, data["designs"])),
                fields=MappingProxyType(
                    {name: tuple(map(Rule.from_dict, rules)) for name, rules in data["fields"].items()}
                ),
                key_paths=KeyPaths.from_dict(data["key_paths"]),
                # Templates written before comments were learned have none.
                comments=CommentRules.from_dict(rules) if (rules := data.get("comments")) is not None else None,
                repeats=RepeatCounts.from_dict(known) if (known := data.get("repeats")) is not None else None,
                share=float(share) if (share := data.get("share")) is not None else None,
                entries=MappingProxyType({key: from_dict(said) for key, said in (data.get("entries") or {}).items()}),
                manual=MappingProxyType({name: Rule.from_dict(r) for name, r in (data.get("manual") or {}).items()}),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UnreadableTemplate(
                f"a damaged template: {type(error).__name__}: {error}",
                advice="learn the blog again:  everlog rules BLOG --relearn",
            ) from None


def _dated_like(learned: Ranked, rule: Rule) -> Rule:
    """A rule that knows how the blog writes its dates: that stays the same wherever they stand."""
    written = next((each.detail for each in learned if "formats" in each.detail), None)
    if written is None:
        return rule
    kept = {name: written[name] for name in _OF_DATES if name in written}
    formats = "\n".join(dict.fromkeys((MACHINE, *written["formats"].split("\n"))))
    return replace(rule, detail=MappingProxyType({**kept, **rule.detail, "formats": formats}))
