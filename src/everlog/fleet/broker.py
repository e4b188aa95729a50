"""Broker address of a fleet: how it is checked, shown without its password, and encrypted."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from everlog.errors import UsageError

ENCRYPTED = "rediss://"
ADVICE = "write redis://HOST:6379/0, or rediss://HOST:6379/0 if it is encrypted"
# Celery and the client of Redis both read the address, and understand the same of these alone. None: any text.
PARAMETERS: dict[str, tuple[str, ...] | None] = {
    "ssl_ca_certs": None, "ssl_certfile": None, "ssl_keyfile": None,
    "ssl_cert_reqs": ("required", "optional", "none"), "ssl_check_hostname": ("true", "false"),
}

_ENDS_A_PLACE = re.compile("[/?#]")


def checked(broker: str | None) -> str:
    """Broker address that can be used; `UsageError` for any other, which may hold a password and is not shown."""
    if not broker:
        raise UsageError("no broker given", advice="pass a Redis with --broker redis://HOST:6379/0")
    if not broker.startswith(("redis://", ENCRYPTED)):
        scheme, found, _ = broker.partition("://")
        what = f"{scheme}:// is not a Redis URL" if found else "the broker's address is not a Redis URL"
        raise UsageError(what, advice=ADVICE)
    trouble = trouble_of(broker)
    if trouble is not None:
        raise UsageError(f"the broker's address is invalid: {trouble}", advice=ADVICE)
    return broker


def trouble_of(broker: str) -> str | None:
    """Error in the address of a Redis; None if there is none.

    >>> trouble_of("redis://queue:6379/0")
    >>> trouble_of("redis://queue:6379/zero")
    'the database after the host is not a number'
    """
    _, _, rest = broker.partition("://")
    place = _ENDS_A_PLACE.split(rest, maxsplit=1)[0]
    if "@" in rest[len(place):] or "#" in rest or ";" in rest:
        # Part of a password would be taken for a host, and shown; Celery takes what a semicolon parts for two brokers.
        return "in a user's name or a password, / ? # and ; are written %2F %3F %23 and %3B"
    try:
        parts = urlsplit(broker)
        unquote(parts.hostname or "").encode("idna")
    except ValueError:
        return "invalid host name"
    try:
        _ = parts.port
    except ValueError:
        return "the port is not a number up to 65535"
    database = parts.path.removeprefix("/")
    if database and not (database.isascii() and database.isdecimal()):
        return "the database after the host is not a number"
    return _trouble_of_parameters(parts)


def _trouble_of_parameters(parts: SplitResult) -> str | None:
    known = PARAMETERS if parts.scheme == "rediss" else {}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in known:
            names = f"only takes {', '.join(known)}" if known else "takes none"
            return f"unknown parameter {name}: {parts.scheme}:// {names}"
        values = known[name]
        if not value or (values is not None and value not in values):
            return f"{name} is " + ("empty" if values is None else f"not one of {', '.join(values)}")
    return None


def without_password(broker: str) -> str:
    """Broker address as it may be shown.

    >>> without_password("redis://somebody:secret@queue:6379/0")
    'redis://queue:6379/0'
    """
    parts = urlsplit(broker)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))


def encryption(broker: str) -> dict[str, Any]:
    """Encryption settings of Celery for a broker: `rediss://` asks for a certificate, unless the address says else."""
    if not broker.startswith(ENCRYPTED):
        return {}
    from ssl import CERT_REQUIRED  # noqa: PLC0415 - few fleets need it

    return {"broker_use_ssl": {"ssl_cert_reqs": CERT_REQUIRED}}
