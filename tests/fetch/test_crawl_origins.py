"""A host that answers in http and not in https: its own pace stays, and every page comes from where it answers."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from certificates import certificate, server_context
from servers import Server, redirect, reply
from stories import Leaps, policy, tell, told

from everlog.core.retry_policy import ORIGIN_DEAD_AFTER
from everlog.fetch import HttpClient
from everlog.fetch.origins import twin_of
from everlog.fetch.request import FetchError, HttpResponse
from everlog.records import Exchange, Failure, Fetched

if TYPE_CHECKING:
    from servers import Seen

    from everlog.fetch.request import HttpRequest

LEAPS = Leaps()
LINKS = 40
HOST = "blog.example"


def answer(seen: Seen) -> bytes:
    """What the host says in http, as a proxy hears it."""
    path = seen.line.split()[1].partition(f"{HOST}")[2]
    if path == "/robots.txt":
        return reply(404)
    return redirect(f"https://{HOST}/back") if path == "/back" else reply(200, f"page {path}")


def main(folder: Path, how: str) -> None:
    tunnel = server_context(folder / "other.pem") if how == "wrong certificate" else None
    with Server({"*": answer}, tunnel=tunnel) as proxy:
        if how.startswith("refused"):
            proxy.routes[f"{HOST}:443"] = reply(502)
        os.environ["http_proxy"] = os.environ["https_proxy"] = f"http://localhost:{proxy.port}"

        async def story(fetcher: HttpClient) -> dict[str, Any]:
            session = fetcher.session(policy(f"http://{HOST}/", delay_seconds=1.0, obey_robots=how == "refused"))
            home = await session.fetch(f"http://{HOST}/")
            began = LEAPS.now()
            pages = [await session.fetch(f"https://{HOST}/{number}") for number in range(LINKS)]
            seconds = (LEAPS.now() - began).total_seconds()
            back = await session.fetch(f"http://{HOST}/back")
            tunnels = sum(seen.line.startswith(f"CONNECT {HOST}:443") for seen in proxy.seen)
            return {"home": home, "pages": pages, "seconds": seconds, "tunnels": tunnels, "back": back}

        tell(story, LEAPS.keeper())


@pytest.fixture(scope="module", params=["refused", "refused, rules unasked", "wrong certificate"])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("keys")
    file = certificate(folder, "other", address="other.example")
    return told(__file__, str(folder), request.param, environment={"SSL_CERT_FILE": str(file)})


def test_pages_linked_in_https_come_from_the_http_address_that_answers(found: dict[str, Any]) -> None:
    assert all(isinstance(page, Fetched) for page in found["pages"])
    assert [page.page.url for page in found["pages"]] == [f"http://{HOST}/{number}" for number in range(LINKS)]
    assert [page.answer.body for page in found["pages"]] == [f"page /{number}".encode() for number in range(LINKS)]


def test_the_host_keeps_its_pace_while_its_twin_is_silent(found: dict[str, Any]) -> None:
    # One request a second, and the back-off of the twin until it is taken for dead.
    assert found["seconds"] <= LINKS + 10


def test_an_origin_that_is_dead_is_asked_a_few_times_and_never_again(found: dict[str, Any]) -> None:
    assert 1 <= found["tunnels"] <= ORIGIN_DEAD_AFTER + 1


def test_a_page_that_sends_back_to_what_is_silent_fails_with_what_is_wrong_there(found: dict[str, Any]) -> None:
    assert isinstance(found["back"], Failure)
    assert (found["back"].trouble, len(found["back"].exchanges)) == ("connection", 1)


@pytest.mark.parametrize("obey_robots", [True, False])
@pytest.mark.parametrize("trouble", ["connection", "dns", "timeout", "tls"])
def test_whatever_is_wrong_with_https_the_pages_come_in_http_at_its_pace(trouble: str, *, obey_robots: bool) -> None:
    leaps, sealed = Leaps(), []

    async def download(ask: HttpRequest) -> HttpResponse:
        if ask.url.startswith("https:"):
            sealed.append(ask.url)
            await leaps.sleep(30.0 if trouble == "timeout" else 0.0)
            raise FetchError(trouble, "no answer")
        status = 404 if ask.url.endswith("/robots.txt") else 200
        answer = Exchange(url=ask.url, status=status, body=b"page", fetched_at=leaps.now(), purpose=ask.purpose)
        return HttpResponse(exchange=answer, wire_bytes=4, seconds=0.1)

    async def story() -> list[Any]:
        fetcher = HttpClient(download, leaps.keeper())
        session = fetcher.session(policy(f"http://{HOST}/", delay_seconds=1.0, obey_robots=obey_robots))
        await session.fetch(f"http://{HOST}/")
        # As pages link: in turns to the one and the other, several at once.
        urls = [f"{'https' if number % 2 else 'http'}://{HOST}/{number}" for number in range(LINKS)]
        return [page for start in range(0, LINKS, 4)
                for page in await asyncio.gather(*map(session.fetch, urls[start : start + 4]))]

    began = leaps.now()
    pages = asyncio.run(story())
    assert [page.page.url for page in pages] == [f"http://{HOST}/{number}" for number in range(LINKS)]
    assert len(sealed) <= ORIGIN_DEAD_AFTER + 1
    # A page a second, besides the few requests that had to be waited for to learn that nobody answers.
    waited = (ORIGIN_DEAD_AFTER + 1) * (30 if trouble == "timeout" else 1)
    assert (leaps.now() - began).total_seconds() <= 1.5 * LINKS + waited


@pytest.mark.parametrize(("url", "twin"), [
    ("https://a.example/x", "http://a.example/x"), ("http://a.example", "https://a.example"),
    ("https://a.example:443/x", "http://a.example/x"), ("http://a.example:8080/", None), ("ftp://a.example/", None),
])
def test_the_twin_of_an_address_is_the_same_page_in_the_other_scheme(url: str, twin: str | None) -> None:
    assert twin_of(url) == twin


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
