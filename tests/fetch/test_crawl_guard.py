"""No connection to an address nobody typed, whatever leads there; and nobody who cannot prove who he is."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from certificates import certificate, server_context
from servers import Server, redirect, reply
from stories import Leaps, policy, tell, told

from everlog.records import Fetched

if TYPE_CHECKING:
    from everlog.fetch import HttpClient

LEAPS = Leaps()
HOSTS = ("127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "localhost", "a.localhost", "localhost.",
         "１２７.０.０.１", "127。0。0。1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0", "me@127.0.0.1")


async def story(fetcher: HttpClient) -> dict[str, Any]:
    found: dict[str, Any] = {}
    folder = Path(sys.argv[1])
    with Server({"*": reply(200, "home")}) as typed, Server({"*": reply(200, "secret")}) as secret:
        session = fetcher.session(policy(typed.url()))
        found["typed"] = await session.fetch(typed.url("/"))
        for host in HOSTS:
            found[f"host {host}"] = await session.fetch(secret.url("/", host=host))
        typed.routes["/other-port"] = redirect(secret.url("/"))
        found["other port"] = await session.fetch(typed.url("/other-port"))
        for url in ("file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "ftp://example.org/",
                    "http://", "http://a:99999/", "http://[::1", "", "//example.org/", "gopher://127.0.0.1/"):
            found[f"url {url}"] = await session.fetch(url)
        found["secret counts"] = secret.counts()
        await _names(fetcher, found, typed, secret)
    await _tls(fetcher, found, folder)
    return found


async def _names(fetcher: HttpClient, found: dict[str, Any], typed: Server, secret: Server) -> None:
    answers = {"inner.example": ["127.0.0.1"], "mixed.example": ["10.0.0.1", "127.0.0.1"], "intranet.example":
               ["127.0.0.1"], "six.example": ["::1"], "mapped.example": ["::ffff:127.0.0.1"]}
    asked: list[str] = []
    before, socket.getaddrinfo = socket.getaddrinfo, _resolver(answers, asked)
    stranger = fetcher.session(policy(typed.url()))
    obeying = fetcher.session(policy(typed.url(), obey_robots=True))
    for name in ("inner.example", "mixed.example", "six.example", "mapped.example"):
        found[f"name {name}"] = await stranger.fetch(f"http://{name}/")
        found[f"name {name} with robots"] = await obeying.fetch(f"http://{name}/")
    found["name at another port"] = await stranger.fetch(secret.url("/", host="inner.example"))
    owner = fetcher.session(policy(secret.url("/", host="intranet.example")))
    found["typed name"] = await owner.fetch(secret.url("/mine", host="intranet.example"))
    found["typed name, other port"] = await owner.fetch(typed.url("/", host="intranet.example"))
    # The owner's connection is still open: it must not carry a stranger's request.
    found["stranger after owner"] = await stranger.fetch(secret.url("/theirs", host="intranet.example"))
    found["secret counts after names"] = secret.counts()
    await _repointed(fetcher, found, secret)
    found["asked names"] = asked
    socket.getaddrinfo = before


async def _repointed(fetcher: HttpClient, found: dict[str, Any], secret: Server) -> None:
    """Names that are at 127.0.0.1 now, by where they were when they were first seen."""
    url, kept = secret.url("/again", host="intranet.example"), {}
    for before in ("public", "private", "loopback"):
        session = fetcher.session(policy(url, first_networks={"intranet.example": before}))
        found[f"was {before}"] = await session.fetch(url)
    for allowed in ("intranet.example", f"intranet.example:{secret.port}", f"other.example:{secret.port}"):
        session = fetcher.session(policy(url, first_networks={"intranet.example": "public"}, allow=(allowed,)))
        found[f"allow {allowed.partition(':')[0]}"] = await session.fetch(url)
    own = fetcher.session(policy(own=(url,)))
    found["listed"] = await own.fetch(url)
    first = fetcher.session(policy(url), remember=kept.__setitem__)
    await first.fetch(url)
    found["kept"] = kept
    picture = secret.url("/picture", host="inner.example")
    wide = fetcher.session(policy("http://blog.example/", allow=(f"inner.example:{secret.port}",)))
    found["allowed picture"] = await wide.fetch(picture, purpose="media")
    narrow = fetcher.session(policy("http://blog.example/", allow=("inner.example",)))
    found["allowed host, other port"] = await narrow.fetch(picture, purpose="media")


def _resolver(answers: dict[str, list[str]], asked: list[str]) -> Any:
    """A name server, in place of the system's."""

    def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port, 0, 0)) if ":" in address
            else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in answers[host]
        ]

    return getaddrinfo


