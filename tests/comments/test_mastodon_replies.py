"""Replies to a toot as comments: which toot a page names as its own, and what its server says of it."""

from __future__ import annotations

import json

import pytest

from everlog.comments.mastodon_replies import (
    MOST_REPLIES,
    Toot,
    may_name_toot,
    read_replies,
    replies_url,
    status_url,
    toot_of,
)
from everlog.core.selectors import marked_among
from everlog.core.tree import parse

POST = "https://blog.example/sea/"
NUMBER = "110605586119723795"
URL = f"https://m.example/@jo/{NUMBER}"
TOOT = Toot("https://m.example", NUMBER)


def found(page: str) -> Toot | None:
    """What a page names; a page that crawls do not search must name none."""
    root = parse(f"<article><p>The sea was calm.</p></article>{page}".encode())
    names = [str(name) for element in root.iter() for name in (element.tag, *element.keys())]
    named = toot_of(root, POST)
    assert named is None or may_name_toot(root, names, marked_among(root.iter("*")))
    return named


def test_a_page_that_speaks_of_no_toots_is_not_searched_for_one() -> None:
    root = parse(b"<p class=mast id=odon>A toast to <a href='mailto:jo@a.org'>Jo</a><script>var a = 'b@c'</script>")
    assert not may_name_toot(root, ["p", "a", "class", "href"], marked_among(root.iter("*")))


@pytest.mark.parametrize(
    "page",
    [
        f'<oom-comments src="{URL}">No comments yet</oom-comments>',
        f'<mastodon-comments host="m.example" user="jo" tootId="{NUMBER}"></mastodon-comments>',
        f'<div data-responses-to-url="{URL}"></div>',
        f'<div id="comments"><p class="mastodon" data-host="m.example" data-user="jo" data-id="{NUMBER}"></p></div>',
        f'<div id="mastodon-comments-list" data-mastodon-instance="https://m.example" data-toot-id="{NUMBER}"></div>',
        f'<div id="fedi-comments" data-url="https://m.example/users/jo/statuses/{NUMBER}"></div>',
    ],
)
def test_an_element_that_is_made_for_the_replies_names_the_toot(page):
    assert found(page) == TOOT


@pytest.mark.parametrize(
    "code",
    [
        f"var host = 'm.example', id = '{NUMBER}'; fetch('https://' + host + '/api/v1/statuses/' + id + '/context')",
        f"fetch('https://m.example/api/v1/statuses/{NUMBER}/context').then(r => r.json())",
        f'loadMastodonComments({{ "host": "m.example", "user": "jo", "id": "{NUMBER}" }})',
        f'const mastodonHost = "m.example"\nconst tootId = "{NUMBER}"\nloadComments()',
        f'fetch(`https://m.example/api/v1/statuses/{NUMBER}/context`); a.href = "{URL}"; // replies',
    ],
)
def test_a_script_that_shows_replies_names_the_toot(code):
    assert found(f"<script>{code}</script>") == TOOT
    assert found(f'<script type="application/ld+json">{code}</script>') is None


def test_data_for_a_script_are_read():
    data = json.dumps({"host": "m.example", "user": "jo", "id": NUMBER})
    assert found(f'<script type="application/json" id="mastodon-comments">{data}</script>') == TOOT


@pytest.mark.parametrize(
    "page",
    [
        f'<p><a href="{URL}">Discuss on Mastodon</a></p>',
        f'<p>Reply to this post <a href="{URL}/">on the Fediverse</a>.</p>',
        f'<footer>You can comment on this by answering <a href="{URL}">this toot</a>.</footer>',
        f'<p><a class="u-syndication" href="{URL}">also on Mastodon</a></p>',
        f'<p><a rel="syndication" href="{URL}">Mastodon</a></p>',
        f'<div class="post-comments"><p>With an account you may <a href="{URL}">reply to this</a>.</p></div>',
        f'<p>Kommentieren: <a href="{URL}">auf Mastodon</a></p>',
        f'<p><a href="https://m.example/users/jo/statuses/{NUMBER}">Join the discussion on Mastodon</a></p>',
    ],
)
def test_a_link_that_calls_for_answers_names_the_toot(page):
    assert found(page) == TOOT


@pytest.mark.parametrize(
    "page",
    [
        f'<p>As <a href="{URL}">Jo wrote on Mastodon</a>, it rains.</p>',
        f'<p>In <a href="{URL}">a reply on Mastodon</a> somebody asked me how deep it was.</p>',
        f'<blockquote class="mastodon-embed" data-embed-url="{URL}/embed"><a href="{URL}">View it</a></blockquote>',
        f'<iframe class="mastodon-embed" src="{URL}/embed"></iframe>',
        '<p><a rel="me" href="https://m.example/@jo">Follow me, and reply on Mastodon</a></p>',
        f'<ol id="comments"><li class="comment h-cite"><p>So calm.</p><a href="{URL}">Reply by Ada</a></li></ol>',
        f'<div class="toot" data-host="m.example" data-id="{NUMBER}">A toot that is shown</div>',
        '<p><a href="https://b.example/@jo/notes">Reply on my page</a></p>',
        f'<script>var id = "{NUMBER}"; var host = "shop.example"; track(id)</script>',
        f'<p>{"word " * 40}<a href="{URL}">Reply on Mastodon</a> {"word " * 40}</p>',
    ],
)
def test_a_toot_that_is_only_cited_is_nobodys_comments(page):
    assert found(page) is None


