"""The tables of an archive. A change here needs a script in revisions/ and a new HEAD.

    blogs ── urls ── captures ── warc_files     the queue, and what was answered, where it stands
      ├──── posts ── versions, aliases          what was read; a version knows its capture
      │       ├──── indexed                     which version is in the search index, made by `sqlite_search.py`
      │       ├──── post_summaries, post_terms, post_links    the projection for lists (`archive/projection`)
      │       └──── hidden_posts                posts that are kept and not shown
      ├──── media ── media_files                which file a picture's address means now
      ├──── polls, templates                    when its feed is asked again; how it was read before a redesign
      ├──── events                              edits, deletions, moves, deaths: what happened to it, and when
      ├──── blog_states, blog_addresses         what crawls leave for those after them; what led to a blog
      ├──── listed_posts                        inventories: the posts that a history source says the blog has
      ├──── blog_figures, blog_months, blog_terms             the projection, counted
      └──── runs
    hosts ── waits, host_cache                  what was asked of whom, how long was waited, and why; robots.txt
    archive_state                               what the archive says of itself
    jobs ── grants ── leases                    what a fleet is to do, who does it, which hosts are theirs alone
    workers, turns                              who is there; rate limits: when each host may be asked next

Texts that are times are `column_values.stamp`s. Paths are relative to the archive's folder.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
)

# The revision this code reads and writes; the newest script in revisions/.
HEAD = "0011"

# SQLite numbers rows by itself in a column called INTEGER only.
NUMBER = BigInteger().with_variant(Integer, "sqlite")

metadata = MetaData()


def _id() -> Column[int]:
    return Column("id", NUMBER, primary_key=True)


def _blog(*, nullable: bool = False) -> Column[int]:
    return Column("blog_id", NUMBER, ForeignKey("blogs.id"), nullable=nullable)


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


# What Alembic reads; made here too, because a new archive is made without loading Alembic.
alembic_version = Table("alembic_version", metadata, Column("version_num", Text, primary_key=True))

blogs = Table(
    "blogs", metadata, _id(), Column("key", Text, nullable=False, unique=True), _text("home"), Column("title", Text),
    Column("feed_url", Text), _text("scope"), _text("state"), Column("template", Text), Column("knowledge", Text),
    _text("added_at"), Column("crawled_at", Text), Column("forgotten_at", Text), Column("gone", Text),
    Column("gone_at", Text), Column("former_homes", Text), Column("completeness", Text), Column("hidden_at", Text),
)

urls = Table(
    "urls", metadata, _id(), _blog(), _text("key"), _text("url"), _text("lane"),
    Column("rank", Float, nullable=False), _text("state"), Column("outcome", Text), Column("reason", Text),
    Column("note", Text), Column("status", Integer), Column("tries", Integer, nullable=False),
    Column("new_posts", Integer, nullable=False), Column("found_on", Text), _text("queued_at"),
    Column("visited_at", Text), Column("again_at", Text),
    UniqueConstraint("key", "blog_id", name="one_url"),
    Index("urls_waiting", "blog_id", "state", "lane", "id"),
    Index("urls_of_blog", "blog_id", "id"),
)

# One without a blog holds captures of several.
warc_files = Table(
    "warc_files", metadata, _id(), _blog(nullable=True), Column("name", Text, nullable=False, unique=True),
    Column("length", BigInteger, nullable=False), Column("closed", Boolean, nullable=False),
)

# `original_id` is the capture that holds the body of one that found it unchanged. `answer` is set for the one that
# answered a visit, unless it shows so much less than what is held that nothing is read from it. Those that a web
# archive or another program made have an `origin`, and were captured at another time than they were fetched at. `key`
# is that of its own URL where this is not the one that was visited: what a redirect led to, a further page.
captures = Table(
    "captures", metadata, _id(), _blog(), Column("url_id", NUMBER, ForeignKey("urls.id"), nullable=False),
    _text("url"), _text("purpose"), Column("answer", Boolean, nullable=False),
    Column("status", Integer, nullable=False), Column("content_type", Text), Column("etag", Text),
    Column("last_modified", Text), _text("digest"), Column("bytes", BigInteger, nullable=False), _text("fetched_at"),
    Column("warc_id", NUMBER, ForeignKey("warc_files.id"), nullable=False),
    Column("offset", BigInteger, nullable=False), Column("length", BigInteger, nullable=False),
    Column("original_id", NUMBER, ForeignKey("captures.id")), Column("origin", Text), Column("captured_at", Text),
    Column("key", Text),
    UniqueConstraint("warc_id", "offset", name="one_capture"),
    Index("captures_of_url", "blog_id", "url_id", "id"),
    Index("captures_by_digest", "digest", "blog_id"),
)
# Few captures have a key of their own: the others are found by that of their row in `urls`, and cost no entry here.
# Said in SQL for the reason given at `polls_free`.
Index("captures_by_key", captures.c.key).ddl_if(callable_=lambda *_, **__: False)


def _index_own_keys(_table: Table, connection: Connection, **_: object) -> None:
    connection.exec_driver_sql("CREATE INDEX captures_by_key ON captures (key) WHERE key IS NOT NULL")


event.listen(captures, "after_create", _index_own_keys)

# `digest` tells versions apart, `content` finds the same post under another address.
posts = Table(
    "posts", metadata, _id(), _blog(), _text("key"), Column("version", Integer, nullable=False), _text("digest"),
    Column("content", Text), Column("published", Text), Column("comments", Integer, nullable=False),
    Column("gone", Text), _text("found_at"), Column("comments_state", Text), Column("comment_tries", Integer),
    Column("gone_at", Text), Column("missing_since", Text), Column("missing_tries", Integer),
    Column("kind", Text, nullable=False, server_default="post"),
    UniqueConstraint("key", "blog_id", name="one_post"),
    Index("posts_by_content", "content", "blog_id"),
    Index("posts_of_blog", "blog_id", "id"),
    Index("posts_by_comments", "blog_id", "comments_state"),
)

versions = Table(
    "versions", metadata, Column("post_id", NUMBER, ForeignKey("posts.id"), primary_key=True),
    Column("version", Integer, primary_key=True), _text("record"),
    Column("capture_id", NUMBER, ForeignKey("captures.id")), _text("read_at"),
)

indexed = Table(
    "indexed", metadata,
    Column("post_id", NUMBER, ForeignKey("posts.id"), primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
)

aliases = Table(
    "aliases", metadata, Column("key", Text, primary_key=True),
    Column("blog_id", NUMBER, ForeignKey("blogs.id"), primary_key=True), _text("url"),
    Column("post_id", NUMBER, ForeignKey("posts.id"), nullable=False),
    Index("aliases_of_post", "post_id"),
    Index("aliases_of_blog", "blog_id"),
)

# A post in a list: what its current version and its row say, in the words that lists show (`archive/projection`).
# `published_at` sorts and is empty where nobody knows a date; `published` has the offset. Names are JSON.
post_summaries = Table(
    "post_summaries", metadata,
    Column("post_id", NUMBER, ForeignKey("posts.id"), primary_key=True, autoincrement=False), _blog(), _text("kind"),
    _text("published_at"), Column("hidden", Boolean, nullable=False), _text("url"), Column("title", Text),
    _text("authors"), _text("tags"), Column("language", Text), Column("published", Text), Column("precision", Text),
    Column("words", Integer, nullable=False), Column("characters", Integer, nullable=False),
    Column("comments", Integer, nullable=False), Column("comments_state", Text),
    Column("versions", Integer, nullable=False), Column("gone", Boolean, nullable=False),
    Column("confidence", Integer), Column("picture", Text), _text("excerpt"), _text("sites"), _text("changed_at"),
    Index("summaries_of_blog", "blog_id", "kind", "published_at", "post_id"),
)

# What posts are filtered by. Each row stands where a list of its blog looks for it, in the order of the list.
post_terms = Table(
    "post_terms", metadata, Column("kind", Text, primary_key=True), Column("term", Text, primary_key=True),
    Column("blog_id", NUMBER, primary_key=True, autoincrement=False), Column("published_at", Text, primary_key=True),
    Column("post_id", NUMBER, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

# `target` is the number of the address that is linked to (`post_content.link_number`), held or not.
post_links = Table(
    "post_links", metadata, Column("target", BigInteger, primary_key=True, autoincrement=False),
    Column("post_id", NUMBER, primary_key=True, autoincrement=False),
    Index("links_of_post", "post_id"),
    sqlite_with_rowid=False,
)

hidden_posts = Table(
    "hidden_posts", metadata,
    Column("post_id", NUMBER, ForeignKey("posts.id"), primary_key=True, autoincrement=False), _blog(),
    _text("hidden_at"),
)


def _number(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False)


# How many posts of a blog have a term, and how many of these are hidden; `label` is the term as somebody wrote it.
blog_terms = Table(
    "blog_terms", metadata, Column("blog_id", NUMBER, ForeignKey("blogs.id"), primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True), Column("term", Text, primary_key=True), _text("label"), _number("posts"),
    _number("hidden"),
    Index("terms_by_posts", "blog_id", "kind", "posts"),
)

# `month` is that of the blog's own calendar, empty for posts without a date.
blog_months = Table(
    "blog_months", metadata, Column("blog_id", NUMBER, ForeignKey("blogs.id"), primary_key=True, autoincrement=False),
    Column("month", Text, primary_key=True), _number("posts"), _number("hidden"),
)

# `rated` posts have a confidence, `confidence` is the sum of theirs in thousandths, `unsure` are those with a low one.
blog_figures = Table(
    "blog_figures", metadata,
    Column("blog_id", NUMBER, ForeignKey("blogs.id"), primary_key=True, autoincrement=False), _number("posts"),
    _number("pages"), _number("comments"), _number("versions"), _number("deleted"), _number("comments_failed"),
    _number("hidden"), _number("rated"), Column("confidence", BigInteger, nullable=False), _number("unsure"),
    Column("first_published_at", Text), Column("last_published_at", Text), Column("changed_at", Text),
)

media_files = Table(
    "media_files", metadata, Column("sha256", Text, primary_key=True),
    Column("path", Text, nullable=False, unique=True), Column("type", Text),
    Column("bytes", BigInteger, nullable=False),
)

media = Table(
    "media", metadata, Column("key", Text, primary_key=True),
    Column("blog_id", NUMBER, ForeignKey("blogs.id"), primary_key=True), _text("url"),
    Column("sha256", Text, ForeignKey("media_files.sha256"), nullable=False), _text("fetched_at"),
    Index("media_by_file", "sha256"),
    Index("media_of_blog", "blog_id"),
)

runs = Table(
    "runs", metadata, _id(), _blog(), _text("kind"), _text("started_at"), Column("ended_at", Text),
    Column("reason", Text), Column("counts", Text),
    Index("runs_of_blog", "blog_id", "id"),
)

# `state` is a `schedule.poll_schedule.Polling`; the rest is what a poll needs before it reads that. A lease is the word
# of
# one watcher that it is asking now: `lease_until` is when its word is worth nothing any more. In a fleet a poll is in
# one job at a time.
polls = Table(
    "polls", metadata, Column("blog_id", NUMBER, ForeignKey("blogs.id"), primary_key=True, autoincrement=False),
    Column("due_at", Text), _text("state"), Column("etag", Text), Column("last_modified", Text), Column("digest", Text),
    Column("lease", Text), Column("lease_until", Text), Column("job_id", NUMBER),
    Index("polls_due", "due_at"),
    Index("polls_of_job", "job_id"),
)
# What a fleet picks from: feeds that are in no job, in the order they fall due. The number of the blog makes that order
# this index's own: a planner that knew of no jobs yet would else take `polls_due`, and step over all that are in one.
# Its condition is said in SQL that both databases read: said to SQLAlchemy, it would load the dialects of both, 0.1 s
# of CPU time for every program.
Index("polls_free", polls.c.due_at, polls.c.blog_id).ddl_if(callable_=lambda *_, **__: False)


def _index_free_polls(_table: Table, connection: Connection, **_: object) -> None:
    connection.exec_driver_sql("CREATE INDEX polls_free ON polls (due_at, blog_id) WHERE job_id IS NULL")


event.listen(polls, "after_create", _index_free_polls)

# When the page of a post is looked at again, although no feed speaks of it.
rechecks = Table(
    "rechecks", metadata, Column("post_id", NUMBER, ForeignKey("posts.id"), primary_key=True, autoincrement=False),
    _blog(), _text("due_at"),
    Index("rechecks_due", "blog_id", "due_at"),
)

# How a blog was read until a redesign.
templates = Table(
    "templates", metadata, _id(), _blog(), _text("template"), _text("knowledge"), Column("learned_at", Text),
    _text("retired_at"), _text("reason"),
    Index("templates_of_blog", "blog_id", "retired_at"),
)

events = Table(
    "events", metadata, _id(), _blog(), Column("post_id", NUMBER, ForeignKey("posts.id")), _text("kind"), _text("at"),
    _text("reason"), Column("detail", Text),
    Index("events_of_blog", "blog_id", "id"),
    Index("events_of_post", "post_id", "id"),
)

hosts = Table(
    "hosts", metadata, Column("host", Text, primary_key=True), Column("requests", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False), Column("waited_seconds", Float, nullable=False),
    Column("slowed", BigInteger, nullable=False), Column("delay_seconds", Float, nullable=False),
    Column("asked_at", Text),
)

# Waits of one host that have the same reason and the same signal of the server are one row.
waits = Table(
    "waits", metadata, Column("host", Text, primary_key=True), Column("reason", Text, primary_key=True),
    Column("signal", Text, primary_key=True), Column("times", BigInteger, nullable=False),
    Column("seconds", Float, nullable=False), _text("first_at"), _text("last_at"), Column("until", Text),
)

# `state` is a `blog_state.BlogState`; `repeats`, which is large, what repeats on the pages of the blog.
blog_states = Table(
    "blog_states", metadata,
    Column("blog_id", NUMBER, ForeignKey("blogs.id"), primary_key=True, autoincrement=False), _text("state"),
    Column("repeats", Text),
)

# `native_id` is what the source calls the post, whatever becomes of its address; `locked` why its text cannot be had.
listed_posts = Table(
    "listed_posts", metadata, Column("blog_id", NUMBER, ForeignKey("blogs.id"), primary_key=True, autoincrement=False),
    Column("source", Text, primary_key=True), Column("native_id", Text, primary_key=True), _text("key"), _text("url"),
    _text("kind"), Column("changed_at", Text), Column("locked", Text),
    Index("listed_posts_by_key", "blog_id", "key"),
)

blog_addresses = Table("blog_addresses", metadata, Column("key", Text, primary_key=True), _text("home"))


def _texts(name: str) -> Table:
    return Table(name, metadata, Column("name", Text, primary_key=True), _text("value"))


# robots.txt and when it was read, waits that hosts asked for, the networks they were first seen in.
host_cache = _texts("host_cache")
archive_state = _texts("archive_state")

# Jobs that are done leave no row. `key` tells the same job from another; `settings` and `blog_ids` are JSON.
# Times here are stamps, those of the tables below are seconds of the database's own clock.
jobs = Table(
    "jobs", metadata, _id(), _text("kind"), Column("key", Text, unique=True), Column("url", Text), Column("host", Text),
    Column("blog_ids", Text), _text("settings"), _text("queue"), Column("needs_browser", Boolean, nullable=False),
    _text("state"), Column("tries", Integer, nullable=False), Column("slices", Integer, nullable=False),
    Column("requests", BigInteger, nullable=False), Column("posts", BigInteger, nullable=False),
    Column("reason", Text), Column("due_at", Text), _text("added_at"), Column("queued_at", Float),
    Column("fence", NUMBER),
    Index("jobs_by_state", "state", "queue", "queued_at"),
    Index("jobs_by_host", "host", "state"),
    Index("jobs_parked", "state", "queue", "due_at"),
)

# Leases of workers. A fencing number is never given twice, so one that is gone stays gone.
grants = Table(
    "grants", metadata, Column("fence", NUMBER, primary_key=True), Column("job_id", NUMBER, ForeignKey("jobs.id")),
    _text("worker"), Column("begun", Float, nullable=False), Column("beat", Float, nullable=False),
    Column("requests", BigInteger, nullable=False),
    Index("grants_by_beat", "beat"),
    Index("grants_of_job", "job_id"),
    sqlite_autoincrement=True,
)

# Leases of hosts.
leases = Table(
    "leases", metadata, Column("host", Text, primary_key=True),
    Column("fence", NUMBER, ForeignKey("grants.fence", ondelete="CASCADE"), nullable=False),
    Index("leases_of_grant", "fence"),
)

# Rate limits of hosts.
turns = Table(
    "turns", metadata, Column("host", Text, primary_key=True), Column("free", Float, nullable=False),
    Column("held", Float, nullable=False),
)

workers = Table(
    "workers", metadata, Column("name", Text, primary_key=True), Column("processes", Integer, nullable=False),
    Column("has_browser", Boolean, nullable=False), _text("started_at"), Column("beat", Float, nullable=False),
    Column("draining", Boolean, nullable=False), Column("slices", BigInteger, nullable=False),
    Column("requests", BigInteger, nullable=False), Column("posts", BigInteger, nullable=False),
    Column("failures", BigInteger, nullable=False), Column("busy_seconds", Float, nullable=False),
)
