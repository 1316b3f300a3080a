"""What is told about rows that are written otherwise than those of an earlier table."""

import warnings

import pytest

import sightline as sl


def told(tmp_path, first, later, target=None, kinds=None):
    """Return the notes on a later file, read like the first one."""
    path = tmp_path / "rows.csv"
    path.write_text(first)
    earlier = sl.read_table(path, target, kinds=kinds)
    path.write_text(later)
    with warnings.catch_warnings(record=True, action="always") as caught:
        sl.read_table(path, target, like=earlier)
    return [str(one.message).removeprefix(f"{path}: ") for one in caught]


def lines(cells):
    return "a,b\n" + "".join(f"{cell},{row % 3}\n" for row, cell in enumerate(cells))


UNKNOWN = "which a model of the earlier table does not know."


@pytest.mark.parametrize(
    ("first", "later", "note"),
    [
        (
            ["TRUE", "FALSE"],
            ["True", "False"],
            f"is 'False' and 'True' in 24 rows, {UNKNOWN} They count as missing. The model knows 'FALSE' and "
            "'TRUE'.",
        ),
        (
            ["Red", "blue"],
            ["red", "blue"],
            f"is 'red' in 12 rows, {UNKNOWN} It counts as missing. The model knows 'Red'.",
        ),
        (
            ["red"],
            ['" red"'],
            f"is ' red' in 24 rows, {UNKNOWN} It counts as missing. The model knows 'red'.",
        ),
        (["oak", "elm"], ["oak", "fir"], f"is 'fir' in 12 rows, {UNKNOWN} It counts as missing."),
        (
            ["3", "4"],
            [""],
            "is empty in every row. A model of the earlier table predicts as for missing values.",
        ),
    ],
)
def test_what_a_model_of_the_earlier_table_would_not_know_is_told(first, later, note, tmp_path):
    n_times = 24
    notes = told(tmp_path, lines(first * (n_times // len(first))), lines(later * (n_times // len(later))))
    assert notes == [f"Column 'a' {note}"]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (["red", "blue"] * 12, ["blue"] * 24),
        ([""] * 24, [""] * 24),
        ([""] * 24, ["red"] * 24),
        # Names and keys are new in every file.
        ([f"K{row}" for row in range(24)], [f"K{row}" for row in range(24, 48)]),
    ],
)
def test_what_is_usual_is_not_told(first, later, tmp_path):
    assert told(tmp_path, lines(first), lines(later)) == []


def test_names_that_are_only_written_differently_are_told(tmp_path):
    names = [f"K{row}" for row in range(24)]
    notes = told(tmp_path, lines(names), lines([*names[1:], "k0"]))
    assert notes == [
        f"Column 'a' is 'k0' in 1 row, {UNKNOWN} It counts as missing. The model knows 'K0'.",
    ]


def test_numbers_that_are_no_known_category_are_told(tmp_path):
    kinds = {"a": "categorical"}
    notes = told(tmp_path, lines(["1", "2"] * 12), lines(["1", "3"] * 12), kinds=kinds)
    assert notes == [f"Column 'a' is 3 in 12 rows, {UNKNOWN} It counts as missing."]


def test_the_target_is_not_compared(tmp_path):
    assert told(tmp_path, lines(["red", "blue"] * 12), lines(["Red", "blue"] * 12), target="a") == []
