"""What a request that failed says: what happened, to what."""

from __future__ import annotations

import errno
import ssl

import pytest
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

from everlog.core.fetcher import FetchPolicy
from everlog.fetch.allowlist import Allowlist, HostPermit
from everlog.fetch.fetch_errors import fetch_error_of
from everlog.fetch.guarded_request import GuardedRequest
from everlog.fetch.request import HttpRequest

URL = "https://a.blog.example/a-post"


def _tls_error(reason: str) -> ssl.SSLError:
    error = ssl.SSLError(1, reason)
    error.reason = reason
    return error


@pytest.mark.parametrize(("error", "said"), [
    (CannotResolveHostError("no results for hostname lookup"), "DNS lookup failed for a.blog.example"),
    (DownloadTimeoutError(), f"timed out after 30 s: {URL}"),
    (DownloadCancelledError(), f"larger than the limit of 1,000,000 bytes: {URL}"),
    (ResponseDataLossError(), f"the response was cut off: {URL}"),
    (_tls_error("SSLV3_ALERT_BAD_CERTIFICATE"), f"TLS error for {URL} (sslv3 alert bad certificate)"),
    (ssl.SSLEOFError(8, "EOF occurred in violation of protocol"), f"connection lost: {URL}"),
    (DownloadConnectionRefusedError(), f"connection refused: {URL}"),
    (OSError(errno.ENETUNREACH, "Connect call failed"), f"connection failed for {URL} (Network is unreachable)"),
])
def test_a_failed_request_says_what_happened_in_the_words_of_the_field(error, said):
    ask = _ask()
    assert fetch_error_of(error, ask, GuardedRequest(permit=ask.permit)).reason == said


def _ask() -> HttpRequest:
    permit = HostPermit(Allowlist(FetchPolicy(user_agent="everlog", typed=(URL,)), None), "a.blog.example", 443)
    return HttpRequest(
        url=URL, headers=(), secret=frozenset(), purpose="page", permit=permit, max_bytes=1_000_000,
        timeout_seconds=30.0,
    )