async def _tls(fetcher: HttpClient, found: dict[str, Any], folder: Path) -> None:
    page = {"*": reply(200, "sealed")}
    for name in ("trusted", "selfmade", "stolen"):
        with Server(dict(page), tls=server_context(folder / f"{name}.pem")) as server:
            session = fetcher.session(policy(server.url()))
            found[f"tls {name}"] = await session.fetch(server.url("/"))
            found[f"tls {name} again"] = await session.fetch(server.url("/2"))
            found[f"tls {name} counts"] = server.counts()
            if name == "selfmade":
                obeying = fetcher.session(policy(server.url(), obey_robots=True))
                found["tls and robots"] = await obeying.fetch(server.url("/"))
    with Server(dict(page)) as plain:
        session = fetcher.session(policy(plain.url().replace("http:", "https:")))
        found["tls with a plain server"] = await session.fetch(plain.url("/").replace("http:", "https:"))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("keys")
    trusted = certificate(folder, "trusted")
    certificate(folder, "selfmade")
    # Vouched for by somebody we trust, but for another machine.
    stolen = certificate(folder, "stolen", address="127.0.0.2")
    roots = folder / "roots.pem"
    roots.write_bytes(trusted.read_bytes() + stolen.read_bytes())
    return told(__file__, str(folder), environment={"SSL_CERT_FILE": str(roots)})


def test_what_was_typed_may_be_private(found: dict[str, Any]) -> None:
    assert isinstance(found["typed"], Fetched)
    assert isinstance(found["typed name"], Fetched)


@pytest.mark.parametrize("host", HOSTS)
def test_no_spelling_of_this_machine_reaches_it(found: dict[str, Any], host: str) -> None:
    failure = found[f"host {host}"]
    assert failure.trouble == "address"
    assert failure.reason.startswith("blocked address ")


def test_a_redirect_to_another_port_of_the_typed_host_is_blocked(found: dict[str, Any]) -> None:
    assert found["other port"].trouble == "address"
    assert "(loopback)" in found["other port"].reason
    assert found["secret counts"] == {}


def test_what_is_no_web_address_is_blocked(found: dict[str, Any]) -> None:
    troubles = {name: failure.trouble for name, failure in found.items() if name.startswith("url ")}
    assert len(troubles) == 10
    assert set(troubles.values()) == {"address"}


@pytest.mark.parametrize("name", ["inner.example", "mixed.example", "six.example", "mapped.example"])
def test_a_name_is_judged_by_the_address_it_has(found: dict[str, Any], name: str) -> None:
    failure = found[f"name {name}"]
    assert failure.trouble == "address"
    assert "blocked address" in failure.reason
    assert found[f"name {name} with robots"].trouble == "address"


def test_a_port_that_nobody_typed_is_not_asked_for(found: dict[str, Any]) -> None:
    failure = found["name at another port"]
    assert failure.trouble == "address"
    assert failure.reason.startswith("blocked port ")
    assert "--allow inner.example:" in failure.reason
    assert found["allowed host, other port"].trouble == "address"


@pytest.mark.parametrize("before", ["public", "private"])
def test_a_typed_name_that_is_in_another_network_now_is_refused(found: dict[str, Any], before: str) -> None:
    failure = found[f"was {before}"]
    assert failure.trouble == "address"
    assert "blocked address 127.0.0.1 (loopback)" in failure.reason
    assert "--allow intranet.example:" in failure.reason
    assert ("it had a public address before" in failure.reason) is (before == "public")


def test_a_typed_name_stays_free_in_the_network_it_was_first_seen_in(found: dict[str, Any]) -> None:
    assert isinstance(found["was loopback"], Fetched)
    assert found["kept"] == {"first network intranet.example": "loopback"}


def test_what_a_list_names_is_not_typed(found: dict[str, Any]) -> None:
    assert found["listed"].trouble == "address"


def test_a_host_that_is_allowed_may_be_anywhere(found: dict[str, Any]) -> None:
    assert isinstance(found["allow intranet.example"], Fetched)
    assert isinstance(found["allowed picture"], Fetched)
    assert found["allow other.example"].trouble == "address"


def test_a_name_is_looked_up_once_so_that_no_second_answer_can_differ(found: dict[str, Any]) -> None:
    assert [found["asked names"].count(name) for name in ("mixed.example", "six.example")] == [2, 2]


def test_a_typed_name_opens_one_port_only(found: dict[str, Any]) -> None:
    assert found["typed name, other port"].trouble == "address"


def test_one_blogs_open_connection_is_not_anothers(found: dict[str, Any]) -> None:
    assert found["stranger after owner"].trouble == "address"
    assert found["secret counts after names"] == {"/mine": 1}


def test_a_certificate_that_is_trusted_is_enough(found: dict[str, Any]) -> None:
    assert found["tls trusted"].answer.body == b"sealed"
    assert isinstance(found["tls trusted again"], Fetched)


@pytest.mark.parametrize("name", ["selfmade", "stolen"])
def test_a_certificate_of_nobody_or_of_somebody_else_is_not(found: dict[str, Any], name: str) -> None:
    assert found[f"tls {name}"].trouble == "tls"
    assert found[f"tls {name} counts"] == {}


def test_a_host_that_cannot_prove_itself_is_not_said_to_lack_rules(found: dict[str, Any]) -> None:
    assert found["tls and robots"].trouble == "tls"


def test_a_server_that_speaks_in_the_clear_is_no_https_server(found: dict[str, Any]) -> None:
    assert found["tls with a plain server"].trouble == "tls"


if __name__ == "__main__":
    tell(story, LEAPS.keeper())
