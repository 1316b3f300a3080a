import time
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from cases import each

from sightline.exceptions import ModelFormatError
from sightline.load.pmml._xml import Xml


def quoted(value):
    return ET.tostring(ET.Element("e", a=value), encoding="unicode").split('"')[1]


def strings(rng):
    """Return strings of many lengths that differ in one place, and some that are decoded."""
    found = ["", "&", "<&>", "a\nb", "ä", "\U0001f333", "x" * 100_000]
    for length in range(1, 41):
        plain = rng.choice(list("0123456789.-e"), length)
        found.append("".join(plain))
        for place in range(length):
            other = plain.copy()
            other[place] = "z"
            found.append("".join(other))
    return found


def test_elements_are_those_of_the_standard_library():
    rng = np.random.default_rng(0)
    pool = strings(rng)
    chosen = rng.choice(len(pool), (1000, 2))
    parts = []
    for a, b in chosen.tolist():
        parts.append(f"<p:n  a=\"{quoted(pool[a])}\"\tb = '{quoted(pool[b])}'><t>{quoted(pool[b])}</t></p:n>")
    content = f"<r xmlns:p='u'>{''.join(parts)}<!-- <n/> --><n b='1'/></r>".encode()
    xml, root = Xml(content, "f"), ET.fromstring(content)
    elements = list(root.iter())
    assert [xml.kind(i) for i in range(len(xml))] == [element.tag.split("}")[-1] for element in elements]
    for name in ("a", "b", "absent"):
        expected = [element.get(name) for element in elements]
        column = xml.column(name).tolist()
        assert [None if value < 0 else xml.string(value) for value in column] == expected
        assert [xml.get(i, name) for i in range(len(xml))] == expected
        # Equal strings have equal numbers.
        assert len(set(column)) == len(set(expected))
    assert all(xml.attributes(i) == elements[i].attrib for i in range(1, len(xml)))
    texts = [xml.text(i) for i in range(len(xml))]
    assert texts == [element.text if (element.text or "").strip() else "" for element in elements]


SPELLINGS = [
    "&lt;&gt;&amp;&quot;&apos;",
    "two\twords\nin lines",
    "&#65;&#233;&#8364;&#127795;",
    "&#x41;&#xe9;&#x20AC;&#x1F333;",
    "&#x10FFFF;&#xD7FF;&#xE000;",
    "<![CDATA[a < b && c &amp;]]> and <![CDATA[]]]]><![CDATA[>]]>",
    "before<!-- not this -->after<?nor this?>.",
]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_every_spelling_of_a_character(mark):
    for spelling in SPELLINGS:
        content = mark + f"<r>{spelling}</r>".encode()
        assert Xml(content, "f").text(0) == ET.fromstring(content).text
        if "<" not in spelling:
            content = mark + f"<r a='{spelling}'/>".encode()
            assert Xml(content, "f").get(0, "a") == ET.fromstring(content).get("a")


def test_numbers_are_those_that_the_strings_spell():
    spelled = [
        "1",
        "+2.5",
        "-0.1",
        "1e999",
        "-1e999",
        "inf",
        "-inf",
        "1e39",
        "-1e39",
        "1e-46",
        "x",
        "",
        "nan",
    ]
    xml = Xml("".join(["<r>", *(f"<n a='{text}'/>" for text in spelled), "</r>"]).encode(), "f")
    places = xml.column("a")[1:]
    infinite = np.inf
    numbers = [1, 2.5, -0.1, infinite, -infinite, infinite, -infinite, 1e39, -1e39, 1e-46, *[np.nan] * 3]
    np.testing.assert_array_equal(xml.numbers[places], numbers)
    with np.errstate(over="ignore", under="ignore"):
        np.testing.assert_array_equal(xml.singles[places], np.float32(numbers))


def test_many_attributes_of_one_element_are_read_in_linear_time():
    attributes = " ".join(f"a{i}='{i}'" for i in range(200_000))
    start = time.process_time()
    assert Xml(f"<r {attributes}/>".encode(), "f").get(0, "a199999") == "199999"
    assert time.process_time() - start < 2


_NO_CHARACTER = "an entity names no character"
_NO_DECLARATION = "a document type or another declaration is not supported"


@each(
    case=[
        (b'<r a="1" b="2" a="3"/>', "f: is not valid XML (byte 16: the attribute 'a' occurs twice)."),
        (b'<r><n a="<"/></r>', "f: is not valid XML (byte 9: an attribute contains '<')."),
        (b'<r a="1', "f: is not valid XML (byte 6: the file ends inside an attribute)."),
        (b'<r a="1"b="2"/>', "f: is not valid XML (byte 8: expected white space or the end of the tag)."),
        (b'<r a="&odd;"/>', "f: is not valid XML (byte 6: the entity 'odd' is not supported)."),
        (b'<r a="&lt"/>', "f: is not valid XML (byte 6: an entity without ';')."),
        *[
            (
                f"<r>&#{number};</r>".encode(),
                f"f: is not valid XML (byte {len(number) + 6}: {_NO_CHARACTER}).",
            )
            for number in ("", "x", "0", "x0", "1a", "xg", "-1", "1114112", "xD800", "xDFFF", "99999999999")
        ],
        (b"", "f: is not valid XML (byte 0: there is no element)."),
        (b"<!-- -->", "f: is not valid XML (byte 8: there is no element)."),
        (b"<r/><s/>", "f: is not valid XML (byte 5: a second root element)."),
        (b"<r>", "f: is not valid XML (byte 3: the file ends inside an element)."),
        (b"<r></s>", "f: is not valid XML (byte 7: the end tag of 's' has no start tag)."),
        (b"</r>", "f: is not valid XML (byte 4: the end tag of 'r' has no start tag)."),
        (b"<r></r", "f: is not valid XML (byte 6: expected '>')."),
        (b"<r>1</r>2", "f: is not valid XML (byte 9: text outside of the root element)."),
        (b"<r", "f: is not valid XML (byte 2: expected white space or the end of the tag)."),
        (b"<r a", "f: is not valid XML (byte 4: expected '=')."),
        (b"<r a=", "f: is not valid XML (byte 5: expected a quoted value)."),
        (b"<r a=1/>", "f: is not valid XML (byte 5: expected a quoted value)."),
        (b"<", "f: is not valid XML (byte 1: expected a name)."),
        (b"<r><![CDATA[x", "f: is not valid XML (byte 12: the file ends inside a CDATA section)."),
        (b"<!DOCTYPE r><r/>", f"f: is not valid XML (byte 0: {_NO_DECLARATION})."),
        (b'<r \xff="1"/>', "f: contains text that is not UTF-8."),
        (b"<?xml version='1.0' encoding='ebcdic'?><r/>", "f: the encoding 'ebcdic' is not supported."),
    ],
)
def test_refusals(case):
    content, message = case
    with pytest.raises(ModelFormatError) as caught:
        Xml(content, "f")
    assert str(caught.value) == message
