"""Learning a blog: from its feed and the pages of the feed's entries to a template."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from everlog.core.layout import Layout, Vocabulary
from everlog.core.tree import parse
from everlog.core.urls import match_pages
from everlog.errors import NothingToLearn, UnreadablePage
from everlog.extract.article.designs import learn_designs
from everlog.extract.article.feed_text import says_more_in_summaries, target_of
from everlog.extract.article.witnesses import share_of_page, usual_share
from everlog.extract.extractors.extractor_selection import path_samples, what_repeats
from everlog.extract.extractors.keypath import learn_paths
from everlog.extract.feed_entries_learn import learn_feed_entries
from everlog.extract.fields import field_function
from everlog.extract.fields.language_learn import learn_language, usual_language
from everlog.extract.fields.metadata import learn_metadata
from everlog.extract.fields.published_learn import learn_published, learn_updated
from everlog.extract.samples import Sample
from everlog.extract.template import Template
from everlog.feeds import parse_feed
from everlog.markup.view import View
from everlog.records import Feed, Role, post_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.core.rules import Ranked

# Feeds of a thousand entries exist. Three pages read 98.3 % of articles strictly right, ten 98.5; more pages
# only cost time.
PAGES_USED = 15
# Learning takes some eighteen times the bytes of its pages (575 MB for ten pages of 3 MB): beyond this sum,
# three pages must do.
BYTES_USED = 8_000_000
FEWEST_PAGES = 3
# A page beyond these teaches nothing that others do not: the largest of 11,147 have 1.7 MB and 25,275 tags. Three of
# 8 MB took 12 seconds to learn from, three of 250,000 elements 4 seconds and 540 MB.
LARGEST_PAGE = 4_000_000
MOST_TAGS = 100_000


def learn(feed: bytes, pages: Mapping[str, bytes], feed_url: str | None = None) -> Template:
    """Learns how a blog writes its posts.

    `feed` is the bytes of its feed, `pages` the bytes of the pages its entries link to, under any
    spelling of those links. Raises `UnreadableFeed` or `NothingToLearn`, which say what to do.
    """
    parsed = parse_feed(feed, feed_url)
    template = learn_entries(parsed, pages)
    return replace(template, entries=learn_feed_entries(parsed, pages, template.fields))


def learn_entries(parsed: Feed, pages: Mapping[str, bytes]) -> Template:
    """The same from a feed that is parsed already, or that was made up from the pages themselves."""
    vocabulary = Vocabulary()
    samples = _samples(parsed, pages, vocabulary)
    languages = learn_language(samples, parsed)
    language = usual_language(languages)
    key_paths = learn_paths(path_samples(samples))
    repeats = what_repeats(samples)
    designs = learn_designs(samples, vocabulary, language, key_paths, repeats)
    if not designs:
        raise NothingToLearn(
            f"none of the feed's {len(samples)} pages shows the text of its feed entry",
            advice="check that the pages belong to the entries of the feed",
        )
    # Fields that need to know more than the samples, or are learned together.
    found: dict[str, Ranked] = {
        **learn_metadata(samples, parsed, vocabulary)._asdict(),
        "published": learn_published(samples, language),
        "updated": learn_updated(samples, language),
        "language": languages,
    }
    fields = {
        name: found[name] if name in found else field_function("learn", name)(samples)
        for name in post_fields(Role.LEARNED)
    }
    return Template(
        designs=designs,
        fields=MappingProxyType({name: rules for name, rules in fields.items() if rules}),
        key_paths=key_paths,
        home=parsed.home,
        feed_url=parsed.url,
        learned_from=len(samples),
        repeats=repeats.compact(),
        share=usual_share([
            share_of_page(sample.view.root, sample.view.article) for sample in samples
            if sample.view.article is not None
        ]),
    )


def _is_too_large(page: bytes) -> bool:
    return len(page) > LARGEST_PAGE or page.count(b"<") > MOST_TAGS


def _samples(feed: Feed, pages: Mapping[str, bytes], vocabulary: Vocabulary) -> list[Sample]:
    """The entries whose pages are there and can be read, each page once."""
    if not feed.entries:
        raise NothingToLearn(
            "the feed has no entries" + (f" ({feed.problem})" if feed.problem else ""),
            advice="look for another feed of the blog, or wait until it has posts",
        )
    matched = match_pages([entry.link for entry in feed.entries if entry.link], pages)
    samples: list[Sample] = []
    used: set[str] = set()
    size = 0
    by_summary = says_more_in_summaries(feed.entries)
    for entry in feed.entries:
        url = matched.get(entry.link or "")
        if url is None or url in used or not pages[url].strip() or _is_too_large(pages[url]):
            continue
        try:
            root = parse(pages[url])
        except UnreadablePage:
            continue
        used.add(url)
        layout, target = Layout(root, vocabulary), target_of(entry, vocabulary, by_summary=by_summary)
        view = View(root, url)
        view.outline = layout.outline
        samples.append(Sample(entry=entry, url=url, view=view, layout=layout, target=target))
        size += len(pages[url])
        if len(samples) == PAGES_USED or (size > BYTES_USED and len(samples) >= FEWEST_PAGES):
            break
    if not samples:
        raise NothingToLearn(
            f"no page of the feed's {len(feed.entries)} entries can be read",
            advice="pass the pages that the entries link to, as {url: bytes}",
        )
    return samples
