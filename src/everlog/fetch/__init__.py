"""The web through Scrapy: the only package that imports it, and not before `with_http_client` is called.

    client              HttpClient: starts Scrapy, runs one task inside it, stops it; begin here
    session             what one blog's crawl fetches: robots, throttle, redirects, retries
    shared_hosts        what all sessions of a process share
    throttle            the rate limit of each host; `shared_throttle` the one of all processes together
    backoff             a host's wish to be left alone, from one run to the next
    origins             http and https of a host, told apart
    host_stats          what was requested of each host, and what was waited for
    robots              robots.txt as RFC 9309 reads it
    request             one request, ready to go; `fetch_errors` what went wrong with it
    allowlist           which hosts and ports a session may connect to
    proxies             which proxy a request goes through
    scrapy_downloader   Scrapy as a mere downloader
    download_handler    what Scrapy downloads http and https with: HTTP/1.1 on asyncio
    connection          one open connection, and the pool of those that are kept
    http1               the parser of responses, without a socket
    guarded_request     one request on its way through the guard
    spooling            bodies as they come in, in memory or on the disk
    guard               the one guard every connection passes

What is retried, how often and when, is `core.retry_policy`'s decision.
"""

from everlog.fetch.client import HttpClient, with_http_client
from everlog.fetch.session import Session
from everlog.fetch.throttle import Timekeeper

__all__ = ["HttpClient", "Session", "Timekeeper", "with_http_client"]
