"""What is told about labels of a file."""

import warnings

import pytest

import sightline as sl
from sightline.exceptions import DataWarning


def test_a_label_without_letter_or_digit_is_told(tmp_path):
    path = tmp_path / "loans.csv"
    path.write_text("income,default\n1000,yes\n2000,no\n3000,-\n")
    with pytest.warns(DataWarning, match="The target 'default' has the label '-', without a letter or digit"):
        table = sl.read_table(path, target="default")
    assert table.y.classes_.tolist() == ["-", "no", "yes"]


def test_plus_and_minus_are_labels(tmp_path):
    path = tmp_path / "loans.csv"
    path.write_text("income,default\n1000,+\n2000,-\n3000,+\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sl.read_table(path, target="default").y.classes_.tolist() == ["+", "-"]


@pytest.mark.parametrize(
    ("labels", "note"),
    [
        (
            ["Y", "N", "y", "N"],
            "The labels 'Y' and 'y' may mean the same, but are different classes. If so, write",
        ),
        (["Ja", "Nein", "yes", "Nein"], "The labels 'Ja' and 'yes' may mean the same"),
        (["1", "0", "yes", "1"], "The labels '1' and 'yes' may mean the same"),
        (["01", "02", "1", "02"], "The labels '1' and '01' may mean the same"),
        (
            ["yes", "no", "k.A.", "k.A."],
            "has the label 'k.A.', which may mean that the class is unknown. If so, empty",
        ),
        (["yes", "no", '"(null)"', "no"], "has the label '(null)', which may mean"),
        (
            ["yes", "no", "(null)", "no"],
            "1 row with (null) in the target 'y' counts as unlabeled. If (null) is",
        ),
        (
            ["mild", "None", "severe", "None"],
            "2 rows with None in the target 'y' count as unlabeled. If None is",
        ),
        (["größer", "gro\u0308ßer", "klein", "klein"], "differ only in case or spaces. Make them equal"),
    ],
)
def test_labels_that_may_mean_something_else_are_told(labels, note, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "".join(f"{row},{label}\n" for row, label in enumerate(labels)))
    with pytest.warns(DataWarning) as caught:
        sl.read_table(path, target="y")
    assert [note in str(warning.message) for warning in caught] == [True]


@pytest.mark.parametrize("labels", [["none", "mild", "nil"], ["01", "02", "03", "01"]])
def test_other_labels_are_left_in_peace(labels, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "".join(f"{row},{label}\n" for row, label in enumerate(labels)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sl.read_table(path, target="y")
