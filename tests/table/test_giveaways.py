"""Columns that only name the rows, and columns that determine the target."""

import numpy as np
import pytest

import sightline as sl
from sightline.table import (
    counts_rows,
    determines_target,
    flags_of_target,
    identifier_reason,
    is_target_in_disguise,
    key_doubt,
    share_predicted,
)

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


def test_codes_that_are_all_different_are_named_as_such():
    codes = [f"{row:04}" for row in range(60)]
    assert identifier_reason(column(codes), is_first=False) == (
        f"{DIFFERENT}, a code with leading zeros or too many digits for a number"
    )
    assert identifier_reason(column([*codes, "12 or 13"]), is_first=False) == (
        f"{DIFFERENT}, and not all can be read as numbers"
    )


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


CODES = np.tile([0, 1], 100)
PAIRS = sl.Labels.from_any(np.array(["no", "yes"])[CODES])
WRONG = np.arange(200) < 2


@pytest.mark.parametrize(
    "values",
    [
        np.where(WRONG, "unclear", np.array(["open", "closed"])[CODES]),
        np.where(WRONG, 1 - CODES, CODES),
        np.where(WRONG, -1, 1) * (CODES - 0.5) * (1 + np.arange(200)),
        np.where(WRONG, 1, -1) * (CODES - 0.5) * (1 + np.arange(200)),
        [None if code == wrong else "2020-01-01" for code, wrong in zip(CODES, WRONG, strict=True)],
    ],
)
def test_a_column_that_predicts_nearly_every_row(values):
    share, n_rows = share_predicted(column(list(values)), PAIRS)
    assert n_rows == 200
    assert 0.99 <= share < 1


def test_missing_cells_do_not_hide_a_copy_of_the_target():
    values = [None if row % 10 < 3 else float(code) for row, code in enumerate(CODES)]
    assert share_predicted(column(values), PAIRS) == (1.0, 140)


def test_columns_that_predict_too_little():
    rng = np.random.default_rng(0)
    rare = sl.Labels.from_any(["no"] * 199 + ["yes"])
    assert share_predicted(column(np.where(rng.random(200) < 0.05, 1 - CODES, CODES)), PAIRS)[0] == 0
    assert share_predicted(column(rng.normal(size=200)), PAIRS)[0] == 0
    assert share_predicted(column(rng.normal(size=200)), rare)[0] == 0
    assert share_predicted(column([f"v{row}" for row in range(200)]), PAIRS)[0] == 0
    half_known = [float(row) if code else None for row, code in enumerate(CODES)]
    assert share_predicted(column([7.0, *half_known[1:]]), sl.Labels.from_any(["no"] * 200))[0] == 0


def test_large_tables_are_tried_first():
    codes = np.tile([0, 1], 2500)
    labels = sl.Labels.from_any(codes)
    noise = np.random.default_rng(0).random(5000)
    assert share_predicted(column(np.where(noise < 0.01, 1 - codes, codes)), labels)[0] > 0.98
    assert share_predicted(column(noise), labels)[0] == 0


def test_flags_that_together_determine_the_target():
    first = np.where(np.arange(200) % 4 == 1, 1.0, 0.0)
    halves = [column(first, "first"), column(CODES - first, "second"), column(ROWS[:50].repeat(4), "age")]
    assert flags_of_target(halves, PAIRS) == ["first", "second"]
    assert flags_of_target(halves[:1], PAIRS) == []
    as_flag = column((CODES - first).astype(bool), "second")
    assert flags_of_target([halves[0], as_flag], PAIRS) == ["first", "second"]
    classes = np.arange(60) % 3
    one_hot = [column((classes == code).astype(float), f"is_{code}") for code in range(3)]
    assert flags_of_target(one_hot, sl.Labels.from_any(classes)) == ["is_0", "is_1", "is_2"]
    assert flags_of_target(one_hot[:1], sl.Labels.from_any(classes)) == []
    many = [column(np.isin(np.arange(200) // 16, [number]) * CODES, f"word_{number}") for number in range(13)]
    assert flags_of_target(many, PAIRS) == []


GAPS = 10_001 + np.cumsum(np.random.default_rng(1).integers(1, 9, 60)).astype(float)
PHONES = np.random.default_rng(2).permutation(60) * 7_654_321.0 + 491_511_000_000


@pytest.mark.parametrize(
    ("values", "name", "reason"),
    [
        (GAPS, "a", "every row has a different number, which rises from row to row"),
        (GAPS[::-1], "a", "every row has a different number, which falls from row to row"),
        (PHONES, "a", "every row has a different number of 12 digits or more, as phone numbers have"),
        (
            GAPS[SHUFFLED.astype(int)],
            "Phone",
            "every row has a different number, and the name is that of a key",
        ),
        (
            GAPS[SHUFFLED.astype(int)],
            "tracking number",
            "every row has a different number, and the name is that of a key",
        ),
        (GAPS[SHUFFLED.astype(int)], "a", ""),
        (GAPS[SHUFFLED.astype(int)], "customer_spend", ""),
        (np.append(GAPS, GAPS[-1]), "a", ""),
        (GAPS + 0.5, "a", ""),
        (np.append(GAPS, np.nan), "a", ""),
        (GAPS[:20], "a", ""),
    ],
)
def test_numbers_that_look_like_keys(values, name, reason):
    assert key_doubt(column(values, name)) == reason
    assert identifier_reason(column(values, name), is_first=False) == ""
