"""Rows of a page have the names of the data."""

import json
import re

import numpy as np
import pandas as pd

import sightline as sl

LOANS = sl.make_loans(120)
NAMES = [f"C{row}" for row in range(120)]
FRAME = LOANS.X.to_pandas().set_index(pd.Index(NAMES))
LABELS = np.asarray(LOANS.y)


def data_of(report):
    return json.loads(re.search(r'id="data">(.*?)</script>', report.to_html(), re.DOTALL)[1])


def test_rows_of_frames_and_tables_have_names():
    tree = sl.DistilledTreeClassifier(max_leaves=2, random_state=0).fit(FRAME[:60], LABELS[:60])
    page = data_of(sl.report(tree, FRAME[60:], LABELS[60:], rows="sample", sizes=()))
    rows = page["rows"]
    assert rows["name"] == [NAMES[60 + number] for number in rows["number"]]
    numbered = data_of(sl.report(tree, LOANS[60:].X, LABELS[60:], rows="sample", sizes=()))
    assert numbered["rows"]["name"] is None


def test_cases_have_names_and_no_row_is_its_own_case():
    cases = sl.MetaKNNClassifier(random_state=0).fit(FRAME[:60], LABELS[:60])
    page = data_of(sl.report(cases, FRAME[:60], LABELS[:60], rows="sample"))
    part = next(part for part in page["parts"] if part.get("title") == "The nearest cases")
    assert part["name"] == [NAMES[number] for number in part["number"]]
    for name, found in zip(page["rows"]["name"], part["rows"], strict=True):
        shown = [match["case"] for match in [*found["cases"], found["contrast"]]]
        assert NAMES.index(name) not in shown
