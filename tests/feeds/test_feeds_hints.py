"""How often a feed wishes to be asked."""

from __future__ import annotations

import pytest

from everlog.feeds import parse_feed
from everlog.records import FeedHints

ITEM = "<item><title>A</title><link>https://a.org/1</link></item>"


def hints(channel: str) -> FeedHints | None:
    body = (
        '<rss version="2.0" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">'
        f"<channel><link>https://a.org/</link>{channel}{ITEM}</channel></rss>"
    )
    return parse_feed(body.encode(), "https://a.org/feed").hints


def test_a_feed_that_says_nothing_has_no_hints():
    assert hints("") is None


def test_all_wishes_of_an_rss_feed_are_read():
    assert hints(
        "<ttl> 60 </ttl><skipHours><hour>2</hour><hour>0</hour><hour>2</hour></skipHours>"
        "<skipDays><day>Sunday</day><day>saturday</day></skipDays>"
        "<sy:updatePeriod>\n hourly\t</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>"
    ) == FeedHints(ttl_minutes=60, skip_hours=(0, 2), skip_days=(5, 6), period_seconds=1800.0)


def test_hours_counted_to_24_mean_midnight():
    assert hints("<skipHours><hour>24</hour><hour>23</hour></skipHours>") == FeedHints(skip_hours=(0, 23))


@pytest.mark.parametrize(
    ("channel", "seconds"),
    [
        ("<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>1</sy:updateFrequency>", 3600),
        ("<sy:updatePeriod>daily</sy:updatePeriod>", 86400),
        ("<sy:updateFrequency>4</sy:updateFrequency>", 21600),
        ("<sy:updatePeriod>Weekly</sy:updatePeriod><sy:updateFrequency>7</sy:updateFrequency>", 86400),
        ("<sy:updatePeriod>monthly</sy:updatePeriod>", 30 * 86400),
        ("<sy:updatePeriod>yearly</sy:updatePeriod>", 365 * 86400),
    ],
)
def test_the_syndication_module_gives_a_period(channel, seconds):
    assert hints(channel) == FeedHints(period_seconds=seconds)


@pytest.mark.parametrize(
    "channel",
    [
        "<ttl>soon</ttl>", "<ttl>0</ttl>", "<ttl>-5</ttl>", "<ttl>99999999999</ttl>", "<ttl/>", "<ttl>1.5</ttl>",
        "<ttl>9999999</ttl>", "<ttl>٣</ttl>",
        "<skipHours><hour>25</hour><hour>noon</hour><hour/></skipHours>", "<skipHours>3</skipHours>",
        "<skipDays><day>Someday</day><day/></skipDays>",
        "<skipHours>" + "".join(f"<hour>{hour}</hour>" for hour in range(24)) + "</skipHours>",
        "<sy:updatePeriod>often</sy:updatePeriod>",
        "<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>0</sy:updateFrequency>",
        "<sy:updateBase>2000-01-01T12:00+00:00</sy:updateBase>",
    ],
)
def test_what_makes_no_sense_is_as_good_as_unsaid(channel):
    assert hints(channel) is None


def test_an_rss_1_0_channel_is_read_too():
    body = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" '
        'xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"><channel rdf:about="https://a.org/">'
        "<link>https://a.org/</link><sy:updatePeriod>daily</sy:updatePeriod></channel>"
        '<item rdf:about="https://a.org/1"><title>A</title><link>https://a.org/1</link></item></rdf:RDF>'
    )
    assert parse_feed(body.encode(), "https://a.org/feed").hints == FeedHints(period_seconds=86400)
