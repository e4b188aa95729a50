"""One crawls, others read: the archive is the same, whatever becomes of the readers."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from ssl import CERT_REQUIRED
from typing import TYPE_CHECKING, Any

import pytest
from redis import Redis as Client
from redis import SSLConnection
from redis.exceptions import TimeoutError as NoAnswer

import a_blog
import services
from everlog.archive import Archive, open_archive
from everlog.core.links import scope_of
from everlog.core.urls import canonical
from everlog.fleet.asking import SharedReader, readers_for
from everlog.fleet.engine import PRESENCE
from everlog.fleet.readers import Lenses
from everlog.fleet.sheets import QUEUE, Order, digest_of, reading_app, unpack_glimpse, unpacked
from everlog.records import Link, Page
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.template_history import TemplateHistory
from everlog.usecases.page.page_reading import PageInput, ReadContext
from fleet.a_fleet import until
from fleet.a_reader import readers
from usecases.a_conversation import said, thread_html
from usecases.a_site import a_site, crawl, work

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from usecases.a_web import MemoryWeb

POSTS = 150
# An answer takes some milliseconds; a machine on which many things run takes more.
WAIT_SECONDS = 120.0
SHORT_WAIT_SECONDS = 0.3


def a_large_site() -> MemoryWeb:
    """A blog of two hundred pages, some with comments."""
    fetcher = a_site(POSTS)
    for number in range(1, POSTS + 1, 3):
        fetcher.put(a_blog.url(number), a_blog.page(number, after=thread_html(said(number, number % 7))))
    return fetcher


def contents(archive: Archive) -> dict[str, Any]:
    """All that was read of a blog, and what became of its addresses."""
    [blog] = archive.blogs()
    posts = {
        post.url: (post.text, post.html, post.title, post.authors, str(post.published), post.tags, post.comments,
                   post.comments_state, dict(post.provenance))
        for post in archive.posts(blog_id=blog.id)
    }
    return {
        "posts": posts, "keys": sorted(archive.known_keys(blog.id)), "outcomes": archive.counts(blog.id).outcomes,
        "queued": archive.counts(blog.id).queued,
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a crawl that reads by itself makes of the blog."""
    with open_archive(tmp_path_factory.mktemp("alone"), create=True) as archive:
        crawl(a_large_site(), archive)
        return contents(archive)


def reading(broker: str, wait_seconds: float = WAIT_SECONDS) -> SharedReader:
    """Sends every page away, small as they are here, once somebody is there to read."""
    with closing(Client.from_url(broker)) as client:
        until(lambda: list(client.scan_iter(match=PRESENCE + "*")))
    reader = SharedReader(broker, least_bytes=0, wait_seconds=wait_seconds)
    until(reader.finds_readers)
    assert reader.open()
    return reader


