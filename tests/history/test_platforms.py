"""Platforms are told by their marks, with words for what shows them, and not by marks of others."""

from __future__ import annotations

import pytest

from everlog.core.tree import parse
from everlog.history import BlogClues
from everlog.history.platforms import PLATFORMS, platform_of

HOME = "https://a.example/"


def platform(page: str = "<p>Hello", home: str = HOME, **headers: str):
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return platform_of(BlogClues(home=home, root=parse(page.encode()), headers=named))


@pytest.mark.parametrize(
    ("generator", "name"),
    [
        ("WordPress 6.4.1", "WordPress"), ("WordPress.com", "WordPress.com"), ("Ghost 5.130", "Ghost"),
        ("blogger", "Blogger"), ("Jekyll v4.3.2", "Jekyll"), ("Hugo 0.121.1", "Hugo"), ("Hexo 6.0", "Hexo"),
        ("Pelican", "Pelican"), ("Eleventy v2.0.1", "Eleventy"), ("Nikola (getnikola.com)", "Nikola"),
        ("Gatsby 5.13", "Gatsby"), ("Movable Type 4.34-en", "Movable Type"), ("http://www.typepad.com/", "TypePad"),
        ("Drupal 10 (https://www.drupal.org)", "Drupal"), ("Joomla! - Open Source Content Management", "Joomla"),
        ("Wix.com Website Builder", "Wix"), ("Astro v4.0", "Astro"), ("Textpattern CMS", "Textpattern"),
        ("Serendipity v.2.4", "Serendipity"), ("Typecho 1.2", "Typecho"), ("WriteFreely", "WriteFreely"),
    ],
)
def test_a_page_says_what_made_it(generator, name):
    found = platform(f'<meta name="Generator" content="{generator}">')
    assert (found.name, found.generator) == (name, generator)
    assert found.evidence == f"the page's generator says {generator}"


@pytest.mark.parametrize(
    ("page", "name", "evidence"),
    [
        ('<link rel="https://api.w.org/" href="https://a.example/wp-json/">', "WordPress",
         "the page links to /wp-json/"),
        ('<script src="/wp-includes/js/jquery.js"></script>', "WordPress", "the page loads files of /wp-includes/"),
        ('<script defer src="https://x.example/p.js" data-ghost="https://a.example/" data-key="1">', "Ghost",
         "a script of the page has its settings"),
        ('<link rel="stylesheet" href="https://substackcdn.com/bundle/x.css">', "Substack",
         "the page loads files of substackcdn.com"),
        ('<script src="//assets.squarespace.com/universal/x.js">', "Squarespace",
         "the page loads files of assets.squarespace.com"),
        ('<link href="https://www.blogger.com/static/v1/widgets/1.css">', "Blogger",
         "the page loads files of www.blogger.com/static"),
        ('<script src="https://assets.tumblr.com/assets/scripts/x.js">', "Tumblr",
         "the page loads files of assets.tumblr.com"),
    ],
)
def test_a_page_that_says_nothing_is_known_by_what_it_names_and_loads(page, name, evidence):
    found = platform(page)
    assert (found.name, found.evidence) == (name, evidence)


@pytest.mark.parametrize(
    ("home", "name"),
    [
        ("https://jo.substack.com/", "Substack"), ("https://jo.blogspot.com/", "Blogger"),
        ("https://jo.blogspot.co.uk/", "Blogger"), ("https://jo.wordpress.com/", "WordPress.com"),
        ("https://jo.tumblr.com/", "Tumblr"), ("https://medium.com/@jo", "Medium"),
        ("https://jo.medium.com/", "Medium"), ("https://jo.bearblog.dev/", "Bear"),
        ("https://jo.mataroa.blog/", "Mataroa"), ("https://write.as/jo/", "Write.as"),
        ("https://jo.livejournal.com/", "LiveJournal"), ("https://jo.micro.blog/", "Micro.blog"),
    ],
)
def test_a_service_is_known_by_its_host(home, name):
    assert platform(home=home).name == name


def test_headers_tell_what_pages_do_not():
    assert platform(X_Generator="Drupal 9 (https://www.drupal.org)").name == "Drupal"
    found = platform(Link='<https://a.example/wp-json/>; rel="https://api.w.org/"')
    assert found.name == "WordPress"
    assert platform(x_wix_request_id="1700000000.123").name == "Wix"


def test_what_a_page_says_goes_before_what_it_loads_and_a_plug_in_before_nothing():
    hugo = '<meta name="generator" content="Hugo 0.1"><script src="https://b.example/wp-content/x.js"></script>'
    assert platform(hugo).name == "Hugo"
    plug_in = '<meta name="generator" content="Elementor 3.1">'
    assert platform(plug_in + '<script src="/wp-includes/x.js"></script>').name == "WordPress"
    assert platform(plug_in).name == "Elementor 3.1"


@pytest.mark.parametrize(
    "page",
    [
        "<p>Made with WordPress, Ghost and /wp-content/ in a text.", '<meta name="description" content="WordPress 6">',
        '<img src="https://b.example/wp-content/uploads/x.jpg">', '<a href="https://jo.substack.com/">my letters</a>',
        '<meta name="generator" content="">', '<div data-ghost="x"></div>',
        '<a rel="https://api.w.org/" href="/x">interface</a>',
    ],
)
def test_what_a_page_only_speaks_of_is_no_mark(page):
    assert platform(page) is None


@pytest.mark.parametrize(
    "home", ["https://notmedium.com/", "https://substack.com.evil.example/", "https://[", "nonsense"],
)
def test_hosts_that_only_look_alike_are_none(home):
    assert platform(home=home) is None


def test_a_blog_of_which_nothing_is_known_has_no_platform():
    assert platform_of(BlogClues(home=HOME)) is None


def test_every_platform_of_the_table_can_be_told():
    assert all(
        marks.generator or marks.rels or marks.hosts or marks.headers or marks.files for marks in PLATFORMS.values()
    )
