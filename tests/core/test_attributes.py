from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from everlog.core.attributes import _FORMER, _STANDARD, MOST_ATTRIBUTES, _cut, _long_tags, bounded, bounded_xml

MANY = 40_000
HTML = etree.HTMLParser(encoding="utf-8", huge_tree=True)
OWN = _STANDARD if etree.LIBXML_VERSION >= (2, 14) else _FORMER


def tag(attribute: str, count: int = MANY) -> str:
    return "<p " + "".join(attribute.format(n=n) for n in range(count)) + ">x</p>"


def most_attributes(root: etree._Element | None) -> int:
    return 0 if root is None else max(len(element.attrib) for element in root.iter(etree.Element))


ATTRIBUTES = {
    "bare": "a{n} ", "unquoted": "a{n}=1 ", "quoted": 'a{n}="1" ', "single quotes": "a{n}='1' ",
    "ends of tags in quotes": 'a{n}=">" ', "tags in quotes": "a{n}='</p><p>' ", "no blanks": 'a{n}="1"',
    "slashes": "a{n}/", "lines": "a{n}\n=\n'>'\n", "quotes in names": "a{n}\"'=1 ", "starts of tags": "<a{n} ",
    "a question of quotes": "a{n}=\"'>\" b{n}='\">' ", "values that end as names do": 'a{n}="b=" ',
    "half a comment": "a{n}='-->' ", "half a script": "a{n}='</script>' ",
}  # fmt: skip


@pytest.mark.parametrize("before", ["", "<!-- <script> -->", "<title>a</title>it's ", "<p class='a'>", '<a b="c">' * 9])
@pytest.mark.parametrize("attribute", ATTRIBUTES.values(), ids=ATTRIBUTES)
def test_no_tag_keeps_more_attributes_than_are_parsed_in_no_time(attribute, before):
    body = bounded(f"<div>{before}{tag(attribute)}</div>".encode())
    assert most_attributes(etree.fromstring(body, HTML)) <= MOST_ATTRIBUTES


def test_the_first_attributes_stay_and_so_does_what_follows_the_tag():
    root = etree.fromstring(bounded(tag('a{n}=">" ').encode() + b"<b>y</b>"), HTML)
    element = root.find("body/p")
    assert (element.get("a0"), len(element.attrib), element.text) == (">", MOST_ATTRIBUTES, "x")
    assert root.findtext("body//b") == "y"


@pytest.mark.parametrize("name", ["quoted", "single quotes", "lines", "ends of tags in quotes"])
def test_the_same_holds_for_xml(name):
    root = etree.fromstring(bounded_xml(f"<rss>{tag(ATTRIBUTES[name])}</rss>".encode()))
    assert (most_attributes(root), root.findtext("p")) == (MOST_ATTRIBUTES, "x")


@pytest.mark.parametrize(
    "body",
    [
        "<p>" + "it's 5 > 4 and \"so\" on " * 20_000 + "</p>",
        "<script>" + "if (a<b && c > d) { e = \"<i f='g'>\"; }\n" * 20_000 + "</script>",
        "<style>" + "a{color:red} " * 20_000 + "</style>", "<![CDATA[" + "<a href='b'>c</a> " * 20_000 + "]]>",
        "<!--" + "a b c " * 20_000 + "-->", "<img src='data:image/png;base64," + "abcd/" * 100_000 + "'>",
        "<p title='" + "a b > c " * 20_000 + "'>x</p>", tag("a{n}='>' ", MOST_ATTRIBUTES) * 50,
        "<p class=" + "a/b/" * 100 + ">x</p>",
    ],
)  # fmt: skip
def test_what_is_no_such_tag_stays_as_it_is(body):
    assert bounded(body.encode()) == body.encode()
    assert bounded_xml(body.encode()) == body.encode()


signs = st.sampled_from([
    *(f"a{n}{end}" for n in range(12) for end in ("='v' ", '=">" ', " ", "/", "=/ b ", "='")), "<p ", "<a ", " ", "/",
    "=", '"', "'", ">", "<", "\n", "x", "&", "`", "-", "<!--", "-->", "<script>", "</script>", "</p>", "<title>",
    "<![CDATA[", "]]>", "<?", "é", ":", ".", "1", "{", "\\", "/>", "!", "_",
])  # fmt: skip


@given(st.lists(signs, min_size=8, max_size=40))
def test_whatever_a_parser_takes_for_a_tag_has_no_more_than_so_many_attributes(parts):
    body = f"<div><p {''.join(parts)}".encode()
    html, xml = _cut(body, _long_tags(OWN, 6)), _cut(body, _long_tags(_STANDARD, 6))
    assert most_attributes(etree.fromstring(html, HTML)) <= 6
    assert most_attributes(etree.fromstring(xml, etree.XMLParser(recover=True, huge_tree=True))) <= 6