def test_where_two_are_named_there_is_none():
    other = URL.replace("795", "796")
    assert found(f'<p><a href="{URL}">Reply on Mastodon</a></p><p><a href="{other}">Reply on Mastodon</a></p>') is None
    assert found(f'<oom-comments src="{URL}"></oom-comments><oom-comments src="{other}"></oom-comments>') is None
    twice = f'<p><a href="{URL}">Reply on Mastodon</a></p>'
    assert found(twice + twice) == TOOT
    # What a script is told goes before a link in the text.
    assert found(f'<p><a href="{other}">Reply on Mastodon</a></p><oom-comments src="{URL}"></oom-comments>') == TOOT


@pytest.mark.parametrize("host", ["", "javascript:x", "m example", "[", "a@b.example", "localhost"])
def test_what_is_no_host_names_nothing(host):
    assert found(f'<mastodon-comments host="{host}" tootid="7"></mastodon-comments>') is None
    assert found(f'<script>var host = "{host}"; var id = "{NUMBER}"; comments("mastodon")</script>') is None


def test_the_addresses_are_those_of_the_servers_interface():
    assert replies_url(TOOT) == f"https://m.example/api/v1/statuses/{NUMBER}/context"
    assert status_url(TOOT) == f"https://m.example/api/v1/statuses/{NUMBER}"


def reply(number: int, to: str = NUMBER, **said: object) -> dict[str, object]:
    return {
        "id": str(number), "in_reply_to_id": to, "created_at": "2024-05-03T10:00:00.000Z", "visibility": "public",
        "url": f"https://n.example/@ada/{number}", "content": f"<p>Answer <b>{number}</b></p><script>x()</script>",
        "replies_count": 0, "spoiler_text": "",
        "account": {"display_name": "Ada :sea: Finch", "acct": "ada@n.example", "url": "https://n.example/@ada",
                    "emojis": [{"shortcode": "sea"}]},
        **said,
    }


def context(*rows: object) -> bytes:
    return json.dumps({"ancestors": [], "descendants": rows}).encode()


def test_replies_are_comments_with_who_answers_whom():
    thread = read_replies(context(reply(1), reply(2, "1"), reply(3, "99")), TOOT)
    first, second, third = thread.comments
    assert (first.id, first.parent, first.author, first.author_url) == ("1", None, "Ada Finch", "https://n.example/@ada")
    assert (first.text, first.html) == ("Answer 1", "<p>Answer <b>1</b></p>")
    assert (first.url, first.source) == ("https://n.example/@ada/1", "mastodon")
    assert first.published.isoformat() == "2024-05-03T10:00:00+00:00"
    assert (second.parent, third.parent) == ("1", None)
    assert (thread.source, thread.claimed) == ("mastodon", 3)


def test_a_name_is_the_accounts_where_there_is_no_other():
    nameless = reply(1, account={"display_name": ":sea:", "acct": "ada@n.example", "emojis": [{"shortcode": "sea"}]})
    assert read_replies(context(nameless), TOOT).comments[0].author == "ada@n.example"


def test_a_warning_before_a_text_is_part_of_it():
    assert read_replies(context(reply(1, spoiler_text="Sad & long")), TOOT).comments[0].text == "Sad & long\n\nAnswer 1"


def test_answers_that_are_counted_and_not_given_are_claimed():
    rows = (reply(1, replies_count=3), reply(2, "1"))
    assert read_replies(context(*rows), TOOT).claimed == 4
    assert read_replies(context(*rows), TOOT, status=json.dumps({"replies_count": 10}).encode()).claimed == 2 + 2 + 9
    assert read_replies(context(*rows), TOOT, status=b"<html>").claimed == 4


def test_what_is_not_for_all_is_left_out():
    thread = read_replies(context(reply(1, visibility="direct"), reply(2, visibility="unlisted")), TOOT)
    assert [comment.id for comment in thread.comments] == ["2"]


def test_answers_in_a_circle_and_twice_are_read_once():
    thread = read_replies(context(reply(1, "2"), reply(2, "1"), reply(1, "2")), TOOT)
    assert len(thread.comments) == 2
    assert None in {comment.parent for comment in thread.comments}


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"null", b"[]", b"{}", b"[" * 100_000, b'{"descendants": 7}', b'{"error": "Record not found"}'],
)
def test_what_is_no_answer_of_a_server_is_none(body):
    assert read_replies(body, TOOT) is None


def test_hostile_rows_are_passed_over_and_there_is_an_end():
    odd = {"id": "8", "account": 3, "content": {}, "created_at": [], "url": "javascript:x", "replies_count": 10**30}
    thread = read_replies(context(None, 7, [], {}, {"id": 3}, odd), TOOT)
    [comment] = thread.comments
    assert (comment.id, comment.author, comment.text, comment.url, comment.published) == ("8", None, "", None, None)
    many = read_replies(context(*(reply(number) for number in range(1, 3_000))), TOOT)
    assert len(many.comments) == MOST_REPLIES
