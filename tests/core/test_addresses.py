"""Which addresses may be connected to, and what a host spells."""

from __future__ import annotations

import ipaddress
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.core.ip_addresses import literal_address, refusal

SPECIAL = (
    "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.0.1 "
    "169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 "
    "198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16 "
    "100.100.100.200 :: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 "
    "64:ff9b::127.0.0.1 64:ff9b::8.8.8.8 64:ff9b:1::1 64:ff9b:1::a00:1 100::1 2001::1 2001:0:4136:e378:: 2001:2::1 "
    "2001:10::1 2001:20::1 2001:db8::1 2002::1 2002:7f00:1:: 2002:808:808:: 3fff::1 5f00::1 fc00::1 "
    "fd00:ec2::254 fdff::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 4000::1 e000::1 200::1"
).split()
ORDINARY = (
    "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 172.15.255.255 "
    "172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 "
    "2606:4700:4700::1111 2a00:1450:4001:80b::200e 2001:4860:4860::8888 2003::1 3ffe::1"
).split()


@pytest.mark.parametrize("address", SPECIAL)
def test_special_addresses_are_refused_with_a_word(address: str) -> None:
    assert refusal(address)


@pytest.mark.parametrize("address", ORDINARY)
def test_ordinary_addresses_are_not(address: str) -> None:
    assert refusal(address) is None


@pytest.mark.parametrize("text", ["", "example.org", "1.2.3", "300.1.1.1", "1::2::3"])
def test_what_is_no_address_is_refused(text: str) -> None:
    assert refusal(text) == "not an IP address"


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("127.0.0.1", "loopback"),
        ("169.254.169.254", "cloud metadata"),
        ("::ffff:169.254.169.254", "IPv4-mapped of a cloud metadata address"),
        ("2002:a9fe:a9fe::", "6to4 of a cloud metadata address"),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", "Teredo of a loopback address"),
        ("64:ff9b:1::7f00:1", "NAT64 of a loopback address"),
        ("2606:4700::5efe:10.0.0.1", "IPv6 of a private address"),
        ("4000::1", "reserved"),
    ],
)
def test_the_reason_names_what_is_inside(address: str, why: str) -> None:
    assert refusal(address) == why


@given(st.ip_addresses(v=4))
def test_no_wrapping_makes_a_refused_address_acceptable(inner: ipaddress.IPv4Address) -> None:
    value = int(inner)
    for prefix in ("::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::", "2606:4700::5efe:0:0"):
        wrapped = str(ipaddress.IPv6Address(int(ipaddress.IPv6Address(prefix)) | value))
        if refusal(str(inner)) is not None:
            assert refusal(wrapped) is not None, wrapped


@given(st.ip_addresses())
def test_what_python_knows_to_be_special_is_refused(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    if not address.is_global or address.is_multicast:
        assert refusal(str(address)) is not None


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0X7F.0.0.1",
        "0177.0.0.1", "017700000001", "0177.0x0.0.01", "127.000.000.001", "１２７.０.０.１", "①②⑦.0.0.1",
        "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "%31%32%37.0.0.1", "localhost", "LOCALHOST", "localhost.",
        "a.b.localhost", "localhost.localdomain", " 127.0.0.1 ",
    ],
)
def test_every_spelling_of_this_machine_is_read(host: str) -> None:
    assert literal_address(host) == "127.0.0.1"


@pytest.mark.parametrize(
    ("host", "address"),
    [("[::1]", "::1"), ("::1", "::1"), ("[fe80::1%25eth0]", "fe80::1"), ("[FE80::1%eth0]", "fe80::1"),
     ("[::ffff:127.0.0.1]", "::ffff:7f00:1"), ("1", "0.0.0.1"), ("0x", "0.0.0.0"),  # noqa: S104
     ("255.255.255.255", "255.255.255.255"), ("09", "0.0.0.9")],
)
def test_other_addresses_are_read_too(host: str, address: str) -> None:
    assert ipaddress.ip_address(literal_address(host) or "") == ipaddress.ip_address(address)


@pytest.mark.parametrize(
    "host",
    ["example.org", "localhost.example.org", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "4294967296", "0xg", "[::1",
     "[zz::]", "a:b", "", ".", "1..2", "nolocalhost", "9" * 5000],
)
def test_names_and_nonsense_are_no_addresses(host: str) -> None:
    # "[::1" lost a bracket and is read as browsers would not; whatever it is, it is not let through.
    found = literal_address(host)
    assert found is None or refusal(found) is not None


@given(st.text(alphabet="0123456789xabcdefX.", min_size=1, max_size=24))
def test_what_the_c_library_reads_is_read_the_same(host: str) -> None:
    try:
        packed = socket.inet_aton(host)
    except OSError:
        return
    assert literal_address(host) == socket.inet_ntoa(packed)


@given(st.text(max_size=40))
def test_any_text_is_an_address_or_none(host: str) -> None:
    found = literal_address(host)
    assert found is None or ipaddress.ip_address(found)
