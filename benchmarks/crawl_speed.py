"""Pages a second of a whole crawl, beside a Scrapy spider that only downloads and follows links.

    python benchmarks/crawl_speed.py [--posts 3000] [--rounds 5]
    python benchmarks/crawl_speed.py --profile 25        # where everlog's time goes
    python benchmarks/crawl_speed.py --gate --most 1.4   # a small blog, processor time alone: fails above

All crawl the same made blog (`made_blog.py`, in a process of its own) with no delay and the same number of
requests at once, each in a fresh process whose imports are done before the clock starts. They take turns;
the ratio is the median over the rounds. `bare` hands every link it meets to Scrapy, which sorts out those it
had before; `lean` does that itself, for less. everlog learns the blog, reads every post, and stores all of it in
an archive on the disk: WARC records and database, synced before a page counts. A post has some twenty comments,
all of which are found.

Pages a second depend on what else the machine does; processor time hardly does, so that is what the gate looks at:
user and system time of the crawling process a page, everlog's over the bare spider's, in the same run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from blogs import say
from made_blog import served

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CONCURRENCY = 16
# The least share of the bare spider's pages a second.
FLOOR = 0.5
# A small blog is crawled in a few seconds. Learning it takes the same of any, so the ratio is worse than of a long one.
GATE_POSTS, GATE_ROUNDS = 500, 5
# What comments a post of the made blog has, at least: that they are found is a part of the work.
FEWEST_COMMENTS = 10
# What everlog imports when it is needed first: all imports are done before the clock starts.
IMPORTED_LATER = (
    "babel.dates", "babel.numbers", "encodings.idna", "numpy.ma", "protego", "warcio.archiveiterator",
    "scrapy.downloadermiddlewares.httpcompression", "everlog.archive.write.writer_pool",
    *(f"everlog.archive.repos.{name}" for name in ("blogs", "comments", "figures", "hosts", "post_rechecks", "urls")),
    "everlog.extract.extractors.selector", "everlog.extract.fields.summary_learn",
)
Figures = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, help=f"default: 3000, with --gate {GATE_POSTS}")
    parser.add_argument("--kilobytes", type=float, default=30.0, help="about the size of a page")
    parser.add_argument("--rounds", type=int, default=GATE_ROUNDS)
    parser.add_argument("--gate", action="store_true", help="compare processor time alone, of a small blog")
    parser.add_argument("--most", type=float, help="with --gate: fail where everlog takes more times the bare spider's")
    parser.add_argument("--profile", type=int, metavar="N", help="the N costliest functions of everlog's crawl instead")
    parser.add_argument("--json", action="store_true", help="print JSON, not Markdown")
    parser.add_argument("--only", choices=sorted(CRAWLS), help=argparse.SUPPRESS)
    parser.add_argument("--home", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(CRAWLS[arguments.only](arguments.home)))
        return
    posts = arguments.posts or (GATE_POSTS if arguments.gate else 3_000)
    with served(posts, page_bytes=int(arguments.kilobytes * 1000)) as blog:
        if arguments.profile:
            profile(blog.home, arguments.profile)
            return
        crawls = GATED if arguments.gate else tuple(CRAWLS)
        rounds = [one_round(blog.home, number, crawls) for number in range(arguments.rounds)]
    if arguments.gate:
        sys.exit(gate(rounds, arguments.most))
    report(rounds, as_json=arguments.json)


def one_round(home: str, number: int, crawls: Sequence[str]) -> dict[str, Figures]:
    """All crawls, one after the other; the order is turned around from round to round."""
    names = list(crawls)[:: 1 if number % 2 else -1]
    figures = {name: in_process(name, home) for name in names}
    for name in names:
        say(f"round {number + 1} {name}: {_line(figures[name])}")
    return figures


def in_process(name: str, home: str) -> Figures:
    """One crawl in a fresh process."""
    done = subprocess.run(
        [sys.executable, __file__, "--only", name, "--home", home], stdout=subprocess.PIPE, text=True, check=True,
    )
    figures: Figures = json.loads(done.stdout)
    return figures


def crawl_bare(home: str, *, lean: bool = False) -> Figures:
    """A plain spider, as Scrapy's tutorial has it; a lean one makes a request only of links it has not seen."""
    import scrapy  # noqa: PLC0415 - one of the crawlers per process
    from scrapy.crawler import CrawlerProcess  # noqa: PLC0415
    from scrapy.utils.misc import load_object  # noqa: PLC0415

    seen: set[str] = set()

    class Bare(scrapy.Spider):
        name = "bare"
        start_urls = [home]  # noqa: RUF012 - as Scrapy declares it

        def parse(self, response: Any, **_: Any) -> Any:
            for link in response.xpath("//a/@href"):
                if not lean:
                    yield response.follow(link, self.parse)
                elif (url := response.urljoin(link.get())) not in seen:
                    seen.add(url)
                    yield scrapy.Request(url, self.parse)

    process = CrawlerProcess({
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor", "ROBOTSTXT_OBEY": False,
        "CONCURRENT_REQUESTS": CONCURRENCY, "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY, "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False,
    })
    crawler = process.create_crawler(Bare)
    for name in ("DOWNLOADER_MIDDLEWARES_BASE", "SPIDER_MIDDLEWARES_BASE", "EXTENSIONS_BASE", "DOWNLOAD_HANDLERS_BASE"):
        for path in (*process.settings.getdict(name), *process.settings.getdict(name).values()):
            if isinstance(path, str) and path.startswith("scrapy."):
                load_object(path)
    began, used = time.perf_counter(), time.process_time()
    process.crawl(crawler)
    process.start()
    return _figures(crawler.stats.get_value("downloader/response_count"), began, used)


