"""Documents in JSON and UBJSON, against json."""

import json
import struct

import numpy as np
import pytest
from cases import each

from sightline import _core


def plain(value):
    """Return a value of the reader as json returns it."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return value.tolist() if hasattr(value, "tolist") else value


def parsed(text):
    return plain(_core.parse_json(text if isinstance(text, bytes) else text.encode(), []).value())


def parsed_binary(content):
    return plain(_core.parse_ubjson(content).value())


@each(
    text=[
        '"\\u0041\\u00e9\\u20ac\\ud83c\\udf33\\"\\\\\\/\\b\\f\\n\\r\\t"',
        " [ 1 ,\t2 ,\r\n3 ] ",
        '[1, 2.5, 3, true, false, null, "", {}, []]',
        "[1, 2, 3, -0, 1e-400, 9223372036854775808, -18446744073709551616]",
        "[9223372036854775807, -9223372036854775808]",
        '{"a": {"b": [[1, 2], [3.5]]}, "c": [{}, {"d": [1, "2"]}]}',
        "[" + ", ".join(map(str, range(20_000))) + "]",
        "[" + ", ".join(["null", "1"] * 10_000) + "]",
        "0",
        "-0.0",
        "1E+2",
        "1e-2",
        "{" + ", ".join(f'"{key}": {key}' for key in range(30)) + "}",
    ]
)
def test_values_are_those_of_json(text):
    assert parsed(text) == json.loads(text)


@each(
    case=[
        ('"\\u12', "byte 3: expected four hexadecimal digits"),
        ('"\\u12x4"', "byte 3: expected four hexadecimal digits"),
        ('"\\uxyzw"', "byte 3: expected four hexadecimal digits"),
        ('"\\u', "byte 3: expected four hexadecimal digits"),
        ('"\\udc00"', "byte 7: unpaired surrogate"),
        ('"\\ud800"', "byte 7: unpaired surrogate"),
        ('"\\ud800\\n"', "byte 7: unpaired surrogate"),
        ('"\\ud800\\u0041"', "byte 13: unpaired surrogate"),
        ('"\\ud800\\ue000"', "byte 13: unpaired surrogate"),
        ('"\\x"', "byte 3: unknown escape"),
        ('"\\', "byte 3: unknown escape"),
        ('"a\nb"', "byte 2: a string contains a control character"),
        ('"a', "byte 2: a string is not closed"),
        ("", "byte 0: expected a value"),
        ("-", "byte 1: expected a value"),
        ("01", "byte 1: a number begins with 0"),
        ("1.", "byte 2: expected a digit"),
        ("1e", "byte 2: expected a digit"),
        ("1e+", "byte 3: expected a digit"),
        ("1e999", "byte 5: a number is too large"),
        ("nul", "byte 0: expected a value"),
        ("[1 2]", "byte 3: expected ',' or ']'"),
        ('["a" 2]', "byte 5: expected ',' or ']'"),
        ("[1, 2,]", "byte 6: expected a value"),
        ('{"a": 1 2}', "byte 8: expected ',' or '}'"),
        ("{1: 2}", "byte 1: expected a string"),
        ('{"a" 1}', "byte 5: expected ':'"),
        ('{"a": 1, "a": 2}', "byte 16: the key 'a' occurs twice in one object"),
        ("1 2", "byte 2: unexpected data after the end"),
    ]
)
def test_what_is_not_json(case):
    text, message = case
    with pytest.raises(ValueError, match=r"^") as caught:
        parsed(text)
    assert str(caught.value) == message


@each(n_members=[65, 70])
def test_more_members_than_bits_in_a_word(n_members):
    value = _core.parse_json(b'{"t": {"a": 1}}', ["t"]).value()["t"]
    names = [f"a{number}" for number in range(n_members)]
    with pytest.raises(ValueError, match=r"^too many members are requested$"):
        _core.flattened([value], left="l", right="r", numbers=names, strings=[], vector="", width=0)


def test_lists_of_numbers_in_texts():
    infinity = float("inf")
    assert _core.read_numbers(b"").tolist() == []
    assert _core.read_integers(b"").tolist() == []
    spelled = b"1 -2.5 +3e2 inf -inf 1e999 -1e999 1e-999"
    assert _core.read_numbers(spelled).tolist() == [1, -2.5, 300, infinity, -infinity, infinity, -infinity, 0]
    assert _core.read_integers(b"1 -2 9223372036854775807").tolist() == [1, -2, 2**63 - 1]
    for text, place in [(b"1 x", 1), (b"1  2", 1), (b"nan", 0), (b"1 2 ", 2)]:
        with pytest.raises(ValueError, match=f"^entry {place} is not a number$"):
            _core.read_numbers(text)
    for text, place in [(b"1 1.5", 1), (b"9223372036854775808", 0), (b" 1", 0), (b"1 2x", 1)]:
        with pytest.raises(ValueError, match=f"^entry {place} is not a whole number$"):
            _core.read_integers(text)


def name(text):
    """Return a string as UBJSON writes a key: its length, then its bytes."""
    return b"U" + bytes([len(text.encode())]) + text.encode()


@each(
    case=[
        (b"Z", None),
        (b"T", True),
        (b"F", False),
        (b"S" + name("é"), "é"),
        (b"i\xff", -1),
        (b"U\xff", 255),
        (b"I" + struct.pack(">h", -300), -300),
        (b"l" + struct.pack(">i", -70_000), -70_000),
        (b"L" + struct.pack(">q", 2**40), 2**40),
        (b"d" + struct.pack(">f", 0.5), 0.5),
        (b"D" + struct.pack(">d", 0.1), 0.1),
        (b"[]", []),
        (b"[#U\x00", []),
        (b"[TFZ]", [True, False, None]),
        (b"[#U\x02U\x01U\x02", [1, 2]),
        (b"[U\x01d" + struct.pack(">f", 0.5) + b"]", [1.0, 0.5]),
        (b"[$l#U\x02" + struct.pack(">ii", 3, -4), [3, -4]),
        (b"[$d#U\x02" + struct.pack(">ff", 3, -4), [3.0, -4.0]),
        (b"{" + name("a") + b"{" + name("b") + b"T}" + name("c") + b"[]}", {"a": {"b": True}, "c": []}),
    ]
)
def test_values_of_ubjson(case):
    content, value = case
    assert parsed_binary(content) == value


@each(
    case=[
        (b"", "the file ends in the middle of a value"),
        (b"l\x00", "the file ends in the middle of a value"),
        (b"[", "the file ends in the middle of a value"),
        (b"[#d\x00\x00\x00\x00", "expected a length"),
        (b"[#x", "expected a length"),
        (b"[#i\xff", "a length is out of range"),
        (b"[#U\x05U\x01", "a length is out of range"),
        (b"SU\x05ab", "a length is out of range"),
        (b"X", "a value of an unknown type"),
        (b"[$x#U\x01", "an array of an unknown type"),
        (b"[$lU\x01", "expected the length of an array"),
        (b"[$l#U\x02" + bytes(6), "the file ends in the middle of an array"),
        (b"D" + struct.pack(">d", float("nan")), "a number is not finite"),
        (b"[$d#U\x01" + struct.pack(">f", float("inf")), "a number is not finite"),
        (b"{" + 2 * (name("a") + b"T") + b"}", "the key 'a' occurs twice in one object"),
        (b"TT", "unexpected data after the end"),
    ]
)
def test_what_is_not_ubjson(case):
    content, message = case
    with pytest.raises(ValueError, match=rf"^byte \d+: {message}$"):
        parsed_binary(content)


def test_named_arrays_may_contain_minus_infinity():
    content = {
        _core.parse_json: b'{"a": [1, -Infinity, -2]}',
        _core.parse_ubjson: b"{" + name("a") + b"[$d#U\x03" + struct.pack(">3f", 1, -np.inf, -2) + b"}",
    }
    for parse, text in content.items():
        np.testing.assert_array_equal(parse(text, with_nan=["a"]).value()["a"], [1, -np.inf, -2])
        with pytest.raises(ValueError, match=r"expected a|a number is not finite|not a number"):
            parse(text)
    doubles = b"{" + name("a") + b"[$D#U\x02" + struct.pack(">2d", -np.inf, np.nan) + b"}"
    np.testing.assert_array_equal(_core.parse_ubjson(doubles, with_nan=["a"]).value()["a"], [-np.inf, np.nan])
    for content, names in ((doubles.replace(b"\xff\xf0", b"\x7f\xf0"), ["a"]), (doubles, [])):
        with pytest.raises(ValueError, match="a number is not finite"):
            _core.parse_ubjson(content, with_nan=names)


def test_only_named_arrays_may_contain_nan():
    numbers = b"[$d#U\x02" + struct.pack(">2f", np.nan, 1)
    cases = [
        (
            _core.parse_json,
            b'{"a": [NaN, 1], "b": {"a": [2, NaN]}}',
            b'{"b": [NaN, 1]}',
            b'{"a": [[NaN]]}',
            b'{"a": NaN}',
        ),
        (
            _core.parse_json,
            b'{"a": [NaN, 1], "b": {"a": [2, NaN]}}',
            b'{"a": [1, Na]}',
            b'{"a": [-NaN]}',
            b'{"a": [Infinity]}',
        ),
        (
            _core.parse_ubjson,
            b"{" + name("a") + numbers + b"}",
            b"{" + name("b") + numbers + b"}",
            b"{" + name("a") + b"[" + numbers + b"]}",
            b"{" + name("a") + b"[$d#U\x01" + struct.pack(">f", np.inf) + b"}",
        ),
    ]
    for parse, accepted, *refused in cases:
        np.testing.assert_array_equal(parse(accepted, with_nan=["a"]).value()["a"], [np.nan, 1])
        for content in (accepted, *refused):
            with pytest.raises(ValueError, match=r"expected a value|a number is not finite"):
                parse(content, with_nan=["a"] if content in refused else [])


def joined(text, *lengths, kind="integers", first=0):
    found = getattr(_core.parse_json(text.encode()), kind)("a", first, np.array(lengths, dtype=np.int64))
    return None if found is None else found.tolist()


def test_arrays_of_objects_are_joined():
    text = '[{"a": [1, 2]}, {"b": 0, "a": [3]}, {"a": [4, 5]}]'
    assert joined(text, 2, 1, 2) == [1, 2, 3, 4, 5]
    assert joined(text, 1, 2, first=1) == [3, 4, 5]
    assert joined(text, 2) == [1, 2]
    assert joined(text, first=3) == []
    assert joined('[{"a": [0, 1]}]', 2, kind="flags") == [False, True]
    assert joined('[{"a": [0.5, 1e300]}]', 2, kind="singles") == [0.5, np.inf]


@pytest.mark.parametrize("kind", ["integers", "singles", "flags"])
@pytest.mark.parametrize(
    ("text", "lengths", "first"),
    [
        pytest.param('{"a": [1]}', [1], 0, id="no array"),
        pytest.param('[{"a": [1]}]', [1], 2, id="first behind the end"),
        pytest.param('[{"a": [1]}]', [1, 0], 0, id="too few objects"),
        pytest.param("[[1], [1]]", [1], 0, id="no objects"),
        pytest.param('[{"b": [1]}]', [1], 0, id="another key"),
        pytest.param('[{"a": [1]}]', [2], 0, id="another length"),
        pytest.param('[{"a": ["1"]}]', [1], 0, id="no numbers"),
        pytest.param('[{"a": [1]}]', [-1], 0, id="a negative length"),
    ],
)
def test_arrays_that_do_not_fit_are_not_joined(text, lengths, first, kind):
    assert joined(text, *lengths, kind=kind, first=first) is None


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("7", 7),
        ('"7"', 7),
        ('"123456789012345678"', 123456789012345678),
        ('"1234567890123456789"', None),
        ('""', None),
        ('"-7"', None),
        ('"7.0"', None),
        ("[7]", None),
    ],
)
def test_whole_numbers_may_be_strings_of_digits(entry, expected):
    found = _core.parse_json(f'[{{"in": {{"n": {entry}}}}}]'.encode()).parsed_wholes("in", "n")
    assert (None if found is None else found.tolist()) == (None if expected is None else [expected])


def test_whole_numbers_need_an_array_of_objects():
    assert _core.parse_json(b'{"in": {"n": 7}}').parsed_wholes("in", "n") is None
    assert _core.parse_json(b'[{"in": [7]}]').parsed_wholes("in", "n") is None
    assert _core.parse_json(b"[[7]]").parsed_wholes("in", "n") is None
