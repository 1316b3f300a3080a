"""A row that a case base learned from is not its own nearest case, and cases have names."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from sightline.exceptions import ModelFormatError
from sightline.model import parse_model
from sightline.model._own_case import OwnCases
from sightline.table import Table

LOANS = sl.make_loans(150)
FRAME = LOANS.X.to_pandas().set_index(pd.Index([f"C{i}" for i in range(150)], name="customer"))
LABELS = np.asarray(LOANS.y)
TRAIN, LATER = FRAME[:100], FRAME[100:]


@pytest.fixture(scope="module")
def meta():
    return sl.MetaKNNClassifier(random_state=0).fit(TRAIN, LABELS[:100])


def nearest(explanations):
    return [[case.case for case in one.cases] for one in explanations]


def test_no_row_is_its_own_case_unless_asked(meta):
    own = meta.explain(TRAIN)
    assert all(name not in cases for name, cases in zip(own.rows, nearest(own), strict=True))
    asked = meta.explain(TRAIN, include_itself=True)
    # Cases are described without themselves, so that some are nearer to others.
    assert sum(name in cases for name, cases in zip(asked.rows, nearest(asked), strict=True)) > 50
    assert nearest(meta.explain(LATER)) == nearest(meta.explain(LATER, include_itself=True))


def test_one_row_is_known_by_its_index(meta):
    assert "C3" not in [case.case for case in meta.explain(TRAIN.iloc[3]).cases]
    assert "Case C3 " not in str(meta.explain(TRAIN.iloc[3]))


def test_numbers_have_no_own_case_either():
    x = np.random.default_rng(0).normal(size=(60, 3))
    meta = sl.MetaKNNRegressor(random_state=0).fit(x, x[:, 0])
    for i, one in enumerate(meta.explain(x)):
        assert i not in [case.case for case in one.cases]


def test_a_wrong_label_is_not_its_own_counterexample():
    rows = [[float(i)] for i in range(20)]
    labels = ["low"] * 10 + ["high"] * 10
    labels[4] = "high"
    stump = DecisionTreeClassifier(max_depth=1).fit(rows, labels)
    base = sl.MetaKNNClassifier(stump, random_state=0).fit(rows, labels).cases_
    one = base.explanations([[4.0]])[0]
    assert one.label == "low"
    assert one.contrast.case == 10
    assert base.explanations([[4.0]], include_itself=True)[0].contrast.case == 4


def test_names_decide_where_both_sides_have_them():
    cases = Table.from_any([[1.0, "a"], [1.0, "a"], [np.nan, "b"]])
    named = OwnCases(cases, ["x", "y", "z"])
    rows = cases[np.array([0, 1, 2])]
    assert named.find(rows, ["y", "new", "z"]).tolist() == [1, -1, 2]
    assert named.find(rows, ["z", "y", "x"]).tolist() == [-1, 1, -1]
    assert named.find(rows, None).tolist() == [0, 0, 2]
    assert OwnCases(cases, None).find(rows, ["x", "y", "z"]).tolist() == [0, 0, 2]


def test_names_of_cases_are_told_and_stored(meta):
    base = meta.cases_
    text = str(meta.explain(LATER.iloc[0]))
    assert re.search(r"\nCase C\d+ was also ", text)
    assert "row numbers of the training data" not in text
    assert base.explanation(LATER.iloc[0]).to_frame()["who"][1].startswith("case C")
    again = parse_model(base.to_json(), "a test")
    assert again.names == base.names
    assert again.to_json() == base.to_json()
    assert "names" not in json.loads(sl.MetaKNNClassifier(random_state=0).fit(LOANS.X, LOANS.y).to_json())
    frame = meta.explain(LATER).to_frame()
    assert frame["nearest_case"].str.startswith("C").all()
    assert set(frame["counterexample_outcome"]) <= {"no", "yes"}


def test_damaged_names_are_refused(meta):
    stored = json.loads(meta.cases_.to_json()) | {"names": ["C1"]}
    del stored["checksum"]
    with pytest.raises(ModelFormatError, match="'names' must hold one name for each of the 100 cases"):
        parse_model(json.dumps(stored), "a test")


def test_a_table_keeps_its_names():
    named = Table.from_any(FRAME.reset_index()).with_row_names("customer")
    base = sl.MetaKNNClassifier(random_state=0).fit(named[:100], LABELS[:100]).cases_
    assert base.names[:2] == ["C0", "C1"]
