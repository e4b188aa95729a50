"""Sites in memory as a web on loopback: each at its own name, through a proxy that answers for all of them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import a_blog
from fetch.certificates import certificate, server_context
from fetch.servers import Server, reply

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from fetch.servers import Seen
    from history.driving import Site
    from history.sites.blog import Blog

# The one host of another name that a site's interface may be on, as a blog's is at WordPress.com.
INTERFACE_HOST = "public-api.wordpress.com"


@contextmanager
def served_web(sites: Sequence[Site], folder: Path) -> Iterator[tuple[Server, dict[str, str]]]:
    """A web of these sites, and the environment in which a program sees it.

    What is asked for at the host of an interface is answered by the site that the path names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = certificate(folder, "interface", address=INTERFACE_HOST)
    with Server({"*": lambda seen: _answer(sites, seen)}, tunnel=server_context(file)) as proxy:
        proxy.routes[f"{INTERFACE_HOST}:443"] = reply(200)
        address = f"localhost:{proxy.port}"
        yield proxy, {"http_proxy": f"http://{address}", "https_proxy": address, "SSL_CERT_FILE": str(file)}


@contextmanager
def served_site(site: Blog) -> Iterator[Server]:
    """One site on loopback, whose home is there from now on."""
    with Server() as server:
        site.home = server.url()
        server.routes["*"] = lambda seen: _answer([site], seen)
        yield server


def url_of(seen: Seen) -> str:
    """The whole address that was asked for, of a proxy or of the site itself."""
    asked = seen.line.split(" ")[1]
    if "://" in asked:
        return asked
    host = seen.headers["host"]
    return f"{'https' if host == INTERFACE_HOST else 'http'}://{host}{asked}"


def written(site: Blog) -> Blog:
    """The site with articles as long as those of blogs, every one with words of its own."""
    for post in tuple(site.posts.values()):
        site.posts[post.number] = replace(post, body=a_blog.article(post.number))
    return site


def _answer(sites: Sequence[Site], seen: Seen) -> bytes:
    url = url_of(seen)
    host = urlsplit(url).netloc
    site = next((each for each in sites if _is_of(each, host, url)), None)
    if site is None:
        return reply(404)
    status, said, body = site.answer(url, _spelled(seen.headers))
    return reply(status, body, **{name.replace("-", "_"): value for name, value in said.items()})


def _is_of(site: Site, host: str, url: str) -> bool:
    own = urlsplit(site.home).netloc
    return host == own or (host == INTERFACE_HOST and f"/{own}/" in url)


def _spelled(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers as sites look for them."""
    return {"-".join(part.capitalize() for part in name.split("-")): value for name, value in headers.items()}
