from __future__ import annotations

import pytest

from everlog.core.noise_names import names_comments, names_noise


@pytest.mark.parametrize(
    "names", ["comments", "comments-area", "commentlist", "disqus_thread", "respond", "postComments", "x comment-form"]
)
def test_places_of_comments_are_known_by_their_names(names):
    assert names_comments(names)


@pytest.mark.parametrize("names", ["", "commentary", "uncommented", "corresponds", "entry-content"])
def test_names_that_only_contain_such_words_are_not(names):
    assert not names_comments(names)


@pytest.mark.parametrize(
    "names",
    [
        "share", "sharedaddy sd-block", "social-links", "related-posts", "jp-relatedposts", "authorBox", "author-bio",
        "post-meta", "entry-footer", "breadcrumbs", "newsletter", "tags", "sr-only", "adsbygoogle", "postNav",
    ],
)
def test_what_designs_put_around_a_text_is_known_by_its_names(names):
    assert names_noise(names)


@pytest.mark.parametrize("names", ["", "shareholders", "entry-content", "metaphor", "stage", "printer", "address"])
def test_names_that_only_contain_noise_are_not_noise(names):
    assert not names_noise(names)


@pytest.mark.parametrize("names", ["footnotes", "social-caption", "related-references", "print code", "gist-meta"])
def test_notes_captions_and_code_are_text_whatever_else_their_name_says(names):
    assert not names_noise(names)
