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
