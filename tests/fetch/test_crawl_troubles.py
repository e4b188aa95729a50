"""What a request that failed says: what happened, to what."""

from __future__ import annotations

import pytest
from OpenSSL import SSL
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError
from twisted.internet.error import ConnectionRefusedError as Refused
from twisted.internet.error import DNSLookupError

from everlog.core.fetcher import FetchPolicy
from everlog.fetch.allowlist import Allowlist, HostPermit
from everlog.fetch.fetch_errors import fetch_error_of
from everlog.fetch.request import HttpRequest

URL = "https://a.blog.example/a-post"


@pytest.mark.parametrize(("error", "said"), [
    (DNSLookupError("no results for hostname lookup"), "DNS lookup failed for a.blog.example"),
    (DownloadTimeoutError(), f"timed out after 30 s: {URL}"),
    (DownloadCancelledError(), f"larger than the limit of 1,000,000 bytes: {URL}"),
    (SSL.Error([("SSL", "", "bad certificate")]), f"TLS error for {URL} (bad certificate)"),
    (Refused(), f"connection refused: {URL}"),
])
def test_a_failed_request_says_what_happened_in_the_words_of_the_field(error, said):
    assert fetch_error_of(error, _ask(), None).reason == said


def _ask() -> HttpRequest:
    permit = HostPermit(Allowlist(FetchPolicy(user_agent="everlog", typed=(URL,)), None), "a.blog.example", 443)
    return HttpRequest(
        url=URL, headers=(), secret=frozenset(), purpose="page", permit=permit, max_bytes=1_000_000,
        timeout_seconds=30.0,
    )
