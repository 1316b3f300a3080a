"""Text columns that are really numbers or dates."""

import calendar

import pandas as pd
import pytest

import sightline as sl
from sightline.table import Feature, Schema, disguised_columns

READ = "read as 12 unordered categories"
DATES = (
    f"Column 'a' holds dates, {READ}, because their format, or the order of day and month, is ambiguous. "
    "Write them as in 2019-03-01 to use their order."
)
DURATIONS = (
    f"Column 'a' holds durations such as 'PT10H30M', {READ}. Convert them to numbers of one unit "
    "to use their order."
)
COMMAS = (
    f"Column 'a' holds numbers with decimal commas, {READ}. Write them with decimal points, "
    "or separate the cells with semicolons."
)
MIXED = (
    "Column 'a' holds dates, but also '44676', '44677' and '44678'. It is read as 12 unordered "
    "categories. Write all dates as in 2019-03-01, and leave the other cells empty."
)
PAIRS = (
    f"Column 'a' holds two numbers in each cell, such as '120/80', {READ}. Put them in two columns to use "
    "their order."
)
AMOUNTS = (
    f"Column 'a' holds amounts such as '₹0 Cr', {READ}. Write them as plain numbers of one unit to use their "
    "order."
)
WORDS = f"Column 'a' holds numbers and 'none', {READ}. Leave cells without a number empty."


NUMBERS_AS_TEXT = (
    "Column 'a' holds numbers as text, read as 12 unordered categories. If they are quantities, convert them "
    "to numbers."
)


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ([f"2024-03-{day:02}" for day in range(1, 13)], DATES),
        ([f"{day}.3.2024" for day in range(1, 13)], DATES),
        ([f"2024/3/{day} 12:30:00" for day in range(1, 13)], DATES),
        ([f"{day}-Mar-24" for day in range(1, 13)], DATES),
        ([f"{day}. März 2024" for day in range(1, 13)], DATES),
        ([f"March {day}, 2024" for day in range(1, 13)], DATES),
        ([f"{day} mars 2024 12:30" for day in range(1, 13)], DATES),
        ([f"2024-{month:02}" for month in range(1, 13)], DATES),
        ([f"{year}Q{quarter}" for year in (2022, 2023, 2024) for quarter in range(1, 5)], DATES),
        ([f"{month}-24" for month in calendar.month_abbr[1:]], DATES),
        ([f"PT{hours}H30M" for hours in range(1, 13)], DURATIONS),
        ([f"{day},5" for day in range(11)] + ["7"], COMMAS),
        ([f"{day}.5" for day in range(11)] + ["none"], WORDS),
        ([f"Q{quarter}/{year}" for year in (2022, 2023, 2024) for quarter in range(1, 5)], DATES),
        ([f"KW{week}/2024" for week in range(10, 22)], DATES),
        ([f"2024-03-{day:02}" for day in range(1, 10)] + ["44676", "44677", "44678"], MIXED),
        ([f"{high}/80" for high in range(120, 132)], PAIRS),
        ([f"₹{amount} Cr" for amount in range(12)], AMOUNTS),
        ([f"{number}.5" for number in range(12)], NUMBERS_AS_TEXT),
    ],
)
def test_what_is_said(cells, sentence):
    assert disguised_columns(sl.Table.from_any([[cell] for cell in cells], feature_names=["a"]).columns) == [
        sentence
    ]


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-03-01", "2024-03-02"],
        [f"kind {i}" for i in range(12)],
        list(range(12)),
        ["1"] * 12,
        [f"ABC{i}" for i in range(12)],
        [f"{i:02}" for i in range(12)],
        [str(10**17 + i) for i in range(12)],
    ],
)
def test_other_columns_are_left_in_peace(cells):
    assert disguised_columns(sl.Table.from_any([[cell] for cell in cells]).columns) == []


UNCLEAR = [*(f"{day}.3.2024" for day in range(1, 7)), *(f"{day}/4/2024" for day in range(1, 7))]


def test_reading_a_file_warns(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "".join(f"{date},{index}\n" for index, date in enumerate(UNCLEAR)))
    with pytest.warns(sl.DataWarning) as caught:
        sl.read_table(path)
    assert [str(warning.message) for warning in caught] == [f"{path}: {DATES}"]
    assert caught[0].filename == __file__
    sl.read_table(path, "a")
    sl.read_table(path, categorical_features=["a"])
    sl.read_table(path, kinds={"a": "categorical"})


@pytest.mark.parametrize(
    "estimator", [sl.C45Classifier(), sl.ISMClassifier(), sl.MetaKNNClassifier(random_state=0)], ids=repr
)
def test_fitting_a_frame_warns(estimator):
    frame = pd.DataFrame({"a": UNCLEAR * 2, "b": range(24)})
    labels = ["no", "yes"] * 12
    with pytest.warns(sl.DataWarning) as caught:
        estimator.fit(frame, labels)
    assert [str(warning.message) for warning in caught] == [DATES]
    estimator.fit(sl.Table.from_any(frame), labels)


def test_fitting_a_frame_reads_dates():
    frame = pd.DataFrame({"a": [f"2024-03-{day:02}" for day in range(1, 25)]})
    model = sl.C45Classifier().fit(frame, ["no"] * 12 + ["yes"] * 12)
    assert "a before 2024-03-13" in model.to_text()
    assert model.predict(frame).tolist() == ["no"] * 12 + ["yes"] * 12
    assert model.predict(frame.astype("datetime64[s]")).tolist() == model.predict(frame).tolist()


def test_columns_that_a_model_takes_as_categories_are_not_named(tmp_path, recwarn):
    days = [f"2024-03-{day:02}" for day in range(1, 13)]
    (tmp_path / "rows.csv").write_text("a,b\n" + "".join(f"{day},1\n" for day in days))
    known = Schema((Feature("a", tuple(days)),))
    assert sl.read_table(tmp_path / "rows.csv", like=known)["a"].feature.is_nominal
    assert not recwarn.list