def crawl_with(reader: SharedReader, archive: Archive, *, once: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """The crawl with this reader; `once` is called in its middle."""
    # As many at once as one reader is given: the crawl reads none itself while it is there.
    job = work(a_large_site(), archive, concurrency=2)
    job.reader = reader
    called = False

    def look_up(_: object) -> None:
        nonlocal called
        if not called and reader.answered >= POSTS // 5:
            called = True
            once()

    job.on_safe = look_up
    asyncio.run(archive_blog(a_blog.HOME, job))
    return contents(archive)


def test_what_others_read_is_stored_as_if_it_had_been_read_here(
    archive: Archive, postgres_url: str, redis_url: str, tmp_path: Path, expected: dict[str, Any],
):
    with readers(postgres_url, tmp_path / "files", redis_url), closing(reading(redis_url)) as reader:
        assert crawl_with(reader, archive) == expected
        assert reader.answered > POSTS // 2


def test_nobody_is_asked_where_nobody_reads_or_the_blog_is_small_or_there_is_no_broker(
    archive: Archive, redis_url: str,
):
    blog = archive.add_blog(a_blog.HOME, scope="path")
    archive.update_blog(blog.id, template="{}", knowledge="{}")
    urls = [f"{a_blog.HOME}{number}" for number in range(20)]
    archive.enqueue(blog.id, [Link(url=url, key=canonical(url), lane="post") for url in urls])
    with readers_for(a_blog.HOME, archive, redis_url, huge=10) as reader:
        assert reader is None
    with closing(Client.from_url(redis_url)) as client:
        client.set(PRESENCE + "somebody", 2)
    with readers_for(a_blog.HOME, archive, redis_url, huge=10) as reader:
        assert reader is not None
    with readers_for(a_blog.HOME, archive, redis_url, huge=20) as reader:
        assert reader is None
    with readers_for(a_blog.HOME, archive, None, huge=10) as reader:
        assert reader is None
    with readers_for("https://unknown.blog/", archive, redis_url, huge=10) as reader:
        assert reader is None


def test_a_broker_that_is_not_there_is_no_trouble(archive: Archive):
    blog = archive.add_blog(a_blog.HOME, scope="path")
    archive.update_blog(blog.id, template="{}", knowledge="{}")
    archive.enqueue(blog.id, [Link(url=a_blog.url(1), key=canonical(a_blog.url(1)), lane="post")])
    broker = f"redis://127.0.0.1:{services.free_port()}/0"
    with readers_for(a_blog.HOME, archive, broker, huge=0) as reader:
        assert reader is None


def test_readers_do_not_wait_for_a_broker_that_stands_still():
    # The server is killed before the pool waits for its thread: one that hangs ends with it.
    with ThreadPoolExecutor() as pool, services.redis() as server:
        app = reading_app(server.url, answers=True)
        connection = app.connection_for_read()
        for_pages, for_answers = connection.default_channel.client, app.backend.client
        assert for_pages.ping()
        assert for_answers.ping()
        server.freeze()
        for client in (for_pages, for_answers):
            with pytest.raises(NoAnswer):
                pool.submit(client.ping).result(WAIT_SECONDS)
        connection.release()
        app.close()


@pytest.mark.parametrize("broker", ["rediss://queue/0", "rediss://queue/0?ssl_ca_certs=/etc/own.pem"])
def test_readers_have_a_broker_that_is_encrypted(broker: str):
    app = reading_app(broker, answers=True)
    wanted = app.backend.connparams
    assert wanted["ssl_cert_reqs"] == CERT_REQUIRED
    assert issubclass(wanted["connection_class"], SSLConnection)
    app.close()


def test_pages_that_nobody_reads_in_time_are_not_asked_for_again_at_once(redis_url: str, read_context: ReadContext):
    """Whoever waits for the first page waits for no other."""
    with closing(Client.from_url(redis_url)) as client:
        client.set(PRESENCE + "somebody", 4)
        with closing(SharedReader(redis_url, least_bytes=0, wait_seconds=0.1)) as reader:
            assert reader.finds_readers()
            assert reader.open()
            pages = [PageInput(page=Page(url=a_blog.url(number), body=a_blog.page(number))) for number in (6, 7, 8)]

            async def ask_for_all() -> list[Any]:
                return [await reader.look(page, read_context) for page in pages]

            assert asyncio.run(ask_for_all()) == [None, None, None]
            # None at all, where the time was over before the first was sent.
            assert client.llen(QUEUE) <= 1


def test_small_pages_are_read_where_they_are(redis_url: str, read_context: ReadContext):
    with closing(Client.from_url(redis_url)) as client:
        client.set(PRESENCE + "somebody", 4)
        with closing(SharedReader(redis_url, wait_seconds=0.1)) as reader:
            assert reader.finds_readers()
            assert reader.open()
            page = PageInput(page=Page(url=a_blog.url(6), body=b"<p>Small."))
            assert asyncio.run(reader.look(page, read_context)) is None
            assert client.llen(QUEUE) == 0


@pytest.fixture
def read_context(archive: Archive) -> ReadContext:
    """What the blog of an archive is read by."""
    crawl(a_site(), archive)
    [blog] = archive.blogs()
    known = LearnedBlog.of(blog)
    assert known is not None
    return ReadContext(scope=scope_of(blog), present=known, template_history=TemplateHistory.of(blog.id, archive))


def test_what_is_known_of_a_blog_is_found_by_its_digest_and_nothing_else(
    archive: Archive, postgres_url: str, tmp_path: Path, read_context: ReadContext,
):
    with closing(Lenses(lambda: open_archive(postgres_url, files=tmp_path / "files"))) as lenses:
        digest = digest_of(read_context)
        found = lenses.find(a_blog.HOME, digest)
        assert found is not None
        assert digest_of(found) == digest
        assert lenses.find(a_blog.HOME, digest) is found
        assert lenses.find(a_blog.HOME, "another") is None
        assert lenses.find("https://unknown.blog/", digest_of(read_context)) is found, "the digest says it all"
        [blog] = archive.blogs()
        learned = read_context.present.classifier.with_urls(["https://a.blog/odd/one.html"])
        archive.update_blog(
            blog.id, knowledge=LearnedBlog(template=read_context.present.template, classifier=learned).knowledge(),
        )
        newer = lenses.find(a_blog.HOME, digest_of(ReadContext(
            scope=read_context.scope, present=LearnedBlog(
                template=read_context.present.template, classifier=learned,
            ), template_history=read_context.template_history,
        )))
        assert newer is not None
        assert newer.present.classifier == learned


def test_a_database_that_is_not_there_makes_the_blog_unknown():
    def refuse() -> Archive:
        return open_archive(f"postgresql://everlog@127.0.0.1:{services.free_port()}/nothing", files="/nowhere")

    assert Lenses(refuse).find(a_blog.HOME, "digest") is None


@pytest.mark.parametrize("message", [b"", b"[]", b"{}", b'{"status": "FAILURE", "result": {"exc_type": "X"}}',
                                     b'{"status": "SUCCESS", "result": null}', b'{"status": "SUCCESS", "result": "?"}',
                                     b'{"status": "SUCCESS", "result": ["x"]}'])
def test_an_answer_that_says_nothing_leaves_the_page_to_the_crawl(message: bytes):
    assert unpack_glimpse(message) is None


@pytest.mark.parametrize("text", ["", "?", "eNo=", "AAAA"])
def test_what_was_damaged_on_its_way_is_told_so(text: str):
    with pytest.raises(ValueError, match=r".+"):
        unpacked(text)


def test_a_page_arrives_as_it_was_sent():
    page = Page(url=a_blog.url(6), body=a_blog.page(6), content_type="text/html; charset=x")
    order = Order(home=a_blog.HOME, digest="d", sheet=PageInput(page=page, comments_feed="/f", may_be_kept=False))
    assert Order.unpack(order.pack()) == order
