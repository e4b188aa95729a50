"""Which addresses a user may type."""

from __future__ import annotations

import pytest

from everlog.errors import UsageError
from everlog.flow.discover import fetchable

LONGEST = ".".join(["a" * 63, "b" * 63, "c" * 63, "d" * 61])


@pytest.mark.parametrize("host", [LONGEST, LONGEST + ".", "ü" * 50 + ".example", "[2001:db8::1]"])
def test_a_host_as_long_as_name_servers_take_it_is_an_address(host):
    assert fetchable(f"{host}:65535/blog/") == f"http://{host}:65535/blog/"


@pytest.mark.parametrize("host", [
    LONGEST + "d", "a." * 5_000 + "example", "ü." * 40 + "example", "ü" * 100_000 + ".example",
    "[fe80::1%25" + "e" * 300 + "]", "a.example:" + "0" * 4_000 + "80",
])
def test_a_host_longer_than_name_servers_take_it_is_no_address_and_is_not_told_at_length(host):
    with pytest.raises(UsageError, match="is not the address of a blog: no host has more than 253") as raised:
        fetchable(f"http://{host}/blog/")
    assert raised.value.advice == "give it as https://a.blog.example/"
    assert len(str(raised.value)) < 300