def crawl_with_everlog(home: str) -> Figures:
    """NewCrawl into a new archive."""
    for module in IMPORTED_LATER:
        import_module(module)
    import everlog.fetch.scrapy_downloader  # noqa: F401, PLC0415
    from everlog.archive import open_archive  # noqa: PLC0415
    from everlog.errors import EverlogError  # noqa: PLC0415
    from everlog.settings import make_settings  # noqa: PLC0415
    from everlog.usecases.runner import Job, run_jobs  # noqa: PLC0415

    settings = make_settings({"delay": 0, "concurrency": CONCURRENCY})
    with tempfile.TemporaryDirectory() as folder, open_archive(Path(folder), create=True) as archive:
        began, used = time.perf_counter(), time.process_time()
        [report] = run_jobs([Job(url=home, typed=True)], archive, settings)
        figures = _figures(0, began, used)
        if isinstance(report, EverlogError):
            raise report
        found = [len(post.comments) for post in archive.posts()]
        if min(found, default=0) < FEWEST_COMMENTS:
            raise SystemExit(f"comments are missing: {sum(found)} on {len(found)} posts")
    pages = report.tally.visited
    return figures | _per_page(figures, pages) | {"posts": report.held, "ended": report.reason}


CRAWLS: dict[str, Callable[[str], Figures]] = {
    "bare": crawl_bare, "lean": partial(crawl_bare, lean=True), "everlog": crawl_with_everlog,
}


# What the gate compares.
GATED = ("bare", "everlog")


def gate(rounds: list[dict[str, Figures]], most: float | None) -> int:
    """Processor time a page beside the bare spider's; whether it is more than that times `most`."""
    print("| round | bare, CPU ms a page | everlog, CPU ms a page | everlog over bare |")
    print("|---:|---:|---:|---:|")
    ratios = []
    for number, each in enumerate(rounds, 1):
        bare, own = (each[name]["cpu_ms_per_page"] for name in GATED)
        ratios.append(own / bare)
        print(f"| {number} | {bare:.2f} | {own:.2f} | {own / bare:.2f} |")
    reached = median(ratios)
    print(f"\neverlog over bare, CPU: {reached:.2f} (median of {len(ratios)})")
    if most is not None and reached > most:
        print(f"slower than allowed: at most {most:.2f}")
        return 1
    return 0


def _figures(pages: int, began: float, used: float) -> Figures:
    figures = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - used}
    return figures | _per_page(figures, pages)


def _per_page(figures: Figures, pages: int) -> Figures:
    return {
        "pages": pages, "pages_per_second": pages / figures["seconds"],
        "cpu_ms_per_page": 1000 * figures["cpu_seconds"] / max(1, pages),
    }


def profile(home: str, count: int) -> None:
    """The functions that everlog's crawl spends its time in; the writer's thread is not among them."""
    import cProfile  # noqa: PLC0415
    import pstats  # noqa: PLC0415

    profiler = cProfile.Profile()
    figures = profiler.runcall(crawl_with_everlog, home)
    print(_line(figures))
    statistics = pstats.Stats(profiler)
    for order in ("tottime", "cumtime"):
        statistics.sort_stats(order).print_stats(count)


def report(rounds: list[dict[str, Figures]], *, as_json: bool) -> None:
    """Medians of the rounds, and the ratios."""
    ratios = {
        name: [each["everlog"]["pages_per_second"] / each[name]["pages_per_second"] for each in rounds]
        for name in CRAWLS if name != "everlog"
    }
    if as_json:
        print(json.dumps({"rounds": rounds, "ratios": ratios}, indent=1))
        return
    own = median(each["everlog"]["cpu_ms_per_page"] for each in rounds)
    print("| crawl | pages | pages a second | CPU ms a page | everlog's CPU over it |")
    print("|---|---:|---:|---:|---:|")
    for name in CRAWLS:
        runs = [each[name] for each in rounds]
        pages, speed, cost = (
            median(run[key] for run in runs) for key in ("pages", "pages_per_second", "cpu_ms_per_page")
        )
        print(f"| {name} | {pages:.0f} | {speed:.0f} | {cost:.2f} | {own / cost:.2f} x |")
    print()
    for name, found in ratios.items():
        listed = ", ".join(f"{ratio:.2f}" for ratio in sorted(found))
        print(f"everlog over {name}, pages a second: {median(found):.2f} (median of {listed})")
    sys.exit(median(ratios["bare"]) < FLOOR)


def _line(figures: Figures) -> str:
    return (
        f"{figures['pages']} pages in {figures['seconds']:.1f} s, {figures['pages_per_second']:.0f} a second, "
        f"CPU {figures['cpu_ms_per_page']:.2f} ms a page"
    )


if __name__ == "__main__":
    main()
