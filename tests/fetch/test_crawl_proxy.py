"""Behind a proxy: it is asked for everything but this machine and what `no_proxy` names, and the guard holds."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from certificates import certificate, server_context
from servers import Server, reply
from stories import Leaps, policy, tell, told

from everlog.fetch.proxies import Proxies
from everlog.records import Fetched

if TYPE_CHECKING:
    from everlog.fetch import HttpClient

LEAPS = Leaps()


def main(folder: Path) -> None:
    tunnel = server_context(folder / "blog.pem")
    with Server({"*": reply(200, "through")}, tunnel=tunnel) as proxy, Server({"*": reply(200, "direct")}) as near:
        proxy.routes["refused.example:443"] = reply(403)
        # By name, so that a proxy on a private address may have one.
        os.environ["http_proxy"] = f"http://me:pass%21word@localhost:{proxy.port}"
        os.environ["https_proxy"] = f"localhost:{proxy.port}"
        os.environ["no_proxy"] = "near.example,10.20.0.0/16"

        async def story(fetcher: HttpClient) -> dict[str, Any]:
            session = fetcher.session(policy("http://blog.example/", near.url(), retries=0))
            urls = {
                "plain": "http://blog.example/a", "sealed": "https://blog.example/b",
                "other name": "https://other.example/c", "tunnel refused": "https://refused.example/",
                "private": "http://10.0.0.1/", "private, sealed": "https://[fd00::1]/", "this machine": "http://localhost/",
                "the proxy itself": f"http://localhost:{proxy.port}/", "direct": near.url("/d"),
            }
            found: dict[str, Any] = {name: await session.fetch(url) for name, url in urls.items()}
            return found | {"proxy": proxy.seen, "near": near.counts()}

        tell(story, LEAPS.keeper())


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("keys")
    file = certificate(folder, "blog", address="blog.example")
    return told(__file__, str(folder), environment={"SSL_CERT_FILE": str(file)})


def test_pages_come_through_the_proxy_and_their_names_are_not_looked_up_here(found: dict[str, Any]) -> None:
    assert found["plain"].answer.body == b"through"
    assert "GET http://blog.example/a HTTP/1.1" in [seen.line for seen in found["proxy"]]


def test_sealed_pages_come_through_a_tunnel_and_are_still_verified(found: dict[str, Any]) -> None:
    assert found["sealed"].answer.body == b"through"
    assert "CONNECT blog.example:443 HTTP/1.1" in [seen.line for seen in found["proxy"]]
    assert found["other name"].trouble == "tls"
    assert found["tunnel refused"].trouble == "connection"


def test_the_proxys_password_is_sent_to_it_and_not_kept(found: dict[str, Any]) -> None:
    (plain,) = (seen for seen in found["proxy"] if seen.line.startswith("GET http://blog.example/a"))
    assert plain.headers["proxy-authorization"].startswith("Basic ")
    assert dict(found["plain"].answer.request_headers)["Proxy-Authorization"] == "[withheld]"


@pytest.mark.parametrize("name", ["private", "private, sealed", "this machine", "the proxy itself"])
def test_private_addresses_are_not_asked_for_through_a_proxy_either(found: dict[str, Any], name: str) -> None:
    assert found[name].trouble == "address"


def test_this_machine_is_asked_directly_whatever_the_variables_say(found: dict[str, Any]) -> None:
    assert isinstance(found["direct"], Fetched)
    assert found["near"] == {"/d": 1}


def test_an_answer_that_the_proxy_refuses_to_bring_names_the_proxy_without_its_password(found: dict[str, Any]) -> None:
    reason = found["tunnel refused"].reason
    assert re.search(r"through the proxy http://localhost:\d+ \(from https_proxy\)$", reason), reason


@pytest.mark.parametrize(
    ("url", "direct"),
    [
        ("http://localhost:8000/", True), ("http://blog.localhost/", True), ("http://127.9.9.9/", True),
        ("http://0x7f.1/", True), ("http://[::1]:80/", True), ("https://[::ffff:127.0.0.1]/", True),
        ("http://localhost.example/", False), ("http://127.0.0.1.example/", False), ("http://a.example/", False),
        ("http://near.example/", True), ("http://www.near.example:81/", True), ("http://nearer.example/", False),
        ("http://port.example:81/", True), ("http://port.example/", False),
        ("http://10.20.30.40/", True), ("http://10.21.30.40/", False), ("http://[fd00::7]/", True),
    ],
)
def test_no_proxy_names_hosts_domains_and_networks_as_for_curl(monkeypatch, url, direct) -> None:
    monkeypatch.setenv("all_proxy", "http://ann:secret@proxy.example:3128")
    monkeypatch.setenv("no_proxy", ".near.example, port.example:81 10.20.0.0/16,[fd00::7]")
    proxy = Proxies.configured().proxy_for(url)
    assert (proxy is None) is direct
    if proxy is not None:
        assert str(proxy) == "the proxy http://proxy.example:3128 (from all_proxy)"
        assert "secret" not in repr(proxy)


def test_everything_goes_without_a_proxy_where_no_proxy_is_a_star(monkeypatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "proxy.example:3128")
    monkeypatch.delenv("http_proxy", raising=False)
    proxy = Proxies.configured().proxy_for("http://a.example/")
    assert proxy is not None
    assert (proxy.url, proxy.source) == ("http://proxy.example:3128", "HTTP_PROXY")
    monkeypatch.setenv("no_proxy", "*")
    assert Proxies.configured().proxy_for("http://a.example/") is None


if __name__ == "__main__":
    main(Path(sys.argv[1]))
