from __future__ import annotations

from small_blog import blog, view

from everlog.extract.fields.summary_learn import learn_summary
from everlog.extract.fields.summary_read import read_summary
from everlog.records import Entry


def page(**metas: str) -> str:
    named = "".join(
        f'<meta name="{name.replace("_", ":")}" content="{value}">' for name, value in metas.items()
    )
    return f"<html><head>{named}</head><body><p>x</body></html>"


def test_descriptions_that_differ_from_post_to_post_are_summaries():
    pages = [(Entry(link=""), page(description=f"About {word}")) for word in ("rain", "snow", "hail")]
    rules = learn_summary(blog(pages))
    summary, provenance = read_summary(view(page(description="About fog"), rules), rules)
    assert (summary, provenance.rule) == ("About fog", "description")


def test_one_description_for_all_pages_is_the_blogs():
    assert learn_summary(blog([(Entry(link=""), page(description="A blog"))] * 3)) == ()


def test_the_blogs_description_on_posts_without_their_own_is_passed_over():
    texts = ["A blog", "A blog", "About rain"]
    rules = learn_summary(blog([(Entry(link=""), page(description=text)) for text in texts]))
    assert read_summary(view(page(description="A blog"), rules), rules) is None
    assert read_summary(view(page(description="About fog"), rules), rules)[0] == "About fog"


def test_the_description_that_agrees_with_the_feed_comes_first():
    entries = [Entry(link="", summary=f"<p>{word} falls on all of us today</p>") for word in ("Rain", "Snow")]
    pages = [
        page(description=f"SEO {i}", og_description=f"{w} falls on all of us…")
        for i, w in enumerate(("Rain", "Snow"))
    ]
    rules = learn_summary(blog(list(zip(entries, pages, strict=True))))
    assert (rules[0].where, rules[0].confidence) == ("og:description", 1.0)


def test_json_ld_describes_too():
    def said(text: str) -> str:
        return f'<script type="application/ld+json">{{"@type": "Article", "description": "{text}"}}</script>'

    rules = learn_summary(blog([(Entry(link=""), said("a")), (Entry(link=""), said("b"))]))
    assert read_summary(view(said("c"), rules), rules)[0] == "c"
