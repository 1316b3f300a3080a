"""What is told about labels of a file."""

import warnings

import numpy as np
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
    told = [str(warning.message) for warning in caught if "is missing in" not in str(warning.message)]
    assert [note in sentence for sentence in told] == [True]


@pytest.mark.parametrize(
    ("labels", "is_missing"),
    [
        (
            ["yes", "", "no", ""],
            "in 2 of 4 rows. These rows can be predicted, but not used for training: keep the",
        ),
        (["yes", "NA", "no", "no"], "in 1 of 4 rows. This row can be predicted, but not used for training"),
        (["1.5", "2.25", "", "4"], "in 1 of 4 rows. This row can be predicted, but not used for training"),
    ],
)
def test_rows_without_a_label_are_counted(labels, is_missing, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "".join(f"{row},{label}\n" for row, label in enumerate(labels)))
    with pytest.warns(DataWarning) as caught:
        table = sl.read_table(path, target="y")
    notes = [str(warning.message) for warning in caught]
    (note,) = [note for note in notes if note.startswith(f"{path}: The target 'y' is missing {is_missing}")]
    known = eval(note.partition("table[")[2].rpartition("]")[0], {"table": table, "np": np})
    assert table[known].n_rows == sum(label not in ("", "NA") for label in labels)


def test_a_target_without_any_label_is_left_in_peace(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n1,\n2,\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sl.read_table(path, target="y").n_rows == 2


@pytest.mark.parametrize("labels", [["none", "mild", "nil"], ["01", "02", "03", "01"]])
def test_other_labels_are_left_in_peace(labels, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "".join(f"{row},{label}\n" for row, label in enumerate(labels)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sl.read_table(path, target="y")
