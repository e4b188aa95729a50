"""The one guard: whatever leaves the crawler connects here, or not at all.

Names are judged by the address they turned out to have, at the moment of connecting, so that
redirects, odd spellings and name servers that change their mind all meet the same check.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from everlog.fetch.guarded_request import BlockedAddress, GuardedRequest

if TYPE_CHECKING:

    # Family of addresses, and the address with its port as sockets want it.
    Address = tuple[socket.AddressFamily, tuple[Any, ...]]

# Of a name with several addresses, the next is tried beside the first after this long (RFC 8305: 250 ms; Twisted: 300).
NEXT_ADDRESS_SECONDS = 0.3
# Names that are looked up at once; as many as Twisted had threads for it.
MOST_LOOKUPS = 10


def close_other_doors(reactor: Any) -> None:
    """From here on, connections are made by a `Guard` or fail: no forgotten part of Scrapy connects past it."""

    def refuse(host: str, port: int, *_: Any, **__: Any) -> None:
        raise BlockedAddress(f"{host}:{port}", "connection not made by the address guard")

    reactor.everlog_closed = True
    reactor.connectTCP = reactor.connectSSL = refuse


class Guard:
    """Makes connected sockets. Names are looked up in threads of its own: those that hang hold up no other work."""

    def __init__(self) -> None:
        self._lookups = ThreadPoolExecutor(MOST_LOOKUPS, thread_name_prefix="everlog-dns")

    async def connect(self, host: str, port: int, passage: GuardedRequest) -> socket.socket:
        """A socket that is connected to the host, at an address that its request may reach.

        Raises `BlockedAddress` (which the request learns of as well), `socket.gaierror` where the name has no address,
        and OSError where nobody answers. With a proxy, host and port are the proxy's: no address of the target is seen
        here, and the proxy is the user's own.
        """
        addresses = await self._addresses(host, port)
        if len(addresses) == 1:
            return await _connect(addresses[0], passage)
        return await _first_connected(addresses, passage)

    def close(self) -> None:
        """No name is looked up any more."""
        self._lookups.shutdown(wait=False, cancel_futures=True)

    async def _addresses(self, host: str, port: int) -> list[Address]:
        """What a name means now. It is asked once for a connection, so that no second answer can differ."""
        literal = _literal(host, port)
        if literal is not None:
            return [literal]
        look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._lookups, look_up)
        except UnicodeError as error:
            raise socket.gaierror(socket.EAI_NONAME, "not the name of a host") from error
        # The same address may be listed under several names.
        return list(dict.fromkeys((family, address) for family, _, _, _, address in found))


def _literal(host: str, port: int) -> Address | None:
    """An address that needs no looking up."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    if "%" in host:  # of a network card, by its name
        return None
    return (socket.AF_INET if address.version == 4 else socket.AF_INET6, (host, port))


async def _first_connected(addresses: list[Address], passage: GuardedRequest) -> socket.socket:
    """Try one after the other, each beside those that do not answer yet (RFC 8305); the last error if none does."""
    waiting = iter(addresses)
    tries: set[asyncio.Task[socket.socket]] = set()
    error: BaseException = OSError("no address to connect to")
    try:
        while (address := next(waiting, None)) is not None or tries:
            if address is not None:
                tries.add(asyncio.ensure_future(_connect(address, passage)))
            ended, tries = await asyncio.wait(
                tries, timeout=None if address is None else NEXT_ADDRESS_SECONDS, return_when=asyncio.FIRST_COMPLETED,
            )
            for each in ended:
                if each.exception() is None:
                    tries |= ended - {each}
                    return each.result()
                error = each.exception() or error
        raise error
    finally:
        _forget(tries)


async def _connect(address: Address, passage: GuardedRequest) -> socket.socket:
    family, place = address
    why = None if passage.proxy is not None else passage.permit.refuse(place[0])
    if why is not None:
        passage.blocked = BlockedAddress(place[0], why)
        raise passage.blocked
    connecting = socket.socket(family, socket.SOCK_STREAM)
    try:
        connecting.settimeout(0)
        await asyncio.get_running_loop().sock_connect(connecting, place)
    except BaseException:
        connecting.close()
        raise
    return connecting


def _forget(tries: set[asyncio.Task[socket.socket]]) -> None:
    """Another address was faster, or nobody waits any more."""
    for each in tries:
        each.cancel()
        each.add_done_callback(_close)


def _close(tried: asyncio.Task[socket.socket]) -> None:
    if not tried.cancelled() and tried.exception() is None:
        tried.result().close()
