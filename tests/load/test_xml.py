import time
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from sightline.exceptions import ModelFormatError
from sightline.load._xml import Xml


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


def test_many_attributes_of_one_element_are_read_in_linear_time():
    attributes = " ".join(f"a{i}='{i}'" for i in range(200_000))
    start = time.process_time()
    assert Xml(f"<r {attributes}/>".encode(), "f").get(0, "a199999") == "199999"
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'<r a="1" b="2" a="3"/>', "f: is not valid XML (byte 16: the attribute 'a' occurs twice)."),
        (b'<r><n a="<"/></r>', "f: is not valid XML (byte 9: an attribute contains '<')."),
        (b'<r a="1', "f: is not valid XML (byte 6: the file ends inside an attribute)."),
        (b'<r a="1"b="2"/>', "f: is not valid XML (byte 8: expected white space or the end of the tag)."),
        (b'<r a="&odd;"/>', "f: is not valid XML (byte 6: the entity 'odd' is not supported)."),
        (b'<r \xff="1"/>', "f: contains text that is not UTF-8."),
        (b"<?xml version='1.0' encoding='ebcdic'?><r/>", "f: the encoding 'ebcdic' is not supported."),
    ],
    ids=range(7),
)
def test_refusals(content, message):
    with pytest.raises(ModelFormatError) as caught:
        Xml(content, "f")
    assert str(caught.value) == message
