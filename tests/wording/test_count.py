import pytest

from sightline.wording import capitalize, list_choices, list_names, pluralize, pluralize_rows


@pytest.mark.parametrize(
    ("count", "expected"), [(0, "0 leaves"), (1, "1 leaf"), (2, "2 leaves"), (12_345, "12,345 leaves")]
)
def test_nouns_fit_their_counts(count, expected):
    assert pluralize(count, "leaf", "leaves") == expected


@pytest.mark.parametrize(
    ("weight", "expected"),
    [(0.0, "0 rows"), (1.0, "1 row"), (0.25, "0.25 rows"), (15.274, "15.3 rows"), (1234.56, "1,235 rows")],
)
def test_weights_are_rows(weight, expected):
    assert pluralize_rows(weight) == expected


@pytest.mark.parametrize(
    ("names", "limit", "expected"),
    [
        ([], None, ""),
        (["a"], None, "a"),
        (["a", "b"], None, "a and b"),
        (["a", "b", "c"], 3, "a, b and c"),
        (["a", "b", "c", "d"], 3, "a, b, c and 1 more"),
    ],
)
def test_lists_say_how_many_more(names, limit, expected):
    assert list_names(names, limit) == expected


def test_choices_and_capitals():
    assert [list_choices(["a"]), list_choices(["a", "b"]), list_choices(["a", "b", "c"])] == [
        "a",
        "a or b",
        "a, b or c",
    ]
    assert [capitalize(""), capitalize("one Two")] == ["", "One Two"]
