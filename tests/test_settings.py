"""Settings: one frozen record, made of layers; what does not fit is named."""

from __future__ import annotations

import pytest

from everlog import settings as settings_module
from everlog.errors import UsageError
from everlog.settings import from_environment, from_flags, from_toml, make_settings


def test_without_any_layer_the_defaults_hold():
    settings = make_settings()
    assert settings.archive == "everlog-archive"
    assert settings.robots
    assert settings.pipeline == ("render", "read", "comments", "media", "requisites", "store")


def test_later_layers_win_and_unset_flags_leave_the_rest_alone():
    toml = from_toml("[crawl]\ndelay = 3\nconcurrency = 2\n", "everlog.toml")
    environment = from_environment({"EVERLOG_DELAY": "2", "HOME": "/x"})
    settings = make_settings(toml, environment, {"delay": 0.5, "scope": None})
    assert (settings.delay, settings.concurrency, settings.scope) == (0.5, 2, "path")


def test_dashes_and_underscores_are_the_same():
    assert make_settings({"max-pages": 3}).max_pages == 3


def test_an_unknown_setting_names_the_nearest_known_one():
    with pytest.raises(UsageError) as raised:
        make_settings({"dealy": 1})
    assert raised.value.message == "unknown setting 'dealy'; did you mean 'delay'?"
    assert raised.value.advice == "docs/settings.md lists all settings"


def test_an_unknown_setting_like_none_of_them_comes_with_the_known_ones():
    with pytest.raises(UsageError, match=r"unknown setting 'xyzzy'\n  docs/settings.md .*allow, also, archive,"):
        make_settings({"xyzzy": 1})


def test_an_unknown_setting_of_a_file_names_the_file():
    with pytest.raises(UsageError, match=r"^my\.toml: unknown setting 'dealy'; did you mean 'delay'\?"):
        from_toml("[crawl]\ndealy = 1\n", "my.toml")


def test_an_unknown_variable_of_the_environment_is_named_as_it_is_written():
    with pytest.raises(UsageError, match="unknown setting 'EVERLOG_DEALY'; did you mean 'EVERLOG_DELAY'"):
        from_environment({"EVERLOG_DEALY": "1"})


@pytest.mark.parametrize(("wrong", "said"), [
    (lambda: from_toml("[crawl]\ndelay = 'soon'\n", "my.toml"), "my.toml: delay must be a number, not 'soon'"),
    (lambda: from_toml("[crawl]\nconcurrency = 99\n", "my.toml"), "my.toml: concurrency must be at most 64, not 99"),
    (lambda: from_toml("[crawl]\nmedia = 'maybe'\n", "my.toml"), "my.toml: media must be true or false, not 'maybe'"),
    (lambda: from_environment({"EVERLOG_DELAY": "-1"}), "environment: EVERLOG_DELAY must be at least 0, not '-1'"),
    (lambda: from_flags({"max_time": 0.0}), "--max-time must be more than 0, not 0.0"),
    (lambda: from_flags({"scope": "all"}), "--scope must be 'path', 'host' or 'subdomains', not 'all'"),
])
def test_a_wrong_value_names_where_it_stands_and_what_is_allowed(wrong, said):
    with pytest.raises(UsageError) as raised:
        wrong()
    assert raised.value.message == said


def test_a_setting_outside_of_the_tables_of_a_file_is_told_where_it_belongs():
    with pytest.raises(UsageError, match=r"unknown part 'delay'(.|\n)*below a line \[crawl\]"):
        from_toml("delay = 2\n", "my.toml")


def test_a_list_of_the_environment_is_parted_by_line_ends():
    assert make_settings(from_environment({"EVERLOG_ALSO": "a.example\nb.example"})).also == ("a.example", "b.example")


def test_variables_that_are_not_settings_are_left_alone():
    assert from_environment({"EVERLOG_CORPUS": "/x", "EVERLOG_CONFIG": "y"}) == {}


@pytest.mark.parametrize("values", [
    {"delay": "soon"}, {"delay": -1}, {"concurrency": 0}, {"scope": "all"}, {"header": ["no colon"]},
    {"header": ["a: b\r\nc: d"]},
])
def test_a_value_that_does_not_fit_is_named(values):
    with pytest.raises(UsageError, match=f"{next(iter(values))} must be"):
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


def test_the_user_agent_names_the_contact_that_is_set_and_invents_none():
    assert make_settings().agent("1.0") == "everlog/1.0"
    assert make_settings({"contact": " "}).agent("1.0") == "everlog/1.0"
    assert make_settings({"contact": "me@a.example"}).agent("1.0") == "everlog/1.0 (+me@a.example)"
    assert make_settings({"user_agent": "x/1 me@a.example"}).agent("1.0") == "x/1 me@a.example"


def test_a_contact_cannot_add_headers():
    with pytest.raises(UsageError, match="contact must be"):
        make_settings({"contact": "me@a.example\r\nX: y"})


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


def test_a_setting_that_was_renamed_works_under_its_old_name_with_a_note(caplog):
    settings_module._present_name.cache_clear()
    settings = make_settings({"steps": ["read", "store"]})
    assert settings.pipeline == ("read", "store")
    assert make_settings(from_environment({"EVERLOG_STEPS": "read\nstore"})).pipeline == ("read", "store")
    assert [record.getMessage() for record in caplog.records] == [
        "the setting 'steps' is called 'pipeline' now; the old name still works",
    ]
