import pytest

from sightline.wording import printable, quote_if_odd, shortened


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain name", "plain name"),
        ("line\nbreak\ttab", r"line\nbreak\ttab"),
        ("\x1b[2J\x07", r"\x1b[2J\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("abc\u202edef", r"abc\u202edef"),
        ("a\u2028b", r"a\u2028b"),
        ("\ud800", r"\ud800"),
        ("\uffff", r"\uffff"),
        ("👩\u200d🔬 größer", "👩\u200d🔬 größer"),
        (True, "True"),
        (3.5, "3.5"),
    ],
)
def test_only_what_steers_is_escaped(text, expected):
    assert printable(text) == expected


def test_shortened_keeps_the_length():
    assert shortened("x" * 500, 10) == "x" * 9 + "…"
    assert shortened("short", 5) == "short"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<0", '"<0"'),
        (">=7", '">=7"'),
        ("0<=X<200", '"0<=X<200"'),
        ("a,b", '"a,b"'),
        ('say "no"', r'"say \"no\""'),
        (" x", '" x"'),
        ("no checking", "no checking"),
        ("it's", "it's"),
        (1.5, "1.5"),
    ],
)
def test_values_that_look_like_comparisons_or_lists_are_quoted(text, expected):
    assert quote_if_odd(text) == expected
