"""Settings: one frozen record, made of layers; what does not fit is named."""

from __future__ import annotations

import pytest

from everlog.errors import UsageError
from everlog.settings import CONTACT, from_environment, from_toml, make_settings


def test_without_any_layer_the_defaults_hold():
    settings = make_settings()
    assert settings.archive == "everlog-archive"
    assert settings.robots
    assert settings.steps == ("render", "read", "comments", "media", "store")


def test_later_layers_win_and_unset_flags_leave_the_rest_alone():
    toml = from_toml("[crawl]\ndelay = 3\nconcurrency = 2\n", "everlog.toml")
    environment = from_environment({"EVERLOG_DELAY": "2", "HOME": "/x"})
    settings = make_settings(toml, environment, {"delay": 0.5, "scope": None})
    assert (settings.delay, settings.concurrency, settings.scope) == (0.5, 2, "path")


def test_dashes_and_underscores_are_the_same():
    assert make_settings({"max-pages": 3}).max_pages == 3


def test_an_unknown_setting_is_an_error_that_names_the_known_ones():
    with pytest.raises(UsageError, match=r"unknown setting 'dely'(.|\n)*known are: .*delay"):
        make_settings({"dely": 1})


def test_an_unknown_variable_of_the_environment_is_an_error_too():
    with pytest.raises(UsageError, match="unknown setting 'dely'"):
        make_settings(from_environment({"EVERLOG_DELY": "1"}))


def test_variables_that_are_not_settings_are_left_alone():
    assert from_environment({"EVERLOG_CORPUS": "/x", "EVERLOG_CONFIG": "y"}) == {}


@pytest.mark.parametrize("values", [
    {"delay": "soon"}, {"delay": -1}, {"concurrency": 0}, {"scope": "all"}, {"header": ["no colon"]},
    {"header": ["a: b\r\nc: d"]},
])
def test_a_value_that_does_not_fit_is_named(values):
    with pytest.raises(UsageError, match=f"setting '{next(iter(values))}"):
        make_settings(values)


def test_a_file_that_is_not_toml_is_named():
    with pytest.raises(UsageError, match=r"my\.toml is not TOML"):
        from_toml("delay = = 1", "my.toml")


def test_a_file_with_an_unknown_part_is_an_error():
    with pytest.raises(UsageError, match="unknown part 'crawler'"):
        from_toml("[crawler]\ndelay = 1", "my.toml")


def test_a_blogs_own_settings_are_laid_over_the_common_ones():
    text = '[crawl]\ndelay = 2\nscope = "host"\n[blog."https://a.example/x/"]\ndelay = 5\n'
    settings = make_settings(from_toml(text, "f"), {"concurrency": 3})
    own = settings.for_blog("http://www.a.example/x")
    assert (own.delay, own.scope, own.concurrency) == (5, "host", 3)
    assert settings.for_blog("https://b.example/").delay == 2


def test_a_mistake_in_a_blogs_own_settings_says_where_it_stands():
    with pytest.raises(UsageError, match=r'\[blog."https://a.example/"\]: unknown setting'):
        from_toml('[blog."https://a.example/"]\ndely = 5\n', "f")


def test_the_user_agent_names_a_contact():
    assert make_settings().agent("1.0") == f"everlog/1.0 (+{CONTACT})"
    assert make_settings({"contact": "me@a.example"}).agent("1.0") == "everlog/1.0 (+me@a.example)"
    assert make_settings({"user_agent": "x/1 me@a.example"}).agent("1.0") == "x/1 me@a.example"


def test_headers_are_names_and_values():
    assert make_settings({"header": ["Cookie: a=b: c"]}).headers() == (("Cookie", "a=b: c"),)


def test_a_feed_and_none_in_one_place_are_an_error():
    with pytest.raises(UsageError, match="leave out one of feed and no_feed"):
        make_settings({"feed": "https://a.org/feed", "no_feed": True})


def test_who_names_a_feed_or_wants_none_overrules_the_layers_below():
    feed, none = {"feed": "https://a.org/feed"}, {"no_feed": True}
    assert make_settings(feed, none).feed is None
    assert not make_settings(none, feed).no_feed
    one_blog = make_settings(none | {"blog": {"https://a.org/": feed}})
    assert one_blog.for_blog("https://a.org").feed == "https://a.org/feed"
    assert one_blog.for_blog("https://b.org").no_feed


def test_no_feed_can_come_from_the_environment():
    assert make_settings(from_environment({"EVERLOG_NO_FEED": "true"})).no_feed
