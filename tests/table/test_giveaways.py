"""Columns that only name the rows, and columns that determine the target."""

import numpy as np
import pytest

import sightline as sl
from sightline.table import counts_rows, determines_target, identifier_reason, is_target_in_disguise

ROWS = np.arange(60.0)
SHUFFLED = np.random.default_rng(0).permutation(ROWS)
KEY = "it is named like a key, and every row has a different value"
DIFFERENT = "every row has a different value"
COUNTS = "it only numbers the rows"
HUGE = "every row has a different value, too large to be a quantity"
LABELS = sl.Labels.from_any(["no"] * 30 + ["yes"] * 30)


def column(values, name="a"):
    return sl.Table.from_any([[value] for value in values], feature_names=[name]).columns[0]


@pytest.mark.parametrize(
    "name",
    [
        *("id", "ID", "customer_id", "customerId", "row.id", "Unnamed: 0", "x0", "Key"),
        *(
            "Nr",
            "No.",
            "#",
            "Kunden-Nr",
            "KundenNr.",
            "Kundennummer",
            "Account No.",
            "loan_no",
            "customer number",
        ),
    ],
)
def test_numbers_with_the_name_of_a_key(name):
    assert identifier_reason(column(SHUFFLED * 17, name), is_first=False) == KEY
    assert identifier_reason(column(SHUFFLED // 2, name), is_first=False) == ""
    assert identifier_reason(column(SHUFFLED / 7, name), is_first=False) == ""


@pytest.mark.parametrize(
    "name",
    [*("paid", "humid", "monkey", "arrow", "grid", "avoid"), *("number", "no", "casino", "visits_number")],
)
def test_names_that_only_end_like_a_key(name):
    assert identifier_reason(column(SHUFFLED * 17, name), is_first=False) == ""


@pytest.mark.parametrize(
    ("values", "is_first", "reason"),
    [
        ([f"r{row}" for row in range(60)], False, DIFFERENT),
        (ROWS, True, COUNTS),
        (ROWS + 1, True, COUNTS),
        (ROWS + 1990, True, ""),
        (ROWS, False, ""),
        (SHUFFLED, True, ""),
        (ROWS[:20], True, ""),
        (SHUFFLED * 2.0**60 / 7 // 1, False, HUGE),
        (1.7e18 + SHUFFLED * 2.0**40, False, ""),
        (1.7e19 + SHUFFLED * 2.0**40, False, HUGE),
    ],
)
def test_identifiers(values, is_first, reason):
    assert identifier_reason(column(values), is_first) == reason


def test_rows_are_counted_despite_gaps_of_rows_left_out():
    assert counts_rows(column(np.delete(ROWS, [3, 8])), n_absent=2)
    assert not counts_rows(column(np.delete(ROWS, [3, 8])), n_absent=1)
    assert not counts_rows(column([*ROWS[:-1], np.nan]))


@pytest.mark.parametrize(
    ("values", "is_disguise", "determines"),
    [
        (["n"] * 30 + ["y"] * 30, True, True),
        ([7.0] * 30 + [3.0] * 30, True, True),
        (["n"] * 15 + ["m"] * 15 + ["y"] * 30, False, True),
        (["n"] * 31 + ["y"] * 29, False, False),
        (ROWS, False, True),
        (-ROWS, False, True),
        ([*ROWS[:30], *ROWS[29:59]], False, False),
        (SHUFFLED, False, False),
        ([None, *["n"] * 29, *["y"] * 30], False, False),
        ([None] * 30 + ["n"] * 30, False, True),
        ([np.nan] * 15 + [1.0] * 15 + [2.0] * 30, False, True),
        ([np.nan] * 15 + [1.0] * 45, False, False),
        ([f"r{row}" for row in range(60)], False, False),
    ],
)
def test_columns_that_determine_the_target(values, is_disguise, determines):
    assert is_target_in_disguise(column(values), LABELS) == is_disguise
    assert determines_target(column(values), LABELS) == determines
