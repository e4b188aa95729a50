"""Pages about how an archive came to be: what was learned, requests and waits, the fleet."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

import a_blog
from archive import some_visits as some
from archive.some_visits import START
from everlog.archive import open_archive
from everlog.archive.job_models import NewJob, SliceResult
from everlog.archive.models import Poll
from everlog.core.fetcher import HostStats, Waited
from everlog.core.rules import Rule
from everlog.extract.classify import PostClassifier
from everlog.schedule.poll_schedule import Polling
from everlog.schedule.rhythm import Rhythm
from everlog.usecases.learn.learned_blog import LearnedBlog
from web.conftest import filled
from web.served_archive import Served, serving
from web.some_blogs import HOSTILE, PAYLOADS, add_hostile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.extract.template import Template

LEARNED = datetime(2024, 6, 1, tzinfo=UTC)


def add_learned(archive: Archive, template: Template) -> int:
    """A blog with the posts that its rules read; its design was another one before."""
    classifier = PostClassifier.learn(template, a_blog.pages(), home=a_blog.HOME)
    learned = LearnedBlog(template=template, classifier=classifier, learned_at=LEARNED)
    blog = archive.blogs.add(a_blog.HOME, scope="path").id
    archive.blogs.update(
        blog, title="A blog", state="finished", feed_url=a_blog.HOME + "feed", template=template.to_json(),
        knowledge=learned.knowledge(),
    )
    rule = Rule(method="manual", where="h1.title")
    now = replace(learned, template=template.with_manual({"title": rule}), learned_at=LEARNED + timedelta(days=30))
    archive.blogs.change_template(
        blog, template=now.template.to_json(), knowledge=now.knowledge(), at=LEARNED + timedelta(days=30),
        reason="the blog was redesigned: on 5 of its pages the old rules scored 3%",
    )
    with archive.lock(blog):
        archive.commit([
            some.page(blog, a_blog.url(number), outcome="post", post=now.template.read(page, a_blog.url(number)),
                      exchanges=(some.exchange(a_blog.url(number), page, at=number),))
            for number in a_blog.NUMBERS for page in [a_blog.page(number)]
        ])
    return blog


@pytest.fixture(scope="module")
def workings(tmp_path_factory: pytest.TempPathFactory, template: Template) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("workings") / "archive"
    with open_archive(place, create=True) as archive:
        add_learned(archive, template)
        blog = filled(archive)
        archive.hosts.add([HostStats(
            host="a.example", requests=1_234, bytes=5_600_000, waited_seconds=90.0, slowed=2, delay_seconds=1.5,
            waits=(
                Waited(reason="the server asked for it", signal="429, Retry-After: 60", times=1, seconds=60.0,
                       first_at=START, last_at=START),
                Waited(reason="its pace", times=30, seconds=30.0, first_at=START, last_at=START),
            ),
        )], START)
        archive.polls.set(Poll(blog_id=blog, polling=Polling(
            due_at=START + timedelta(days=1), why="a post a week: next poll in 1 d", checked_at=START,
            rhythm=Rhythm(since_at=START, counted_at=START), failures=3, signal="Cache-Control: max-age=86400",
        )))
        run = archive.blogs.begin_run(blog, "crawl")
        archive.blogs.end_run(run, reason="complete", counts={
            "requests": 17, "file_requests": 801, "new_posts": 4, "changed_posts": 0,
        })
        hostile = add_hostile(archive)
        for number, payload in enumerate(PAYLOADS):
            archive.hosts.add([HostStats(
                host="hostile.example", requests=1, bytes=1, waited_seconds=1.0, slowed=0, delay_seconds=1.0,
                waits=(Waited(reason=payload, signal=payload, seconds=1.0, first_at=START, last_at=START),),
            )], START)
            with archive.lock(hostile):
                archive.commit([some.page(
                    hostile, f"{HOSTILE}missing{number}", outcome="failed", reason=payload,
                    exchanges=(some.exchange(f"{HOSTILE}missing{number}", b"no", status=404),),
                )])
            archive.blogs.end_run(archive.blogs.begin_run(hostile, "crawl"), reason=payload, counts={})
        rules = tuple(Rule(method=payload, where=payload, confidence=0.5) for payload in PAYLOADS)
        evil = replace(template, fields=MappingProxyType({"title": rules, PAYLOADS[0]: rules}))
        archive.blogs.update(hostile, template=evil.to_json(), knowledge=LearnedBlog(
            template=evil, classifier=PostClassifier.learn(template, {f"{HOSTILE}{each}": b"<p>" for each in PAYLOADS}),
        ).knowledge())
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


def test_rules_are_told_with_their_scores_and_what_they_read(workings: Served):
    text = workings.page("/rules/a.blog").text
    assert "from 5 posts in <a" in text
    assert "<code>div.entry</code>" in text
    assert '<span class="word good">100 %</span>' in text
    assert a_blog.paragraphs(5)[0][:60] in text
    assert f'href="/read/{a_blog.url(5)}"' in text
    assert "this rule read 5 of the 5 newest posts" in text
    assert '<span class="word good">set by hand</span>' in text
    assert "5 January 2024" in text


def test_which_pages_are_posts_is_told_in_words(workings: Served):
    text = workings.page("/rules/a.blog").text
    assert "<code>/NUMBER</code>" in text
    assert f'<a href="/read/{a_blog.url(4)}">' in text


def test_rules_of_before_a_redesign_are_told_with_their_time(workings: Served):
    text = workings.page("/rules/a.blog").text
    assert "1 June 2024 to 1 July 2024" in text
    assert "the old rules scored 3%" in text


def test_a_blog_that_was_not_learned_says_how_to_begin(workings: Served):
    assert "everlog crawl http://a.example/" in workings.page("/rules/a.example").text
    for path in ("/rules/never.example", "/rules/", "/requests/never.example", "/requests/"):
        assert workings.page(path).status == 404


def test_requests_and_waits_are_told_with_their_reasons(workings: Served):
    text = " ".join(re.sub(r"<[^>]+>", " ", workings.page("/requests/a.example").text).split())
    assert "1,234 requests, 5.6 MB, waited 90 s" in text
    assert "made everlog slower 2 times" in text
    assert "the server asked for it 429, Retry-After: 60 once 60 s" in text
    assert "On 2 May 2024, 12:00 UTC: a post a week (Cache-Control: max-age=86400) ." in text
    assert "3 failures in a row" in text
    assert "crawl 17 801 4 0" in text


def test_answers_are_counted_by_day_and_status(workings: Served):
    text = " ".join(re.sub(r"<[^>]+>", " ", workings.page("/requests/a.example").text).split())
    # The post on three days; on the first day also twelve pages and files, and what two of them led to.
    assert "2024-05-21 1 200 1" in text
    assert "2024-05-11 1 200 1" in text
    found = re.search(r"2024-05-01 (\d+) 200 (\d+) 301 1 302 2 404 1", text)
    assert found
    assert int(found[1]) == int(found[2]) + 4
    assert f"answers stored {int(found[1]) + 2} " in text


def test_what_could_not_be_had_is_named_by_its_reason(workings: Served):
    text = workings.page("/requests/hostile.example").text
    assert f'href="/web/{HOSTILE}missing3"' in text
    assert text.count('<ul class="gaps">') == len(PAYLOADS)


@pytest.mark.parametrize("path", ["/rules/hostile.example", "/requests/hostile.example"])
def test_what_strangers_wrote_is_only_text_on_these_pages(workings: Served, path):
    answer = workings.page(path)
    assert answer.status == 200
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
    for evil in ("<script", "<iframe", "onerror=alert(1)>", "onload=alert(1)>", 'href="javascript', "onmouse\""):
        assert evil not in answer.said, evil
    assert not re.search(r"<[^>]*\son\w+\s*=", re.sub(r'"[^"]*"', '""', answer.text))


def test_in_public_rules_show_nothing_hidden_and_requests_are_not_there(tmp_path, template: Template):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = add_learned(archive, template)
        archive.hidden.set_post(archive.listing.find(a_blog.url(5)).id, hidden=True)
        with serving(archive, public=True) as public, serving(archive) as private:
            shown, whole = public.page("/rules/a.blog").text, private.page("/rules/a.blog").text
            assert a_blog.url(5) in whole
            assert a_blog.url(5) not in shown
            assert a_blog.paragraphs(5)[0][:60] not in shown
            assert a_blog.paragraphs(4)[0][:60] in shown
            assert "everlog reread" not in shown
            assert 'href="/requests/' not in shown
            assert 'href="/requests/a.blog"' in whole
            assert public.page("/requests/a.blog").status == 404
            assert public.page("/fleet").status == 404
            archive.hidden.set_blog(blog, hidden=True)
            assert public.page("/rules/a.blog").status == 404


def test_an_archive_in_a_folder_says_how_to_make_a_fleet(workings: Served):
    answer = workings.page("/fleet")
    assert answer.status == 200
    assert "There is no fleet" in answer.text
    assert "everlog copy" in answer.text
    assert 'href="/fleet"' not in workings.page("/").text


def test_a_fleet_is_told_with_its_workers_queues_and_stalls(archive_url: str, tmp_path):
    with open_archive(archive_url, files=tmp_path / "files") as archive:
        archive.workers.sign_in("one <b>", processes=3, has_browser=True)
        running, dead, _ = archive.jobs.add([
            NewJob(kind="crawl", url=url, host=url[7:-1])
            for url in ("http://a.example/", "http://b.example/", "http://c.example/")
        ])
        archive.jobs.claim(running.id, "one <b>")
        gone = archive.jobs.claim(dead.id, "one <b>")
        assert gone is not None
        archive.leases.end(gone.fence, SliceResult(end="dead", reason="no page of it could be read as a post"))
        with serving(archive) as served:
            answer = served.page("/fleet")
            text = " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())
            assert answer.headers["Cache-Control"] == "no-store"
            assert "one &lt;b&gt;" in answer.text
            assert "<b>" not in answer.text
            assert "working" in text
            assert "http://a.example/ crawl one" in text
            assert "no page of it could be read as a post" in text
            assert 'data-live hx-get="/fleet"' in answer.text
            assert '<a href="/fleet">Fleet</a>' in served.page("/").text

