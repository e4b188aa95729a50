"""Fetch errors: what went wrong with a request, in the words of the records (`Trouble`)."""

from __future__ import annotations

import os
import socket
import ssl
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)

from everlog.fetch.guarded_request import GuardedRequest, ProxyUnreachable
from everlog.fetch.http1 import OddAnswer
from everlog.fetch.request import FetchError, HttpRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.records import Trouble

_INVALID = "invalid response from {url} ({words})"
# What each error of Scrapy and of sockets means, the first that fits, and the sentence for people.
_KINDS: tuple[tuple[tuple[type[BaseException], ...], Trouble, str], ...] = (
    ((CannotResolveHostError,), "dns", "DNS lookup failed for {host}"),
    ((DownloadTimeoutError,), "timeout", "timed out after {seconds:g} s: {url}"),
    ((DownloadCancelledError, IgnoreRequest), "too-large", "larger than the limit of {most:,} bytes: {url}"),
    ((ResponseDataLossError,), "truncated", "the response was cut off: {url}"),
    ((ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError), "connection", "connection lost: {url}"),
    ((ssl.SSLError, ssl.CertificateError), "tls", "TLS error for {url} ({words})"),
    ((OddAnswer, ValueError), "protocol", _INVALID),
    ((DownloadConnectionRefusedError,), "connection", "connection refused: {url}"),
    ((BaseException,), "connection", "connection failed for {url} ({words})"),
)
# Troubles with an answer, so that there is somebody who gives them.
_ANSWERED = frozenset({"too-large", "truncated", "protocol"})
# Encodings that exist and that nobody here asked for. Other words in the header are mistakes for
# something else ("utf-8", "none"), and the body is plain.
_FOREIGN = frozenset({"compress", "x-compress", "exi", "pack200-gzip", "dcb", "dcz", "bzip2", "xz", "lzma"})


def fetch_error_of(error: Exception, request: HttpRequest, guarded: GuardedRequest) -> FetchError:
    """The trouble an error of Scrapy or its download handler means."""
    if guarded.blocked is not None:
        return FetchError("address", f"{guarded.blocked} for {request.url}; {request.permit.advice()}")
    proxy, causes = guarded.proxy, tuple(_causes(error))
    if proxy is not None and any(isinstance(cause, ProxyUnreachable) for cause in causes):
        return FetchError("proxy", f"{proxy} {_silence(causes)}")
    _, trouble, sentence = next(kind for kind in _KINDS if any(isinstance(cause, kind[0]) for cause in causes))
    if guarded.is_whole and trouble == "connection":
        # All of it came, so the decoders of its encodings are what failed; each has errors of its own.
        trouble, sentence = "protocol", _INVALID
    words = _last_words(causes)
    host = urlsplit(request.url).hostname
    reason = sentence.format(
        url=request.url, host=host, seconds=request.timeout_seconds, most=request.max_bytes, words=words,
    )
    if proxy is not None and trouble in {"connection", "timeout", "truncated"}:
        reason += f", through {proxy}"
    return FetchError(trouble, reason, got_something=trouble in _ANSWERED)


def _silence(causes: tuple[BaseException, ...]) -> str:
    """Why a proxy cannot be connected to."""
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "has no address: DNS lookup failed"
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return "refused the connection"
    return f"cannot be connected to ({_last_words(causes)})"


def too_slow(request: HttpRequest, received_bytes: int) -> FetchError:
    """The trouble of an answer that dripped."""
    reason = f"download too slow: only {received_bytes:,} bytes after {request.slow_seconds:g} s or more: {request.url}"
    return FetchError("timeout", reason, got_something=received_bytes > 0)


def undecoded(encodings: list[bytes], request: HttpRequest) -> None:
    """Raise where a body is still encoded after all that can be decoded was."""
    words = {word.strip().lower() for line in encodings for word in line.decode("latin-1").split(",")}
    if foreign := sorted(words & _FOREIGN):
        raise FetchError("protocol", f"unsupported Content-Encoding ({', '.join(foreign)}) at {request.url}")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it came from; outermost first."""
    yield error
    if error.__cause__ is not None:
        yield from _causes(error.__cause__)


def _last_words(causes: tuple[BaseException, ...]) -> str:
    last = causes[-1]
    if isinstance(last, ssl.SSLCertVerificationError):
        return f"certificate verify failed: {last.verify_message}"
    if isinstance(last, ssl.SSLError) and getattr(last, "reason", None):
        return str(last.reason).replace("_", " ").lower()
    if isinstance(last, OSError) and last.errno:
        return os.strerror(last.errno)
    if isinstance(last, ConnectionError) and not last.args:
        return "the server closed the connection"
    return " ".join(str(last).split())[:200] or type(last).__name__
