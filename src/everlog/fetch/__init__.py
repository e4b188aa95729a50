"""The web through Scrapy: the only room that imports it, and not before `with_http_client` is called.

process   starts Scrapy, runs one task inside it, stops it
session   what one blog's crawl asks: robots, turns, redirects, second tries
hosts     the line before each host
holds     a host's wish to be left alone, from one run to the next
ledger    what was asked of each host, and what was waited for
robots    robots.txt as RFC 9309 reads it
asking    one request, ready to go
reach     which hosts and ports a session may connect to
proxies   which proxy a request goes through
engine    Scrapy as a mere downloader
passage   one request on its way through the guard
spooling  bodies as they come in, in memory or on the disk
handler   the one guard every connection passes
"""

from everlog.fetch.http_client import Session
from everlog.fetch.reactor import HttpClient, with_http_client
from everlog.fetch.throttle import Timekeeper

__all__ = ["HttpClient", "Session", "Timekeeper", "with_http_client"]
